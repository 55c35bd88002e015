"""Tests of the likelihood ratio of a word against any phones, and of greedy CTC transcripts."""

import itertools

import numpy as np
import pytest
from decode import greedy
from ratio import PHONE_COST, log_likelihood_ratio, loop_ends

PHONES = 3


def paths(frames):
    """Yield every way to cut frames into phones of two states with at least one frame each: lists of (phone, state)."""
    if not frames:
        yield []
    for length in range(2, frames + 1):
        for first, phone in itertools.product(range(1, length), range(PHONES)):
            states = [(phone, 0)] * first + [(phone, 1)] * (length - first)
            yield from ([states, *rest] for rest in paths(frames - length))


def score(path, scores):
    states = [state for phone in path for state in phone]
    return sum(scores[time][state] for time, state in enumerate(states)) - PHONE_COST * len(path)


@pytest.mark.parametrize("seed", range(4))
def test_ratio_is_that_of_the_best_of_all_paths(seed):
    scores = 20 * np.random.default_rng(seed).standard_normal((7, PHONES, 2))
    words = [[0, 1], [2]]
    every = [(score(path, scores), [phone[0][0] for phone in path]) for path in paths(7)]
    best = max(value for value, _ in every)
    assert loop_ends(scores)[-1] == pytest.approx(best, rel=0, abs=1e-9)

    def holds(path, word):
        return any(path[place : place + len(word)] == word for place in range(len(path)))

    ratios = [(max(value for value, path in every if holds(path, word)) - best) / len(word) for word in words]
    assert log_likelihood_ratio(scores, words) == pytest.approx(max(ratios), rel=0, abs=1e-9)


def test_greedy_transcript_joins_repeats_and_leaves_blanks_out():
    names = ["<blank>", "K", "AE", "<sil>"]
    frames = np.eye(4)[[0, 1, 1, 0, 1, 2, 2, 3, 2, 0]]
    assert greedy(frames, names) == ["K", "K", "AE", "AE"]
