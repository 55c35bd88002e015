"""Accept/reject decisions on learners' responses (Spoken CALL Shared Task).

Conventions: a response is *correct* or *incorrect* in language, and *meaningful* or not; a decision accepts
or rejects it. A false accept of a response whose meaning is incorrect too is *gross* and weighs
`gross_weight` plain ones.

Source: Overview of the third edition of the Spoken CALL Shared Task (2019), section 2.3, "Metrics".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

GROSS_WEIGHT = 3
"""The shared task's k: what a gross false accept weighs in plain ones."""


@dataclass(frozen=True)
class Decisions:
    """Decisions counted against the gold standard; `+` pools two sets of responses.

    Attributes
    ----------
    correct_accepts: CA, correct responses accepted.
    false_rejects: FR, correct responses rejected.
    correct_rejects: CR, incorrect responses rejected.
    plain_false_accepts: PFA, responses incorrect in language but not in meaning, accepted.
    gross_false_accepts: GFA, responses incorrect in language and meaning, accepted.

    Raises
    ------
    ValueError: a negative count.
    """

    correct_accepts: int
    false_rejects: int
    correct_rejects: int
    plain_false_accepts: int
    gross_false_accepts: int

    def __post_init__(self) -> None:
        for count in self._counts():
            if not count >= 0:
                raise ValueError(f"a count of decisions is {count!r}; expected 0 or more")

    def _counts(self) -> tuple[int, int, int, int, int]:
        return (
            self.correct_accepts,
            self.false_rejects,
            self.correct_rejects,
            self.plain_false_accepts,
            self.gross_false_accepts,
        )

    def __add__(self, other: Decisions) -> Decisions:
        return Decisions(*(mine + theirs for mine, theirs in zip(self._counts(), other._counts())))

    @property
    def correct(self) -> int:
        """Responses that are correct in language."""
        return self.correct_accepts + self.false_rejects

    @property
    def incorrect(self) -> int:
        """Responses that are incorrect in language."""
        return self.correct_rejects + self.plain_false_accepts + self.gross_false_accepts

    def false_accepts(self, gross_weight: float = GROSS_WEIGHT) -> float:
        """FA = PFA + k GFA."""
        return self.plain_false_accepts + gross_weight * self.gross_false_accepts


def count_decisions(correct: np.ndarray, meaningful: np.ndarray, accepted: np.ndarray) -> Decisions:
    """Count decisions against the gold standard.

    Parameters
    ----------
    correct: bool, shape=(n,): the response is correct in language.
    meaningful: bool, shape=(n,): the response is correct in meaning.
    accepted: bool, shape=(n,): the system's decision.

    Raises
    ------
    ValueError: arrays that are not boolean, not of one length, or empty; a response that is correct in
        language but not in meaning (a defect of the gold standard).
    """
    correct, meaningful, accepted = (np.asarray(array) for array in (correct, meaningful, accepted))
    for array in (correct, meaningful, accepted):
        if array.dtype != np.bool_ or array.ndim != 1:
            raise ValueError(f"expected booleans of shape (n,), found {array.dtype} of shape {array.shape}")
        if len(array) != len(correct) or not len(array):
            raise ValueError(f"expected arrays of one length above 0, found {len(correct)} and {len(array)}")
    defects = np.flatnonzero(correct & ~meaningful)
    if len(defects):
        raise ValueError(f"response {defects[0]} is correct in language but incorrect in meaning")
    return Decisions(
        correct_accepts=int(np.sum(correct & accepted)),
        false_rejects=int(np.sum(correct & ~accepted)),
        correct_rejects=int(np.sum(~correct & ~accepted)),
        plain_false_accepts=int(np.sum(~correct & meaningful & accepted)),
        gross_false_accepts=int(np.sum(~correct & ~meaningful & accepted)),
    )


def precision(decisions: Decisions) -> float:
    """P = CA / (CA + FA). Undefined (ValueError) where nothing is accepted."""
    return _ratio(
        decisions.correct_accepts, decisions.correct_accepts + decisions.false_accepts(), "precision"
    )


def recall(decisions: Decisions) -> float:
    """R = CA / (CA + FR), also called RCA, the accept rate on correct responses. Undefined without any."""
    return _ratio(decisions.correct_accepts, decisions.correct, "recall")


def f_measure(decisions: Decisions) -> float:
    """F = 2PR / (P + R) = 2 CA / (2 CA + FA + FR). Undefined where nothing is accepted and nothing correct."""
    twice = 2 * decisions.correct_accepts
    return _ratio(twice, twice + decisions.false_accepts() + decisions.false_rejects, "f_measure")


def scoring_accuracy(decisions: Decisions) -> float:
    """SA = (CA + CR) / Z with Z = CA + CR + FA + FR: gross false accepts weigh in Z too, as in Table 1."""
    right = decisions.correct_accepts + decisions.correct_rejects
    return _ratio(right, right + decisions.false_accepts() + decisions.false_rejects, "scoring_accuracy")


def relative_correct_reject_rate(decisions: Decisions) -> float:
    """RCR = CR / (CR + FA). Undefined without incorrect responses."""
    return _ratio(decisions.correct_rejects, decisions.correct_rejects + decisions.false_accepts(), "rcr")


def relative_false_reject_rate(decisions: Decisions) -> float:
    """RFR = FR / (FR + CA). Undefined without correct responses."""
    return _ratio(decisions.false_rejects, decisions.correct, "rfr")


def relative_false_accept_rate(decisions: Decisions) -> float:
    """RFA = FA / (CR + FA). Undefined without incorrect responses."""
    return _ratio(decisions.false_accepts(), decisions.correct_rejects + decisions.false_accepts(), "rfa")


def reject_rate_incorrect(decisions: Decisions) -> float:
    """CR / (CR + PFA + GFA), unweighted: the share of incorrect responses that are rejected."""
    return _ratio(decisions.correct_rejects, decisions.incorrect, "reject_rate_incorrect")


def accept_rate_correct(decisions: Decisions) -> float:
    """CA / (CA + FR): the share of correct responses that are accepted."""
    return recall(decisions)


def meets_fifty_percent_rule(decisions: Decisions) -> bool:
    """At least 50 % of all incorrect responses rejected and at least 50 % of all correct ones accepted.

    On unweighted counts, compared as whole numbers. Undefined (ValueError) unless both kinds occur.
    """
    _require_both_kinds(decisions)
    return (
        2 * decisions.correct_rejects >= decisions.incorrect
        and 2 * decisions.correct_accepts >= decisions.correct
    )


def d(decisions: Decisions) -> float:
    """D = RCR / RFR = CR (FR + CA) / (FR (CR + FA)). Higher is better.

    A zero FR counts as one half, and so does a zero FA (Haldane-Anscombe), so that D * D_A = Dfull ** 2 holds
    and a faultless system ranks above every faulty one with a finite score. Undefined (ValueError) unless both
    correct and incorrect responses occur.
    """
    accepts, rejects, false_accepts, false_rejects = _corrected(decisions)
    return (rejects / (rejects + false_accepts)) / (false_rejects / (false_rejects + accepts))


def d_a(decisions: Decisions) -> float:
    """D_A = RCA / RFA = CA (CR + FA) / (FA (FR + CA)). Higher is better; zeros as in `d`."""
    accepts, rejects, false_accepts, false_rejects = _corrected(decisions)
    return (accepts / (false_rejects + accepts)) / (false_accepts / (rejects + false_accepts))


def d_full(decisions: Decisions) -> float:
    """Dfull = sqrt(D * D_A) = sqrt(CA CR / (FA FR)), the shared task's score. Higher is better; zeros as in `d`."""
    accepts, rejects, false_accepts, false_rejects = _corrected(decisions)
    return math.sqrt(accepts * rejects / (false_accepts * false_rejects))


def d_full_of_counts(counts: np.ndarray) -> np.ndarray:
    """Dfull under the 50 % rule for many sets of counts at once.

    Parameters
    ----------
    counts: shape=(r, 5): CA, FR, CR, PFA, GFA.

    Returns
    -------
    float, shape=(r,): 0 where the rule is broken, NaN where only one kind of responses occurs.
    """
    accepts, false_rejects, rejects, plain, gross = np.asarray(counts, dtype=np.float64).T
    correct, incorrect = accepts + false_rejects, rejects + plain + gross
    false_accepts = plain + GROSS_WEIGHT * gross
    corrected = np.where(false_accepts == 0, 0.5, false_accepts) * np.where(
        false_rejects == 0, 0.5, false_rejects
    )
    eligible = (2 * rejects >= incorrect) & (2 * accepts >= correct)
    scores = np.where(eligible, np.sqrt(accepts * rejects / corrected), 0.0)
    return np.where((correct > 0) & (incorrect > 0), scores, np.nan)


def _corrected(decisions: Decisions) -> tuple[float, float, float, float]:
    """CA, CR, FA, FR, where FA and FR of 0 count as one half."""
    _require_both_kinds(decisions)
    return (
        decisions.correct_accepts,
        decisions.correct_rejects,
        decisions.false_accepts() or 0.5,
        decisions.false_rejects or 0.5,
    )


def _require_both_kinds(decisions: Decisions) -> None:
    if not (decisions.correct and decisions.incorrect):
        raise ValueError(
            f"{decisions.correct} correct, {decisions.incorrect} incorrect responses; expected some of each"
        )


def _ratio(numerator: float, denominator: float, called: str) -> float:
    if not denominator:
        raise ValueError(f"{called} is undefined: no response to divide by")
    return numerator / denominator
