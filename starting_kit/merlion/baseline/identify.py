"""Task 1 with the baseline's model: English or Mandarin?

    python3 baseline/identify.py SET OUTPUT_DIR --audio DIR [--model MODEL.pt]

The English score is the log-odds of English, the Mandarin score its negative. Writes OUTPUT_DIR/prediction.txt.
"""

from __future__ import annotations

import sys

from conformer import load_model, log_odds
from corpus import CorpusError, arguments, segments_to_identify
from train import hear


def main() -> None:
    options = arguments("Write the scores of a set's segments.").parse_args()
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
