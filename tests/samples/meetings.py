"""Random meetings, a task of meetings, and files that its readers refuse. All data are synthetic."""

from __future__ import annotations

import json
import random
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spokeneval.metrics.multi_speaker_errors import Stream, symbol_times
from spokeneval.task import Task
from tests.samples import kinds

WORDS = ("a", "no", "yes", "the", "meeting", "overlap", "to", "be", "or", "not")

make = partial(kinds.make, "meetings", normalise=["nfkc"], regions="given")


class Segment(NamedTuple):
    """A segment; times in hundredths of a second."""

    speaker: str
    start: int
    end: int
    words: list[str]


Meeting = tuple[list[Segment], list[Segment]]
"""What was said, and what a system found."""


def _side(rng: random.Random, speakers: int, most: int) -> list[Segment]:
    found = []
    for speaker in range(speakers):
        for _ in range(rng.choice([0, 1, 2, 3, most])):
            start, length = rng.randint(0, 6000), rng.choice([0, 50, 100, 300, 777, 1500])
            words = rng.choices(WORDS, k=rng.choice([0, 1, 2, 5, 9]))
            found.append(Segment(f"r{speaker}", start, start + length, words))
    return found


def random_meeting(rng: random.Random, speakers: int = 8, most: int = 6) -> Meeting:
    """Up to so many speakers on each side, who overlap; some have no words or no segments, and times are shifted."""
    said, others = _side(rng, rng.randint(0, speakers), most), rng.randint(0, speakers)
    heard = []
    called = {f"r{speaker}": f"h{rng.randrange(max(1, others))}" for speaker in range(speakers)}
    for speaker, start, end, words in said if rng.random() < 0.8 else _side(rng, others, most):
        if rng.random() < 0.9:
            start = max(0, start + rng.choice([0, 0, 10, -20, 50, 300, -500, 600]))
            end = max(start, end + rng.choice([0, 7, 100, -3]))
            kept = [
                rng.choice(WORDS) if rng.random() < 0.15 else word for word in words if rng.random() > 0.1
            ]
            kept += [rng.choice(WORDS)] * (rng.random() < 0.1)
            heard.append(Segment(called[speaker], start, end, kept))
    rng.shuffle(said)
    return said, heard


def streams(segments: list[Segment], collar: float | None = None) -> list[Stream]:
    """The streams of a side; of a hypothesis, with a collar in seconds."""
    by: dict[str, list[Segment]] = {}
    for segment in sorted(segments, key=lambda segment: segment.start):
        by.setdefault(segment.speaker, []).append(segment)
    found = []
    for these in by.values():
        spans = 10**7 * np.array([[segment.start, segment.end] for segment in these])
        times = symbol_times(spans, [list(map(len, each.words)) for each in these], points=collar is not None)
        reach = round(10**9 * (collar or 0))
        found.append(
            Stream([word for each in these for word in each.words], times + np.array([-reach, reach]))
        )
    return found


def segment(session: str, speaker: str, start: float, end: float, words: str) -> dict[str, Any]:
    return {"session_id": session, "speaker": speaker, "start_time": start, "end_time": end, "words": words}


SAID = [segment("s", "A", 0, 2, "hello there friend"), segment("s", "B", 1.5, 3, "hi you")]
GOOD = {"meetings.json": json.dumps(SAID).encode(), "regions.uem": b"s 1 0 5\n"}


def read_submission(task: Task, files: dict[str, bytes]) -> Any:
    """Read a submission to a set with one session, s."""
    return task.format.read_submission(files, task.format.read_reference(GOOD).items)


def _changed(**changes: Any) -> dict[str, bytes]:
    return {"meetings.json": (json.dumps(SAID[0]) + "\n" + json.dumps({**SAID[1], **changes})).encode()}


BAD_LINES = [
    (_changed(start_time=4), "line 2 .*end 3 is not after start 4"),
    (_changed(start_time=-1), "line 2 .*start -1 is negative"),
    (_changed(start_time=True), "line 2 .*start_time: 'true'; expected a text or a number"),
    (_changed(start_time="1,5"), "line 2 .*a decimal point, not a comma"),
    (_changed(end_time=1e9), "line 2 .*is more than eleven days"),
    (_changed(speaker=" B"), "line 2 .*speaker ' B'; expected a name without"),
    (_changed(words=None), "line 2 .*words: 'null'; expected a text"),
    ({"meetings.json": b'[{"words": "a"}, 3]'}, "line 1 .*not an object of JSON"),
    ({"meetings.json": b'[{"words": "a"'}, "line 1 .*not an object of JSON"),
    ({"meetings.stm": b"s 1 A 0\n"}, "line 1 .*4 fields; expected RECORDING CHANNEL SPEAKER"),
    ({"meetings.ctm": b";;\ns A 0 1\n"}, "line 2 .*4 fields; expected RECORDING CHANNEL START"),
    ({"meetings.ctm": b"s A 0 -1 hello\n"}, "line 1 .*duration -1 is negative"),
    ({"meetings.rttm": b"LEXEM s 1 0 1 hello lex A <NA>\n"}, "line 1 .*did you mean LEXEME"),
    ({"meetings.rttm": b"LEXEME s 1 0 1 hello lex A\n"}, "line 1 .*8 fields; expected 9 or 10"),
    ({"meetings.csv": b"session_id,speaker,start_time,end_time\n"}, "no column words"),
    (
        {"meetings.stm": b"".join(b"s 1 %d 0 1 hello\n" % n for n in range(101))},
        "s: 101 speakers; expected at most 100 in a session",
    ),
    (
        {"meetings.stm": b"s 1 A 0 1 hello" + b" a" * (1 << 18)},
        "s: 262145 words or characters; expected at most 262144 in a session",
    ),
]
"""Files, and their problem on both sides."""

BAD_SUBMISSIONS = [
    *BAD_LINES,
    ({"meetings.stm": b"t 1 A 0 1 hello\n"}, "line 1 .*t is not one of the 1 session"),
    ({"meetings.stm": b""}, "session s: 1 session expected, 0 found; .* write a segment without words"),
    ({}, "is missing; the submission is empty"),
    ({"meetings.txt": b""}, "found meetings.txt: rename it, or by its format to meetings.csv, "),
    ({"meetings.json": b"", "meetings.stm": b""}, "is not part of a submission .meetings.json expected"),
    (
        {
            "meetings.stm": b"s 1 A 0 1 "
            + "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}".encode() * 500_000
        },
        "after normalisation",
    ),
]

BAD_REFERENCES = [
    *(({**files, "regions.uem": GOOD["regions.uem"]}, message) for files, message in BAD_LINES),
    ({}, "is missing; expected one of meetings.json"),
    ({**GOOD, "meetings.stm": b"s 1 A 0 1 hello\n"}, "is there beside meetings.json"),
    ({**GOOD, "regions.uem": b"t 1 0 5\n"}, "line 1 .*s: has no region in regions.uem"),
    ({**GOOD, "regions.uem": b"s 1 0 5\ns 1 4 6\n"}, "line 2 .*overlaps the region that ends at 5 s"),
    ({**GOOD, "regions.uem": b"s 1 10 15\n"}, "0 words in 1 transcript"),
    ({"meetings.json": GOOD["meetings.json"]}, "is missing; expected regions.csv or regions.uem"),
    ({"meetings.stm": b"s 1 A 0 0.9 hello\n", "regions.uem": b"s 1 0 999999\n"}, "900 ms of scored turns"),
]
