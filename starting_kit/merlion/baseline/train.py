"""Train the baseline's model on a public set's labels and recordings, or on your own.

    python3 baseline/train.py --audio DIR [--size small|paper] [--model MODEL.pt] [--seed 1] [@SETTINGS.txt]

One recording in five is held out. After each epoch, the error rates on them are printed and added to MODEL.csv, and
MODEL.pt is written if the epoch is the best so far by the equal error rate; it includes a calibration that is fitted on
the held-out recordings. MODEL.training is written after each epoch, so that the same command continues a training that
was stopped, and gives the same model. A file of settings has an option on each line, such as `--epochs=20`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from conformer import SIZES, Calibration, Conformer, choose_device, log_odds, pad, read_state
from corpus import LANGUAGES, Segment, labelled_segments, manifest_segments, refuse_unfit
from encoder import Encoder
from features import add_arguments, choose_encoder
from recordings import find_recordings, read_samples, with_progress
from vary import vary

from spokeneval.metrics.equal_error_rate import rocch_eer

LONGEST, SHORTEST = 3000, 100
"""The most of a segment that the model hears at once in training, as in the paper, and the least, in ms."""

WINDOW = 1000
"""Length of the windows of diarization, in ms, for which there is a calibration, too."""

WARM_UP = 1 / 15
"""Share of the steps in which the learning rate rises: 5,000 of 75,000 in the paper."""

COPIES = 2
"""Number of varied copies of each recording; each epoch takes each segment from one of the copies or the original."""


class Data(NamedTuple):
    """What to train on.

    Attributes
    ----------
    pieces: frames of each segment in each version; the first version is the original.
    english: whether each segment is English, bool, shape=(segments,).
    held_out: whether each segment is held out, bool, shape=(segments,).
    rate: frames per second.
    digest: identifies all of these.
    """

    pieces: Sequence[Sequence[np.ndarray]]
    english: np.ndarray
    held_out: np.ndarray
    rate: float
    digest: str


class Plan(NamedTuple):
    """A batch: which segments, and the seed of what varies."""

    chosen: np.ndarray
    seed: tuple[int, int, int]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the baseline's model.", fromfile_prefix_chars="@")
    parser.add_argument("--audio", type=Path, required=True, metavar="DIR", help="folder with the recordings")
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument(
        "--set", default="development", help="a set whose labels are in the kit (default: development)"
    )
    parser.add_argument(
        "--manifest",
        type=Path,
        metavar="FILE.csv",
        help="your own segments in place of a set's (see README.md)",
    )
    parser.add_argument(
        "--hold-out",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="share of recordings not trained on (default: 0.2); with 0, no calibration and no choice of an epoch",
    )
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="the model to write (default: model.pt)"
    )
    parser.add_argument("--init", type=Path, metavar="MODEL.pt", help="begin with these weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, help="default: 25 for the small model, 5 for the paper's")
    parser.add_argument("--rate", type=float, help="highest learning rate (default: 0.001 and 0.0001)")
    parser.add_argument("--batch", type=int, default=32, help="segments in a batch (default: 32)")
    parser.add_argument("--copies", type=int, default=COPIES, help=f"varied copies (default: {COPIES})")
    parser.add_argument("--threads", type=int, default=1, help="number of CPU threads (default: 1)")
    parser.add_argument("--workers", type=int, default=0, help="processes that prepare batches (default: 0)")
    parser.add_argument("--compile", action="store_true", help="compile the model first, for long trainings")
    add_arguments(parser)
    options = parser.parse_args()
    size = SIZES[options.size]
    options.epochs, options.rate = options.epochs or size.epochs, options.rate or size.peak
    if not 0 <= options.hold_out < 1 or options.epochs < 1 or options.batch < 1 or options.copies < 0:
        parser.error(
            "expected --hold-out from 0 to below 1, --epochs and --batch from 1, and --copies from 0"
        )
    train(options)


def train(options: argparse.Namespace) -> None:
    """Train to the end, starting after the last epoch that was finished before."""
    device, encoder = choose_device(options.threads), choose_encoder(options)
    if options.manifest:
        segments = manifest_segments(options.manifest)
    else:
        segments = labelled_segments(options.set)
    data = hear(options, encoder, segments)
    learnt = np.flatnonzero(~data.held_out)
    steps = options.epochs * -(-len(learnt) // options.batch)
    settings = {
        **{name: getattr(options, name) for name in ("size", "seed", "epochs", "rate", "batch", "copies")},
        "hold_out": options.hold_out,
        "initial": _digest_of(options.init),
        "frames": encoder.name,
        "data": data.digest,
    }
    torch.manual_seed(options.seed)
    dimensions = data.pieces[0][0].shape[1]
    model = Conformer(SIZES[options.size], dimensions).to(device)
    if options.init:
        begin_with(model, options.init, dimensions)
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=options.rate, weight_decay=0.01, fused=device.type == "cuda"
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, partial(relative_rate, steps=steps))
    parts = {"model": model, "optimiser": optimiser, "schedule": schedule}
    kept = options.model.with_suffix(".training")
    log = resume(kept, settings, parts)
    if options.compile:
        model.compile(dynamic=True)
    # Each language counts the same, however many of the segments are in it.
    languages = np.bincount(np.where(data.english[learnt], 0, 1), minlength=2)
    weights = torch.tensor(len(learnt) / (2 * languages), dtype=torch.float32, device=device)
    for epoch in range(len(log), options.epochs):
        began = time.monotonic()
        torch.manual_seed(1000 * options.seed + epoch)
        loss = learn(model, optimiser, schedule, load(options, data, learnt, epoch, device), weights)
        found = examine(model, data)
        log.append({"epoch": epoch + 1, "loss": round(loss, 4), **found.errors})
        best = min(log, key=lambda row: row["eer"]) if found.errors else log[-1]
        if best is log[-1]:
            calibrations = {"segments": tuple(found.segments), "windows": tuple(found.windows)}
            about = {"settings": settings, "dimensions": dimensions, "epoch": epoch + 1}
            write(options.model, {**about, **calibrations, "model": model.state_dict()})
        states = {name: part.state_dict() for name, part in parts.items()}
        write(kept, {"settings": settings, "log": log, **states})
        write_log(options.model.with_suffix(".csv"), log)
        left = (time.monotonic() - began) * (options.epochs - epoch - 1)
        said = ", ".join(f"{name} {value}" for name, value in log[-1].items() if name != "epoch")
        said += " (best so far)" * (best is log[-1])
        now = f"epoch {epoch + 1} of {options.epochs}: {said}, about {left / 60:.1f} min left"
        print(now, file=sys.stderr, flush=True)
    chosen = int(read_state(options.model)["epoch"])
    print(f"{options.model}: {options.size} model after epoch {chosen}, trained on {len(learnt)} segments")


def hear(options: argparse.Namespace, encoder: Encoder, segments: Sequence[Segment]) -> Data:
    """Read all recordings, and return the frames of each segment in each version."""
    by_recording: dict[str, list[int]] = {}
    for index, segment in enumerate(segments):
        by_recording.setdefault(segment.recording, []).append(index)
    names = sorted(by_recording)
    paths = dict(zip(names, find_recordings(options.audio, names)))
    digest = hashlib.blake2b(repr((segments, options.copies)).encode(), digest_size=16)
    pieces: list[list[np.ndarray]] = [[np.empty(0)] * len(segments) for _ in range(1 + options.copies)]
    sizes = {}
    for number, name in enumerate(with_progress(names, doing="Read")):
        original = read_samples(paths[name])
        sizes[name] = len(original)
        digest.update(original.tobytes())
        rng = np.random.default_rng([options.seed, number])
        versions = [(original, 1.0), *(vary(rng, original) for _ in range(options.copies))]
        for version, (samples, speed) in zip(pieces, versions):
            frames = encoder.frames(samples)
            for index in by_recording[name]:
                start, end = segments[index].start / speed, segments[index].end / speed
                version[index] = cut(frames, start, end, encoder.rate).copy()
    refuse_unfit(paths, sizes, segments)
    every = round(1 / options.hold_out) if options.hold_out else 0
    held_out = set(names[every - 1 :: every]) if every else set()
    return Data(
        pieces,
        np.array([segment.language == LANGUAGES[0] for segment in segments]),
        np.array([segment.recording in held_out for segment in segments]),
        encoder.rate,
        digest.hexdigest(),
    )


def cut(frames: np.ndarray, start: float, end: float, rate: float) -> np.ndarray:
    """Return the frames from `start` to `end`, in ms; at least `SHORTEST`, if there are so many.

    rate: frames per second.
    """
    shortest = max(1, round(SHORTEST * rate / 1000))
    first = round(start * rate / 1000)
    last = min(len(frames), max(round(end * rate / 1000), first + shortest))
    return frames[max(0, min(first, last - shortest)) : last]


def load(
    options: argparse.Namespace, data: Data, learnt: np.ndarray, epoch: int, device: torch.device
) -> torch.utils.data.DataLoader:
    """Return the batches of an epoch: every segment once, with others of similar lengths, in random order."""
    rng = np.random.default_rng([options.seed, epoch])
    length = np.array([len(data.pieces[0][index]) for index in learnt]).clip(max=_frames(LONGEST, data))
    order = learnt[np.argsort(length * (0.8 + 0.4 * rng.random(len(learnt))), kind="stable")]
    starts = options.batch * rng.permutation(-(-len(order) // options.batch))
    plans = [
        Plan(order[start : start + options.batch], (options.seed, epoch, number))
        for number, start in enumerate(starts)
    ]
    return torch.utils.data.DataLoader(
        plans,  # type: ignore[arg-type]
        batch_size=None,
        collate_fn=partial(make_batch, data),
        num_workers=options.workers,
        pin_memory=device.type == "cuda",
    )


def _frames(milliseconds: float, data: Data) -> int:
    return round(milliseconds * data.rate / 1000)


def make_batch(data: Data, plan: Plan) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the features of a batch, their lengths and their languages, 0 English and 1 Mandarin.

    Each piece is a random part, of at most three seconds, of a random version, with parts masked as in SpecAugment
    (Park et al. 2019): up to a tenth of the frames, and up to a tenth of the columns.
    """
    rng, longest = np.random.default_rng(plan.seed), _frames(LONGEST, data)
    pieces = []
    for index in plan.chosen:
        piece = data.pieces[int(rng.integers(len(data.pieces)))][index]
        first = int(rng.integers(max(0, len(piece) - longest) + 1))
        piece = piece[first : first + longest].copy()
        for axis in (0, 1):
            width = int(rng.integers(piece.shape[axis] // 10 + 1))
            start = int(rng.integers(piece.shape[axis] - width + 1))
            piece[(slice(None),) * axis + (slice(start, start + width),)] = 0
        pieces.append(piece)
    return (*pad(pieces), torch.from_numpy(np.where(data.english[plan.chosen], 0, 1)))


def relative_rate(step: int, steps: int) -> float:
    """Return the learning rate relative to its peak: a linear rise, then a fall on half a cosine."""
    rise = max(1, round(WARM_UP * steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 + 0.5 * float(np.cos(np.pi * (step - rise) / max(1, steps - rise)))


def learn(
    model: Conformer,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    batches: Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
    weights: torch.Tensor,
) -> float:
    """Train for one epoch; return its mean loss."""
    model.train()
    device = weights.device
    short = device.type == "cuda" and torch.cuda.is_bf16_supported()
    total, count = torch.zeros((), device=device), 0
    for batch in batches:
        features, lengths, language = (each.to(device, non_blocking=True) for each in batch)
        with torch.autocast(device.type, torch.bfloat16, enabled=short):
            scores = model(features, lengths)
        loss = torch.nn.functional.cross_entropy(scores.float(), language, weights)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        total += loss.detach()  # read once an epoch: reading it in each step would wait for the GPU
        count += 1
    return float(total) / count


class Examined(NamedTuple):
    """Error rates on held-out segments, in percent, and calibrations; no errors without both languages."""

    errors: dict[str, float]
    segments: Calibration
    windows: Calibration


def examine(model: Conformer, data: Data) -> Examined:
    """Return the model's errors on the held-out segments, and calibrations that are fitted on them."""
    held_out = np.flatnonzero(data.held_out)
    english = data.english[held_out]
    if english.all() or not english.any():
        return Examined({}, Calibration(), Calibration())
    pieces = [data.pieces[0][index] for index in held_out]
    window = _frames(WINDOW, data)
    middles = [piece[max(0, (len(piece) - window) // 2) :][:window] for piece in pieces]
    odds = log_odds(model, pieces)
    segments, windows = calibrate(odds, english), calibrate(log_odds(model, middles), english)
    taken = segments(odds) > 0
    errors = {
        "eer": round(100 * float(rocch_eer(odds[english], odds[~english])), 2),
        "balanced_error": round(50 * float((~taken[english]).mean() + taken[~english].mean()), 2),
    }
    return Examined(errors, segments, windows)


def calibrate(odds: np.ndarray, english: np.ndarray) -> Calibration:
    """Return the logistic regression of the language on log-odds, with equal weights for the languages.

    With equal weights, the result is a log-likelihood ratio: 0 means that both languages are equally likely if both are
    equally frequent. A prior of one segment keeps the scale finite if the odds separate the languages.
    """
    inputs = np.stack([odds, np.ones(len(odds))], axis=1)
    weights = np.where(english, 0.5 / english.mean(), 0.5 / (~english).mean())
    found = np.array([1.0, 0.0])
    prior = np.diag([np.var(odds), 0.0]) + 1e-9 * np.eye(2)
    for _ in range(50):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        slope = inputs.T @ (weights * (english - likely)) - prior @ (found - [1.0, 0.0])
        curve = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + prior
        step = np.linalg.solve(curve, slope)
        found = found + step / max(1.0, np.abs(step).max())
    return Calibration(float(max(found[0], 0.0)), float(found[1]))


def begin_with(model: Conformer, path: Path, dimensions: int) -> None:
    """Take the weights of another model; end the program if they do not fit."""
    state = read_state(path) if path.is_file() else sys.exit(f"{path}: no such model for --init")
    try:
        model.load_state_dict(state["model"])
    except RuntimeError:
        sys.exit(
            f"{path}: a model of the size {state['settings']['size']} on {state['dimensions']} numbers a frame; --init "
            f"needs one of the same --size on {dimensions}"
        )


def _digest_of(path: Path | None) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() if path and path.is_file() else ""


def resume(path: Path, settings: dict[str, Any], parts: dict[str, Any]) -> list[dict[str, float]]:
    """Restore a training that was stopped; return its log, empty if there is none."""
    if not path.is_file():
        return []
    state = torch.load(path, map_location="cpu", weights_only=True)
    other = [name for name, value in settings.items() if state["settings"].get(name) != value]
    if other:
        changed = "; ".join(f"{name}: {state['settings'].get(name)}, now {settings[name]}" for name in other)
        sys.exit(
            f"{path}: a training with other settings ({changed}); choose another --model, or delete this file"
        )
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return list(state["log"])


def write(path: Path, state: dict[str, Any]) -> None:
    """Write a file, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    torch.save(state, unfinished)
    os.replace(str(unfinished), str(path))


def write_log(path: Path, log: Sequence[dict[str, float]]) -> None:
    """Write a row for each epoch: its loss, and the error rates on held-out recordings in percent."""
    with open(path, "w", encoding="utf-8", newline="") as sink:
        table = csv.DictWriter(sink, list(log[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(log)


if __name__ == "__main__":
    main()
