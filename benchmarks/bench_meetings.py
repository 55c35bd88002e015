"""Compare cpWER and tcpWER with MeetEval: errors of random meetings, and processor time from segments to errors.

python -m benchmarks.bench_meetings [MEETINGS]     (default 1,000 small random meetings; then four long ones)

MeetEval is built from source: `pip install meeteval` needs a C++ compiler. Both programs get the same segments in
memory, with times as `decimal.Decimal` for MeetEval, as it reads them from files.
"""

from __future__ import annotations

import logging
import random
import sys
import time
import warnings
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from benchmarks.processes import best_call
from spokeneval.metrics.multi_speaker_errors import errors_per_meeting
from spokeneval.metrics.transcript_errors import errors
from tests.samples.meetings import Meeting, Segment, random_meeting, streams

LONG = ((2, 500), (4, 1000), (8, 1000), (4, 4000))
"""Speakers of a meeting, and the words of each on average."""
COLLAR = 5


def long_meeting(rng: random.Random, speakers: int, words: int) -> Meeting:
    """A meeting with overlaps, and a system that has 18 % of the words wrong and 5 % of the segments' speakers."""
    said, heard, at, left = [], [], 0, speakers * words
    while left > 0:
        number = rng.randint(2, 20)
        length = 35 * number
        speaker = rng.randrange(speakers)
        spoken = [f"w{min(2999, int(rng.expovariate(1 / 400)))}" for _ in range(number)]
        said.append(Segment(f"r{speaker}", at, at + length, spoken))
        kept = [
            f"w{rng.randrange(3000)}" if rng.random() < 0.12 else word
            for word in spoken
            if rng.random() > 0.06
        ]
        found = speaker if rng.random() < 0.95 else rng.randrange(speakers)
        start = max(0, at + rng.randint(-30, 30))
        heard.append(Segment(f"h{found}", start, at + length + 30, kept))
        at, left = at + rng.randint(0, length), left - number
    return said, heard


def ours(meetings: Sequence[Meeting], *, timed: bool) -> list[int]:
    sides = [streams(said) for said, _ in meetings], [streams(heard, COLLAR) for _, heard in meetings]
    found: list[int] = errors(errors_per_meeting(*sides, timed=timed)).tolist()
    return found


def theirs(meetings: Sequence[Any], *, timed: bool) -> list[int]:
    import meeteval

    if timed:
        rate = meeteval.wer.wer.time_constrained.tcp_word_error_rate
        return [rate(*sides, collar=Decimal(COLLAR)).errors for sides in meetings]
    return [meeteval.wer.wer.cp.cp_word_error_rate(*sides).errors for sides in meetings]


def converted(segments: Sequence[Segment]) -> Any:
    import meeteval

    keys = ("session_id", "speaker", "start_time", "end_time", "words")
    rows = [
        ("m", who, Decimal(start) / 100, Decimal(end) / 100, " ".join(words))
        for who, start, end, words in segments
    ]
    return meeteval.io.SegLST([dict(zip(keys, row, strict=True)) for row in rows])


def main() -> None:
    try:
        import meeteval  # noqa: F401
    except ImportError:
        print("meeteval is not installed; skipped")
        return
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    rng = random.Random(1)
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sets = {f"{number} random meetings": [random_meeting(rng) for _ in range(number)]}
    sets |= {f"{n} speakers, {words} words each": [long_meeting(rng, n, words)] for n, words in LONG}
    for called, meetings in sets.items():
        segments = [tuple(map(converted, sides)) for sides in meetings]
        for timed in (False, True):
            seconds, found = best_call(partial(ours, meetings, timed=timed), 1, time.process_time)
            longer, expected = best_call(partial(theirs, segments, timed=timed), 1, time.process_time)
            same = "same errors" if found == expected else "OTHER ERRORS"
            name = "tcpWER" if timed else "cpWER"
            print(
                f"{called:30s} {name:7s} {seconds:7.2f} s = {seconds / longer:5.2f} x MeetEval   {same}: {sum(found)}"
            )


if __name__ == "__main__":
    main()
