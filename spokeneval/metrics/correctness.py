"""Correctness of a naming response: correct or incorrect (PSST Challenge, Task B).

*Correct* is the positive class. Rates are fractions, higher is better. F1 without a true positive and
precision without a positive prediction are 0; a reference in which only one class occurs has no rates.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B; the two zeros, where
the challenge's own tool divides by zero, are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spokeneval.metrics.phoneme_recognition import drop_fillers


@dataclass(frozen=True)
class CorrectnessCounts:
    """Predictions counted against the reference; `+` pools two sets of responses.

    Raises ValueError for a negative count. Each rate raises ValueError where the reference has only one
    class.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name} is {value!r}; expected a number from 0")

    def __add__(self, other: CorrectnessCounts) -> CorrectnessCounts:
        return CorrectnessCounts(
            true_positives=self.true_positives + other.true_positives,
            false_positives=self.false_positives + other.false_positives,
            false_negatives=self.false_negatives + other.false_negatives,
            true_negatives=self.true_negatives + other.true_negatives,
        )

    @property
    def f1(self) -> float:
        """F1 = 2 tp / (2 tp + fp + fn); 0 without a true positive."""
        self._require_both_classes()
        return (
            2 * self.true_positives / (2 * self.true_positives + self.false_positives + self.false_negatives)
        )

    @property
    def precision(self) -> float:
        """tp / (tp + fp); 0 where nothing is predicted correct."""
        self._require_both_classes()
        return self.true_positives / max(self.true_positives + self.false_positives, 1)

    @property
    def recall(self) -> float:
        """tp / (tp + fn)."""
        self._require_both_classes()
        return self.true_positives / (self.true_positives + self.false_negatives)

    @property
    def accuracy(self) -> float:
        """(tp + tn) / all responses."""
        self._require_both_classes()
        right = self.true_positives + self.true_negatives
        return right / (right + self.false_positives + self.false_negatives)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the two classes' recalls: (tp / (tp + fn) + tn / (tn + fp)) / 2."""
        return (self.recall + self.true_negatives / (self.true_negatives + self.false_positives)) / 2

    def _require_both_classes(self) -> None:
        correct = self.true_positives + self.false_negatives
        incorrect = self.true_negatives + self.false_positives
        if not (correct and incorrect):
            raise ValueError(
                f"the reference has {correct} correct and {incorrect} incorrect responses; expected both"
            )


def count_predictions(reference: np.ndarray, prediction: np.ndarray) -> CorrectnessCounts:
    """Count predictions against the reference.

    reference, prediction: booleans, True for correct; shape (n,), n > 0, in the same order.
    Raises ValueError for another type or shape, different lengths, or no response.
    """
    correct, predicted = _booleans("reference", reference), _booleans("prediction", prediction)
    if len(correct) != len(predicted):
        raise ValueError(
            f"{len(correct)} reference values and {len(predicted)} predictions; expected the same number"
        )
    return CorrectnessCounts(
        true_positives=int(np.sum(correct & predicted)),
        false_positives=int(np.sum(~correct & predicted)),
        false_negatives=int(np.sum(correct & ~predicted)),
        true_negatives=int(np.sum(~correct & ~predicted)),
    )


def f1_of_counts(counts: np.ndarray) -> np.ndarray:
    """F1 = 2 tp / (2 tp + fp + fn) for many sets of counts at once.

    counts: tp, fp, fn, tn; shape (r, 4). Returns shape (r,): 0 without a true positive, NaN where the
    reference has only one class.
    """
    tp, fp, fn, tn = np.asarray(counts, dtype=np.float64).T
    both = (tp + fn > 0) & (fp + tn > 0)
    return np.divide(2 * tp, 2 * tp + fp + fn, out=np.full_like(tp, np.nan), where=both)


def contains_pronunciation(phones: Sequence[str], pronunciations: Iterable[Sequence[str]]) -> bool:
    """Whether a transcript, its fillers dropped, holds an accepted pronunciation as a run of whole phones.

    phones: the transcript; pronunciations: the prompt's accepted ones, each a sequence of phones. This is the
    challenge's rule for a perfect transcript ("a simple substring function"), about 99 % accurate.
    Raises ValueError without a pronunciation, for an empty one, and for a string in place of phones.
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
