"""Two submissions on one page: the scores, the items that became better and worse, and the cheapest gains.

The words of an item are aligned with the reference. Where an answer is wrong, it is below the word that was said, with
S, D or I. The page can be searched by a script, which contains no data; no other script runs, and nothing is loaded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from ..formats.problems import count_of, name
from ..scoring.scored import Scored
from ..task import Number, Task
from .largest import Errors, with_units
from .page import LONGEST, Html, code, page, paragraph, percent, section, table, text, verdict
from .sections import errors, item_columns, kind_of, plain_text, rightness
from .verdict import public_verdict

STYLE, SCRIPT = (
    Path(__file__).with_name(file).read_text(encoding="utf-8")
    for file in ("side_by_side.css", "side_by_side.js")
)

MOST_ITEMS, MOST_BYTES = 2000, 275_000
"""The most items that are listed, and bytes of their markup; further items are only counted."""
MOST_GAINS = 3

Side = tuple[Any, Scored]
"""A submission and its counts."""

Pair = tuple[Optional[str], Optional[str]]
"""A word of the reference and of a submission; None for a missing one."""

NOTHING = "–"


class Change(NamedTuple):
    """An item, how right both answers to it are, from 0 to 1, and both answers as a report shows them."""

    item: str
    right: tuple[float, float]
    answers: tuple[Mapping[str, str], Mapping[str, str]]


class Gain(NamedTuple):
    """What one change would remove: the number of errors, and the rows of the counts that have them."""

    source: str
    amount: float
    rows: Sequence[int]


def order_of(task: Task, sides: Sequence[Side]) -> tuple[list[int], np.ndarray]:
    """Return the rows of the counts, largest change first, and how much more right the second answer to each is.

    Of rows without a change, the worst is first.
    """
    first, second = (rightness(task, scored) for _, scored in sides)
    return np.lexsort((first, -np.abs(second - first))).tolist(), second - first


def changes(task: Task, labels: Any, sides: Sequence[Side], rows: Sequence[int]) -> list[Change]:
    """Return some items with both answers."""
    found = []
    for side in sides:
        columns = item_columns(task, labels, *side, [*rows])
        items, right = map(plain_text, columns.pop(next(iter(columns)))), columns.pop("Right")
        answers = [dict(zip(columns, map(plain_text, cells))) for cells in zip(*columns.values())]
        found.append(list(zip(items, right, answers or [{} for _ in rows])))
    return [Change(item, (before, after), (old, new)) for (item, before, old), (_, after, new) in zip(*found)]


def score_rows(task: Task, first: Mapping[str, Number], second: Mapping[str, Number]) -> list[list[str]]:
    """Return the rows of a table with the scores of both, and their differences."""
    rows = []
    for score in task.scores:
        values, digits = (first[score.key], second[score.key]), score.precision
        change = f"{values[1] - values[0]:+.{digits}f}"
        rows.append([score.heading, *(f"{value:.{digits}f}" for value in values), change])
    return rows


def gains(task: Task, labels: Any, side: Side) -> tuple[list[Gain], Errors]:
    """Return the largest gains, and all errors. The gain by a speaker is what goes beyond the rate of the others."""
    kind = kind_of(task)
    if hasattr(kind, "aligned"):
        whole, sources = word_errors(kind.aligned(task.view, labels, side[0], range(len(labels.items))))
    else:
        whole = errors(task, labels, *side)
        sources = kind.sources(task.view, labels, *side) if hasattr(kind, "sources") else {}
    found = [Gain(source, sum(rows.values()), [*rows]) for source, rows in sources.items()]
    wrong, sizes = (np.asarray(each, dtype=float) for each in (whole.rows, whole.sizes))
    alone = replace(whole, groupings={}) if sources else whole
    for called, names in with_units(alone, task.units(labels)).items():
        for group, own in ((group, np.array(names) == group) for group in sorted({*names})):
            others = sizes[~own].sum()
            gain = wrong[own].sum() - sizes[own].sum() * wrong[~own].sum() / others if others else 0
            source = f"{called} {name(group)} has the error rate of the others"
            found.append(Gain(source, float(gain), np.flatnonzero(own & (wrong > 0)).tolist()))
    found.sort(key=lambda gain: (-gain.amount, gain.source))
    return [gain for gain in found[:MOST_GAINS] if gain.amount > 0], whole


def word_errors(items: Sequence[Sequence[Any]]) -> tuple[Errors, Mapping[str, Mapping[int, float]]]:
    """Return the errors of aligned items, and which there are of each pair of words; what is too long is left out."""
    sources: dict[str, Counter[int]] = {}
    wrong, sizes = np.zeros((2, len(items)))
    for row, parts in enumerate(items):
        for a, b in (pair for part in parts for pair in part.pairs or ()):
            sizes[row] += a is not None
            if a != b:
                wrong[row] += 1
                heard = f"is recognised as {name(b)}" if b else "is left out"
                source = f"{name(a)} {heard}" if a else f"{name(b or '')} is inserted"
                sources.setdefault(source, Counter())[row] += 1
    return Errors(wrong, sizes, ("the errors", "the reference")), sources


def page_of_two(task: Task, labels: Any, names: Sequence[str], sides: Sequence[Side]) -> str:
    """Return the page of two submissions, A and B; the second was scored with the first as its baseline."""
    order, change = order_of(task, sides)
    first, second = (scored for _, scored in sides)
    right = rightness(task, first)
    shown = [row for row in order if change[row] or right[row] < 1]
    entries = _entries(task, labels, sides, shown)
    signs, lists = np.sign(change[shown]), {}
    for title, sign in (("Became better", 1), ("Became worse", -1), ("Unchanged, with errors", 0)):
        if number := int((signs == sign).sum()):
            rows = [row for row in entries if np.sign(change[row]) == sign]
            lists[f"{title}: {count_of(number, 'item')}"] = rows
    places = {row: place for place, row in enumerate(chain(*lists.values()))}
    numbers = len(order) - len(shown), len(shown) - len(entries)
    reasons = "right in A and in B", "that would make the page too large"
    left_out = [f"{count_of(number, 'item')} {why}" for number, why in zip(numbers, reasons) if number]
    a, b = map(name, names)
    found = public_verdict(task, second, second.settings, task.view.broken(second.totals))
    return page(
        f"{task.title}: {a} and {b}",
        verdict(found.kind, *(words.replace("the baseline", a) for words in found[1:])),
        table("Scores", ["", f"A, {a}", f"B, {b}", "change"], score_rows(task, first.scores, second.scores)),
        _gains_section(task, labels, sides[1], b, places),
        paragraph(f"Not listed: {' and '.join(left_out) or 'no items'}.", kind="note"),
        paragraph(
            f"A is {a}, B is {b}.", _LEGEND if hasattr(kind_of(task), "aligned") else "", kind="note legend"
        ),
        *(
            section(title, Html(f'<ol class="pairs">{"".join(map(entries.__getitem__, rows))}</ol>'))
            for title, rows in lists.items()
        ),
        paragraph(code(str(second.chosen.signature))),
        style=STYLE,
        script=SCRIPT,
    )


_LEGEND = (
    "A wrong answer is below the word that was said: S is a substitution, D a deletion and I an insertion; = means as "
    "said."
)


def _gains_section(task: Task, labels: Any, side: Side, called: str, places: Mapping[int, int]) -> Html:
    """Return the section on what would improve the second submission most, with the items that are listed."""
    found, errors = gains(task, labels, side)
    whole, rows = float(np.sum(errors.rows)), []
    for source, amount, of_source in found:
        listed = " ".join(str(places[row]) for row in of_source if row in places)
        amounts = " of ".join(f"{number:.1f}".replace(".0", "") for number in (amount, whole))
        shown = text(f"{source}: {amounts} {errors.unit} ({percent(amount, whole)})")
        rows.append(f'<li data-rows="{listed}">{shown}</li>' if listed else f"<li>{shown}</li>")
    return section(
        f"Cheapest gains of {called}",
        Html(f"<ol>{''.join(rows)}</ol>") if rows else paragraph("No single change would remove errors."),
        paragraph("The errors that one change would remove. Gains overlap: do not add them up.", kind="note"),
    )


def _entries(task: Task, labels: Any, sides: Sequence[Side], rows: Sequence[int]) -> dict[int, str]:
    """Return the markup of the items that fit, `row -> entry`."""
    kind, rows = kind_of(task), rows[:MOST_ITEMS]
    aligned: Sequence[Any] = [[[]] * len(rows)] * 2
    if hasattr(kind, "aligned"):
        aligned = [kind.aligned(task.view, labels, submission, rows) for submission, _ in sides]
    found: dict[int, str] = {}
    size = 0
    for row, change, *parts in zip(rows, changes(task, labels, sides, rows), *aligned):
        before, after = change.right
        called, words = _CHANGED[int(np.sign(after - before))]
        answers = "".join(_speakers(*parts)) if any(parts) else _answers(change)
        entry = (
            f'<li class="{called}"><p><strong>{text(change.item[:LONGEST])}</strong> <span>{words}: '
            f"{100 * before:.0f} % → {100 * after:.0f} % right</span></p>{answers}</li>\n"
        )
        if size + len(entry.encode()) <= MOST_BYTES:
            size += len(entry.encode())
            found[row] = entry
    return found


_CHANGED = {1: ("up", "▲ better"), -1: ("down", "▼ worse"), 0: ("same", "= unchanged")}


def _answers(change: Change) -> str:
    """Return both answers to an item, column by column."""
    lines = []
    for column, old in change.answers[0].items():
        new = change.answers[1][column]
        both = old[:LONGEST] if old == new else f"A {old[:LONGEST]} → B {new[:LONGEST]}"
        lines.append(f"{column}: {both}")
    return f"<p>{text('; '.join(lines))}</p>" if lines else ""


def _speakers(first: Sequence[Any], second: Sequence[Any]) -> Iterator[str]:
    """Yield the aligned words of each speaker, of both submissions together if they have the same reference."""
    others = list(second)
    for part in first:
        same = [each for each in others if each.said_by == part.said_by and _said(each) == _said(part)][:1]
        if same:
            others.remove(same[0])
        both = bool(same) and same[0].pairs == part.pairs
        yield _words("both" if both else "" if same else "first", *([part] if both else [part, *same]))
    yield from (_words("second", part) for part in others)


def _said(part: Any) -> list[str]:
    return [word for word, _ in part.pairs or () if word is not None]


def _words(called: str, *parts: Any) -> str:
    """Return what a speaker said; where an answer differs, the answers are below the word."""
    title = f"{parts[0].said_by} → {', '.join(part.heard_as for part in parts)}"
    if any(part.pairs is None for part in parts):
        return f"<p>{text(title)}: too long to be aligned</p>"
    sides, said, shown = [_cells(part.pairs) for part in parts], _said(parts[0]), []
    for place, error in sorted({*chain(*sides)}):
        word = said[place] if error == _WORD else NOTHING
        cells = [side.get((place, error), _SAME) for side in sides]
        right = all(cell == _SAME for cell in cells)
        shown.append(_word(word) if right else f"<b><i>{_word(word)}</i>{''.join(cells)}</b>")
    speaker = f"<p>{text(title)}</p>" if parts[0].said_by else ""
    return f'{speaker}<p class="{f"w {called}".strip()}">{" ".join(shown)}</p>'


_SAME, _WORD = "<i>=</i>", math.inf


def _cells(pairs: Sequence[Pair]) -> dict[tuple[int, float], str]:
    """Return the answers by the place of the word that was said; those inserted before it are numbered from 0."""
    cells: dict[tuple[int, float], str] = {}
    place = inserted = 0
    for a, b in pairs:
        if a is None:
            cells[place, inserted] = f"<ins>I {_word(b or '')}</ins>"
            inserted += 1
        else:
            cells[place, _WORD] = _SAME if a == b else f"<u>S {_word(b)}</u>" if b else "<s>D</s>"
            place, inserted = place + 1, 0
    return cells


def _word(word: str) -> str:
    return text(word[:LONGEST])
