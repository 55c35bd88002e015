"""A submission's folder: what is a file of it, what is ignored, and what is refused."""

from __future__ import annotations

import os

import pytest

from spokeneval.formats.problems import Problems, SubmissionError
from spokeneval.formats.submission_folder import (
    AS_TEXT,
    BACKSLASH,
    MAX_FILES,
    REPORT_FILE,
    check_report,
    expect_files,
    list_files,
)


def listed(folder, **choices) -> list[tuple[str, str, str]]:
    """The problems of a folder: code, file, message."""
    with pytest.raises(SubmissionError) as refusal:
        list_files(folder, **choices)
    return [(problem.code, problem.file, problem.message) for problem in refusal.value.problems]


def fill(folder, *names: str):
    for file in names:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    return folder


def test_files_are_listed_by_name_and_what_systems_add_is_ignored(tmp_path):
    fill(
        tmp_path,
        "b.csv",
        "a.csv",
        ".DS_Store",
        "._a.csv",
        "Thumbs.db",
        "desktop.ini",
        "__MACOSX/._a.csv",
        ".b",
    )
    found = list_files(tmp_path)
    assert list(found.items()) == [(file, tmp_path / file) for file in (".b", "a.csv", "b.csv")]


def test_one_folder_around_everything_is_looked_into(tmp_path):
    assert list(list_files(fill(tmp_path, "my answers/a.csv", ".DS_Store"))) == ["a.csv"]
    fill(tmp_path, "my answers/more/b.csv", "my answers/even/b.csv")
    words = (
        "2 folders below the folder 'my answers': even, more; zip the files themselves, in one folder at most"
    )
    assert listed(tmp_path) == [("nested_folder", "", words)]


def test_several_folders_are_refused(tmp_path):
    advice = "zip the files themselves, in one folder at most"
    fill(tmp_path / "1", "a/1.csv", "b/1.csv")
    assert listed(tmp_path / "1") == [("nested_folder", "", f"2 folders side by side: a, b; {advice}")]
    fill(tmp_path / "2", "a/1.csv", "1.csv")
    assert listed(tmp_path / "2") == [("nested_folder", "", f"1 folder beside the files: a; {advice}")]


def test_an_empty_folder_has_no_files(tmp_path):
    assert list_files(tmp_path) == {}


def test_links_pipes_and_backslashes_are_refused_by_name(tmp_path):
    fill(tmp_path, "a.csv", "x\\y.csv")
    (tmp_path / "link").symlink_to(tmp_path / "a.csv")
    (tmp_path / "folder").symlink_to("/")
    os.mkfifo(tmp_path / "pipe")
    assert sorted(listed(tmp_path)) == [
        ("backslash", "x\\y.csv", BACKSLASH),
        ("link", "folder", "is a link; expected an ordinary file"),
        ("link", "link", "is a link; expected an ordinary file"),
        ("special_file", "pipe", "is not an ordinary file"),
    ]


def test_a_folder_that_is_refused_is_refused_inside_a_folder_too(tmp_path):
    fill(tmp_path, "around/a.csv", "around/x\\y.csv")
    assert listed(tmp_path) == [("backslash", "x\\y.csv", BACKSLASH)]


def test_so_many_files_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("spokeneval.formats.submission_folder.MAX_FILES", 3)
    assert len(list_files(fill(tmp_path, "a", "b", "c"))) == 3
    assert listed(fill(tmp_path, "d")) == [("too_many_files", "", "more than 3 files")]
    assert MAX_FILES == 20000


PLANTED = "would make the platform run a program; a submission holds results only: remove it"


@pytest.mark.parametrize("file", ["metadata", "metadata.yaml"])
def test_what_a_platform_would_run_is_refused(tmp_path, file):
    fill(tmp_path, "a.csv")
    (tmp_path / file).write_text("command: rm -r /\n")
    for after in (False, True):
        assert listed(tmp_path, after_ingestion=after) == [("metadata_file", file, PLANTED)]


@pytest.mark.parametrize(
    ("content", "own"),
    [
        ("exitCode: 0\nelapsedTime: 1.5e-3\n", True),
        ("exitCode: null\r\nok: true\nbad: false\nx: -.5\ny: +7.\n", True),
        ("exitCode: 0", True),
        ("command: 1\n", False),
        ("exitCode: 0\ncommand: 1\n", False),
        ("exitCode: python\n", False),
        ("exitCode: 0\n\n", False),
        ("", False),
    ],
)
def test_the_platforms_own_metadata_is_left_out_at_scoring(tmp_path, content, own):
    fill(tmp_path, "a.csv", REPORT_FILE)
    (tmp_path / "metadata").write_bytes(content.encode())
    assert listed(tmp_path) == [("metadata_file", "metadata", PLANTED)]
    if own:
        assert list(list_files(tmp_path, after_ingestion=True)) == ["a.csv"]
    else:
        assert listed(tmp_path, after_ingestion=True) == [("metadata_file", "metadata", PLANTED)]


def test_an_endless_metadata_is_none_of_the_platforms(tmp_path):
    (tmp_path / "metadata").write_text("a: 1\n" * 14_000)  # 70,000 bytes
    assert listed(tmp_path, after_ingestion=True) == [("metadata_file", "metadata", PLANTED)]


def test_a_report_is_an_ordinary_file_before_ingestion(tmp_path):
    assert list(list_files(fill(tmp_path, REPORT_FILE))) == [REPORT_FILE]


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (.xlsx)"),
        (("content.xml", "META-INF/manifest.xml"), "a LibreOffice sheet (.ods)"),
    ],
)
def test_a_workbook_is_told_from_a_zip(tmp_path, files, kind):
    words = f"is {kind}, not a zip of the files: {AS_TEXT}, and zip that"
    assert listed(fill(tmp_path / "workbook", *files)) == [("workbook", "", words)]
    assert list(list_files(fill(tmp_path / "alone", files[0]))) == [files[0]]


NOT_ACCEPTED = (
    "does not say that this submission was accepted: the check before scoring (ingestion) refused it, and its log says "
    "why; or the file came with the submission, which may not hold one of this name"
)


@pytest.mark.parametrize("content", ["refused\n", "accepted", "accepted\naccepted\n", ""])
def test_only_a_report_that_says_so_to_the_letter_is_believed(tmp_path, content):
    check_report(tmp_path, "accepted\n")
    (tmp_path / REPORT_FILE).write_text(content)
    with pytest.raises(SubmissionError) as refusal:
        check_report(tmp_path, "accepted\n")
    (problem,) = refusal.value.problems
    assert (problem.code, problem.file, problem.message) == ("not_accepted", REPORT_FILE, NOT_ACCEPTED)
    (tmp_path / REPORT_FILE).write_text("accepted\n")
    check_report(tmp_path, "accepted\n")


def test_a_report_that_is_a_link_or_endless_is_not_believed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / REPORT_FILE).symlink_to(tmp_path / "nowhere")
    with pytest.raises(SubmissionError):
        check_report(tmp_path, "accepted\n")
    (tmp_path / "folder" / REPORT_FILE).write_text("x" * 70_000)
    with pytest.raises(SubmissionError, match=f"^{REPORT_FILE}: 1 problem\n\n  is larger than"):
        check_report(tmp_path / "folder", "x" * 70_000)


def missed(files: list[str], expected: list[str]) -> list[tuple[str, str, str]]:
    problems = Problems()
    expect_files(dict.fromkeys(files), expected, problems)
    return [(problem.code, problem.file, problem.message) for problem in problems.kept]


EXTRA = "is not part of a submission (a.csv expected)"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["a.csv"], []),
        ([], [("missing_file", "a.csv", "is missing; the submission is empty")]),
        (
            ["A.CSV"],
            [
                ("missing_file", "a.csv", "is missing; A.CSV is there: rename it"),
                ("unexpected_file", "A.CSV", EXTRA),
            ],
        ),
        (
            ["as.txt"],
            [
                ("missing_file", "a.csv", "is missing; as.txt is there: rename it"),
                ("unexpected_file", "as.txt", EXTRA),
            ],
        ),
        (["b.csv"], [("missing_file", "a.csv", "is missing"), ("unexpected_file", "b.csv", EXTRA)]),
        (
            ["a.XLSX"],
            [
                ("missing_file", "a.csv", "is missing; a.XLSX is there, a spreadsheet"),
                ("unexpected_file", "a.XLSX", f"{EXTRA}; {AS_TEXT}"),
            ],
        ),
        (
            ["a.rttm"],
            [
                (
                    "missing_file",
                    "a.csv",
                    "is missing; a.rttm is there: write its turns as lines of start, end and language",
                ),
                ("unexpected_file", "a.rttm", EXTRA),
            ],
        ),
        (
            ["a.csv", "b.Zip"],
            [("unexpected_file", "b.Zip", f"{EXTRA}; unzip it: the submission's own zip is enough")],
        ),
        (["a.csv", "z.ods"], [("unexpected_file", "z.ods", f"{EXTRA}; {AS_TEXT}")]),
    ],
)
def test_exactly_the_expected_files(files, found):
    assert missed(files, ["a.csv"]) == found


def test_of_several_expected_files_their_number_is_told_and_an_s_more_or_less_is_a_slip():
    assert missed(["rows.txt", "x"], ["row.csv", "x"]) == [
        ("missing_file", "row.csv", "is missing; rows.txt is there: rename it"),
        ("unexpected_file", "rows.txt", "is not part of a submission (2 files expected)"),
    ]
    assert missed(["row"], ["rows.csv"])[0][2] == "is missing; row is there: rename it"
    assert missed(["A.B.CSV"], ["a.b.csv"])[0][2] == "is missing; A.B.CSV is there: rename it"
    assert missed(["a.txt"], ["a.b.csv"])[0][2] == "is missing"
