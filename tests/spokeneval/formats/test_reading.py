"""Tests that results and messages do not depend on the blocks in which files are read."""

import io
import random

import pytest

from spokeneval.challenges import find_task
from spokeneval.formats import text as text_files
from spokeneval.formats.files import Files
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.text import read_blocks
from tests.samples.cases import CASES
from tests.samples.programs import encoded

PIECES = [
    *(b"a", b"b,", b"\t", b" ", b"\n", b"\n", b"\n\n", b"\r\n", b"\xc3\xa9", b"\xef\xbb\xbf", b'"', b"0.5")
]
FAULTS = [b"\r", b"\x00", b"\xff", b"\xff\xfe", b"\xc3", b"x" * 70_000]
LIMIT = 1 << 20


def faults(content):
    """The expected `(code, line)` of every problem in a content, found byte by byte."""
    found = set()
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        found.add(("not_utf8", None))
    for number, line in enumerate(content.split(b"\n"), 1):
        line = line[:-1] if line.endswith(b"\r") and number <= content.count(b"\n") else line
        text = line.decode("utf-8", errors="replace")
        found |= {("nul_byte", number)} if b"\0" in line else set()
        found |= {("carriage_return", number)} if b"\r" in line else set()
        found |= {("not_utf8", number)} if "\ufffd" in text else set()
        found |= {("file_too_large", number)} if len(text) > 65536 else set()
    text = content.decode("utf-8", errors="replace")
    if not text.removeprefix("\ufeff").strip("\r\n"):
        found.add(("empty_file", None))
    return found


def read(content):
    return list(read_blocks(io.BytesIO(content), "file", Problems(), LIMIT))


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 15])
def test_blocks_joined_are_the_text_and_every_fault_is_found_in_its_line(monkeypatch, block):
    monkeypatch.setattr(text_files, "_BLOCK", block)
    rng = random.Random(block)
    accepted = 0
    for _ in range(800):
        pieces = rng.choices(PIECES, k=rng.randint(0, 40))
        if rng.random() < 0.4:
            pieces[rng.randint(0, len(pieces)) : 0] = [rng.choice(FAULTS)]
        content = b"".join(pieces)
        expected = faults(content)
        if expected:
            with pytest.raises(FileProblems) as refusal:
                read(content)
            assert {(problem.code, problem.line) for problem in refusal.value.problems} <= expected, content
            continue
        whole = content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
        found = read(content)
        assert "\n".join(found).rstrip("\n") == whole, content
        assert all(block.strip("\n") for block in found)
        accepted += 1
    assert 150 < accepted < 700


def changed(text, rng):
    """A text with a line moved, removed, repeated, preceded by a blank line or changed in one character."""
    lines = text.splitlines(keepends=True)
    kind, place = rng.choice(["swap", "drop", "twice", "blank", "char"]), rng.randrange(len(lines))
    if kind == "swap":
        other = rng.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == "char":
        lines[place] = lines[place].replace(rng.choice(lines[place]), rng.choice("x0,\t é"), 1)
    else:
        lines[place : place + 1] = {"drop": [], "twice": [lines[place]] * 2, "blank": ["\n", lines[place]]}[
            kind
        ]
    return "".join(lines)


@pytest.mark.parametrize("kind", ["reference", "submission"])
@pytest.mark.parametrize("task", CASES)
def test_what_is_read_and_refused_does_not_depend_on_where_blocks_end(monkeypatch, task, kind):
    files = find_task(task).format
    items = files.read_reference(encoded(CASES[task].reference)).items
    content = getattr(CASES[task], kind)
    name = next(iter(content))
    rng = random.Random(1)
    refused = 0
    for trial in range(60):
        text = changed(content[name], rng) if trial else content[name]
        changes = encoded({**content, name: text})
        outcomes = set()
        for block in (1, 50, 1 << 17):
            monkeypatch.setattr(text_files, "_BLOCK", block)
            try:
                if kind == "reference":
                    outcomes.add(repr(files.read_reference(changes)))
                else:
                    outcomes.add(repr(files.read_submission(Files(changes), items)))
            except FileProblems as refusal:
                outcomes.add(str(refusal))
                refused += 1
        assert len(outcomes) == 1, outcomes
    assert 3 < refused < 180
