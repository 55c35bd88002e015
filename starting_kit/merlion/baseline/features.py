"""Mel-frequency cepstral coefficients and their first and second differences: 39 numbers every 10 ms.

The 13 coefficients are those of Kaldi's defaults, without dither: frames of 25 ms, 23 mel bands from 20 Hz, and the
frame's energy as the first coefficient.
"""

from __future__ import annotations

import numpy as np

RATE = 16_000
SHIFT, LENGTH, FFT = 160, 400, 512
BANDS, COEFFICIENTS, LIFTER = 23, 13, 22
EPSILON = np.finfo(np.float32).eps
FRAMES_AT_ONCE = 20_000


def mfcc(samples: np.ndarray) -> np.ndarray:
    """Return the coefficients of each whole frame, shape=(frames, 13), of samples in the range of 16-bit numbers."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, LENGTH)[::SHIFT]
    parts = [_mfcc(frames[start : start + FRAMES_AT_ONCE]) for start in range(0, len(frames), FRAMES_AT_ONCE)]
    return np.concatenate(parts)


def _mfcc(frames: np.ndarray) -> np.ndarray:
    frames = frames - frames.mean(axis=1, keepdims=True)
    energy = np.log(np.maximum((frames**2).sum(axis=1), EPSILON))
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / (LENGTH - 1))) ** 0.85
    power = np.abs(np.fft.rfft((frames - 0.97 * before) * window, FFT)) ** 2
    bands = np.log(np.maximum(power[:, : FFT // 2] @ mel_bands(), EPSILON))
    coefficients = bands @ _cosines()
    coefficients[:, 0] = energy
    return coefficients


def mel_bands() -> np.ndarray:
    """Return triangular filters on the mel scale, shape=(bins of the spectrum, bands)."""
    low, high = _mel(np.array([20.0, RATE / 2]))
    centres = low + (high - low) * np.arange(BANDS + 2) / (BANDS + 1)
    bins = _mel(RATE / FFT * np.arange(FFT // 2))[:, None]
    rising = (bins - centres[:-2]) / (centres[1:-1] - centres[:-2])
    falling = (centres[2:] - bins) / (centres[2:] - centres[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


def _mel(hertz: np.ndarray) -> np.ndarray:
    return 1127 * np.log(1 + hertz / 700)


def _cosines() -> np.ndarray:
    """Return the discrete cosine transform with liftered coefficients, shape=(bands, coefficients)."""
    order = np.arange(COEFFICIENTS)
    cosines = np.sqrt(2 / BANDS) * np.cos(np.pi / BANDS * np.outer(np.arange(BANDS) + 0.5, order))
    cosines[:, 0] = np.sqrt(1 / BANDS)
    return cosines * (1 + LIFTER / 2 * np.sin(np.pi * order / LIFTER))


def differences(features: np.ndarray) -> np.ndarray:
    """Return the slope of each coefficient over two frames either way; the first and last frames are repeated."""
    padded = np.pad(features, ((2, 2), (0, 0)), mode="edge")
    return (2 * (padded[4:] - padded[:-4]) + padded[3:-1] - padded[1:-3]) / 10


def recording_features(samples: np.ndarray) -> np.ndarray:
    """Return the model's input for a recording, shape=(frames, 39); each column has mean 0 and variance 1."""
    first = mfcc(samples)
    second = differences(first)
    features = np.concatenate([first, second, differences(second)], axis=1)
    return ((features - features.mean(axis=0)) / (features.std(axis=0) + 1e-6)).astype(np.float32)
