"""What the model hears: frames of a recording, from MFCC or from an encoder of your own (see `encoder.py`).

MFCC are those of Kaldi's defaults without dither, computed by kaldi-native-fbank: 13 coefficients every 10 ms, the
first of which is the frame's energy; with their first and second differences, 39 numbers.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import kaldi_native_fbank
import numpy as np
from encoder import Encoder, load_encoder
from recordings import RATE

SHIFT, LENGTH = 160, 400
"""Samples from one frame to the next, and samples in a frame."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options from which `choose_encoder` reads."""
    parser.add_argument("--encoder", type=Path, metavar="FILE.py", help="your own encoder in place of MFCC")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="folder with the encoder's weights")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep frames here and use them again")


def choose_encoder(options: argparse.Namespace) -> Encoder:
    """Return your own encoder, or MFCC; each column of a recording's frames has mean 0 and variance 1.

    With `--cache`, frames of the same samples are computed only once.
    """
    if options.encoder:
        heard = load_encoder(options.encoder, options.weights)
    else:
        heard = Encoder("MFCC", RATE / SHIFT, lambda samples: with_differences(mfcc(samples)))
    encoder = heard._replace(frames=lambda samples: normalise(heard.frames(samples)))
    if not options.cache:
        return encoder
    options.cache.mkdir(parents=True, exist_ok=True)
    return encoder._replace(frames=lambda samples: _cached(options.cache, encoder, samples))


def _cached(folder: Path, encoder: Encoder, samples: np.ndarray) -> np.ndarray:
    digest = hashlib.blake2b(samples.tobytes(), key=encoder.name.encode()[:64], digest_size=16).hexdigest()
    path = folder / f"{digest}.npy"
    if not path.is_file():
        part = path.with_suffix(".part")
        with open(part, "wb") as sink:
            np.save(sink, encoder.frames(samples))
        part.replace(path)
    return np.load(path)


def mfcc(samples: np.ndarray) -> np.ndarray:
    """Return the coefficients of each whole frame of samples in the range of 16-bit numbers, shape=(frames, 13)."""
    options = kaldi_native_fbank.MfccOptions()
    options.frame_opts.dither = 0
    computer = kaldi_native_fbank.OnlineMfcc(options)
    computer.accept_waveform(RATE, np.asarray(samples, np.float32))
    computer.input_finished()
    frames = [computer.get_frame(index) for index in range(computer.num_frames_ready)]
    return np.array(frames, float).reshape(-1, 13)


def differences(features: np.ndarray) -> np.ndarray:
    """Return the slope of each coefficient over two frames either way; the first and last frames are repeated."""
    padded = np.pad(features, ((2, 2), (0, 0)), mode="edge")
    return (2 * (padded[4:] - padded[:-4]) + padded[3:-1] - padded[1:-3]) / 10


def with_differences(features: np.ndarray) -> np.ndarray:
    """Return the features with their first and second differences, shape=(frames, 3 * dimensions)."""
    first = differences(features)
    return np.concatenate([features, first, differences(first)], axis=1)


def normalise(frames: np.ndarray) -> np.ndarray:
    """Return the frames of a recording with mean 0 and variance 1 in each column, float32."""
    return ((frames - frames.mean(axis=0)) / (frames.std(axis=0) + 1e-6)).astype(np.float32)
