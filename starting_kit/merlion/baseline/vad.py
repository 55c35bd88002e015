"""Speech detection: spans in ms, by energy or by the silero network."""

from __future__ import annotations

import numpy as np
from features import LENGTH, SHIFT
from recordings import RATE

AROUND = 1_000
"""Number of frames on each side from which the levels of noise and speech are estimated."""

SHARE, LEAST = 0.35, 6.0
"""A frame is speech if it is louder than the noise by this share of the range from noise to speech, and at least by
this many dB."""

LONGEST_GAP, SHORTEST_SPAN = 20, 10  # frames


def find_speech(samples: np.ndarray, by: str) -> np.ndarray:
    """Return spans of speech in ms, shape=(n, 2), ordered and disjoint; `by` is "energy" or "silero"."""
    return {"energy": by_energy, "silero": by_silero}[by](samples)


def by_energy(samples: np.ndarray) -> np.ndarray:
    """Find frames that are louder than the noise around them; close short gaps, then drop short spans."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, LENGTH)[::SHIFT]
    level = 10 * np.log10(frames.var(axis=1) + 1)
    level = np.convolve(np.pad(level, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    centres = np.arange(0, len(level) + AROUND, AROUND // 2)
    near = [level[max(0, centre - AROUND) : centre + AROUND] for centre in centres]
    near = [levels if len(levels) else level for levels in near]
    noise, speech = np.array([np.percentile(levels, (10, 95)) for levels in near]).T
    threshold = noise + np.maximum(LEAST, SHARE * (speech - noise))
    loud = level > np.interp(np.arange(len(level)), centres, threshold)
    spans = [list(span) for span in runs(loud)]
    joined: list[list[int]] = []
    for span in spans:
        if joined and span[0] - joined[-1][1] <= LONGEST_GAP:
            joined[-1][1] = span[1]
        else:
            joined.append(span)
    kept = [span for span in joined if span[1] - span[0] >= SHORTEST_SPAN]
    return np.array(kept, float).reshape(-1, 2) * 1000 * SHIFT / RATE


def by_silero(samples: np.ndarray) -> np.ndarray:
    """Find speech with the network of the package silero-vad."""
    import torch
    from silero_vad import get_speech_timestamps, load_silero_vad

    spans = get_speech_timestamps(
        torch.from_numpy(samples / 32768).float(), load_silero_vad(), sampling_rate=RATE
    )
    return np.array([(span["start"], span["end"]) for span in spans], float).reshape(-1, 2) * 1000 / RATE


def runs(mask: np.ndarray) -> np.ndarray:
    """Return the first and one-past-last index of each run of true values, shape=(n, 2)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2)
