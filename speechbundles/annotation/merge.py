"""Merge the answers of annotators into one label for each item, by a rule; an item without a label is left out.

An answer that is missing counts against a rule, as if it were another one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from speechbundles.annotation.severity import fair_means
from speechbundles.annotation.sheets import Questions
from speechbundles.annotation.tables import Frame
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import count_of, some_of
from spokeneval.formats.text import decimal

UNANIMOUS, EACH, MEAN, FAIR_MEAN = "unanimous", "each", "mean", "fair_mean"
NUMERIC: Mapping[str, Callable[[Frame], Frame]] = {
    "median": lambda numbers: numbers.median(axis=1),
    "low_median": lambda numbers: numbers.quantile(0.5, axis=1, interpolation="lower"),
    MEAN: lambda numbers: numbers.mean(axis=1),
    FAIR_MEAN: lambda numbers: fair_means(numbers)[0]["fair_mean"].reindex(numbers.index),
}
"""The rules for numbers: what they make of answers, a row for each item and a column for each annotator."""
TURN_RULES = (UNANIMOUS, "majority")
RULES = (*TURN_RULES, *NUMERIC, EACH)

_EM_STEPS, _CONVERGED = 1000, 1e-9


@dataclass(frozen=True)
class Merged:
    """Labels, and what was left out.

    Attributes
    ----------
    labels: a row for each item that has all labels; a column for each question, or with the rule `each` for each
        annotator.
    incomplete: the same for items that lack a label.
    left_out: `item`, `question` and `reason`.
    wide: all first answers, a row for each item, and columns `(question, annotator)`.
    """

    labels: Frame
    incomplete: Frame
    left_out: Frame
    wide: Frame


def merge(
    answers: Frame,
    expected: Mapping[str, int],
    rules: Mapping[str, str],
    questions: Questions,
    decisions: Frame | None = None,
) -> Merged:
    """Merge answers by rules.

    Parameters
    ----------
    answers: see `sheets`.
    expected: how many answers an item should have, in the order of the items.
    rules: the rule of each question.
    decisions: an adjudicator's labels, by item, for items on which the annotators disagree.

    Raises
    ------
    OrganiserError: a mean of answers that are not numbers, or a decision about an item that has a label.
    """
    given = answers[(answers["time"] == 0) & (answers["value"] != "")]
    columns = pd.MultiIndex.from_product([questions, sorted(answers["annotator"].unique())])
    wide = given.pivot(index="item", columns=["question", "annotator"], values="value")
    wide = wide.reindex(index=list(expected), columns=columns)
    number, labels = np.array(list(expected.values())), pd.DataFrame(index=wide.index)
    reasons, changed = [], []
    for question in questions:
        mine, rule = wide[question], rules[question]
        if rule == EACH:
            labels, label = mine.fillna(""), mine.bfill(axis=1).iloc[:, 0]
        else:
            numbers = numbers_of(mine, question, rule) if rule in NUMERIC else None
            label = _votes(mine, number, rule) if numbers is None else _numeric(numbers, number, rule)
            if decisions is not None:
                decided = decisions[question].replace("", np.nan).reindex(label.index)
                changed += list(label.index[label.notna() & decided.notna() & (label != decided)])
                label = label.fillna(decided)
            labels[question] = label
        for item, many in zip(label.index[label.isna()], number[label.isna()], strict=True):
            said = mine.loc[item].dropna()
            few = f"{len(said)} of {count_of(int(many), 'answer')}" if len(said) < many else ""
            words = ", ".join(f"{annotator} {value}" for annotator, value in said.items())
            reasons.append((item, question, ": ".join(filter(None, [few, words]))))
    if changed:
        raise OrganiserError(f"the adjudication changes labels that the answers decide: {some_of(changed)}")
    left_out = pd.DataFrame(reasons, columns=["item", "question", "reason"])
    complete = ~labels.index.isin(left_out["item"])
    return Merged(labels[complete], labels[~complete], left_out, wide)


def _votes(answers: Frame, expected: np.ndarray, rule: str) -> Frame:
    """Return the answer to each item that all annotators gave, or more than half; NaN if there is none."""
    codes, values = pd.factorize(answers.to_numpy().ravel(), sort=True)
    codes = codes.reshape(answers.shape)
    counts = np.stack([(codes == code).sum(axis=1) for code in range(max(1, len(values)))], axis=1)
    most, all_of = counts.max(axis=1), np.maximum(expected, counts.sum(axis=1))
    decided = most == all_of if rule == UNANIMOUS else 2 * most > all_of
    label = np.array([*values, np.nan], dtype=object)[np.where(decided, counts.argmax(axis=1), -1)]
    return pd.Series(label, answers.index)


def numbers_of(answers: Frame, question: str, rule: str) -> Frame:
    """Return answers as numbers, NaN where there is none."""
    numbers = answers.map(decimal, na_action="ignore")
    wrong = answers.to_numpy()[(numbers.isna() & answers.notna()).to_numpy()]
    if len(wrong):
        raise OrganiserError(f"{question}: no {rule} of {some_of(sorted(set(wrong)))}; expected numbers")
    return numbers.astype(float)


def _numeric(numbers: Frame, expected: np.ndarray, rule: str) -> Frame:
    """Return the label of each item by a rule for numbers, if more than half of the answers are there."""
    label = NUMERIC[rule](numbers).map("{:.10g}".format)
    return label.where(2 * numbers.notna().sum(axis=1) > expected)


def disagreements(merged: Merged, questions: Sequence[str]) -> Frame:
    """Return the sheet for an adjudicator: labels of items that lack one, empty where it is missing, and answers."""
    answers = merged.wide.copy()
    answers.columns = [f"{question} by {annotator}" for question, annotator in answers.columns]
    items = list(dict.fromkeys(merged.left_out["item"]))
    return merged.incomplete.loc[items, list(questions)].join(answers).fillna("").reset_index()


def dawid_skene(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The model of annotators' errors by Dawid and Skene: maximum likelihood by expectation maximisation.

    Source: Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm,
    Applied Statistics 28, equations 2.3 to 2.5, beginning with the shares of the answers to each item.

    Parameters
    ----------
    counts: how often each annotator gave each answer to each item, shape (items, annotators, classes).

    Returns
    -------
    The probability of each class for each item, shape (items, classes); the share of each class, shape (classes,);
    each annotator's answers to items of each class, shape (annotators, classes, classes).
    """
    truth = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, np.newaxis]
    for _ in range(_EM_STEPS):
        share, rates = truth.mean(axis=0), np.einsum("ik,iaj->akj", truth, counts)
        rates /= np.maximum(rates.sum(axis=2, keepdims=True), 1e-300)
        logs, prior = (np.log(np.maximum(part, 1e-300)) for part in (rates, share))
        likely = prior + np.einsum("iaj,akj->ik", counts, logs, optimize=True)
        before, truth = truth, np.exp(likely - likely.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
        if np.abs(truth - before).max() < _CONVERGED:
            break
    return truth, share, rates


def model_of(answers: Frame, merged: Merged, question: str) -> Frame:
    """Return the label of the model for each item beside that of the rule, with its probability."""
    given = answers[(answers["question"] == question) & (answers["value"] != "")]
    (item, items), (who, people), (code, values) = (
        pd.factorize(given[column], sort=True) for column in ("item", "annotator", "value")
    )
    counts = np.zeros((len(items), len(people), len(values)))
    np.add.at(counts, (item, who, code), 1)
    truth, _, _ = dawid_skene(counts)
    label = merged.labels[question].reindex(items).fillna("").to_numpy()
    model, sure = values.to_numpy()[truth.argmax(axis=1)], truth.max(axis=1).round(4)
    return pd.DataFrame(
        {"item": items, "question": question, "label": label, "model": model, "probability": sure}
    )
