"""Which of two languages is spoken: logistic regression on the means and spreads of frames. Needs numpy."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from sound import NOTHING_LEARNT, Model

PENALTY, STEPS = 3.0, 20


def summary(frames: np.ndarray) -> np.ndarray:
    """Return the mean and the standard deviation of each feature in a stretch of frames."""
    return np.concatenate([frames.mean(axis=0), frames.std(axis=0)])


def around(frames: np.ndarray, half: int) -> np.ndarray:
    """Return the summary of the frames around each frame, up to `half` on each side."""
    sums = np.cumsum(np.pad(np.hstack([frames, frames**2]), ((1, 0), (0, 0))), axis=0)
    now = np.arange(len(frames))
    low, high = np.maximum(now - half, 0), np.minimum(now + half + 1, len(frames))
    mean, square = np.hsplit((sums[high] - sums[low]) / (high - low)[:, None], 2)
    return np.hstack([mean, np.sqrt(np.maximum(square - mean**2, 0))])


def fit(summaries: Sequence[np.ndarray], is_first: Sequence[bool]) -> Model:
    """Return a model of the log-odds of the first language, fitted by Newton's method with a ridge penalty."""
    if not len(summaries):
        sys.exit(NOTHING_LEARNT)
    found, truth = np.array(summaries), np.array(is_first, float)
    model = {"mean": found.mean(axis=0), "spread": found.std(axis=0) + 1e-9}
    x = np.column_stack([(found - model["mean"]) / model["spread"], np.ones(len(found))])
    penalty = PENALTY * np.diag([*np.ones(found.shape[1]), 0.0])
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (truth - p) - penalty @ weights
        weights = weights + np.linalg.solve(
            (x.T * (p * (1 - p))) @ x + penalty + 1e-9 * np.eye(len(weights)), slope
        )
    return {**model, "weights": weights}


def log_odds(model: Model, summaries: np.ndarray) -> np.ndarray:
    """Return the log-odds of the first language of each summary, shape (n,)."""
    x = (summaries - model["mean"]) / model["spread"]
    result: np.ndarray = x @ model["weights"][:-1] + model["weights"][-1]
    return result
