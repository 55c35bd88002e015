"""Calibration: log-likelihood ratios of the languages from the model's log-odds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Calibration(NamedTuple):
    """Makes log-likelihood ratios of the model's log-odds: `scale * odds + offset`, fitted on held-out recordings."""

    scale: float = 1.0
    offset: float = 0.0

    def __call__(self, odds: np.ndarray) -> np.ndarray:
        return self.scale * odds + self.offset


def calibrate(odds: np.ndarray, english: np.ndarray) -> Calibration:
    """Return the logistic regression of the language on log-odds, with equal weights for the languages.

    With equal weights, the result is a log-likelihood ratio: 0 means that both languages are equally likely if both are
    equally frequent. A prior of one segment keeps the scale finite if the odds separate the languages.
    """
    inputs = np.stack([odds, np.ones(len(odds))], axis=1)
    weights = np.where(english, 0.5 / english.mean(), 0.5 / (~english).mean())
    found = np.array([1.0, 0.0])
    prior = np.diag([np.var(odds), 0.0]) + 1e-9 * np.eye(2)
    for _ in range(50):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        slope = inputs.T @ (weights * (english - likely)) - prior @ (found - [1.0, 0.0])
        curve = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + prior
        step = np.linalg.solve(curve, slope)
        found = found + step / max(1.0, np.abs(step).max())
    return Calibration(float(max(found[0], 0.0)), float(found[1]))
