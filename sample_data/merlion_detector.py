"""The output of an invented speech detector on the labels of MERLIon CCS, for the kit's diarization baseline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def detected_speech(labels: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the stretches `audio_name, start, end`, in ms, in which an invented detector finds speech.

    It misses one segment in thirty and takes one noise in three for speech; the boundaries are moved by up to 100 ms,
    and stretches that then meet are one. No published detector is imitated.
    """
    rng = np.random.default_rng(seed)
    found = labels[rng.random(len(labels)) < np.where(labels.language_tag == "NON_SPEECH", 1 / 3, 29 / 30)]
    spans: list[tuple[str, int, int]] = []
    for name, start, end in found[["audio_name", "start", "end"]].itertuples(index=False):
        start, end = (max(0, time + round(200 * rng.random() - 100)) for time in (start, end))
        if spans and spans[-1][0] == name and start <= spans[-1][2]:
            _, start, before = spans.pop()
            end = max(end, before)
        if start < end:
            spans.append((name, start, end))
    return pd.DataFrame(spans, columns=["audio_name", "start", "end"])


def write_detected(labels: pd.DataFrame, seed: int, root: Path, name: str) -> Path:
    """Write the detected speech of a set for the diarization baseline below a competition's folder; return the file."""
    path = root / "starting_kit/merlion_diarization/data" / f"{name}_speech.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    detected_speech(labels, seed).to_csv(path, index=False, lineterminator="\n")
    return path
