"""This project beside the tools that people use, in one table: `make bench`.

    python -m benchmarks bench_peers [ROUNDS]      (default 5)

Each row is one piece of work on synthetic data. In every round ours and the peer's run one after the other; times are
medians in processor seconds, and the ratio is the median of the rounds' ratios: below 1, ours is faster. "Same" says
whether both results agree, and has both if they are numbers. A sentence says how our time grows from 10,000 to
1,000,000 rows. Peers that are not installed are named.
"""

from __future__ import annotations

import logging
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from math import isclose
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.bench_language_diarization import errors as diarization_errors
from benchmarks.bench_language_diarization import evaluation_recordings, pyannote_score
from benchmarks.bench_meetings import converted, long_meeting, theirs
from benchmarks.bench_meetings import ours as meeting_errors
from benchmarks.processes import ROOT, score_command
from sample_data.merlion import generate
from spokeneval.formats.events import DetectedEvents
from spokeneval.formats.format import Items
from spokeneval.formats.normalisation import read_rules
from spokeneval.formats.turns import RecordingEvents, RecordingTurns, TurnReference
from spokeneval.kinds.events import EventsKind
from spokeneval.metrics.agreement import cohen_kappa
from spokeneval.metrics.counts import total
from spokeneval.metrics.diarization import der
from spokeneval.metrics.equal_error_rate import interpolated_eer
from spokeneval.metrics.event_detection import ONSET, ONSET_OFFSET, mean_f1
from spokeneval.metrics.transcript_errors import best_references, count_errors, errors_per_utterance

WORDS = 20_000
LENGTH, SPREAD = 18, 9
UTTERANCES, WRONG = 20_000, 0.1
SENTENCES = 5000
LONG_PAIR = 3000
MILLION = 1_000_000
ROWS = (10_000, 100_000, MILLION)


_JIWER = "from jiwer.cli import cli; cli()"


class Work(NamedTuple):
    """A row: what is done, by ours and by a package; `same` compares the two results."""

    name: str
    ours: Callable[[], Any]
    package: str
    theirs: Callable[[], Any]
    same: Callable[[Any, Any], bool]


def texts(utterances: int, errors: float) -> tuple[list[str], list[str]]:
    """References and hypotheses whose words have a long-tailed distribution.

    Of the wrong words half are replaced, a quarter are missing, and a quarter are followed by another word.
    """
    rng = random.Random(1)
    reference, hypothesis = [], []
    for _ in range(utterances):
        length = max(1, round(rng.gauss(LENGTH, SPREAD)))
        words = [f"w{min(WORDS, int(rng.expovariate(25 / WORDS)))}" for _ in range(length)]
        heard = []
        for word in words:
            draw = rng.random()
            heard += (
                [] if draw < errors / 4 else [word if draw > 3 * errors / 4 else f"w{rng.randrange(WORDS)}"]
            )
            heard += [f"w{rng.randrange(WORDS)}"] if draw > 1 - errors / 4 else []
        reference.append(" ".join(words))
        hypothesis.append(" ".join(heard))
    return reference, hypothesis


def _words() -> Iterator[Work]:
    import jiwer
    from rapidfuzz.distance import Levenshtein

    def each(reference: Any, hypothesis: Any) -> list[Any]:
        return list(map(Levenshtein.editops, reference, hypothesis))

    def same(found: Any, edits: Any) -> bool:
        pairs = zip(found.substitutions + found.insertions + found.deletions, edits, strict=True)
        return all(number == len(edit) for number, edit in pairs)

    reference, hypothesis = texts(UTTERANCES, WRONG)
    plain = read_rules([])
    yield Work(
        f"WER of {UTTERANCES:,} texts",
        lambda: count_errors(*map(plain.words, (reference, hypothesis))),
        "jiwer",
        lambda: jiwer.process_words(reference, hypothesis),
        lambda found, other: (
            found.substitutions + found.insertions + found.deletions
            == other.substitutions + other.insertions + other.deletions
        ),
    )
    long_reference, long_hypothesis = texts(LONG_PAIR // LENGTH, 2 * WRONG)
    sides = {
        f"S, D, I of {UTTERANCES:,} lists of words": [
            [t.split() for t in x] for x in (reference, hypothesis)
        ],
        f"S, D, I of the characters of {UTTERANCES:,} texts": [reference, hypothesis],
        f"S, D, I of a pair of {LONG_PAIR:,} words": [
            [" ".join(x).split()] for x in (long_reference, long_hypothesis)
        ],
    }
    for name, (said, heard) in sides.items():
        yield Work(
            name,
            lambda said=said, heard=heard: errors_per_utterance(said, heard),
            "rapidfuzz",
            lambda said=said, heard=heard: each(said, heard),
            same,
        )


def _compounds() -> Iterator[Work]:
    import kaldialign

    rng = random.Random(1)
    said, heard = (
        [re.sub(" ", lambda _: rng.choice(["", *" " * 19]), text).split() for text in side]
        for side in texts(SENTENCES, WRONG)
    )
    yield Work(
        f"errors of {SENTENCES:,} sentences, without compounds",
        lambda: best_references(said, heard, range(SENTENCES), merge_compounds=True)[0],
        "kaldialign",
        lambda: [
            kaldialign.edit_distance(*pair, merge_compounds=True) for pair in zip(said, heard, strict=True)
        ],
        lambda found, others: (
            (found.substitutions + found.insertions + found.deletions).tolist()
            == [other["total"] for other in others]
        ),
    )


def _scores() -> Iterator[Work]:
    from sklearn.metrics import cohen_kappa_score, roc_curve

    rng = np.random.default_rng(1)
    given = rng.integers(1, 6, MILLION)
    rated = np.where(rng.random(MILLION) < 0.7, given, rng.integers(1, 6, MILLION))
    yield Work(
        "quadratic kappa of 1,000,000 items",
        lambda: cohen_kappa(given, rated, weights="quadratic", scale=(1, 5)),
        "scikit-learn",
        lambda: cohen_kappa_score(given, rated, weights="quadratic"),
        isclose,
    )
    labels = rng.random(MILLION) < 0.5
    scores = rng.normal(size=MILLION) + 1.5 * labels

    def crossing() -> float:
        false_alarm, detection, _ = roc_curve(labels, scores, drop_intermediate=False)
        after = int(np.flatnonzero(1 - detection <= false_alarm)[0])
        under, over = (abs(1 - detection[n] - false_alarm[n]) for n in (after - 1, after))
        return float((false_alarm[after - 1] * over + false_alarm[after] * under) / (under + over))

    yield Work(
        "EER of 1,000,000 scores",
        lambda: interpolated_eer(scores[labels], scores[~labels]),
        "scikit-learn",
        crossing,
        lambda one, other: isclose(one, other, rel_tol=1e-9),
    )


def _turns() -> Iterator[Work]:
    recordings = evaluation_recordings()
    name = f"DER of {len(recordings)} recordings"

    def ours() -> float:
        return float(der(total(diarization_errors(recordings))))

    yield Work(name, ours, "pyannote.metrics", pyannote_score(recordings), isclose)
    import spyder

    def listed(turns: Any) -> list[Any]:
        return [
            (str(label), *span)
            for label, span in zip(turns.labels.tolist(), (turns.spans / 1000).tolist(), strict=True)
        ]

    sides = [
        {str(place): listed(side) for place, side in enumerate(each)}
        for each in zip(*(r[:2] for r in recordings), strict=True)
    ]
    yield Work(name, ours, "spy-der", lambda: spyder.DER(*sides, verbose=False), lambda *_: True)


def _meetings() -> Iterator[Work]:
    meetings = [long_meeting(random.Random(1), 4, 5000)]
    segments = [tuple(map(converted, sides)) for sides in meetings]
    for timed in (False, True):
        yield Work(
            f"{'tcpWER' if timed else 'cpWER'} of a meeting of 20,000 words",
            lambda timed=timed: meeting_errors(meetings, timed=timed),
            "meeteval",
            lambda timed=timed: theirs(segments, timed=timed),
            lambda one, other: one == other,
        )


def _run(*command: Any) -> Callable[[], Any]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a program's second start is what people wait for
    return lambda: subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, check=True
    )


def _programs(folder: Path) -> Iterator[Work]:
    from benchmarks.bench_language_identification import write_files

    write_files(generate("full", "evaluation", 1), folder / "set")
    command = score_command("merlion_identification", folder / "set")
    peer = ROOT / "benchmarks" / "peer_identification.py"
    same = lambda *_: True  # noqa: E731
    yield Work("MERLIon Task 1, files to scores", _run(*command), "pandas", _run(peer, folder / "set"), same)
    sides = [folder / name for name in ("reference.txt", "hypothesis.txt")]
    for path, lines in zip(sides, texts(50, WRONG), strict=True):
        path.write_text("\n".join(lines) + "\n")
    theirs = _run("-c", _JIWER, "-r", sides[0], "-h", sides[1])
    yield Work("`wer` of 50 utterances", _run("-m", "spokeneval", "wer", *sides), "jiwer", theirs, same)
    help_text = _run("-m", "spokeneval", "--help"), "jiwer", _run("-c", _JIWER, "--help"), same
    yield Work("`--help`", *help_text)


def _events() -> Iterator[Work]:
    """Sounds in 100 minutes. Differences of times are odd numbers of ms, so that none is exactly the collar.

    The lock files are without sed_eval, which needs librosa and numba: install it with pip.
    """
    from sed_eval.sound_event import EventBasedMetrics, SegmentBasedMetrics

    draw, names, shape = np.random.default_rng(1), ("alarm", "speech", "steps"), (100, 30)
    labels, start, length = (draw.integers(*ends, shape) for ends in ((0, 3), (50, 5500), (50, 300)))
    spans = 10 * np.stack([start, start + length], axis=-1)
    moved = spans + 2 * np.clip(draw.normal(0, 60, spans.shape), -100, 100).astype(int) + 1
    claimed, kept = (labels + (draw.random(shape) < 0.1)) % 3, draw.random(shape) < 0.9
    turns = [*map(RecordingTurns, spans, labels)]
    found = [
        RecordingEvents(*(side[own] for side in each), np.ones(own.sum()))
        for *each, own in zip(moved, claimed, kept, strict=True)
    ]
    items, regions = Items(tuple(map(str, range(len(turns))))), [np.array([[0, 60_000]])] * len(turns)
    reference = TurnReference(items, names, turns, regions, ())
    pairs = [
        [
            [
                {"event_label": names[label], "onset": start / 1000, "offset": end / 1000}
                for (start, end), label in zip(*map(np.ndarray.tolist, side[:2]), strict=True)
            ]
            for side in sides
        ]
        for sides in zip(turns, found, strict=True)
    ]

    def ours(match: str, part: str) -> float:
        counts = EventsKind(names, match).count(reference, DetectedEvents(found))
        return float(mean_f1(total(counts[part])))

    def theirs(measure: Callable[[], Any], **given: Any) -> float:
        metric = measure()
        for pair in pairs:
            metric.evaluate(*pair, **given)
        return float(metric.results_class_wise_average_metrics()["f_measure"]["f_measure"])

    onsets = partial(EventBasedMetrics, [*names], evaluate_offset=False)
    both = partial(EventBasedMetrics, [*names], percentage_of_length=0.2)
    segments = partial(SegmentBasedMetrics, [*names])
    for called, own, other in (
        ("onsets", partial(ours, ONSET, "events"), partial(theirs, onsets)),
        ("onsets and offsets", partial(ours, ONSET_OFFSET, "events"), partial(theirs, both)),
        (
            "segments",
            partial(ours, ONSET, "segments"),
            partial(theirs, segments, evaluated_length_seconds=60),
        ),
    ):
        yield Work(f"F1 of {labels.size:,} events by {called}", own, "sed_eval", other, isclose)


def _used() -> float:
    """The processor seconds of this process and of those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def _seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    began = _used()
    result = run()
    return _used() - began, result


def _line(work: Work, rounds: int) -> str:
    pairs = []
    for _ in range(rounds):
        (one, found), (other, expected) = _seconds(work.ours), _seconds(work.theirs)
        pairs.append((max(one, 0.001), max(other, 0.001)))
    taken, longer = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(one / other for one, other in pairs)
    same = "yes" if work.same(found, expected) else "NO"
    same += (
        f": {found:.6f}, {expected:.6f}" if isinstance(found, float) and isinstance(expected, float) else ""
    )
    return (
        f"| {work.name} | {taken:.3f} | {work.package} {version(work.package)} | {longer:.3f} "
        f"| {ratio:.2f} | {same} |"
    )


def _growth(folder: Path) -> str:
    """A sentence on how the time of a score from files grows, without that of the start."""
    rng = np.random.default_rng(1)
    paths = [folder / name for name in ("labels.csv", "submission.csv")]
    taken = []
    for rows in (10, *ROWS):
        labels = rng.choice(["English", "Mandarin"], rows)
        scores = rng.normal(size=(rows, 2)).round(5).tolist()
        tables = (
            ["id,label", *(f"u{n:07d},{label}" for n, label in enumerate(labels))],
            ["id,English,Mandarin", *(f"u{n:07d},{a},{b}" for n, (a, b) in enumerate(scores))],
        )
        for path, lines in zip(paths, tables, strict=True):
            path.write_text("\n".join(lines) + "\n")
        score = _run(
            "-m",
            "spokeneval",
            "score",
            "--kind",
            "identification",
            "--set",
            "classes=English,Mandarin",
            *paths,
        )
        taken.append(median(_seconds(score)[0] for _ in range(3)))
    start, *times = taken
    rates = [f"{rows:,} rows {each:.2f} s" for rows, each in zip(ROWS, times, strict=True)]
    growth = (times[-1] - start) / (times[-2] - start)
    return f"identification, files to scores: start {start:.2f} s; {'; '.join(rates)}; the last step x {growth:.1f}"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    warnings.simplefilter("ignore")
    logging.disable()
    began = time.perf_counter()
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(
        f"{os.cpu_count()} processors, load {load}, Python {sys.version.split()[0]}, numpy {np.__version__}\n"
    )
    print("| Work | Ours (s) | Peer | Peer (s) | Ours / peer | Same |\n|---|---:|---|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        parts = (_words, _compounds, _scores, _turns, _meetings, _events)
        for works in (*parts, lambda: _programs(Path(folder))):
            try:
                for work in works():
                    print(_line(work, rounds), flush=True)
            except (ImportError, PackageNotFoundError) as error:
                print(f"| not installed: {getattr(error, 'name', error)} | | | | | |")
        print(f"\n{_growth(Path(folder))}")
    print(f"\n{time.perf_counter() - began:.0f} s in all, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
