"""Equal error rates compared with scikit-learn, and with sorting the two classes, which every method needs.

    python -m benchmarks.bench_language_identification [SCORES]    (default 5,000,000, half of them targets; synthetic)

Each round times all methods one after another; a ratio is the median over the rounds. The whole program, from the files
of a synthetic set of the evaluation set's size to the scores, is first compared with a script with pandas and
scikit-learn.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from benchmarks.processes import ROOT, call_seconds, peak_megabytes, score_command
from benchmarks.processes import seconds as process_seconds
from sample_data.merlion import (
    Tables,
    generate,
    identification_scores,
    scored_segments,
    write_identification,
    write_identification_set,
)
from spokeneval.formats.format import Answers
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.segment_scores import read_reference, read_submission
from spokeneval.formats.text import read_folder
from spokeneval.metrics.equal_error_rate import interpolated_eer, rocch_eer

ROUNDS = 7


def trials(kind: str, scores: int) -> tuple[np.ndarray, np.ndarray]:
    """Return target and nontarget scores: of a good system, random, with four decimals, or with eleven values."""
    rng = np.random.default_rng(1)
    targets, nontargets = rng.normal(0, 1, scores // 2), rng.normal(0, 1, scores - scores // 2)
    if kind != "chance":
        targets += 1.5
    decimals = {"4 decimals": 4, "11 values": 0}.get(kind)
    if decimals is not None:
        targets, nontargets = targets.round(decimals), nontargets.round(decimals)
    return targets, nontargets


def write_files(tables: Tables, folder: Path, *, copies: int = 1) -> None:
    """Write a reference and a prediction in format 1, with this many copies of the recordings."""
    renamed = [
        tables.labels.assign(audio_name=f"{copy}" + tables.labels.audio_name) for copy in range(copies)
    ]
    tables = tables._replace(labels=pd.concat(renamed, ignore_index=True))
    write_identification_set(tables, folder / "ref")
    scores = identification_scores(tables.labels, "baseline", 1)
    write_identification(tables.labels, scores, folder / "res", lines=2)


def swapped_pair(inputs: Path) -> tuple[Answers, Path]:
    """Return the reference, and a prediction in which one English line comes after its Mandarin line."""
    lines = (inputs / "res" / "prediction.txt").read_text().splitlines(keepends=True)
    lines[50000], lines[50001] = lines[50001], lines[50000]
    path = inputs / "prediction.txt"
    path.write_text("".join(lines))
    return read_reference(read_folder(inputs / "ref")), path


def refused(prediction: Path, reference: Answers) -> None:
    """Read a prediction that must be refused for its one swapped pair."""
    with suppress(SubmissionError):
        read_submission({"prediction.txt": prediction}, reference.items)


def whole_program() -> None:
    """Compare score.py with pandas and scikit-learn; print the time for ten times the recordings, and the memory."""
    tables = generate("full", "evaluation", 1)
    with tempfile.TemporaryDirectory() as folder:
        inputs, tenfold = Path(folder, "evaluation"), Path(folder, "tenfold")
        write_files(tables, inputs)
        write_files(tables, tenfold, copies=10)
        ours = score_command("merlion_identification", inputs)
        peer = ROOT / "benchmarks" / "peer_identification.py"
        print(f"{len(scored_segments(tables.labels))} segments, from the files to the scores")
        found = importlib.util.find_spec("sklearn") is not None
        rounds = [
            (process_seconds(*ours), process_seconds(peer, inputs) if found else 0) for _ in range(ROUNDS)
        ]
        print(
            f"  score.py {median(one for one, _ in rounds):29.2f} s, {peak_megabytes(*ours):.0f} MB at most"
        )
        if found:
            ratio = median(other / one for one, other in rounds)
            print(
                f"  pandas and scikit-learn {median(other for _, other in rounds):14.2f} s    {ratio:.1f} x ours"
            )
        else:
            print("  scikit-learn is not installed; skipped")
        reference, swapped = swapped_pair(inputs)
        print(
            f"  finding a swapped pair of lines  {call_seconds(lambda: refused(swapped, reference)):5.2f} s"
        )
        more = score_command("merlion_identification", tenfold)
        rounds = [(process_seconds(*ours), process_seconds(*more)) for _ in range(3)]
        ratio = median(ten / one for one, ten in rounds)
        print(
            f"  ten times the recordings {median(ten for _, ten in rounds):13.2f} s    {ratio:.1f} x the time"
        )


def main(scores: int = 5_000_000) -> None:
    """Print a line for each kind and size: ratios to the time of sorting, and how the time grows."""
    whole_program()
    print(f"{'scores':>10s}  {'kind':12s}{'np.sort':>10s}{'ROCCH EER':>12s}{'interpolated':>14s}   EER")
    taken: dict[int, list[float]] = {}
    for kind in ("separated", "chance", "4 decimals", "11 values"):
        for size in (scores // 10, scores):
            targets, nontargets = trials(kind, size)
            rounds = [
                (
                    call_seconds(lambda t=targets, n=nontargets: (np.sort(t), np.sort(n))),
                    call_seconds(lambda t=targets, n=nontargets: rocch_eer(t, n)),
                    call_seconds(lambda t=targets, n=nontargets: interpolated_eer(t, n)),
                )
                for _ in range(ROUNDS)
            ]
            taken[size] = [median(times[column] for times in rounds) for column in (0, 1)]
            print(
                f"{size:10d}  {kind:12s}{1000 * median(times[0] for times in rounds):7.1f} ms"
                f"{median(times[1] / times[0] for times in rounds):10.2f} x"
                f"{median(times[2] / times[0] for times in rounds):12.2f} x   {rocch_eer(targets, nontargets):.4f}"
            )
        sort, eer = (taken[scores][column] / taken[scores // 10][column] for column in (0, 1))
        print(f"{'':10s}  ten times the scores: EER {eer:.1f} x the time, np.sort {sort:.1f} x")

    try:
        from sklearn.metrics import roc_curve
    except ImportError:
        print("scikit-learn is not installed; skipped")
        return
    targets, nontargets = trials("separated", scores // 10)
    labels = np.repeat([1, 0], [len(targets), len(nontargets)])
    pooled = np.concatenate([targets, nontargets])
    ratio = median(
        call_seconds(lambda: roc_curve(labels, pooled))
        / call_seconds(lambda: interpolated_eer(targets, nontargets))
        for _ in range(ROUNDS)
    )
    print(
        f"scikit-learn's roc_curve on {scores // 10} scores takes {ratio:.1f} x the time of our interpolated EER"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
