"""The baseline's model: conformer layers, statistics pooling, three linear layers, two languages.

A layer follows Gulati et al. (2020), *Conformer*: half a feed-forward network, self-attention, convolution, and the
other half. Only the convolutions encode the position of a frame. They normalise each frame separately, so that padding
does not change the result.
"""

from __future__ import annotations

import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from calibration import Calibration
from torch import Tensor, nn

KERNEL = 31
DROPOUT = 0.1


class Size(NamedTuple):
    """Size and training parameters of a model.

    Attributes
    ----------
    stack: number of input frames merged into one.
    epochs, peak: defaults of the number of epochs and of the highest learning rate.
    """

    layers: int
    heads: int
    width: int
    inner: int
    stack: int
    epochs: int
    peak: float


SIZES = {
    "paper": Size(4, 8, 512, 2048, stack=1, epochs=5, peak=1e-4),
    "small": Size(4, 8, 96, 384, stack=4, epochs=25, peak=1e-3),
}


class FeedForward(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.LayerNorm(size.width),
            nn.Linear(size.width, size.inner),
            nn.SiLU(),
            nn.Dropout(DROPOUT),
            nn.Linear(size.inner, size.width),
            nn.Dropout(DROPOUT),
        )

    def forward(self, frames: Tensor) -> Tensor:
        return self.network(frames)


class Convolution(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size.width)
        self.gates = nn.Linear(size.width, 2 * size.width)
        self.depthwise = nn.Conv1d(size.width, size.width, KERNEL, padding=KERNEL // 2, groups=size.width)
        self.after = nn.Sequential(
            nn.LayerNorm(size.width), nn.SiLU(), nn.Linear(size.width, size.width), nn.Dropout(DROPOUT)
        )

    def forward(self, frames: Tensor, real: Tensor) -> Tensor:
        gated = nn.functional.glu(self.gates(self.norm(frames)), dim=-1) * real[..., None]
        return self.after(self.depthwise(gated.transpose(1, 2)).transpose(1, 2))


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.before, self.behind = FeedForward(size), FeedForward(size)
        self.attention_norm, self.norm = nn.LayerNorm(size.width), nn.LayerNorm(size.width)
        self.attention = nn.MultiheadAttention(size.width, size.heads, DROPOUT, batch_first=True)
        self.convolution = Convolution(size)

    def forward(self, frames: Tensor, real: Tensor) -> Tensor:
        frames = frames + self.before(frames) / 2
        heard = self.attention_norm(frames)
        frames = frames + self.attention(heard, heard, heard, key_padding_mask=~real, need_weights=False)[0]
        frames = frames + self.convolution(frames, real)
        return self.norm(frames + self.behind(frames) / 2)


class Conformer(nn.Module):
    """Map features, shape=(batch, frames, dimensions), to scores of the languages, shape=(batch, 2).

    Only the first `lengths` frames of each item are real; the rest is padding.
    """

    def __init__(self, size: Size, dimensions: int = 39) -> None:
        super().__init__()
        self.stack = size.stack
        self.enter = nn.Linear(dimensions * size.stack, size.width)
        self.layers = nn.ModuleList([Layer(size) for _ in range(size.layers)])
        self.decide = nn.Sequential(
            nn.Linear(2 * size.width, 2 * size.width),
            nn.ReLU(),
            nn.Linear(2 * size.width, size.width),
            nn.ReLU(),
            nn.Linear(size.width, 2),
        )

    def forward(self, features: Tensor, lengths: Tensor) -> Tensor:
        batch, time, dimensions = features.shape
        features = nn.functional.pad(features, (0, 0, 0, -time % self.stack))
        frames = self.enter(features.reshape(batch, -1, dimensions * self.stack))
        lengths = -(-lengths // self.stack)
        real = torch.arange(frames.shape[1], device=frames.device) < lengths[:, None]
        for layer in self.layers:
            frames = layer(frames, real)
        return self.decide(pool(frames, real))


def pool(frames: Tensor, real: Tensor) -> Tensor:
    """Return the mean and standard deviation of the real frames, shape=(batch, 2 * width)."""
    weight = real[..., None] / real.sum(dim=1)[:, None, None]
    mean = (frames * weight).sum(dim=1)
    variance = ((frames - mean[:, None]) ** 2 * weight).sum(dim=1)
    return torch.cat([mean, (variance + 1e-5).sqrt()], dim=1)


def pad(pieces: list[np.ndarray]) -> tuple[Tensor, Tensor]:
    """Return one batch of pieces of different lengths, and their lengths."""
    lengths = torch.tensor([len(piece) for piece in pieces])
    batch = torch.zeros(len(pieces), int(lengths.max()), pieces[0].shape[1])
    for row, piece in zip(batch, pieces):
        row[: len(piece)] = torch.from_numpy(piece)
    return batch, lengths


@torch.no_grad()
def log_odds(model: Conformer, pieces: list[np.ndarray], *, at_once: int = 64) -> np.ndarray:
    """Return the log-odds of English against Mandarin for each piece, shape=(n,)."""
    model.eval()
    device = next(model.parameters()).device
    odds = np.zeros(len(pieces))
    order = np.argsort([len(piece) for piece in pieces], kind="stable")
    for start in range(0, len(order), at_once):
        chosen = order[start : start + at_once]
        batch, lengths = pad([pieces[index] for index in chosen])
        scores = model(batch.to(device), lengths.to(device)).cpu().numpy()
        odds[chosen] = scores[:, 0] - scores[:, 1]
    return odds


def choose_device(threads: int) -> torch.device:
    """Return the GPU if there is one, else the CPU with this number of threads."""
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision("high")  # TF32 on a GPU
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trained(NamedTuple):
    """A trained model.

    Attributes
    ----------
    segments, windows: calibrations for whole segments, and for windows of one second.
    """

    model: Conformer
    segments: Calibration
    windows: Calibration


def load_model(path: Path, threads: int, heard_by: str) -> Trained:
    """Return a model that train.py has written, on the available device; it must be for frames of `heard_by`."""
    if not path.is_file():
        sys.exit(f"{path}: no such model; train one with train.py")
    state = read_state(path)
    if state["settings"]["frames"] != heard_by:
        sys.exit(
            f"{path}: trained on frames of {state['settings']['frames']}, but now they are of {heard_by}; use the same "
            "--encoder as in training"
        )
    model = Conformer(SIZES[state["settings"]["size"]], state["dimensions"])
    model.load_state_dict(state["model"])
    calibrations = (Calibration(*state[name]) for name in ("segments", "windows"))
    return Trained(model.to(choose_device(threads)), *calibrations)


def read_state(path: Path) -> dict[str, Any]:
    """Return what train.py has written; end the program if it is something else."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True) if zipfile.is_zipfile(path) else {}
    except (RuntimeError, pickle.UnpicklingError):
        state = {}
    if not {"settings", "dimensions", "model"} <= set(state):
        sys.exit(f"{path}: not a model written by this train.py; choose another --model")
    return state
