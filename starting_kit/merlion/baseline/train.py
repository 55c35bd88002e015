"""Train the baseline's model on a public set's labels and recordings.

    python3 baseline/train.py --audio DIR [--size small|paper] [--set development] [--model MODEL.pt] [--seed 1]

After each epoch it prints the error rate on held-out recordings, one in five; they are not used to choose an epoch.
MODEL.pt is written after each epoch, so the same command continues a training that was stopped and gives the same
model.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from conformer import SIZES, Conformer, Size, choose_device, log_odds, pad, read_state
from corpus import CorpusError, Segment, check_fit, find_recordings, labelled_segments, read_wav
from features import recording_features

BATCH = 32
LONGEST = 300  # frames, as in the paper
SHORTEST = 10
HOLD_OUT = 5


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the baseline's model.")
    parser.add_argument(
        "--audio", type=Path, required=True, metavar="DIR", help="folder with the corpus's recordings"
    )
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument(
        "--set", default="development", help="a set whose labels are in the kit (default: development)"
    )
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="the model to write (default: model.pt)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--threads", type=int, default=1, help="number of CPU threads (default: 1, best on shared machines)"
    )
    options = parser.parse_args()
    try:
        train(options)
    except CorpusError as problem:
        sys.exit(str(problem))


def train(options: argparse.Namespace) -> None:
    """Train to the end, starting after the last epoch in `options.model`."""
    size, device = SIZES[options.size], choose_device(options.threads)
    segments = labelled_segments(options.set)
    recordings = sorted({segment.recording for segment in segments})
    pieces = hear(options.audio, segments)
    english = np.array([segment.language == "English" for segment in segments])
    held_out = np.isin([segment.recording for segment in segments], recordings[HOLD_OUT - 1 :: HOLD_OUT])
    learnt = np.flatnonzero(~held_out)
    steps = size.epochs * -(-len(learnt) // BATCH)

    torch.manual_seed(options.seed)
    model = Conformer(size).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=size.peak, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, steps, size))
    described = {"size": options.size, "seed": options.seed, "segments": len(segments)}
    done = resume(options.model, described, model, optimiser, schedule)
    began = time.monotonic()
    for epoch in range(done, size.epochs):
        torch.manual_seed(1000 * options.seed + epoch)
        rng = np.random.default_rng([options.seed, epoch])
        loss = learn(model, optimiser, schedule, batches(rng, pieces, english, learnt))
        keep(options.model, described, epoch + 1, model, optimiser, schedule)
        wrong = error_rate(model, pieces, english, held_out)
        left = (time.monotonic() - began) / (epoch + 1 - done) * (size.epochs - epoch - 1)
        print(
            f"epoch {epoch + 1} of {size.epochs}: loss {loss:.3f}, {wrong} on held-out recordings, "
            f"about {left / 60:.1f} min left",
            file=sys.stderr,
            flush=True,
        )
    print(f"{options.model}: {options.size} model after {size.epochs} epochs on {len(learnt)} segments")


def hear(audio: Path, segments: Sequence[Segment]) -> list[np.ndarray]:
    """Return the features of each segment, shape=(frames, 39)."""
    by_recording: dict[str, list[int]] = {}
    for index, segment in enumerate(segments):
        by_recording.setdefault(segment.recording, []).append(index)
    pieces: list[np.ndarray] = [np.empty(0)] * len(segments)
    for name, path in find_recordings(audio, by_recording).items():
        samples = read_wav(path)
        check_fit(path, samples, [segments[index] for index in by_recording[name]])
        features = recording_features(samples)
        for index in by_recording[name]:
            pieces[index] = cut(features, segments[index].start, segments[index].end).copy()
    return pieces


def cut(features: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the frames from `start` to `end`, in ms; at least `SHORTEST`, if there are so many."""
    last = min(len(features), max(round(end / 10), round(start / 10) + SHORTEST))
    return features[max(0, min(round(start / 10), last - SHORTEST)) : last]


def batches(
    rng: np.random.Generator, pieces: Sequence[np.ndarray], english: np.ndarray, learnt: np.ndarray
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield every piece once, in batches of similar lengths in random order; at most three seconds of each piece."""
    length = np.array([min(len(pieces[index]), LONGEST) for index in learnt])
    order = learnt[np.argsort(length * (0.8 + 0.4 * rng.random(len(learnt))), kind="stable")]
    starts = BATCH * rng.permutation(-(-len(order) // BATCH))
    for start in starts:
        chosen = order[start : start + BATCH]
        first = [int(rng.integers(max(0, len(pieces[index]) - LONGEST) + 1)) for index in chosen]
        features, lengths = pad([pieces[index][at : at + LONGEST] for index, at in zip(chosen, first)])
        yield features, lengths, torch.from_numpy(np.where(english[chosen], 0, 1))


def rate(step: int, steps: int, size: Size) -> float:
    """Return the learning rate relative to its peak: a linear rise, then a fall on half a cosine."""
    if step < size.warm_up:
        return (step + 1) / size.warm_up
    return 0.5 + 0.5 * float(np.cos(np.pi * (step - size.warm_up) / max(1, steps - size.warm_up)))


def learn(
    model: Conformer,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    shuffled: Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
) -> float:
    """Train for one epoch; return its mean loss."""
    model.train()
    device, losses = next(model.parameters()).device, []
    for features, lengths, language in shuffled:
        scores = model(features.to(device), lengths.to(device))
        loss = torch.nn.functional.cross_entropy(scores, language.to(device))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def error_rate(
    model: Conformer, pieces: Sequence[np.ndarray], english: np.ndarray, chosen: np.ndarray
) -> str:
    """Return the balanced error rate as text: the mean over languages of the share of segments misclassified."""
    taken = log_odds(model, [pieces[index] for index in np.flatnonzero(chosen)]) > 0
    truth = english[chosen]
    if truth.all() or not truth.any():
        return "no error rate"
    return f"{50 * ((~taken[truth]).mean() + taken[~truth].mean()):.1f} % balanced error"


def resume(
    path: Path,
    described: dict[str, object],
    model: Conformer,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> int:
    """Restore the training in a file; return the number of its epochs, 0 if there is no file."""
    if not path.is_file():
        return 0
    state = read_state(path)
    found = {name: state[name] for name in described}
    if found != described:
        raise CorpusError(
            f"{path}: trained with {found}, but now {described} is requested; choose another --model"
        )
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    schedule.load_state_dict(state["schedule"])
    return int(state["epochs"])


def keep(
    path: Path,
    described: dict[str, object],
    epochs: int,
    model: Conformer,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> None:
    """Write the current state of the training, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    states = {
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
        "schedule": schedule.state_dict(),
    }
    unfinished = path.with_name(path.name + ".part")
    torch.save({**described, "epochs": epochs, **states}, unfinished)
    os.replace(str(unfinished), str(path))


if __name__ == "__main__":
    main()
