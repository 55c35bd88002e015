"""Defects of a bundle, one rule for each code: what the platforms do with the defect, and how to fix it.

The rules are in `rules.json`, `code: [level, effect, remedy]`: those of both platforms, and those of one platform only,
which replace those of both. Levels: an `error` is refused, or breaks every submission, or reveals hidden labels; a
`warning` is accepted, and then handled otherwise than one may think; a `note` is advice. A bundle of format 1.5 is
accepted if Codabench imports it: what only CodaLab refuses is a warning, because its main servers closed. The effects
are taken from the platforms' public source code (`sources.json`), not from their documentation where the two differ.
"""

import json
from pathlib import Path
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    level: Level
    platform: str
    remedy: str


_TABLES: dict[str, dict[str, Rule]] = {
    platform: {code: Rule(*facts) for code, facts in rules.items()}
    for platform, rules in json.loads(
        Path(__file__).with_name("rules.json").read_text(encoding="utf-8")
    ).items()
}
RULES: dict[str, Rule] = {**_TABLES["codalab"], **_TABLES["codabench"], **_TABLES["both"]}


def rule_of(code: str, platform: str) -> Rule:
    """Return a rule as it is on a platform; for a bundle of an unknown platform, as on both."""
    return _TABLES.get(platform, {}).get(code) or RULES[code]
