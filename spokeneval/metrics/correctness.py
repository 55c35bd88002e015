"""Correctness of a naming response: correct or incorrect (PSST Challenge, Task B).

*Correct* is the positive class. Rates are fractions, higher is better. F1 without a true positive and precision
without a positive prediction are 0; all rates are undefined for a reference in which only one class occurs
(`counts` documents undefined results).

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B; the two zeros, where
the challenge's own tool divides by zero, are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .counts import Number, add, check_counts, number_or_array, ratio, total
from .phoneme_recognition import drop_fillers


@dataclass(frozen=True)
class CorrectnessCounts:
    """Predictions counted against the reference.

    Attributes
    ----------
    true_positives: correct responses, predicted correct.
    false_positives: incorrect responses, predicted correct.
    false_negatives: correct responses, predicted incorrect.
    true_negatives: incorrect responses, predicted incorrect.

    Examples
    --------
    >>> CorrectnessCounts(1, 0, 1, 2) + CorrectnessCounts(2, 1, 0, 3) == CorrectnessCounts(3, 1, 1, 5)
    True
    """

    true_positives: Number
    false_positives: Number
    false_negatives: Number
    true_negatives: Number

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: CorrectnessCounts) -> CorrectnessCounts:
        return add(self, other)


def predictions_per_response(reference: np.ndarray, prediction: np.ndarray) -> CorrectnessCounts:
    """Each prediction against the reference: one row per response, 1 in one of the four counts.

    Parameters
    ----------
    reference, prediction: bool, shape=(n,), n > 0: True for correct, in the same order.

    Raises
    ------
    ValueError: another type or shape, different lengths, or no response.

    Examples
    --------
    >>> rows = predictions_per_response([True, False, False], [True, True, False])
    >>> rows.true_positives.tolist(), rows.false_positives.tolist(), rows.true_negatives.tolist()
    ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    """
    correct, predicted = _booleans("reference", reference), _booleans("prediction", prediction)
    if len(correct) != len(predicted):
        raise ValueError(
            f"{len(correct)} reference values and {len(predicted)} predictions; expected the same number"
        )
    return CorrectnessCounts(
        true_positives=(correct & predicted).astype(np.int64),
        false_positives=(~correct & predicted).astype(np.int64),
        false_negatives=(correct & ~predicted).astype(np.int64),
        true_negatives=(~correct & ~predicted).astype(np.int64),
    )


def count_predictions(reference: np.ndarray, prediction: np.ndarray) -> CorrectnessCounts:
    """The rows of `predictions_per_response`, added up.

    >>> count_predictions([True, True, False, False], [True, False, True, False]) == CorrectnessCounts(1, 1, 1, 1)
    True
    """
    return total(predictions_per_response(reference, prediction))


def f1(counts: CorrectnessCounts) -> Number:
    """F1 = 2 tp / (2 tp + fp + fn); 0 without a true positive.

    >>> f1(CorrectnessCounts(3, 1, 1, 5))
    0.75
    >>> rows = np.array([[3, 1, 1, 5], [0, 0, 4, 6], [4, 0, 6, 0]])
    >>> f1(CorrectnessCounts(*rows.T)).tolist()
    [0.75, 0.0, nan]
    """
    twice = 2 * counts.true_positives
    return _rate(counts, twice, twice + counts.false_positives + counts.false_negatives)


def precision(counts: CorrectnessCounts) -> Number:
    """tp / (tp + fp); 0 where nothing is predicted correct.

    >>> precision(CorrectnessCounts(3, 1, 1, 5))
    0.75
    """
    predicted_correct = counts.true_positives + counts.false_positives
    return _rate(counts, counts.true_positives, np.maximum(predicted_correct, 1))  # 0 / 1 without any


def recall(counts: CorrectnessCounts) -> Number:
    """tp / (tp + fn), the share of correct responses that are predicted correct.

    >>> recall(CorrectnessCounts(3, 1, 1, 5))
    0.75
    """
    return _rate(counts, counts.true_positives, counts.true_positives + counts.false_negatives)


def accuracy(counts: CorrectnessCounts) -> Number:
    """(tp + tn) / all responses.

    >>> accuracy(CorrectnessCounts(3, 1, 1, 5))
    0.8
    """
    right = counts.true_positives + counts.true_negatives
    return _rate(counts, right, right + counts.false_positives + counts.false_negatives)


def balanced_accuracy(counts: CorrectnessCounts) -> Number:
    """The mean of the two classes' recalls: (tp / (tp + fn) + tn / (tn + fp)) / 2.

    >>> balanced_accuracy(CorrectnessCounts(3, 1, 2, 4))  # (3 / 5 + 4 / 5) / 2
    0.7
    """
    incorrect = counts.true_negatives + counts.false_positives
    return (recall(counts) + _rate(counts, counts.true_negatives, incorrect)) / 2


def specificity(counts: CorrectnessCounts) -> Number:
    """tn / (tn + fp), the share of incorrect responses that are predicted incorrect.

    >>> specificity(CorrectnessCounts(3, 1, 2, 4))
    0.8
    """
    return _rate(counts, counts.true_negatives, counts.true_negatives + counts.false_positives)


def matthews_correlation(counts: CorrectnessCounts) -> Number:
    """(tp tn - fp fn) / sqrt((tp + fp) (tp + fn) (tn + fp) (tn + fn)); 0 where all predictions are the same.

    The correlation of reference and prediction, from -1 to 1.
    Source: Matthews (1975), "Comparison of the predicted and observed secondary structure of T4 phage lysozyme"; the
    zero is scikit-learn's.

    >>> matthews_correlation(CorrectnessCounts(8, 2, 2, 8))  # (64 - 4) / 100
    0.6
    """
    right = counts.true_positives * counts.true_negatives
    wrong = counts.false_positives * counts.false_negatives
    predicted_correct = counts.true_positives + counts.false_positives
    predicted_incorrect = counts.true_negatives + counts.false_negatives
    correct = counts.true_positives + counts.false_negatives
    incorrect = counts.true_negatives + counts.false_positives
    spread = np.sqrt(predicted_correct * predicted_incorrect) * np.sqrt(correct * incorrect)
    return _rate(counts, right - wrong, np.maximum(spread, 1))  # 0 / 1 where all predictions are the same


def contains_pronunciation(phones: Sequence[str], pronunciations: Iterable[Sequence[str]]) -> bool:
    """Whether a transcript, its fillers dropped, contains an accepted pronunciation as a run of whole phones.

    This is the challenge's rule for a perfect transcript ("a simple substring function"), about 99 % accurate.

    Parameters
    ----------
    phones: the transcript.
    pronunciations: the prompt's accepted ones, each a sequence of phones.

    Raises
    ------
    ValueError: no pronunciation, an empty one, or a string in place of phones.

    Examples
    --------
    >>> contains_pronunciation(["AH", "<sil>", "T", "IY"], [["T", "IY"]])
    True
    >>> contains_pronunciation(["T", "AH", "IY"], [["T", "IY"]])
    False
    """
    accepted = list(pronunciations)
    if not accepted:
        raise ValueError("0 accepted pronunciations; expected at least one")
    for sequence in (phones, *accepted):
        if isinstance(sequence, str):
            raise ValueError(f"{sequence!r} is a string; expected a sequence of phones")
    if not all(accepted):
        raise ValueError(f"an accepted pronunciation has no phones: {accepted!r}")
    transcript = f" {' '.join(drop_fillers(phones))} "
    return any(f" {' '.join(pronunciation)} " in transcript for pronunciation in accepted)


def _booleans(name: str, values: np.ndarray) -> np.ndarray:
    array = np.asarray(values)
    if array.size == 0:
        raise ValueError(f"{name}: 0 responses; nothing to score")
    if array.dtype != bool or array.ndim != 1:
        raise ValueError(f"{name} is {values!r}; expected booleans of shape (n,)")
    return array


def _rate(counts: CorrectnessCounts, numerator: Number, denominator: Number) -> Number:
    """The ratio; undefined where the reference has only one class."""
    correct = counts.true_positives + counts.false_negatives
    incorrect = counts.true_negatives + counts.false_positives
    both_classes = number_or_array(np.logical_and(correct, incorrect))
    if both_classes is False:
        raise ValueError(
            f"the reference has {correct} correct and {incorrect} incorrect responses; expected both"
        )
    return ratio(numerator, denominator * both_classes, "a rate of correctness")
