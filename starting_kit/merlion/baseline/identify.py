"""Task 1 with the baseline's model: English or Mandarin?

    python3 baseline/identify.py SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--prior-english P]

The English score is the log-odds of English, the Mandarin score its negative. They are calibrated: 0 is the best
decision if the share of English is that of `--prior-english`. Writes OUTPUT_DIR/prediction.txt.
"""

from __future__ import annotations

import numpy as np
from conformer import load_model, log_odds
from corpus import Segment, arguments, refuse_unfit, segments_to_identify
from features import choose_encoder
from recordings import find_recordings, read_samples, with_progress
from train import cut


def main() -> None:
    options = arguments("Write the scores of a set's segments.").parse_args()
    segments, encoder = segments_to_identify(options.set), choose_encoder(options)
    trained = load_model(options.model, options.threads, encoder.name)
    by_recording: dict[str, list[Segment]] = {}
    for segment in segments:
        by_recording.setdefault(segment.recording, []).append(segment)
    paths = dict(zip(by_recording, find_recordings(options.audio, list(by_recording))))
    odds, sizes = {}, {}
    for name in with_progress(list(by_recording), doing="Identified"):
        samples = read_samples(paths[name])
        sizes[name], frames = len(samples), encoder.frames(samples)
        pieces = [cut(frames, segment.start, segment.end, encoder.rate) for segment in by_recording[name]]
        odds.update(zip(by_recording[name], trained.segments(log_odds(trained.model, pieces))))
    refuse_unfit(paths, sizes, segments)
    prior = np.log(options.prior_english / (1 - options.prior_english))
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "prediction.txt"
    with open(str(path), "w", encoding="utf-8", newline="\n") as sink:
        for segment in segments:
            score = odds[segment] + prior
            sink.write(f"{segment.id} {score:.6f} {-score:.6f}\n")
    english = sum(score + prior > 0 for score in odds.values())
    print(
        f"{path}: scores of {len(segments)} segments, of which {english} are more likely English than Mandarin"
    )


if __name__ == "__main__":
    main()
