"""Pages of a competition: Markdown with the facts filled in from `competition.yaml`."""

from pathlib import Path
from string import Template

from bundling.competition.competition import Competition, CompetitionError
from bundling.platforms.submission_rules import MEANINGS
from bundling.text import closest
from spokeneval.run.feedback import COARSE


def page_path(root: Path, competition: Competition, file: str) -> Path:
    """A page's source: the task's own, else the challenge's, else the series'."""
    for owner in (competition.task, competition.challenge):
        own = root / "pages" / owner / file
        if own.is_file():
            return own
    return root / "pages" / file


def page_text(root: Path, competition: Competition, file: str) -> str:
    """A page in Markdown. `${name}` stands for a fact of the competition, `$$` for a dollar sign.

    Raises
    ------
    CompetitionError: a page that is not UTF-8, a `$` that stands for nothing.
    """
    path = page_path(root, competition, file)
    where = path.relative_to(root).as_posix()
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CompetitionError(f"{where} line {line}: not UTF-8; save the page as UTF-8") from None
    facts = {
        "title": competition["title"],
        "description": competition["description"],
        "organiser": competition["organiser"],
        "contact_email": competition["contact_email"],
        "columns": _columns_table(competition),
        "phases": _phases_table(competition),
        "rule": MEANINGS[competition["submission_rule"]],
    }
    for found in Template.pattern.finditer(text):
        name = found["named"] or found["braced"] or ""
        if name in facts or found["escaped"]:
            continue
        line = text.count("\n", 0, found.start()) + 1
        near = closest(name, facts)
        hint = f"did you mean ${{{near}}}?" if near else f"${{name}} can be {', '.join(facts)}."
        raise CompetitionError(
            f"{where} line {line}: {found[0]} stands for nothing; {hint} A dollar sign is $$"
        )
    return Template(text).substitute(facts)


def _columns_table(competition: Competition) -> str:
    rows = ["| column | better | what it is |", "|---|---|---|"]
    for column in competition.columns:
        primary = " (decides the rank)" if column is competition.columns[0] else ""
        rows.append(f"| {column.title}{primary} | {column.direction} | {column.description} |")
    if competition["feedback"] == COARSE:
        rows += ["", _COARSE.format(title=competition.columns[0].title)]
    return "\n".join(rows)


_COARSE = (
    "Of a hidden set the board tells {title} and its interval alone, in steps of about one standard error: exact "
    "scores would give the labels away. Two systems less than two steps apart are not shown to differ. A submission "
    "that is no better than the baseline, and than answers that know nothing, gets their line. The organisers rank by "
    "exact scores."
)


def _phases_table(competition: Competition) -> str:
    rows = ["| phase | from (UTC) | to (UTC) | a day | in all | what for |", "|---|---|---|---|---|---|"]
    for phase in competition.phases:
        end = phase.end or "open"
        limits = f"{phase.max_submissions_per_day} | {phase.max_submissions}"
        rows.append(f"| {phase.name} | {phase.start} | {end} | {limits} | {phase.description} |")
    return "\n".join(rows)
