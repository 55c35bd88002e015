"""Audio baseline of Task B: how much worse does the word fit the recording than any phones do?

    python3 baseline/correctness.py evaluation OUTPUT_DIR --audio DIR --development-audio DIR

A response is predicted correct if the likelihood ratio of an accepted pronunciation against any phones reaches a
threshold. The threshold is the one with the best F1 on the development set, whose labels are in the kit. Writes
OUTPUT_DIR/correctness.tsv. For the development set itself, give only --audio; its F1 is then too optimistic, because
the threshold was fitted on the same responses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from kit import KIT, parse_fitted, read_list, read_reference
from phones import PHONES, listener, to_model
from psst_kit import write_table
from ratio import log_likelihood_ratio
from recordings import arguments, find_recordings, read_samples, with_progress

from spokeneval.metrics.classification import count_predictions, f1

Rows = Sequence[Mapping[str, str]]


def main() -> None:
    options = parse_fitted(arguments("Predict correct responses by a likelihood ratio."))
    rows, development = read_list(options.set), read_list("development")
    fitted = ratios(development, options.development_audio)
    reference = read_reference()
    correct = [reference[row["utterance_id"]]["correctness"].lower() == "true" for row in development]
    threshold, best = best_threshold(np.array(correct), fitted)
    print(f"Threshold of the ratio: {threshold:.2f}, with F1 {best:.3f} on the development set.")
    tested = fitted if rows == development else ratios(rows, options.audio)
    predictions = ("true" if ratio >= threshold else "false" for ratio in tested)
    ids = (row["utterance_id"] for row in rows)
    write_table(options.output / "correctness.tsv", ("utterance_id", "prediction"), zip(ids, predictions))


def ratios(rows: Rows, folder: Path) -> np.ndarray:
    """Return the likelihood ratio of each response's prompt, shape=(n,)."""
    accepted = json.loads((KIT / "data" / "accepted_pronunciations.json").read_text(encoding="utf-8"))
    unknown = sorted({row["prompt"] for row in rows} - set(accepted))
    if unknown:
        sys.exit(
            f"data/accepted_pronunciations.json has no pronunciation of {', '.join(map(repr, unknown[:5]))}; add it."
        )
    words = {
        prompt: [[PHONES.index(phone) for phone in to_model(said.split())] for said in pronunciations]
        for prompt, pronunciations in accepted.items()
    }
    recordings = find_recordings(folder, [row["filename"] for row in rows])
    with listener() as hear:
        heard = (hear(read_samples(path)) for path in with_progress(recordings, doing="Compared"))
        return np.array(
            [
                log_likelihood_ratio(each.log_likelihoods, words[row["prompt"]])
                for each, row in zip(heard, rows)
            ]
        )


def best_threshold(correct: np.ndarray, ratio: np.ndarray) -> tuple[float, float]:
    """Return the threshold with the best F1 (the highest, if several have it), and that F1."""
    thresholds = np.unique(ratio[correct])[::-1]
    found = [float(f1(count_predictions(correct, ratio >= threshold))) for threshold in thresholds]
    best = int(np.argmax(found))
    return float(thresholds[best]), found[best]


if __name__ == "__main__":
    main()
