"""A listening test: its table of judgements, listeners who are left out, the table of systems, and a reference.

A judgement has the columns listener, item, system and value; a preference has system_a, system_b and a value of a, b
or tie. An item is what several systems say, such as a sentence. Judgements without a value are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.listening import (
    FIRST,
    LEAST_REFERENCE,
    MOST_ABOVE,
    MOST_ANCHOR,
    MOST_WRONG,
    SECOND,
    TIE,
    abilities,
    intervals_and_ranks,
    system_means,
)
from speechbundles.annotation.reference import LEFT_OUT, SHEETS, files_in
from speechbundles.annotation.rounds import read_round
from speechbundles.annotation.sheets import read_answers
from speechbundles.annotation.tables import Frame, csv_bytes, data_file, folded, read_table, refuse, refusing
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import Problems, count_of, quote, repeated, some_of
from spokeneval.formats.text import decimal
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.ranks import ranks
from spokeneval.ranking.writers import INTERVAL, UNKNOWN, shown_interval, shown_range, text_table
from spokeneval.report import page, plots

ACR, MUSHRA, PREFERENCE = "acr", "mushra", "preference"
SCALES = {ACR: (1, 5), MUSHRA: (0, 100)}
OUTCOMES = {"a": FIRST, "b": SECOND, "tie": TIE}
FEWEST_EQUAL = 10
"""Listeners with so many judgements or more, all equal, are listed."""
SYSTEMS, SCORES, PAGE = "systems.csv", "scores.csv", "ranking.html"
MEASURES = {ACR: "Mean opinion scores", MUSHRA: "Mean grades", PREFERENCE: "Abilities"}


def rank_study(
    source: Path, test: str, reference: str = "", anchors: Sequence[str] = ()
) -> tuple[dict[str, bytes], str]:
    """Return the files of a listening test, `name -> content`, and its ranking as text.

    Parameters
    ----------
    source: a table of judgements, or a folder that `assign` wrote.
    test: `ACR`, `MUSHRA` or `PREFERENCE`.
    reference, anchors: systems that are not ranked: the hidden reference and the anchors of MUSHRA.

    Raises
    ------
    OrganiserError: judgements that cannot be used, each with its row, or systems that cannot be compared.
    """
    columns = ["system_a", "system_b"] if test == PREFERENCE else ["system"]
    judged = _read(source, test, columns)
    names = sorted({*judged[columns].to_numpy().ravel()})
    unranked = [*filter(None, [reference]), *anchors]
    if (absent := [each for each in unranked if each not in names]) or (test == MUSHRA and not reference):
        what = (
            f"no judgements of {some_of(absent)}"
            if absent
            else "MUSHRA has a hidden reference: --reference SYSTEM"
        )
        raise OrganiserError(f"{source}: {what}; its systems are {some_of(names, 12)}")
    left_out = dict(_left_out(judged, reference, anchors)) if test == MUSHRA else {}
    used = judged[~judged["listener"].isin(left_out)]
    lines = [f"{listener} is left out: {rule}" for listener, rule in left_out.items()]
    found = "\n".join([*lines, f"{source}: {len(used)} judgements can be used"])
    systems = _systems(used, columns, unranked, found)
    files, table = {SYSTEMS: csv_bytes(systems)}, _table(systems)
    if test == MUSHRA:
        files[LEFT_OUT] = csv_bytes(pd.DataFrame(left_out.items(), columns=["listener", "rule"]))
    if test != PREFERENCE:
        files |= _scores(used, SCALES[test])
    values = used.groupby("listener")["value"].agg(["size", "nunique"])
    if equal := [*values.index[(values["size"] >= FEWEST_EQUAL) & (values["nunique"] == 1)]]:
        lines.append(
            f"the same value in {FEWEST_EQUAL} judgements or more, but not left out: {some_of(equal, 12)}"
        )
    files[PAGE] = _page(f"{source.stem}: listening test", MEASURES[test], systems, table, lines)
    return files, "\n".join([*lines, text_table(table)])


def _read(source: Path, test: str, columns: Sequence[str]) -> Frame:
    """Return the judgements with a value, as a number."""
    with refusing() as problems:
        if source.is_dir():
            rows = _round_rows(source, columns, problems)
        else:
            rows = read_table(source, problems, ["listener", "item", *columns, "value"])
            rows = rows.assign(file=source.name, line=rows.index)
        rows = rows[rows["value"] != ""]
        keys = ["listener", "item", *columns]
        blank = rows[(rows[keys] == "").any(axis=1)]
        refuse(problems, "no_id", blank, lambda row: f"{', '.join(keys[:-1])} or {keys[-1]} is empty")
        if test == PREFERENCE:
            same = rows[rows["system_a"] == rows["system_b"]]
            refuse(problems, "same_system", same, lambda row: f"{row.system_a} is compared with itself")
            numbers = rows["value"].map(lambda each: OUTCOMES.get(folded(each)))
            expected = f"one of {', '.join(OUTCOMES)}"
        else:
            low, high = SCALES[test]
            numbers = rows["value"].map(decimal)
            numbers = numbers.where(numbers.between(low, high))
            expected = f"a number from {low} to {high}"
        wrong = rows[numbers.isna()]
        refuse(
            problems, "unknown_answer", wrong, lambda row: f"value {quote(row.value)}; expected {expected}"
        )
        first = rows.groupby(keys)["line"].first()
        again = rows[rows.duplicated(keys)]

        def twice(row: Any) -> str:
            key = tuple(getattr(row, each) for each in keys)
            return repeated(f"the judgement of {', '.join(key)}", first[key])

        refuse(problems, "duplicate_item", again, twice)
        if not problems and rows.empty:
            problems.stop("empty", source.name, "has no judgements")
    return rows.assign(value=numbers.astype(float))


def _round_rows(folder: Path, columns: Sequence[str], problems: Problems) -> Frame:
    """Return the first answers in the sheets of a folder; items and systems are columns of the table of the items."""
    ours = read_round(folder)
    table, needed = ours.items.rename(columns=folded), ["item", *columns]
    if len(ours.questions) != 1 or not {*needed} <= {*table.columns, ours.id}:
        message = f"expected one question, and a table of the items with the columns {', '.join(needed)}"
        raise OrganiserError(f"{folder}: {message}; found {some_of([ours.id, *ours.items.columns], 12)}")
    answers = read_answers(list(files_in([folder], SHEETS)), ours.id, ours.questions, ours.assigned, problems)
    answers = answers[answers["time"] == 0].rename(columns={"annotator": "listener", "item": "id"})
    named = table.rename_axis("id").assign(**({"item": table.index} if ours.id == "item" else {}))
    return answers.join(named[needed], on="id")


def _left_out(judged: Frame, reference: str, anchors: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the listeners whom the post-screening of MUSHRA leaves out, each with the rule."""
    heard = judged[judged["system"].isin([reference, *anchors])]
    low, high = heard["value"] < LEAST_REFERENCE, heard["value"] > MOST_ANCHOR
    high &= high.groupby([heard["system"], heard["item"]]).transform("mean") <= MOST_ABOVE
    wrong = low.where(heard["system"] == reference, high)
    for (listener, system), mine in wrong.groupby([heard["listener"], heard["system"]]):
        if mine.mean() > MOST_WRONG:
            grade = f"below {LEAST_REFERENCE}" if system == reference else f"above {MOST_ANCHOR}"
            what = f"{system} {grade} in {mine.sum()} of {count_of(len(mine), 'item')}"
            yield listener, f"{what} (more than {100 * MOST_WRONG:g} %, ITU-R BS.1534-3)"
    for listener in sorted({*judged["listener"]} - {*heard["listener"][heard["system"] == reference]}):
        yield listener, "no grade of the hidden reference"


def _systems(used: Frame, columns: Sequence[str], unranked: Sequence[str], found: str) -> Frame:
    """Return a row for each system, the best first."""
    codes, names = pd.factorize(used[columns].to_numpy().ravel(), sort=True)
    if len(names) < 2:
        raise OrganiserError(f"{found}; expected those of two systems or more")
    places, values = codes.reshape(len(used), -1).T, used["value"].to_numpy()
    listeners, items = (pd.factorize(used[column])[0] for column in ("listener", "item"))
    try:
        made = (
            abilities(places[0], places[1], values.astype(int))
            if len(places) > 1
            else system_means(values, places[0])
        )
    except ValueError as error:
        raise OrganiserError(f"{found}: {error}") from None
    chosen = np.array([name not in unranked for name in names])
    every = intervals_and_ranks(made, listeners, items)
    ranked = type(made)(made.scores[chosen], made.influence[:, chosen], made.about[:, chosen])
    table = pd.DataFrame({"system": names, "score": made.scores, "low": every.low, "high": every.high})
    if len(places) == 1:  # no further than the scale
        scale = next(each for each in SCALES.values() if used["value"].between(*each).all())
        table[["low", "high"]] = table[["low", "high"]].clip(*scale)
    table.loc[chosen, "rank"] = ranks(ranked.scores, higher=True)
    table.loc[chosen, ["best_rank", "worst_rank"]] = intervals_and_ranks(ranked, listeners, items).ranks
    table = table.astype(dict.fromkeys(["rank", "best_rank", "worst_rank"], "Int64"))
    for name, of in (("judgements", np.arange(len(used))), ("listeners", listeners), ("items", items)):
        table[name] = [len(np.unique(of[part])) for part in made.about.T]
    return table.sort_values(["score", "system"], ascending=[False, True], ignore_index=True)


def _scores(used: Frame, scale: Sequence[int]) -> dict[str, bytes]:
    """Return the mean of each item of each system: the reference of a challenge that asks for predictions."""
    means = used.groupby(["item", "system"])["value"].agg(score="mean", judgements="size").reset_index()
    means.insert(0, "id", means["system"] + "_" + means["item"])
    task: Mapping[str, Any] = {"kind": "scores", "scale": list(scale), "level": "system", "item": "utterance"}
    return {SCORES: csv_bytes(means.round(6), exact=True), **data_file("id", SCORES, [SCORES], task=task)}


def _table(systems: Frame) -> TextTable:
    header = ["System", "Rank", "Score", INTERVAL, "Ranks (95 %)", "Listeners", "Items"]
    rows = []
    for row in systems.itertuples():
        ends = UNKNOWN if pd.isna(row.low) else shown_interval((row.low, row.high), 2)
        places = (
            [UNKNOWN] * 2
            if pd.isna(row.rank)
            else [str(row.rank), shown_range((row.best_rank, row.worst_rank))]
        )
        counts = [str(row.listeners), str(row.items)]
        rows.append([row.system, places[0], f"{row.score:.2f}", ends, places[1], *counts])
    return TextTable("Systems", header, rows)


def _page(title: str, measure: str, systems: Frame, table: TextTable, lines: Sequence[str]) -> bytes:
    """Return a page with the ranking, a plot of the scores, and the lines on listeners."""
    marks = [
        plots.Mark(
            row.system,
            row.score,
            f"{row.score:.2f}",
            None if pd.isna(row.low) else (row.low, row.high),
            plots.GREY if pd.isna(row.rank) else plots.BLUE,
        )
        for row in systems.itertuples()
    ]
    grey = "; grey: not ranked" if systems["rank"].isna().any() else ""
    caption = f"{measure} and 95 % intervals over listeners and items{grey}"
    plot = page.figure(caption, "The table has the same numbers", plots.scale(marks))
    notes = (page.paragraph(line, kind="note") for line in lines)
    ranking = page.table(table.title, table.header, table.rows, shown=len(table.rows))
    return page.page(title, page.section(table.title, ranking, plot, *notes)).encode()
