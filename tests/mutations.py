"""Corruptions of good submissions and references, each with the refusal that it must get.

`CASES` holds, for each task, two small references of the same items with other labels, and a submission that
scores against both. `SUBMISSIONS[task]` and `REFERENCES[task]` are the corruptions. All data are synthetic.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from spokeneval.submissions import folder as folder_reader
from spokeneval.submissions import psst_recognition
from spokeneval.submissions.archive import MAX_BYTES
from spokeneval.submissions.folder import MAX_FILES, REPORT_FILE
from tests import test_merlion_identification as identification

Row = tuple[str, str, "int | None", "str | None"]
"""Code, file, line, item."""

Files = Mapping[str, "str | bytes"]


@dataclass(frozen=True)
class Case:
    """A task in small: a reference, the same items with other labels, and a submission without fault."""

    task: str
    reference: Files
    relabelled: Files
    submission: Files


@dataclass(frozen=True)
class Mutation:
    """A corruption of a submission.

    Attributes
    ----------
    expected: every problem that the refusal holds, in any order; of more than 20, the first 20. Where `codes` says
        what all of them are, the first one alone.
    files: what the submission holds; or `archive`, its zip.
    spoil: what is done to the folder once the files are there.
    race: what is done to the folder between the listing and the reading of its files.
    after_ingestion: whether the folder is what scoring finds after a prediction step.
    during: a context to read it in.
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


@dataclass(frozen=True)
class BadReference:
    """A corruption of a reference, and every problem that its refusal holds."""

    name: str
    files: Files
    expected: tuple[Row, ...]
    during: Callable[[], AbstractContextManager[object]] = nullcontext


@dataclass(frozen=True)
class Sheet:
    """A submission of one delimited file, and values that it may not hold, each with the refusal's code."""

    file: str
    delimiter: str
    id: str
    value: str
    values: tuple[str, ...]
    wrong: Mapping[str, str]

    def text(self, rows: list[tuple[str, str]] | None = None) -> str:
        rows = list(zip(IDS, self.values, strict=True)) if rows is None else rows
        lines = [(self.id, self.value), *rows]
        return "".join(f"{self.cell(item)}{self.delimiter}{value}\n" for item, value in lines)

    def cell(self, text: str) -> str:
        return f'"{text}"' if self.delimiter in text else text


IDS = ("a-1", "Zoë-2", "a-3", "a-4")


def _words(code: str, *words: str) -> dict[str, str]:
    return dict.fromkeys(words, code)


SHEETS = {
    "spoken_call": Sheet(
        "results.csv",
        "\t",
        "Id",
        "Accept",
        ("accept", "reject", "reject", "accept"),
        _words("unknown_value", "acept", "Accept", "", "accept ", " reject", "1", "accept,reject", "аccept"),
    ),
    "caller_experience": Sheet(
        "ratings.csv",
        ",",
        "call_id",
        "rating",
        ("1", "3", "5", "4"),
        _words(
            "off_scale", "0", "6", "-1", "3.0", "3e0", "+3", "03", "three", "nan", "", " 3", "0x3", "３", "٣"
        ),
    ),
    "psst_recognition": Sheet(
        "transcripts.tsv",
        "\t",
        "utterance_id",
        "asr_transcript",
        ("K AE T", "", "HH AW S", "D AO <sil> G"),
        _words("unknown_phone", "AE0", "ae", "KAE", "<SIL>", "K,AE", "K\u200bAE", "ＡＥ", "=K", "\x1b[2JAE"),
    ),
    "psst_correctness": Sheet(
        "correctness.tsv",
        "\t",
        "utterance_id",
        "prediction",
        ("true", "FALSE", "false", "True"),
        _words("unknown_value", "yes", "1", "0.5", "", " true", "truе", "true;"),
    ),
    "content_accuracy": Sheet(
        "predictions.csv",
        ",",
        "response_id",
        "score",
        ("1.5", "3", "-0.25e1", "4"),
        {
            **_words(
                "not_a_number", "nan", "inf", "-Infinity", "1e999", "-1e400", "0x1p3", "1_000", '"2,5"', ""
            ),
            **_words("not_a_number", "٣", "1e", "--1", "=1+1", " 1", "1 ", "1d2", "three", "1e+", "2½"),
            **_words("out_of_bounds", "1000.1", "-1e6", "1e308"),
        },
    ),
}

BOM = "\ufeff"


def _row(code: str, line: int | None = None, item: str | None = None) -> tuple[str, int | None, str | None]:
    return code, line, item


def sheet_mutations(sheet: Sheet) -> Iterator[Mutation]:
    """Corruptions of a delimited file's text, the same for each task that submits one."""
    first, second, third, last = IDS
    good = list(zip(IDS, sheet.values, strict=True))
    text = sheet.text()
    tab = sheet.delimiter
    lines = text.splitlines(keepends=True)
    bad_value = next(iter(sheet.wrong.values()))

    def mutation(name: str, content: str | bytes, *rows: tuple[str, int | None, str | None]) -> Mutation:
        expected = tuple((code, sheet.file, line, item) for code, line, item in rows)
        return Mutation(name, expected, {sheet.file: content})

    def with_second(row: str) -> str:
        return "".join([*lines[:2], row, *lines[3:]])

    gone = _row("missing_item", None, second)

    yield mutation("a row dropped", with_second(""), gone)
    yield mutation("one row for all", sheet.text(good[:1]), gone)
    yield mutation("a header and no row", lines[0], _row("missing_item", None, first))
    yield mutation("hard items left out", sheet.text(good[2:]), _row("missing_item", None, first))
    yield mutation("a row doubled", text + lines[1], _row("duplicate_item", 6, first))
    yield mutation(
        "easy rows doubled many times",
        text + lines[1] * 1000,
        *[_row("duplicate_item", line, first) for line in range(6, 26)],
    )
    yield mutation(
        "an easy row in place of a hard one", with_second(lines[1]), _row("duplicate_item", 3, first), gone
    )
    yield mutation(
        "an item that is not asked for", text + lines[1].replace(first, "a-5"), _row("unknown_item", 6, "a-5")
    )
    blank = lines[2].replace(second, "")
    unknown = [_row("unknown_item", 3, "")] if blank.strip() else []  # else the row is empty, and skipped
    yield mutation("a blank id", with_second(blank), *unknown, gone)
    others = "".join(lines[1].replace(first, f"z-{number}") for number in range(25))
    yield mutation("another set's items", lines[0] + others, _row("another_set"))
    for name, item in {
        "a renamed id": "Zoe-2",
        "a blank after an id": second + " ",
        "a no-break space after an id": second + "\xa0",
        "a zero-width space in an id": "Zoë\u200b-2",
        "an id in the other normal form": "Zoe\u0308-2",
        "an id in another case": second.upper(),
        "a Greek letter in an id": second.replace("Z", "Ζ"),
        "a full-width digit in an id": second.replace("2", "２"),
        "a spreadsheet's number": second + ".0",
        "a spreadsheet's apostrophe": "'" + second,
        "a formula for an id": "=cmd|' /C calc'!A0",
        "HTML for an id": "<script>alert(1)</script>",
        "a terminal escape in an id": "\x1b[2J" + second,
        "text turned around in an id": "\u202e" + second,
        "a path for an id": "../../ref/reference",
        "a kilometre of id": "x" * 4000,
        "a byte-order mark in mid-file": BOM + second,
    }.items():
        yield mutation(name, with_second(lines[2].replace(second, item)), _row("unknown_item", 3, item), gone)
    yield mutation(
        "ids shifted by a line",
        sheet.text(list(zip(["", *IDS[:-1]], sheet.values, strict=True))),
        _row("unknown_item", 2, ""),
        _row("missing_item", None, last),
    )
    yield mutation("no header", text.replace(lines[0], ""), _row("missing_column", 1))
    yield mutation("a column renamed", text.replace(sheet.value, "value", 1), _row("missing_column", 1))
    yield mutation(
        "a column twice",
        "".join(f"{line[:-1]}{tab}{line[:-1].partition(tab)[2]}\n" for line in lines),
        _row("duplicate_column", 1),
    )
    for other, called in ((",", "commas"), ("\t", "tabs"), (";", "semicolons"), (" ", "blanks")):
        if other != tab:
            yield mutation(
                f"{called} between the fields", text.replace(tab, other), _row("missing_column", 1)
            )
    yield mutation(
        "the columns' names swapped",
        text.replace(lines[0], f"{sheet.value}{tab}{sheet.id}\n"),
        *[_row("unknown_item", line, value) for line, value in enumerate(sheet.values, 2)],
        *[_row(bad_value, line, value) for line, value in enumerate(sheet.values, 2)],
        _row("missing_item", None, first),
    )
    yield mutation(
        "a field more", with_second(lines[2][:-1] + f"{tab}x\n"), _row("wrong_field_count", 3), gone
    )
    yield mutation("a field less", with_second(second + "\n"), _row("wrong_field_count", 3), gone)
    yield mutation(
        "cut off in mid-row",
        text[: text.rindex(last) + len(last)],
        _row("wrong_field_count", 5),
        _row("missing_item", None, last),
    )
    yield mutation("cut off after two rows", "".join(lines[:3]), _row("missing_item", None, third))
    yield mutation("an open quotation mark", with_second('"' + lines[2]), _row("unclosed_quote", 3), gone)
    yield mutation(
        "a quoted line break",
        with_second(f'"Zoë\n-2"{lines[2].replace(second, "")}'),
        _row("unclosed_quote", 3),
        _row("unknown_item", 4, '-2"'),
        gone,
    )
    yield mutation(
        "ten thousand columns",
        lines[0][:-1] + tab + tab.join(["x"] * 10_000) + "\n" + "".join(lines[1:]),
        *[_row("wrong_field_count", line) for line in range(2, 6)],
        _row("missing_item", None, first),
    )
    yield mutation(
        "a line of a hundred thousand fields", with_second(tab * 100_000 + "\n"), _row("file_too_large", 3)
    )
    yield mutation("ten thousand rows", text + lines[1] * 10_000, _row("file_too_large"))
    yield mutation("nothing in it", "", _row("empty_file"))
    yield mutation("line ends alone", "\n\r\n\n", _row("empty_file"))
    yield mutation("a byte-order mark alone", BOM, _row("empty_file"))
    yield mutation("a blank", " ", _row("missing_column", 1))
    yield mutation("JSON", '{"a-1": 1}\n', _row("missing_column", 1))
    yield mutation(
        "an error page", "<!DOCTYPE html><html><body>Not found</body></html>", _row("missing_column", 1)
    )
    yield mutation("two byte-order marks", BOM * 2 + text, _row("missing_column", 1))
    yield mutation("UTF-16", text.encode("utf-16"), _row("not_utf8"))
    yield mutation("UTF-16 without a mark", text.encode("utf-16-le"), _row("nul_byte", 1))
    yield mutation("UTF-32", text.encode("utf-32"), _row("not_utf8"))
    yield mutation("Latin-1", text.encode("latin-1"), _row("not_utf8", 3))
    yield mutation("overlong UTF-8", text.encode().replace("ë".encode(), b"\xc0\xaf"), _row("not_utf8", 3))
    yield mutation("a surrogate", text.encode().replace("ë".encode(), b"\xed\xa0\x80"), _row("not_utf8", 3))
    yield mutation("compressed", gzip.compress(text.encode(), mtime=0), _row("not_text"))
    yield mutation("an Excel workbook", zipped({"xl/workbook.xml": "<workbook/>"}), _row("not_text"))
    yield mutation("a NUL", text.replace("Zoë", "Zo\0ë"), _row("nul_byte", 3))
    yield mutation("carriage returns for line ends", text.replace("\n", "\r"), _row("carriage_return", 1))
    yield mutation("a carriage return in a row", text.replace("Zoë", "Zoë\r"), _row("carriage_return", 3))
    yield mutation("a file far too large", text + "\n" * 2_000_000, _row("file_too_large"))
    for value, code in sheet.wrong.items():
        yield mutation(f"the value {value!r}", with_second(f"{second}{tab}{value}\n"), _row(code, 3, second))


def folder_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of what lies around the files, the same for every task."""
    file = next(iter(good))
    others = {name: content for name, content in good.items() if name != file}
    missing = ("missing_file", file, None, None)

    def extra(name: str) -> Row:
        return "unexpected_file", name, None, None

    yield Mutation("no file", tuple(("missing_file", name, None, None) for name in good), {})
    stem = file.rsplit(".", 1)[0]
    for name in (
        file.upper(),
        file + ".txt",
        stem + ".xlsx",
        " " + file,
        file + "\n",
        file + "\xa0",
        "<b>" + file,
        "\x1b[2J" + file,
        "=" + file,
        file[:-1] + "ꞓ",
    ):
        yield Mutation(f"the file named {name!r}", (missing, extra(name)), {**others, name: good[file]})
    for name in (
        *(
            "notes.txt",
            "scores.json",
            "scores.txt",
            "detailed_results.html",
            "signature.txt",
            "statistics.json",
        ),
        *("options.json", "score.py", "reference.csv", "labels.csv", "submission.zip", REPORT_FILE),
        *(
            "metadata.yml",
            "Metadata",
            "=cmd|calc",
            "<img src=x onerror=alert(1)>",
            "a\nb",
            "\x1b]0;x\x07",
            "x" * 250,
        ),
    ):
        yield Mutation(f"the file {name!r} more", (extra(name),), {**good, name: "accepted"})
    for name in ("metadata", "metadata.yaml"):
        for text in ("command: python3 -c pass\n", "exitCode: 0\n", ""):
            yield Mutation(
                f"a {name} that says {text!r}", (("metadata_file", name, None, None),), {**good, name: text}
            )
        inner = {f"mine/{each}": content for each, content in good.items()}
        yield Mutation(f"a folder with a {name}", (extra(name),), {**inner, f"mine/{name}": "command: x\n"})
    nested = ("nested_folder", "", None, None)
    yield Mutation("two folders", (nested,), {f"{place}/{file}": good[file] for place in "ab"})
    yield Mutation("a folder beside the files", (nested,), {**good, "code/run.py": ""})
    yield Mutation("a folder in a folder", (nested,), {f"a/b/{name}": text for name, text in good.items()})
    yield Mutation(
        "a folder of the file's name",
        (*(("missing_file", name, None, None) for name in good), extra("x")),
        {f"{file}/x": good[file]},
    )
    yield Mutation(
        "a folder of the file's name, and files", (nested,), {**others, f"{file}/a/b": "", "c/d": ""}
    )
    for name, target in {
        "a link to the reference": "../ref",
        "a link out of the submission": "/etc/hostname",
        "a link to itself": file,
    }.items():
        link = ("link", file, None, None)
        yield Mutation(name, (link,), others, spoil=lambda folder, to=target: (folder / file).symlink_to(to))
    yield Mutation(
        "a folder that is a link",
        (("link", "mine", None, None),),
        {},
        spoil=lambda folder: (folder / "mine").symlink_to(folder.parent),
    )
    special = ("special_file", file, None, None)
    yield Mutation("a pipe", (special,), others, spoil=lambda folder: os.mkfifo(folder / file))
    unreadable = ("unreadable_file", file, None, None)

    def becomes(make: Callable[[Path], object]) -> Callable[[Path], object]:
        def race(folder: Path) -> None:
            (folder / file).unlink()
            make(folder / file)

        return race

    yield Mutation(
        "a file that becomes a link",
        (unreadable,),
        good,
        race=becomes(lambda path: path.symlink_to("/etc/hostname")),
    )
    yield Mutation("a file that becomes a pipe", (unreadable,), good, race=becomes(os.mkfifo))
    yield Mutation("a file that becomes a folder", (unreadable,), good, race=becomes(Path.mkdir))
    yield Mutation("a file that disappears", (unreadable,), good, race=becomes(lambda path: None))
    report = ("not_accepted", REPORT_FILE, None, None)
    for text in ("", "accepted", "refused", "structure accepted, 4 items checked.\n"):
        yield Mutation(
            f"a report that says {text!r}", (report,), {**good, REPORT_FILE: text}, after_ingestion=True
        )
    yield Mutation(
        "a report that is a link",
        (("link", REPORT_FILE, None, None),),
        good,
        spoil=lambda folder: (folder / REPORT_FILE).symlink_to("/etc/hostname"),
        after_ingestion=True,
    )
    yield Mutation(
        "a report that becomes a link",
        (("unreadable_file", REPORT_FILE, None, None),),
        good,
        race=lambda folder: (folder / REPORT_FILE).symlink_to("/etc/hostname"),
        after_ingestion=True,
    )
    yield Mutation(
        "a command in what looks like the platform's metadata",
        (("metadata_file", "metadata", None, None),),
        {**good, "metadata": "exitCode: 0\ncommand: python3 x.py\n"},
        after_ingestion=True,
    )


def zip_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of the zip, the same for every task."""
    file = next(iter(good))
    whole = zipped(good)

    def refused(name: str, archive: bytes, code: str, entry: str = "") -> Mutation:
        return Mutation(name, ((code, entry, None, None),), archive=archive)

    yield refused("no zip at all", b"Id\tAccept\n", "bad_zip")
    yield refused("an empty upload", b"", "bad_zip")
    yield refused("a zip cut off", whole[: len(whole) // 2], "bad_zip")
    yield refused("a zip without its beginning", whole[40:], "bad_zip")
    yield refused("another format", gzip.compress(b"x"), "bad_zip")
    yield refused("a byte changed", _changed(whole, good), "bad_zip")
    yield refused("a size that lies", _with_size(whole, 3), "bad_zip")
    yield refused("a size above all bounds", _with_size(whole, MAX_BYTES + 1), "zip_too_large")
    yield refused("an unknown compression", _with_method(whole, 99), "bad_zip", file)
    yield refused("LZMA, which may ask for gigabytes", _with_method(whole, zipfile.ZIP_LZMA), "bad_zip", file)
    yield refused("bzip2", _with_method(whole, zipfile.ZIP_BZIP2), "bad_zip", file)
    yield refused("entries that overlap", _overlapping(good), "bad_zip")
    yield refused("an encrypted zip", _encrypted(good), "encrypted_zip", file)
    for name in ("../" + file, "a/../../ref/x", "/etc/passwd", "..\\" + file, "C:/x", "c:x", "../../ref"):
        yield refused(f"the entry {name}", zipped({**good, name: "x"}), "unsafe_entry", name)
    for name in ("/", ".", "./"):
        yield refused(f"the entry {name!r}", zipped({**good, name: "x"}), "unsafe_entry", name)
    yield refused("an entry of a kilometre", zipped({**good, "x" * 300: "x"}), "unsafe_entry", "x" * 300)
    deep = "d/" * 1500 + "x"
    yield refused("a thousand folders deep", zipped({**good, deep: "x"}), "unsafe_entry", deep)
    yield refused("a link in the zip", _linked(good, file), "link", file)
    yield refused("an entry twice", zipped([*list(good.items()), (file, "x")]), "duplicate_entry", file)
    yield refused(
        "an entry twice, in other words",
        zipped([*list(good.items()), ("./" + file, "x")]),
        "duplicate_entry",
        "./" + file,
    )
    yield refused("a file that is a folder too", zipped({**good, f"{file}/x": "x"}), "unsafe_entry")


def zipped(files: Files | list[tuple[str, str | bytes]]) -> bytes:
    """A zip of exactly these entries, a name that stands twice included."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _patched(archive: bytes, offset: int, value: int, size: int) -> bytes:
    """A field of the first entry of the central directory, changed; `offset` as in the format's appendix."""
    changed = bytearray(archive)
    start = archive.index(b"PK\x01\x02") + offset
    changed[start : start + size] = value.to_bytes(size, "little")
    return bytes(changed)


def _with_size(archive: bytes, size: int) -> bytes:
    return _patched(archive, 24, size, 4)


def _with_method(archive: bytes, method: int) -> bytes:
    changed = bytearray(_patched(archive, 10, method, 2))
    changed[8:10] = method.to_bytes(2, "little")
    return bytes(changed)


def _changed(archive: bytes, good: Files) -> bytes:
    start = 30 + len(next(iter(good)).encode())
    return archive[: start + 2] + bytes([archive[start + 2] ^ 0x55]) + archive[start + 3 :]


def _encrypted(good: Files) -> bytes:
    return _patched(zipped(good), 8, 1, 2)


def _linked(good: Files, name: str) -> bytes:
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


# The cases


def _table(delimiter: str, header: str, *rows: str) -> str:
    lines = [header.replace(" ", delimiter), *(row.replace("|", delimiter) for row in rows)]
    return "".join(line + "\n" for line in lines)


def _spoken_call(*labels: str) -> Files:
    rows = [
        f"{item}|Frag: Wasser|{language}correct|{meaning}correct"
        for item, language, meaning in (
            (item, *label.split("/")) for item, label in zip(IDS, labels, strict=True)
        )
    ]
    return {"reference.csv": _table("\t", "Id Prompt language meaning", *rows)}


def _utterances(labels: list[tuple[str, str]]) -> Files:
    rows = [
        f"{item}|s|BNT|cat|{phones}|{correct}|70|16000|{number}.wav"
        for number, (item, (phones, correct)) in enumerate(zip(IDS, labels, strict=True))
    ]
    header = "utterance_id session test prompt transcript correctness aq_index duration_frames filename"
    return {"utterances.tsv": _table("\t", header, *rows)}


def _ratings(*rows: str) -> Files:
    lines = [f"{item}|{row}" for item, row in zip(IDS, rows, strict=True)]
    return {"reference.csv": _table(",", "call_id human1 human2 human3", *lines)}


def _human_scores(*rows: str) -> Files:
    lines = [f"{item}|p|s{item}|{row}" for item, row in zip(IDS, rows, strict=True)]
    return {"reference.csv": _table(",", "response_id prompt_id speaker_id human_score words", *lines)}


UTTERANCES = [("K AE T", "TRUE"), ("D AO G", "FALSE"), ("", "FALSE"), ("<spn> HH", "TRUE")]

REGIONS = "x_1.wav,500,10000\ny_1.wav,0,2000\n"


def _labels(tags: str, lengths: tuple[int, ...]) -> str:
    """A tag's letter and a length for each segment; the last two are in the second recording."""
    named = {"E": "English", "M": "Mandarin", "N": "NON_SPEECH", "O": "Non-Evaluated-Speech"}
    rows, start = [], 500
    for number, (tag, length) in enumerate(zip(tags, lengths, strict=True), 1):
        recording = "x_1" if number < len(tags) - 1 else "y_1"
        start = 0 if number == len(tags) - 1 else start
        rows.append(f"{recording}.wav|a{number}|{start}|{start + length}|{length}|{named[tag]}|False")
        start += length
    return _table(",", "audio_name utt_id start end length language_tag overlap_diff_lang", *rows)


def _exchanged(text: str, one: str, other: str) -> str:
    return text.replace(one, "?").replace(other, one).replace("?", other)


DIARIZATION = {"labels.csv": _labels("EMNEEM", (2000, 1500, 100, 900, 500, 700)), "regions.csv": REGIONS}
TURNS = {"x_1.txt": "600 2500 English\n2500 3000.5 Mandarin\n", "y_1.txt": ""}

CASES = {
    case.task: case
    for case in (
        Case(
            "spoken_call",
            _spoken_call("/", "/", "in/", "in/in"),
            _spoken_call("in/in", "/", "in/", "/"),
            {"results.csv": SHEETS["spoken_call"].text()},
        ),
        Case(
            "caller_experience",
            _ratings("1|2|1", "3|3|4", "5|5|5", "4|4|4"),
            _ratings("5|5|4", "1|1|2", "3|4|3", "2|5|1"),
            {"ratings.csv": SHEETS["caller_experience"].text()},
        ),
        Case(
            "psst_recognition",
            _utterances(UTTERANCES),
            _utterances(UTTERANCES[::-1]),
            {"transcripts.tsv": SHEETS["psst_recognition"].text()},
        ),
        Case(
            "psst_correctness",
            _utterances(UTTERANCES),
            _utterances([UTTERANCES[place] for place in (1, 0, 3, 2)]),
            {"correctness.tsv": SHEETS["psst_correctness"].text()},
        ),
        Case(
            "merlion_identification",
            {"labels.csv": identification.GOLD},
            {"labels.csv": _exchanged(identification.GOLD, "English", "Mandarin")},
            {"prediction.txt": identification.ONE},
        ),
        Case(
            "merlion_diarization",
            DIARIZATION,
            {"labels.csv": _labels("MEOMEN", (100, 900, 1500, 2000, 300, 900)), "regions.csv": REGIONS},
            TURNS,
        ),
        Case(
            "content_accuracy",
            _human_scores("1|10", "3|25", "2|9", "4|60"),
            _human_scores("4|60", "2|9", "3|25", "1|10"),
            {"predictions.csv": SHEETS["content_accuracy"].text()},
        ),
    )
}


# What is particular to a task


def identification_mutations() -> Iterator[Mutation]:
    """The table in the task's own tests: formats, order and ids of segments."""
    for name, (content, codes, line, item, _) in identification.BAD_FILES.items():
        first = (codes[0], "prediction.txt", line, item)
        yield Mutation(name, (first,), {"prediction.txt": content}, codes=tuple(codes))


def diarization_mutations() -> Iterator[Mutation]:
    for name, text, *rows in (
        ("a language that is not asked for", "1 2 English\n3 4 Malay\n", ("unknown_language", 2)),
        ("a language in small letters", "1 2 english\n", ("unknown_language", 1)),
        ("a look-alike of a language", "1 2 Еnglish\n", ("unknown_language", 1)),
        ("an end before its start", "5 4 English\n", ("empty_span", 1)),
        ("an end at its start", "5 5.0 English\n", ("empty_span", 1)),
        ("a time before the beginning", "-1 5 English\n", ("negative_time", 1)),
        ("seconds since 1970 in place of milliseconds", "1 1500000000 English\n", ("absurd_time", 1)),
        ("an infinite end", "1 inf English\n", ("bad_time", 1)),
        ("an end too large for a number", "1 1e999 English\n", ("bad_time", 1)),
        ("a hexadecimal time", "0x1p3 9 English\n", ("bad_time", 1)),
        ("a time with an underscore", "1_0 20 English\n", ("bad_time", 1)),
        ("a decimal comma", "1,5 5 English\n", ("bad_time", 1)),
        ("no number", "nan 5 English\n", ("bad_time", 1)),
        ("a formula", "=1+1 5 English\n", ("bad_time", 1)),
        ("fields in another order", "English 1 2\n", ("bad_time", 1), ("unknown_language", 1)),
        ("a field less", "1 2 English\n1 English\n", ("wrong_field_count", 2)),
        ("a field more", "1 2 English x\n", ("wrong_field_count", 1)),
        ("commas", "1,2,English\n", ("wrong_field_count", 1)),
        ("RTTM", "SPEAKER x 1 0.5 2.0 <NA> <NA> English <NA> <NA>\n", ("wrong_field_count", 1)),
        ("a header", "start end language\n1 2 English\n", ("bad_time", 1), ("bad_time", 1), ("unknown_language", 1)),
        ("cut off in mid-line", "1 2 English\n3 4", ("wrong_field_count", 2)),
        ("two byte-order marks", "\ufeff\ufeff1 2 English\n", ("bad_time", 1)),
        ("UTF-16", "1 2 English".encode("utf-16"), ("not_utf8", None)),
        ("Latin-1", b"1 2 English\n3 4 English \xe9\n", ("not_utf8", 2)),
        ("a NUL", "1 2 English\n\0", ("nul_byte", 2)),
        ("carriage returns for line ends", "1 2 English\r3 4 English\r", ("carriage_return", 1)),
        ("far too large", "1 2 English\n" * 200_000, ("file_too_large", None)),
        ("more lines than turns can be", "\n" * 40_000, ("file_too_large", None)),
        ("every line wrong", "x\n" * 1000, *[("wrong_field_count", line) for line in range(1, 21)]),
    ):  # fmt: skip
        expected = tuple((code, "y_1.txt", line, None) for code, line in rows)
        yield Mutation(f"turns: {name}", expected, {**TURNS, "y_1.txt": text})
    yield Mutation(
        "a recording left out", (("missing_file", "y_1.txt", None, None),), {"x_1.txt": TURNS["x_1.txt"]}
    )
    yield Mutation(
        "a recording under another's name",
        (("missing_file", "y_1.txt", None, None), ("unexpected_file", "x_2.txt", None, None)),
        {"x_1.txt": TURNS["x_1.txt"], "x_2.txt": ""},
    )


def far_too_many() -> Iterator[Mutation]:
    """More files than a submission may have (fifty here, because files take time to make) and more entries."""
    refusal = (("too_many_files", "", None, None),)
    yield Mutation(
        "more files than can be meant",
        refusal,
        {},
        spoil=lambda folder: [(folder / f"{number}.txt").touch() for number in range(51)],
        during=lambda: mock.patch.object(folder_reader, "MAX_FILES", 50),
    )
    entries = {str(number): "" for number in range(MAX_FILES + 1)}
    yield Mutation("more entries than can be meant", refusal, archive=zipped(entries))


SUBMISSIONS: dict[str, list[Mutation]] = {}
for _task, _case in CASES.items():
    SUBMISSIONS[_task] = [*folder_mutations(_case.submission), *zip_mutations(_case.submission)]
    if _task in SHEETS:
        SUBMISSIONS[_task] += sheet_mutations(SHEETS[_task])
SUBMISSIONS["merlion_identification"] += identification_mutations()
SUBMISSIONS["merlion_diarization"] += [*diarization_mutations(), *far_too_many()]


def _in_seconds(text: str) -> str:
    header, *rows = text.splitlines()
    changed = [header]
    for row in rows:
        fields = row.split(",")
        fields[2:5] = [f"{float(field) / 1000:.6g}" for field in fields[2:5]]
        changed.append(",".join(fields))
    return "\n".join(changed) + "\n"


def bad_references(task: str) -> Iterator[BadReference]:
    """Corruptions of a task's reference."""
    files = {name: str(content) for name, content in CASES[task].reference.items()}
    file = next(iter(files))
    text = files[file]
    lines = text.splitlines(keepends=True)

    def changed(name: str, content: str | bytes, *rows: tuple[str, int | None, str | None]) -> BadReference:
        expected = tuple((code, file, line, item) for code, line, item in rows)
        return BadReference(name, {**files, file: content}, expected)

    def second(old: str, new: str) -> str:
        assert old in lines[2]
        return "".join([*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])

    yield BadReference("no file", {}, tuple(("unreadable_file", name, None, None) for name in files))
    yield changed("an empty file", "", _row("empty_file"))
    yield changed("UTF-16", text.encode("utf-16"), _row("not_utf8"))
    yield changed(
        "a NUL",
        text.replace(lines[2][0], "\0", 1),
        _row("nul_byte", 1 + text[: text.index(lines[2][0])].count("\n")),
    )
    if not task.startswith("merlion"):
        yield changed("an id twice", second(IDS[1], IDS[0]), _row("duplicate_item", 3, IDS[0]))
        yield changed("an empty id", second(IDS[1], ""), _row("empty_item", 3))
        for kind, item in (("a blank after", IDS[1] + " "), ("a zero-width space in", f"{IDS[1]}\u200b")):
            yield changed(f"{kind} an id", second(IDS[1], item), _row("unusable_id", 3, item))
        yield changed(
            "a column renamed",
            text.replace(lines[0][:-1].split("\t" if "\t" in text else ",")[0], "x", 1),
            _row("missing_column", 1),
        )
    else:
        yield changed(
            "an utterance twice", text + lines[1], _row("duplicate_utterance", len(lines) + 1, "a1")
        )
        yield changed(
            "another tag",
            text.replace("NON_SPEECH", "Noise"),
            _row("unknown_value", *_place(lines, "NON_SPEECH")),
        )
        span = lines[1].split(",")[2:5]
        for name, times, code in (
            ("an end before its start", (span[1], span[0], span[2]), "empty_span"),
            ("no number", ("soon", *span[1:]), "bad_time"),
            ("a negative time", ("-1", *span[1:]), "negative_time"),
            ("days", (span[0], "1.1e9", span[2]), "absurd_time"),
            ("another length", (*span[:2], "7"), "wrong_length"),
        ):
            yield changed(name, text.replace(",".join(span), ",".join(times), 1), _row(code, 2))
        yield changed(
            "a name with a slash", text.replace("x_1.wav", "../x_1.wav", 1), _row("unusable_name", 2)
        )
        yield changed(
            "two files with byte-order marks joined",
            "".join([*lines[:2], "\ufeff", *lines[2:]]),
            _row("unusable_name", 3),
        )
        yield changed(
            "a control character in a name", text.replace(",a1,", ",a\x071,", 1), _row("unusable_name", 2)
        )
        yield changed("seconds", _in_seconds(text), _row("not_milliseconds"))
        yield changed(
            "the column of overlaps misspelt",
            text.replace("overlap_diff_lang", "overlap_diff_language"),
            _row("unknown_column", 1),
        )
        doubled = text.replace("length", "overlap_diff_lang", 1)
        yield changed("a column that may be there, twice", doubled, _row("duplicate_column", 1))
    if task == "spoken_call":
        yield changed("a header row in mid-file", text + lines[0], _row("stray_header", 6))
        yield changed(
            "correct, but without meaning",
            second("correct\tcorrect", "correct\tincorrect"),
            _row("contradictory_labels", 3, IDS[1]),
        )
        yield changed("another label", second("correct", "right"), _row("unknown_value", 3, IDS[1]))
        yield changed("one kind", text.replace("incorrect", "correct"), _row("one_class"))
    if task == "caller_experience":
        yield changed("a rating off the scale", second("3,3,4", "3,6,4"), _row("off_scale", 3, IDS[1]))
        yield changed("a rating missing", second("3,3,4", "3,3"), _row("wrong_field_count", 3))
        yield changed("no call", lines[0], _row("no_items"))
    if task == "psst_recognition":
        yield changed("a phone outside of the table", second("AO", "AX"), _row("unknown_phone", 3, IDS[1]))
        yield changed("no phone", "".join(lines[:1] + lines[3:4]), _row("no_phones"))
        broken = mock.patch.object(
            psst_recognition, "arpabet_features", side_effect=ValueError("a phone twice")
        )
        feature_table = ("bad_feature_table", "arpabet_features.tsv", None, None)
        yield BadReference("a broken feature table", files, (feature_table,), during=lambda: broken)
    if task == "psst_correctness":
        yield changed("another label", second("FALSE", "no"), _row("unknown_value", 3, IDS[1]))
        yield changed("one kind", text.replace("FALSE", "TRUE"), _row("one_class"))
    if task == "merlion_identification":
        yield changed("one language", text.replace("Mandarin", "English"), _row("one_language"))
        yield changed(
            "a flag that is none",
            text.replace("2500,600,English,True", "2500,600,English,maybe"),
            _row("unknown_value", 5, "a4"),
        )
        yield changed(
            "one id for segments of two recordings",
            text + "x.wav,1_b,0,900,900,English,False,\nx_1.wav,b,0,900,900,English,False,\n",
            _row("ambiguous_id", None, "x_1_b_0_900"),
        )
    if task == "merlion_diarization":
        regions_in_seconds = ("nothing_evaluated", "regions.csv", None, "x_1")
        yield BadReference(
            "regions in seconds",
            {**files, "regions.csv": "x_1.wav,0.5,1.5\ny_1.wav,0,2000\n"},
            (regions_in_seconds,),
        )
        yield changed("one language", text.replace("Mandarin", "English"), _row("one_language"))
        yield changed("no region", text + "z_1.wav,a1,0,9,9,English,False\n", _row("no_region", 8, "z_1"))
        overlapping = ("overlapping_regions", "regions.csv", 3, "x_1")
        yield BadReference(
            "regions that overlap", {**files, "regions.csv": REGIONS + "x_1.wav,9000,12000\n"}, (overlapping,)
        )
    if task == "content_accuracy":
        yield changed("a score off the rubric", second("3,25", "5,25"), _row("off_scale", 3, IDS[1]))
        yield changed("a response of no words", second("3,25", "3,0"), _row("bad_word_count", 3, IDS[1]))
        yield changed("two responses", "".join(lines[:3]), _row("too_few_items"))
        yield changed(
            "one score throughout",
            "".join([lines[0], *(_scored(line, "2") for line in lines[1:])]),
            _row("constant_scores"),
        )


def _place(lines: list[str], word: str) -> tuple[int, str]:
    number = next(number for number, line in enumerate(lines, 1) if word in line)
    return number, lines[number - 1].split(",")[1]


def _scored(line: str, score: str) -> str:
    fields = line.split(",")
    return ",".join([*fields[:3], score, *fields[4:]])
