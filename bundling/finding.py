"""What a check finds in a bundle: the defects, in the order in which they were found."""

from collections.abc import Iterable
from dataclasses import dataclass

from bundling.platforms import rules
from bundling.platforms.codabench import rules as codabench
from bundling.platforms.codalab import rules as codalab
from bundling.platforms.rules import Level
from spokeneval.formats.problems import count_of

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
        self.findings: list[Finding] = []

    def add(self, code: str, where: str, what: str) -> None:
        rule = RULES[code]
        finding = Finding(code, rule.level, where, what, rule.platform, rule.remedy)
        if finding not in self.findings:
            self.findings.append(finding)


def format_findings(findings: Iterable[Finding]) -> str:
    """The findings for people, errors first: where, what, what the platform does then, what to do."""
    ordered = sorted(findings, key=lambda finding: finding.level != "error")
    if not ordered:
        return "No findings."
    errors = sum(finding.level == "error" for finding in ordered)
    blocks = [f"{count_of(errors, 'error')}, {count_of(len(ordered) - errors, 'warning')}"]
    blocks += [
        f"{finding.level:<8} {finding.where}   [{finding.code}]\n"
        f"         {finding.what}\n"
        f"         then: {finding.platform}\n"
        f"         do:   {finding.remedy}"
        for finding in ordered
    ]
    return "\n\n".join(blocks)
