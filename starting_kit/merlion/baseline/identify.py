"""Task 1 with the baseline's model: English or Mandarin?

    python3 baseline/identify.py SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--prior-english P]

The English score is the log-odds of English, the Mandarin score its negative. They are calibrated: 0 is the best
decision if the share of English is that of `--prior-english`. Writes OUTPUT_DIR/prediction.txt.
"""

from __future__ import annotations

import numpy as np
from conformer import load_model, log_odds
from corpus import arguments, by_recording, refuse_unfit, segments_to_identify
from features import choose_encoder
from pieces import cut
from recordings import find_recordings, read_samples, with_progress


def main() -> None:
    options = arguments("Write the scores of a set's segments.").parse_args()
    segments, encoder = segments_to_identify(options.set), choose_encoder(options)
    trained = load_model(options.model, options.threads, encoder.name)
    said_in = by_recording(segments)
    paths = dict(zip(said_in, find_recordings(options.audio, list(said_in))))
    odds, sizes = np.zeros(len(segments)), {}
    for name in with_progress(list(said_in), doing="Identified"):
        samples = read_samples(paths[name])
        sizes[name], frames = len(samples), encoder.frames(samples)
        spans = [(segments[index].start, segments[index].end) for index in said_in[name]]
        pieces = [cut(frames, start, end, encoder.rate) for start, end in spans]
        odds[said_in[name]] = trained.segments(log_odds(trained.model, pieces))
    refuse_unfit(paths, sizes, segments)
    odds += np.log(options.prior_english / (1 - options.prior_english))
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "prediction.txt"
    with open(str(path), "w", encoding="utf-8", newline="\n") as sink:
        for segment, score in zip(segments, odds):
            sink.write(f"{segment.id} {score:.6f} {-score:.6f}\n")
    english = np.count_nonzero(odds > 0)
    print(
        f"{path}: scores of {len(segments)} segments, of which {english} are more likely English than Mandarin"
    )


if __name__ == "__main__":
    main()
