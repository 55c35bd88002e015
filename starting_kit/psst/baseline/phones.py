"""Phone recognition with pocketsphinx and the American English model in its wheel.

The model has 39 phones, silence and two noises, each with three states in sequence. It has no flap, so a T or D between
two vowels is written as DX, the American pronunciation. A frame is 10 ms.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pocketsphinx import Decoder, get_model_path

from spokeneval.metrics.phoneme_recognition import arpabet_features

VOWELS = frozenset(("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"))
NO_PHONE = frozenset(("SIL", "+NSN+", "+SPN+"))
PHONES = tuple(sorted({*arpabet_features().phones, *NO_PHONE} - {"DX"}))
"""The phones of the model, in the order of its states."""

STATES = 3
SCORE_UNIT = 1024 * np.log(1.0001)
"""A score is a negative logarithm to the base 1.0001, without its last ten bits."""


class Heard(NamedTuple):
    """The result of recognising a recording.

    Attributes
    ----------
    phones: in the challenge's ARPAbet, without silence and noises.
    log_likelihoods: of each state of each phone in each frame, up to a constant per frame,
        shape=(frames, len(PHONES), STATES).
    """

    phones: list[str]
    log_likelihoods: np.ndarray


@contextmanager
def listener(*, triphones: bool = False) -> Iterator[Callable[[np.ndarray], Heard]]:
    """Yield a function that recognises the phones of a recording: int16, shape=(n,), 16 kHz.

    triphones: whether a phone's model depends on its neighbours; it is more accurate, and takes about 30 times as long.
    """
    with tempfile.TemporaryDirectory() as folder:
        decoder = Decoder(
            allphone=get_model_path("en-us/en-us-phone.lm.bin"),
            lm=None,
            dict=None,
            allphone_ci=not triphones,
            lw=2.0,
            compallsen=True,
            senlogdir=folder,
            loglevel="FATAL",
        )
        yield lambda samples: _hear(decoder, Path(folder), samples)


def _hear(decoder: Decoder, scores: Path, samples: np.ndarray) -> Heard:
    decoder.reinit_feat()  # reset the channel estimate of earlier recordings
    decoder.start_utt()
    decoder.process_raw(samples.tobytes(), full_utt=True)
    decoder.end_utt()
    phones = [segment.word for segment in decoder.seg() or ()]
    (file,) = scores.iterdir()
    log_likelihoods = read_scores(file.read_bytes())
    file.unlink()
    return Heard(to_arpabet(phones), log_likelihoods)


def read_scores(content: bytes) -> np.ndarray:
    """Return the log-likelihoods in a pocketsphinx score file; the states of phones precede those of triphones."""
    head, _, frames = content.partition(b"endhdr\n")
    states = int(head.split(b"n_sen ")[1].split()[0])
    scores = np.frombuffer(frames[4:], "<i2").reshape(-1, 1 + states)  # after the byte-order mark
    return -SCORE_UNIT * scores[:, 1 : 1 + len(PHONES) * STATES].reshape(-1, len(PHONES), STATES)


def to_arpabet(phones: list[str]) -> list[str]:
    """Convert the model's phones to the challenge's: without silence and noise, with the flap.

    >>> to_arpabet("SIL Z EY T OY +NSN+".split())
    ['Z', 'EY', 'DX', 'OY']
    """
    neighbours = zip(["SIL", *phones], phones, [*phones[1:], "SIL"])
    return [
        "DX" if phone in ("T", "D") and before in VOWELS and after in VOWELS else phone
        for before, phone, after in neighbours
        if phone not in NO_PHONE
    ]


def to_model(phones: list[str]) -> list[str]:
    """Convert the challenge's phones to the model's: a flap becomes a D."""
    return ["D" if phone == "DX" else phone for phone in phones]


def posteriors(log_likelihoods: np.ndarray) -> np.ndarray:
    """Return the probability of each phone in each frame, under equal priors: float32, shape=(frames, len(PHONES))."""
    best = log_likelihoods.max(axis=2)
    likelihoods = np.exp(best - best.max(axis=1, keepdims=True))
    return (likelihoods / likelihoods.sum(axis=1, keepdims=True)).astype(np.float32)
