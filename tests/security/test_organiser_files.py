"""The organiser's commands on hostile files: one line that names the file, no traceback, no terminal escapes."""

from __future__ import annotations

import ast
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import build_bundle
from speechbundles.competition.references import load_reference
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model import archive
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.new.challenge import write_challenge
from spokeneval.challenges import find_task
from tests.samples.programs import ROOT, packed, unzipped, write_files
from tests.samples.small_bundles import codabench_bundle, submission_zip, zipped

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 5)
)
"""A hundred thousand values in five lines."""
MERGES = "m0: &m0 {x: 1}\n" + "".join(
    f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}\n" for n in range(1, 6)
)
DEEP = "[" * 100_000 + "]" * 100_000
ESCAPES = "\x1b]0;owned\x07\x1b[31mred\x9b2J"
PHASE = {"index": 0, "name": "Only", "start": "2027-01-11 00:00:00", "tasks": [1]}
SCORES, SIGNATURE = {"d": 1.5}, "some_task|version:1"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def patched(data: bytes, offset: int, value: bytes) -> bytes:
    """Return a zip with a changed field in each entry: at an offset in the local header, plus two in the directory."""
    changed = bytearray(data)
    for mark, place in ((b"PK\3\4", offset), (b"PK\1\2", offset + 2)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + place : at + place + len(value)] = value
            at = changed.find(mark, at + 4)
    return bytes(changed)


DAMAGES = {
    "encrypted": (6, b"\1\0"),
    "compressed with an uncommon method": (8, b"\x63\0"),
    "cannot be read": (22, struct.pack("<I", 10)),  # each entry unpacks to ten bytes, it says
}


def program(**files: str) -> dict[str, bytes]:
    """Return the inner zip of a scoring program with some files changed (`score__py` is `score.py`)."""
    known = {"metadata.yaml": "command: python3 /app/program/score.py\n", "score.py": "x = 1\n"}
    changed = {name.replace("__", "."): content for name, content in files.items()}
    return {"scoring_program.zip": zipped({**known, **changed})}


def run(capsys, *arguments: object) -> tuple[int, str]:
    """Return a command's exit status and output; the output must contain no control characters."""
    status = build_bundle.main([str(argument) for argument in arguments])
    done = capsys.readouterr()
    said = done.out + done.err
    assert not CONTROL.search(said), said
    assert "Traceback" not in said
    return status, said


def commands(tmp_path: Path, bundle: Path) -> list[tuple[object, ...]]:
    submission = submission_zip(tmp_path)
    season = write_files(tmp_path / "season", {"team/2027-03-01T0915_a.zip": submission.read_bytes()})
    return [("check", bundle), ("rehearse", bundle, submission), ("season", bundle, season)]


def refused_by_all(capsys, tmp_path: Path, bundle: Path, said: str) -> None:
    for command in commands(tmp_path, bundle):
        status, words = run(capsys, *command)
        assert status in (1, 2), command
        assert said in words, command


# competition.yaml


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ALIASES, "more than 20000 values, counting each repeat of an alias"),
        (f"a: {DEEP[:200]}{DEEP[-200:]}\n", "nested too deeply, or contains itself"),
        ("a: caf\udce9\n", "is not UTF-8"),
    ],
)
def test_a_competition_yaml_that_is_no_competition(capsys, tmp_path, text, said):
    bundle = codabench_bundle(tmp_path)
    files = unzipped(bundle.read_bytes())
    files["competition.yaml"] = text.encode("utf-8", "surrogateescape") + files["competition.yaml"]
    bundle.write_bytes(zipped(files))
    refused_by_all(capsys, tmp_path, bundle, said)


# Zips


@pytest.mark.parametrize(("said", "damage"), DAMAGES.items())
def test_zips_that_cannot_be_read(capsys, tmp_path, said, damage):
    """A declared size that is too small fails the checksum; no bytes beyond it are unpacked."""
    score = zipped({"score.py": "x = 1\n" * 9, "metadata.yaml": "command: x\n" * 9})
    inner = {"scoring_program.zip": patched(score, *damage)}
    refused_by_all(capsys, tmp_path, codabench_bundle(tmp_path, inner=inner), "scoring_program.zip")
    whole = tmp_path / "whole.zip"
    whole.write_bytes(patched(zipped({"competition.yaml": "version: 2\n" * 9}), *damage))
    refused_by_all(capsys, tmp_path, whole, "competition.yaml")
    data = zipped({"scores.json": json.dumps(SCORES) + " " * 20, "signature.txt": SIGNATURE})
    (tmp_path / "run.zip").write_bytes(patched(data, *damage))
    with pytest.raises(OrganiserError, match=rf"run: \w+\.\w+: {said}"):
        read_outputs([tmp_path / "run.zip"])


def test_what_the_zips_of_a_bundle_unpack_to_is_counted_together(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_BUNDLE", 1_000_000)
    inner = {name: zipped({"zeros.txt": bytes(250_000)}) for name in ("input_data.zip", "reference_data.zip")}
    assert "archive-oversized" not in run(capsys, "check", codabench_bundle(tmp_path))[1]
    _, words = run(capsys, "check", codabench_bundle(tmp_path, inner=inner))
    assert words.count("archive-oversized") == 1
    assert "unpacks to 250 kB; at most 1 MB of a bundle are read" in words


def test_a_zip_of_very_many_entries(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_ENTRIES", 5)
    refused_by_all(capsys, tmp_path, codabench_bundle(tmp_path), "6 entries; at most 5 are read")


def test_what_is_no_ordinary_file(capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "folder.zip").mkdir()
    (tmp_path / "loop.zip").symlink_to("loop.zip")
    (tmp_path / "zero.zip").symlink_to("/dev/zero")
    with (tmp_path / "sparse.zip").open("wb") as stream:
        stream.truncate(1 << 40)
    for name in ("pipe", "folder", "loop", "zero", "sparse"):
        for command in commands(tmp_path, tmp_path / f"{name}.zip"):
            status, words = run(capsys, *command)
            an_empty_bundle = name == "folder" and command[0] == "check"  # a bundle's folder, with findings
            assert (status, f"{name}.zip: " in words) == (1 if an_empty_bundle else 2, True), command
        with pytest.raises(OrganiserError, match=f"{name}: "):
            read_outputs([tmp_path / f"{name}.zip"])


def test_an_upload_of_a_season_that_is_no_file_is_refused(capsys, tmp_path):
    team = tmp_path / "season" / "team"
    team.mkdir(parents=True)
    os.mkfifo(team / "2027-03-01T0915_pipe.zip")
    status, words = run(capsys, "season", codabench_bundle(tmp_path), tmp_path / "season")
    assert (status, "2027-03-01T0915_pipe.zip: is not a regular file" in words) == (2, True)


# Contents of the zips


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"metadata__yaml": f"{ALIASES}command: *a4\n"}, "program-metadata-invalid"),
        ({"metadata__yaml": f"{MERGES}command: *m5\n"}, "program-metadata-invalid"),
        ({"metadata__yaml": f"command: x\n# {'x' * (1 << 18)}\n"}, "larger than 256 kB"),
        ({"options__json": DEEP}, "nested too deeply"),
        ({"options__json": '{"options": ' + "9" * 5000 + "}"}, "options-invalid"),
        ({"options__json": '{"feedback": "exact", "feedback": "coarse"}'}, "'feedback' appears twice"),
        ({"task__json": DEEP}, "scores-undeclared"),
        ({"score__py": f"x = {DEEP}"}, "program-syntax"),
        ({"score__py": "x = 1\n" * 200_000}, "larger than 1024 kB"),
    ],
)
def test_what_a_program_says_of_itself(capsys, tmp_path, files, said):
    bundle = codabench_bundle(tmp_path, inner=program(**files))
    assert said in run(capsys, "check", bundle)[1]
    if "metadata__yaml" in files:
        assert "no command in its metadata" in run(capsys, "rehearse", bundle, submission_zip(tmp_path))[1]


@pytest.mark.default_cases("60000")
@pytest.mark.parametrize(("scores", "columns"), [(5_000, 2_500), (60_000, 60)])
def test_a_bundle_of_very_many_near_misses_is_checked_in_seconds(tmp_path, scores, columns):
    """Every column is similar to every declared score."""
    task = {"scores": [{"key": f"bacdefghijklmnopqrst{n}"} for n in range(scores)], "options": {}}
    keys = [{"key": f"abcdefghijklmnopqrs{n}", "title": "T", "index": n} for n in range(columns)]
    bundle = codabench_bundle(tmp_path, columns=keys, inner=program(task__json=json.dumps(task)))
    command = [sys.executable, "build_bundle.py", "check", str(bundle)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert len(done.stdout + done.stderr) < 50_000
    assert "Traceback" not in done.stderr
    if scores < 10_000:
        said = " ".join(done.stdout.split())
        assert "writes no 'abcdefghijklmnopqrs0'; did you mean 'bacdefghijklmnopqrst" in said
        assert "and 980 or more" in said


def test_terminal_escapes_are_shown_and_not_obeyed(capsys, tmp_path, programs_of_tests):
    inner = {f"{ESCAPES}.txt": b"x", "__MACOSX/\x9b": b"x"}
    for command in (f"python3 {ESCAPES} 'unclosed", f"python3 /app/program/{ESCAPES}.py"):
        for arguments in commands(tmp_path, codabench_bundle(tmp_path, command=command, inner=inner))[:2]:
            run(capsys, *arguments)
    changes = {"title": ESCAPES, "phases": [{**PHASE, "name": ESCAPES}], ESCAPES: ESCAPES}
    for arguments in commands(tmp_path, codabench_bundle(tmp_path, changes=changes))[::2]:
        assert r"\x1b" in run(capsys, *arguments)[1]
    assert r"\u001b" in run(capsys, *arguments, "--json")[1]


def functions_called(path):
    calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
    return {ast.unparse(call.func) for call in calls}


def test_nothing_is_printed_but_through_say():
    sources = (ROOT / "build_bundle.py", *(ROOT / "speechbundles").rglob("*.py"))
    ways = {"print", "sys.stdout.write", "sys.stderr.write"}
    unescaped = re.compile(
        r"scoring\.output import .*\bsay\b|scoring import output"
    )  # prints texts as they are
    printing = [
        path
        for path in sources
        if ways & functions_called(path) or unescaped.search(path.read_text(encoding="utf-8"))
    ]
    own = ROOT / "speechbundles"
    travels = own / "platforms" / "evalai" / "evaluation.py"  # repeats there what the programs print
    assert sorted(printing) == [own / "model" / "text.py", travels]


# Outputs


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"scores.json": DEEP}, "scores.json is nested too deeply"),
        ({"scores.json": '{"d": ' + "9" * 400 + "}"}, "expected a finite number below 1e10"),
        ({"scores.json": '{"d": NaN}'}, "d is nan; expected a finite number"),
        ({"scores.json": json.dumps({str(n): 1 for n in range(1001)})}, "more than 1000 scores"),
        ({"scores.json": " " * 20_000_001}, "scores.json is larger than 20 MB"),
        ({"scores.json": json.dumps({"\x1b[31md\ne": 1})}, r"scores.json: '\x1b[31md\ne' has more than 200"),
        ({"scores.json": json.dumps({"d" * 201: 1})}, "expected the name of a score"),
        ({"statistics.json": f"[{'{},' * 10_001}0]"}, "statistics.json has more than 10000 objects"),
        ({"statistics.json": f"[{'[],' * 1_000_000}0]"}, "or 1000000 lists and texts"),
        ({"statistics.json": '[""' + ',""' * 1_000_000 + "]"}, "or 1000000 lists and texts"),
        ({"signature.txt": b"\xe9"}, "signature.txt is not UTF-8"),
        ({"signature.txt": "x" * 2001}, "signature.txt has more than 2000 characters"),
    ],
)
def test_outputs_that_no_program_wrote(tmp_path, files, said):
    """Each output is read as a folder and as a zip."""
    content = {"scores.json": json.dumps(SCORES), "signature.txt": SIGNATURE, **files}
    write_files(tmp_path / "folder", content)
    (tmp_path / "zip.zip").write_bytes(packed(content.items()))
    for path in (tmp_path / "folder", tmp_path / "zip.zip"):
        with pytest.raises(OrganiserError) as refusal:
            read_outputs([path])
        assert said in str(refusal.value)
        assert str(refusal.value).startswith("No leaderboard: 1 problem\n")


def test_an_output_of_empty_objects_takes_little_memory(tmp_path):
    content = {"scores.json": json.dumps(SCORES), "signature.txt": SIGNATURE}
    write_files(tmp_path / "run", {**content, "statistics.json": f"[{'{},' * 6_500_000}0]"})
    code = (
        "import sys, build_bundle; build_bundle.main(sys.argv[1:]); print(open('/proc/self/status').read())"
    )
    command = [sys.executable, "-c", code, "rank", str(tmp_path / "run")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "statistics.json has more than 10000 objects" in done.stderr
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    assert peak is not None
    assert int(peak[1]) < 250_000


@pytest.mark.parametrize(
    ("place", "target"),
    [
        *(("run/scores.json", "../private/scores.json"), ("run/signature.txt", "/dev/zero")),
        *(("run/statistics.json", "nowhere"), ("run/inner", "../private"), ("run/scoring", "../private")),
        *(("run/inner/scoring", "../../private"), ("run/scores.json", "run"), ("run/statistics.json", None)),
    ],
)
def test_links_and_pipes_in_an_output_are_named_and_not_read(tmp_path, place, target):
    output = {"scores.json": json.dumps(SCORES), "signature.txt": SIGNATURE}
    write_files(tmp_path / "private", {**output, "output/scores.json": json.dumps(SCORES)})
    nested = place.count("/") > 1 or "." not in place
    (tmp_path / place).parent.mkdir(parents=True)
    if not nested:
        write_files(tmp_path / "run", output)
        (tmp_path / place).unlink(missing_ok=True)
    if target is None:
        os.mkfifo(tmp_path / place)
    else:
        (tmp_path / place).symlink_to(target)
    said = "a link; links are not followed" if target else "not a regular file"
    with pytest.raises(OrganiserError) as refusal:
        read_outputs([tmp_path / "run"])
    assert str(refusal.value).endswith(f"1 problem\n\n  {place.replace('/', ': ', 1)} is {said}")


def test_an_output_with_two_files_of_one_name(tmp_path):
    twice = packed([("scores.json", "{}"), ("scores.json", json.dumps(SCORES))])
    (tmp_path / "run.zip").write_bytes(twice)
    with pytest.raises(OrganiserError, match=r"scores\.json appears twice in the zip"):
        read_outputs([tmp_path / "run.zip"])


# References, and the file to which a new challenge is added


def test_references_that_are_no_tables(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.csv")
    with (tmp_path / "sparse.csv").open("wb") as stream:
        stream.truncate(1 << 40)
    workbook = zipped({"[Content_Types].xml": "<Types"})
    for name, data in {
        "cut": b"PK",
        "xml": workbook,
        "locked": patched(workbook, *DAMAGES["encrypted"]),
    }.items():
        write_files(tmp_path / name, {"reference.xlsx": data})
    for name in ("pipe.csv", "sparse.csv", "cut", "xml", "locked"):
        with pytest.raises(BadReference, match=rf"{name}\S*: \w+"):
            load_reference(find_task("spoken_call"), "evaluation", tmp_path / name, {})


def test_a_workbook_of_empty_cells_is_not_read_to_its_end(tmp_path, monkeypatch):
    from openpyxl import Workbook

    monkeypatch.setattr("speechbundles.model.tabular.MOST_CELLS", 1000)
    workbook = Workbook()
    workbook.active["A1"], workbook.active["Z40"] = 1, 1
    (tmp_path / "set").mkdir()
    workbook.save(tmp_path / "set" / "reference.xlsx")
    with pytest.raises(BadReference, match="more than 1000 cells, including empty cells"):
        load_reference(find_task("spoken_call"), "evaluation", tmp_path / "set", {})


def test_a_series_that_is_not_utf8_gets_no_new_challenge(tmp_path):
    (tmp_path / "competition.yaml").write_bytes(b"challenges:\n  caf\xe9: 1\nbundles:\n")
    with pytest.raises(OrganiserError, match=r"competition\.yaml: byte 17 is not UTF-8"):
        write_challenge(tmp_path, "speech_rate")
    assert [path.name for path in tmp_path.iterdir()] == ["competition.yaml"]


# The readers
