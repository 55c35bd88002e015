"""Score many submissions on the organiser's computer: exact scores, and the statistics that `rank` needs.

Each submission is run as the platform runs it, ingestion first. The output of its scoring program is kept in `out`,
as a zip in a folder of the submission's own path. For hidden labels too, the scores are exact and the statistics are
written, which reveal the labels. Results are kept in `out/.runs`: a later run with the same bundle, phase and reference
scores only new or changed submissions. Submissions with the same bytes are run once.

Of a folder that `fetch` wrote, the entries of a phase's leaderboard are scored (see `entries`).
"""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from speechbundles.bundle.rehearse import (
    FINISHED,
    KeptResult,
    lost_result,
    read_result,
    rehearse_all,
    with_reference,
    write_result,
)
from speechbundles.leaderboard.about import record_scored
from speechbundles.leaderboard.entries import Team, read_teams
from speechbundles.leaderboard.outputs import LIST_FILE, RUNS
from speechbundles.leaderboard.render import console_table
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import digest_of, parse_json, sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, read_built_bundle
from speechbundles.model.console import wrap
from speechbundles.model.disk import locked, write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.label_tag import label_tag, write_tag
from speechbundles.model.submissions import PACKED, find_submissions
from speechbundles.model.text import Progress, grouped, silent
from speechbundles.model.zips import HOME, WHOLE, make_zip, read_all
from spokeneval.formats.problems import count_of, printable, some_of
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.programs.score import HIDDEN_STATISTICS
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.ranks import shared_places
from spokeneval.ranking.writers import every_digit, shown_rank

OTHERS = ".others"
"""The folder with the outputs of runs that a team's entry is chosen from."""
ENTRIES = "entries"
"""The file with the names of the outputs of a leaderboard's entries."""

_FORMAT = "score 3"

MOST = 20
"""Most submissions with a score, and without one, that are printed."""


@dataclass(frozen=True)
class Scores:
    """The results of submissions.

    Attributes
    ----------
    results: by the submissions' names, which are their paths below the folder; best first, then those without a score.
    new, refused: how many got a result in this run, and how many of these have no score.
    ranked: whether the submissions are the entries of a leaderboard, named by their teams.
    notes: what is not ranked, or differs from the leaderboard on the server.
    accounts: of a leaderboard's entries, by the names of their results.
    """

    bundle: BuiltBundle
    results: Mapping[str, KeptResult]
    new: int
    refused: int
    ranked: bool = False
    notes: tuple[str, ...] = ()
    accounts: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> dict[str, KeptResult]:
        """The results without a score."""
        return {name: result for name, result in self.results.items() if result.status != FINISHED}


def score_all(
    bundle: Path,
    folder: Path | Mapping[str, Path],
    out: Path,
    *,
    phase: str | None = None,
    reference: Path | None = None,
    fetched: bool = False,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress = silent,
) -> Scores:
    """Score the submissions below a folder against a bundle.

    Parameters
    ----------
    bundle: a built zip, for any platform.
    folder: contains zips at any depth; names that begin with a dot are ignored. Or the zips of the entries of a
        leaderboard, by name: outputs of earlier entries are deleted.
    out: receives a folder for each submission, and a table of all of them, `scores.csv`.
    phase, reference: as in `rehearse`.
    fetched: whether `fetch` wrote the folder; then the entries of the phase's leaderboard are scored.
    jobs: number of parallel runs; default: the number of processors.
    scheduler: address of a Dask cluster's scheduler, to run the submissions on the cluster.
    progress: called with the number of scored submissions, and of all.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed or lacks the phase, the cluster cannot be used, there is no
        submission or two with the same name, the reference is not a folder, or another run is writing to `out`.
    """
    built = read_built_bundle(bundle)
    scored_phase, column = built.phase(phase), built.ranking_column()
    built = _with_labels(built, scored_phase, reference, fetched)
    are_entries = fetched or not isinstance(folder, Path)
    teams, notes = read_teams(folder, scored_phase) if fetched and isinstance(folder, Path) else ([], [])
    if isinstance(folder, Path):
        folder = {} if fetched else find_submissions(folder, passed_over=out)
    gold = built.files[scored_phase.reference_data] if scored_phase.reference_data else b""
    basis = (_FORMAT, sha256(bundle, LARGEST_BUNDLE), scored_phase.number, digest_of(gold))
    (out / RUNS).mkdir(parents=True, exist_ok=True)
    rehearse = partial(rehearse_all, jobs=jobs, scheduler=scheduler)
    scoring = _Scoring(built, scored_phase, basis, label_tag(built, scored_phase), out, rehearse, progress)
    with locked(out / RUNS / "lock", out, "score"):
        if fetched:
            results, new = _score_teams(scoring, teams, notes)
        else:
            results, new = _score_submissions(scoring, folder)
        if are_entries:
            _replace_outputs(out, results)
        keys = {name: column.better_first(each.score(column.key)) for name, each in results.items()}
        ordered = {name: results[name] for name in sorted(results, key=lambda name: (keys[name], name))}
        refused = sum(results[name].status != FINISHED for name in new if name in results)
        accounts = {team.folder: team.runs[0][0].owner for team in teams}
        scores = Scores(built, ordered, len(new), refused, fetched, (*notes, *_warnings(results)), accounts)
        for name in results.keys() - scores.failed.keys():
            _pack(out / name, scoring.tag)  # also the outputs of runs that were interrupted
        record_scored(out, built, scored_phase)
        write_whole(out / LIST_FILE, to_csv(scores))
        return scores


def _with_labels(
    bundle: BuiltBundle, phase: BuiltPhase, reference: Path | None, fetched: bool
) -> BuiltBundle:
    """Return the bundle with the phase's labels, which are in the bundle or in `reference`."""
    if fetched and bundle.only_receives:
        raise OrganiserError(
            "the labels of this bundle stay at home, so the platform's leaderboard has no scores to choose entries by; "
            "make the leaderboard with `board`"
        )
    if reference is not None:
        return with_reference(bundle, phase, reference)
    if bundle.only_receives and bundle.is_at_home(phase):
        raise OrganiserError(
            f"{phase.name}: the labels of this phase are not in the bundle; give them with --reference: the "
            f"folder `{WHOLE}` in the build's folder {HOME}/TASK/SET"
        )
    return bundle


@dataclass(frozen=True)
class _Scoring:
    """What all submissions of a run are scored with.

    `basis`: digests of everything that a result depends on. `tag`: of the labels, see `label_tag`.
    """

    bundle: BuiltBundle
    phase: BuiltPhase
    basis: tuple[str, ...]
    tag: str
    out: Path
    rehearse: Callable[..., Iterable[tuple[str, KeptResult]]]
    progress: Progress


def _score_submissions(
    scoring: _Scoring, submissions: Mapping[str, Path]
) -> tuple[dict[str, KeptResult], list[str]]:
    """Return the result of each submission, and the names of those that had none before."""
    out, runs = scoring.out, scoring.out / RUNS
    contents: dict[str, str] = {}
    results: dict[str, KeptResult] = {}
    for name, path in submissions.items():
        try:
            contents[name] = _digest(*scoring.basis, sha256(path, MAX_BYTES))
        except OSError as error:  # concerns only this submission
            results[name] = lost_result(f"submission: the zip {error.strerror}")
            shutil.rmtree(out / name, ignore_errors=True)
    new = list(results)
    keys = {name: f"{_digest(name)}-{content}" for name, content in contents.items()}
    for name, key in keys.items():
        kept = read_result(runs / f"{key}.json")
        if kept is not None and (kept.status != FINISHED or (out / name).is_dir()):
            results[name] = kept
    due = [name for name in keys if name not in results]
    scored_anew = set(map(_digest, due))
    # Their kept results are deleted, because their outputs are about to be replaced.
    for path in runs.glob("*.json"):
        if path.name.partition("-")[0] in scored_anew:
            path.unlink()
    first: dict[str, str] = {}
    for name in [*(name for name in contents if name in results), *due]:
        first.setdefault(contents[name], name)
    needed = {keys[name]: name for name in first.values() if name not in results}
    for key, result in scoring.rehearse(
        scoring.bundle,
        {key: (scoring.phase, submissions[name]) for key, name in needed.items()},
        runs,
        variables={HIDDEN_STATISTICS: "write"},
        outputs={key: out / name for key, name in needed.items()},
    ):
        results[needed[key]] = result
        _pack(out / needed[key], scoring.tag)
        scoring.progress(len(results), len(submissions))
    for name in due:
        original = first[contents[name]]
        if name != original:  # the same bytes
            shutil.rmtree(out / name, ignore_errors=True)
            if (out / original).is_dir():
                shutil.copytree(out / original, out / name)
            results[name] = results[original]
            write_result(runs / f"{keys[name]}.json", results[name])
    return results, [*new, *due]


def _score_teams(
    scoring: _Scoring, teams: Sequence[Team], notes: list[str]
) -> tuple[dict[str, KeptResult], list[str]]:
    """Return the result of each team's entry, as `_score_submissions` does, and add notes on runs that end otherwise.

    Of several runs, the team's best or last is its entry. A team without a score gets an empty folder, which `rank`
    puts last.
    """
    column, several = scoring.bundle.ranking_column(), [team for team in teams if len(team.runs) > 1]
    names = {f"{OTHERS}/{team.folder}_{run.id}": path for team in several for run, path in team.runs}
    found, _ = _score_submissions(scoring, names)
    scores = {int(name.rpartition("_")[2]): result.score(column.key) for name, result in found.items()}
    chosen = {team.folder: team.choose(column, scores) for team in teams}
    there = {folder: path for folder, (_, path) in chosen.items() if path.is_file() and not path.is_symlink()}
    results, more = _score_submissions(scoring, there)
    for folder, (run, _) in chosen.items():
        result = results.setdefault(folder, lost_result(f"run {run.id}: its upload is not in the folder"))
        if (result.status == FINISHED) != (run.status == FINISHED):
            notes.append(f"{run.owner}: run {run.id} is {run.status} on the server, but {result.status} here")
        if result.status != FINISHED:
            shutil.rmtree(scoring.out / folder, ignore_errors=True)
            (scoring.out / folder).mkdir()
    return results, more


def _replace_outputs(out: Path, results: Iterable[str]) -> None:
    """Delete the outputs of teams that an earlier run scored and that have no entry any more."""
    path = out / RUNS / ENTRIES
    try:
        before = set(parse_json(path.read_bytes()))
    except (OSError, TypeError, ValueError):
        before = set()
    for name in before - set(results):
        if name == Path(name).name and not name.startswith("."):
            shutil.rmtree(out / name, ignore_errors=True)
    write_whole(path, json.dumps(sorted(results)))


def _pack(output: Path, tag: str) -> None:
    """Put the files of an output, and the tag of its labels, into one zip: ten thousand outputs are many files."""
    if not output.is_dir():
        return
    packed = output / PACKED
    if not packed.exists():
        write_tag(output, tag)
        write_whole(packed, make_zip(read_all(output)))
    for path in output.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path != packed:
            path.unlink()


def _digest(*words: str) -> str:
    return digest_of("\n".join(words).encode())


def _warnings(results: Mapping[str, KeptResult]) -> list[str]:
    """Return each difference between the platform's behaviour and what outputs suggest, with its submissions."""
    pairs = ((each, name) for name in sorted(results) for each in dict.fromkeys(results[name].warnings))
    return [f"{warning} ({some_of(names)})" for warning, names in grouped(pairs).items()]


def to_csv(scores: Scores) -> str:
    """Return one row for each submission: its name, its status, the score in every column, and why it failed."""
    keys = [column.key for column in scores.bundle.columns]
    rows = [["submission", "status", *(no_formula(printable(key)) for key in keys), "reason"]]
    for name, result in scores.results.items():
        cells = ["" if (value := result.scores.get(key)) is None else f"{value:f}" for key in keys]
        rows.append([no_formula(name), result.status, *cells, no_formula(" ".join(result.reasons))])
    return csv_text(rows)


def scores_to_text(scores: Scores, out: Path) -> str:
    """Return the primary score of the best submissions, then why others have no score; `scores.csv` has all."""
    if scores.bundle.only_receives:
        lines = ["The bundle's leaderboard has no scores; compare these outputs with `rank`."]
    elif rows := _rows(scores):
        header = [*["rank"] * scores.ranked, "team" if scores.ranked else "submission"]
        table = TextTable("", [*header, scores.bundle.ranking_column().title], rows[:MOST])
        lines = [console_table(table, {1 if scores.ranked else 0}), *_more(len(rows), out)]
    else:
        lines = []
    if scores.failed:
        lines += ["", f"Not scored: {count_of(len(scores.failed), 'submission')}"]
    for name, result in [*scores.failed.items()][:MOST]:
        first, *more = result.reasons or ("(no reason given)",)
        lines.append(wrap(printable(f"{name}: {first}"), "  "))
        lines += [wrap(printable(line), "      ") for line in more]
    lines += _more(len(scores.failed), out)
    if scores.notes:
        lines += ["", "Notes", *(wrap(printable(note), "  ") for note in scores.notes)]
    return "\n".join(lines)


def _more(number: int, out: Path) -> list[str]:
    return [f"... and {number - MOST} more, in {out / LIST_FILE}"] if number > MOST else []


def _rows(scores: Scores) -> list[list[str]]:
    """Return names and scores; of a leaderboard's entries, also ranks, with every digit, failed ones last."""
    key, results = scores.bundle.ranking_column().key, scores.results
    if not scores.ranked:
        return [[printable(name), results[name].shown[key]] for name in results if name not in scores.failed]
    values = [result.score(key) for result in results.values()]
    ranks = [shown_rank(rank, tied=tied) for rank, tied in shared_places(values)]
    return [[*row] for row in zip(ranks, map(printable, results), map(every_digit, values), strict=True)]
