"""Markdown tables for a competition's pages: its sets, kit files, leaderboard columns, phases and known scores."""

from collections.abc import Mapping

from speechbundles.assemble.feedback import Feedback
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import kit_data_files
from speechbundles.model.competition import Competition
from speechbundles.model.tabular import read_rows
from spokeneval.formats.speakers import independence_note
from spokeneval.formats.tables import id_order
from spokeneval.run.feedback import EXACT, interval_of

EXAMPLES = 3
"""How many example ids a page shows."""


def sets_table(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    unit = " or ".join(dict.fromkeys(reference.facts.unit for reference in references.values()))
    timed = any(reference.facts.hours is not None for reference in references.values())
    counted = any(
        reference.facts.units not in (None, len(reference.items)) for reference in references.values()
    )
    header = ["set", "items", *([f"{unit}s"] if counted else []), *(["hours"] if timed else []), "labels"]
    rows = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for name, reference in references.items():
        facts = reference.facts
        cells = [name, f"{len(reference.items):,}"]
        cells += ["–" if facts.units is None else f"{facts.units:,}"] if counted else []
        cells += ["–" if facts.hours is None else f"{facts.hours:.2f}"] if timed else []
        cells.append(_labels(reference, public=name in competition["public_sets"]))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _labels(reference: ReferenceSet, *, public: bool) -> str:
    """Describe a set's labels; of a hidden set only the class sizes, if its organiser publishes them."""
    if public:
        return f"in the starting kit: {reference.facts.classes}".removesuffix(": ")
    items = reference.rules.format.read_items(reference.public)
    sizes = ", ".join(f"{size} {name}" for name, size in (items.class_sizes or {}).items())
    return f"hidden: {sizes}" if sizes else "hidden"


def kit_data_table(competition: Competition, kit: Mapping[str, bytes]) -> str:
    """Return a table of the files in the starting kit's folder `data`; empty if there are none."""
    what = kit_data_files(competition)
    rows = ["| file | content | rows | columns |", "|---|---|---|---|"]
    for name, content in kit.items():
        if not name.startswith("data/"):
            continue
        cells = f"| `{name}` | {what.get(name, '')} |"
        if not name.endswith((".csv", ".tsv")):
            rows.append(f"{cells} | |")
            continue
        separator = "\t" if name.endswith(".tsv") else ","
        (_, header), *lines = read_rows(content, separator)
        columns = ", ".join(f"`{column}`" for column in header)
        rows.append(f"{cells} {len(lines):,} | {columns} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def set_files_table(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    """Return a table of the files of each set in the kit, with the columns that they have."""
    rows = ["| file | columns |", "|---|---|"]
    for name, reference in references.items():
        public = reference.files if name in competition["public_sets"] else {}
        for folder, files in (("input", reference.public), ("reference", public)):
            for file, content in files.items():
                rows.append(f"| `{name}/{folder}/{file}` | {_columns_of(file, content)} |")
    return "\n".join(rows)


def _columns_of(file: str, content: bytes) -> str:
    """Describe the columns of a table; empty for other files."""
    first = content.split(b"\n", 1)[0]
    if not file.endswith((".csv", ".tsv")) or not first.strip():
        return ""
    ((_, header),) = read_rows(first, "\t" if b"\t" in first else ",")
    return ", ".join(f"`{column.strip()}`" for column in header)


def list_example(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    """Return the first lines of the public list of the last scored set."""
    deciding = references.get(competition.scored_sets[-1])
    content = deciding.public[deciding.rules.format.list_files[0]] if deciding else b""
    return "\n".join(content.decode("utf-8").splitlines()[:EXAMPLES])


def example_ids(competition: Competition, references: Mapping[str, ReferenceSet]) -> dict[str, str]:
    """Return the first ids of the last scored set, as `id_1` to `id_3`, for example submissions."""
    deciding = references.get(competition.scored_sets[-1])
    ids = sorted(deciding.items, key=id_order) if deciding else [""]
    return {f"id_{number + 1}": ids[number % len(ids)] for number in range(EXAMPLES)}


def data_licence(competition: Competition) -> str:
    """Return a sentence with the data licence; empty if none is set."""
    return f"Data licence: {competition['data_licence']}." if "data_licence" in competition.settings else ""


def columns_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    rows = ["| score | better | description |", "|---|---|---|"]
    for column in competition.columns:
        primary = " (decides the rank)" if column is competition.columns[0] else ""
        better = (
            column.direction if interval_of(column.key) == column.key else "–"
        )  # an end is not better or worse
        rows.append(f"| {column.title}{primary} | {better} | {column.description} |")
    if competition.home_sets:
        rows += ["", _home(competition)]
    elif competition.board != competition.columns:
        rows += ["", _COARSE.format(title=competition.columns[0].title)]
    drawn = dict.fromkeys(feedback[name].unit for name in competition.scored_sets if name in feedback)
    units = " or ".join(f"{unit}s" for unit in drawn)
    notes = " ".join(independence_note(unit, competition.rules.declaration) for unit in drawn)
    if any(map(competition.sealed_share, competition.scored_sets)):
        share = f"{100 * competition['sealed']:.3g} %"
        rows += ["", _SEALED.format(share=share, units=units)]
    if units:
        rows += [
            "",
            f"Confidence intervals allow for a new test set with different {units}. {notes}".strip(),
        ]
    return "\n".join(rows)


def _home(competition: Competition) -> str:
    """Return where the scores of sets are published whose labels stay at home, and when."""
    url = competition.settings.get("board_url")
    where = f"at <{url}>" if url else "where they announce it"
    daily = " once a day, from the submissions of the days before (UTC)" * (
        competition["board_update"] == "daily"
    )
    feedback = (
        "" if competition["feedback"] == EXACT else " " + _COARSE.format(title=competition.columns[0].title)
    )
    return _HOME.format(where=where, daily=daily) + feedback


_HOME = (
    "**The hidden labels are not on this platform.** For a hidden set, it checks the structure of a submission and "
    "shows *Received*, 1. The organisers compute the scores and publish the leaderboard {where}{daily}."
)

_COARSE = (
    "**The leaderboard shows only {title} and its confidence interval.** For a hidden set, both are rounded to steps "
    "of about one standard error, because exact scores would reveal the labels. Treat scores less than two steps apart "
    "as a tie. A submission that does not beat the baseline and the trivial baselines is shown with the best of their "
    "scores. The organisers rank by exact scores. For sets whose labels you have, the starting kit shows every score "
    "at full precision."
)

_SEALED = (
    "In each hidden set, {share} of the {units} are sealed: their labels are not on this platform. Answer every item, "
    "because only the organisers have the list of the sealed ones. The leaderboard scores the others, the same for all "
    "submissions. The organisers compute the final ranking with the sealed labels."
)


def known_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    """Return a table of the baseline's and trivial baselines' primary scores on each scored set."""
    sets = [name for name in competition.scored_sets if name in feedback]
    if not sets:
        return "The organisers publish their scores with the leaderboard."
    primary = competition.columns[0]
    rows = [f"| {primary.title} by system | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
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
    rows = [
        "| phase | start (UTC) | end (UTC) | submissions per day | in total | description |",
        "|---|---|---|---|---|---|",
    ]
    for phase in competition.phases:
        end = phase.end or "open"
        limits = f"{phase.max_submissions_per_day} | {phase.max_submissions}"
        rows.append(f"| {phase.name} | {phase.start} | {end} | {limits} | {phase.description} |")
    return "\n".join(rows)
