"""Describe the sets of a task: counts, durations, classes, speakers, missing values, and what a test set can show.

A set is described from the files that somebody has: the organiser has all labels, a participant those of public sets
and the lists of items of hidden ones. So the public half is computed from public files alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.agreement import answer_agreement
from speechbundles.annotation.tables import Frame
from speechbundles.competition.intake.layouts import NOTATIONS
from speechbundles.competition.intake.table import Notation
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.seal import MARK
from spokeneval.formats.problems import plural_of
from spokeneval.formats.tables import id_columns
from spokeneval.ranking.leaderboard import System, TextTable
from spokeneval.ranking.plan import plan_of
from spokeneval.ranking.systems import rank_systems
from spokeneval.result import ends_of
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Scored

MOST_CLASSES = 20
"""A column with more different values is no column of classes."""
RIGHT = (0.8, 0.7)
"""The shares of items about which two systems are right that a test set should tell apart."""
_TIMES = (("start", "end"), ("start_s", "end_s"))
_LENGTHS = {"duration": 1, "duration_s": 1, "length": 1000, "duration_frames": 16000}
"""Columns of durations, with the number of their units in a second."""
_RECORDINGS = ("recording", "audio_name")
ALL, TOTAL = "All items", "length, total"
_MEASURES = {
    TOTAL: ("seconds", "sum"),
    "length, median (s)": ("seconds", "median"),
    "length, mean (s)": ("seconds", "mean"),
    "length, standard deviation (s)": ("seconds", "std"),
    "words, mean": ("words", "mean"),
    "words, standard deviation": ("words", "std"),
}
"""The column of a measure, and how it is computed."""
_LEVELS = ["column", "class", "measure"]

Answers = Callable[..., Iterator[Scored]]
"""Makes submissions that are right about chosen items, and yields their scores."""


@dataclass(frozen=True)
class Seen:
    """A set, as somebody sees it.

    Attributes
    ----------
    name: of the set.
    rows: a row for each item, or for each segment of a recording; with `seconds` if durations are known.
    columns: the columns of classes, the task's own first.
    classes: the classes of the first of these columns that are compared; empty if it is not the task's own.
    group: the column of the recording or the unit of an item; empty if it is not seen.
    """

    name: str
    rows: Frame
    columns: Sequence[str]
    classes: Sequence[str]
    group: str

    @property
    def totals(self) -> Frame:
        """The seconds or items of each class in each recording or of each unit; None if they are not seen."""
        if not self.group or len(self.classes) < 2:
            return None
        rows = self.rows[self.rows[self.columns[0]].isin(self.classes)]
        weights = rows["seconds"] if "seconds" in rows.columns else pd.Series(1.0, rows.index)
        found = weights.groupby([rows[self.group], rows[self.columns[0]]]).sum().unstack(fill_value=0.0)
        return found.reindex(columns=list(self.classes), fill_value=0.0)


def see(reference: ReferenceSet, *, public: bool) -> Seen:
    """Return a set as the organiser sees it, or as a participant who has only the lists of its items."""
    task, files = reference.definition, reference.public if public else reference.files
    layout = task.format.layouts[0]
    content = next(each for name, each in files.items() if name.endswith((".csv", ".tsv")))
    separator = "\t" if b"\t" in content.partition(b"\n")[0] else ","
    rows = pd.read_csv(BytesIO(content), sep=separator, dtype=str, keep_default_na=False)
    times = next((pair for pair in _TIMES if {*pair} <= {*rows.columns}), ())
    if not times and {*id_columns(layout.id)} <= {*rows.columns}:  # of several references, the first
        rows = rows.drop_duplicates([*id_columns(layout.id)], ignore_index=True)
    length = next((column for column in _LENGTHS if column in rows.columns), "")
    if times:
        start, end = (pd.to_numeric(rows[column]) for column in times)
        notation = NOTATIONS.get((task.name, layout.file), Notation())
        rows["seconds"] = (end - start) / (notation.per_second if times[0] == "start" else 1)
    elif length:
        rows["seconds"] = pd.to_numeric(rows[length], errors="coerce") / _LENGTHS[length]
    group = next((column for column in _RECORDINGS if times and column in rows.columns), "")
    units = {} if public else task.units(reference.parsed.labels).of
    if not group and len({*units.values()}) < len(units) == len(rows):
        rows["unit"], group = list(units.values()), "unit"
    unit = task.units(reference.parsed.labels).called
    known = {*id_columns(layout.id), *_RECORDINGS, *times, length, group, "seconds", "utt_id", unit, MARK}
    known |= {*layout.required} if task.view.texts_as_labels else set()
    # In a small set, few different values may be names or texts: values of classes are repeated.
    most = {
        each: MOST_CLASSES if each in layout.required else min(MOST_CLASSES, len(rows) / 2) for each in rows
    }
    columns = [each for each in rows if each not in known and 1 < rows[each].nunique() <= most[each]]
    columns.sort(key=lambda column: column not in layout.required)
    classes = sorted(rows[columns[0]].unique()) if columns and columns[0] in layout.required else []
    own = [each for each in task.view.label_names() if each in classes]
    return Seen(reference.name, rows, columns, own or classes, group)


def _measures(seen: Seen, unit: str) -> Iterator[tuple[str, str, str, float]]:
    """Yield column, class, measure and value; lengths are in seconds."""
    called = unit if seen.group == "unit" else "recording"
    for column in (ALL, *seen.columns):
        parts = [("", seen.rows)] if column == ALL else seen.rows.groupby(column)
        for value, rows in parts:
            value = "" if column == ALL else value or "none"
            yield column, value, "items", len(rows)
            for measure, (source, function) in _MEASURES.items():
                if source in rows.columns:
                    numbers = pd.to_numeric(rows[source], errors="coerce")
                    yield column, value, measure, round(float(numbers.agg(function)), 6)
    if seen.group:
        sizes = seen.rows.groupby(seen.group).size()
        yield ALL, "", plural_of(called), len(sizes)
        yield from (
            (ALL, "", f"items per {called}, {word}", sizes.agg(word)) for word in ("min", "median", "max")
        )
    empty = (seen.rows.astype(str) == "").sum()
    yield from ((ALL, "", f"without {column}", count) for column, count in empty[empty > 0].items())
    if (totals := seen.totals) is not None:
        first, both = seen.columns[0], totals[(totals > 0).sum(axis=1) > 1]
        yield first, "", f"{plural_of(called)} with one of these", len(totals) - len(both)
        yield first, "", f"{plural_of(called)} with more than one", len(both)
        for value, share in totals.div(totals.sum(axis=1), axis=0).mean().items():
            yield first, value, f"mean share per {called}", round(share, 6)
        if len(seen.classes) == 2:
            ratio = (both.iloc[:, 1] / both.iloc[:, 0]).mean()
            yield first, "", f"mean {' : '.join(totals.columns[::-1])} where both are", round(ratio, 6)


def table_of(sets: Sequence[Seen], unit: str) -> Frame:
    """Return all measures: a row for each column, class and measure, and a column for each set."""
    found = {seen.name: {tuple(key): value for *key, value in _measures(seen, unit)} for seen in sets}
    order = dict.fromkeys(key for each in found.values() for key in each)
    cells = {name: [each.get(key, np.nan) for key in order] for name, each in found.items()}
    return pd.DataFrame(cells, pd.MultiIndex.from_tuples(order, names=_LEVELS), dtype=float)


def rows_of(table: Frame) -> dict[str, list[list[str]]]:
    """Return the measures as texts, `column -> rows`: a class, the name of a measure and a text for each set."""
    found: dict[str, list[list[str]]] = {}
    for (column, value), own in table.groupby(level=[0, 1], sort=False):
        for key, numbers in zip(own.index, own.to_numpy(), strict=True):
            texts = [_shown(key[2], number) for number in numbers]
            found.setdefault(column, []).append([value or "all", key[2], *texts])
    return found


def _shown(measure: str, value: float) -> str:
    if pd.isna(value):
        return "–"
    if measure == TOTAL:
        return f"{value // 3600:.0f}:{value % 3600 // 60:02.0f}:{value % 60:02.0f}"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def sentences(table: Frame, agreement: Frame | None) -> list[str]:
    """Return the text for the data section of a paper: a paragraph for each set, and one on agreement."""
    lines = []
    for place, name in enumerate(table.columns, 2):
        parts: dict[str, list[str]] = {}
        for column, rows in rows_of(table).items():
            for row in rows:
                topic = f"The {name} set" if column == ALL else f"{column} {row[0]}"
                parts.setdefault(topic, []).extend([f"{row[1]} {row[place]}"] * (row[place] != "–"))
        lines.append(" ".join(f"{topic}: {'; '.join(each)}." for topic, each in parts.items() if each))
    if agreement is not None:
        shown = agreement[agreement["measure"].str.match("kappa|alpha|gamma")]
        rows = (agreement if shown.empty else shown).itertuples()  # one answer to everything: only "equal"
        found = [f"{row.measure} of {row.question} ({row.annotators}) {interval_of(row)}" for row in rows]
        lines.append(f"Agreement of annotators, with 95 % intervals: {'; '.join(found)}.")
    return lines


def raters_agreement(references: Sequence[ReferenceSet]) -> Frame | None:
    """Return the agreement of the raters in each set; None if there are none, or too many to list."""
    found = []
    for reference in references:
        task, labels = reference.definition, reference.parsed.labels
        raters = task.view.listed_ratings(labels)
        if not raters:
            return None
        answers = (
            pd.DataFrame({"item": labels.items.ids, **raters}).melt("item", var_name="annotator").dropna()
        )
        values = answers["value"].astype(int).astype(str)
        answers = answers.assign(question=f"the {reference.name} set", time=0, value=values)
        found.append(answer_agreement(answers, task.units(labels).of))
    return pd.concat(found)


def interval_of(row: Any) -> str:
    """Return a value with its interval, if it has one."""
    return f"{row.value:.2f}" + ("" if pd.isna(row.low) else f" ({row.low:.2f} to {row.high:.2f})")


def power(
    reference: ReferenceSet, answers: Answers, difference: float | None = None
) -> tuple[str, TextTable] | None:
    """Return what a set can show of two systems that are right about `RIGHT` of the items, as a sentence and a table.

    The sentence has the needed size for a difference, by default that of the two systems. None if no such submissions
    can be made, or the score has no interval.
    """
    task, gold, systems = reference.definition, reference.parsed, []
    settings = Settings(choose_options(task, reference.options), True, Signature(task.name))
    for number, share in enumerate(RIGHT):
        chosen = np.random.default_rng(number).random(len(gold.labels.items)) < share
        made = next(answers(task, gold, chosen, settings), None)
        if made is None or task.primary.key not in ends_of(made):
            return None
        systems.append(System(f"{100 * share:.0f} % right", made.scores, ends_of(made), made.statistics))
    column = task.columns[0]
    ranking = rank_systems(task, column, task.name, systems)
    low, high = (f"{end:.{column.precision}f}" for end in systems[0].intervals[column.key])
    score = f"{systems[0].scores[column.key]:.{column.precision}f}"
    words = f"a system that is right about {100 * RIGHT[0]:.0f} % of the items at random has {column.title} {score}"
    text = f"With the {ranking.units} of the {reference.name} set, {words} (95 % interval {low} to {high})."
    if not ranking.power:
        return None
    if difference := difference or abs(ranking.pairs[0].difference):
        text += f" {replace(plan_of(ranking, difference), table=None)}"
    return text, ranking.power
