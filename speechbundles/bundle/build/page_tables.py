"""Markdown for the pages of a competition: its sets, files, columns, dates, known scores and organisers."""

from collections.abc import Mapping
from itertools import compress

from speechbundles.bundle.build.steps import Feedback
from speechbundles.bundle.build.template import markdown_table
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import kit_data_files
from speechbundles.model.competition import Challenge, Competition
from speechbundles.model.tabular import read_rows
from spokeneval.formats.problems import count_of, plural_of
from spokeneval.formats.speakers import independence_note
from spokeneval.formats.tables import id_order
from spokeneval.scoring.options import EXACT
from spokeneval.task import ENDS

EXAMPLES = 3
"""How many example ids a page shows."""


def sets_table(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    public, sets = competition["public_sets"], references.values()
    facts = [each.facts for each in sets]
    columns = {
        "set": list(references),
        "items": [f"{len(each.items):,}" for each in sets],
        " or ".join(map(plural_of, dict.fromkeys(each.unit for each in facts))): [
            "–" if each.units is None else f"{each.units:,}" for each in facts
        ],
        "hours": ["–" if each.hours is None else f"{each.hours:.2f}" for each in facts],
        "labels": ["in the kit" if name in public else "hidden" for name in references],
    }
    counted = any(each.facts.units not in (None, len(each.items)) for each in sets)
    shown = (True, True, counted, any(each.hours is not None for each in facts), True)
    rows = markdown_table([*compress(columns, shown)], zip(*compress(columns.values(), shown), strict=True))
    classes = {name: _classes(each, public=name in public) for name, each in references.items()}
    lines = [f"- {name}: {words}" for name, words in classes.items() if words]
    return "\n".join([*rows, "", "Labels:", "", *lines] if lines else rows)


def _classes(reference: ReferenceSet, *, public: bool) -> str:
    """Return the sizes of a set's classes; of a hidden set only if its organiser publishes them."""
    if public:
        return reference.facts.classes
    items = reference.definition.format.read_items(reference.public)
    return ", ".join(f"{size} {name}" for name, size in (items.class_sizes or {}).items())


def kit_data_list(competition: Competition, kit: Mapping[str, bytes]) -> str:
    """Return a list of the files in the starting kit's folder `data`; empty if there are none."""
    what = kit_data_files(competition)
    items = []
    for name in (name for name in kit if name.startswith("data/")):
        facts = what.get(name, "")
        if name.endswith((".csv", ".tsv")):
            rows = count_of(len(read_rows(kit[name])) - 1, "row")
            listed = (facts.partition(": ")[0], rows, f"columns {_columns_of(name, kit[name])}")
            facts = "; ".join(filter(None, listed))
        items.append(f"- `{name}`: {facts}".removesuffix(": "))
    return "\n".join(["The kit also has these data:", "", *items]) if items else ""


def set_files_list(competition: Competition, references: Mapping[str, ReferenceSet]) -> str:
    """Return a list of the files of each set in the kit, with the columns that they have."""
    items = []
    for name, reference in references.items():
        public = reference.files if name in competition["public_sets"] else {}
        for folder, files in (("input", reference.public), ("reference", public)):
            listed = ((f"{name}/{folder}/{file}", _columns_of(file, files[file])) for file in files)
            items += [f"- `{place}`: {columns}".removesuffix(": ") for place, columns in listed]
    return "\n".join(items)


def _columns_of(file: str, content: bytes) -> str:
    """Describe the columns of a table; empty for other files."""
    first = content.split(b"\n", 1)[0]
    if not file.endswith((".csv", ".tsv")) or not first.strip():
        return ""
    ((_, header),) = read_rows(first)
    return ", ".join(f"`{column.strip()}`" for column in header)


def examples(competition: Competition, references: Mapping[str, ReferenceSet]) -> dict[str, str]:
    """Return examples from the set of the last steps.

    They are: `list_example`, the first lines of its public list; `id_1` to `id_3`, its first ids, for example
    submissions; and `item_example`, the cells of the first id in the public list, if that is a table.
    """
    names = [f"id_{number}" for number in range(1, EXAMPLES + 1)]
    deciding = references[competition.last_set]
    file = deciding.definition.format.list_files[0]
    content, ids = deciding.public[file], sorted(deciding.items, key=id_order)
    return {
        "list_example": "\n".join(content.decode("utf-8").splitlines()[:EXAMPLES]),
        **{name: ids[number % len(ids)] for number, name in enumerate(names)},
        "item_example": _item_example(deciding, file, ids[0]) if file.endswith((".csv", ".tsv")) else "",
    }


def _item_example(deciding: ReferenceSet, file: str, first: str) -> str:
    (_, header), *lines = read_rows(deciding.public[file])
    place = deciding.items.index(first) if len(deciding.items) == len(lines) else 0
    row = next((row for _, row in lines if first in (*row, ",".join(row[:2]))), lines[place][1])
    cells = [f"- `{name.strip()}`: {_shortened(value)}" for name, value in zip(header, row, strict=False)]
    what = f"The first one answers this item of `{file}` in the {deciding.name} set:"
    return "\n".join([f"The answers are invented. {what}", "", *cells])


LONGEST_VALUE = 200
"""Longer values of an example are shortened."""


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_VALUE else f"{line[: LONGEST_VALUE - 2]} …"


def data_licence(competition: Competition) -> str:
    """Return a sentence with the data licence; empty if none is set."""
    return f"Data licence: {competition['data_licence']}." if "data_licence" in competition.settings else ""


def columns_table(competition: Competition, feedback: Mapping[str, Feedback]) -> str:
    cells = [
        (column.title, "–" if column.key.endswith(ENDS) else column.direction, column.description)
        for column in competition.columns  # an end is not better or worse
    ]
    cells[0] = (f"{cells[0][0]} (decides the rank)", *cells[0][1:])
    rows = markdown_table(("score", "better", "description"), cells)
    if competition.home_sets:
        rows += ["", _home(competition)]
    elif competition.board != competition.columns:
        rows += ["", _coarse(competition)]
    drawn = dict.fromkeys(feedback[name].unit for name in competition.scored_sets if name in feedback)
    units = " or ".join(map(plural_of, drawn))
    notes = " ".join(independence_note(unit, competition.definition.declaration) for unit in drawn)
    if any(map(competition.sealed_share, competition.scored_sets)):
        rows += ["", _SEALED.format(share=f"{100 * competition['sealed']:.3g} %", units=units)]
    if units:
        exact = competition["feedback"] == EXACT or not competition.hidden_sets
        which = "Confidence intervals" if exact else "The confidence intervals of exact scores"
        rows += ["", f"{which} allow for a new test set with different {units}. {notes}".strip()]
    return "\n".join(rows)


def _home(competition: Competition) -> str:
    """Return where the scores of sets are published whose labels stay at home, and when."""
    url = competition.settings.get("board_url")
    where = f"at <{url}>" if url else "on the page *Leaderboard*, or where they announce it"
    is_daily = competition["board_update"] == "daily"
    daily = " once a day, from the submissions of the days before (UTC)" * is_daily
    coarse = "" if competition["feedback"] == EXACT else " " + _coarse(competition)
    return _HOME.format(where=where, daily=daily) + coarse


def _coarse(competition: Competition) -> str:
    """Return what a leaderboard in steps shows."""
    shown = [column.title for column in competition.coarse_columns]
    rule = competition.definition.eligibility
    return _COARSE.format(
        shown=f"only {shown[0]}" if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}",
        excluded=f", or that {rule.broken}," if rule else "",
        title=shown[0],
    )


_HOME = (
    "**The hidden labels are not on this platform.** For a hidden set, it checks the structure of a submission and "
    "shows *Received*, 1. The organisers compute the scores and publish the leaderboard {where}{daily}."
)

_COARSE = (
    "**The leaderboard shows {shown}, without confidence intervals.** For a hidden set, scores are rounded to steps of "
    "about one standard error, of four for scores after the first, or of 25 % for a score without an upper bound, "
    "because exact scores would reveal the labels. Treat scores less than two steps apart as a tie. A submission that "
    "does not beat the baseline and the trivial baselines{excluded} is shown with the best of their scores, so these "
    "numbers mean “this or worse”. The organisers rank by exact scores. For sets whose labels you have, the starting "
    "kit shows every score at full precision, with the confidence interval of {title}."
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
    rows = []
    for what in dict.fromkeys(what for name in sets for what in feedback[name].known):
        cells = []
        for name in sets:
            score = feedback[name].known.get(what)
            hidden = name in competition.hidden_sets and feedback[name].of_set.steps
            digits = "g" if hidden else f".{primary.precision}f"
            cells.append("–" if score is None else f"{'about ' if hidden else ''}{score:{digits}}")
        rows.append([what, *cells])
    return "\n".join(markdown_table([f"{primary.title} by system", *sets], rows))


def phases_list(competition: Competition) -> str:
    items = []
    for phase in competition.phases:
        start, daily = _minute(phase.start), count_of(phase.max_submissions_per_day, "submission")
        dates = f"{start} to {_minute(phase.end)}" if phase.end else f"from {start}"
        limits = f"{daily} a day, {phase.max_submissions} in all"
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
    given = competition.about.get("timeline", ())
    dates = [(entry["date"], entry["event"].replace("|", "\\|")) for entry in given]
    if not dates:
        return ""
    for phase in competition.phases:
        dates.append((phase.start, f"Phase *{phase.name}* begins"))
        dates += [(phase.end, f"Phase *{phase.name}* ends")] if phase.end else []
    rows = [(_minute(date), event) for date, event in sorted(dates, key=lambda entry: entry[0])]
    return "\n".join(markdown_table(("date (UTC)", "event"), rows))


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
        "own_rules": "\n".join(f"- {' '.join(rule.split())}" for rule in competition["rules"]),
        "own_contact": about.get("contact", "").strip(),
        "citation": f"```\n{citation}\n```" if citation.startswith("@") else citation,
    }


def joint_facts(competition: Competition) -> dict[str, str]:
    """Return the other tasks of its challenge, their links, and how teams are ranked; empty if it is ranked alone."""
    joint = competition.joint or Challenge("", {}, None)
    lines = []
    for name, each in joint.bundles.items():
        own, url = name == competition.name, each.settings.get("url")
        title = f"**{each['title']}**" if own else f"[{each['title']}]({url})" if url else each["title"]
        lines.append(f"- {title}" + (" (compulsory)" if name in joint.compulsory else ""))
    return {
        "joint_bundle": competition.name if joint.bundles else "",
        "joint_tasks": "\n".join(lines),
        "joint_rule": joint.rule.rule if joint.rule else "",
        "joint_missing": joint.rule.missing if joint.rule else "",
        "joint_compulsory": "yes" if joint.rule and joint.compulsory else "",
        "joint_files": ", ".join(f"`{file}`" for file in joint.files)
        if joint.other_files(competition) and not competition.takes_code
        else "",
    }
