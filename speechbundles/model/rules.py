"""Defects of a bundle, one rule for each code: what the platforms do with the defect, and how to fix it.

The rules are in `rules.json`, `code: [level, effect, remedy]`: here those of all platforms, and in a platform's folder
its own, which replace these. Levels: an `error` is refused, or breaks every submission, or reveals hidden labels; a
`warning` is accepted, and then handled otherwise than one may think; a `note` is advice. A bundle of an older format is
accepted if a platform imports it: what only one whose main servers closed refuses is a warning. The effects are taken
from the platforms' public source code (`sources.json`), not from their documentation where the two differ.
"""

import json
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from speechbundles.model.platform import FOLDER, NAMES

Level = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    level: Level
    platform: str
    remedy: str


def _read(folder: Path) -> dict[str, Rule]:
    rules = json.loads((folder / "rules.json").read_text(encoding="utf-8"))
    return {code: Rule(*facts) for code, facts in rules.items()}


_TABLES = {name: _read(FOLDER / name) for name in NAMES}
RULES = {
    **dict(chain(*(rules.items() for rules in reversed(_TABLES.values())))),
    **_read(Path(__file__).parent),
}


def rule_of(code: str, platform: str) -> Rule:
    """Return a rule as it is on a platform; for a bundle of an unknown platform, as on all."""
    return _TABLES.get(platform, {}).get(code) or RULES[code]
