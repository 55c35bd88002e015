"""The published baselines: a linear regression of the human score on one feature of a response's content.

    python3 baseline.py development OUTPUT_DIR [--model cva|base_rouge|new_rouge]
    python3 baseline.py evaluation OUTPUT_DIR [--model cva|base_rouge|new_rouge]

The features are cva, content vector analysis with all references of the prompt; base_rouge, ROUGE-1 over tokens with
the first reference; and new_rouge (default), ROUGE-1 over types with all references. Trains on
data/training_responses.csv, reads a recogniser's text from data/<set>_responses.csv and the references from
data/references.csv, and writes OUTPUT_DIR/predictions.csv. With --responses DIR, both files of responses are read from
DIR. Needs numpy.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")
from content import content_vector, rouge

HERE = Path(__file__).resolve().parent


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, each as `column -> text`."""
    if not path.exists():
        sys.exit(f"{path} is missing")
    with open(str(path), encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def feature(model: str, references: dict[str, list[str]], responses: list[dict[str, str]]) -> np.ndarray:
    """Return one number per response, shape=(n,)."""
    prompts = [response["prompt_id"] for response in responses]
    texts = [response["asr_text"] for response in responses]
    if model == "cva":
        return content_vector(references, prompts, texts)
    if model == "base_rouge":
        first = {prompt: some[:1] for prompt, some in references.items()}
        return rouge(first, prompts, texts, unit="tokens")
    return rouge(references, prompts, texts, unit="types")


def main() -> None:
    parser = argparse.ArgumentParser(description="Predict the scores of responses from one feature.")
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for predictions.csv")
    parser.add_argument(
        "--model",
        choices=["cva", "base_rouge", "new_rouge"],
        default="new_rouge",
        help="the feature that predicts the score (default: new_rouge)",
    )
    parser.add_argument(
        "--responses",
        type=Path,
        default=HERE / "data",
        metavar="DIR",
        help="folder with your recogniser's text (default: data)",
    )
    options = parser.parse_args()
    if not (HERE / options.set / "input").is_dir():
        parser.error(f"the kit has no set {options.set}")
    ids = [row["response_id"] for row in read_rows(HERE / options.set / "input" / "responses.csv")]
    heard = {row["response_id"]: row for row in read_rows(options.responses / f"{options.set}_responses.csv")}
    unknown = [item for item in ids if item not in heard]
    if unknown:
        sys.exit(
            f"{options.responses / options.set}_responses.csv lacks text for {len(unknown)} responses, "
            f"for example {unknown[0]}"
        )
    training = read_rows(options.responses / "training_responses.csv")
    references: dict[str, list[str]] = {}
    for row in read_rows(HERE / "data" / "references.csv"):
        references.setdefault(row["prompt_id"], []).append(row["text"])

    x = feature(options.model, references, training)
    y = np.array([int(response["human_score"]) for response in training])
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    tested = feature(options.model, references, [heard[item] for item in ids])
    predictions = y.mean() + slope * (tested - x.mean())

    options.output.mkdir(parents=True, exist_ok=True)
    with open(str(options.output / "predictions.csv"), "w", encoding="utf-8", newline="") as sink:
        rows = csv.writer(sink, lineterminator="\n")
        rows.writerow(["response_id", "score"])
        rows.writerows([item, f"{score:.4f}"] for item, score in zip(ids, predictions))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
