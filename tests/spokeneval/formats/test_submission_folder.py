"""Tests of a submission's folder: its files, ignored files, and nearly expected names."""

from __future__ import annotations

import pytest

from spokeneval.formats.problems import Problems, SubmissionError
from spokeneval.formats.submission_folder import (
    AS_TEXT,
    MAX_FILES,
    REPORT_FILE,
    UNPACK,
    expect_files,
    expect_one,
    list_files,
)


def listed(folder, **choices) -> list[tuple[str, str]]:
    """The code and file of each problem of a folder."""
    with pytest.raises(SubmissionError) as refusal:
        list_files(folder, **choices)
    return [(problem.code, problem.file) for problem in refusal.value.problems]


def fill(folder, *names: str):
    for file in names:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    return folder


def test_files_are_listed_by_name_and_what_systems_add_is_ignored(tmp_path):
    fill(tmp_path, "b.csv", "a.csv", ".b")
    fill(tmp_path, ".DS_Store", "._a.csv", "Thumbs.db", "desktop.ini", "__MACOSX/._a.csv")
    found = list_files(tmp_path)
    assert list(found.items()) == [(file, tmp_path / file) for file in (".b", "a.csv", "b.csv")]


def test_one_folder_around_everything_is_looked_into(tmp_path):
    assert list(list_files(fill(tmp_path, "my answers/a.csv", ".DS_Store"))) == ["a.csv"]
    fill(tmp_path, "my answers/more/b.csv", "my answers/even/b.csv")
    assert listed(tmp_path) == [("nested_folder", "")]


@pytest.mark.parametrize("after_ingestion", [True, False])
@pytest.mark.parametrize(
    ("content", "own"),
    [
        ("exitCode: 0\nelapsedTime: 1.5e-3\n", True),
        ("exitCode: null\r\nok: true\nbad: false\nx: -.5\ny: +7.\n", True),
        ("exitCode: 0", True),
        ("exitCode: 0\ncommand: 1\n", False),
        ("exitCode: python\n", False),
        ("exitCode: 0\n\n", False),
        ("", False),
        ("a: 1\n" * 14_000, False),  # 70,000 bytes
    ],
)
def test_the_platforms_own_metadata_is_left_out_at_scoring(tmp_path, content, own, after_ingestion):
    fill(tmp_path, "a.csv", *[REPORT_FILE] * after_ingestion)
    (tmp_path / "metadata").write_bytes(content.encode())
    if own and after_ingestion:
        assert list(list_files(tmp_path, after_ingestion=True)) == ["a.csv"]
    else:
        assert listed(tmp_path, after_ingestion=after_ingestion) == [("metadata_file", "metadata")]


@pytest.mark.parametrize(
    ("files", "expected", "hint"),
    [
        ("A.CSV", "a.csv", "; found A.CSV: rename it"),
        ("as.txt", "a.csv", "; found as.txt: rename it"),
        ("row", "rows.csv", "; found row: rename it"),
        ("A.B.CSV", "a.b.csv", "; found A.B.CSV: rename it"),
        ("a.XLSX", "a.csv", "; found the spreadsheet a.XLSX"),
        ("a.json", "a.csv", f"; found a.json, which has another format; {AS_TEXT}"),
        ("a.tsv", "a.csv", "; found a.tsv: rename it if it has the format that the task's page describes"),
        ("a.csv", "a.rttm", "; found a.csv: write its turns as lines of RTTM"),
        ("a.csv.txt", "a.rttm", "; found a.csv.txt: rename it if its lines are RTTM"),
        ("a", "a.rttm", "; found a: rename it if its lines are RTTM"),
        ("a.RTTM", "a.rttm", "; found a.RTTM: rename it"),
        ("a.rttm", "a.txt", "; found a.rttm: write its turns as lines of start, end and language"),
        ("a.rttm", "a.csv", f"; found a.rttm, which has another format; {AS_TEXT}"),
        ("b.csv", "a.csv", "; found b.csv: rename it"),
        ("a.txt", "a.b.csv", ""),
        ("b.Zip", "a.csv", ""),
        ("a.zip", "a.csv", ""),
        ("a.RAR", "a.csv", ""),
    ],
)
def test_a_file_under_nearly_the_expected_name_is_to_be_renamed(files, expected, hint):
    problems = Problems()
    expect_files([files], [expected], problems)
    missing, extra = problems.kept
    assert (missing.file, missing.message, extra.file) == (expected, f"is missing{hint}", files)
    inside = "; put its files directly into the submission's zip"
    advice = {"a.XLSX": f"; {AS_TEXT}", "b.Zip": inside, "a.zip": inside, "a.RAR": f"; {UNPACK}"}
    assert extra.message == f"is not part of a submission ({expected} expected){advice.get(files, '')}"


@pytest.mark.parametrize(("file", "expected"), [("a.RTTM", "a.rttm"), ("a", "a.csv")])
def test_of_several_formats_the_one_of_the_ending_is_expected(file, expected):
    """A table without an ending was to be named `text`, which is read as another format."""
    with pytest.raises(SubmissionError, match=rf"{expected}\s+is missing"):
        expect_one([file], ["a.csv", "text", "a.rttm"], Problems())


def test_as_many_files_as_can_be_are_compared_with_the_expected_ones():
    """Each missing file was compared with each other one, which took minutes."""
    problems = Problems()
    expect_files([f"x{n}.txt" for n in range(MAX_FILES)], [f"y{n}.txt" for n in range(MAX_FILES)], problems)
    with pytest.raises(SubmissionError, match=f"{2 * MAX_FILES} problems in"):
        problems.raise_if_any()
