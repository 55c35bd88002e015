"""Targets of fuzzing: the readers of an organiser's own files, and the redirects of a server.

They return the same words as the targets of `targets`, and refuse with an `OrganiserError`.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import OrganiserError
from speechbundles.model.tabular import parse_source, read_rows
from speechbundles.platforms.codabench.client.connection import Connection
from spokeneval.challenges import find_task, task_names
from spokeneval.kinds.declared import declared_task
from spokeneval.task import Task
from tests.samples.cases import CASES
from tests.samples.programs import encoded, write_files
from tests.tools.fuzz.workplace import Finding, Target, Workplace, outcome


def decoding(place: Workplace) -> Target:
    """Fuzz the bytes of a table: its encoding, its separators and its quotation marks."""

    def target(data: bytes) -> str:
        readers = (
            lambda: parse_source(data, "a.csv"),
            lambda: read_rows(data),
            lambda: canonical_tables({"a.csv": data}, lambda line: None),
        )
        return min([outcome(read, OrganiserError) for read in readers])  # accepted by any

    return target


class Case(NamedTuple):
    """An organiser's files of a task; the first one is fuzzed."""

    task: Task
    files: Mapping[str, bytes]


RTTM = b"""\
;; two recordings
SPKR-INFO b 1 <NA> <NA> <NA> adult_male English <NA> <NA>
SPEAKER b 1 0.50 1.25 <NA> <NA> English <NA> <NA>
SPEAKER a 1 2 0.5 <NA> <NA> Mandarin <NA> <NA>
SPEAKER a 1 0.1 1 <NA> <NA> English <NA> <NA>
"""
UEM = b"b 1 0 3\na 1 0 2.5\n"
TRACK = b"0.5\t1.75\tEnglish\n\\\t0\t100\n2\t2.5\tMandarin\n"
STM = b"a 1 anna 0.5 1.75 <o,f> wo ist er\na 1 ben 2 2.5 IGNORE_TIME_SEGMENT_IN_SCORING\na 1 ben 3 4\n"
TRN = b";; ours\nwo ist er (anna-1)\n(ben-2)\n"
TEXT = "anna-1 wo ist er\nben-2 नमस्ते\n".encode()
LONG = b"id,rater,rating,speaker\n" + b"".join(
    b"%c,%s,%d,s%d\n" % (97 + item, rater, 1 + item % 7, item % 3)
    for item in range(10)
    for rater in (b"Ben", b"Anna")
)


def cases() -> list[Case]:
    """Return the samples of the tasks with each of their files in turn, then every other file format."""
    turns = declared_task("turns", {"kind": "turns", "classes": ["English", "Mandarin"]})
    words = declared_task("words", {"kind": "transcripts"})
    ratings = declared_task("ratings", {"kind": "ratings", "raters": ["Anna", "Ben"], "scale": [1, 7]})
    samples = [(find_task(task), encoded(CASES[task].reference)) for task in task_names()]
    return [
        *(
            Case(task, {name: files[name], **files})
            for task, files in samples
            for name in files
            if name in {layout.file for layout in task.format.layouts}
        ),
        *(Case(task, {"x.rttm": RTTM, "x.uem": UEM}) for task in (find_task("merlion_diarization"), turns)),
        *(Case(task, {"x.uem": UEM, "x.rttm": RTTM}) for task in (find_task("merlion_diarization"), turns)),
        Case(find_task("merlion_identification"), {"a.txt": TRACK}),
        Case(words, {"x.stm": STM}),
        Case(words, {"x.trn": TRN}),
        Case(words, {"text": TEXT}),
        Case(ratings, {"ratings.csv": LONG}),
    ]


def intake(place: Workplace) -> Target:
    """Fuzz an organiser's file: a byte that chooses the case, and whether invalid rows are left out, then the file."""
    folders = []
    for number, (task, files) in enumerate(cases()):
        folders.append((task, write_files(place.path / "intake" / str(number), files), next(iter(files))))

    def target(data: bytes) -> str:
        chosen = int.from_bytes(data[:1], "big")
        task, folder, name = folders[chosen % 128 % len(folders)]
        (folder / name).write_bytes(data[1:])
        return outcome(lambda: read(task, folder, chosen >= 128), OrganiserError)

    def read(task: Task, folder: Path, drop: bool) -> None:
        said: list[str] = []
        found = load_reference(task, "test", folder, {}, drop_invalid_rows=drop, log=said.append)
        again = task.format.read_items(found.public)
        if sorted(again.ids) != sorted(found.items) or not found.items:
            raise Finding("the public items are not the reference's")

    return target


def redirects(place: Workplace) -> Target:
    """Fuzz a server's answer, byte by byte: the same one for each request of the API, the files and the storage."""
    connection = Connection("http://localhost", "token", sleep=lambda seconds: None)
    target_file = place.path / "downloaded"
    requests = (
        lambda: connection.call("GET", "/api/competitions/"),
        lambda: connection.call("POST", "/api/competitions/", {"a": 1}, repeatable=False),
        lambda: connection.download(lambda: connection.location("/datasets/1/"), target_file),
        lambda: connection.download(lambda: "http://localhost/file", target_file),
        lambda: connection.upload("http://localhost/file", b"a"),
    )

    def target(data: bytes) -> str:
        ends: list[socket.socket] = []

        def connect(*arguments: object, **options: object) -> socket.socket:
            ours, theirs = socket.socketpair()
            ends.append(theirs)
            theirs.sendall(data)
            theirs.shutdown(socket.SHUT_WR)
            return ours

        with (
            mock.patch("urllib3.util.connection.create_connection", connect),
            mock.patch("speechbundles.platforms.codabench.client.connection.PAUSES", (1,)),
        ):
            found = [outcome(request, OrganiserError) for request in requests]
        for end in ends:
            end.close()
        return min(found)  # accepted by any

    return target


def answer(status: str, *headers: str, body: str = "") -> bytes:
    """Return an HTTP answer."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", body]).encode()


SEEDS: Mapping[str, list[bytes]] = {
    "decode": [
        b'Id\tlanguage\n1\t"a\nb"\n',
        "Id;Wort\n1;für Ñandú\n".encode("cp1252"),
        "Id,Wort\r\n1,für\r\n".encode("utf-16"),
        b'a,b\n"1,2\n3,4\n',
    ],
    "intake": [
        bytes([number + mode]) + next(iter(case.files.values()))
        for mode in (0, 128)
        for number, case in enumerate(cases())
    ],
    "redirect": [
        answer("200 OK", body="{}"),
        answer("302 Found", "Location: https://storage.example.org/x?signed"),
        answer("302 Found", "Location: http://localhost/x?signed", body="moved"),
        answer("307 Temporary Redirect", "Location: https://["),
        answer("301 Moved", "Location: //[::1]:80/accounts/login"),
        answer("503 Busy", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", body="later"),
        answer("429 Slow", "Retry-After: 3"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ],
}
"""Valid inputs by target."""
