"""PSST Task A: phone confusions, feature errors, and aligned utterances, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...formats.sheets import Answers
from ...metrics import phoneme_recognition as metrics
from ...run.scoring import Scored
from ..largest import Errors, Group
from ..page import Html, code, figure, folded, lines, long_table, paragraph, section, table
from ..plots import GREY, colour_bar, plot, shade, squares
from ..speakers import groupings, speaker_section

NOTHING = "-"
WORDS = {"+": "+", "-": "-", "0": "0", "-+": "-+ (towards +)", "+-": "+- (towards -)"}

_COMMONEST = 25
_WORST = 30
_LONGEST = 60
"""Number of alignment steps that are shown."""


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    said, heard = reference["transcript"].tolist(), submission["asr_transcript"].tolist()
    errors = scored.rows["errors"]
    rates = (
        ("FER (%)", lambda counts: 100 * metrics.fer(counts)),
        ("PER (%)", lambda counts: 100 * metrics.per(counts)),
    )
    parts = [
        _confusions(metrics.phone_confusions(said, heard)),
        _features(said, heard, errors),
        speaker_section(reference, errors, rates),
        _utterances(reference.items.ids, said, heard, errors),
    ]
    return [part for part in parts if part is not None]


def errors(reference: Answers, submission: Answers, scored: Scored) -> Errors:
    """Return the feature errors, also of each class of phones; insertions belong to no class."""
    counts = scored.rows["errors"]
    said, heard = reference["transcript"].tolist(), submission["asr_transcript"].tolist()
    found = _feature_errors(said, heard, counts)
    return Errors(
        np.asarray(counts.feature_cost, dtype=float),
        np.asarray(counts.reference_phones, dtype=float),
        ("the feature errors", "the phones"),
        groupings(reference),
        [Group("Phone class", name, cost, found.spoken[name]) for name, cost in found.by_class.items()],
    )


class _FeatureErrors(NamedTuple):
    """Feature errors, in the alignment that FER counts.

    Attributes
    ----------
    by_class: of substituted and deleted phones, by class.
    by_operation: of substitutions, insertions and deletions.
    changes: how often a feature changes: its name, and its values before and after.
    spoken: the number of reference phones of each class.
    """

    by_class: Mapping[str, float]
    by_operation: Mapping[str, float]
    changes: Mapping[tuple[str, str, str], int]
    spoken: Mapping[str, int]


def _feature_errors(
    said: Sequence[Sequence[str]], heard: Sequence[Sequence[str]], errors: metrics.RecognitionErrors
) -> _FeatureErrors:
    features = metrics.arpabet_features()
    class_of = dict(zip(features.phones, metrics.phone_classes(features)))
    by_class = dict.fromkeys(metrics.PHONE_CLASSES, 0.0)
    by_operation = {"substitution": 0.0, "insertion": 0.0, "deletion": 0.0}
    changes: Counter[tuple[str, str, str]] = Counter()
    for row in np.flatnonzero(errors.feature_cost > 0).tolist():
        for step in metrics.align(said[row], heard[row]):
            changes.update(step.changes)
            if step.operation != "match":
                by_operation[step.operation] += step.cost
            if step.reference is not None:
                by_class[class_of[step.reference]] += step.cost
    spoken = Counter(class_of[phone] for phones in said for phone in metrics.drop_fillers(phones))
    return _FeatureErrors(by_class, by_operation, changes, spoken)


def _confusions(counts: np.ndarray) -> Html:
    """Return the confusion matrix as shares of each phone, and a table of the most frequent errors."""
    table_of_features = metrics.arpabet_features()
    classes = metrics.phone_classes(table_of_features)
    order = sorted(range(len(classes)), key=lambda phone: metrics.PHONE_CLASSES.index(classes[phone]))
    phones = [table_of_features.phones[phone] for phone in order]
    runs = [(name, len(list(members))) for name, members in groupby(classes[phone] for phone in order)]
    counts = counts[np.ix_([*order, len(order)], [*order, len(order)])]
    said, heard = [*phones, "inserted"], [*phones, "deleted"]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.2, 0.11, 0.79, 0.79])
        rows, columns = np.nonzero(counts)
        colours = [shade(0.12 + 0.88 * share)[0] for share in shares[rows, columns].tolist()]
        squares(axes, rows, columns, colours)
        start = 0
        for name, members in runs:
            end = start + members
            for line in (axes.axhline, axes.axvline):
                line(end, color=GREY, linewidth=0.6)
            axes.text(-3, (start + end) / 2, name, ha="right", va="center", fontsize=8)
            axes.text((start + end) / 2, -0.6, name, ha="left", va="bottom", fontsize=8, rotation=45)
            start = end
        axes.set(xlim=(0, len(heard)), ylim=(len(said), 0), aspect="equal")
        axes.set_xticks(np.arange(len(heard)) + 0.5)
        axes.set_yticks(np.arange(len(said)) + 0.5)
        axes.set_xticklabels(heard, rotation=90, fontsize=8)
        axes.set_yticklabels(said, fontsize=8)
        axes.tick_params(length=0)
        axes.set_xlabel("Recognised")
        axes.set_ylabel("Reference", labelpad=62)
        colour_bar(canvas.add_axes([0.72, 0.025, 0.24, 0.016]), "share of the phone")

    flat = [
        (int(counts[row, column]), row, column) for row, column in zip(*np.nonzero(counts)) if row != column
    ]
    flat.sort(key=lambda found: (-found[0], found[1], found[2]))
    substitution = table_of_features.substitution_costs()[np.ix_(order, order)]
    indel = table_of_features.indel_costs()[order]
    nothing = len(phones)
    rows: list[list[Any]] = []
    for count, row, column in flat[:_COMMONEST]:
        if nothing in (row, column):
            cost = indel[min(row, column)]
        else:
            cost = substitution[row, column]
        rows.append(
            [
                f"{phones[row] if row < nothing else NOTHING} → {phones[column] if column < nothing else NOTHING}",
                count,
                f"{100 * shares[row, column]:.1f} %" if row < nothing else "",
                f"{cost:g}",
            ]
        )
    caption = "Reference phones (rows) and recognised phones (columns); a stronger colour is a larger share of the row"
    spoken = "; ".join(f"{row[0]} {row[1]} times" for row in rows[:5])
    svg = plot("phones", draw, width=8, height=8, narrowest=6.8)
    return section(
        "Phoneme confusions",
        folded(
            "Confusion matrix",
            figure(caption, f"{caption}. Most frequent errors: {spoken or 'none'}.", svg),
        ),
        long_table(
            "Most frequent errors",
            ["Reference → recognised", "Times", "Share of the phone", "Features, of 24"],
            rows,
        )
        if rows
        else paragraph("There are no substitutions, deletions or insertions."),
        paragraph(
            f"{NOTHING} → phone is an insertion, phone → {NOTHING} a deletion. As in PER, each error counts once.",
            kind="note",
        ),
    )


def _features(
    reference: Sequence[Sequence[str]], hypothesis: Sequence[Sequence[str]], errors: metrics.RecognitionErrors
) -> Html:
    """Return tables of feature errors."""
    found = _feature_errors(reference, hypothesis, errors)
    width, values = len(metrics.arpabet_features().features), metrics.FEATURE_VALUES
    ordered = sorted(found.changes.items(), key=lambda change: (-change[1], change[0]))
    rows: list[list[Any]] = [
        [
            feature,
            f"{WORDS[before]} to {WORDS[after]}",
            times,
            f"{times * abs(values[before] - values[after]) / 2:g}",
        ]
        for (feature, before, after), times in ordered[:_COMMONEST]
    ]
    total = sum(found.by_operation.values())
    shares = [
        [f"{name}s", f"{cost:g}", f"{100 * cost / total:.1f} %" if total else ""]
        for name, cost in found.by_operation.items()
    ]
    classes: list[list[Any]] = [
        [name, found.spoken[name], f"{cost:g}", f"{cost / found.spoken[name] / width:.4f}"]
        for name, cost in found.by_class.items()
        if found.spoken[name]
    ]
    return section(
        "Feature errors",
        table("Feature errors by operation", ["Operation", "Features", "Share"], shares),
        table(
            "Feature errors of substituted and deleted phones, by class",
            ["Class", "Reference phones", "Features", "Share of the class's features"],
            classes,
        ),
        long_table(
            "Most frequent changes of a feature", ["Feature", "Change", "Times", "Total features"], rows
        )
        if rows
        else None,
    )


def _utterances(
    ids: Sequence[str],
    said: Sequence[Sequence[str]],
    heard: Sequence[Sequence[str]],
    errors: metrics.RecognitionErrors,
) -> Html:
    cost = np.asarray(errors.feature_cost)
    rates = metrics.fer(errors)
    order = sorted(np.flatnonzero(cost > 0).tolist(), key=lambda row: (-cost[row], ids[row]))
    rows: list[list[Any]] = []
    for row in order[:_WORST]:
        steps = metrics.align(said[row], heard[row])
        rate = "no reference" if np.isnan(rates[row]) else f"{100 * rates[row]:.1f} %"
        rows.append([code(ids[row][:120]), f"{cost[row]:g}", rate, lines(trace(steps[:_LONGEST]))])
    flawless = len(cost) - len(order)
    return section(
        "Utterances, worst first",
        long_table(
            "Feature errors, and the alignment that FER counts",
            ["Utterance", "Features", "FER", "Alignment"],
            rows,
        )
        if rows
        else None,
        paragraph(
            f"{len(cost)} utterances, {flawless} of them without errors"
            + (
                f"; {len(order) - len(rows)} more with errors are not shown."
                if len(order) > len(rows)
                else "."
            ),
            kind="note",
        ),
    )


def trace(steps: Sequence[metrics.Step]) -> list[str]:
    """Return the aligned reference and recognised phones in two lines."""
    pairs = [(step.reference or NOTHING, step.hypothesis or NOTHING) for step in steps]
    widths = [max(map(len, pair)) for pair in pairs]
    said, heard = (" ".join(map(str.ljust, side, widths)).rstrip() for side in zip(*pairs))
    return [f"said   {said}", f"heard  {heard}"]
