"""Fill in a competition's Markdown pages with facts from `competition.yaml` and from the data."""

from speechbundles.assemble.kit import Parts
from speechbundles.assemble.page_tables import (
    columns_table,
    data_licence,
    example_ids,
    kit_data_table,
    known_table,
    phases_table,
    sets_table,
)
from speechbundles.assemble.template import chosen_options, declared_facts, fill, what_holds
from speechbundles.model.competition import Competition
from speechbundles.platforms.facts import MEANINGS

SHARED = {"start": "start.md", "paper": "paper.md", "answer": "answer.md"}
"""Texts that pages include: `${start}`, the first steps; `${paper}`, the source of the task and how to cite it;
`${answer}`, what to submit to a declared task."""


def page_text(competition: Competition, file: str, parts: Parts | None = None, *, ties: str = "") -> str:
    """Return a page in Markdown.

    Parameters
    ----------
    parts: the contents of the bundle; None to check only the page's own text.
    ties: how the platform orders equal scores.

    Raises
    ------
    OrganiserError: a page that cannot be filled in; the message names the line.
    """
    references = parts.references if parts else {}
    feedback = parts.feedback if parts else {}
    facts = {
        "title": competition["title"],
        "description": competition["description"],
        "organiser": competition["organiser"],
        "contact_email": competition["contact_email"],
        "data_licence": data_licence(competition),
        "columns": columns_table(competition, feedback),
        "known": known_table(competition, feedback),
        "phases": phases_table(competition),
        "rule": MEANINGS[competition["submission_rule"]],
        "ties": ties,
        **dict.fromkeys(SHARED, ""),
        "sets": sets_table(competition, references),
        "kit_data": kit_data_table(competition, parts.starting_kit if parts else {}),
        "first_set": competition.sets[0],
        **example_ids(competition, references),
        **chosen_options(competition),
        **declared_facts(competition),
    }
    holds = what_holds(competition, references.values())

    def filled(file: str) -> str:
        path = competition.page_path(file)
        root = competition.sources.root
        where = path.relative_to(root if path.is_relative_to(root) else competition.sources.folder).as_posix()
        return fill(path.read_bytes(), where, facts, holds)

    for name, shared in SHARED.items():
        if competition.page_path(shared).is_file():
            facts[name] = filled(shared).strip()
    return filled(file)
