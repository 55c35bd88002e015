"""Greedy CTC transcripts from the frames of your own model.

    python3 baseline/decode.py development OUTPUT_DIR --posteriors FILE.npz

FILE.npz holds `phones`, the names of the columns, and for each utterance's id an array of shape (frames, phones) of
probabilities, log-probabilities or logits. `<blank>` is CTC's blank; it, the fillers, SIL and noises are left out.
Writes OUTPUT_DIR/transcripts.tsv. Needs numpy but not pocketsphinx.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from kit import read_list
from psst_kit import Recognised, write_transcripts

from spokeneval.metrics.phoneme_recognition import FILLERS, arpabet_features

SILENT = {"<blank>", "SIL", "+NSN+", "+SPN+", *FILLERS}


def greedy(scores: np.ndarray, phones: Sequence[str]) -> list[str]:
    """Return the best phone of each frame, with repeats merged and silence left out.

    scores: shape=(frames, len(phones)).
    """
    best = [phones[column] for column in np.argmax(scores, axis=1)]
    return [phone for phone, _ in groupby(best) if phone not in SILENT]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write transcripts from the frames of your own model.")
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument(
        "--posteriors", type=Path, required=True, metavar="FILE.npz", help="your model's frames"
    )
    options = parser.parse_args()
    rows = read_list(options.set)
    ids = [row["utterance_id"] for row in rows]
    if not options.posteriors.is_file():
        sys.exit(f"{options.posteriors} is missing; expected your model's frames, as written by numpy.savez.")
    with np.load(str(options.posteriors)) as frames:
        check(options.posteriors, frames, ids)
        phones = frames["phones"].tolist()
        transcripts = [greedy(frames[item], phones) for item in ids]
    write_transcripts(Recognised(ids, [row["prompt"] for row in rows], transcripts), options.output)


def check(file: Path, frames: np.lib.npyio.NpzFile, ids: Sequence[str]) -> None:
    """End the program if a file of frames does not match a list, or contains phones not in the challenge's set."""
    if "phones" not in frames:
        sys.exit(f"{file}: the array phones, with the names of the columns, is missing.")
    phones = frames["phones"].tolist()
    strange = sorted(set(phones) - SILENT - set(arpabet_features().phones))
    if strange:
        sys.exit(
            f"{file}: unknown phones {', '.join(map(repr, strange[:5]))}; expected the challenge's, <blank> or fillers."
        )
    missing = [item for item in ids if item not in frames]
    if missing:
        sys.exit(
            f"{file}: no frames for {missing[0]}; {len(missing)} of the {len(ids)} utterances in the list are missing."
        )
    for item in ids:
        if frames[item].ndim != 2 or frames[item].shape[1] != len(phones):
            sys.exit(f"{file}: {item} has shape {frames[item].shape}; expected (frames, {len(phones)}).")


if __name__ == "__main__":
    main()
