"""Pages of a competition: Markdown with the facts filled in from `competition.yaml`."""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from bundling.competition.competition import Competition, CompetitionError
from bundling.competition.feedback import Feedback
from bundling.platforms.submission_rules import MEANINGS
from bundling.text import closest
from spokeneval.tasks import find_task


def page_path(root: Path, competition: Competition, file: str) -> Path:
    """A page's source: the task's own, else the challenge's, else the series'."""
    for owner in (competition.task, competition.challenge):
        own = root / "pages" / owner / file
        if own.is_file():
            return own
    return root / "pages" / file


def page_text(
    root: Path, competition: Competition, file: str, feedback: Mapping[str, Feedback] | None = None
) -> str:
    """A page in Markdown. `${name}` stands for a fact of the competition, `$$` for a dollar sign.

    Parameters
    ----------
    feedback: set -> what everybody can submit to it; None where only the page's own text is checked.

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
        "data_licence": _data_licence(competition),
        "columns": _columns_table(competition),
        "known": _known_table(competition, feedback or {}),
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


def _data_licence(competition: Competition) -> str:
    """A sentence, or nothing where no licence is set."""
    return f"Data licence: {competition['data_licence']}." if "data_licence" in competition.settings else ""


def _columns_table(competition: Competition) -> str:
    rows = ["| score | better | what it is |", "|---|---|---|"]
    for column in competition.columns:
        primary = " (decides the rank)" if column is competition.columns[0] else ""
        rows.append(f"| {column.title}{primary} | {column.direction} | {column.description} |")
    if competition.board != competition.columns:
        rows += ["", _COARSE.format(title=competition.columns[0].title)]
    if any(map(competition.sealed_share, competition.scored_sets)):
        share = f"{100 * competition['sealed']:.3g} %"
        rows += ["", _SEALED.format(share=share, unit=find_task(competition.task).unit)]
    return "\n".join(rows)


_COARSE = (
    "**The board tells {title} and its interval alone.** Of a hidden set they are in steps of about one standard "
    "error: exact scores would give the labels away. Two systems less than two steps apart are not shown to differ. A "
    "submission that is no better than the baseline, and than answers that know nothing, gets their line. The "
    "organisers rank by exact scores. Where you have the labels, the starting kit tells every score, at full precision."
)

_SEALED = (
    "Of the {unit}s of a hidden set {share} are sealed. Answer every item: which are sealed is told to nobody. The "
    "board scores the others, the same for all submissions; the sealed labels are not on this platform, and the "
    "organisers compute the final ranking with them."
)


def _known_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    """What everybody can submit, and the primary score that it gets on each set that is scored."""
    sets = [name for name in competition.scored_sets if name in feedback]
    primary = competition.columns[0]
    rows = [f"| {primary.title} of | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
    for what in dict.fromkeys(what for name in sets for what in feedback[name].known):
        cells = []
        for name in sets:
            score = feedback[name].known.get(what)
            hidden = name in competition.hidden_sets and feedback[name].steps
            digits = "g" if hidden else f".{primary.precision}f"
            cells.append("–" if score is None else f"{'about ' if hidden else ''}{score:{digits}}")
        rows.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _phases_table(competition: Competition) -> str:
    rows = ["| phase | from (UTC) | to (UTC) | a day | in all | what for |", "|---|---|---|---|---|---|"]
    for phase in competition.phases:
        end = phase.end or "open"
        limits = f"{phase.max_submissions_per_day} | {phase.max_submissions}"
        rows.append(f"| {phase.name} | {phase.start} | {end} | {limits} | {phase.description} |")
    return "\n".join(rows)
