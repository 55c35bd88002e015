"""A submission's files: the ordinary files in one folder.

A single folder around all files is accepted, because zipping a folder instead of its contents is the most common
mistake. Files that operating systems add are ignored. Links, pipes, further folders and unexpected files are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Callable, TypeVar

from .problems import FileProblems, Problems, SubmissionError, count_of, name, some_of
from .text import Files, nfc, read_file

Answers = TypeVar("Answers")

REPORT_FILE = "ingestion_report.txt"
"""The file that an ingestion program writes next to the submission."""

MAX_FILES = 20000

BACKSLASH = "has a backslash in its name, as some Windows programs write it; zip the files themselves, without a folder"
AS_TEXT = "save it in the text format that the task's page describes"
OWN_FILES = "zip the files that your system wrote"
UNPACK = "unpack it and zip its files instead"

_DOCUMENTS = {
    ("[Content_Types].xml", "word"): ("a Word document (.docx)", OWN_FILES),
    ("[Content_Types].xml", "ppt"): ("a PowerPoint presentation (.pptx)", OWN_FILES),
    ("[Content_Types].xml", "xl"): ("an Excel workbook (.xlsx)", f"{AS_TEXT}, and zip that file"),
    ("content.xml", "META-INF"): (
        "a LibreOffice document (.ods, .odt or .odp)",
        f"{AS_TEXT}, and zip that file",
    ),
    ("Index", "Metadata"): (
        "a document of Apple's Numbers, Pages or Keynote",
        f"export it as CSV, then {AS_TEXT}, and zip that file",
    ),
}
"""Two files or folders that identify an office document inside its zip: the kind of document, and what to do."""

_KIT = "try_submission.py"
"""The file that identifies the starting kit."""

JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
_SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
_TEXTS = ("", ".txt", ".csv", ".tsv", ".tab", ".dat")
"""Endings of files that may contain a table."""
_PACKED = (".rar", ".7z", ".gz", ".tgz", ".bz2", ".xz", ".tar")
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_WORKER_METADATA = re.compile(
    rb"(?:(?!command:)[A-Za-z]\w*: (?:null|true|false|" + _NUMBER + rb")(?:\r?\n|\Z))+\Z"
)
"""Exit codes and times under any names that workers may use; no `command`, which the platform would run."""


def list_files(directory: Path, *, after_ingestion: bool = False, others: Collection[str] = ()) -> Files:
    """List the submission's files.

    Parameters
    ----------
    directory
        The folder with the unpacked submission.
    after_ingestion
        Whether the ingestion program has run. Its report and the platform's own `metadata` are then in the same folder,
        and are left out of the list (`check_report` checks the report). Before, neither file is accepted.
    others
        The names of files for other tasks of the challenge, which are left out of the list.

    Raises
    ------
    SubmissionError
        The submission contains links, special files, more than one folder, too many files, a file named `metadata`, an
        office document or the starting kit instead of files, or names with a backslash.
    """
    problems = Problems()
    files, folders = _scan(directory, problems)
    _refuse_kit(files, problems)
    if after_ingestion:
        files.pop(REPORT_FILE, None)
        if "metadata" in files and is_platforms_own(files["metadata"]):
            del files["metadata"]
    for reserved in ("metadata", "metadata.yaml"):
        if reserved in files:
            del files[reserved]
            problems.add(
                "metadata_file",
                reserved,
                "would make the platform run a program; a submission contains only results: remove this file",
            )
    inside = {folder.name for folder in folders}
    for parts, (kind, advice) in _DOCUMENTS.items():
        if {*parts} <= {*files, *inside}:
            problems.stop("workbook", "", f"is {kind}, not a zip of the files; {advice}")
    if len(folders) == 1 and not files:
        files, inner = _scan(folders[0], problems)
        _refuse_kit(files, problems)
        if inner:
            problems.add(
                "nested_folder", "", _describe_folders(inner, f"below the folder {name(folders[0].name)}")
            )
    elif folders:
        problems.add(
            "nested_folder", "", _describe_folders(folders, "beside the files" if files else "side by side")
        )
    listed = {file: path for file, path in files.items() if file not in others}
    try:
        problems.raise_if_any()
    except SubmissionError as refusal:
        refusal.listed = listed if files else None
        raise
    return listed


def read_files(
    directory: Path,
    read: Callable[[Files], Answers],
    *,
    after_ingestion: bool = False,
    others: Collection[str] = (),
) -> tuple[Files, Answers]:
    """List a submission's files as `list_files` does and read them; one refusal has the problems of both."""
    try:
        files = list_files(directory, after_ingestion=after_ingestion, others=others)
    except SubmissionError as refusal:
        if refusal.listed is not None:
            try:
                read(refusal.listed)
            except SubmissionError as more:
                if "missing_file" not in more.counts:  # else the link or folder is in its place
                    raise refusal.joined(more) from None
        raise
    return files, read(files)


def check_report(directory: Path, accepted: str) -> None:
    """Check that the ingestion program's report, if there is one, consists of exactly the text `accepted`.

    Platforms score a submission even if ingestion refused it. A missing report is not a problem, because scoring
    repeats the checks.

    Raises
    ------
    SubmissionError
        The report has any other text.
    """
    problems = Problems()
    report = directory / REPORT_FILE
    if not (report.is_symlink() or report.exists()):
        return
    if read_file(report, REPORT_FILE, 1 << 16, problems) != accepted.encode():
        problems.stop(
            "not_accepted",
            REPORT_FILE,
            "does not confirm that this submission was accepted. If the check before scoring (ingestion) refused it, "
            "see its log for the problems. If your submission contains a file of this name, remove it",
        )


def _refuse_kit(files: Collection[str], problems: Problems) -> None:
    if _KIT in files:
        problems.stop("starting_kit", "", f"is the starting kit, not a submission; {OWN_FILES}")


def is_platforms_own(metadata: Path) -> bool:
    """Whether a file is one that a platform's worker writes beside a submission: no command is in it."""
    try:
        content = read_file(metadata, metadata.name, 1 << 16, Problems())
    except FileProblems:
        return False
    return _WORKER_METADATA.match(content) is not None


def _describe_folders(folders: list[Path], where: str) -> str:
    names = some_of([folder.name for folder in folders])
    advice = "zip the files themselves, or one folder that contains all of them"
    advice = f"remove {names}, or {advice}" if where == "beside the files" else advice
    return f"{count_of(len(folders), 'folder')} {where}: {names}; {advice}"


def _scan(directory: Path, problems: Problems) -> tuple[dict[str, Path], list[Path]]:
    files: dict[str, Path] = {}
    folders: list[Path] = []
    with os.scandir(str(directory)) as entries:
        for seen, entry in enumerate(entries):
            if seen >= MAX_FILES:
                problems.add("too_many_files", "", f"more than {MAX_FILES} files")
                break
            if entry.name in JUNK or entry.name.startswith("._"):
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


def expect_one(files: Collection[str], known: Sequence[str], problems: Problems) -> str:
    """Check that the only file has one of the known names, each of another format; return this name.

    Raises
    ------
    SubmissionError
        There is no such file.
    """
    suffixes = {PurePosixPath(name).suffix.lower() for name in files} - {""}
    like = (file for file in known if PurePosixPath(file).suffix in suffixes)
    file = next((file for file in known if file in files), next(like, known[0]))
    expect_files(files, [file], problems, [other for other in known if other != file])
    if file not in files:
        problems.raise_if_any()
    return file


def expect_files(
    files: Collection[str], expected: Iterable[str], problems: Problems, others: Sequence[str] = ()
) -> None:
    """Check that the files are exactly the expected ones; add a problem for each missing and each unexpected file.

    `others` are the names of other formats of the only expected file.
    """
    expected, there = list(expected), set(files)
    missing = [file for file in expected if file not in there]
    asked = set(expected)
    extra = [file for file in files if file not in asked]
    first: dict[str, int] = {}
    for place, other in enumerate(extra):
        if not other.lower().endswith((".zip", *_PACKED)):  # to be unpacked, not renamed
            for key in (other.lower(), other.lower().split(".")[0] + "."):
                first.setdefault(key, place)
    for file in missing:
        stem = file.rsplit(".", 1)[0].lower()
        keys = (file.lower(), f"{stem}.", f"{stem}s.", stem.rstrip("s") + ".")
        places = [first[key] for key in keys if key in first]
        if len(expected) == len(extra) == 1 and Path(file).suffix == Path(extra[0]).suffix:
            places = [0]
        hint = _suggest_file(file, extra[min(places)], others) if places else ""
        problems.add("missing_file", file, f"is missing{hint if files else '; the submission is empty'}")
    wanted = name(expected[0]) if len(expected) == 1 else count_of(len(expected), "file")
    for file in extra:
        hint = "" if missing else "; remove it"
        hint = "; put its files directly into the submission's zip" if file.lower().endswith(".zip") else hint
        hint = f"; {AS_TEXT}" if file.lower().endswith(_SHEETS) else hint
        hint = f"; {UNPACK}" if file.lower().endswith(_PACKED) else hint
        problems.add("unexpected_file", file, f"is not part of a submission ({wanted} expected){hint}")


def named_as(expected: Sequence[str], files: Files) -> Files:
    """The files, each with the expected name that differs from its own only in the Unicode form, if this is missing."""
    sources, known = dict(files), set(expected)
    for file in files:
        called = nfc(file)
        if called in known and called not in sources:
            sources[called] = sources.pop(file)
    return sources


def _suggest_file(file: str, other: str, formats: Sequence[str]) -> str:
    """Advice on another file, whose name is nearly that of a missing one."""
    if other.lower().endswith(_SHEETS):
        return f"; found the spreadsheet {name(other)}"
    ends = Path(other).suffix.lower(), Path(file).suffix.lower()
    if ends == (".rttm", ".txt") or (ends[1] == ".rttm" and ends[0] in (".csv", ".tsv")):
        lines = "RTTM" if ends[1] == ".rttm" else "start, end and language"
        return f"; found {name(other)}: write its turns as lines of {lines}"
    if ends[0] not in (ends[1], *_TEXTS):
        return f"; found {name(other)}, which has another format; {AS_TEXT}"
    more = f", or by its format to {', '.join(formats)}" if formats and ends[0] != ends[1] else ""
    more = " if its lines are RTTM" if ends[1] == ".rttm" != ends[0] else more
    more = " if it has the format that the task's page describes" if {*ends} == {".csv", ".tsv"} else more
    return f"; found {name(other)}: rename it{more}"
