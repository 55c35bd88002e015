"""Was this word said? The likelihood ratio of a recording that holds its phones against one of any phones.

Both are best paths through the states of phones. Any phones: one after the other, each at least a frame a state, at a
fixed cost a phone. The word: its phones in their order, any phones before and after, at the same cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PHONE_COST = 10.0
"""Of each phone on a path, in units of log-likelihood."""


def log_likelihood_ratio(log_likelihoods: np.ndarray, words: Sequence[Sequence[int]]) -> float:
    """How much worse the best path through one of some words is than the best path, a phone of the word: 0 or less.

    Parameters
    ----------
    log_likelihoods: of each frame in each state of each phone, shape=(frames, phones, states).
    words: each of the pronunciations as numbers of phones.

    Returns
    -------
    float; minus infinity where no word has time in the recording.
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
    """The best path of any phones through the frames before each point in time: shape=(frames + 1,)."""
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
    """The best path of any phones and then a word that ends at each point in time: shape=(frames + 1,).

    scores: of each frame in each state of the word, shape=(frames, states).
    """
    states = np.full(scores.shape[1], -np.inf)
    ends = np.full(len(scores) + 1, -np.inf)
    for time, frame in enumerate(scores):
        states[1:] = np.maximum(states[1:], states[:-1])
        states[0] = max(states[0], before[time])
        states += frame
        ends[time + 1] = states[-1]
    return ends
