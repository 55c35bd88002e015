"""Load an encoder: any network that turns a recording into frames, as a Python file that you choose.

The file defines

- `RATE`, the number of frames per second,
- `load(folder)`, which gets the folder of `--weights` (or None) and is called once,
- `frames(samples)`, which returns the frames of a recording: an array of shape (frames, dimensions). `samples` is
  float32, shape (n,), from -1 to 1 at 16 kHz.

`encoder_transformers.py` (wav2vec 2.0, HuBERT, WavLM) and `encoder_whisper.py` are examples. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np


class Encoder(NamedTuple):
    """An encoder that is ready for use.

    Attributes
    ----------
    name: identifies it; a model works only with the encoder that it was trained with.
    rate: frames per second.
    frames: returns the frames of samples, int16 at 16 kHz, shape=(n,): float32, shape=(frames, dimensions).
    """

    name: str
    rate: float
    frames: Callable[[np.ndarray], np.ndarray]


def load_encoder(path: Path, weights: Optional[Path]) -> Encoder:
    """Return the encoder that a file defines; end the program with one line if the file does not define one."""
    if not path.is_file():
        sys.exit(f"{path}: no such file; --encoder needs a Python file with RATE, load() and frames()")
    if weights and not weights.is_dir():
        sys.exit(f"{weights}: no such folder; --weights needs the folder with the encoder's weights")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except ImportError as missing:
        sys.exit(f"{path}: {missing}; install the packages that this encoder needs")
    missing = [name for name in ("RATE", "load", "frames") if not hasattr(module, name)]
    if missing:
        sys.exit(f"{path}: does not define {', '.join(missing)}; an encoder needs RATE, load() and frames()")
    module.load(weights)

    def frames(samples: np.ndarray) -> np.ndarray:
        found = np.asarray(module.frames(samples.astype(np.float32) / 32768), np.float32)
        if found.ndim != 2 or not len(found) or not np.isfinite(found).all():
            sys.exit(
                f"{path}: frames() returned shape {found.shape}; expected finite numbers, (frames, dimensions)"
            )
        return found

    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Encoder(f"{path.name} {digest}", float(module.RATE), frames)
