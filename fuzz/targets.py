"""What is fuzzed: every reader of a stranger's file, on samples of a few items.

A target takes bytes and returns a word for what became of them: `scored`, `accepted`, `refused`. Anything else is a
finding: an exception that is no typed refusal, a program that says that it failed, a score that is not finite.
"""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType

from bundling.archive import make_zip
from bundling.manifest import ManifestError, read_manifest
from spokeneval.submissions.archive import unpack
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import FileProblems, ReferenceFileError, SubmissionError

ROOT = Path(__file__).resolve().parent.parent
MEMORY = Path("/dev/shm")
"""Where files cost nothing to write, if there is such a place."""


class Finding(AssertionError):
    """A program that neither scored nor refused."""


@dataclass(frozen=True)
class Sample:
    """A task's smallest good files: the reference's, and a submission's; the first of each is the one fuzzed."""

    reference: Mapping[str, bytes]
    submission: Mapping[str, bytes]


_LABELS = (
    b"audio_name,utt_id,start,end,length,language_tag,overlap_diff_lang,dev_eval_status\n"
    b"r_1.wav,a1,100,900,800,English,False,dev\n"
    b"r_1.wav,a2,1000,2500,1500,Mandarin,False,dev\n"
    b"r_2.wav,a1,0,700.5,700.5,English,False,dev\n"
    b"r_2.wav,a2,800,900,100,NON_SPEECH,,dev\n"
    b"r_2.wav,a3,900,1500,600,Mandarin,True,dev\n"
)
_UTTERANCES = (
    b"utterance_id\tsession\ttest\tprompt\ttranscript\tcorrectness\taq_index\tduration_frames\tfilename\n"
    b"u1\ts1\tBNT\tvan\tV AE N\tTRUE\t70.1\t100\tu1.wav\n"
    b"u2\ts1\tVNT\tcat\tK AE <sil> T\tFALSE\t70.1\t120\tu2.wav\n"
    b"u3\ts2\tBNT\thouse\tHH AW S\tTRUE\t88\t90\tu3.wav\n"
)

SAMPLES = {
    "spoken_call": Sample(
        {
            "reference.csv": b"Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"
            b"1\tFrag: Zimmer\t1.wav\ti want a room\ti want a room\tcorrect\tcorrect\n"
            b"2\tFrag: Zimmer\t2.wav\ti wants room\ti wants room\tincorrect\tcorrect\n"
            b"3\tSag: Hallo\t3.wav\tnothing\tnothing\tincorrect\tincorrect\n"
            b"4\tSag: Hallo\t4.wav\thello\thello\tcorrect\tcorrect\n"
        },
        {"results.csv": b"Id\tAccept\n1\taccept\n2\treject\n3\treject\n4\taccept\n"},
    ),
    "caller_experience": Sample(
        {"reference.csv": b"call_id,human1,human2,human3\nc1,1,2,1\nc2,5,4,5\nc3,3,3,3\n"},
        {"ratings.csv": b"call_id,rating\nc1,1\nc2,5\nc3,3\n"},
    ),
    "psst_recognition": Sample(
        {"utterances.tsv": _UTTERANCES},
        {"transcripts.tsv": b"utterance_id\tasr_transcript\nu1\tF AE N\nu2\tK AE T S\nu3\t\n"},
    ),
    "psst_correctness": Sample(
        {"utterances.tsv": _UTTERANCES},
        {"correctness.tsv": b"utterance_id\tprediction\nu1\ttrue\nu2\tFALSE\nu3\tTrue\n"},
    ),
    "merlion_identification": Sample(
        {"labels.csv": _LABELS},
        {
            "prediction.txt": b"r_1_a1_100_900 0 1.5\nr_1_a1_100_900 1 -0.5\nr_1_a2_1000_2500 0 -2\n"
            b"r_1_a2_1000_2500 1 3e-1\nr_2_a1_0_700.5 0 .5\nr_2_a1_0_700.5 1 0\n"
        },
    ),
    "merlion_diarization": Sample(
        {"labels.csv": _LABELS, "regions.csv": b"audio_name,start,end\nr_1.wav,0,2000\nr_2.wav,0,1800\n"},
        {"r_1.txt": b"100 800 English\n900 2000.5 Mandarin\n", "r_2.txt": b"0 700 English\n"},
    ),
    "content_accuracy": Sample(
        {
            "reference.csv": b"response_id,prompt_id,speaker_id,human_score,words\n"
            b"r1,p1,s1,1,30\nr2,p1,s2,4,90\nr3,p2,s3,3,71\nr4,p2,s4,2,50\n"
        },
        {"predictions.csv": b"response_id,score\nr1,1.5\nr2,3.9\nr3,2.5\nr4,-1e-3\n"},
    ),
}

MANIFEST = (ROOT / "fuzz" / "competition.yaml").read_bytes()


def _write(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


class Workplace:
    """A folder for one target's files, made once and used for every input."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="fuzz-", dir=str(MEMORY) if MEMORY.is_dir() else None
        )
        self.path = Path(self._folder.name)

    def empty(self, name: str) -> Path:
        folder = self.path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def close(self) -> None:
        self._folder.cleanup()


Target = Callable[[bytes], str]


def scoring(task: str, place: Workplace) -> Target:
    """The fuzzed file is a submission's first; the whole scoring program runs on it."""
    sample = SAMPLES[task]
    inputs = place.path / task
    _write(inputs / "ref", sample.reference)
    _write(inputs / "res", sample.submission)
    fuzzed = inputs / "res" / next(iter(sample.submission))
    output = place.path / f"{task}-output"
    code, path = _program("scoring_program", task, "score.py")

    def target(data: bytes) -> str:
        fuzzed.write_bytes(data)
        status, said = _run(code, path, inputs, output)
        scores = output / "scores.json"
        if status == 0:
            found = json.loads(scores.read_text())
            if not all(type(score) in (int, float) and math.isfinite(score) for score in found.values()):
                raise Finding(f"scores {found}")
            return "scored"
        if scores.exists() or (output / "scores.txt").exists():
            raise Finding("refused, but scores were written")
        if status != 1 or not said.startswith(("submission: ", fuzzed.name, "2 problems", "3 problems")):
            raise Finding(f"exit status {status}: {said}")
        return "refused"

    return target


def _program(kind: str, task: str, file: str) -> tuple[CodeType, Path]:
    path = ROOT / kind / task / file
    return compile(path.read_text(encoding="utf-8"), str(path), "exec"), path


def _run(code: CodeType, path: Path, *arguments: Path) -> tuple[int, str]:
    """A program run in this process; its exit status and what it said on standard error."""
    before, sys.argv = sys.argv, [str(path), *map(str, arguments)]
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")), redirect_stderr(said):
            exec(code, {"__name__": "__main__", "__file__": str(path)})
    except SystemExit as end:
        said.seek(0)
        return int(end.code or 0), said.read()
    finally:
        sys.argv = before
    raise Finding("the program did not end with an exit status")


def reference(task: str, place: Workplace) -> Target:
    """The fuzzed file is a reference's first, or its second after a zero byte; what it publishes is read again."""
    module = import_module(f"spokeneval.submissions.{task}")
    sample = SAMPLES[task]
    folder = _write(place.path / f"{task}-reference", sample.reference)
    public = place.path / f"{task}-public"

    def target(data: bytes) -> str:
        _write(folder, sample.reference)
        files = list(sample.reference)
        if len(files) > 1 and data[:1] == b"\0":
            (folder / files[1]).write_bytes(data[1:])
        else:
            (folder / files[0]).write_bytes(data)
        try:
            found = module.read_reference(folder)
        except ReferenceFileError as refusal:
            str(refusal)
            return "refused"
        place.empty(public.name)
        _write(public, module.public_items(found, {"class_sizes": "public"}))
        items = module.read_items(public)
        if sorted(items.ids) != sorted(found.items.ids):
            raise Finding("the public items are not the reference's")
        return "accepted"

    return target


def items(task: str, place: Workplace) -> Target:
    """The fuzzed file is one of the public item list's files, as the first byte says."""
    module = import_module(f"spokeneval.submissions.{task}")
    source = _write(place.path / f"{task}-whole", SAMPLES[task].reference)
    files = dict(module.public_items(module.read_reference(source), {"class_sizes": "public"}))
    folder = place.path / f"{task}-items"

    def target(data: bytes) -> str:
        _write(folder, files)
        names = list(files)
        if len(names) > 1 and data[:1] == b"\0":
            (folder / names[1]).write_bytes(data[1:])
        else:
            (folder / names[0]).write_bytes(data)
        try:
            module.read_items(folder)
        except FileProblems as refusal:
            str(refusal)
            return "refused"
        return "accepted"

    return target


def zipped(place: Workplace) -> Target:
    """The fuzzed file is a submission's zip; what is unpacked stays in its folder and is looked through."""
    path = place.path / "submission.zip"

    def target(data: bytes) -> str:
        path.write_bytes(data)
        folder = place.empty("unpacked")
        before = sorted(entry.name for entry in place.path.iterdir())
        try:
            unpack(path, folder)
            list_files(folder)
            word = "accepted"
        except SubmissionError as refusal:
            str(refusal)
            word = "refused"
        if sorted(entry.name for entry in place.path.iterdir()) != before:
            raise Finding("something was unpacked outside")
        if any(entry.is_symlink() for entry in folder.rglob("*")):
            raise Finding("a link was unpacked")
        return word

    return target


def manifest(place: Workplace) -> Target:
    """The fuzzed file is a `competition.yaml`, beside the series' own schema, programs and pages."""
    root = place.path / "series"
    root.mkdir(exist_ok=True)
    for name in ("competition.schema.json", "pages", "scoring_program"):
        if not (root / name).exists():
            (root / name).symlink_to(ROOT / name)
    path = root / "competition.yaml"

    def target(data: bytes) -> str:
        path.write_bytes(data)
        try:
            read_manifest(path)
        except ManifestError as refusal:
            str(refusal)
            return "refused"
        return "accepted"

    return target


def targets(place: Workplace) -> dict[str, Target]:
    """Every target by its name: `score-spoken_call`, `zip`, `manifest`."""
    made: dict[str, Target] = {"zip": zipped(place), "manifest": manifest(place)}
    for task in SAMPLES:
        made[f"score-{task}"] = scoring(task, place)
        made[f"reference-{task}"] = reference(task, place)
        made[f"items-{task}"] = items(task, place)
    return made


def seeds(target: str) -> list[bytes]:
    """Good inputs to start from."""
    kind, _, task = target.partition("-")
    if kind == "manifest":
        return [MANIFEST]
    if kind == "zip":
        return [
            make_zip({"results.csv": b"Id\tAccept\n"}),
            make_zip({"inner/a.txt": b"a", "__MACOSX/._a": b"b"}),
        ]
    if kind == "score":
        return [next(iter(SAMPLES[task].submission.values()))]
    if kind == "reference":
        first, *rest = SAMPLES[task].reference.values()
        return [first, *(b"\0" + content for content in rest)]
    with tempfile.TemporaryDirectory() as folder:
        module = import_module(f"spokeneval.submissions.{task}")
        found = module.read_reference(_write(Path(folder), SAMPLES[task].reference))
        first, *rest = module.public_items(found, {"class_sizes": "public"}).values()
    return [first, *(b"\0" + content for content in rest)]
