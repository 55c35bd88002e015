"""Meetings: who said what when. Primary score: tcpWER, a word error rate by speaker, lower is better.

`formats.meetings` documents the files, `metrics.meetings` the rates, and `metrics.diarization` the DER of the segments,
with optimal mapping and without a collar. Segments that do not touch an evaluated region are left out of the rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Optional

import numpy as np

from ..formats.meetings import FILES, SECOND, MeetingFiles, Meetings, Speaker, meetings_format, read_reference
from ..formats.normalisation import Normaliser
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import choose_units
from ..formats.turns import LATEST
from ..metrics import diarization
from ..metrics import meetings as metrics
from ..metrics import transcript_errors as rates
from ..metrics.meetings import Stream
from ..metrics.sweeps import Recording, Turns
from ..task import LOWER, POSITIVE, Score, Task, View
from .kind import ID, ITEM, Kind, Parameter, one_of
from .transcript_scores import CHARACTERS, WORDS
from .transcripts import NORMALISE, PLAIN, check_total
from .turns import LEAST_SHARE, milliseconds

TIMED, UNTIMED, TURNS = "timed", "untimed", "turns"
THROUGHOUT, GIVEN = "throughout", "given"
_MS = SECOND // 1000


def meetings(
    name: str,
    title: str,
    *,
    units: str = WORDS,
    collar: int = 5000,
    normalise: Normaliser = PLAIN,
    regions: str = THROUGHOUT,
    id: str = "session_id",
    item: str = "session",
) -> Task:
    """Return a task that asks who said what when.

    Parameters
    ----------
    units
        What is compared: `words` or `characters`.
    collar
        How far in ms a recognised word may be from its time in the reference.
    normalise
        The rules for both sides.
    regions
        `throughout` if all of each session is evaluated, `given` if the reference has regions.
    id, item
        See `kind`.
    """
    declared = MeetingFiles(id, partial(_split, normalise, units), regions == GIVEN)
    return Task(
        name=name,
        title=title,
        format=meetings_format(declared)._replace(
            read_reference=partial(_read_reference, declared, units=units)
        ),
        units=lambda reference: choose_units(reference.items.ids, "session"),
        count=partial(_count, collar=collar),
        scores=_scores(units, item),
        right=lambda rows: (
            1 - np.fmin(rates.errors(rows[TIMED]) / np.fmax(rows[TIMED].reference_length, 1), 1)
        ),
        labels=lambda reference: [
            word
            for session in reference.speakers
            for each in session
            for words in each.symbols
            for word in words
        ],
        trivial={"nothing recognised": lambda items: Meetings(items, [[] for _ in items.ids])},
        partly_right=lambda reference, right: Meetings(
            reference.items, [said if chosen else [] for said, chosen in zip(reference.speakers, right)]
        ),
        view=View("meetings", facts={"units": units, "streams": partial(_streams, collar=collar)}),
    )


def _split(normaliser: Normaliser, units: str, texts: Sequence[str], most: int) -> list[list[str]]:
    words = normaliser.words(texts, most)
    return words if units == WORDS else [list("".join(line)) for line in words]


def _read_reference(declared: MeetingFiles, files: Mapping[str, bytes], *, units: str) -> Meetings:
    """Read the reference, and check that it has enough words and time of speech."""
    reference = read_reference(declared, files)
    problems = Problems(ReferenceFileError)
    said = _inside(reference, reference.regions)
    length = sum(len(words) for speakers in said for speaker in speakers for words in speaker.symbols)
    file = next(file for file in FILES if file in files)
    check_total(length, len(reference.items), units[:-1], file, problems)
    nobody: list[list[Speaker]] = [[] for _ in said]
    scored = sum(int(found.scored.sum()) for found in _overlaps(said, nobody, reference.regions))
    if not declared.regions:  # all time, as long as a platform can store every error rate
        last = max((int(speaker.spans.max()) // _MS for speakers in said for speaker in speakers), default=0)
        end = max(1 + last, min(int(LATEST), int(scored / LEAST_SHARE) // max(1, len(said)) - 1))
        reference = replace(reference, regions=[np.array([[0, end]])] * len(said))
    least = LEAST_SHARE * sum(int(np.diff(regions).sum()) for regions in reference.regions)
    if scored <= least:
        problems.add("no_turns", file, f"{scored} ms of scored turns; expected more than {least:.12g} ms")
    problems.raise_if_any()
    return reference


def _count(reference: Meetings, submission: Meetings, *, collar: int) -> dict[str, Any]:
    """Count one row for each session."""
    sides = [_inside(side, reference.regions) for side in (reference, submission)]
    said, heard = (
        [[_stream(speaker, reach) for speaker in speakers] for speakers in side]
        for side, reach in zip(sides, (None, collar * _MS))
    )
    return {
        TIMED: metrics.errors_per_meeting(said, heard, timed=True),
        UNTIMED: metrics.errors_per_meeting(said, heard, timed=False),
        TURNS: diarization.errors_per_recording(
            _overlaps(sides[0], sides[1], reference.regions), mapped=True
        ),
    }


def _streams(
    reference: Meetings, submission: Meetings, row: int, *, collar: int
) -> list[list[tuple[str, Stream]]]:
    """The speakers of a session on both sides, with what is compared of each."""
    return [
        [
            (speaker.name, _stream(_within(speaker, reference.regions[row]), reach))
            for speaker in side.speakers[row]
        ]
        for side, reach in ((reference, None), (submission, collar * _MS))
    ]


def _inside(side: Meetings, evaluated: Sequence[np.ndarray]) -> list[list[Speaker]]:
    """The speakers of each session, with the segments that touch its evaluated regions."""
    return [
        [_within(speaker, regions) for speaker in speakers]
        for speakers, regions in zip(side.speakers, evaluated)
    ]


def _overlaps(
    said: Sequence[Sequence[Speaker]], heard: Sequence[Sequence[Speaker]], evaluated: Sequence[np.ndarray]
) -> list[diarization.Overlaps]:
    recordings = map(Recording, map(_turns, said), map(_turns, heard), evaluated)
    return [*map(diarization.overlaps, recordings)]


def _within(speaker: Speaker, regions: np.ndarray) -> Speaker:
    """The segments that touch a region, as MeetEval chooses them."""
    starts, ends = (regions * _MS).T
    inside = ((starts <= speaker.spans[:, 1:]) & (speaker.spans[:, :1] <= ends)).any(axis=1)
    if inside.all():
        return speaker
    return Speaker(
        speaker.name,
        speaker.spans[inside],
        [symbols for symbols, kept in zip(speaker.symbols, inside) if kept],
    )


def _stream(speaker: Speaker, collar: Optional[int]) -> Stream:
    """The symbols of a speaker with their times; of a hypothesis, whose collar is in ns, from it before to it after."""
    lengths = [list(map(len, symbols)) for symbols in speaker.symbols]
    times = metrics.symbol_times(speaker.spans, lengths, points=collar is not None)
    if collar is not None:
        times += np.array([-collar, collar])
    return Stream([symbol for symbols in speaker.symbols for symbol in symbols], times)


def _turns(speakers: Iterable[Speaker]) -> Turns:
    """The turns of a session in ms."""
    spans = [np.rint(speaker.spans / _MS).astype(np.int64) for speaker in speakers]
    joined = np.concatenate([np.zeros((0, 2), np.int64), *spans])
    labels = np.repeat(np.arange(len(spans)), [len(each) for each in spans])
    lasting = joined[:, 0] < joined[:, 1]
    return Turns(joined[lasting], labels[lasting])


# fmt: off
def _scores(units: str, item: str) -> tuple[Score, ...]:
    unit = units[:-1]
    rate, title = f"{unit[0]}er", f"{unit[0]}er".upper()
    return (
        Score(f"tcp{rate}", f"tcp{title}", LOWER, rates.error_rate,
              f"time-constrained {unit} error rate of the best assignment of speakers", of=TIMED, percent=True,
              bounds=POSITIVE, best=0),
        Score(f"cp{rate}", f"cp{title}", LOWER, rates.error_rate,
              f"{unit} error rate of the best assignment of speakers, without times", of=UNTIMED, percent=True,
              bounds=POSITIVE, best=0),
        Score("substitutions", "Substitutions", LOWER, rates.substitution_rate,
              f"{units} recognised as another {unit}, per reference {unit}", of=TIMED, percent=True),
        Score("deletions", "Deletions", LOWER, rates.deletion_rate,
              f"missing {units}, per reference {unit}", of=TIMED, percent=True),
        Score("insertions", "Insertions", LOWER, rates.insertion_rate,
              f"added {units}, per reference {unit}", of=TIMED, percent=True, bounds=POSITIVE),
        Score("missed_speakers", "Missed speakers", LOWER, metrics.missed_speakers,
              f"speakers missing from the submission, per {item}", of=TIMED, bounds=POSITIVE),
        Score("added_speakers", "Added speakers", LOWER, metrics.added_speakers,
              f"surplus speakers in the submission, per {item}", of=TIMED, bounds=POSITIVE),
        Score("der", "DER", LOWER, diarization.der,
              "miss, false alarm and confusion over the time of all labels in the reference", of=TURNS, percent=True,
              bounds=POSITIVE, best=0),
    )


MEETINGS = Kind(
    "meetings",
    "who said what when in each recording, with the words of each speaker",
    (
        Parameter("units", "What is compared: words (tcpWER and cpWER) or characters without white space (tcpCER and "
                  "cpCER).", one_of(WORDS, CHARACTERS), WORDS, WORDS),
        Parameter("collar", "Seconds that a recognised word may be before or after its time in the reference in "
                  "tcpWER. Words get times in proportion to their characters in a segment.", milliseconds, 5, 5),
        NORMALISE,
        Parameter("regions", f"{THROUGHOUT}: all time is evaluated, also outside the reference's segments. {GIVEN}: "
                  "only the regions in regions.csv or regions.uem. Then segments outside all regions are left out, and "
                  "DER is computed in the regions.",
                  one_of(THROUGHOUT, GIVEN), THROUGHOUT, THROUGHOUT),
        ID._replace(description="The column or key that names a session, in the reference and in submissions.",
                    example="session_id", default="session_id"),
        ITEM._replace(example="session", default="session"),
    ),
    meetings,
    "Write down who says what when in each {item}.",
)
# fmt: on
