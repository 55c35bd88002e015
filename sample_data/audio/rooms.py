"""Room acoustics for the tasks whose recordings have one speaker, at a microphone on a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sample_data.audio.acoustics import add_noise, reverberate, set_level
from sample_data.audio.speak import RATE


def record(rng: np.random.Generator, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the parts with pauses before, between and after them, in a room with noise, at a random level."""
    pause = np.zeros(RATE // 5)
    said = np.concatenate([pause, *(sound for part in parts for sound in (part, pause))])
    heard = reverberate(rng, said, 0.1 + 0.1 * rng.random())
    return set_level(add_noise(rng, heard, 30 + 10 * rng.random()), -12 * rng.random())
