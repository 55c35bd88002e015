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
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from calibration import Calibration, calibrate
from conformer import SIZES, Conformer, choose_device, log_odds, read_state
from corpus import labelled_segments, manifest_segments
from features import add_arguments, choose_encoder
from pieces import WINDOW, Data, batches, frames_in, read_data

from spokeneval.metrics.equal_error_rate import rocch_eer

WARM_UP = 1 / 15
"""Share of the steps in which the learning rate rises: 5,000 of 75,000 in the paper."""

COPIES = 2
"""Number of varied copies of each recording; each epoch takes each segment from one of the copies or the original."""


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
    data = read_data(options, encoder, segments)
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
        loss = learn(model, optimiser, schedule, batches(options, data, learnt, epoch, device), weights)
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
    prepared: Iterable[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
    weights: torch.Tensor,
) -> float:
    """Train for one epoch; return its mean loss."""
    model.train()
    device = weights.device
    short = device.type == "cuda" and torch.cuda.is_bf16_supported()
    total, count = torch.zeros((), device=device), 0
    for batch in prepared:
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
    window = frames_in(WINDOW, data.rate)
    middles = [piece[max(0, (len(piece) - window) // 2) :][:window] for piece in pieces]
    odds = log_odds(model, pieces)
    segments, windows = calibrate(odds, english), calibrate(log_odds(model, middles), english)
    taken = segments(odds) > 0
    errors = {
        "eer": round(100 * float(rocch_eer(odds[english], odds[~english])), 2),
        "balanced_error": round(50 * float((~taken[english]).mean() + taken[~english].mean()), 2),
    }
    return Examined(errors, segments, windows)


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
