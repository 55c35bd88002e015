"""Markdown for the pages of a competition: its sets, files, columns, dates, known scores and organisers."""

from collections.abc import Mapping

from speechbundles.bundle.build.feedback import Feedback
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import kit_data_files
from speechbundles.model.competition import Competition
from speechbundles.model.tabular import read_rows
from spokeneval.formats.problems import count_of
from spokeneval.formats.speakers import independence_note
from spokeneval.formats.tables import id_order
from spokeneval.run.feedback import EXACT
from spokeneval.task import ENDS

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
        cells.append("in the kit" if name in competition["public_sets"] else "hidden")
        rows.append(f"| {' | '.join(cells)} |")
    classes = {
        name: _classes(reference, public=name in competition["public_sets"])
        for name, reference in references.items()
    }
    lines = [f"- {name}: {words}" for name, words in classes.items() if words]
    return "\n".join([*rows, "", "Labels:", "", *lines] if lines else rows)


def _classes(reference: ReferenceSet, *, public: bool) -> str:
    """Return the sizes of a set's classes; of a hidden set only if its organiser publishes them."""
    if public:
        return reference.facts.classes
    items = reference.rules.format.read_items(reference.public)
    return ", ".join(f"{size} {name}" for name, size in (items.class_sizes or {}).items())


def kit_data_list(competition: Competition, kit: Mapping[str, bytes]) -> str:
    """Return a list of the files in the starting kit's folder `data`; empty if there are none."""
    what = kit_data_files(competition)
    items = []
    for name, content in kit.items():
        if not name.startswith("data/"):
            continue
        facts = what.get(name, "")
        if name.endswith((".csv", ".tsv")):
            rows = len(read_rows(content, "\t" if name.endswith(".tsv") else ",")) - 1
            listed = f"{count_of(rows, 'row')}; columns {_columns_of(name, content)}"
            facts = "; ".join(filter(None, [facts.partition(": ")[0], listed]))
        items.append(f"- `{name}`: {facts}".removesuffix(": "))
    return "\n".join(["The kit also has these data:", "", *items]) if items else ""


def set_files_list(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    """Return a list of the files of each set in the kit, with the columns that they have."""
    items = []
    for name, reference in references.items():
        public = reference.files if name in competition["public_sets"] else {}
        for folder, files in (("input", reference.public), ("reference", public)):
            for file, content in files.items():
                items.append(f"- `{name}/{folder}/{file}`: {_columns_of(file, content)}".removesuffix(": "))
    return "\n".join(items)


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


def item_example(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    """Return the cells of the first example id in the public list, as a list; empty if the file is not a table."""
    deciding = references.get(competition.scored_sets[-1])
    file = competition.rules.format.list_files[0]
    if deciding is None or not file.endswith((".csv", ".tsv")):
        return ""
    content = deciding.public[file]
    separator = "\t" if b"\t" in content.split(b"\n", 1)[0] else ","
    (_, header), *lines = read_rows(content, separator)
    first = example_ids(competition, references)["id_1"]
    place = deciding.items.index(first) if len(deciding.items) == len(lines) else 0
    row = next((row for _, row in lines if first in row), lines[place][1])
    cells = [f"- `{name.strip()}`: {_shortened(value)}" for name, value in zip(header, row, strict=False)]
    what = (
        f"The answers are invented. The first one answers this item of `{file}` in the {deciding.name} set:"
    )
    return "\n".join([what, "", *cells])


LONGEST_VALUE = 200
"""Longer values of an example are shortened."""


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_VALUE else f"{line[: LONGEST_VALUE - 2]} …"


def data_licence(competition: Competition) -> str:
    """Return a sentence with the data licence; empty if none is set."""
    return f"Data licence: {competition['data_licence']}." if "data_licence" in competition.settings else ""


def columns_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    rows = ["| score | better | description |", "|---|---|---|"]
    for column in competition.columns:
        primary = " (decides the rank)" if column is competition.columns[0] else ""
        better = "–" if column.key.endswith(ENDS) else column.direction  # an end is not better or worse
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
        exact = competition["feedback"] == EXACT or not competition.hidden_sets
        which = "Confidence intervals" if exact else "The confidence intervals of exact scores"
        rows += ["", f"{which} allow for a new test set with different {units}. {notes}".strip()]
    return "\n".join(rows)


def _home(competition: Competition) -> str:
    """Return where the scores of sets are published whose labels stay at home, and when."""
    url = competition.settings.get("board_url")
    where = f"at <{url}>" if url else "on the page *Leaderboard*, or where they announce it"
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
    "**The leaderboard shows only {title}, without a confidence interval.** For a hidden set, it is rounded to steps "
    "of about one standard error, because exact scores would reveal the labels. Treat scores less than two steps apart "
    "as a tie. A submission that does not beat the baseline and the trivial baselines is shown with the best of their "
    "scores, so this number means “this or worse”. The organisers rank by exact scores. For sets whose labels you "
    "have, the starting kit shows every score at full precision, with the confidence interval of {title}."
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


def phases_list(competition: Competition) -> str:
    items = []
    for phase in competition.phases:
        start, end = _minute(phase.start), phase.end
        dates = f"{start} to {_minute(end)}" if end else f"from {start}"
        limits = f"{phase.max_submissions_per_day} submissions a day, {phase.max_submissions} in all"
        items.append(f"- **{phase.name}**, {dates} UTC: {limits}. {phase.description}".strip())
    return "\n".join(items)


def daily_limits(competition: Competition) -> str:
    """Return a sentence on how many submissions a team may make a day, in each phase if the phases differ."""
    limits = {phase.name: phase.max_submissions_per_day for phase in competition.phases}
    if len(set(limits.values())) == 1:
        return f"At most {next(iter(limits.values()))} a day."
    listed = [f"{limit} a day in the phase *{name}*" for name, limit in limits.items()]
    return f"At most {', '.join(listed)}."


def timeline_table(competition: Competition) -> str:
    """Return a table of the organiser's dates and those of the phases; empty if the organiser gives no dates."""
    dates = [
        (entry["date"], entry["event"].replace("|", "\\|")) for entry in competition.about.get("timeline", ())
    ]
    if not dates:
        return ""
    for phase in competition.phases:
        dates.append((phase.start, f"Phase *{phase.name}* begins"))
        dates += [(phase.end, f"Phase *{phase.name}* ends")] if phase.end else []
    rows = [f"| {_minute(date)} | {event} |" for date, event in sorted(dates, key=lambda entry: entry[0])]
    return "\n".join(["| date (UTC) | event |", "|---|---|", *rows])


def _minute(date: str) -> str:
    """Return a date without seconds, and without the time at midnight."""
    return date[:16].removesuffix(" 00:00")


def about_facts(competition: Competition) -> dict[str, str]:
    """Return the facts in `about` in Markdown; missing ones are empty."""
    about = competition.about
    people = [
        f"- {person['name']}" + (f", {person['institution']}" if "institution" in person else "")
        for person in about.get("organisers", ())
    ]
    answers = [f"**{entry['question']}** {entry['answer']}" for entry in about.get("faq", ())]
    citation = about.get("citation", "").strip()
    return {
        "timeline": timeline_table(competition),
        "organisers": "\n".join(people),
        "access": about.get("data_access", "").strip(),
        "prizes": about.get("prizes", competition.settings.get("reward", "")).strip(),
        "own_faq": "\n\n".join(answers),
        "own_contact": about.get("contact", "").strip(),
        "citation": f"```\n{citation}\n```" if citation.startswith("@") else citation,
    }
