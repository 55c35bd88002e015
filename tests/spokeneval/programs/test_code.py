"""The static check of programs, and the programs of a platform that accept them."""

import json
import os

import pytest

from spokeneval.formats.problems import Problems, SubmissionError
from spokeneval.formats.submission_folder import REPORT_FILE
from spokeneval.programs.code import code_accepted, list_code, read_requirements
from tests.samples.programs import ROOT, run_program, write_files

MAIN = {"main.py": "print(1)\n"}
HASH = "--hash=sha256:" + "0" * 64


@pytest.mark.parametrize(
    "files",
    [
        {**MAIN, "weights/a.bin": b"\0" * 9},
        {f"one/{name}": content for name, content in {**MAIN, "a/b.py": ""}.items()},
        {**MAIN, "__MACOSX/x": "", ".DS_Store": "", "a/._b": "", "__pycache__/main.pyc": ""},
    ],
)
def test_a_program_is_its_files_without_a_folder_around_them(tmp_path, files):
    found = list_code(write_files(tmp_path, files), "image")
    assert "main.py" in found
    assert not [name for name in found if name.startswith(("one/", "__", ".", "a/._"))]


def linked(folder):
    (folder / "weights").symlink_to("/etc/passwd")


def folder_linked(folder):
    (folder / "more").symlink_to("/etc", target_is_directory=True)


def nested(folder):
    (folder / "/".join("d" * 12)).mkdir(parents=True)


REFUSED = {
    "no main.py": ({"run.py": ""}, None, "is missing; the program starts there$"),
    "another layout": ({"model.py": "", "setup.sh": ""}, None, "for the layout of SAPC2, add the kit's adapter"),
    "a command for the platform": ({**MAIN, "metadata": "command: sh\n"}, None, "make the platform run a command"),
    "the same in YAML": ({**MAIN, "metadata.yaml": ""}, None, "make the platform run a command"),
    "a link": (MAIN, linked, "is a link; expected an ordinary file"),
    "a link to a folder": (MAIN, folder_linked, "is a link; expected an ordinary file"),
    "a pipe": (MAIN, lambda folder: os.mkfifo(folder / "pipe"), "is a pipe, a device or a socket"),
    "a backslash": ({**MAIN, "a\\b": ""}, None, "this name is not valid on every system"),
    "a control character": ({**MAIN, "a\x1b[31m": ""}, None, "this name is not valid on every system"),
    "deep folders": (MAIN, nested, "nested in more than 10 folders"),
    "requirements without permission": ({**MAIN, "requirements.txt": ""}, None, "is not used: programs run in"),
}  # fmt: skip


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_no_program_is_refused(tmp_path, reason):
    files, change, said = REFUSED[reason]
    write_files(tmp_path, files)
    if change:
        change(tmp_path)
    with pytest.raises(SubmissionError, match=said):
        list_code(tmp_path, "image")


PIN = f"a.pt sha256:{'0' * 64} 7 https://host.example/a.pt"


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("a.pt https://host.example/a.pt", {}, "expected NAME sha256:DIGEST BYTES https://ADDRESS"),
        (PIN.replace("https", "http"), {}, "line 1 .*expected NAME sha256"),
        (PIN.replace("https", "file"), {}, "expected NAME sha256"),
        (f"../{PIN}", {}, "expected NAME sha256"),
        (PIN.replace(" 7 ", " 0 "), {}, "expected NAME sha256"),
        (f"{PIN}\nA{PIN[1:]}", {}, "a name appears twice"),
        (PIN, {"weights/a.pt": ""}, "weights/a.pt is in the zip, too"),
        (PIN, {"weights": ""}, "weights/a.pt is in the zip, too"),
    ],
)
def test_weights_that_are_not_pinned_are_refused(tmp_path, text, more, said):
    write_files(tmp_path, {**MAIN, "weights.txt": text, **more})
    with pytest.raises(SubmissionError, match=said):
        list_code(tmp_path, "own")


def test_all_problems_are_listed_together(tmp_path):
    write_files(tmp_path, {"metadata": "command: sh", "requirements.txt": "numpy"})
    linked(tmp_path)
    with pytest.raises(SubmissionError) as refusal:
        list_code(tmp_path, "own")
    assert [problem.code for problem in refusal.value.problems] == [
        *("link", "metadata_file", "missing_file", "requirements")
    ]


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("spokeneval.programs.code.MAX_FILES", 3)
    with pytest.raises(SubmissionError, match="more than 3 files"):
        list_code(write_files(tmp_path, {**MAIN, **{f"{n}": "" for n in range(4)}}), "image")


LINES = {
    f"numpy==2.0.1 {HASH}": True,
    f"numpy==2.0.1 \\\n    {HASH} \\\n    {HASH}  # via me": True,
    "numpy==2.0.1": False,
    f"numpy>=2 {HASH}": False,
    "--index-url https://example.org": False,
    "-r other.txt": False,
    f"./wheel.whl {HASH}": False,
    f"numpy @ https://example.org/x.whl {HASH}": False,
    f"-e . {HASH}": False,
    f"numpy==2.0.1 {HASH} --global-option=x": False,
    f"numpy==2.0.1; python_version<'4' {HASH}": False,
    "numpy==2.0.1 --hash=md5:00": False,
}


@pytest.mark.parametrize("line", LINES)
def test_requirements_are_pinned_by_version_and_hash(tmp_path, line):
    problems = Problems()
    path = write_files(tmp_path, {"requirements.txt": f"# mine\n\n{line}\n"}) / "requirements.txt"
    found = read_requirements(path, "own", problems)
    assert bool(problems) != LINES[line]
    if LINES[line]:
        assert [each.split()[0] for each in found] == ["numpy==2.0.1"]


@pytest.mark.parametrize(
    ("files", "report", "status"),
    [
        (MAIN, True, 0),
        ({}, True, 1),
        ({**MAIN, "metadata": "exitCode: 0\nelapsedTime: 1.5\n"}, True, 0),
        ({**MAIN, "metadata": "command: sh\n"}, True, 1),
        (MAIN, False, 1),
    ],
)
def test_the_platforms_programs_check_a_program_and_run_nothing(tmp_path, files, report, status):
    """`metadata` with times is the worker's own, written between ingestion and scoring."""
    options = {"ingest/options.json": '{"code": "image"}', "score/options.json": '{"code": "image"}'}
    write_files(tmp_path, options)
    for name, folder in (("ingest.py", "ingestion_program"), ("score.py", "scoring_program")):
        content = (ROOT / folder / "psst_recognition" / name).read_text("utf-8")
        write_files(
            tmp_path / name.split(".")[0], {name: f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{content}"}
        )
    before = {name: content for name, content in files.items() if name != "metadata" or "command" in content}
    upload, output = write_files(tmp_path / "upload", before), tmp_path / "ingested"
    (tmp_path / "items").mkdir()
    told = run_program(
        "ingest.py", str(tmp_path / "items"), str(upload), str(output), cwd=tmp_path / "ingest"
    )
    text = (output / REPORT_FILE).read_text("utf-8")
    assert (
        (told.returncode == 0) == (text == code_accepted("psst_recognition")) == (status == 0 or not report)
    )
    given = {**files, REPORT_FILE: text if report else "psst_recognition: accepted by itself.\n"}
    write_files(tmp_path / "input/res", given)
    (tmp_path / "input/ref").mkdir()
    told = run_program("score.py", str(tmp_path / "input"), str(tmp_path / "output"), cwd=tmp_path / "score")
    assert told.returncode == status, told.stderr
    scores = tmp_path / "output/scores.json"
    assert (json.loads(scores.read_text()) if scores.exists() else None) == (
        None if status else {"received": 1}
    )
