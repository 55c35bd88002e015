"""Accept/reject decisions on learners' responses (Spoken CALL Shared Task).

Conventions: a response is *correct* or *incorrect* in language, and *meaningful* or not; a system accepts or rejects
it. A false accept is *gross* if the meaning is also incorrect, else *plain*; a gross one counts as k = `GROSS_WEIGHT`
plain ones. In the formulas CA, FR, CR, PFA and GFA are the fields of `Decisions`, and FA = PFA + k GFA. D, D_A, Dfull
and the 50 % rule are undefined unless both correct and incorrect responses occur; `counts` documents undefined results.

Source: Overview of the third edition of the Spoken CALL Shared Task (2019), section 2.3, "Metrics". The examples
take the row "Baseline" of its Table 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Union

import numpy as np

from . import classification
from .counts import Counts, Number, number_or_array, ratio, total
from .jackknife import FARTHEST, jackknife_error, jackknife_interval, value_and_without
from .quantiles import student_quantile
from .shares import Shares, f1_of_shares, interval_of_shares, of_shares

GROSS_WEIGHT = 3
"""The shared task's k: the weight of a gross false accept relative to a plain one."""

ZERO_COUNTS_AS = 0.5
"""The value used for a zero FA or FR in D, D_A and Dfull (Haldane-Anscombe)."""

REQUIRED_PERCENT = 50
"""The 50 % rule: the least percentage of incorrect responses to reject, and of correct responses to accept."""


@dataclass(frozen=True)
class Decisions(Counts):
    """Decisions counted against the gold standard.

    Attributes
    ----------
    correct_accepts
        CA, the number of correct responses that are accepted.
    false_rejects
        FR, the number of correct responses that are rejected.
    correct_rejects
        CR, the number of incorrect responses that are rejected.
    plain_false_accepts
        PFA, the number of accepted responses that are incorrect in language, but not in meaning.
    gross_false_accepts
        GFA, the number of accepted responses that are incorrect in language and in meaning.
    """

    correct_accepts: Number
    false_rejects: Number
    correct_rejects: Number
    plain_false_accepts: Number
    gross_false_accepts: Number


def decisions_per_response(correct: np.ndarray, meaningful: np.ndarray, accepted: np.ndarray) -> Decisions:
    """Count each decision against the gold standard.

    Parameters
    ----------
    correct : array_like of bool, shape (n,)
        Whether each response is correct in language.
    meaningful : array_like of bool, shape (n,)
        Whether each response is correct in meaning.
    accepted : array_like of bool, shape (n,)
        Whether the system accepts each response.

    Returns
    -------
    Decisions
        One row for each response, with 1 in one of the five counts.

    Raises
    ------
    ValueError
        The arrays are not boolean, have different lengths, or are empty; or a response is correct in language but not
        in meaning, which is an error of the gold standard.

    Examples
    --------
    >>> rows = decisions_per_response([True, False, False], [True, True, False], [True, False, True])
    >>> rows.correct_accepts.tolist(), rows.correct_rejects.tolist(), rows.gross_false_accepts.tolist()
    ([1, 0, 0], [0, 1, 0], [0, 0, 1])
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
        correct_accepts=(correct & accepted).astype(np.int64),
        false_rejects=(correct & ~accepted).astype(np.int64),
        correct_rejects=(~correct & ~accepted).astype(np.int64),
        plain_false_accepts=(~correct & meaningful & accepted).astype(np.int64),
        gross_false_accepts=(~correct & ~meaningful & accepted).astype(np.int64),
    )


def count_decisions(correct: np.ndarray, meaningful: np.ndarray, accepted: np.ndarray) -> Decisions:
    """The total of `decisions_per_response`."""
    return total(decisions_per_response(correct, meaningful, accepted))


def correct_responses(decisions: Decisions) -> Number:
    """CA + FR, the number of responses that are correct in language."""
    return decisions.correct_accepts + decisions.false_rejects


def incorrect_responses(decisions: Decisions) -> Number:
    """CR + PFA + GFA, the number of responses that are incorrect in language. A gross false accept counts once.

    Examples
    --------
    >>> incorrect_responses(Decisions(635, 105, 213, 32, 15))
    260
    """
    return decisions.correct_rejects + decisions.plain_false_accepts + decisions.gross_false_accepts


def false_accepts(decisions: Decisions, gross_weight: float = GROSS_WEIGHT) -> Number:
    """FA = PFA + k GFA, the number of false accepts, with weight k for gross ones."""
    return decisions.plain_false_accepts + gross_weight * decisions.gross_false_accepts


@of_shares(lambda counts: (counts.correct_accepts, counts.correct_accepts + false_accepts(counts)))
def precision(decisions: Decisions) -> Number:
    """Precision, P = CA / (CA + FA). Undefined if no response is accepted."""
    return ratio(decisions.correct_accepts, decisions.correct_accepts + false_accepts(decisions), "precision")


@of_shares(lambda counts: (counts.correct_accepts, correct_responses(counts)))
def recall(decisions: Decisions) -> Number:
    """Recall, R = CA / (CA + FR), also called RCA, relative correct accepts. Undefined without correct responses."""
    return ratio(decisions.correct_accepts, correct_responses(decisions), "recall")


@of_shares(lambda own: (own.correct_accepts, correct_responses(own) + false_accepts(own)), f1_of_shares)
def f_measure(decisions: Decisions) -> Number:
    r"""F measure, the harmonic mean of precision and recall.

    .. math:: F = \frac{2 P R}{P + R} = \frac{2\,CA}{2\,CA + FA + FR}

    Undefined if no response is accepted and no response is correct.
    """
    twice = 2 * decisions.correct_accepts
    return ratio(twice, twice + false_accepts(decisions) + decisions.false_rejects, "F")


@of_shares(lambda own: _right_of(own))
def scoring_accuracy(decisions: Decisions) -> Number:
    """Scoring accuracy, SA = (CA + CR) / (CA + CR + FA + FR). Undefined without responses.

    As in Table 1, gross false accepts have weight k in the denominator.
    """
    return ratio(*_right_of(decisions), "scoring accuracy")


def _right_of(decisions: Decisions) -> tuple[Number, Number]:
    right = decisions.correct_accepts + decisions.correct_rejects
    return right, right + false_accepts(decisions) + decisions.false_rejects


@of_shares(lambda counts: (counts.correct_rejects, counts.correct_rejects + false_accepts(counts)))
def relative_correct_reject_rate(decisions: Decisions) -> Number:
    """Relative correct rejects, RCR = CR / (CR + FA). Undefined without incorrect responses."""
    return ratio(decisions.correct_rejects, decisions.correct_rejects + false_accepts(decisions), "RCR")


@of_shares(lambda counts: (counts.false_rejects, correct_responses(counts)))
def relative_false_reject_rate(decisions: Decisions) -> Number:
    """Relative false rejects, RFR = FR / (FR + CA). Undefined without correct responses."""
    return ratio(decisions.false_rejects, correct_responses(decisions), "RFR")


@of_shares(lambda counts: (false_accepts(counts), counts.correct_rejects + false_accepts(counts)))
def relative_false_accept_rate(decisions: Decisions) -> Number:
    """Relative false accepts, RFA = FA / (CR + FA) = 1 - RCR. Undefined without incorrect responses.

    Examples
    --------
    >>> round(relative_false_accept_rate(Decisions(635, 105, 213, 32, 15)), 3)
    0.266
    """
    weighted = false_accepts(decisions)
    return ratio(weighted, decisions.correct_rejects + weighted, "RFA")


@of_shares(lambda counts: (counts.correct_rejects, incorrect_responses(counts)))
def reject_rate_incorrect(decisions: Decisions) -> Number:
    """The share of incorrect responses that are rejected, CR / (CR + PFA + GFA), without weights.

    Undefined without incorrect responses.

    Examples
    --------
    >>> round(reject_rate_incorrect(Decisions(635, 105, 213, 32, 15)), 3)  # 213 / 260
    0.819
    """
    return ratio(
        decisions.correct_rejects, incorrect_responses(decisions), "the reject rate of incorrect responses"
    )


@of_shares(lambda counts: (counts.correct_accepts, correct_responses(counts)))
def accept_rate_correct(decisions: Decisions) -> Number:
    """The share of correct responses that are accepted, CA / (CA + FR): another name for the recall.

    Examples
    --------
    >>> round(accept_rate_correct(Decisions(635, 105, 213, 32, 15)), 3)  # 635 / 740
    0.858
    """
    return recall(decisions)


@of_shares(lambda counts: (false_accepts(counts, gross_weight=1), incorrect_responses(counts)))
def false_acceptance_rate(decisions: Decisions) -> Number:
    """False acceptance rate: the share of incorrect responses that are accepted, without weights.

    FAR = (PFA + GFA) / (CR + PFA + GFA). In work on mispronunciation detection it is reported together with the false
    rejection rate, FRR = FR / (FR + CA), which is `relative_false_reject_rate`. Undefined without incorrect responses.

    Source: Qian, Soong and Lee (2010), "Discriminative acoustic model for improving mispronunciation detection and
    diagnosis in computer-aided pronunciation training".
    """
    return ratio(
        false_accepts(decisions, gross_weight=1), incorrect_responses(decisions), "the false acceptance rate"
    )


def matthews_correlation(decisions: Decisions) -> Number:
    r"""Matthews correlation between correct and accepted responses, from -1 to 1; 0 if all decisions are the same.

    .. math:: \frac{CA \cdot CR - FA \cdot FR}{\sqrt{(CA + FA) (CA + FR) (CR + FA) (CR + FR)}}

    with FA = PFA + GFA, without weights. See `classification.matthews_correlation`. Undefined unless both correct and
    incorrect responses occur.
    """
    return classification.matthews_correlation(
        classification.BinaryCounts(
            true_positives=decisions.correct_accepts,
            false_positives=false_accepts(decisions, gross_weight=1),
            false_negatives=decisions.false_rejects,
            true_negatives=decisions.correct_rejects,
        )
    )


def is_required_share(part: Number, whole: Number) -> Union[bool, np.ndarray]:
    """Whether a part is at least `REQUIRED_PERCENT` percent of the whole, compared in integers.

    Examples
    --------
    >>> is_required_share(130, 260), is_required_share(129, 260)
    (True, False)
    """
    enough: Union[bool, np.ndarray] = 100 * part >= REQUIRED_PERCENT * whole
    return enough


def meets_fifty_percent_rule(decisions: Decisions) -> Union[bool, np.ndarray]:
    """Whether at least 50 % of the incorrect responses are rejected, and at least 50 % of the correct ones accepted.

    Counts are not weighted, and compared by `is_required_share`. For several sets the result is a bool array, with
    False for sets for which the rule is undefined.

    Examples
    --------
    >>> meets_fifty_percent_rule(Decisions(635, 105, 213, 32, 15))
    True
    >>> meets_fifty_percent_rule(Decisions(666, 74, 106, 59, 95))  # rejects 106 of 260
    False
    """
    met: Union[bool, np.ndarray] = number_or_array(
        _has_both_kinds(decisions)
        & is_required_share(decisions.correct_rejects, incorrect_responses(decisions))
        & is_required_share(decisions.correct_accepts, correct_responses(decisions))
    )
    return met


def d(decisions: Decisions) -> Number:
    r"""The ratio of the reject rates; higher is better.

    .. math:: D = \frac{RCR}{RFR} = \frac{CR \, (FR + CA)}{FR \, (CR + FA)}

    If FR or FA is 0, it counts as 1/2 (Haldane-Anscombe). So the product of D and D_A is always the square of Dfull,
    and a system without errors has a finite score above that of every system with errors.
    """
    accepts, rejects = decisions.correct_accepts, decisions.correct_rejects
    wrong_accepts, wrong_rejects = _corrected_errors(decisions)
    return (rejects / (rejects + wrong_accepts)) / (wrong_rejects / (wrong_rejects + accepts))


def d_a(decisions: Decisions) -> Number:
    r"""The ratio of the accept rates; higher is better. Zeros are treated as in `d`.

    .. math:: D_A = \frac{RCA}{RFA} = \frac{CA \, (CR + FA)}{FA \, (FR + CA)}
    """
    accepts, rejects = decisions.correct_accepts, decisions.correct_rejects
    wrong_accepts, wrong_rejects = _corrected_errors(decisions)
    return (accepts / (wrong_rejects + accepts)) / (wrong_accepts / (rejects + wrong_accepts))


def d_full(decisions: Decisions) -> Number:
    r"""The shared task's score; higher is better. Zeros are treated as in `d`.

    .. math:: D_{full} = \sqrt{D \cdot D_A} = \sqrt{\frac{CA \cdot CR}{FA \cdot FR}}

    Examples
    --------
    >>> round(d_full(Decisions(635, 105, 213, 32, 15)), 3)
    4.09
    >>> rows = np.array([[635, 105, 213, 32, 15], [666, 74, 106, 59, 95], [740, 0, 0, 0, 0]])
    >>> d_full(Decisions(*rows.T)).round(3).tolist()
    [4.09, 1.665, nan]
    """
    wrong_accepts, wrong_rejects = _corrected_errors(decisions)
    right = decisions.correct_accepts * decisions.correct_rejects
    return number_or_array(np.sqrt(right / (wrong_accepts * wrong_rejects)))


def ranked_d_full(decisions: Decisions) -> Number:
    """Dfull with the 50 % rule: 0 for a system that breaks it; higher is better.

    Examples
    --------
    >>> round(ranked_d_full(Decisions(635, 105, 213, 32, 15)), 3)
    4.09
    >>> ranked_d_full(Decisions(666, 74, 106, 59, 95))  # Dfull is 1.665, but only 106 of 260 are rejected
    0.0
    """
    # The product keeps NaN; otherwise Dfull is finite.
    return d_full(decisions) * meets_fifty_percent_rule(decisions)


def d_interval(
    rows: Decisions, *, formula: Callable[[Decisions], Any], exponents: tuple[float, float]
) -> tuple[float, float, float]:
    """The 95 % interval and the standard error of D, D_A or Dfull, from the decisions of two units or more.

    It is recovered from those of both error rates, on the logarithm; the formula's denominator has FR and FA with the
    exponents. No rate is taken to be farther below its value than that of half an error, whose logarithm has the
    variance 1 / `ZERO_COUNTS_AS` by Haldane and Anscombe.

    Examples
    --------
    >>> rows = Decisions(*np.array([[9, 0, 5, 0, 0], [8, 0, 4, 0, 0], [9, 0, 4, 1, 0]]).T)
    >>> low, high, error = d_interval(rows, formula=d_full, exponents=(0.5, 0.5))
    >>> round(low, 2), round(high, 2)
    (1.67, 1985.56)
    """
    value, without = value_and_without(formula, rows)
    if not value or not without.all():
        return (*jackknife_interval(value, without, (0.0, math.inf)), jackknife_error(without))
    errors = np.stack([rows.false_rejects, false_accepts(rows)], axis=1).astype(float)
    right = np.stack([rows.correct_accepts, rows.correct_rejects], axis=1)
    errors += np.where(errors.any(axis=0), 0.0, ZERO_COUNTS_AS * right / np.maximum(right.sum(axis=0), 1))
    wholes = errors + right
    farthest = student_quantile(len(errors) - 1) / math.sqrt(ZERO_COUNTS_AS)
    least = errors.sum(axis=0) / wholes.sum(axis=0) * math.exp(-farthest)
    shares = Shares(lambda _: (errors, wholes), partial(_log_ratio, exponents=exponents, least=least))
    low, high = (math.exp(max(-FARTHEST, min(end, FARTHEST))) for end in interval_of_shares(shares, rows))
    return low, high, jackknife_error(without)


def _log_ratio(shares: np.ndarray, *, exponents: tuple[float, float], least: np.ndarray) -> float:
    """The logarithm of D, D_A or Dfull, whose denominator has FR and FA with these exponents, from the error rates."""
    rejects, accepts = np.minimum(np.maximum(shares, least), 1 - 1e-10)
    of_rejects, of_accepts = exponents
    return float(of_rejects * np.log((1 - accepts) / rejects) + of_accepts * np.log((1 - rejects) / accepts))


def _corrected_errors(decisions: Decisions) -> tuple[Number, Number]:
    """FA and FR, with 1/2 in place of 0; in arrays NaN for sets with only one kind of response."""
    both_kinds = _has_both_kinds(decisions)

    def corrected(errors: Number) -> Number:
        return number_or_array(np.where(both_kinds, np.where(errors, errors, ZERO_COUNTS_AS), np.nan))

    return corrected(false_accepts(decisions)), corrected(decisions.false_rejects)


def _has_both_kinds(decisions: Decisions) -> Union[bool, np.ndarray]:
    """Whether both correct and incorrect responses occur. A single set without either kind raises ValueError."""
    correct, incorrect = correct_responses(decisions), incorrect_responses(decisions)
    both_kinds: Union[bool, np.ndarray] = number_or_array(np.logical_and(correct, incorrect))
    if both_kinds is False:
        raise ValueError(f"{correct} correct, {incorrect} incorrect responses; expected some of each")
    return both_kinds
