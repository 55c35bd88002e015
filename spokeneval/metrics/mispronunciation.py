"""Mispronunciation detection and diagnosis: which phones of a learner are not canonical, and what they are instead.

Each utterance has three transcripts in phones: canonical, annotated (by a human) and recognised (by a system).
Annotated and recognised phones are each aligned with the canonical ones (`alignment.partners`) and compared at each
canonical phone:

- annotated as canonical: a true acceptance if it is also recognised as canonical, otherwise a false rejection;
- annotated otherwise, as another phone or as missing: a false acceptance if it is recognised as canonical, otherwise a
  true rejection, whose diagnosis is correct if what is recognised is what was annotated.

Phones that are inserted between two canonical phones, or at an end, count in the same way, as one place where the
canonical pronunciation has nothing. Places where neither side has an insertion do not count.

Rates are fractions. F1, precision and recall are undefined unless both correct and mispronounced phones occur, the
false rejection rate without correct phones, the false acceptance rate without mispronounced ones (see `counts`).

Source: Qian, Meng and Soong, Capturing L2 segmental mispronunciations with joint-sequence models in computer-aided
pronunciation training (ISCSLP 2010); Leung, Liu and Meng, CNN-RNN-CTC based end-to-end mispronunciation detection and
diagnosis (ICASSP 2019), for the rates. How insertions count is not published; it is defined here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from . import classification
from .alignment import partners
from .classification import BinaryCounts
from .counts import Counts, Number, ratio
from .edit_distance import encode
from .shares import f1_of_shares, of_shares

Phones = Sequence[Hashable]


@dataclass(frozen=True)
class Detections(Counts):
    """Places of canonical pronunciations, counted by what was annotated and recognised.

    Attributes
    ----------
    true_acceptances, false_rejections
        Places annotated as canonical: recognised as canonical, and recognised otherwise.
    false_acceptances
        Mispronounced places that are recognised as canonical.
    correct_diagnoses, diagnostic_errors
        The true rejections: mispronounced places recognised as annotated, and those recognised as neither canonical nor
        annotated.
    """

    true_acceptances: Number
    false_rejections: Number
    false_acceptances: Number
    correct_diagnoses: Number
    diagnostic_errors: Number


def detections_per_utterance(
    canonical: Sequence[Phones], annotated: Sequence[Phones], recognised: Sequence[Phones]
) -> Detections:
    """Return the counts of each utterance: one row per utterance.

    Parameters
    ----------
    canonical, annotated, recognised
        The phones of n utterances, in the same order.

    Examples
    --------
    The system detects the wrong vowel, but takes it for another one. It does not detect the missing t.

    >>> rows = detections_per_utterance([["k", "ae", "t", "s"]], [["k", "ah", "s"]], [["k", "eh", "t", "s"]])
    >>> rows.true_acceptances, rows.false_acceptances, rows.diagnostic_errors
    (array([2]), array([1]), array([1]))
    """
    counts = np.zeros((5, len(canonical)), dtype=np.int64)
    sides = zip(_places(canonical, annotated), _places(canonical, recognised))
    for row, (said, heard) in enumerate(sides):
        expected = [part for phone in canonical[row] for part in ((), (phone,))] + [()]
        for right, spoken, found in zip(expected, said, heard):
            if right or spoken or found:
                accepted = found == right
                if spoken == right:
                    counts[0 if accepted else 1, row] += 1
                else:
                    counts[2 if accepted else 3 if found == spoken else 4, row] += 1
    return Detections(*counts)


def _places(canonical: Sequence[Phones], spoken: Sequence[Phones]) -> Iterator[list[tuple[Hashable, ...]]]:
    """What each utterance has at each place: before the first canonical phone, at it, before the second, at it, ..."""
    sides = encode(canonical, spoken)
    found, end = partners(*sides).tolist(), 0
    for phones, length in zip(spoken, sides[0].lengths.tolist()):
        places: list[tuple[Hashable, ...]] = []
        last, start, end = 0, end, end + length
        for place in found[start:end]:
            if place < 0:
                places += [(), ()]
            else:
                places += [tuple(phones[last:place]), (phones[place],)]
                last = place + 1
        yield [*places, tuple(phones[last:])]


def _true_rejections(counts: Detections) -> Number:
    return counts.correct_diagnoses + counts.diagnostic_errors


def _decisions(counts: Detections) -> BinaryCounts:
    """The mispronounced places are positive."""
    found = (_true_rejections(counts), counts.false_rejections)
    return BinaryCounts(*found, counts.false_acceptances, counts.true_acceptances)


@of_shares(
    lambda counts: (
        _true_rejections(counts),
        _true_rejections(counts) + counts.false_rejections + counts.false_acceptances,
    ),
    f1_of_shares,
)
def f1(counts: Detections) -> Number:
    """Return the F1 of detected mispronunciations.

    >>> f1(Detections(8, 1, 1, 2, 1))
    0.75
    """
    return classification.f1(_decisions(counts))


@of_shares(lambda counts: (_true_rejections(counts), _true_rejections(counts) + counts.false_rejections))
def precision(counts: Detections) -> Number:
    """Return the share of the rejected places that are mispronounced; 0 if none is rejected.

    >>> precision(Detections(8, 1, 0, 2, 1))
    0.75
    """
    return classification.precision(_decisions(counts))


@of_shares(lambda counts: (_true_rejections(counts), _true_rejections(counts) + counts.false_acceptances))
def recall(counts: Detections) -> Number:
    """Return the share of the mispronounced places that are rejected.

    >>> recall(Detections(8, 0, 1, 2, 1))
    0.75
    """
    return classification.recall(_decisions(counts))


@of_shares(lambda counts: (counts.false_rejections, counts.true_acceptances + counts.false_rejections))
def false_rejection_rate(counts: Detections) -> Number:
    """Return FR / (TA + FR): the share of the correct places that are rejected.

    >>> false_rejection_rate(Detections(3, 1, 0, 2, 1))
    0.25
    """
    accepted = counts.true_acceptances + counts.false_rejections
    return ratio(counts.false_rejections, accepted, "false rejection rate without a correct phone")


@of_shares(lambda counts: (counts.false_acceptances, _true_rejections(counts) + counts.false_acceptances))
def false_acceptance_rate(counts: Detections) -> Number:
    """Return FA / (FA + TR): the share of the mispronounced places that are accepted.

    >>> false_acceptance_rate(Detections(8, 0, 1, 2, 1))
    0.25
    """
    mispronounced = _true_rejections(counts) + counts.false_acceptances
    return ratio(counts.false_acceptances, mispronounced, "false acceptance rate without a mispronunciation")


@of_shares(lambda counts: (counts.diagnostic_errors, _true_rejections(counts)))
def diagnostic_error_rate(counts: Detections) -> Number:
    """Return DE / (CD + DE): the share of the true rejections with a wrong diagnosis; 1 without a true rejection.

    >>> diagnostic_error_rate(Detections(8, 1, 1, 3, 1)), diagnostic_error_rate(Detections(8, 1, 1, 0, 0))
    (0.25, 1.0)
    """
    rejected = _true_rejections(counts)
    none = rejected == 0
    return ratio(counts.diagnostic_errors + none, rejected + none, "diagnostic error rate")
