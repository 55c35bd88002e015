"""The files that describe a competition's data: a page with tables and plots, the numbers, a text, and fields."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.describe import (
    ALL,
    Answers,
    Seen,
    interval_of,
    power,
    raters_agreement,
    rows_of,
    see,
    sentences,
    table_of,
)
from speechbundles.annotation.tables import AGREEMENT, Frame, csv_bytes, json_bytes
from speechbundles.competition.intake.declared import declared_of
from speechbundles.competition.references import load_reference
from speechbundles.model.competition import Competition
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.report import page, plots

NOTES = {
    "private": "For organisers only: this page describes hidden labels.",
    "public": "This page describes the data that participants get: of hidden sets the lists of items.",
}
"""The two halves, with what their pages say first."""
COLOURS = (plots.BLUE, plots.ORANGE, plots.GREEN, plots.ERROR)
STYLES, MARKS, HATCHES = (*plots.LINE_STYLES, "-."), ("|", "x", ".", "+"), ("", "///", "...", "xxx")
"""What tells classes apart without colours."""
MOST_BARS, MOST_DASHES = 300, 400
"""Recordings in a row of bars, and values on a strip."""

Shows = Sequence[tuple[str, TextTable]]
"""What test sets can show, each as a sentence and a table."""


def describe_task(
    competition: Competition, answers: Answers, difference: float | None = None
) -> dict[str, bytes]:
    """Return the files for organisers and for the public, `private/name -> content` and `public/name -> content`.

    Raises
    ------
    OrganiserError: labels that cannot be used.
    """
    sources, hidden, references = competition.sources, competition.hidden_sets, []
    for name in competition.sets:
        place, how = sources.find(f"reference_data/{competition.task}/{name}"), declared_of(competition, name)
        dropping = f"sets: {{{name}: {{drop_invalid_rows: true}}}} in competition.yaml"
        references.append(
            load_reference(
                competition.definition, name, place, competition.options, declared=how, dropping=dropping
            )
        )
    beside = sources.folder / "annotation" / AGREEMENT
    known = pd.read_csv(beside) if beside.is_file() else raters_agreement(references)
    found = [power(reference, answers, difference) for reference in references if reference.name in hidden]
    files: dict[str, bytes] = {}
    for half, note in NOTES.items():
        public = half == "public"
        agreement, shows = (None, []) if public else (known, list(filter(None, found)))
        sets = [see(each, public=public and each.name in hidden) for each in references]
        table = table_of(sets, references[0].facts.unit)
        text, numbers = sentences(table, agreement), table.melt(var_name="set", ignore_index=False).dropna()
        rai = {} if agreement is None else {"dataAnnotationAnalysis": text[-1]}
        title = f"{competition['title']}: data"
        files |= {
            f"{half}/data.html": data_page(title, note, sets, table, agreement, shows).encode(),
            f"{half}/data.csv": csv_bytes(numbers.reset_index()[["set", *table.index.names, "value"]]),
            f"{half}/data.md": "\n\n".join([*text, *(words for words, _ in shows), ""]).encode(),
            f"{half}/croissant.json": json_bytes({"description": " ".join(text[: len(sets)]), "rai": rai}),
        }
    return files


def data_page(
    title: str, note: str, sets: Sequence[Seen], table: Frame, agreement: Frame | None, shows: Shows
) -> str:
    """Return the page; `note` is for whom it is."""
    parts: list[page.Html | None] = [page.paragraph(note, kind="note")]
    for column, rows in rows_of(table).items():
        heading, first = (ALL, 1) if column == ALL else (f"By {column}", 0)
        header = [column, "measure", *table.columns][first:]
        parts.append(page.section(heading, page.table(heading, header, [row[first:] for row in rows])))
    if figures := _figures(sets):
        parts.append(page.section("Plots", *figures))
    if agreement is not None:
        header = ["Agreement", "annotators", "value (95 % interval)", "units", "items"]
        values = [
            [f"{row.question}: {row.measure}", row.annotators, interval_of(row), row.units, row.items]
            for row in agreement.itertuples()
        ]
        parts.append(page.section("Agreement", page.table("Agreement", header, values)))
    for words, tests in shows:
        notes = page.paragraph(words), page.paragraph(tests.note, kind="note")
        parts.append(page.section(tests.title, page.table(tests.title, tests.header, tests.rows), *notes))
    return page.page(title, *parts)


def _figures(sets: Sequence[Seen]) -> list[page.Html]:
    """Return densities of the lengths of items and of totals in recordings or of units, and the shares in these."""
    seen = [each for each in sets if len(each.classes) > 1]
    classes = list(dict.fromkeys(name for each in seen for name in each.classes))[: len(COLOURS)]
    held = {each.name: each.totals.reindex(columns=classes, fill_value=0.0) for each in seen if each.group}
    lengths = {}
    for kind, each in product(classes, [each for each in seen if "seconds" in each.rows.columns]):
        lengths[kind, each.name] = each.rows["seconds"][each.rows[each.columns[0]] == kind].to_numpy()
    sums = {(kind, own): held[own][kind].to_numpy() for kind, own in lengths if own in held}
    figures = [_densities("lengths", "Length of items in seconds", lengths)] if lengths else []
    figures += [_densities("sums", "Seconds of a class in a recording or of a unit", sums)] if sums else []
    return figures + [_bars(f"shares{chr(97 + place)}", own, held[own]) for place, own in enumerate(held)]


def _densities(name: str, caption: str, values: Mapping[tuple[str, str], np.ndarray]) -> page.Html:
    """Plot a density and a strip for each class; the sets are below each other."""
    from scipy.stats import gaussian_kde

    classes, sets = (list(dict.fromkeys(key[place] for key in values)) for place in (0, 1))
    longest = max(np.quantile(each, 0.99) for each in values.values() if len(each))
    grid, rng = np.linspace(0, longest, 200), np.random.default_rng(0)

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        places = figure.subplots(2 * len(sets), 1, sharex=True, height_ratios=[3, 1] * len(sets))
        for (kind, own), each in values.items():
            row = classes.index(kind)
            upper, lower = places[2 * sets.index(own) :][:2]
            style = {"color": COLOURS[row], "linestyle": STYLES[row], "label": kind}
            upper.set_ylabel(f"{own}: density")
            if len(each) > 1 and each.std() > 0:
                upper.plot(grid, gaussian_kde(each)(grid), **style)
            some = each[rng.permutation(len(each))[:MOST_DASHES]]  # pandas' arrays are read-only
            lower.plot(some, np.full(len(some), -row), MARKS[row], color=COLOURS[row], alpha=0.4)
            lower.set(yticks=range(0, -len(classes), -1), yticklabels=classes, xlim=(0, longest))
        places[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, fontsize=8.5)

    more = f"{caption}: densities, and a strip for each class"
    return page.figure(more, more, plots.plot(name, draw, width=6.6, height=3 * len(sets)))


def _bars(name: str, own: str, totals: Frame) -> page.Html:
    """Plot the shares of the classes in recordings or of units, one bar for each."""
    shares = totals.div(totals.sum(axis=1), axis=0).sort_values(totals.columns[0])[-MOST_BARS:]

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        places, tops = np.arange(len(shares)), shares.cumsum(axis=1)
        for row, kind in enumerate(shares.columns):
            look = {"facecolor": COLOURS[row], "edgecolor": plots.PAPER, "hatch": HATCHES[row], "label": kind}
            axes.fill_between(places, tops[kind] - shares[kind], tops[kind], step="mid", linewidth=0, **look)
        axes.set(xticks=[], ylabel="share")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, fontsize=8.5)

    caption = f"The {own} set: share of each class, a bar for each recording or unit"
    return page.figure(caption, caption, plots.plot(name, draw, width=6.6, height=2.2))
