"""Audio baseline of Task A: a CTC model on the frames of an encoder of your own.

    python3 baseline/ctc.py evaluation OUTPUT_DIR --audio DIR --development-audio DEV_DIR \\
        --encoder baseline/encoder_transformers.py --weights FOLDER
    python3 baseline/decode.py evaluation OUTPUT_DIR --posteriors OUTPUT_DIR/frames.npz

Trains two linear layers with CTC (Graves et al. 2006) on the development set's recordings and transcripts, and writes
the set's log-probabilities to OUTPUT_DIR/frames.npz, which decode.py reads. The encoder itself is not changed. One
utterance in five is held out; the epoch with the lowest PER on these is taken. Needs torch.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from decode import greedy
from encoder import Encoder, load_encoder
from kit import parse_fitted, read_list, read_reference
from recordings import arguments, find_recordings, read_samples, with_progress

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit('ctc.py needs torch: pip install "torch>=2.6"')

from spokeneval.metrics.phoneme_recognition import arpabet_features, drop_fillers
from spokeneval.metrics.transcript_errors import count_errors, error_rate

BLANK = "<blank>"
PHONES = (BLANK, *sorted(arpabet_features().phones))
WIDTH, BATCH, RATE, HOLD_OUT = 256, 16, 1e-3, 5


def main() -> None:
    parser = arguments("Train a CTC model on an encoder's frames, and write the log-probabilities of phones.")
    parser.add_argument("--encoder", type=Path, required=True, metavar="FILE.py", help="see encoder.py")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="folder with the encoder's weights")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parse_fitted(parser)
    rows, development = read_list(options.set), read_list("development")
    encoder = load_encoder(options.encoder, options.weights)
    learnt = encode(development, options.development_audio, encoder)
    reference = read_reference()
    said = [drop_fillers(reference[row["utterance_id"]]["transcript"].split()) for row in development]
    model = train(learnt, said, options.epochs, options.seed)
    tested = learnt if rows == development else encode(rows, options.audio, encoder)
    frames = {row["utterance_id"]: log_probabilities(model, heard) for row, heard in zip(rows, tested)}
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "frames.npz"
    np.savez_compressed(str(path), **{"phones": np.array(PHONES), **frames})
    print(f"{path}: the frames of {len(rows)} utterances; baseline/decode.py makes transcripts of them")


def encode(rows: Sequence[dict[str, str]], folder: Path, encoder: Encoder) -> list[torch.Tensor]:
    """Return the encoder's frames of each utterance, shape=(frames, dimensions)."""
    paths = find_recordings(folder, [row["filename"] for row in rows])
    return [
        torch.from_numpy(encoder.frames(read_samples(path))) for path in with_progress(paths, doing="Encoded")
    ]


def train(heard: Sequence[torch.Tensor], said: Sequence[list[str]], epochs: int, seed: int) -> nn.Module:
    """Return the model with the lowest PER on the utterances held out.

    Utterances with fewer frames than CTC needs are left out of the training.
    """
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(heard[0].shape[1], WIDTH), nn.GELU(), nn.Linear(WIDTH, len(PHONES)))
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE)
    targets = [torch.tensor([PHONES.index(phone) for phone in phones]) for phones in said]
    needed = [len(phones) + sum(a == b for a, b in zip(phones, phones[1:])) for phones in said]
    held_out = range(HOLD_OUT - 1, len(heard), HOLD_OUT)
    learnt = [
        index
        for index in range(len(heard))
        if index not in held_out and 0 < needed[index] <= len(heard[index])
    ]
    if not learnt or not any(said[index] for index in held_out):
        sys.exit("The development set has too few transcribed utterances to train on.")
    best, lowest = copy.deepcopy(model), np.inf
    for epoch in with_progress(range(epochs), doing="Trained epochs"):
        rng = np.random.default_rng([seed, epoch])
        order = rng.permutation(learnt)
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            lengths = torch.tensor([len(heard[index]) for index in chosen])
            scores = model(nn.utils.rnn.pad_sequence([heard[index] for index in chosen])).log_softmax(dim=-1)
            loss = nn.functional.ctc_loss(
                scores,
                torch.cat([targets[index] for index in chosen]),
                lengths,
                torch.tensor([len(targets[index]) for index in chosen]),
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        found = [greedy(log_probabilities(model, heard[index]), PHONES) for index in held_out]
        rate = float(error_rate(count_errors([said[index] for index in held_out], found)))
        if rate < lowest:
            best, lowest = copy.deepcopy(model), rate
    print(f"PER {100 * lowest:.1f} % on {len(held_out)} utterances held out, {len(learnt)} trained on.")
    return best


@torch.no_grad()
def log_probabilities(model: nn.Module, heard: torch.Tensor) -> np.ndarray:
    """Return the log-probability of each of `PHONES` in each frame, float32, shape=(frames, len(PHONES))."""
    return model(heard).log_softmax(dim=-1).numpy()


if __name__ == "__main__":
    main()
