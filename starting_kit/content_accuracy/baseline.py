"""The published baselines: a linear regression of the human score on one feature of a response's content.

    python3 baseline.py development OUTPUT_DIR [--model cva|base_rouge|new_rouge]
    python3 baseline.py evaluation OUTPUT_DIR [--model cva|base_rouge|new_rouge]

The features are cva, content vector analysis with all references of the prompt; base_rouge, ROUGE-1 over tokens with
the first reference; and new_rouge (default), ROUGE-1 over types with all references. Trains on
data/training_responses.csv, reads a recogniser's text from data/<set>_responses.csv and the references from
data/references.csv, and writes OUTPUT_DIR/predictions.csv. With --responses DIR, both files of responses are read from
DIR. The paper's other conditions are options: --text manual reads manual transcripts, --references N takes the first N
references of a prompt, --stop-words FILE leaves words out, and --lemmas FILE replaces words by their lemmas. Needs
numpy.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")
from content import content_vector, rouge, tokens

HERE = Path(__file__).resolve().parent


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, each as `column -> text`."""
    if not path.exists():
        sys.exit(f"{path} is missing")
    with open(str(path), encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


TEXTS = {"asr": "asr_text", "manual": "text"}
"""The columns with a recogniser's text and with manual transcripts."""


def word_filter(stop_words: Path | None, lemmas: Path | None) -> Callable[[str], str]:
    """Return a function from a text to its words without stop words, each replaced by its lemma."""
    stopped = {word for line in read_lines(stop_words) for word in tokens(line)}
    pairs = [[" ".join(tokens(cell)) for cell in line.split("\t")] for line in read_lines(lemmas)]
    if wrong := [line for line, pair in zip(read_lines(lemmas), pairs) if len(pair) != 2]:
        sys.exit(f"{lemmas}: {wrong[0]!r}; expected a word, a tab and its lemma in each line")
    lemma = dict(pairs)
    if not (stopped or lemma):
        return str
    return lambda text: " ".join(lemma.get(word, word) for word in tokens(text) if word not in stopped)


def read_lines(path: Path | None) -> list[str]:
    """Return the lines of a file that are not empty; none without a file."""
    text = path.read_text(encoding="utf-8-sig") if path else ""
    return [line for line in text.splitlines() if line.strip()]


def feature(model: str, references: dict[str, list[str]], prompts: list[str], texts: list[str]) -> np.ndarray:
    """Return one number per response, shape=(n,)."""
    if model == "cva":
        return content_vector(references, prompts, texts)
    return rouge(references, prompts, texts, unit="tokens" if model == "base_rouge" else "types")


def parse_options() -> argparse.Namespace:
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
    parser.add_argument(
        "--text",
        choices=list(TEXTS),
        default="asr",
        help="a recogniser's text (default), or manual transcripts",
    )
    parser.add_argument(
        "--references",
        type=int,
        metavar="N",
        help="use the first N references of a prompt (default: one for base_rouge, else all)",
    )
    parser.add_argument(
        "--stop-words", type=Path, metavar="FILE", help="words to leave out, one in each line"
    )
    parser.add_argument(
        "--lemmas", type=Path, metavar="FILE", help="a word, a tab and its lemma in each line"
    )
    options = parser.parse_args()
    if options.references is not None and options.references < 1:
        parser.error("--references needs a number from 1 on")
    if not (HERE / options.set / "input").is_dir():
        parser.error(f"the kit has no set {options.set}")
    return options


def main() -> None:
    options = parse_options()
    ids = [row["response_id"] for row in read_rows(HERE / options.set / "input" / "responses.csv")]
    heard = {row["response_id"]: row for row in read_rows(options.responses / f"{options.set}_responses.csv")}
    unknown = [item for item in ids if item not in heard]
    if unknown:
        sys.exit(
            f"{options.responses / options.set}_responses.csv lacks text for {len(unknown)} responses, "
            f"for example {unknown[0]}"
        )
    training = read_rows(options.responses / "training_responses.csv")
    filtered, column = word_filter(options.stop_words, options.lemmas), TEXTS[options.text]
    if any(column not in row for row in (*training, *heard.values())):
        sys.exit(f"the responses in {options.responses} have no column {column}")
    references: dict[str, list[str]] = {}
    for row in read_rows(HERE / "data" / "references.csv"):
        references.setdefault(row["prompt_id"], []).append(filtered(row["text"]))
    number = options.references or (1 if options.model == "base_rouge" else None)
    references = {prompt: texts[:number] for prompt, texts in references.items()}

    def measured(responses: list[dict[str, str]]) -> np.ndarray:
        prompts = [response["prompt_id"] for response in responses]
        return feature(options.model, references, prompts, [filtered(row[column]) for row in responses])

    x = measured(training)
    y = np.array([int(response["human_score"]) for response in training])
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    tested = measured([heard[item] for item in ids])
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
