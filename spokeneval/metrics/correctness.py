"""Predictions whether a naming response is correct or incorrect (PSST Challenge, Task B).

*Correct* is the positive class. Rates are fractions, and higher is better. In the formulas TP, FP, FN and TN are the
fields of `CorrectnessCounts`. F1 without a true positive and precision without a positive prediction are 0. All rates
are undefined if only one class occurs in the reference (`counts` documents undefined results).

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B. The two zeros are not from this
source: the challenge's own tool divides by zero there.
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
    true_positives
        TP, the number of correct responses predicted correct.
    false_positives
        FP, the number of incorrect responses predicted correct.
    false_negatives
        FN, the number of correct responses predicted incorrect.
    true_negatives
        TN, the number of incorrect responses predicted incorrect.

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

    @property
    def f1(self) -> Number:
        """See `f1`."""
        return f1(self)

    @property
    def precision(self) -> Number:
        """See `precision`."""
        return precision(self)

    @property
    def recall(self) -> Number:
        """See `recall`."""
        return recall(self)

    @property
    def accuracy(self) -> Number:
        """See `accuracy`."""
        return accuracy(self)


def predictions_per_response(reference: np.ndarray, prediction: np.ndarray) -> CorrectnessCounts:
    """Count each prediction against the reference.

    Parameters
    ----------
    reference, prediction : array_like of bool, shape (n,), n > 0
        True for correct responses, in the same order.

    Returns
    -------
    CorrectnessCounts
        One row for each response, with 1 in one of the four counts.

    Raises
    ------
    ValueError
        The arrays have another type or shape, have different lengths, or are empty.

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
    """The total of `predictions_per_response`.

    Examples
    --------
    >>> count_predictions([True, True, False, False], [True, False, True, False]) == CorrectnessCounts(1, 1, 1, 1)
    True
    """
    return total(predictions_per_response(reference, prediction))


def f1(counts: CorrectnessCounts) -> Number:
    r"""F1, the harmonic mean of precision and recall; 0 without a true positive.

    .. math:: F_1 = \frac{2\,TP}{2\,TP + FP + FN}

    Examples
    --------
    >>> f1(CorrectnessCounts(3, 1, 1, 5))
    0.75
    >>> rows = np.array([[3, 1, 1, 5], [0, 0, 4, 6], [4, 0, 6, 0]])
    >>> f1(CorrectnessCounts(*rows.T)).tolist()
    [0.75, 0.0, nan]
    """
    twice = 2 * counts.true_positives
    return _rate(counts, twice, twice + counts.false_positives + counts.false_negatives)


def precision(counts: CorrectnessCounts) -> Number:
    """Precision, TP / (TP + FP): the share of the responses predicted correct that are correct; 0 if there are none.

    Examples
    --------
    >>> precision(CorrectnessCounts(3, 1, 1, 5))
    0.75
    """
    predicted_correct = counts.true_positives + counts.false_positives
    return _rate(counts, counts.true_positives, np.maximum(predicted_correct, 1))  # 0 / 1 if there are none


def recall(counts: CorrectnessCounts) -> Number:
    """Recall, TP / (TP + FN): the share of the correct responses that are predicted correct.

    Examples
    --------
    >>> recall(CorrectnessCounts(3, 1, 1, 5))
    0.75
    """
    return _rate(counts, counts.true_positives, counts.true_positives + counts.false_negatives)


def accuracy(counts: CorrectnessCounts) -> Number:
    """Accuracy, (TP + TN) / (TP + FP + FN + TN): the share of the responses with the right prediction.

    Examples
    --------
    >>> accuracy(CorrectnessCounts(3, 1, 1, 5))
    0.8
    """
    right = counts.true_positives + counts.true_negatives
    return _rate(counts, right, right + counts.false_positives + counts.false_negatives)


def balanced_accuracy(counts: CorrectnessCounts) -> Number:
    r"""Balanced accuracy: the mean of the recalls of both classes.

    .. math:: \frac{1}{2} \left( \frac{TP}{TP + FN} + \frac{TN}{TN + FP} \right)

    Examples
    --------
    >>> balanced_accuracy(CorrectnessCounts(3, 1, 2, 4))  # (3 / 5 + 4 / 5) / 2
    0.7
    """
    incorrect = counts.true_negatives + counts.false_positives
    return (recall(counts) + _rate(counts, counts.true_negatives, incorrect)) / 2


def specificity(counts: CorrectnessCounts) -> Number:
    """Specificity, TN / (TN + FP): the share of the incorrect responses that are predicted incorrect.

    Examples
    --------
    >>> specificity(CorrectnessCounts(3, 1, 2, 4))
    0.8
    """
    return _rate(counts, counts.true_negatives, counts.true_negatives + counts.false_positives)


def matthews_correlation(counts: CorrectnessCounts) -> Number:
    r"""Matthews correlation of reference and prediction, from -1 to 1; 0 if all predictions are the same.

    .. math:: \frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP + FP) (TP + FN) (TN + FP) (TN + FN)}}

    Source: Matthews (1975), "Comparison of the predicted and observed secondary structure of T4 phage lysozyme"; the
    zero is scikit-learn's.

    Examples
    --------
    >>> matthews_correlation(CorrectnessCounts(8, 2, 2, 8))  # (64 - 4) / 100
    0.6
    """
    right = counts.true_positives * counts.true_negatives
    wrong = counts.false_positives * counts.false_negatives
    predicted_correct = counts.true_positives + counts.false_positives
    predicted_incorrect = counts.true_negatives + counts.false_negatives
    correct = counts.true_positives + counts.false_negatives
    incorrect = counts.true_negatives + counts.false_positives
    # One root of one product of floats: two roots make 1.0000000000000002 of perfect predictions.
    spread = np.sqrt(np.multiply(predicted_correct * predicted_incorrect, correct * incorrect, dtype=float))
    return _rate(counts, right - wrong, np.maximum(spread, 1))  # 0 / 1 if all predictions are the same


def contains_pronunciation(phones: Sequence[str], pronunciations: Iterable[Sequence[str]]) -> bool:
    """Whether a transcript without its fillers contains an accepted pronunciation, as consecutive whole phones.

    This is the challenge's rule for a perfect transcript ("a simple substring function"), about 99 % accurate.

    Parameters
    ----------
    phones : sequence of str
        The transcript.
    pronunciations : iterable of sequences of str
        The accepted pronunciations of the prompt.

    Returns
    -------
    bool
        True if the response counts as correct.

    Raises
    ------
    ValueError
        There is no pronunciation, one is empty, or a string is given in place of a sequence of phones.

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
        raise ValueError(f"{name} has 0 responses; expected at least one")
    if array.dtype != bool or array.ndim != 1:
        raise ValueError(f"{name} is {values!r}; expected booleans of shape (n,)")
    return array


def _rate(counts: CorrectnessCounts, numerator: Number, denominator: Number) -> Number:
    """The ratio; undefined if the reference has only one class."""
    correct = counts.true_positives + counts.false_negatives
    incorrect = counts.true_negatives + counts.false_positives
    both_classes = number_or_array(np.logical_and(correct, incorrect))
    if both_classes is False:
        raise ValueError(
            f"the reference has {correct} correct and {incorrect} incorrect responses; expected both"
        )
    return ratio(numerator, denominator * both_classes, "a rate of correctness")
