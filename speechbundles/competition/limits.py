"""The longest texts that every platform accepts."""

from itertools import chain

from speechbundles.model.platform import platforms

LONGEST_TEXTS: dict[tuple[str, str], int] = {}
"""The longest texts, by their places in the schema of `competition.yaml`."""
for _place, _longest in chain(*(each.longest.items() for each in platforms().values())):
    LONGEST_TEXTS[_place] = min(_longest, LONGEST_TEXTS.get(_place, _longest))

LONGEST_KEY = LONGEST_TEXTS.pop(("column", "key"))
LONGEST_COLUMN_TITLE = LONGEST_TEXTS.pop(("column", "title"))
