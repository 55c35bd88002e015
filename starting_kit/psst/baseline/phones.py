"""What pocketsphinx hears in a recording phone by phone, with the American English model in its wheel.

The model has 39 phones, silence and two noises, each of three states in a row. It has no flap: a T or D between two
vowels is written DX, as Americans say it. A frame is 10 ms.
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
"""The model's, in the order of its states."""

STATES = 3
SCORE_UNIT = 1024 * np.log(1.0001)
"""A score is a negative logarithm to the base 1.0001, less its last ten bits."""


class Heard(NamedTuple):
    """A recording as it was heard.

    Attributes
    ----------
    phones: the challenge's ARPAbet, without silence and noises.
    log_likelihoods: how well each frame fits each state of each phone, up to a constant a frame:
        shape=(frames, len(PHONES), STATES).
    """

    phones: list[str]
    log_likelihoods: np.ndarray


@contextmanager
def listener() -> Iterator[Callable[[np.ndarray], Heard]]:
    """What hears a recording, int16, shape=(n,), 16 kHz: a decoder of any phones, and a folder for its scores."""
    with tempfile.TemporaryDirectory() as folder:
        decoder = Decoder(
            allphone=get_model_path("en-us/en-us-phone.lm.bin"),
            lm=None,
            dict=None,
            lw=2.0,
            compallsen=True,
            senlogdir=folder,
            loglevel="FATAL",
        )
        yield lambda samples: _hear(decoder, Path(folder), samples)


def _hear(decoder: Decoder, scores: Path, samples: np.ndarray) -> Heard:
    decoder.reinit_feat()  # forget the channel of earlier recordings
    decoder.start_utt()
    decoder.process_raw(samples.tobytes(), full_utt=True)
    decoder.end_utt()
    phones = [segment.word for segment in decoder.seg() or ()]
    (file,) = scores.iterdir()
    log_likelihoods = read_scores(file.read_bytes())
    file.unlink()
    return Heard(to_arpabet(phones), log_likelihoods)


def read_scores(content: bytes) -> np.ndarray:
    """The log-likelihoods in a score file of pocketsphinx: the phones' states come first, then triphones'."""
    head, _, frames = content.partition(b"endhdr\n")
    states = int(head.split(b"n_sen ")[1].split()[0])
    scores = np.frombuffer(frames[4:], "<i2").reshape(-1, 1 + states)  # after a mark of the byte order
    return -SCORE_UNIT * scores[:, 1 : 1 + len(PHONES) * STATES].reshape(-1, len(PHONES), STATES)


def to_arpabet(phones: list[str]) -> list[str]:
    """The model's phones as the challenge writes them: no silence, no noise, and the flap.

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
    """The challenge's ARPAbet as the model has it: a flap is a D."""
    return ["D" if phone == "DX" else phone for phone in phones]


def posteriors(log_likelihoods: np.ndarray) -> np.ndarray:
    """The probability of each phone in each frame, all equally likely before: float32, shape=(frames, len(PHONES))."""
    best = log_likelihoods.max(axis=2)
    likelihoods = np.exp(best - best.max(axis=1, keepdims=True))
    return (likelihoods / likelihoods.sum(axis=1, keepdims=True)).astype(np.float32)
