"""Tests that results and messages do not depend on the blocks in which files are read."""

import io
import random
from contextlib import suppress

import pytest

from spokeneval.challenges import find_task
from spokeneval.formats import text as text_files
from spokeneval.formats.files import Files
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.tables import Layout, Table, parse_table
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


def parsed(blocks, required, aliases=None):
    """The table, or None if it was refused, and the problems."""
    problems = Problems()
    with suppress(FileProblems):
        return parse_table(blocks, Layout("file", "Id", required, aliases=aliases), problems), problems.kept
    return None, problems.kept


@pytest.mark.default_cases("columns1")
@pytest.mark.parametrize("block", [1, 7, 64])
@pytest.mark.parametrize("columns", [("Id",), ("Id", "Value")])
def test_a_table_does_not_depend_on_where_its_blocks_end(monkeypatch, block, columns):
    monkeypatch.setattr(text_files, "_BLOCK", block)
    rng = random.Random(block)
    tables = 0
    for _ in range(800):
        header = rng.choice(
            [",".join(columns), "value,name,x", "MORE,id,Value,more", "Id,id,Value", "Value", ""]
        )
        width = header.count(",") + 1
        cells = ["", "1", "b c", "é", '"q"', '"a,b"', '"']
        weights = [1, 9, 9, 9, 1, 1, rng.choice([0, 1])]
        rows = [
            ",".join(rng.choices(cells, weights, k=width if rng.random() < 0.98 else rng.randint(0, 4)))
            for _ in range(rng.randint(0, 12))
        ]
        text = "\n".join([header, *rows]).rstrip("\n")
        if not text:
            continue
        content = text + "\n" * rng.randint(0, 3)
        aliases = {"name": "Id", "more": "more"}
        found = parsed(read(content.encode()), columns, aliases)
        assert found == parsed([text], columns, aliases), text
        if found[0] is not None:
            tables += 1
            assert {len(column) for column in found[0].columns.values()} <= {len(found[0])}
            assert set(found[0].columns) <= {*columns, "Id", "more"}
    assert tables > 100


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


def test_a_table_may_begin_with_blank_lines():
    found = parsed(["\n\nId,more\n\n1,2"], ("Id",))
    assert found == (Table("file", "Id", {"Id": ["1"]}, [5], ("more",)), [])
    nothing, problems = parsed(["\nNo\n1"], ("Id",))
    assert nothing is None
    assert [(problem.code, problem.line) for problem in problems] == [("missing_column", 2)]


def test_empty_rows_are_skipped_and_an_exact_name_wins_over_an_alias():
    both = parsed(["id,Number,name\n,,\n1,2,3\n   \n,,\n"], ("name",), {"id": "name"})
    assert both == (Table("file", "Id", {"name": ["3"]}, [3], ("id", "Number")), [])
    alone, _ = parsed(["id,x\n1,2"], ("name",), {"id": "name"})
    assert alone.columns == {"name": ["1"]}


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
