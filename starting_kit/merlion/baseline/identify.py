"""Task 1 with the baseline's model: English or Mandarin?

    python3 baseline/identify.py SET OUTPUT_DIR --audio DIR [--model MODEL.pt]

The English score is the log-odds of English, the Mandarin score its negative. Writes OUTPUT_DIR/prediction.txt.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformer import load_model, log_odds
from corpus import CorpusError, segments_to_identify
from train import hear


def main() -> None:
    parser = argparse.ArgumentParser(description="Scores of a set's segments.")
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument("--audio", type=Path, required=True, metavar="DIR", help="the corpus's recordings")
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="from train.py (default: model.pt)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="of the processor (default: 1, best on shared cores)"
    )
    options = parser.parse_args()
    try:
        segments = segments_to_identify(options.set)
        model = load_model(options.model, options.threads)
        odds = log_odds(model, hear(options.audio, segments))
    except CorpusError as problem:
        sys.exit(str(problem))
    options.output.mkdir(parents=True, exist_ok=True)
    with open(str(options.output / "prediction.txt"), "w", encoding="utf-8", newline="\n") as sink:
        for segment, score in zip(segments, odds):
            sink.write(f"{segment.id} {score:.6f} {-score:.6f}\n")


if __name__ == "__main__":
    main()
