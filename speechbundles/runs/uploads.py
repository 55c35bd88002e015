"""All fetched uploads: which ones are run, one beside another, and what is written of each.

FETCHED/.runs/ID-SET-DIGEST/    the state of an upload on a set (see `stages`); the digest is that of `conditions`
FETCHED/.runs/packages/         installed packages, which uploads share
FETCHED/.runs/fetched/          a folder as `fetch` writes it, with answers in place of programs, for the board
FETCHED/.runs/returns/          what a participant may get of each run: OWNER_RUN.txt
FETCHED/.runs/released.json     the runs whose smoke logs participants may get, because the organiser has read them
FETCHED/.runs/logs/             how each run went, with all logs, for the organiser: OWNER_RUN.txt
FETCHED/.runs/runs.csv          all runs, for the organiser
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from errno import EFBIG
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import KeptResult, connected, lost_result
from speechbundles.leaderboard.home import runs_of_uploads
from speechbundles.leaderboard.season import REFUSED, replay
from speechbundles.leaderboard.uploads import Upload
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import read_state, write_state, write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import (
    SUBMISSIONS,
    Fetched,
    read_index,
    safe_name,
    submission_path,
    write_index,
)
from speechbundles.model.statuses import (
    CODES,
    MACHINE,
    NOT_COUNTED,
    OK,
    RUN,
    SMOKE,
    TEAM_LIMIT,
    TIME,
    WITHDRAWN,
)
from speechbundles.model.statuses import REFUSED as CHECK_REFUSED
from speechbundles.model.text import Progress, grouped, silent
from speechbundles.runs.job import Job, conditions
from speechbundles.runs.outcomes import (
    OF_HIDDEN_RUNS,
    StageEnd,
    file_digest,
    read_stage,
    shown_factor,
    shown_time,
)
from speechbundles.runs.stages import (
    ANSWERS_ZIP,
    BUILD,
    ENVIRONMENT,
    check_only,
    machine_seconds,
    read_outcome,
    stage_files,
    take_through,
)
from spokeneval.formats.problems import printable
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.programs.code import OWN

STATE = ".runs"
"""The folder in a fetched folder with the state of all runs."""


def answers_below(fetched: Path) -> Path:
    """Return the folder that has answers in place of programs, as `fetch` writes it."""
    return fetched / STATE / "fetched"


@dataclass(frozen=True)
class Taken:
    """An upload: its run on the server, the folder of its state, its hidden set, and how it ended."""

    run: Fetched
    place: Path
    hidden: str
    step: StageEnd

    @property
    def log(self) -> Path:
        """The organiser's text about the run."""
        return self.place.parent / "logs" / f"{safe_name(self.run.owner)}_{self.run.id}.txt"


_LATE = tuple(f"{stage}_{TIME}" for stage in (SMOKE, RUN))
"""The codes of runs that others, which ran beside them, may have slowed down."""


def run_uploads(
    job: Job,
    bundle: BuiltBundle,
    sets: Mapping[str, str],
    fetched: Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    team_hours: float | None = None,
    release: Collection[int] = (),
    progress: Progress = silent,
) -> list[Taken]:
    """Take all fetched uploads through their stages, and write what is kept of them.

    Parameters
    ----------
    bundle: the one with all labels.
    sets: the set of each phase, by the name of the phase.
    jobs: the number of runs at the same time, without a scheduler.
    scheduler: the address of a Dask scheduler; its workers see the same folders.
    team_hours: the most machine hours of an owner's runs. An upload that begins before they are used up is run once.
    release: further runs whose smoke logs participants may get.

    Raises
    ------
    OrganiserError: the folder cannot be used, or no scheduler answers.
    """
    state = fetched / STATE
    state.mkdir(mode=0o700, exist_ok=True)
    waiting, rest = _chosen(job, bundle, sets, fetched, state)
    places = grouped((each.run.owner, each.place) for each in (*waiting, *rest))
    # with a limit, one after another: whom it refuses does not depend on `jobs`
    groups = grouped((each.run.id if team_hours is None else each.run.owner, each) for each in waiting)
    busy, failed = {each.place: threading.Lock() for each in waiting}, dict[int, Taken]()

    def one(each: Taken, again: bool = False, only_build: bool = False) -> Taken:
        if each.run.id in failed:
            return failed[each.run.id]
        used = sum(map(machine_seconds, {*places[each.run.owner]} - {each.place}))
        most = inf if team_hours is None else 3600 * team_hours - used
        try:
            with busy[each.place]:  # two uploads of the same bytes share their state
                step = read_outcome(each.place, each.hidden)
                if not step and not again and machine_seconds(each.place) >= most:
                    step = StageEnd(TEAM_LIMIT)
                how = most, again or (jobs == 1 and scheduler is None), only_build
                step = step or take(job, fetched / each.run.submission, each.place, each.hidden, *how)
        except (OrganiserError, OSError, RuntimeError) as error:
            step = StageEnd(MACHINE, log=str(error))
        return replace(each, step=step)

    with _taking(scheduler, jobs) as (pool, take):
        if job.environment == OWN:  # before any runs, because the servers would see how long one ran
            built = _each_once(pool, [*groups.values()], partial(one, only_build=True), silent)
            failed |= {each.run.id: each for each in built if each.step.code != OK}
        ended = _each_once(pool, [*groups.values()], one, progress)
        taken = [*rest, *(one(each, again=True) if each.step.code in _LATE else each for each in ended)]
    taken.sort(key=lambda each: each.run.id)
    _write(job, fetched, state, taken, release)
    return taken


def _each_once(
    pool: ThreadPoolExecutor, groups: list[list[Taken]], one: Callable[[Taken], Taken], progress: Progress
) -> list[Taken]:
    """Take the uploads of a group one after another, and groups beside each other.

    After a failure or Ctrl-C no other begins: the worker itself says so, before it takes up its next group.
    """
    taken, total = list[Taken](), sum(map(len, groups))
    lock, stopped = threading.Lock(), threading.Event()

    def one_after_another(group: list[Taken]) -> None:
        for each in group:
            if stopped.is_set():
                return
            try:
                done = one(each)
            except BaseException:
                stopped.set()
                raise
            with lock:
                taken.append(done)
                progress(len(taken), total)

    try:
        for future in as_completed([pool.submit(one_after_another, group) for group in groups]):
            future.result()
    finally:
        stopped.set()
    return taken


def _chosen(
    job: Job, bundle: BuiltBundle, sets: Mapping[str, str], fetched: Path, state: Path
) -> tuple[list[Taken], list[Taken]]:
    """Return the uploads to run, in order of time, and those that are not run.

    Every upload that the static check accepts counts towards the limits of its phase, however its run ends: the board
    of a competition whose failed runs were free could be asked about the recordings by programs that fail.
    """
    each_run, rest = {}, list[Taken]()
    for run in runs_of_uploads(read_index(fetched)):
        path = fetched / run.submission
        try:
            digest = file_digest(path, 2 * MAX_BYTES) if run.submission else ""
        except OSError as error:
            code = CHECK_REFUSED if error.errno == EFBIG else MACHINE
            rest.append(Taken(run, state / "none", "", StageEnd(code, log=str(error))))
            continue
        if digest:
            each_run[Upload(run.time, run.owner, str(run.id), path, digest, run.phase)] = run
    hidden_of = {phase: name if name in {*job.parts} - {job.smoke} else "" for phase, name in sets.items()}
    under = {hidden: of[:12] for hidden, of in conditions(job, {"", *hidden_of.values()}).items()}
    places = {}
    for submission in each_run:
        name, hidden = (of.get(str(submission.phase), "") for of in (sets, hidden_of))
        places[submission] = state / f"{submission.sha256[:24]}-{name or 'none'}-{under[hidden]}"

    def known(submission: Upload, phase: BuiltPhase) -> KeptResult | None:
        step = check_only(job, submission.path, places[submission])
        return lost_result(step.log) if step.code == CHECK_REFUSED else None

    waiting = []
    for attempt in replay(bundle, sorted(each_run, key=lambda each: (each.time, int(each.name))), known):
        submission, run = attempt.submission, each_run[attempt.submission]
        new = Taken(run, places[submission], hidden_of.get(run.phase, ""), StageEnd(OK))
        if run.gone:
            rest.append(replace(new, step=StageEnd(WITHDRAWN)))
        elif attempt.status == REFUSED:
            rest.append(replace(new, step=StageEnd(NOT_COUNTED, log="; ".join(attempt.result.reasons))))
        else:
            waiting.append(new)
    return waiting, rest


@contextmanager
def _taking(scheduler: str | None, jobs: int) -> Iterator[tuple[ThreadPoolExecutor, Callable[..., StageEnd]]]:
    """Give a pool, and what takes an upload through its stages: here, or on a worker of a Dask cluster.

    If a worker is killed, Dask gives its upload to another one, which goes on after the last stage that ended.
    """
    if scheduler is None:
        with ThreadPoolExecutor(jobs) as pool:
            yield pool, take_through
        return
    with connected(scheduler) as client:

        def there(job: Job, upload: Path, place: Path, *others: Any) -> StageEnd:
            words = [path.resolve() for path in (upload, place)]
            try:
                step: StageEnd = client.submit(take_through, job, *words, *others, pure=False).result()
            except OrganiserError:
                raise
            except Exception as error:
                raise OrganiserError(f"no worker finished this run: {error}") from None
            return step

        with ThreadPoolExecutor(max(1, sum(client.nthreads().values()))) as pool:
            yield pool, there


def _write(job: Job, fetched: Path, state: Path, taken: Sequence[Taken], release: Collection[int]) -> None:
    """Write the folder for the board, what participants may get, and the organiser's table."""
    released = {*(read_state(state / "released.json") or {"runs": []})["runs"], *release}
    write_state(state / "released.json", {"runs": sorted(released)})
    _write_answers(fetched, answers_below(fetched), taken)
    for folder in ("returns", "logs"):
        (state / folder).mkdir(exist_ok=True)
    for each in taken:
        write_whole(state / "returns" / each.log.name, what_returns(job, each, each.run.id in released))
        write_whole(each.log, what_happened(job, each))
    header = ("run", "owner", "phase", "set", "code", "build_seconds", "smoke_seconds", "run_seconds")
    more = ["real_time_factor", "peak_mb", "gpu", "environment", "packages", "answers"]
    rows = [(*header, *more, "reproducible", "state"), *(_row(job, each) for each in taken)]
    write_whole(state / "runs.csv", csv_text(rows))


def _row(job: Job, each: Taken) -> list[object]:
    build, smoke, run = (
        read_stage(each.place / name) or StageEnd("") for name in (BUILD, f"{SMOKE}.json", f"{RUN}1.json")
    )
    length = job.parts[each.hidden].seconds if each.hidden else 0.0
    again = read_stage(each.place / f"{RUN}2.json")
    return [
        each.run.id,
        no_formula(printable(each.run.owner)),
        no_formula(printable(each.run.phase)),
        each.hidden or job.smoke,
        each.step.code,
        *(f"{step.seconds:.1f}" if step.code else "" for step in (build, smoke, run)),
        f"{run.seconds / length:.4f}" if run.code and length else "",
        max(step.peak_bytes for step in (smoke, run)) >> 20,
        "all" if job.gpu else "none",
        (read_stage(each.place / ENVIRONMENT) or StageEnd("")).digest,
        build.digest,
        run.digest,
        "" if again is None else "yes" if again.digest == run.digest else "no",
        each.place.name,
    ]


def _write_answers(fetched: Path, folder: Path, taken: Sequence[Taken]) -> None:
    """Write a folder as `fetch` does, with the canonical answers of each run that has some."""
    ended = {each.run.own_upload: each for each in taken if each.hidden}
    rows = []
    for run in read_index(fetched):
        each = ended.get(run.own_upload)
        answers = each.place / ANSWERS_ZIP if each and each.step.code in OF_HIDDEN_RUNS else None
        if each and answers and answers.exists() and not run.gone:
            path = submission_path(run.owner_folder or safe_name(run.owner), run.time, run.id)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            content = answers.read_bytes()
            write_whole(folder / path, content)
            rows.append(replace(run, submission=path, sha256=digest_of(content), output=""))
        else:
            why = each.step.code if each else "not run"
            rows.append(replace(run, submission="", output="", note=run.note or why))
    folder.mkdir(exist_ok=True)
    write_index(folder, rows)
    kept = {folder / row.submission for row in rows if row.submission}
    for stale in {*(folder / SUBMISSIONS).rglob("*.zip")} - kept:
        stale.unlink()  # withdrawn since, or run again with another end


def what_returns(job: Job, each: Taken, is_released: bool) -> str:
    """Return all that a participant may get of a run: its code, its time in steps, and how the smoke run ended.

    The text of a program, also on public recordings, is not among it unless the organiser has released it: a program
    that runs after a hidden run can learn about it from the state of the machine.
    """
    lines = [f"run: {each.run.id}", f"code: {each.step.code}", f"meaning: {CODES[each.step.code]}"]
    run, smoke = read_stage(each.place / f"{RUN}1.json"), read_stage(each.place / f"{SMOKE}.json")
    if run and job.limits.seconds:
        lines.append(f"time: {shown_time(run.seconds, job.limits.seconds)}")
    if each.step.code == CHECK_REFUSED:
        lines += ["", printable(each.step.log, kept="\n")]
    lines += dict.fromkeys(step.shown for step in (smoke, each.step) if step and step.shown)
    if smoke and is_released:
        lines += ["", f"smoke run on the public set {job.smoke}:", printable(smoke.log, kept="\n")]
    return "\n".join([*lines, ""])


def what_happened(job: Job, each: Taken) -> str:
    """Return all about a run, for the organiser: its code, why it ended, and how each stage went, with its log."""
    run, step = each.run, each.step
    lines = [
        f"run {run.id} of {printable(run.owner)}, {printable(run.phase)}, set {each.hidden or job.smoke}: {step.code}",
        f"meaning: {CODES[step.code]}",
        f"upload: {printable(run.submission)}",
        f"state: {each.place.name}",
    ]
    if step.code in (NOT_COUNTED, MACHINE):  # no stage has this log
        lines += ["", printable(step.log, kept="\n")]
    for path in stage_files(each.place):
        if done := read_stage(path):
            facts = f"{done.code}, {done.seconds:.1f} s, {done.peak_bytes >> 20} MB"
            lines += ["", f"{path.stem}: {facts}", printable(done.log.rstrip("\n"), kept="\n")]
    return "\n".join([*lines, ""])


def shown_runs(job: Job, taken: Sequence[Taken], names: Mapping[str, str]) -> str:
    """Return the table of runs that everybody may see: the owner's name, the code, and the time in steps.

    Parameters
    ----------
    names: the shown name of each owner, if names are anonymous.
    """
    header, rows = ["run", "name", "phase", "code", "time"], []
    for each in taken:
        run = read_stage(each.place / f"{RUN}1.json")
        name = names.get(each.run.owner, each.run.owner)
        cells = (name, each.run.phase)
        rows.append([each.run.id, *(no_formula(printable(cell)) for cell in cells), each.step.code])
        rows[-1].append(shown_time(run.seconds, job.limits.seconds or 1.0) if run else "")
        if job.shows_factor:
            rows[-1].append(shown_factor(run.seconds, job.parts[each.hidden].seconds) if run else "")
    return csv_text([[*header, *["real_time_factor"] * job.shows_factor], *rows])
