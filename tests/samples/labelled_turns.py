"""A task of turns, and files that its readers refuse."""

from __future__ import annotations

from functools import partial
from typing import Any

from spokeneval.task import Task
from tests.samples import kinds

make = partial(kinds.make, "turns")

Turn = tuple[float, float, str]
"""Start and end in seconds, label."""


def rttm(**recordings: list[Turn]) -> bytes:
    lines = [
        f"SPEAKER {recording} 1 {start:.3f} {end - start:.3f} <NA> <NA> {label} <NA> <NA>\n"
        for recording, turns in recordings.items()
        for start, end, label in turns
    ]
    return "".join(lines).encode()


REGIONS = {"regions.uem": b"r 1 0 5\n"}
GOOD = {"turns.rttm": rttm(r=[(0, 4, "A")]), **REGIONS}


def read_submission(task: Task, files: dict[str, bytes]) -> Any:
    """Read a submission to a set with one recording, r."""
    return task.format.read_submission(files, task.format.read_reference(GOOD).items)


BAD_LINES = [
    ("SPEAKER r 1 0 1 <NA> <NA> A", "line 2 .*8 fields; expected 9 or 10"),
    ("SPEAKER r 1 0 1 <NA> <NA> A b <NA> <NA>", "line 2 .*11 fields; expected 9 or 10"),
    ("SPEAKER r 1 0 -1 <NA> <NA> A <NA> <NA>", "line 2 .*duration -1 is negative"),
    ("SPEAKER r 1 -1 1 <NA> <NA> A <NA> <NA>", "line 2 .*start -1 is negative"),
    ("SPEAKER r 1 nan 1 <NA> <NA> A <NA> <NA>", "line 2 .*start 'nan'; expected a finite decimal"),
    ("SPEAKER r 1 0 inf <NA> <NA> A <NA> <NA>", "line 2 .*duration 'inf'; expected a finite decimal"),
    ("SPEAKER r 1 0,5 1 <NA> <NA> A <NA> <NA>", "line 2 .*a decimal point, not a comma"),
    ("SPEAKER r 1 1e300 1 <NA> <NA> A <NA> <NA>", "line 2 .*start 1e300 is more than eleven days"),
    ("SPEAKER r 1 999999 2 <NA> <NA> A <NA> <NA>", "line 2 .*ends after more than eleven days"),
    ("SPEAKER r 1 0 1 <NA> <NA> <NA> <NA> <NA>", "line 2 .*label '<NA>'; expected a name"),
    ("r 0 1 A", "line 2 .*type 'r'; expected SPEAKER"),
    ("SPEAKER r 1 0 1 <NA> <NA> A\u200b <NA> <NA>", "line 2 .*expected a name without"),
]
"""A second line of RTTM, and its problem on both sides."""


def _second(line: str) -> dict[str, bytes]:
    return {"turns.rttm": rttm(r=[(0, 1, "A")]) + f"{line}\n".encode()}


BAD_SUBMISSIONS = [
    *((_second(line), message) for line, message in BAD_LINES),
    ({"turns.rttm": rttm(x=[(0, 1, "A")])}, "line 1 .*x: is not one of the 1 recording"),
    ({"turns.rttm": rttm(**{"r.wav": [(0, 1, "A")]})}, "expected r"),
    ({"turns.rttm": rttm(r=[(0, 4000, "A")])}, "up to 4000 s, but recordings last up to 5 s"),
    ({"turns.rttm": b""}, "recording r: 1 recording expected, 0 found; .* duration 0: SPEAKER r 1 0 0 "),
    ({}, "is missing; the submission is empty"),
    ({"turns.txt": b""}, "found turns.txt: rename it if its lines are RTTM"),
    ({"r.rttm": rttm(r=[(0, 1, "A")]), "s.rttm": b""}, "s.rttm"),
    ({"r.rttm": rttm(s=[(0, 1, "A")])}, "s: is not one of .*expected r only"),
    ({"turns.rttm": b"\xff\xfe"}, "UTF-16"),
    ({"turns.rttm": b"\n" * 9000}, "far more than its items need"),
    (
        {"turns.rttm": rttm(r=[(0, 1, f"s{n}") for n in range(1001)])},
        "1001 labels; expected at most 1000",
    ),
]

_CSV = b"recording,start,end,label\n"

BAD_REFERENCES = [
    *(({**REGIONS, **_second(line)}, message) for line, message in BAD_LINES),
    (REGIONS, "is missing; expected turns.csv or turns.rttm"),
    ({**GOOD, "turns.csv": _CSV}, "is there beside turns.csv"),
    ({**REGIONS, "turns.csv": _CSV + b"r,1,1,A\n"}, "end 1 is not after start 1"),
    ({**REGIONS, "turns.csv": _CSV + b"r,0,1,\n"}, "label is empty"),
    ({**REGIONS, "turns.csv": _CSV + b"r,0,1,A B\n"}, "label 'A B'; expected a name without"),
    ({**REGIONS, "turns.csv": _CSV + b"r/1,0,1,A\n"}, "without spaces, slashes"),
    ({**GOOD, "regions.uem": b"r 1 0\n"}, "line 1 .*3 fields; expected 4"),
    ({**GOOD, "regions.uem": b"r 1 0 5\nr 1 4 6\n"}, "line 2 .*overlaps the region that ends at 5 s"),
    ({**GOOD, "regions.uem": b"q 1 0 5\n"}, "line 1 .*r: has turns, but no region in regions.uem"),
    ({**GOOD, "regions.uem": b"r 1 0 5\nq 1 0 0.0004\n"}, "line 2 .*less than a millisecond"),
    ({"turns.rttm": b";;\n", "regions.uem": b";;\n"}, "regions.uem: .*\n*.*has no recording"),
    ({"turns.rttm": b";;\n"}, "has no recording"),
    ({**GOOD, "regions.uem": b"r 1 4 5\n"}, r"none of its turns \(1\) is in a region"),
    ({**GOOD, "turns.rttm": b";;\n"}, "0 ms of scored turns"),
    (
        {**REGIONS, "turns.csv": b"recording,start,end,label,speaker\nr,0,1,A,s\nr,1,2,A,t\n"},
        "speaker t, but s before",
    ),
]


RTTM = """;; two recordings
SPEAKER b 1 0.50 1.25 <NA> <NA> English <NA> <NA>
SPEAKER a 1 2 0.5 <NA> <NA> Mandarin <NA> <NA>
SPEAKER a 1 0.1 1 <NA> <NA> English <NA> <NA>
"""

UEM = "b 1 0 3\na 1 0 2.5\n"
