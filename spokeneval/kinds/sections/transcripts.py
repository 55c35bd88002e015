"""Sections on transcripts: the symbols with the most errors, and the most frequent errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Optional

import numpy as np

from ...metrics.alignment import cheapest_path, compound_path
from ...metrics.phoneme_recognition import FeatureTable
from ...metrics.transcript_errors import best_references, without_unknown
from ...report.page import Content, Html, lines, long_table, paragraph, percent, section
from ...scoring.scored import Scored
from ..transcripts import TranscriptsKind
from .alignments import NOTHING, Pair, Part, aligned_lines, short_enough

COMMONEST = 25
LARGEST = 1_000_000
"""Cells of the table of an alignment; longer items are not aligned."""


def sections(kind: TranscriptsKind, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the section on the symbols with the most errors; in features, if phones have them."""
    units, table = kind.units, kind.feature_table()
    unit = units[:-1]
    said, heard, flawed, aligned = _best(kind, reference, submission)
    errors: Counter[tuple[Optional[str], Optional[str]]] = Counter()
    for row in aligned:
        pairs = _aligned(said[row], heard[row], bool(kind.compounds))
        errors.update(pair for pair in pairs if pair[0] != pair[1])
    spoken = Counter(chain.from_iterable(said))
    wrong: Counter[str] = Counter()
    for (word, _), times in errors.items():
        if word is not None:
            wrong[word] += times
    worst = sorted(wrong, key=lambda word: (-wrong[word], word))[:COMMONEST]
    commonest = sorted(errors.items(), key=lambda found: (-found[1], found[0][0] or "", found[0][1] or ""))
    rows: list[list[Any]] = [
        [
            f"{a or NOTHING} → {b or NOTHING}",
            times,
            *([f"{_cost(table, a, b):g}"] if table else []),
        ]
        for (a, b), times in commonest[:COMMONEST]
    ]
    header = ["Reference → recognised", "Times", *([f"Features, of {len(table.features)}"] if table else [])]
    notes = [
        f"{NOTHING} → {unit} is an insertion, {unit} → {NOTHING} a deletion. Each item is compared with the reference "
        "that gives it the fewest errors."
    ]
    if len(aligned) < len(flawed):
        notes.append(
            f"Of the {len(flawed)} items with errors, {len(aligned)} are counted here; the others are too long."
        )
    return [
        section(
            f"{units.capitalize()} with the most errors",
            long_table(
                f"{units.capitalize()} of the reference that are most often wrong or missing",
                [unit.capitalize(), "Wrong", "Times in the reference", "Share"],
                [[word, wrong[word], spoken[word], percent(wrong[word], spoken[word])] for word in worst],
            )
            if worst
            else None,
            long_table("Most frequent errors", header, rows)
            if flawed
            else paragraph("There are no substitutions, deletions or insertions."),
            paragraph(*notes, kind="note"),
        )
    ]


def answers(
    kind: TranscriptsKind, reference: Any, submission: Any, rows: Sequence[int]
) -> dict[str, list[Content]]:
    """Return the aligned reference and transcript of some items; see `aligned_lines`."""
    return {
        "Alignment": [
            "too long" if part.pairs is None else lines(aligned_lines(part.pairs))
            for (part,) in aligned(kind, reference, submission, rows)
        ]
    }


def aligned(kind: TranscriptsKind, reference: Any, submission: Any, rows: Sequence[int]) -> list[list[Part]]:
    """Return the alignments of some items."""
    said, heard, flawed, short = _best(kind, reference, submission)
    long = {*flawed}.difference(short)
    made = partial(_aligned, merge_compounds=bool(kind.compounds))
    return [[Part("", "", None if row in long else [*made(said[row], heard[row])])] for row in rows]


def _best(
    kind: TranscriptsKind, reference: Any, submission: Any
) -> tuple[list[Any], list[Any], list[int], list[int]]:
    """Return the reference with the fewest errors of each item, its transcript, the items with errors, and of these
    those that are short enough to be aligned."""
    references, heard = kind.expected(reference), kind.given(submission)
    flat = list(chain.from_iterable(references))
    owner = [place for place, row in enumerate(references) for _ in row]
    rows, best = best_references(flat, heard, owner, **kind.chosen)
    said = [flat[place] for place in best]
    if kind.chosen["unknown"]:
        said, heard = without_unknown(said, heard, kind.chosen["unknown"])
    flawed = np.flatnonzero(rows.wrong).tolist()
    heard = [words if wrong else right for words, right, wrong in zip(heard, said, rows.wrong.tolist())]
    within = short_enough([(len(said[row]) + 1) * (len(heard[row]) + 1) for row in flawed], LARGEST)
    return said, heard, flawed, [row for row, kept in zip(flawed, within.tolist()) if kept]


def _cost(table: FeatureTable, said: Optional[str], heard: Optional[str]) -> float:
    """Return the cost of an error in features."""
    place = {phone: number for number, phone in enumerate(table.phones)}
    if said is None or heard is None:
        return float(table.indel_costs()[place[said or heard or ""]])
    return float(table.substitution_costs()[place[said], place[heard]])


def _aligned(said: Sequence[str], heard: Sequence[str], merge_compounds: bool = False) -> Iterator[Pair]:
    """Yield the pairs of the alignment with the fewest errors, and of these the most substitutions."""
    if said == heard:
        yield from zip(said, heard)
        return
    if merge_compounds:
        yield from compound_path(said, heard)
        return
    symbols = sorted({*said, *heard})
    number = {symbol: place for place, symbol in enumerate(symbols)}
    first, second = (np.array([number[symbol] for symbol in side], dtype=np.int64) for side in (said, heard))
    error = len(said) + len(heard) + 1  # outweighs any number of insertions and deletions
    substitution = error * (1 - np.eye(len(symbols), dtype=np.int64))
    for a, b in cheapest_path(first, second, substitution, np.full(len(symbols), error + 1)):
        yield None if a is None else symbols[a], None if b is None else symbols[b]
