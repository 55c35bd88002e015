"""Task 2 with the baseline's model: which language is spoken when?

    python3 baseline/diarize.py SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--vad energy|silero]
                                [--speech LABELS.csv]

Speech is cut into steps of a quarter of a second. The model scores a window of one second around each step, and the
likeliest path through the two languages (Viterbi) gives the turns. Writes a text file for each recording to OUTPUT_DIR.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from conformer import Trained, load_model, log_odds
from corpus import LANGUAGES, arguments, labelled_speech, recordings_to_diarize, stem
from encoder import Encoder
from features import choose_encoder
from pieces import WINDOW, cut
from recordings import find_recordings, read_samples, with_progress
from vad import find_speech

NONE = np.zeros((0, 2))
STEP = 250.0  # ms
SWITCH = 0.05
"""Probability that the language changes from one step to the next."""


def main() -> None:
    parser = arguments("Write the turns of each language in a set's recordings.")
    parser.add_argument(
        "--vad", choices=("energy", "silero"), default="energy", help="method that finds speech"
    )
    parser.add_argument(
        "--speech", type=Path, metavar="LABELS.csv", help="take speech from these labels instead"
    )
    options = parser.parse_args()
    names, encoder = recordings_to_diarize(options.set), choose_encoder(options)
    known = labelled_speech(options.speech) if options.speech else {}
    trained = load_model(options.model, options.threads, encoder.name)
    paths = dict(zip(names, find_recordings(options.audio, names)))
    prior = np.log(options.prior_english / (1 - options.prior_english))
    options.output.mkdir(parents=True, exist_ok=True)
    for name in with_progress(names, doing="Diarized"):
        samples = read_samples(paths[name])
        speech = known.get(stem(name), NONE) if options.speech else find_speech(samples, options.vad)
        write(options.output / f"{stem(name)}.txt", turns(trained, encoder, samples, speech, prior))
    print(f"{options.output}: the turns of {len(names)} recordings")


def turns(
    trained: Trained, encoder: Encoder, samples: np.ndarray, speech: np.ndarray, prior: float
) -> list[tuple[float, float, int]]:
    """Return start and end in ms and the language's number of each turn in spans of speech, shape=(n, 2)."""
    frames = encoder.frames(samples)
    steps = split(speech)
    centres = steps.mean(axis=1)
    pieces = [cut(frames, centre - WINDOW / 2, centre + WINDOW / 2, encoder.rate) for centre in centres]
    languages = viterbi(trained.windows(log_odds(trained.model, pieces)) + prior)
    found: list[tuple[float, float, int]] = []
    for (start, end), language in zip(steps.tolist(), languages.tolist()):
        if found and found[-1][1:] == (start, language):
            found[-1] = (found[-1][0], end, language)
        else:
            found.append((start, end, language))
    return found


def split(spans: np.ndarray) -> np.ndarray:
    """Cut spans into equal steps of about `STEP`, shape=(steps, 2)."""
    steps = []
    for start, end in spans:
        bounds = np.linspace(start, end, max(1, round((end - start) / STEP)) + 1)
        steps.append(np.stack([bounds[:-1], bounds[1:]], axis=1))
    return np.concatenate([NONE, *steps])


def viterbi(odds: np.ndarray) -> np.ndarray:
    """Return the likeliest sequence of languages, 0 English and 1 Mandarin, given the log-odds at each step."""
    stay, switch = np.log(1 - SWITCH), np.log(SWITCH)
    move = np.array([[stay, switch], [switch, stay]])
    score, back = np.zeros(2), []
    for step in np.stack([odds / 2, -odds / 2], axis=1):
        paths = score[:, None] + move
        back.append(paths.argmax(axis=0))
        score = paths.max(axis=0) + step
    path = [int(score.argmax())]
    for best in back[:0:-1]:
        path.append(int(best[path[-1]]))
    return np.array(path[::-1] if len(odds) else [], int)


def write(path: Path, found: list[tuple[float, float, int]]) -> None:
    """Write the submission's file for a recording."""
    with open(str(path), "w", encoding="utf-8", newline="\n") as sink:
        for start, end, language in found:
            sink.write(f"{start:.0f} {end:.0f} {LANGUAGES[language]}\n")


if __name__ == "__main__":
    main()
