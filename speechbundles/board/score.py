"""Score many submissions at home: what each comes to, exactly, and what `rank` needs of it.

Each goes the platform's way, ingestion first, and what its scoring program wrote stays in `out`, under the submission's
own path. On hidden labels too the scores are exact and the statistics are written: they spell the labels out. Results
are kept in `out/.runs`, so that a second run does only what is new: another bundle, phase, reference or submission than
that which an output is of.
"""

import hashlib
import os
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
from speechbundles.model.tabular import csv_text
from speechbundles.model.text import no_formula, printable
from speechbundles.rehearse import FINISHED, Result, read_result, rehearse_all, with_reference
from spokeneval.formats.problems import count_of
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.programs.score import HIDDEN_STATISTICS

RUNS = ".runs"

_FORMAT = "score 2"


@dataclass(frozen=True)
class Scored:
    """A submission, by its path below the folder, and what became of it."""

    name: str
    result: Result

    @property
    def finished(self) -> bool:
        return self.result.status == FINISHED


@dataclass(frozen=True)
class Scores:
    """What all submissions came to, best first, then those without a score. `new`: how many were scored just now."""

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
    folder: zips at any depth; names that begin with a dot are passed over.
    out: receives a folder for each submission, and a table of all, `scores.csv`.
    phase, reference: as in `rehearse`.
    jobs: runs at once; default: as many as there are processors.
    scheduler: address of a Dask cluster's scheduler, to run them there.
    progress: called with the number of submissions that are scored, and of all.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed or lacks the phase, the cluster cannot be used, there is no
        submission, or two of one name, the reference is no folder, there are fewer jobs than one, or another run is
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
    keys = {
        name: f"{_digest(name)}-{_digest(*basis, sha256(path, MAX_BYTES))}"
        for name, path in submissions.items()
    }
    with _alone(out, runs):
        results = {}
        for name, key in keys.items():
            kept = read_result(runs / f"{key}.json")
            if kept is not None and (kept.status != FINISHED or (out / name).is_dir()):
                results[name] = kept
        new = {keys[name]: name for name in submissions if name not in results}
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
    """Take away what is kept of other runs of these submissions: their outputs are about to be replaced."""
    scored_anew = set(map(_digest, names))
    for path in runs.glob("*.json"):
        if path.name.partition("-")[0] in scored_anew:
            path.unlink()


@contextmanager
def _alone(out: Path, runs: Path) -> Iterator[None]:
    """While no other run writes there."""
    import fcntl  # not on Windows, where programs are not run

    with (runs / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OrganiserError(
                f"{out}: another run is writing there; wait for it, or name another --out"
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
    """A row a submission: its name, status, every column's score, and why it failed."""
    keys = [column.key for column in scores.bundle.columns]
    rows = [["submission", "status", *keys, "reason"]]
    for scored in scores.scored:
        result = scored.result
        cells = ["" if (value := result.scores.get(key)) is None else f"{value:f}" for key in keys]
        rows.append([no_formula(scored.name), result.status, *cells, no_formula(" ".join(result.reasons))])
    return csv_text(rows)


def to_text(scores: Scores) -> str:
    """The primary score of each submission, best first, then what was not scored and why."""
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
