"""What a check finds in a bundle: the defects, in the order in which they were found."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from speechbundles.model.text import printable
from speechbundles.platforms import rules
from speechbundles.platforms.codabench import rules as codabench
from speechbundles.platforms.codalab import rules as codalab
from speechbundles.platforms.rules import Level
from spokeneval.formats.problems import count_of

MOST_SHOWN = 20

RULES = {**rules.RULES, **codabench.RULES, **codalab.RULES}


@dataclass(frozen=True)
class Finding:
    """One defect: `where` it is, `what` was found and expected, what the `platform` does, the `remedy`."""

    code: str
    level: Level
    where: str
    what: str
    platform: str
    remedy: str


class Report:
    """Findings in the order in which they were made, each once."""

    def __init__(self) -> None:
        self._findings: dict[Finding, None] = {}

    @property
    def findings(self) -> list[Finding]:
        return list(self._findings)

    def add(self, code: str, where: str, what: str) -> None:
        rule = RULES[code]
        finding = Finding(code, rule.level, printable(where), printable(what), rule.platform, rule.remedy)
        self._findings[finding] = None


def format_findings(findings: Iterable[Finding]) -> str:
    """The findings for people, errors first: where, what, what the platform does then, what to do.

    Of one code the first `MOST_SHOWN` are written out.
    """
    ordered = sorted(findings, key=lambda finding: finding.level != "error")
    if not ordered:
        return "No findings."
    errors = sum(finding.level == "error" for finding in ordered)
    blocks = [f"{count_of(errors, 'error')}, {count_of(len(ordered) - errors, 'warning')}"]
    counts: Counter[str] = Counter()
    for finding in ordered:
        counts[finding.code] += 1
        if counts[finding.code] <= MOST_SHOWN:
            blocks.append(
                f"{finding.level:<8} {finding.where}   [{finding.code}]\n"
                f"         {finding.what}\n"
                f"         then: {finding.platform}\n"
                f"         do:   {finding.remedy}"
            )
    blocks += [
        f"and {count - MOST_SHOWN} more   [{code}]" for code, count in counts.items() if count > MOST_SHOWN
    ]
    return "\n\n".join(blocks)
