"""A recogniser of words or phones: hidden Markov models with one Gaussian for each state, and a bigram model.

Each phone, and each letter of a word, has three states. The models begin with transcripts that are spread evenly over
their recordings, and are fitted to the most likely alignments again and again (Viterbi training). Needs numpy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

import numpy as np
from sound import NOTHING_LEARNT, Model, Sounds, describe, read_table, run, write_table

SILENCE = "<sil>"
STATES = 3

ROUNDS, BIGRAM_WEIGHT, FLOOR = 10, 4.0, 0.1
"""Rounds of training; the weight of the bigram model; the least variance, relative to that of all frames."""


def main(
    labels: str,
    column: str,
    items: str,
    answers: str,
    answer_column: str,
    split: Callable[[Sequence[str]], list[list[str]]],
    spell: Callable[[str], Sequence[str]],
) -> None:
    """Run the program of a task whose tables have these names; the first column of `items` has the ids.

    Of several transcripts of an item, the first is used. Recordings that are missing get empty transcripts.

    Parameters
    ----------
    split: transcripts -> the words or phones of each. Those that begin with `<` are learnt, but not written.
    spell: a word -> its letters, or a phone -> itself.
    """

    def learn(folder: Path, sounds: Sounds) -> Model:
        rows = read_table(folder / "reference" / labels)
        (name, *_) = read_table(folder / "input" / items)[0]
        said = {row[name]: row[column] for row in reversed(rows) if row[name] in sounds}
        return train([describe(sounds[item]) for item in said], split(list(said.values())), spell)

    def answer(model: Model, inputs: Path, outputs: Path, sounds: Sounds) -> None:
        rows = read_table(inputs / items)
        (name, *_) = rows[0]
        heard = [recognise(model, describe(sounds[row[name]])) if row[name] in sounds else [] for row in rows]
        told = [[row[name], " ".join(units)] for row, units in zip(rows, heard)]
        write_table(outputs / answers, [[name, answer_column], *told])

    run(learn, answer)


def likelihoods(model: Model, frames: np.ndarray) -> np.ndarray:
    """Return the log-likelihood of each frame in each state, shape (frames, states)."""
    weight = 1 / model["variance"]
    square = frames**2 @ weight.T - 2 * frames @ (model["mean"] * weight).T
    result: np.ndarray = -0.5 * (square + (model["mean"] ** 2 * weight - np.log(weight)).sum(axis=1))
    return result


def train(
    recordings: Sequence[np.ndarray],
    transcripts: Sequence[Sequence[str]],
    spell: Callable[[str], Sequence[str]],
) -> Model:
    """Return a model of the units in the transcripts of recordings, whose frames have shape (n, features)."""
    transcripts = [[SILENCE, *each, SILENCE] for each in transcripts]
    units = sorted({unit for each in transcripts for unit in each})
    number = {unit: place for place, unit in enumerate(units)}
    spelt = [[unit] if unit.startswith("<") else list(spell(unit)) for unit in units]
    letters = {
        letter: place for place, letter in enumerate(sorted({each for word in spelt for each in word}))
    }
    chains = [np.concatenate([STATES * letters[each] + np.arange(STATES) for each in word]) for word in spelt]
    said = [[number[unit] for unit in each] for each in transcripts]
    paired = [
        (frames, np.concatenate([chains[unit] for unit in each])) for frames, each in zip(recordings, said)
    ]
    usable = [(frames, of) for frames, of in paired if len(of) <= len(frames)]
    if not usable:
        sys.exit(NOTHING_LEARNT)
    every = np.concatenate([frames for frames, _ in usable])
    lengths, bigrams = np.array([len(each) for each in chains]), _bigrams(said, len(units))
    model = {
        "units": np.array(units),
        "lengths": lengths,
        "chains": np.concatenate(chains),
        "bigrams": bigrams,
    }
    paths = [of[np.arange(len(frames)) * len(of) // len(frames)] for frames, of in usable]
    for _ in range(ROUNDS):
        place = np.concatenate(paths)
        total = np.bincount(place, minlength=STATES * len(letters))[:, None] + 1.0
        sums, squares = np.zeros((2, len(total), every.shape[1]))
        np.add.at(sums, place, every)
        np.add.at(squares, place, every**2)
        mean = (sums + every.mean(axis=0)) / total  # with one frame of the mean and variance of all
        least = squares + every.var(axis=0) + every.mean(axis=0) ** 2
        model["mean"], model["variance"] = (
            mean,
            np.maximum(least / total - mean**2, FLOOR * every.var(axis=0)),
        )
        paths = [of[_align(likelihoods(model, frames)[:, of])] for frames, of in usable]
    return model


def _bigrams(transcripts: Sequence[Sequence[int]], count: int) -> np.ndarray:
    """Return log-probabilities of a unit (column) after another (row); the last row and column are both ends."""
    seen = np.full((count + 1, count + 1), 0.1)
    for said in transcripts:
        np.add.at(seen, ([count, *said], [*said, count]), 1)
    result: np.ndarray = np.log(seen / seen.sum(axis=1, keepdims=True))
    return result


def _align(scores: np.ndarray) -> np.ndarray:
    """Return the most likely place in a chain at each frame, from its first to its last; scores: (frames, chain)."""
    length = scores.shape[1]
    best, moved = np.full(length, -np.inf), np.zeros(scores.shape, bool)
    best[0] = scores[0, 0]
    for now in range(1, len(scores)):
        before = np.concatenate([[-np.inf], best[:-1]])
        moved[now] = before > best
        best = np.where(moved[now], before, best) + scores[now]
    path = np.full(len(scores), length - 1)
    for now in range(len(scores) - 1, 0, -1):
        path[now - 1] = path[now] - moved[now, path[now]]
    return path


def recognise(model: Model, frames: np.ndarray) -> list[str]:
    """Return the most likely units of a recording, without fillers: Viterbi decoding of any sequence of units."""
    ends = np.cumsum(model["lengths"]) - 1
    starts = ends - model["lengths"] + 1
    scores, bigrams = likelihoods(model, frames)[:, model["chains"]], BIGRAM_WEIGHT * model["bigrams"]
    count, everywhere = len(ends), np.arange(scores.shape[1])
    best = np.full(scores.shape[1], -np.inf)
    best[starts] = bigrams[count, :count] + scores[0, starts]
    came = np.zeros(scores.shape, int)
    for now in range(1, len(scores)):
        entering = best[ends][:, None] + bigrams[:count, :count]
        before, source = np.concatenate([[-np.inf], best[:-1]]), everywhere - 1
        before[starts], source[starts] = entering.max(axis=0), ends[entering.argmax(axis=0)]
        came[now] = np.where(before > best, source, everywhere)
        best = np.maximum(before, best) + scores[now]
    state = int(ends[np.argmax(best[ends] + bigrams[:count, count])])
    first, said = set(starts.tolist()), [state]
    for now in range(len(scores) - 1, 0, -1):
        previous = int(came[now, state])
        if previous != state and state in first:
            said.append(previous)
        state = previous
    unit = np.searchsorted(ends, said[::-1])
    return [str(said) for said in model["units"][unit] if not said.startswith("<")]
