"""Fill in a competition's Markdown pages with facts from `competition.yaml` and from the data."""

from speechbundles.bundle.build.declared_facts import declared_facts
from speechbundles.bundle.build.kit import Parts
from speechbundles.bundle.build.page_tables import (
    about_facts,
    columns_table,
    daily_limits,
    data_licence,
    example_ids,
    item_example,
    kit_data_list,
    known_table,
    list_example,
    phases_list,
    set_files_list,
    sets_table,
)
from speechbundles.bundle.build.template import chosen_options, fill, what_holds
from speechbundles.model.competition import Competition
from speechbundles.model.zips import DECIDING_SET
from speechbundles.platforms.facts import MEANINGS, Platform

SHARED = {
    name: f"{name}.md"
    for name in (
        *("about", "about_data", "about_rules", "start", "paper", "answer", "labels"),
        *("schedule", "conduct", "task_rules", "rules", "baselines", "data_access", "faq", "organisation"),
    )
}
"""Texts that pages include: `${about}`, `${about_data}` and `${about_rules}`, what the task, its data and its rules
are about, which an organiser replaces by their own; `${start}`, the first steps; `${paper}`, the source of the task
and how to cite it; `${answer}` and `${labels}`, what to submit to a declared task, and its labels; `${schedule}`, the
timeline and the phases; `${conduct}`, the terms that the rules repeat; `${task_rules}`, rules of one task;
`${rules}`, all rules; `${baselines}`; `${data_access}`, how to get the data; `${faq}`; `${organisation}`, the prizes,
the questions and answers, the organisers, their address, and what to cite."""


def page_text(
    competition: Competition, file: str, parts: Parts | None = None, platform: Platform | None = None
) -> str:
    """Return a page in Markdown.

    Parameters
    ----------
    parts: the contents of the bundle; None to check only the page's own text.
    platform: where the page is shown; without it, facts about the platform are empty.

    Raises
    ------
    OrganiserError: a page that cannot be filled in; the message names the line.
    """
    references = parts.references if parts else {}
    feedback = parts.feedback if parts else {}
    declared = declared_facts(competition)
    terms = competition.page_path(competition["terms"])
    grouped = (each.facts.unit.startswith(declared.get("unit", "")) for each in references.values())
    facts = {
        "title": competition["title"],
        "description": competition["description"],
        "organiser": competition["organiser"],
        "contact_email": competition["contact_email"],
        "data_licence": data_licence(competition),
        "columns": columns_table(competition, feedback),
        "known": known_table(competition, feedback),
        "phases": phases_list(competition),
        "limits": daily_limits(competition),
        "conduct_in_terms": "yes" if b"${conduct}" in terms.read_bytes() else "",
        "rule": MEANINGS[competition["submission_rule"]],
        "ties": platform.board.ties if platform else "",
        "upload": platform.upload if platform else "",
        "upload_phase": _upload_phase(competition),
        "registration": competition["registration"],
        "forum": "yes" if competition["forum"] else "",
        **about_facts(competition),
        **dict.fromkeys(SHARED, ""),
        "sets": sets_table(competition, references),
        "kit_data": kit_data_list(competition, parts.starting_kit if parts else {}),
        "set_files": set_files_list(competition, references),
        "list_example": list_example(competition, references),
        "item_example": item_example(competition, references),
        "first_set": competition.sets[0],
        "last_set": competition.scored_sets[-1],
        **example_ids(competition, references),
        **chosen_options(competition),
        **declared,
        "by_unit": "yes" if any(grouped) else "",
    }
    holds = what_holds(competition, references.values(), parts.solutions if parts else None)

    def filled(file: str) -> str:
        path = competition.page_path(file)
        root = competition.sources.root
        where = path.relative_to(root if path.is_relative_to(root) else competition.sources.folder).as_posix()
        return fill(path.read_bytes(), where, facts, holds)

    for name, shared in SHARED.items():
        if competition.page_path(shared).is_file():
            facts[name] = filled(shared).strip()
    return filled(file)


def _upload_phase(competition: Competition) -> str:
    """Return the name of the first phase that scores the set of the kit's last steps."""
    sets = competition.scored_sets
    name = DECIDING_SET if DECIDING_SET in sets else sets[-1]
    return next(phase.name for phase in competition.phases if phase.reference == name)
