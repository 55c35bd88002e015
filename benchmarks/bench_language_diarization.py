"""Language diarization compared with pyannote.metrics, a public tool that does not map languages to each other.

    python -m benchmarks.bench_language_diarization

The data are a synthetic set of the evaluation set's size, and perturbed turns. pyannote gets unions of turns, the
scored regions as `uem`, and prepared objects; only its scoring is timed, one recording after another. Each round times
both tools; a ratio is the median over the rounds. The whole program, from files to scores, is first compared with
scripts that use spy-der's C++ and pyannote.metrics.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from benchmarks.processes import ROOT, call_seconds, peak_megabytes, score_command
from benchmarks.processes import seconds as process_seconds
from sample_data.merlion import (
    Tables,
    diarization_turns,
    generate,
    write_diarization,
    write_diarization_set,
)
from spokeneval.metrics.diarization import DiarizationErrors, errors_per_recording, overlaps
from spokeneval.metrics.sweeps import Recording, Turns


def evaluation_recordings() -> list[Recording]:
    """Return the synthetic evaluation set in full size, without its few seconds of excluded speech."""
    tables: Tables = generate("full", "evaluation", 1)
    hypothesis = diarization_turns(tables, "perturbed", 1)
    regions = dict(list(tables.regions.groupby("audio_name")))
    recordings = []
    for name, reference in tables.labels.groupby("audio_name"):
        turns = [
            Turns.of_labels(
                *(
                    side[side.language_tag == tag][["start", "end"]].to_numpy()
                    for tag in ("English", "Mandarin")
                )
            )
            for side in (reference, hypothesis[hypothesis.audio_name == name])
        ]
        recordings.append(Recording(*turns, regions[name][["start", "end"]].to_numpy()))
    return recordings


def errors(recordings: list[Recording]) -> DiarizationErrors:
    """Return the errors of each recording."""
    return errors_per_recording([overlaps(each) for each in recordings], mapped=False)


def pyannote_score(recordings: list[Recording]) -> Callable[[], float]:
    """Return a call of pyannote.metrics on the recordings, which are prepared for it; ImportError without it."""
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.identification import IdentificationErrorRate

    def annotation(turns: Turns) -> Annotation:
        result = Annotation()
        for language in (0, 1):
            spans = turns.spans[turns.labels == language].tolist()
            for track, segment in enumerate(Timeline([Segment(*span) for span in spans]).support()):
                result[segment, f"{language} {track}"] = language
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

    return score


def write_files(tables: Tables, folder: Path, *, copies: int = 1) -> None:
    """Write a reference and perturbed turns, with this many copies of the recordings."""

    def copied(table: pd.DataFrame) -> pd.DataFrame:
        renamed = [table.assign(audio_name=f"{copy}" + table.audio_name) for copy in range(copies)]
        return pd.concat(renamed, ignore_index=True)

    turns = diarization_turns(tables, "perturbed", 1)
    tables = Tables(*map(copied, tables))
    write_diarization_set(tables, folder / "ref")
    write_diarization(tables, copied(turns), folder / "res")


def whole_program() -> None:
    """Compare score.py with the other tools; print the time for ten times the recordings, and the memory."""
    tables = generate("full", "evaluation", 1)
    with tempfile.TemporaryDirectory() as folder:
        inputs, tenfold = Path(folder, "evaluation"), Path(folder, "tenfold")
        write_files(tables, inputs)
        write_files(tables, tenfold, copies=10)
        ours = score_command("merlion_diarization", inputs)
        print(f"{len(tables.recordings)} recordings, from the files to the scores")
        taken = median(process_seconds(*ours) for _ in range(7))
        print(f"  score.py {taken:28.2f} s, {peak_megabytes(*ours):.0f} MB at most")
        peer = ROOT / "benchmarks" / "peer_diarization.py"
        for tool, module, rounds in (("spy-der", "spyder", 11), ("pyannote.metrics", "pyannote", 1)):
            if importlib.util.find_spec(module) is None:
                print(f"  {tool} is not installed; skipped")
                continue
            pairs = [(process_seconds(*ours), process_seconds(peer, module, inputs)) for _ in range(rounds)]
            ratio = median(other / one for one, other in pairs)
            print(f"  {tool:16s} {median(other for _, other in pairs):20.2f} s    {ratio:.1f} x ours")
        more = score_command("merlion_diarization", tenfold)
        pairs = [(process_seconds(*ours), process_seconds(*more)) for _ in range(3)]
        ratio = median(ten / one for one, ten in pairs)
        print(
            f"  ten times the recordings {median(ten for _, ten in pairs):12.2f} s    {ratio:.1f} x the time"
        )


def main() -> None:
    """Print the comparison and how the time grows."""
    whole_program()
    recordings = evaluation_recordings()
    turns = sum(len(language) for each in recordings for side in each[:2] for language in side)
    print(f"{len(recordings)} recordings, {turns} turns in reference and hypothesis")
    print(f"  ours {1000 * median(call_seconds(lambda: errors(recordings)) for _ in range(9)):.1f} ms")
    rounds = [
        (
            call_seconds(lambda: errors(recordings)),
            call_seconds(lambda: errors(recordings * 10)),
        )
        for _ in range(5)
    ]
    print(f"  ten times the recordings: {median(more / one for one, more in rounds):.1f} x the time")
    longer = [stretch(each, 10) for each in recordings]
    rounds = [
        (
            call_seconds(lambda: errors(recordings)),
            call_seconds(lambda: errors(longer)),
        )
        for _ in range(5)
    ]
    print(
        f"  ten times the turns in each recording: {median(more / one for one, more in rounds):.1f} x the time"
    )


def stretch(recording: Recording, times: int) -> Recording:
    """Return the recording repeated this many times."""
    length = recording.regions.max() + 60_000

    def repeated(turns: np.ndarray) -> np.ndarray:
        return np.concatenate([turns + length * number for number in range(times)])

    reference, hypothesis, regions, _ = recording
    return Recording(Turns(*map(repeated, reference)), Turns(*map(repeated, hypothesis)), repeated(regions))


if __name__ == "__main__":
    main()
