"""An upload's way through all stages: check, build, smoke run, runs on hidden recordings, canonical answers.

Each stage writes its result when it ends, and a run also that it began, in one file that is complete or not there. So a
run that was killed goes on after the last stage that ended.

    PLACE/check.json, build.json, smoke.json, run1.json, run2.json   how each stage ended
    PLACE/environment.json                                           the Python of the runs and its packages
    PLACE/answers.zip                                                the canonical answers
    PLACE/outcome.json                                               how all ended
"""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

from speechbundles.bundle.rehearse import Outcome, Program
from speechbundles.model.bounded import digest_of
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.statuses import (
    ANSWERS,
    DIFFERENT,
    FAILED,
    LIMIT,
    MACHINE,
    OK,
    REFUSED,
    RUN,
    SMOKE,
    TIME,
)
from speechbundles.model.temporary import temporary_folder
from speechbundles.model.text import say
from speechbundles.model.zips import make_zip, write_tree
from speechbundles.runs import landlock
from speechbundles.runs.answers import WrittenArchive, canonical, read_written
from speechbundles.runs.job import Job, SoundSet, engine_of, environment_of
from speechbundles.runs.outcomes import StageEnd, file_digest, read_stage, write_stage
from speechbundles.runs.packages import install
from speechbundles.runs.weights import fetch_weights
from spokeneval.formats.problems import Problems, SubmissionError
from spokeneval.formats.submission_zip import unpack
from spokeneval.formats.text import Files
from spokeneval.programs.code import REQUIREMENTS, WEIGHTS, list_code, read_requirements, read_weights

CHECK, ENVIRONMENT, BUILD, OUTCOME = (f"{name}.json" for name in ("check", "environment", "build", "outcome"))
ANSWERS_ZIP = "answers.zip"
EXPECTED = "expected"
"""A folder of a program with its answers to the public set of the smoke run, as its author got them."""
MOST_BEGINS = 3
"""How often a run begins if the machine, or its neighbours, end it."""

_CODE, _INPUT, _SOUND, _PACKAGES, _WRITTEN = (
    f"/app/{name}" for name in ("code", "input", "input/sound", "packages", "answers.tar")
)
_LANDLOCK = "/opt/landlock.py"

_SCRIPT = f"""
umask 022
export HOME=/tmp OMP_NUM_THREADS=${{OMP_NUM_THREADS:-1}}
[ -d {_PACKAGES} ] && export PYTHONPATH={_PACKAGES}
mkdir /tmp/output
python3 -I -S {_LANDLOCK} /tmp /root /dev -- python3 main.py {_INPUT} /tmp/output
code=$?
tar -cf {_WRITTEN} -C /tmp/output .
exit $code
"""
"""What runs a program. All that it writes is in memory and of limited size; one file, made before, receives a tar."""


def take_through(
    job: Job,
    upload: Path,
    place: Path,
    hidden: str,
    most: float,
    alone: bool = True,
    only_build: bool = False,
) -> StageEnd:
    """Take an upload through all stages that have not ended yet, and return how all ended.

    Parameters
    ----------
    upload: a zip.
    place: the folder for the results.
    hidden: the hidden set; empty for an upload to a phase with public labels, which is only run on the smoke set.
    most: the machine seconds after which the run on the hidden set is not repeated.
    alone: whether no other program runs; if not, a run that exceeds its time ends nothing: the next call repeats it.
    only_build: whether to return before the first run, when packages and weights are here.

    Raises
    ------
    OrganiserError, OSError: this machine failed; the next call goes on, as after a build that failed.
    """
    if done := read_outcome(place, hidden):
        return done
    place.mkdir(parents=True, exist_ok=True)
    with temporary_folder("code") as scratch:
        code, checked = scratch / "code", check(job, upload, scratch)
        _kept(place / CHECK, checked)
        if checked.code != OK:
            return write_stage(place / OUTCOME, checked)
        listed = environment_of(job)
        _kept(place / ENVIRONMENT, StageEnd(OK, log=listed, digest=digest_of(listed.encode())))
        mounts, built = _build(job, code, place, listed)
        if built.code != OK or only_build:
            return built  # the next call tries it again: the network may have failed
        run = partial(_run, job, code=code, mounts=mounts)
        counted = partial(_counted, limit=job.limits.seconds or inf, alone=alone)
        path, runs = place / f"{SMOKE}.json", list[StageEnd]()
        smoke = counted(path, partial(run, SMOKE, job.parts[job.smoke]))
        for number in range(1, job.repeat + 1) if smoke.code == OK and hidden else ():
            if number == 1 or (read_stage(path) and machine_seconds(place) < most):
                path, kept = place / f"{RUN}{number}.json", place / ANSWERS_ZIP if number == 1 else None
                runs.append(counted(path, partial(run, RUN, job.parts[hidden], kept=kept)))
        ended = _together(runs or [smoke])
        return write_stage(place / OUTCOME, ended) if read_stage(path) else ended


def read_outcome(place: Path, hidden: str) -> StageEnd | None:
    """Return how an upload ended; None if it has not: also if a file of a stage, or the answers, are damaged."""
    answers = place / ANSWERS_ZIP
    digest = file_digest(answers) if answers.is_file() else ""
    for path in filter(Path.exists, (place / OUTCOME, place / ENVIRONMENT, *stage_files(place))):
        step = read_stage(path)
        has_answers = (
            hidden and path.name in (OUTCOME, f"{RUN}1.json") and step and step.code in (OK, DIFFERENT)
        )
        if has_answers and step and step.digest != digest:
            say(f"{answers}: missing or damaged; the run is repeated", error=True)
            path.unlink()
        if not step or not path.exists():
            (place / OUTCOME).unlink(missing_ok=True)
    return read_stage(place / OUTCOME)


def machine_seconds(place: Path) -> float:
    """Return the time that all stages of an upload took on the machine."""
    steps = (read_stage(path, begun=True) for path in stage_files(place))
    return sum(step.seconds + step.lost for step in steps if step)


def stage_files(place: Path) -> list[Path]:
    """Return the files of all stages of an upload, of which those that have not ended do not exist."""
    return [place / CHECK, place / BUILD, place / f"{SMOKE}.json", *sorted(place.glob(f"{RUN}[0-9]*.json"))]


def _build(job: Job, code: Path, place: Path, python: str) -> tuple[dict[str, Path], StageEnd]:
    """Install packages and fetch weights; return the folders and files that runs get of them, and how it ended."""
    mounts, built, which = dict[str, Path](), StageEnd(OK), REQUIREMENTS
    if (code / REQUIREMENTS).exists():
        wanted = read_requirements(code / REQUIREMENTS, job.environment, Problems())
        folder, built = install(wanted, job.cache, job.wheels, engine_of(job), job.limits, python)
        mounts |= {_PACKAGES: folder} if folder else {}
    if built.code == OK and (code / WEIGHTS).exists():
        files = read_weights(code / WEIGHTS, job.environment, Problems())
        found, got = fetch_weights(files, job.cache / "weights", job.wheels, 8 * job.limits.output_bytes)
        built = replace(got, seconds=built.seconds + got.seconds, digest=built.digest)
        which = WEIGHTS
        for name, path in found.items():
            point = code / "weights" / name
            point.parent.mkdir(exist_ok=True)
            point.touch()
            mounts[f"{_CODE}/weights/{name}"] = path
    before = read_stage(place / BUILD) or StageEnd(OK)  # of earlier calls, whose hours count too
    shown = "" if built.code == OK else f"{which}: a file could not be fetched or installed"
    built = replace(built, seconds=before.seconds + built.seconds, shown=shown)
    return mounts, write_stage(place / BUILD, built) if mounts or built.code != OK else built


def check_only(job: Job, upload: Path, place: Path) -> StageEnd:
    """Return whether the static check accepts an upload; each upload is checked once."""
    place.mkdir(parents=True, exist_ok=True)
    if done := read_stage(place / CHECK):
        return done
    with temporary_folder("check") as scratch:
        return write_stage(place / CHECK, check(job, upload, scratch))


def _together(runs: list[StageEnd]) -> StageEnd:
    """Return how several runs of one program ended: as the first, if all gave the same answers."""
    first = runs[0]
    same = all((each.code, each.digest) == (first.code, first.digest) for each in runs)
    seconds, peak = max(each.seconds for each in runs), max(each.peak_bytes for each in runs)
    return replace(first, code=first.code if same else DIFFERENT, seconds=seconds, peak_bytes=peak)


def _kept(path: Path, stage: StageEnd) -> StageEnd:
    """Return how a stage ended, as an earlier call has written it, or now."""
    return read_stage(path) or write_stage(path, stage)


def _counted(path: Path, run: Callable[[], StageEnd], limit: float, alone: bool) -> StageEnd:
    """Return how a run ended; run it if it has not.

    Before it begins, its longest time is written down, so that it counts however it ends. A run that does not end, such
    as one beside others that exceeds its time, is repeated by a later call, but not for ever.

    Raises
    ------
    OrganiserError: it has begun too often; the organiser finds out whether the machine or the program is the reason.
    """
    before = read_stage(path, begun=True) or StageEnd(MACHINE)
    if before.code != MACHINE:
        return before
    if before.lost >= MOST_BEGINS * limit:
        what = f"began {MOST_BEGINS} times and did not end; to let it begin again, delete this file"
        raise OrganiserError(f"{path}: {what}")
    write_stage(path, replace(before, lost=before.lost + limit))
    step = run()
    is_late = step.code.endswith(f"_{TIME}") and not alone
    return step if is_late else write_stage(path, replace(step, lost=before.lost))


def check(job: Job, upload: Path, scratch: Path) -> StageEnd:
    """Unpack an upload, check it, and leave its files in `code`, without what is not part of the program."""
    unpacked, code = scratch / "upload", scratch / "code"
    for folder in (unpacked, code):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    try:
        unpack(upload, unpacked)
        for name, path in list_code(unpacked, job.environment).items():
            (code / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, code / name)
            (code / name).chmod(0o644)
    except SubmissionError as refusal:
        return StageEnd(REFUSED, log=str(refusal))
    return StageEnd(OK)


def _run(
    job: Job, stage: str, part: SoundSet, *, code: Path, mounts: Mapping[str, Path], kept: Path | None = None
) -> StageEnd:
    """Run a program on a set, and keep a zip of its canonical answers if a file is given; return how it ended."""
    if kept:
        kept.unlink(missing_ok=True)
    with temporary_folder("run") as scratch:
        items = write_tree(scratch / "input", part.items)
        (items / Path(_SOUND).name).mkdir(parents=True)
        written = scratch / Path(_WRITTEN).name
        fixed = {_LANDLOCK: Path(landlock.__file__), _CODE: code, _INPUT: items, _SOUND: part.sound, **mounts}
        memory = {"/tmp": job.limits.output_bytes, "/root": 1 << 20}
        program = Program(stage, ["/bin/sh", "-c", _SCRIPT], _CODE, {_WRITTEN: written}, fixed, memory)
        with WrittenArchive(written, "w+") as archive:
            outcome = engine_of(job).run(program, scratch, job.limits)
            step = StageEnd(_code(stage, outcome), outcome.seconds, outcome.peak_bytes, _log(outcome))
            if step.code != OK:
                return step
            try:
                answers = _canonical_zip(job, read_written(archive, scratch / "answers"), part)
            except SubmissionError as refusal:
                shown = f"first problem of the answers: {refusal.problems[0].code}" if stage == SMOKE else ""
                log = f"{step.log}\n{refusal}\n"
                return replace(step, code=f"{stage}_{ANSWERS}", log=log, shown=shown)
    if kept:
        write_whole(kept, answers)
    shown = _compared(job, code, part, answers) if stage == SMOKE else ""
    return replace(step, digest=digest_of(answers), shown=shown)


def _canonical_zip(job: Job, files: Files, part: SoundSet) -> bytes:
    return make_zip(canonical(job.definition, files, job.definition.format.read_items(part.items)))


def _compared(job: Job, code: Path, part: SoundSet, answers: bytes) -> str:
    """Return whether answers are those that the program declares for public items; empty without a declaration."""
    declared, found = {path.name: path for path in (code / EXPECTED).glob("*")}, "other than"
    with suppress(SubmissionError):
        if _canonical_zip(job, declared, part) == answers:
            found = "the same as"
    return f"answers to the public recordings: {found} those in {EXPECTED}/" if declared else ""


def _code(stage: str, outcome: Outcome) -> str:
    if outcome.why_stopped:
        return f"{stage}_{TIME if outcome.why_stopped.startswith('time') else LIMIT}"
    return f"{stage}_{FAILED}" if outcome.exit_code else OK


def _log(outcome: Outcome) -> str:
    parts = (outcome.stdout, outcome.stderr, outcome.why_stopped or "", f"exit status {outcome.exit_code}")
    return "\n".join(part.rstrip("\n") for part in parts if part)
