"""Corruptions of the good submissions of `cases`, each with the refusal that it must get: `SUBMISSIONS[task]`."""

from __future__ import annotations

import functools
import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from spokeneval.formats import submission_folder, submission_zip
from spokeneval.formats.submission_folder import REPORT_FILE
from tests.samples import merlion_identification as identification
from tests.samples.cases import CASES, IDS, SHEETS, TURNS, Files, Sheet
from tests.samples.mutation import Mutation, Row, refused, rows_of
from tests.samples.programs import write_files
from tests.samples.zips import zip_mutations, zipped

BOM = "\ufeff"
FIRST, SECOND, _, LAST = IDS
GONE = ("missing_item", None, SECOND)  # capitals go before small letters where several are missing


class SheetText:
    """The text of a good submission that is one delimited file, and how it is changed."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.text = sheet, sheet.text()
        self.lines = self.text.splitlines(keepends=True)

    def mutation(self, name: str, content: str | bytes, *rows: tuple[Any, ...], words: str = "") -> Mutation:
        return Mutation(name, rows_of(self.sheet.file, rows), {self.sheet.file: content}, words=words)

    def with_second(self, row: str) -> str:
        return "".join([*self.lines[:2], row, *self.lines[3:]])


def sheet_mutations(sheet: Sheet) -> Iterator[Mutation]:
    """Corruptions of a delimited file's text, the same for each task that submits one."""
    own = SheetText(sheet)
    for table in (row_mutations, id_mutations, header_mutations, line_mutations, text_mutations):
        yield from table(own, sheet, own.text, own.lines)
    for value, (code, words) in sheet.wrong.items():
        content = own.with_second(f"{SECOND}{sheet.delimiter}{value}\n")
        yield own.mutation(f"the value {value!r}", content, (code, 3, SECOND), words=words)


def row_mutations(own: SheetText, sheet: Sheet, text: str, lines: list[str]) -> Iterator[Mutation]:
    yield own.mutation("a row dropped", own.with_second(""), GONE, words="expected, 3 found")
    yield own.mutation(
        "a row doubled", text + lines[1], ("duplicate_item", 6, FIRST), words="appears on line 2"
    )
    yield own.mutation(
        "an easy row for a hard one", own.with_second(lines[1]), ("duplicate_item", 3, FIRST), GONE
    )
    other = lines[1].replace(FIRST, "a-5")
    yield own.mutation("an item that is not asked for", text + other, ("unknown_item", 6, "a-5"))
    blank = lines[2].replace(SECOND, "")
    unknown = [("unknown_item", 3, "")] if blank.strip() else []  # else the row is empty, and skipped
    yield own.mutation("a blank id", own.with_second(blank), *unknown, GONE)
    others = "".join(lines[1].replace(FIRST, f"z-{number}") for number in range(25))
    yield own.mutation("another set's items", lines[0] + others, ("another_set", 2, "z-0"))
    shifted = sheet.text(list(zip(["", *IDS[:-1]], sheet.values)))
    unknown = [("unknown_item", 2, "")] if sheet.values[0] else []  # else the row is empty, and skipped
    yield own.mutation("ids shifted by a line", shifted, *unknown, ("missing_item", None, LAST))


def id_mutations(own: SheetText, sheet: Sheet, text: str, lines: list[str]) -> Iterator[Mutation]:
    for name, item in {
        "a renamed id": "Zoe-2",
        "a terminal escape in an id": "\x1b[2J" + SECOND,
        "a path for an id": "../../ref/reference",
        "a kilometre of id": "x" * 4000,
    }.items():
        content = own.with_second(lines[2].replace(SECOND, item))
        yield own.mutation(name, content, ("unknown_item", 3, item), GONE)
    content, words = (
        own.with_second(lines[2].replace(SECOND, SECOND + " ")),
        f"spaces around it; expected {SECOND}",
    )
    yield own.mutation("a blank after an id", content, ("misspelt_item", 3, SECOND + " "), words=words)


def header_mutations(own: SheetText, sheet: Sheet, text: str, lines: list[str]) -> Iterator[Mutation]:
    tab = sheet.delimiter
    bad_values = [code for code, _ in sheet.wrong.values()][:1]  # none if any text is valid
    twice = "".join(f"{line[:-1]}{tab}{line[:-1].partition(tab)[2]}\n" for line in lines)
    for name, content, code, words in (
        ("no header", text.replace(lines[0], ""), "missing_column", sheet.id),
        ("a column renamed", text.replace(sheet.value, "x", 1), "missing_column", sheet.value),
        ("a column twice", twice, "duplicate_column", sheet.value),
        ("semicolons between the fields", text.replace(tab, ";"), "missing_column", "semicolons; expected "),
    ):
        yield own.mutation(name, content, (code, 1), words=words)
    yield own.mutation(
        "the columns' names swapped",
        text.replace(lines[0], f"{sheet.value}{tab}{sheet.id}\n"),
        *[("unknown_item", line, value) for line, value in enumerate(sheet.values, 2)],
        *[(code, line, value) for code in bad_values for line, value in enumerate(sheet.values, 2)],
        GONE,
    )


def line_mutations(own: SheetText, sheet: Sheet, text: str, lines: list[str]) -> Iterator[Mutation]:
    tab = sheet.delimiter
    more, fewer = own.with_second(lines[2][:-1] + f"{tab}x\n"), own.with_second(SECOND + "\n")
    yield own.mutation("a field more", more, ("wrong_field_count", 3), GONE, words="3 fields ")
    yield own.mutation("a field less", fewer, ("wrong_field_count", 3), GONE, words="1 field ")
    cut = text[: text.rindex(LAST) + len(LAST)]
    yield own.mutation("cut off in mid-row", cut, ("wrong_field_count", 5), ("missing_item", None, LAST))
    yield own.mutation("an open quotation mark", own.with_second('"' + lines[2]), ("unclosed_quote", 3), GONE)


def text_mutations(own: SheetText, sheet: Sheet, text: str, lines: list[str]) -> Iterator[Mutation]:
    for name, content, *row in (
        ("a line of 100,000 fields", own.with_second(sheet.delimiter * 100_000 + "\n"), "file_too_large", 3),
        ("nothing in it", "", "empty_file"),
        ("an error page", "<!DOCTYPE html><html><body>Not found</body></html>", "not_text"),
        ("UTF-16", text.encode("utf-16"), "not_utf8"),
        ("Latin-1", text.encode("latin-1"), "not_utf8", 3),
        ("compressed", gzip.compress(text.encode(), mtime=0), "not_text"),
        ("a NUL", text.replace("Zoë", "Zo\0ë"), "nul_byte", 3),
        ("a carriage return in a row", text.replace("Zoë", "Zoë\r"), "carriage_return", 3),
        ("a file far too large", text + "\n" * 2_000_000, "file_too_large"),
    ):
        yield own.mutation(name, content, tuple(row))


def extra(name: str) -> Row:
    return "unexpected_file", name, None, None


def folder_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of the folder around the files, the same for every task."""
    file = next(iter(good))
    stem, _, _ = file.rpartition(".")
    others = {name: content for name, content in good.items() if name != file}
    missing = tuple(("missing_file", name, None, None) for name in good)

    yield Mutation("no file", missing, {}, words="is missing; the submission is empty")
    for name, words in {
        file.upper(): "rename it",
        stem + ".xlsx": f"is missing; found the spreadsheet {stem}.xlsx",
        "\x1b[2J" + file: "is missing",
    }.items():
        files = {**others, name: good[file]}
        yield Mutation(f"the file named {name!r}", (missing[0], extra(name)), files, words=words)
    for name in (
        *("scores.json", "statistics.json", "score.py", "reference.csv", "submission.zip", REPORT_FILE),
        *(
            "metadata.yml",
            "<img src=x onerror=alert(1)>",
            "a\nb",
            "\x1b]0;x\x07",
            "x" * 250,
            "\u202etxt.exe",
            "%s{0}",
        ),
    ):
        words = "put its files directly into the submission's zip" if name.endswith("zip") else ""
        yield Mutation(f"the file {name!r} more", (extra(name),), {**good, name: "accepted"}, words=words)
    for table in (container_mutations, special_mutations, ingested_mutations):
        yield from table(good, file)


def container_mutations(good: Files, file: str) -> Iterator[Mutation]:
    """Containers and folders in place of the files."""
    others = {name: content for name, content in good.items() if name != file}
    missing = tuple(("missing_file", name, None, None) for name in good)

    for name, files in {
        "an Excel workbook for a zip": ("[Content_Types].xml", "_rels/x", "docProps/x", "xl/x"),
        "a document of Apple's Numbers for a zip": (
            "preview.jpg",
            "Index/Document.iwa",
            "Metadata/Properties.plist",
        ),
        "a LibreOffice document for a zip": ("content.xml", "mimetype", "META-INF/manifest.xml"),
    }.items():
        yield refused(name, "workbook", "", dict.fromkeys(files, ""), words=name.partition(" for ")[0])
    kit = {"README.md": "", "try_submission.py": "", "spokeneval/__init__.py": "", "development/input/x": ""}
    yield refused("the starting kit", "starting_kit", "", kit, words="the starting kit")
    slashed = {f"mine\\{name}": content for name, content in good.items()}
    backslashes = tuple(("backslash", name, None, None) for name in slashed)
    yield Mutation("backslashes for slashes", backslashes, slashed)
    for name in ("metadata", "metadata.yaml"):
        yield refused(f"a {name}", "metadata_file", name, {**good, name: "command: python3 -c pass\n"})
        inner = {f"mine/{each}": content for each, content in good.items()}
        yield Mutation(f"a folder with a {name}", (extra(name),), {**inner, f"mine/{name}": "command: x\n"})
    for name, files in {
        "two folders": {f"{place}/{file}": good[file] for place in "ab"},
        "a folder beside the files": {**good, "code/run.py": ""},
        "a folder in a folder": {f"a/b/{name}": text for name, text in good.items()},
        "a folder of the file's name, and files": {**others, f"{file}/a/b": "", "c/d": ""},
    }.items():
        words = "2 folders side by side: a, b" if name == "two folders" else ""
        yield refused(name, "nested_folder", "", files, words=words)
    yield Mutation("a folder of the file's name", (*missing, extra("x")), {f"{file}/x": good[file]})


def special_mutations(good: Files, file: str) -> Iterator[Mutation]:
    """Links and pipes, also those that appear between listing and reading."""
    others = {name: content for name, content in good.items() if name != file}
    for name, target in {
        "a link to the reference": "../ref",
        "a link out of the submission": "/etc/hostname",
        "a link to itself": file,
    }.items():
        yield refused(name, "link", file, others, spoil=_link(file, target))
    yield refused("a folder that is a link", "link", "mine", spoil=_link("mine", ".."))
    yield refused("a pipe", "special_file", file, others, spoil=lambda folder: os.mkfifo(folder / file))
    for name, make in {
        "becomes a link": lambda path: path.symlink_to("/etc/hostname"),
        "becomes a pipe": os.mkfifo,
        "becomes a folder": Path.mkdir,
        "disappears": lambda path: None,
    }.items():

        def race(folder: Path, make: Callable[[Path], object] = make) -> None:
            (folder / file).unlink()
            make(folder / file)

        yield refused(f"a file that {name}", "unreadable_file", file, good, race=race)


def ingested_mutations(good: Files, file: str) -> Iterator[Mutation]:
    """What scoring finds after a prediction step."""

    def ingested(name: str, code: str, file: str, files: Files = good, **how: Any) -> Mutation:
        return refused(name, code, file, files, after_ingestion=True, **how)

    for text in ("", "accepted", "refused", "structure accepted, 4 items checked.\n"):
        report = {**good, REPORT_FILE: text}
        yield ingested(f"a report that says {text!r}", "not_accepted", REPORT_FILE, report)
    pipe = {"spoil": lambda folder: os.mkfifo(folder / REPORT_FILE)}
    yield ingested("a report that is a pipe", "special_file", REPORT_FILE, **pipe)
    linked = _link(REPORT_FILE, "/etc/hostname")
    yield ingested("a report that is a link", "link", REPORT_FILE, spoil=linked)
    yield ingested("a report that becomes a link", "unreadable_file", REPORT_FILE, race=linked)
    for text in ("exitCode: 0\ncommand: python3 x.py\n", "command: 1\n", "exitCode: 1 2\n", "exitCode:\n"):
        metadata = {**good, "metadata": text}
        yield ingested(f"a platform's metadata that says {text!r}", "metadata_file", "metadata", metadata)


def _link(name: str, target: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).symlink_to(target)


def identification_mutations() -> Iterator[Mutation]:
    """The task's own table: formats, order and ids of segments."""
    for name, (content, codes, where, *words) in identification.BAD_FILES.items():
        line, item = (None, where) if isinstance(where, str) else (where, None)
        if line and codes not in ("nul_byte", "carriage_return"):
            item = content.splitlines()[line - 1].split()[0]
        first = (codes.split()[0], "prediction.txt", line, item)
        files = {"prediction.txt": content}
        yield Mutation(name, (first,), files, codes=tuple(codes.split()), words="".join(words))


def diarization_mutations() -> Iterator[Mutation]:
    for name, text, words, *rows in (
        ("another language", "1 2 English\n3 4 Malay\n", "'Malay'; expected 'English' or", ("unknown_language", 2)),
        ("a language in small letters", "1 2 english\n", "'english'", ("unknown_language", 1)),
        ("an end before its start", "5 4 English\n", "end 4 is not after start 5", ("empty_span", 1)),
        ("an end at its start", "5 5.0 English\n", "end 5.0 is not after start 5", ("empty_span", 1)),
        ("a time before the beginning", "-1 5 English\n", "start -1", ("negative_time", 1)),
        ("a time of a kilometre", f"-{'0' * 100_000}1 5 English\n", "start '-000", ("negative_time", 1)),
        ("seconds since 1970", "1 1500000000 English\n", "eleven days; expected milliseconds", ("absurd_time", 1)),
        ("a bit more than can be", "1 1000000000.5 English\n", "end 1000000000.5 is more", ("absurd_time", 1)),
        ("an infinite end", "1 inf English\n", "end 'inf'; expected a finite decimal number", ("bad_time", 1)),
        ("a time with an underscore", "1_0 20 English\n", "'1_0'", ("bad_time", 1)),
        ("a decimal comma", "1,5 5 English\n", "a decimal point, not a comma", ("bad_time", 1)),
        ("no number", "nan 5 English\n", "start 'nan'", ("bad_time", 1)),
        ("another order", "English 1 2\n", "start 'English'", ("bad_time", 1), ("unknown_language", 1)),
        ("a field less", "1 2 English\n1 English\n", "2 fields; expected 3", ("wrong_field_count", 2)),
        ("a field more", "1 2 English x\n", "4 fields; expected 3", ("wrong_field_count", 1)),
        ("commas", "1,2,English\n", "1 field; expected 3", ("wrong_field_count", 1)),
        ("RTTM", "SPEAKER x 1 0.5 2.0 <NA> <NA> English <NA>\n", "start, end, language", ("wrong_field_count", 1)),
        ("a header", "start end language\n", "", ("bad_time", 1), ("bad_time", 1), ("unknown_language", 1)),
        ("cut off in mid-line", "1 2 English\n3 4", "", ("wrong_field_count", 2)),
        ("UTF-16", "1 2 English".encode("utf-16"), "UTF-16", ("not_utf8",)),
        ("Latin-1", b"1 2 English\n3 4 English \xe9\n", "0xe9", ("not_utf8", 2)),
        ("a NUL", "1 2 English\n\0", "NUL", ("nul_byte", 2)),
        ("far too large", "1 2 English\n" * 200_000, "larger than", ("file_too_large",)),
        ("more lines than turns can be", "\n" * 40_000, "lines", ("file_too_large",)),
        ("every line wrong", "x\n" * 1000, "", *[("wrong_field_count", line) for line in range(1, 21)]),
    ):  # fmt: skip
        yield Mutation(f"turns: {name}", rows_of("y_1.txt", rows), {**TURNS, "y_1.txt": text}, words=words)
    seconds = {"x_1.txt": "0.6 2.5 English\n2.5 3 Mandarin\n", "y_1.txt": ""}
    words = "all turns end within 3 ms, but recordings last up to 16384 ms"
    yield Mutation("times in seconds", (("not_milliseconds", "", None, None),), seconds, words=words)
    first = {"x_1.txt": TURNS["x_1.txt"]}
    missing = ("missing_file", "y_1.txt", None, None)
    yield Mutation("a recording left out", (missing,), first, words="is missing")
    unknown = ("unexpected_file", "x_2.txt", None, None)
    yield Mutation("a recording under another's name", (missing, unknown), {**first, "x_2.txt": ""})
    words = "is not part of a submission (2 files expected)"
    yield Mutation("a recording more", (unknown,), {**TURNS, "x_2.txt": ""}, words=words)


FIFTY_ONE = {f"{number}.txt": "" for number in range(51)}


def far_too_many() -> Iterator[Mutation]:
    """More files than a submission may have (fifty here) and more entries."""
    for module, where, how in (
        (submission_folder, "files", {"spoil": lambda folder: write_files(folder, FIFTY_ONE)}),
        (submission_zip, "entries", {"archive": zipped(FIFTY_ONE)}),
    ):
        fifty = functools.partial(mock.patch.object, module, "MAX_FILES", 50)
        yield refused(f"more {where} than can be meant", "too_many_files", "", during=fifty, **how)


SUBMISSIONS: dict[str, list[Mutation]] = {}
for _task, _case in CASES.items():
    SUBMISSIONS[_task] = [*folder_mutations(_case.submission), *zip_mutations(_case.submission)]
    if _task in SHEETS:
        SUBMISSIONS[_task] += sheet_mutations(SHEETS[_task])
SUBMISSIONS["merlion_identification"] += identification_mutations()
SUBMISSIONS["merlion_diarization"] += [*diarization_mutations(), *far_too_many()]
