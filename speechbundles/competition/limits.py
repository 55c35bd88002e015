"""The longest texts that every platform accepts."""

from speechbundles.model.platform import platforms

_EVERY = [each.longest for each in platforms().values()]
_LONGEST = {
    place: min(longest[place] for longest in _EVERY if place in longest)
    for place in dict.fromkeys(place for longest in _EVERY for place in longest)
}
LONGEST_KEY = _LONGEST.pop(("column", "key"))
LONGEST_COLUMN_TITLE = _LONGEST.pop(("column", "title"))
LONGEST_TEXTS = _LONGEST
"""The longest texts, by their places in the schema of `competition.yaml`."""
