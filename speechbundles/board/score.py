"""Score many submissions on the organiser's computer: exact scores, and the statistics that `rank` needs.

Each submission is run as the platform runs it, ingestion first. The output of its scoring program is kept in `out`,
under the submission's own path. For hidden labels too, the scores are exact and the statistics are written, which
reveal the labels. Results are kept in `out/.runs`: a later run with the same bundle, phase and reference scores only
new or changed submissions.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from speechbundles.board.cluster import rehearse_on_cluster
from speechbundles.board.outputs import LIST_FILE
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.console import fitted_table, wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.model.submissions import find_submissions
from speechbundles.model.text import printable
from speechbundles.rehearse import FINISHED, Result, lost_result, read_result, rehearse_all, with_reference
from spokeneval.formats.problems import count_of
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.programs.score import HIDDEN_STATISTICS

RUNS = ".runs"

_FORMAT = "score 2"


@dataclass(frozen=True)
class Scored:
    """A submission, by its path below the folder, and its result."""

    name: str
    result: Result

    @property
    def finished(self) -> bool:
        return self.result.status == FINISHED


@dataclass(frozen=True)
class Scores:
    """All submissions, best first, then those without a score. `new`: how many were scored in this run."""

    bundle: BuiltBundle
    scored: Sequence[Scored]
    new: int


def score(
    bundle: Path,
    folder: Path,
    out: Path,
    *,
    phase: str | None = None,
    reference: Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Score the submissions below a folder against a bundle.

    Parameters
    ----------
    bundle: a built zip, for Codabench or CodaLab.
    folder: contains zips at any depth; names that begin with a dot are ignored.
    out: receives a folder for each submission, and a table of all of them, `scores.csv`.
    phase, reference: as in `rehearse`.
    jobs: number of parallel runs; default: the number of processors.
    scheduler: address of a Dask cluster's scheduler, to run the submissions on the cluster.
    progress: called with the number of scored submissions, and of all.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed or lacks the phase, the cluster cannot be used, there is no
        submission or two with the same name, the reference is not a folder, `jobs` is less than 1, or another run is
        writing to `out`.
    """
    if jobs is not None and jobs < 1:
        raise OrganiserError(f"jobs is {jobs}; expected 1 or more")
    built = read_built_bundle(bundle)
    scored_phase = built.phase(phase)
    built.ranking_column()
    if reference is not None:
        built = with_reference(built, scored_phase, reference)
    submissions = find_submissions(folder, passed_over=out)
    runs = out / RUNS
    runs.mkdir(parents=True, exist_ok=True)
    gold = built.files[scored_phase.reference_data] if scored_phase.reference_data else b""
    basis = [_FORMAT, sha256(bundle, LARGEST_BUNDLE), scored_phase.number, hashlib.sha256(gold).hexdigest()]
    keys, results = {}, {}
    for name, path in submissions.items():
        try:
            keys[name] = f"{_digest(name)}-{_digest(*basis, sha256(path, MAX_BYTES))}"
        except OSError as error:  # concerns only this submission
            results[name] = lost_result(f"submission: the zip {error.strerror}")
    with _alone(out, runs):
        for name in results:
            shutil.rmtree(out / name, ignore_errors=True)
        for name, key in keys.items():
            kept = read_result(runs / f"{key}.json")
            if kept is not None and (kept.status != FINISHED or (out / name).is_dir()):
                results[name] = kept
        new = {key: name for name, key in keys.items() if name not in results}
        _forget(runs, new.values())
        done = len(results)
        rehearse = (
            partial(rehearse_all, jobs=jobs or os.cpu_count() or 1)
            if scheduler is None
            else partial(rehearse_on_cluster, scheduler)
        )
        for key, result in rehearse(
            built,
            {key: (scored_phase, submissions[name]) for key, name in new.items()},
            runs,
            variables={HIDDEN_STATISTICS: "write"},
            outputs={key: out / name for key, name in new.items()},
        ):
            results[new[key]] = result
            if progress:
                progress(len(results), len(submissions))
        scores = Scores(built, _best_first(built, results), len(submissions) - done)
        (out / LIST_FILE).write_text(to_csv(scores), encoding="utf-8", newline="")
    return scores


def _digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def _forget(runs: Path, names: Iterable[str]) -> None:
    """Delete the kept results of earlier runs of these submissions: their outputs are about to be replaced."""
    scored_anew = set(map(_digest, names))
    for path in runs.glob("*.json"):
        if path.name.partition("-")[0] in scored_anew:
            path.unlink()


@contextmanager
def _alone(out: Path, runs: Path) -> Iterator[None]:
    """Lock the output folder, so that no other run writes to it."""
    import fcntl  # missing on Windows, where programs are not run

    with (runs / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OrganiserError(
                f"{out}: another run is writing to this folder. Wait until it ends, or give another folder with --out"
            ) from None
        yield


def _best_first(bundle: BuiltBundle, results: dict[str, Result]) -> list[Scored]:
    column = bundle.ranking_column()

    def order(scored: Scored) -> tuple[bool, object, str]:
        score = scored.result.scores.get(column.key)
        if not scored.finished or score is None:
            return True, 0, scored.name
        return False, -score if column.direction == "higher" else score, scored.name

    return sorted((Scored(name, result) for name, result in results.items()), key=order)


def to_csv(scores: Scores) -> str:
    """Return one row for each submission: its name, its status, the score in every column, and why it failed."""
    keys = [column.key for column in scores.bundle.columns]
    rows = [["submission", "status", *(no_formula(printable(key)) for key in keys), "reason"]]
    for scored in scores.scored:
        result = scored.result
        cells = ["" if (value := result.scores.get(key)) is None else f"{value:f}" for key in keys]
        rows.append([no_formula(scored.name), result.status, *cells, no_formula(" ".join(result.reasons))])
    return csv_text(rows)


def to_text(scores: Scores) -> str:
    """Return the primary score of each submission, best first, then why the others have no score."""
    column = scores.bundle.ranking_column()
    rows = [["submission", column.title]]
    rows += [
        [printable(scored.name), scored.result.shown[column.key]]
        for scored in scores.scored
        if scored.finished
    ]
    lines = fitted_table(rows, left={0}) if len(rows) > 1 else []
    failed = [scored for scored in scores.scored if not scored.finished]
    if failed:
        lines += ["", f"Not scored: {count_of(len(failed), 'submission')}"]
    for scored in failed:
        first, *more = scored.result.reasons or ("(no reason given)",)
        lines.append(wrap(printable(f"{scored.name}: {first}"), "  "))
        lines += [wrap(printable(line), "      ") for line in more]
    return "\n".join(lines)
