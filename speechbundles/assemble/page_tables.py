"""Facts of a competition as its pages show them, in Markdown: tables of the sets, columns, phases, known scores."""

from collections.abc import Mapping

from speechbundles.assemble.feedback import Feedback
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import kit_data_files
from speechbundles.model.competition import Competition
from speechbundles.model.tabular import read_rows
from spokeneval.formats.speakers import independence_note
from spokeneval.formats.tables import id_order

EXAMPLES = 3
"""Ids for examples on a page."""


def sets_table(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    unit = " or ".join(dict.fromkeys(reference.facts.unit for reference in references.values()))
    timed = any(reference.facts.hours is not None for reference in references.values())
    counted = any(reference.facts.units != len(reference.items) for reference in references.values())
    header = ["set", "items", *([f"{unit}s"] if counted else []), *(["hours"] if timed else []), "labels"]
    rows = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for name, reference in references.items():
        facts = reference.facts
        cells = [name, f"{len(reference.items):,}"]
        cells += [f"{facts.units:,}"] if counted else []
        cells += ["–" if facts.hours is None else f"{facts.hours:.2f}"] if timed else []
        cells.append(_labels(reference, public=name in competition["public_sets"]))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _labels(reference: ReferenceSet, *, public: bool) -> str:
    """What is told of a set's labels: of a hidden set the class sizes alone, where its organiser makes them public."""
    if public:
        return f"in the starting kit: {reference.facts.classes}".removesuffix(": ")
    items = reference.rules.format.read_items(reference.public)
    sizes = ", ".join(f"{size} {name}" for name, size in (items.class_sizes or {}).items())
    return f"hidden: {sizes}" if sizes else "hidden"


def kit_data_table(competition: Competition, kit: Mapping[str, bytes]) -> str:
    """The files in the starting kit's folder `data`."""
    what = kit_data_files(competition)
    rows = ["| file | what it is | rows | columns |", "|---|---|---|---|"]
    for name, content in kit.items():
        if not name.startswith("data/"):
            continue
        told = f"| `{name}` | {what.get(name, '')} |"
        if not name.endswith((".csv", ".tsv")):
            rows.append(f"{told} | |")
            continue
        separator = "\t" if name.endswith(".tsv") else ","
        (_, header), *lines = read_rows(content, separator)
        columns = ", ".join(f"`{column}`" for column in header)
        rows.append(f"{told} {len(lines):,} | {columns} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def example_ids(competition: Competition, references: Mapping[str, ReferenceSet]) -> dict[str, str]:
    """Ids of the set that decides, `id_1` to `id_3`, for examples of submissions; in the order of their names."""
    deciding = references.get(competition.scored_sets[-1])
    ids = sorted(deciding.items, key=id_order) if deciding else [""]
    return {f"id_{number + 1}": ids[number % len(ids)] for number in range(EXAMPLES)}


def data_licence(competition: Competition) -> str:
    """A sentence, or nothing where no licence is set."""
    return f"Data licence: {competition['data_licence']}." if "data_licence" in competition.settings else ""


def columns_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    rows = ["| score | better | what it is |", "|---|---|---|"]
    for column in competition.columns:
        primary = " (decides the rank)" if column is competition.columns[0] else ""
        rows.append(f"| {column.title}{primary} | {column.direction} | {column.description} |")
    if competition.board != competition.columns:
        rows += ["", _COARSE.format(title=competition.columns[0].title)]
    drawn = dict.fromkeys(feedback[name].unit for name in competition.scored_sets if name in feedback)
    units, notes = " or ".join(f"{unit}s" for unit in drawn), " ".join(map(independence_note, drawn))
    if any(map(competition.sealed_share, competition.scored_sets)):
        share = f"{100 * competition['sealed']:.3g} %"
        rows += ["", _SEALED.format(share=share, units=units)]
    if units:
        rows += [
            "",
            f"Intervals are over {units}: these are what another test set would hold anew. {notes}".strip(),
        ]
    return "\n".join(rows)


_COARSE = (
    "**The board tells {title} and its interval alone.** Of a hidden set they are in steps of about one standard "
    "error: exact scores would give the labels away. Two systems less than two steps apart are not shown to differ. A "
    "submission that is no better than the baseline, and than answers that know nothing, gets their line. The "
    "organisers rank by exact scores. Where you have the labels, the starting kit tells every score, at full precision."
)

_SEALED = (
    "Of the {units} of a hidden set {share} are sealed. Answer every item: which are sealed is told to nobody. The "
    "board scores the others, the same for all submissions; the sealed labels are not on this platform, and the "
    "organisers compute the final ranking with them."
)


def known_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
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


def phases_table(competition: Competition) -> str:
    rows = ["| phase | from (UTC) | to (UTC) | a day | in all | what for |", "|---|---|---|---|---|---|"]
    for phase in competition.phases:
        end = phase.end or "open"
        limits = f"{phase.max_submissions_per_day} | {phase.max_submissions}"
        rows.append(f"| {phase.name} | {phase.start} | {end} | {limits} | {phase.description} |")
    return "\n".join(rows)
