"""The findings of a check: the defects of a bundle, in the order in which they were found.

For each code of a defect, a rule says what the platforms do with it, and how to fix it.
The rules are in `rules.json`, `code: [level, effect, remedy]`: here those of all platforms, and in a platform's folder
its own, which replace these. Levels: an `error` is refused, or breaks every submission, or reveals hidden labels; a
`warning` is accepted, and then handled otherwise than one may think; a `note` is advice. A bundle of an older format is
accepted if a platform imports it: what only one whose main servers closed refuses is a warning. The effects are taken
from the platforms' public source code (`sources.json`), not from their documentation where the two differ.
"""

import json
from collections import ChainMap, Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from speechbundles.model.console import wrap
from speechbundles.model.platform import FOLDER, NAMES
from speechbundles.model.text import hint
from spokeneval.formats.problems import count_of, printable

MOST_SHOWN = 20
"""Findings of one code that are written out; the others are counted."""
MOST_KEPT = 1000
"""Findings of one code that are kept: a small hostile bundle can have millions."""

_INDENT = " " * len("warning  ")

Level = Literal["error", "warning", "note"]


class DefectRule(NamedTuple):
    """What a platform does with a defect, and how to fix it."""

    level: Level
    platform: str
    remedy: str


def _read(folder: Path) -> dict[str, DefectRule]:
    rules = json.loads((folder / "rules.json").read_text(encoding="utf-8"))
    return {code: DefectRule(*facts) for code, facts in rules.items()}


_TABLES = {name: _read(FOLDER / name) for name in NAMES}
RULES = ChainMap(_read(Path(__file__).parent), *_TABLES.values())


@dataclass(frozen=True)
class Finding:
    """A defect: where it is, what was found and expected, what the platform does then, and how to fix it."""

    code: str
    level: Level
    where: str
    what: str
    platform: str
    remedy: str


class Report:
    """Collects findings in the order in which they are added, each once, and at most `MOST_KEPT` of one code.

    Attributes
    ----------
    platform: the platform of the bundle, once it is known; until then, rules are those of all platforms.
    """

    def __init__(self) -> None:
        self.platform = ""
        self._findings: dict[Finding, None] = {}
        self._counts: Counter[str] = Counter()

    @property
    def findings(self) -> list[Finding]:
        return list(self._findings)

    def add(self, code: str, where: str, what: str, *, word: Any = None, known: Iterable[str] = ()) -> None:
        """Add a finding.

        Parameters
        ----------
        word, known: a word that was not expected, and the words that were. The closest of these is suggested in the
            findings that are written out.
        """
        if self._counts[code] >= MOST_KEPT:
            return
        if word is not None and self._counts[code] < MOST_SHOWN:
            what += hint(word, known)
        rule = _TABLES.get(self.platform, {}).get(code) or RULES[code]
        finding = Finding(code, rule.level, printable(where), printable(what), rule.platform, rule.remedy)
        self._counts[code] += finding not in self._findings
        self._findings[finding] = None


def _severity(finding: Finding) -> int:
    return ("error", "warning", "note").index(finding.level)


def count_findings(findings: Iterable[Finding]) -> str:
    """Return how many findings each level has, such as `1 warning, 2 notes`."""
    levels = Counter(finding.level for finding in sorted(findings, key=_severity))
    return ", ".join(count_of(count, level) for level, count in levels.items())


def format_findings(findings: Iterable[Finding]) -> str:
    """Return the findings as text, errors first, notes last: the place, the defect, its effect, and the fix.

    At most `MOST_SHOWN` findings of one code are written out.
    """
    ordered = sorted(findings, key=_severity)
    if not ordered:
        return "No findings."
    blocks = [count_findings(ordered)]
    counts: Counter[str] = Counter()
    for finding in ordered:
        counts[finding.code] += 1
        if counts[finding.code] <= MOST_SHOWN:
            lines = [
                wrap(f"{finding.level:<8} {finding.where}   [{finding.code}]", hanging=_INDENT),
                wrap(finding.what, _INDENT, hanging=""),
                wrap(f"effect: {finding.platform}", _INDENT, hanging=" " * len("effect: ")),
                wrap(f"fix:    {finding.remedy}", _INDENT, hanging=" " * len("fix:    ")),
            ]
            blocks.append("\n".join(lines))
    blocks += [
        f"and {count - MOST_SHOWN}{' or' if count == MOST_KEPT else ''} more   [{code}]"
        for code, count in counts.items()
        if count > MOST_SHOWN
    ]
    return "\n\n".join(blocks)
