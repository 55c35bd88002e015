"""Defects of a bundle, one rule for each code: what the platforms do with the defect, and how to fix it.

The rules are in `rules.json`, `code: [level, effect, remedy]`: those of both platforms, and those of one platform only.
Levels: an `error` is refused by a platform, leads to wrong scores or reveals a secret; a `warning` works, but
rarely as intended; a `note` can be as intended. The effects are taken from the platforms' public source code
(Codabench, version 2 bundles; CodaLab Competitions 1.5), not from their documentation where the two differ.
"""

import json
from pathlib import Path
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    level: Level
    platform: str
    remedy: str


RULES: dict[str, Rule] = {
    code: Rule(*facts)
    for rules in json.loads(Path(__file__).with_name("rules.json").read_text(encoding="utf-8")).values()
    for code, facts in rules.items()
}
