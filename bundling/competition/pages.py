"""Pages of a competition: Markdown with the facts filled in, from `competition.yaml` and from the data."""

import re
from collections.abc import Iterable
from pathlib import Path
from string import Template

from bundling.competition.competition import Competition, CompetitionError
from bundling.competition.kit import Parts
from bundling.competition.page_tables import (
    columns_table,
    data_licence,
    example_ids,
    kit_data_table,
    known_table,
    phases_table,
    sets_table,
)
from bundling.competition.references import ReferenceSet
from bundling.platforms.submission_rules import MEANINGS
from bundling.text import closest
from spokeneval.tasks import find_task

PAPER = "paper.md"
"""A page that others show as `${paper}`."""


def page_path(root: Path, competition: Competition, file: str) -> Path:
    """A page's source: the task's own, else the challenge's, else the series'; the competition folder's first."""
    for place in (competition.folder, root):
        for owner in (competition.task, competition.challenge, "."):
            own = place / "pages" / owner / file
            if own.is_file():
                return own
    return root / "pages" / file


def page_text(root: Path, competition: Competition, file: str, parts: Parts | None = None) -> str:
    """A page in Markdown.

    `${name}` stands for a fact of the competition, `$$` for a dollar sign. What stands between the lines
    `<!-- only sample -->` and `<!-- end -->` is there for the sample alone; `only own`, `only OPTION=VALUE` likewise.

    Parameters
    ----------
    parts: what the bundle is made of; None where only the page's own text is checked.

    Raises
    ------
    CompetitionError: a page that is not UTF-8, a `$` that stands for nothing, an `only` that there is not.
    """
    path = page_path(root, competition, file)
    where = path.relative_to(root if path.is_relative_to(root) else competition.folder).as_posix()
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CompetitionError(f"{where} line {line}: not UTF-8; save the page as UTF-8") from None
    rules = find_task(competition.task)
    options = {option.name: option.values[0] for option in rules.options} | competition.options
    facts = {
        "title": competition["title"],
        "description": competition["description"],
        "organiser": competition["organiser"],
        "contact_email": competition["contact_email"],
        "data_licence": data_licence(competition),
        "columns": columns_table(competition, parts.feedback if parts else {}),
        "known": known_table(competition, parts.feedback if parts else {}),
        "phases": phases_table(competition),
        "rule": MEANINGS[competition["submission_rule"]],
        "paper": "" if file == PAPER else _paper(root, competition, parts),
        "sets": sets_table(competition, parts.references if parts else {}),
        "kit_data": kit_data_table(parts.starting_kit if parts else {}),
        **example_ids(competition, parts.references if parts else {}),
        **options,
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
    sample = is_sample(root, parts.references.values()) if parts else True
    holds = {"sample": sample, "own": not sample}
    for option in rules.options:
        holds.update({f"{option.name}={value}": options[option.name] == value for value in option.values})

    def kept(block: re.Match[str]) -> str:
        if block["condition"] not in holds:
            line = text.count("\n", 0, block.start()) + 1
            raise CompetitionError(
                f"{where} line {line}: only {block['condition']}; expected one of {', '.join(holds)}"
            )
        return block["text"] if holds[block["condition"]] else ""

    return Template(_BLOCK.sub(kept, text)).substitute(facts)


_BLOCK = re.compile(r"<!-- only (?P<condition>\S+) -->\n(?P<text>.*?)<!-- end -->\n", re.DOTALL)


def is_sample(root: Path, references: Iterable[ReferenceSet]) -> bool:
    """Whether all sets are the repository's own."""
    return all(reference.source.is_relative_to(root / "reference_data") for reference in references)


def _paper(root: Path, competition: Competition, parts: Parts | None) -> str:
    """Where the task is from, how to cite it, and where its data are: the page `paper.md`, if there is one."""
    if not page_path(root, competition, PAPER).is_file():
        return ""
    return page_text(root, competition, PAPER, parts).strip()
