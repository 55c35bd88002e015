"""Pieces of recordings for the model: the frames of segments, varied copies of them, and batches to train on."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from conformer import pad
from corpus import LANGUAGES, Segment, by_recording, refuse_unfit
from encoder import Encoder
from recordings import find_recordings, read_samples, with_progress
from vary import vary

LONGEST, SHORTEST = 3000, 100
"""The most of a segment that the model hears at once in training, as in the paper, and the least, in ms."""

WINDOW = 1000
"""Length of the windows of diarization, in ms, for which there is a calibration, too."""


class Data(NamedTuple):
    """What to train on.

    Attributes
    ----------
    pieces: frames of each segment in each version; the first version is the original.
    english: whether each segment is English, bool, shape=(segments,).
    held_out: whether each segment is held out, bool, shape=(segments,).
    rate: frames per second.
    digest: identifies all of these.
    """

    pieces: Sequence[Sequence[np.ndarray]]
    english: np.ndarray
    held_out: np.ndarray
    rate: float
    digest: str


class Plan(NamedTuple):
    """A batch: which segments, and the seed of what varies."""

    chosen: np.ndarray
    seed: tuple[int, int, int]


def read_data(options: argparse.Namespace, encoder: Encoder, segments: Sequence[Segment]) -> Data:
    """Read all recordings, and return the frames of each segment in each version."""
    said_in = by_recording(segments)
    names = sorted(said_in)
    paths = dict(zip(names, find_recordings(options.audio, names)))
    digest = hashlib.blake2b(repr((segments, options.copies)).encode(), digest_size=16)
    pieces: list[list[np.ndarray]] = [[np.empty(0)] * len(segments) for _ in range(1 + options.copies)]
    sizes = {}
    for number, name in enumerate(with_progress(names, doing="Read")):
        original = read_samples(paths[name])
        sizes[name] = len(original)
        digest.update(original.tobytes())
        rng = np.random.default_rng([options.seed, number])
        versions = [(original, 1.0), *(vary(rng, original) for _ in range(options.copies))]
        for version, (samples, speed) in zip(pieces, versions):
            frames = encoder.frames(samples)
            for index in said_in[name]:
                start, end = segments[index].start / speed, segments[index].end / speed
                version[index] = cut(frames, start, end, encoder.rate).copy()
    refuse_unfit(paths, sizes, segments)
    every = round(1 / options.hold_out) if options.hold_out else 0
    held_out = set(names[every - 1 :: every]) if every else set()
    return Data(
        pieces,
        np.array([segment.language == LANGUAGES[0] for segment in segments]),
        np.array([segment.recording in held_out for segment in segments]),
        encoder.rate,
        digest.hexdigest(),
    )


def cut(frames: np.ndarray, start: float, end: float, rate: float) -> np.ndarray:
    """Return the frames from `start` to `end`, in ms; at least `SHORTEST`, if there are so many.

    rate: frames per second.
    """
    shortest = max(1, frames_in(SHORTEST, rate))
    first = frames_in(start, rate)
    last = min(len(frames), max(frames_in(end, rate), first + shortest))
    return frames[max(0, min(first, last - shortest)) : last]


def frames_in(milliseconds: float, rate: float) -> int:
    """Return the nearest number of frames; `rate` is frames per second."""
    return round(milliseconds * rate / 1000)


def batches(
    options: argparse.Namespace, data: Data, learnt: np.ndarray, epoch: int, device: torch.device
) -> torch.utils.data.DataLoader:
    """Return the batches of an epoch: every segment once, with others of similar lengths, in random order."""
    rng = np.random.default_rng([options.seed, epoch])
    length = np.array([len(data.pieces[0][index]) for index in learnt]).clip(
        max=frames_in(LONGEST, data.rate)
    )
    order = learnt[np.argsort(length * (0.8 + 0.4 * rng.random(len(learnt))), kind="stable")]
    starts = options.batch * rng.permutation(-(-len(order) // options.batch))
    plans = [
        Plan(order[start : start + options.batch], (options.seed, epoch, number))
        for number, start in enumerate(starts)
    ]
    return torch.utils.data.DataLoader(
        plans,  # type: ignore[arg-type]
        batch_size=None,
        collate_fn=partial(make_batch, data),
        num_workers=options.workers,
        pin_memory=device.type == "cuda",
    )


def make_batch(data: Data, plan: Plan) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the features of a batch, their lengths and their languages, 0 English and 1 Mandarin.

    Each piece is a random part, of at most three seconds, of a random version, with parts masked as in SpecAugment
    (Park et al. 2019): up to a tenth of the frames, and up to a tenth of the columns.
    """
    rng, longest = np.random.default_rng(plan.seed), frames_in(LONGEST, data.rate)
    pieces = []
    for index in plan.chosen:
        piece = data.pieces[int(rng.integers(len(data.pieces)))][index]
        first = int(rng.integers(max(0, len(piece) - longest) + 1))
        piece = piece[first : first + longest].copy()
        for axis in (0, 1):
            width = int(rng.integers(piece.shape[axis] // 10 + 1))
            start = int(rng.integers(piece.shape[axis] - width + 1))
            piece[(slice(None),) * axis + (slice(start, start + width),)] = 0
        pieces.append(piece)
    return (*pad(pieces), torch.from_numpy(np.where(data.english[plan.chosen], 0, 1)))
