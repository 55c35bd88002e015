"""One public table against one hidden reference: does a column, or the order of the rows, give a label away?

A column of a hidden reference is *secret* if no public item list (input data, public data) has a column of
that name, unless it names speakers, or if its name says that it is a label. Values are compared after case folding,
numbers as numbers, and up to a one-to-one renaming of classes (accept/reject for correct/incorrect).
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from speechbundles.check.text_tables import SEGMENT, SEGMENT_PARTS, TextTable
from speechbundles.model.finding import Report
from spokeneval.formats.speakers import SPEAKER_COLUMNS

_LABELS = re.compile(
    r"language|meaning|labels?|language_tag|gold|target|truth|answer|class|y|reference|"
    r"(is_)?correct(ness)?|transcript(_arpabet)?|human(_?score|\d+)|score|rating"
)
ITEMS_ONLY = re.compile(
    r"(.*_)?(id|name|start|end|onset|offset|duration|length|session|file|filename|wavfile|path|audio|region)"
)
FEWEST_SHARED = 8
_MOST_CLASSES = 20


def match_table(
    report: Report, reference: TextTable, public: TextTable, carried: set[str], predicted: bool
) -> None:
    joined = _join(reference, public)
    if joined is None:
        return
    used, pairs = joined
    if SEGMENT in used:
        used.update(SEGMENT_PARTS)
    secret = [
        name
        for name in reference.columns
        if name not in (*used, SEGMENT, *SPEAKER_COLUMNS) and (name not in carried or _LABELS.fullmatch(name))
    ]
    for name in secret:
        truth = [reference.columns[name][row] for row, _ in pairs]
        if len(set(truth)) < 2:
            continue
        for column, values in public.columns.items():
            shown = [values[row] for _, row in pairs]
            if column in used or not _reproduces(truth, shown, column == name, predicted):
                continue
            text = f"column {column!r} gives {name!r} of {reference.where} away, for {len(pairs)} rows"
            report.add("leak-column", public.where, text)
            return
    if predicted:
        return
    for name in secret:
        if ITEMS_ONLY.fullmatch(name):
            continue
        truth = [reference.columns[name][row] for row, _ in pairs]
        if _is_sorted_by(truth) and not _is_grouped(reference, name):
            text = f"{len(pairs)} items in {_runs(truth)} blocks by {name!r} of {reference.where}"
            report.add("leak-order", public.where, text)
            return


def _join(reference: TextTable, public: TextTable) -> tuple[set[str], list[tuple[int, int]]] | None:
    """The columns that identify items, and the pairs of rows (reference, public) of one item."""
    best: tuple[set[str], list[tuple[int, int]]] | None = None
    candidates: list[tuple[set[str], Sequence[Any], Sequence[Any]]] = [
        ({key, column}, reference.columns[key], values)
        for key in reference.unique
        for column, values in public.columns.items()
    ]
    shared = [name for name in reference.columns if name in public.columns and not _LABELS.fullmatch(name)]
    if len(shared) > 1:
        tuples, others = (
            list(zip(*(table.columns[name] for name in shared), strict=True)) for table in (reference, public)
        )
        if len(set(tuples)) == len(tuples):
            candidates.append((set(shared), tuples, others))
    for used, keys, values in candidates:
        rows = {key: row for row, key in enumerate(keys)}
        pairs = [(rows[value], row) for row, value in enumerate(values) if value in rows]
        items = len({row for row, _ in pairs})
        enough = items >= FEWEST_SHARED and (2 * len(pairs) >= len(values) or 2 * items >= len(rows))
        if enough and (best is None or len(pairs) > len(best[1])):
            best = used, pairs
    return best


def _reproduces(truth: list[str], shown: list[str], same_name: bool, predicted: bool) -> bool:
    """Whether a public column tells a secret one, far beyond naming the commonest class throughout."""
    agreement = max(_agreement(truth, shown), _agreement_renamed(truth, shown))
    if predicted and not same_name:
        return agreement == 1
    commonest = max(Counter(truth).values()) / len(truth)
    return agreement >= 0.9 and agreement - commonest >= 0.5 * (1 - commonest)


def _agreement(truth: list[str], shown: list[str]) -> float:
    return sum(map(str.__eq__, truth, shown)) / len(truth)


def _agreement_renamed(truth: list[str], shown: list[str]) -> float:
    """Agreement under the best one-to-one renaming of few classes; 0 where there is none."""
    classes = set(shown)
    if not 2 <= len(classes) <= _MOST_CLASSES or len(set(truth)) > _MOST_CLASSES:
        return 0.0
    commonest_last = reversed(Counter(zip(shown, truth, strict=True)).most_common())
    renamed = {value: (label, count) for (value, label), count in commonest_last}
    if len({label for label, _ in renamed.values()}) < len(classes):
        return 0.0
    return sum(count for _, count in renamed.values()) / len(truth)


def _runs(labels: list[str]) -> int:
    return 1 + sum(map(str.__ne__, labels, labels[1:]))


def _is_sorted_by(labels: list[str]) -> bool:
    """Whether the labels stand in far fewer blocks than a random order would give."""
    counts = Counter(labels)
    if not 2 <= len(counts) <= _MOST_CLASSES // 2:
        return False
    expected = 1 + len(labels) - sum(count * count for count in counts.values()) / len(labels)
    return expected >= 8 and _runs(labels) <= min(0.3 * expected, max(len(counts), 0.1 * expected))


def _is_grouped(reference: TextTable, name: str) -> bool:
    """Whether the column only repeats another grouping (a session's severity, say) that orders the items."""
    labels = reference.columns[name]
    for other, groups in reference.columns.items():
        distinct = len(set(groups))
        if other == name or _LABELS.fullmatch(other) or not len(set(labels)) <= distinct <= len(labels) / 2:
            continue
        if len(set(zip(groups, labels, strict=True))) == distinct:
            return True
    return False
