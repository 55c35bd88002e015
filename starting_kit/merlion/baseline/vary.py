"""Varied copies of recordings to train on: speed and pitch, a room, noise, and a telephone line or a narrow codec.

A model that hears the same voices and the same microphone in every epoch learns these instead of the language.
"""

from __future__ import annotations

import numpy as np
import soxr
from recordings import RATE


def vary(rng: np.random.Generator, samples: np.ndarray) -> tuple[np.ndarray, float]:
    """Return a varied copy, int16, and its speed relative to the original; times are divided by the speed."""
    speed = rng.uniform(0.9, 1.1)
    changed = soxr.resample(samples.astype(float), RATE * speed, RATE, quality="MQ")
    changed = resound(rng, changed, rng.uniform(0.1, 0.5)) if rng.random() < 0.5 else changed
    changed = add_noise(rng, changed, rng.uniform(10, 30)) if rng.random() < 0.5 else changed
    changed = narrow(rng, changed) if rng.random() < 0.3 else changed
    loudest = np.abs(changed).max(initial=1.0)
    return np.round(changed * (10 ** rng.uniform(-1, 0) * 32767 / loudest)).astype(np.int16), speed


def resound(rng: np.random.Generator, samples: np.ndarray, seconds: float) -> np.ndarray:
    """Return the samples in a room with a reverberation time (60 dB) of `seconds`."""
    time = np.arange(round(seconds * RATE)) / RATE
    response = 0.03 * rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    response[0] = 1.0
    size = 1 << (len(samples) + len(response)).bit_length()
    return np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(response, size), size)[: len(samples)]


def add_noise(rng: np.random.Generator, samples: np.ndarray, snr: float) -> np.ndarray:
    """Return the samples with noise of a random colour, `snr` dB below their power."""
    spectrum = np.fft.rfft(rng.standard_normal(len(samples)))
    noise = np.fft.irfft(spectrum / (1 + np.arange(len(spectrum))) ** rng.uniform(0, 1), len(samples))
    power = np.mean(samples**2) / np.mean(noise**2)
    return samples + noise * np.sqrt(power * 10 ** (-snr / 10))


def narrow(rng: np.random.Generator, samples: np.ndarray) -> np.ndarray:
    """Return the samples without low and high frequencies, and with the steps of an 8-bit telephone line."""
    low, high = rng.uniform(50, 350), rng.uniform(3300, 7000)
    spectrum = np.fft.rfft(samples)
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    heard = np.fft.irfft(spectrum * ((frequencies > low) & (frequencies < high)), len(samples))
    full = np.abs(heard).max(initial=1.0)
    companded = np.sign(heard) * np.log1p(255 * np.abs(heard) / full) / np.log(256)
    rounded = np.round(companded * 127) / 127
    return full * np.sign(rounded) * (256 ** np.abs(rounded) - 1) / 255
