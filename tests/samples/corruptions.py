"""Corruptions of the good submissions of `cases`, each with the refusal that it must get: `SUBMISSIONS[task]`."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from spokeneval.formats import submission_folder
from spokeneval.formats.submission_folder import MAX_FILES, REPORT_FILE
from spokeneval.formats.submission_zip import MAX_BYTES
from tests.samples import merlion_identification as identification
from tests.samples.cases import CASES, IDS, SHEETS, TURNS, Files, Sheet

Row = tuple[str, str, "int | None", "str | None"]
"""Code, file, line, item."""


@dataclass(frozen=True)
class Mutation:
    """A corruption of a submission.

    Attributes
    ----------
    expected: every problem that the refusal holds, in any order; of more than 20 of a code, the first 20. Where
        `codes` says what all of them are, the first one alone.
    files: what the submission holds; or `archive`, its zip.
    spoil: what is done to the folder once the files are there.
    race: what is done to the folder between the listing and the reading of its files.
    after_ingestion: whether the folder is what scoring finds after a prediction step.
    during: a context to read it in.
    words: a part of the message of the problem that comes first in its file.
    """

    name: str
    expected: tuple[Row, ...]
    files: Files | None = None
    archive: bytes | None = None
    spoil: Callable[[Path], object] | None = None
    race: Callable[[Path], object] | None = None
    after_ingestion: bool = False
    codes: tuple[str, ...] = ()
    during: Callable[[], AbstractContextManager[object]] = nullcontext
    words: str = ""


BOM = "\ufeff"


def rows_of(file: str, rows: Iterable[tuple[Any, ...]]) -> tuple[Row, ...]:
    """Problems of a file, each given as its code and, where it has them, its line and item."""
    return tuple((code, file, *where, *[None] * (2 - len(where))) for code, *where in rows)


def sheet_mutations(sheet: Sheet) -> Iterator[Mutation]:
    """Corruptions of a delimited file's text, the same for each task that submits one."""
    first, second, third, last = IDS
    good = list(zip(IDS, sheet.values))
    text = sheet.text()
    tab = sheet.delimiter
    lines = text.splitlines(keepends=True)
    bad_values = [code for code, _ in sheet.wrong.values()][:1]  # none if any text is valid

    def mutation(name: str, content: str | bytes, *rows: tuple[Any, ...], words: str = "") -> Mutation:
        return Mutation(name, rows_of(sheet.file, rows), {sheet.file: content}, words=words)

    def with_second(row: str) -> str:
        return "".join([*lines[:2], row, *lines[3:]])

    gone = ("missing_item", None, second)  # capitals go before small letters where several are missing

    yield mutation("a row dropped", with_second(""), gone, words="expected, 3 found")
    yield mutation("one row for all", sheet.text(good[:1]), gone)
    yield mutation("a header and no row", lines[0], gone, words="expected, 0 found")
    yield mutation("hard items left out", sheet.text(good[2:]), gone)
    yield mutation("a row doubled", text + lines[1], ("duplicate_item", 6, first), words="appears on line 2")
    doubled = [("duplicate_item", line, first) for line in range(6, 26)]
    yield mutation("easy rows doubled many times", text + lines[1] * 1000, *doubled)
    yield mutation("an easy row for a hard one", with_second(lines[1]), ("duplicate_item", 3, first), gone)
    other = lines[1].replace(first, "a-5")
    yield mutation("an item that is not asked for", text + other, ("unknown_item", 6, "a-5"))
    blank = lines[2].replace(second, "")
    unknown = [("unknown_item", 3, "")] if blank.strip() else []  # else the row is empty, and skipped
    yield mutation("a blank id", with_second(blank), *unknown, gone)
    others = "".join(lines[1].replace(first, f"z-{number}") for number in range(25))
    yield mutation("another set's items", lines[0] + others, ("another_set",))
    decimal = lines[0] + lines[1].replace(first, first + ".0") * 25
    misspelt = [("misspelt_item", line, first + ".0") for line in range(2, 22)]
    yield mutation("decimals for all ids", decimal, *misspelt, gone)
    for name, item in {
        "a renamed id": "Zoe-2",
        "a zero-width space in an id": "Zoë\u200b-2",
        "an id in the other normal form": "Zoe\u0308-2",
        "an id in another case": second.upper(),
        "a hyphen of another kind in an id": second.replace("-", "\u2010"),
        "a Greek letter in an id": second.replace("Z", "Ζ"),
        "a full-width digit in an id": second.replace("2", "２"),
        "a spreadsheet's apostrophe": "'" + second,
        "a formula for an id": "=cmd|' /C calc'!A0",
        "HTML for an id": "<script>alert(1)</script>",
        "a terminal escape in an id": "\x1b[2J" + second,
        "text turned around in an id": "\u202e" + second,
        "a path for an id": "../../ref/reference",
        "a kilometre of id": "x" * 4000,
        "a byte-order mark in mid-file": BOM + second,
    }.items():
        content = with_second(lines[2].replace(second, item))
        yield mutation(name, content, ("unknown_item", 3, item), gone)
    for name, item, words in (
        ("a blank after an id", second + " ", "spaces around it"),
        ("a no-break space after an id", second + "\xa0", "spaces around it"),
        ("a blank before an id", " " + second, "spaces around it"),
        ("a spreadsheet's number", second + ".0", "was changed to a decimal by a spreadsheet"),
    ):
        content, words = with_second(lines[2].replace(second, item)), f"{words}; expected {second}"
        yield mutation(name, content, ("misspelt_item", 3, item), words=words)
    shifted = sheet.text(list(zip(["", *IDS[:-1]], sheet.values)))
    unknown = [("unknown_item", 2, "")] if sheet.values[0] else []  # else the row is empty, and skipped
    yield mutation("ids shifted by a line", shifted, *unknown, ("missing_item", None, last))
    twice = "".join(f"{line[:-1]}{tab}{line[:-1].partition(tab)[2]}\n" for line in lines)
    for name, content, code, words in (
        ("no header", text.replace(lines[0], ""), "missing_column", sheet.id),
        ("a column renamed", text.replace(sheet.value, "x", 1), "missing_column", sheet.value),
        ("a column twice", twice, "duplicate_column", sheet.value),
    ):
        yield mutation(name, content, (code, 1), words=words)
    for other, called in ((",", "commas"), ("\t", "tabs"), (";", "semicolons"), (" ", "blanks")):
        if other != tab:
            words = "" if other == " " else f"{called}; expected {'commas' if tab == ',' else 'tabs'}"
            content = text.replace(tab, other)
            yield mutation(f"{called} between the fields", content, ("missing_column", 1), words=words)
    yield mutation(
        "the columns' names swapped",
        text.replace(lines[0], f"{sheet.value}{tab}{sheet.id}\n"),
        *[("unknown_item", line, value) for line, value in enumerate(sheet.values, 2)],
        *[(code, line, value) for code in bad_values for line, value in enumerate(sheet.values, 2)],
        gone,
    )
    more, fewer = with_second(lines[2][:-1] + f"{tab}x\n"), with_second(second + "\n")
    yield mutation("a field more", more, ("wrong_field_count", 3), gone, words="3 fields ")
    yield mutation("a field less", fewer, ("wrong_field_count", 3), gone, words="1 field ")
    cut = text[: text.rindex(last) + len(last)]
    yield mutation("cut off in mid-row", cut, ("wrong_field_count", 5), ("missing_item", None, last))
    yield mutation("cut off after two rows", "".join(lines[:3]), ("missing_item", None, third))
    yield mutation("an open quotation mark", with_second('"' + lines[2]), ("unclosed_quote", 3), gone)
    broken = with_second(f'"Zoë\n-2"{lines[2].replace(second, "")}')
    yield mutation("a quoted line break", broken, ("unclosed_quote", 3), ("unknown_item", 4, '-2"'), gone)
    wide = lines[0][:-1] + tab + tab.join(["x"] * 10_000) + "\n" + "".join(lines[1:])
    yield mutation("ten thousand columns", wide, *[("wrong_field_count", line) for line in range(2, 6)], gone)
    for name, content, *row in (
        ("a line of a hundred thousand fields", with_second(tab * 100_000 + "\n"), "file_too_large", 3),
        ("ten thousand rows", text + lines[1] * 10_000, "file_too_large"),
        ("nothing in it", "", "empty_file"),
        ("line ends alone", "\n\r\n\n", "empty_file"),
        ("a byte-order mark alone", BOM, "empty_file"),
        ("a blank", " ", "missing_column", 1),
        ("JSON", '{"a-1": 1}\n', "missing_column", 1),
        ("an error page", "<!DOCTYPE html><html><body>Not found</body></html>", "missing_column", 1),
        ("two byte-order marks", BOM * 2 + text, "missing_column", 1),
        ("UTF-16", text.encode("utf-16"), "not_utf8"),
        ("UTF-16 without a mark", text.encode("utf-16-le"), "nul_byte", 1),
        ("UTF-32", text.encode("utf-32"), "not_utf8"),
        ("Latin-1", text.encode("latin-1"), "not_utf8", 3),
        ("overlong UTF-8", text.encode().replace("ë".encode(), b"\xc0\xaf"), "not_utf8", 3),
        ("a surrogate", text.encode().replace("ë".encode(), b"\xed\xa0\x80"), "not_utf8", 3),
        ("compressed", gzip.compress(text.encode(), mtime=0), "not_text"),
        ("an Excel workbook", zipped({"xl/workbook.xml": "<workbook/>"}), "not_text"),
        ("a NUL", text.replace("Zoë", "Zo\0ë"), "nul_byte", 3),
        ("carriage returns for line ends", text.replace("\n", "\r"), "carriage_return", 1),
        ("a carriage return in a row", text.replace("Zoë", "Zoë\r"), "carriage_return", 3),
        ("a file far too large", text + "\n" * 2_000_000, "file_too_large"),
    ):
        yield mutation(name, content, tuple(row))
    for value, (code, words) in sheet.wrong.items():
        content = with_second(f"{second}{tab}{value}\n")
        yield mutation(f"the value {value!r}", content, (code, 3, second), words=words)


def refused(name: str, code: str, file: str, files: Files | None = None, **how: Any) -> Mutation:
    """A corruption with one problem: of a file, or of the whole submission if `file` is empty."""
    return Mutation(name, ((code, file, None, None),), files, **how)


def folder_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of the folder around the files, the same for every task."""
    file = next(iter(good))
    stem, ending = file.rsplit(".", 1)
    others = {name: content for name, content in good.items() if name != file}
    missing = tuple(("missing_file", name, None, None) for name in good)

    def extra(name: str) -> Row:
        return "unexpected_file", name, None, None

    yield Mutation("no file", missing, {}, words="is missing; the submission is empty")
    names = {
        file.upper(): "rename it",
        f"{stem}.old.{ending}": "rename it",
        file + ".txt": "rename it",
        stem + ".xlsx": f"is missing; found the spreadsheet {stem}.xlsx",
        stem + ".rttm": "write its turns as lines of start, end and language",
    }
    odd = [" " + file, file + "\n", file + "\xa0", file[:-1] + "ꞓ"]
    odd += [before + file for before in ("<b>", "\x1b[2J", "=")]
    for name, words in {**names, **dict.fromkeys(odd, "is missing")}.items():
        files = {**others, name: good[file]}
        yield Mutation(f"the file named {name!r}", (missing[0], extra(name)), files, words=words)
    for name in (
        *("notes.txt", "scores.json", "scores.txt", "detailed_results.html", "signature.txt"),
        *("statistics.json", "options.json", "score.py", "reference.csv", "labels.csv", "submission.zip"),
        *(REPORT_FILE, "metadata.yml", "Metadata", "=cmd|calc", "<img src=x onerror=alert(1)>", "a\nb"),
        *(
            "\x1b]0;x\x07",
            "x" * 250,
            ".scores.json.unfinished",
            "spokeneval.py",
            "\u202etxt.exe",
            "a\rb",
            "%s{0}",
        ),
    ):
        words = "put its files directly into the submission's zip" if name.endswith("zip") else ""
        yield Mutation(f"the file {name!r} more", (extra(name),), {**good, name: "accepted"}, words=words)
    sheet = "text format that the task's page describes"
    yield Mutation("a spreadsheet more", (extra("x.ods"),), {**good, "x.ods": "x"}, words=sheet)
    for name, files in {
        "an Excel workbook for a zip": ("[Content_Types].xml", "_rels/x", "docProps/x", "xl/x"),
        "a LibreOffice document for a zip": ("content.xml", "mimetype", "META-INF/manifest.xml"),
        "a Word document for a zip": ("[Content_Types].xml", "_rels/x", "docProps/x", "word/document.xml"),
        "a PowerPoint presentation for a zip": ("[Content_Types].xml", "_rels/x", "ppt/slides/x"),
    }.items():
        yield refused(name, "workbook", "", dict.fromkeys(files, ""), words=name.partition(" for ")[0])
    kit = {"README.md": "", "try_submission.py": "", "spokeneval/__init__.py": "", "development/input/x": ""}
    for where in ("", "kit/"):
        files = {f"{where}{name}": content for name, content in kit.items()}
        yield refused(f"the starting kit in {where!r}", "starting_kit", "", files, words="the starting kit")
    yield Mutation("an archive more", (extra("x.tar.gz"),), {**good, "x.tar.gz": "x"}, words="unpack it")
    slashed = {f"mine\\{name}": content for name, content in good.items()}
    backslashes = tuple(("backslash", name, None, None) for name in slashed)
    yield Mutation("backslashes for slashes", backslashes, slashed)
    for name in ("metadata", "metadata.yaml"):
        for text in ("command: python3 -c pass\n", "exitCode: 0\n", ""):
            files = {**good, name: text}
            yield refused(f"a {name} that says {text!r}", "metadata_file", name, files)
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


def zip_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of the zip, the same for every task."""
    file = next(iter(good))
    whole = zipped(good)
    for name, archive, code in (
        ("no zip at all", b"Id\tAccept\n", "bad_zip"),
        ("an empty upload", b"", "bad_zip"),
        ("a zip cut off", whole[: len(whole) // 2], "bad_zip"),
        ("a zip without its beginning", whole[40:], "bad_zip"),
        ("another format", gzip.compress(b"x"), "bad_zip"),
        ("a RAR archive", b"Rar!\x1a\x07\1\0" + bytes(99), "bad_zip"),
        ("a 7-Zip archive", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(99), "bad_zip"),
        ("a tar archive", _tar(good), "bad_zip"),
        ("a byte changed", _changed(whole, good), "bad_zip"),
        ("a size that lies", _patched(whole, 24, 3, 4), "bad_zip"),
        ("a size above all bounds", _patched(whole, 24, MAX_BYTES + 1, 4), "zip_too_large"),
        ("entries that overlap", _overlapping(good), "bad_zip"),
        ("a file that is a folder too", zipped({**good, f"{file}/x": "x"}), "unsafe_entry"),
    ):
        yield refused(name, code, "", archive=archive)
    for name, archive, code in (
        ("an unknown compression", _with_method(whole, 99), "bad_zip"),
        ("LZMA, which may ask for gigabytes", _with_method(whole, zipfile.ZIP_LZMA), "bad_zip"),
        ("bzip2", _with_method(whole, zipfile.ZIP_BZIP2), "bad_zip"),
        ("an encrypted zip", _patched(whole, 8, 1, 2), "encrypted_zip"),
        ("a link in the zip", _linked(file), "link"),
        ("an entry twice", zipped([*good.items(), (file, "x")]), "duplicate_entry"),
    ):
        yield refused(name, code, file, archive=archive)
    slashed = f"mine\\{file}"
    yield refused("a backslash in the zip", "backslash", slashed, archive=zipped({slashed: "x"}))
    again = "./" + file
    twice = zipped([*good.items(), (again, "x")])
    yield refused("an entry twice, in other words", "duplicate_entry", again, archive=twice)
    for name in (
        *("../" + file, "a/../../ref/x", "/etc/passwd", "..\\" + file, "C:/x", "c:x", "../../ref"),
        *("/", ".", "./", "x" * 300, "d/" * 1500 + "x"),
    ):
        yield refused(f"the entry {name!r}", "unsafe_entry", name, archive=zipped({**good, name: "x"}))


def zipped(files: Files | list[tuple[str, str | bytes]]) -> bytes:
    """A zip of exactly these entries, including repeated names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _patched(archive: bytes, offset: int, value: int, size: int) -> bytes:
    """A zip with a changed field in the first entry of its central directory; `offset` as in the specification."""
    changed = bytearray(archive)
    start = archive.index(b"PK\x01\x02") + offset
    changed[start : start + size] = value.to_bytes(size, "little")
    return bytes(changed)


def _with_method(archive: bytes, method: int) -> bytes:
    changed = bytearray(_patched(archive, 10, method, 2))
    changed[8:10] = method.to_bytes(2, "little")
    return bytes(changed)


def _changed(archive: bytes, good: Files) -> bytes:
    start = 30 + len(next(iter(good)).encode())
    return archive[: start + 2] + bytes([archive[start + 2] ^ 0x55]) + archive[start + 3 :]


def _tar(files: Files) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in files:
            archive.addfile(tarfile.TarInfo(name))
    return buffer.getvalue()


def _linked(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "../ref/reference.csv")
    return buffer.getvalue()


def _overlapping(good: Files) -> bytes:
    """Two entries of the directory that share one entry's bytes."""
    archive = zipped({**good, "other": next(iter(good.values()))})
    second = archive.index(b"PK\x01\x02", archive.index(b"PK\x01\x02") + 1)
    while archive[second + 46 : second + 51] != b"other":
        second = archive.index(b"PK\x01\x02", second + 1)
    return archive[: second + 42] + bytes(4) + archive[second + 46 :]


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
        ("a look-alike of a language", "1 2 Еnglish\n", "'Еnglish'", ("unknown_language", 1)),
        ("an end before its start", "5 4 English\n", "end 4 is not after start 5", ("empty_span", 1)),
        ("an end at its start", "5 5.0 English\n", "end 5.0 is not after start 5", ("empty_span", 1)),
        ("a time before the beginning", "-1 5 English\n", "start -1", ("negative_time", 1)),
        ("a time of a kilometre", f"-{'0' * 100_000}1 5 English\n", "start '-000", ("negative_time", 1)),
        ("seconds since 1970", "1 1500000000 English\n", "eleven days; expected milliseconds", ("absurd_time", 1)),
        ("a bit more than can be", "1 1000000000.5 English\n", "end 1000000000.5 is more", ("absurd_time", 1)),
        ("an infinite end", "1 inf English\n", "end 'inf'; expected a finite decimal number", ("bad_time", 1)),
        ("an end too large for a number", "1 1e999 English\n", "'1e999'", ("bad_time", 1)),
        ("a hexadecimal time", "0x1p3 9 English\n", "'0x1p3'", ("bad_time", 1)),
        ("a time with an underscore", "1_0 20 English\n", "'1_0'", ("bad_time", 1)),
        ("a decimal comma", "1,5 5 English\n", "a decimal point, not a comma", ("bad_time", 1)),
        ("no number", "nan 5 English\n", "start 'nan'", ("bad_time", 1)),
        ("a formula", "=1+1 5 English\n", "start '=1+1'", ("bad_time", 1)),
        ("another order", "English 1 2\n", "start 'English'", ("bad_time", 1), ("unknown_language", 1)),
        ("a field less", "1 2 English\n1 English\n", "2 fields; expected 3", ("wrong_field_count", 2)),
        ("a field more", "1 2 English x\n", "4 fields; expected 3", ("wrong_field_count", 1)),
        ("commas", "1,2,English\n", "1 field; expected 3", ("wrong_field_count", 1)),
        ("RTTM", "SPEAKER x 1 0.5 2.0 <NA> <NA> English <NA>\n", "start, end, language", ("wrong_field_count", 1)),
        ("a header", "start end language\n", "", ("bad_time", 1), ("bad_time", 1), ("unknown_language", 1)),
        ("cut off in mid-line", "1 2 English\n3 4", "", ("wrong_field_count", 2)),
        ("two byte-order marks", "\ufeff\ufeff1 2 English\n", "", ("bad_time", 1)),
        ("UTF-16", "1 2 English".encode("utf-16"), "UTF-16", ("not_utf8",)),
        ("Latin-1", b"1 2 English\n3 4 English \xe9\n", "0xe9", ("not_utf8", 2)),
        ("a NUL", "1 2 English\n\0", "NUL", ("nul_byte", 2)),
        ("carriage returns for line ends", "1 2 English\r3 4 English\r", "carriage return", ("carriage_return", 1)),
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


def far_too_many() -> Iterator[Mutation]:
    """More files than a submission may have (fifty here, because files take time to make) and more entries."""
    how: dict[str, Any] = {"during": lambda: mock.patch.object(submission_folder, "MAX_FILES", 50)}
    how["spoil"] = lambda folder: [(folder / f"{number}.txt").touch() for number in range(51)]
    yield refused("more files than can be meant", "too_many_files", "", **how)
    entries = zipped({str(number): "" for number in range(MAX_FILES + 1)})
    yield refused("more entries than can be meant", "too_many_files", "", archive=entries)


SUBMISSIONS: dict[str, list[Mutation]] = {}
for _task, _case in CASES.items():
    SUBMISSIONS[_task] = [*folder_mutations(_case.submission), *zip_mutations(_case.submission)]
    if _task in SHEETS:
        SUBMISSIONS[_task] += sheet_mutations(SHEETS[_task])
SUBMISSIONS["merlion_identification"] += identification_mutations()
SUBMISSIONS["merlion_diarization"] += [*diarization_mutations(), *far_too_many()]
