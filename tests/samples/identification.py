"""Tasks of identification, their files and scores, and independent implementations straight from the definitions."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn import metrics as sklearn
from sklearn.isotonic import IsotonicRegression

from spokeneval.formats.text import Files
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Scored, score_submission
from spokeneval.task import Task
from tests.samples import kinds

make = partial(kinds.make, "identification")

NAMES = ("English", "Hindi", "Tamil", "Urdu", "Odia")


def labelled(labels: Any, **columns: Any) -> dict[str, bytes]:
    return {"labels.csv": kinds.csv(id=[f"i{n}" for n in range(len(labels))], label=labels, **columns)}


def submitted(names: Any, scores: Any) -> Files:
    columns = {name: column.tolist() for name, column in zip(names, np.asarray(scores).T)}
    return {"scores.csv": kinds.csv(id=[f"i{n}" for n in range(len(scores))], **columns)}


def scored(task: Task, reference: dict[str, bytes], submission: Files) -> Scored:
    truth = task.format.read_reference(reference)
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    return score_submission(task, truth, task.format.read_submission(submission, truth.items), settings)


def scores_of(task: Task, labels: Any, names: Any, scores: Any) -> dict[str, float]:
    return scored(task, labelled(labels), submitted(names, scores)).scores


def draw(classes: int, items: int, seed: int, step: float = 2**-30) -> tuple[np.ndarray, np.ndarray]:
    """Classes of different sizes, and log-likelihoods; with large steps, many of them are equal."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(classes), rng.choice(classes, items, p=softmax(np.arange(classes) / 2)))
    return truth, step * np.rint(rng.normal(1.5 * (truth[:, None] == np.arange(classes)), 1) / step)


def points(targets: np.ndarray, nontargets: np.ndarray) -> list[tuple[float, float]]:
    """Miss and false-alarm rates at every threshold."""
    thresholds = [*np.unique([*targets, *nontargets]), math.inf]
    return [((targets < t).mean(), (nontargets >= t).mean()) for t in thresholds]


def hull_eer(targets: np.ndarray, nontargets: np.ndarray) -> float:
    """The lowest point in which a chord between any two operating points meets the diagonal."""
    found = [1.0]
    for (miss, alarm), (other_miss, other_alarm) in product(points(targets, nontargets), repeat=2):
        before, after = alarm - miss, other_miss - other_alarm
        if before >= 0 and after >= 0 and before + after > 0:
            found.append((miss * after + other_miss * before) / (before + after))
    return min(found)


def pooled_eer(truth: np.ndarray, scores: np.ndarray) -> float:
    own = truth[:, None] == np.arange(scores.shape[1])
    return hull_eer(scores[own], scores[~own])


def cllr(truth: np.ndarray, scores: np.ndarray) -> float:
    """Cross-entropy with classes of equal weight."""
    weights = 1 / np.bincount(truth)[truth]
    return float(sklearn.log_loss(truth, softmax(scores, axis=1), sample_weight=weights)) / math.log(2)


def minimum_cllr(targets: np.ndarray, nontargets: np.ndarray) -> float:
    """With isotonic regression as the best calibration; likelihood ratios are posterior odds over prior odds."""
    scores = np.concatenate([targets, nontargets])
    truth = np.repeat([1.0, 0.0], [len(targets), len(nontargets)])
    share = IsotonicRegression().fit(scores, truth).predict(scores)
    with np.errstate(divide="ignore"):
        odds = share / (1 - share) * len(nontargets) / len(targets)
        return float((np.log2(1 + 1 / odds[truth == 1]).mean() + np.log2(1 + odds[truth == 0]).mean()) / 2)


def detector(scores: np.ndarray, own: int) -> np.ndarray:
    others = [place for place in range(scores.shape[1]) if place != own]
    return scores[:, own] - logsumexp(scores[:, others], axis=1) + math.log(len(others))


def nist_average_cost(truth: np.ndarray, scores: np.ndarray, beta: float, threshold: float) -> float:
    """C_avg(beta) = 1/N { sum P_miss(T) + 1/(N - 1) beta sum sum P_FA(T, N) }, one language pair after another."""
    classes = scores.shape[1]
    cost = 0.0
    for target in range(classes):
        accepted = detector(scores, target) >= threshold
        cost += (~accepted[truth == target]).mean()
        for other in set(range(classes)) - {target}:
            cost += beta / (classes - 1) * accepted[truth == other].mean()
    return cost / classes
