"""Fill in a competition's Markdown pages with facts from `competition.yaml` and from the data."""

from collections.abc import Mapping

from speechbundles.bundle.build.code_kit import code_facts
from speechbundles.bundle.build.declared_facts import declared_facts
from speechbundles.bundle.build.downloads import downloads_list
from speechbundles.bundle.build.kit import BundleParts
from speechbundles.bundle.build.page_tables import (
    about_facts,
    columns_table,
    daily_limits,
    data_licence,
    examples,
    joint_facts,
    kit_data_list,
    known_table,
    phases_list,
    set_files_list,
    sets_table,
)
from speechbundles.bundle.build.template import chosen_options, fill, what_holds
from speechbundles.model.competition import Competition
from speechbundles.model.platform import MEANINGS, Platform
from spokeneval.formats.speakers import MEAN_OVER
from spokeneval.kinds.mean_over import read_grouping

Pages = Mapping[tuple[str, str], Mapping[str, str]]
"""The pages of each zip, `(bundle, platform) -> file -> text`."""

JOINT = "joint.md"
"""The text on the other tasks of a challenge, at the end of the first page."""

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


def page_texts(competition: Competition, parts: BundleParts, platform: Platform) -> dict[str, str]:
    """Return the pages in Markdown, `file -> text`.

    Parameters
    ----------
    parts: the contents of the bundle.
    platform: where the pages are shown.

    Raises
    ------
    OrganiserError: a page that cannot be filled in; the message names the line.
    """
    root, folder = competition.sources.root, competition.sources.folder
    holds = what_holds(competition, parts.references.values(), parts.solutions)
    facts = _facts(competition, parts, platform)

    def filled(file: str) -> str:
        path = competition.page_path(file)
        where = path.relative_to(root if path.is_relative_to(root) else folder).as_posix()
        return fill(path.read_bytes(), where, facts, holds)

    for name, shared in SHARED.items():
        if competition.page_path(shared).is_file():
            facts[name] = filled(shared).strip()
    texts = {file: filled(file) for file in competition.page_files}
    if competition.joint:
        first = competition.page_files[0]
        texts[first] = f"{texts[first].rstrip()}\n\n{filled(JOINT)}"
    return texts


def _facts(competition: Competition, parts: BundleParts, platform: Platform) -> dict[str, str]:
    """Return the facts that pages insert; those of `SHARED` are empty."""
    references, feedback = parts.references, parts.feedback
    declared = declared_facts(competition)
    terms = competition.page_path(competition["terms"])
    over = competition.definition.declaration.get(MEAN_OVER)
    grouping = read_grouping(over) if over else None
    grouped = (each.facts.unit.startswith(declared.get("unit", "")) for each in references.values())
    return {
        **{
            key: competition[key]
            for key in ("title", "description", "organiser", "contact_email", "registration")
        },
        "data_licence": data_licence(competition),
        "columns": columns_table(competition, feedback),
        "known": known_table(competition, feedback),
        "phases": phases_list(competition),
        "limits": daily_limits(competition),
        "conduct_in_terms": "yes" if b"${conduct}" in terms.read_bytes() else "",
        "rule": MEANINGS[competition["submission_rule"]],
        "ties": platform.board.ties,
        "upload": platform.upload,
        "kit_place": platform.kit,
        "upload_phase": _upload_phase(competition),
        "forum": "yes" if competition["forum"] else "",
        **about_facts(competition),
        "downloads": downloads_list(parts.starting_kit),
        **dict.fromkeys(SHARED, ""),
        "sets": sets_table(competition, references),
        "kit_data": kit_data_list(competition, parts.starting_kit),
        "set_files": set_files_list(competition, references),
        **examples(competition, references),
        "first_set": competition.sets[0],
        "last_set": competition.last_set,
        **chosen_options(competition),
        **declared,
        "by_unit": "yes" if any(grouped) else "",
        "mean_over_column": "" if grouping is None or grouping.until else grouping.column,
        **joint_facts(competition),
        **code_facts(competition),
    }


def _upload_phase(competition: Competition) -> str:
    """Return the name of the first phase that scores the set of the kit's last steps."""
    return next(phase.name for phase in competition.phases if phase.reference == competition.last_set)
