"""A submission's files: one folder's ordinary files, whatever a participant's computer packed beside them.

A folder around everything is accepted, because a folder zipped instead of its contents is the commonest
slip. What operating systems add is ignored. Links, pipes, a second folder and files that nobody asked for
are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from .files import Files, read_file
from .problems import FileProblems, Problems, count_of, name, some_of

REPORT_FILE = "ingestion_report.txt"
"""What an ingestion program leaves beside the submission."""

MAX_FILES = 20000

BACKSLASH = (
    "has a backslash in its name, as some zip programs of Windows do; zip the files themselves, in no folder"
)
AS_TEXT = "save it as the text that the task's page asks for"

_WORKBOOKS = {"[Content_Types].xml": "an Excel workbook (.xlsx)", "content.xml": "a LibreOffice sheet (.ods)"}
"""The file that tells what an office program's zip is."""

_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
_SHEETS = (".xlsx", ".xls", ".ods")
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_WORKER_METADATA = re.compile(
    rb"(?:(?!command:)[A-Za-z]\w*: (?:null|true|false|" + _NUMBER + rb")(?:\r?\n|\Z))+\Z"
)
"""Exit codes and times, whatever a worker calls them; nothing that it could run."""


def list_files(directory: Path, *, after_ingestion: bool = False) -> Files:
    """The submission's files.

    Parameters
    ----------
    directory: where the submission was unpacked.
    after_ingestion: at scoring, the ingestion program's report and the platform's own `metadata` lie beside the
        submission and are left out (`check_report` looks at the report). Before, neither may be there.

    Raises
    ------
    SubmissionError: links, special files, more than one folder, too many files, a `metadata`, a spreadsheet, names
        with a backslash.
    """
    problems = Problems()
    files, folders = _scan(directory, problems)
    if after_ingestion:
        files.pop(REPORT_FILE, None)
        if "metadata" in files and _is_platforms_own(files["metadata"]):
            del files["metadata"]
    for reserved in ("metadata", "metadata.yaml"):
        if reserved in files:
            del files[reserved]
            problems.add(
                "metadata_file",
                reserved,
                "would make the platform run a program; a submission holds results only: remove it",
            )
    kinds = [kind for file, kind in _WORKBOOKS.items() if file in files and folders]
    if kinds:
        problems.stop("workbook", "", f"is {kinds[0]}, not a zip of the files: {AS_TEXT}, and zip that")
    if len(folders) == 1 and not files:
        files, inner = _scan(folders[0], problems)
        if inner:
            problems.add(
                "nested_folder", "", _describe_folders(inner, f"below the folder {name(folders[0].name)}")
            )
    elif folders:
        problems.add(
            "nested_folder", "", _describe_folders(folders, "beside the files" if files else "side by side")
        )
    problems.raise_if_any()
    return Files(files)


def check_report(directory: Path, accepted: str) -> None:
    """Believe the ingestion program's report only if it says, to the letter, that the submission was accepted.

    A platform scores even what ingestion refused. No report at all is no matter: scoring checks for itself.

    Raises
    ------
    SubmissionError: a report that says anything else.
    """
    problems = Problems()
    report = directory / REPORT_FILE
    if not (report.is_symlink() or report.exists()):
        return
    if read_file(report, REPORT_FILE, 1 << 16, problems) != accepted.encode():
        problems.stop(
            "not_accepted",
            REPORT_FILE,
            "does not say that this submission was accepted: the check before scoring (ingestion) refused it, and "
            "its log says why; or the file came with the submission, which may not hold one of this name",
        )


def _is_platforms_own(metadata: Path) -> bool:
    try:
        content = read_file(metadata, metadata.name, 1 << 16, Problems())
    except FileProblems:
        return False
    return _WORKER_METADATA.match(content) is not None


def _describe_folders(folders: list[Path], where: str) -> str:
    names = some_of([folder.name for folder in folders])
    return f"{count_of(len(folders), 'folder')} {where}: {names}; zip the files themselves, in one folder at most"


def _scan(directory: Path, problems: Problems) -> tuple[dict[str, Path], list[Path]]:
    files: dict[str, Path] = {}
    folders: list[Path] = []
    with os.scandir(str(directory)) as entries:
        for seen, entry in enumerate(entries):
            if seen >= MAX_FILES:
                problems.add("too_many_files", "", f"more than {MAX_FILES} files")
                break
            if entry.name in _JUNK or entry.name.startswith("._"):
                continue
            if entry.is_symlink():
                problems.add("link", entry.name, "is a link; expected an ordinary file")
            elif "\\" in entry.name:
                problems.add("backslash", entry.name, BACKSLASH)
            elif entry.is_dir():
                folders.append(Path(entry.path))
            elif entry.is_file():
                files[entry.name] = Path(entry.path)
            else:
                problems.add("special_file", entry.name, "is not an ordinary file")
    return dict(sorted(files.items())), sorted(folders)


def expect_files(files: Collection[str], expected: Iterable[str], problems: Problems) -> None:
    """Exactly the expected names: adds a problem for each that is missing and each that is not asked for."""
    expected, there = list(expected), set(files)
    missing = [file for file in expected if file not in there]
    asked = set(expected)
    extra = [file for file in files if file not in asked]
    for file in missing:
        problems.add("missing_file", file, f"is missing{_suggest_file(file, extra, found=len(files))}")
    wanted = name(expected[0]) if len(expected) == 1 else count_of(len(expected), "file")
    for file in extra:
        hint = "; unzip it: the submission's own zip is enough" if file.lower().endswith(".zip") else ""
        hint = f"; {AS_TEXT}" if file.lower().endswith(_SHEETS) else hint
        problems.add("unexpected_file", file, f"is not part of a submission ({wanted} expected){hint}")


def _suggest_file(file: str, extra: list[str], found: int) -> str:
    stem = file.rsplit(".", 1)[0].lower()
    for other in extra:
        if other.lower() == file.lower() or other.lower().split(".")[0] in (
            stem,
            stem + "s",
            stem.rstrip("s"),
        ):
            if other.lower().endswith(_SHEETS):
                return f"; {name(other)} is there, a spreadsheet"
            if other.lower().endswith(".rttm"):
                return f"; {name(other)} is there: write its turns as lines of start, end and language"
            return f"; {name(other)} is there: rename it"
    return "" if found else "; the submission is empty"
