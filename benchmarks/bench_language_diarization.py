"""Language diarization side by side with pyannote.metrics, the public tool that keeps languages as identities.

Run as `python -m benchmarks.bench_language_diarization`: a synthetic set of the evaluation set's size against
perturbed turns. pyannote is given unions of turns, the scored regions as `uem`, and its objects ready-made; only
its scoring is timed, one recording after another. Each round times both; a ratio is the median over the rounds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from statistics import median

import numpy as np

from sample_data.merlion import Tables, diarization_turns, generate
from spokeneval.metrics.language_diarization import (
    LanguageTimes,
    Recording,
    Turns,
    language_times_per_recording,
)

ROUNDS = 3


def seconds(run: Callable[[], object]) -> float:
    """The time of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def evaluation_recordings() -> list[Recording]:
    """The synthetic evaluation set at full size; without its few seconds of excluded speech."""
    tables: Tables = generate("full", "evaluation", 1)
    hypothesis = diarization_turns(tables, "perturbed", 1)
    regions = dict(list(tables.regions.groupby("audio_name")))
    recordings = []
    for name, reference in tables.labels.groupby("audio_name"):
        turns = [
            Turns(
                *(
                    side[side.language_tag == tag][["start", "end"]].to_numpy()
                    for tag in ("English", "Mandarin")
                )
            )
            for side in (reference, hypothesis[hypothesis.audio_name == name])
        ]
        recordings.append(Recording(*turns, regions[name][["start", "end"]].to_numpy()))
    return recordings


def against_pyannote(recordings: list[Recording]) -> None:
    """Ratio of the times, and both error rates."""
    try:
        from pyannote.core import Annotation, Segment, Timeline
        from pyannote.metrics.identification import IdentificationErrorRate
    except ImportError:
        print("pyannote.metrics is not installed: left out")
        return

    def annotation(turns: Turns) -> Annotation:
        result = Annotation()
        for language in Turns._fields:
            spoken = Timeline([Segment(*turn) for turn in getattr(turns, language).tolist()]).support()
            for track, segment in enumerate(spoken):
                result[segment, f"{language}{track}"] = language
        return result

    prepared = [
        (
            annotation(each.reference),
            annotation(each.hypothesis),
            Timeline([Segment(*span) for span in each.regions.tolist()]),
        )
        for each in recordings
    ]

    def score() -> float:
        metric = IdentificationErrorRate()
        for reference, hypothesis, uem in prepared:
            metric(reference, hypothesis, uem=uem)
        return abs(metric)

    rounds = [
        (seconds(lambda: language_times_per_recording(recordings)), seconds(score)) for _ in range(ROUNDS)
    ]
    ours = sum(language_times_per_recording(recordings), LanguageTimes()).der
    print(
        f"  pyannote.metrics {median(times[1] for times in rounds):8.2f} s    "
        f"{median(times[1] / times[0] for times in rounds):.0f} x ours"
    )
    print(f"  DER ours {ours:.9f}, pyannote's {score():.9f}")


def main() -> None:
    """Print the comparison and the scaling."""
    recordings = evaluation_recordings()
    turns = sum(len(language) for each in recordings for side in each[:2] for language in side)
    print(f"{len(recordings)} recordings, {turns} turns in reference and hypothesis")
    print(
        f"  ours {1000 * median(seconds(lambda: language_times_per_recording(recordings)) for _ in range(9)):.1f} ms"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        against_pyannote(recordings)

    rounds = [
        (
            seconds(lambda: language_times_per_recording(recordings)),
            seconds(lambda: language_times_per_recording(recordings * 10)),
        )
        for _ in range(5)
    ]
    print(f"  ten times the recordings: {median(more / one for one, more in rounds):.1f} x the time")
    longer = [stretch(each, 10) for each in recordings]
    rounds = [
        (
            seconds(lambda: language_times_per_recording(recordings)),
            seconds(lambda: language_times_per_recording(longer)),
        )
        for _ in range(5)
    ]
    print(
        f"  ten times the turns in each recording: {median(more / one for one, more in rounds):.1f} x the time"
    )


def stretch(recording: Recording, times: int) -> Recording:
    """The recording this many times one after another."""
    length = recording.regions.max() + 60_000

    def repeated(turns: np.ndarray) -> np.ndarray:
        return np.concatenate([turns + length * number for number in range(times)])

    reference, hypothesis, regions, _ = recording
    return Recording(Turns(*map(repeated, reference)), Turns(*map(repeated, hypothesis)), repeated(regions))


if __name__ == "__main__":
    main()
