"""Likelihood ratio of a word: a recording that contains the word's phones against one with any phones.

Both likelihoods are those of best paths through the states of phones. The path of any phones is a sequence of phones,
each with at least one frame per state, at a fixed cost per phone. The path of the word has the word's phones in order,
and any phones before and after them, at the same cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PHONE_COST = 10.0
"""Cost of each phone on a path, in units of log-likelihood."""


def log_likelihood_ratio(log_likelihoods: np.ndarray, words: Sequence[Sequence[int]]) -> float:
    """Return the score of the best path with one of the words minus that of the best path, per phone of the word.

    Parameters
    ----------
    log_likelihoods: of each state of each phone in each frame, shape=(frames, phones, states).
    words: pronunciations, as numbers of phones.

    Returns
    -------
    float, at most 0; minus infinity if the recording is too short for every word.
    """
    before = loop_ends(log_likelihoods)
    after = loop_ends(log_likelihoods[::-1, :, ::-1])[::-1]
    ratios = [-np.inf]
    for word in words:
        states = log_likelihoods[:, list(word)].reshape(len(log_likelihoods), -1)
        through = word_ends(states, before) + after - PHONE_COST * len(word)
        ratios.append((through.max() - before[-1]) / len(word))
    return float(max(ratios))


def loop_ends(log_likelihoods: np.ndarray) -> np.ndarray:
    """Return the score of the best path of any phones up to each point in time, shape=(frames + 1,)."""
    states = np.full(log_likelihoods.shape[1:], -np.inf)
    ends = np.full(len(log_likelihoods) + 1, -np.inf)
    ends[0] = 0.0
    for time, scores in enumerate(log_likelihoods):
        states[:, 1:] = np.maximum(states[:, 1:], states[:, :-1])
        states[:, 0] = np.maximum(states[:, 0], ends[time] - PHONE_COST)
        states += scores
        ends[time + 1] = states[:, -1].max()
    return ends


def word_ends(scores: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the score of the best path that ends with a word at each point in time, shape=(frames + 1,).

    scores: of each state of the word in each frame, shape=(frames, states).
    """
    states = np.full(scores.shape[1], -np.inf)
    ends = np.full(len(scores) + 1, -np.inf)
    for time, frame in enumerate(scores):
        states[1:] = np.maximum(states[1:], states[:-1])
        states[0] = max(states[0], before[time])
        states += frame
        ends[time + 1] = states[-1]
    return ends
