"""Meetings: who said what when. Primary score: tcpWER, a word error rate by speaker, lower is better.

`formats.meetings` documents the files, `metrics.multi_speaker_errors` the rates, and `metrics.diarization` the DER of
the segments, with optimal mapping and without a collar. Segments that do not touch an evaluated region are left out of
the rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional

import numpy as np

from ..formats.format import Format, Items
from ..formats.meetings import FILES, SECOND, MeetingFiles, Meetings, Speaker, meetings_format, read_reference
from ..formats.normalisation import Normaliser
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import Units, choose_units
from ..formats.turns import LATEST, LEAST_SHARE
from ..metrics import diarization
from ..metrics import multi_speaker_errors as metrics
from ..metrics import transcript_errors as rates
from ..metrics.multi_speaker_errors import Stream
from ..metrics.sweeps import Recording, Turns
from ..task import LOWER, POSITIVE, Score
from .kind import (
    MISSED,
    Kind,
    id_parameter,
    item_parameter,
    milliseconds,
    missing_parameter,
    one_of,
    parameter,
)
from .transcript_scores import CHARACTERS, WORDS, check_total, normalise_parameter

TIMED, UNTIMED, TURNS = "timed", "untimed", "turns"
THROUGHOUT, GIVEN = "throughout", "given"
_MS = SECOND // 1000


@dataclass(frozen=True)
class MeetingsKind(Kind):
    """A task that asks who said what when."""

    # fmt: off
    units: str = parameter(
        "What is compared: words (tcpWER and cpWER) or characters without white space (tcpCER and cpCER).",
        one_of(WORDS, CHARACTERS), WORDS, WORDS)
    collar: int = parameter(
        "Seconds that a recognised word may be before or after its time in the reference in tcpWER. Words get times in "
        "proportion to their characters in a segment.", milliseconds, 5, 5)
    normalise: Normaliser = normalise_parameter()
    regions: str = parameter(
        f"{THROUGHOUT}: all time is evaluated, also outside the reference's segments. {GIVEN}: only the regions in "
        "regions.csv or regions.uem. Then segments outside all regions are left out, and DER is computed in the "
        "regions.", one_of(THROUGHOUT, GIVEN), THROUGHOUT, THROUGHOUT)
    missing: str = missing_parameter()
    id: str = id_parameter(
        "The column or key that names a session, in the reference and in submissions.", "session_id")
    item: str = item_parameter("session", "session")
    # fmt: on

    name = "meetings"
    description = "who said what when in each recording, with the words of each speaker"
    opening = "Write down who says what when in each {item}."
    every_item = False
    texts_as_labels = True

    @property
    def files(self) -> MeetingFiles:
        return MeetingFiles(self.id, self.split, self.regions == GIVEN, self.missing == MISSED)

    def format(self) -> Format:
        return meetings_format(self.files)._replace(read_reference=self.read_reference)

    def split(self, texts: Sequence[str], most: int) -> list[list[str]]:
        """The symbols of texts that are compared."""
        words = self.normalise.words(texts, most)
        return words if self.units == WORDS else [list("".join(line)) for line in words]

    def read_reference(self, files: Mapping[str, bytes]) -> Meetings:
        """Read the reference, and check that it has enough words and time of speech."""
        reference = read_reference(self.files, files)
        problems = Problems(ReferenceFileError)
        said = _inside(reference, reference.regions)
        length = sum(len(words) for speakers in said for speaker in speakers for words in speaker.symbols)
        file = next(file for file in FILES if file in files)
        check_total(length, len(reference.items), self.units[:-1], file, problems)
        nobody: list[list[Speaker]] = [[] for _ in said]
        scored = sum(int(found.scored.sum()) for found in _overlaps(said, nobody, reference.regions))
        if self.regions == THROUGHOUT:  # all time, as long as a platform can store every error rate
            last = max(
                (int(speaker.spans.max()) // _MS for speakers in said for speaker in speakers), default=0
            )
            end = max(1 + last, min(int(LATEST), int(scored / LEAST_SHARE) // max(1, len(said)) - 1))
            reference = replace(reference, regions=[np.array([[0, end]])] * len(said))
        least = LEAST_SHARE * sum(int(np.diff(regions).sum()) for regions in reference.regions)
        if scored <= least:
            problems.add("no_turns", file, f"{scored} ms of scored turns; expected more than {least:.12g} ms")
        problems.raise_if_any()
        return reference

    def units_of(self, reference: Meetings) -> Units:
        return choose_units(reference.items.ids, "session")

    def count(self, reference: Meetings, submission: Meetings) -> dict[str, Any]:
        """Count one row for each session."""
        sides = [_inside(side, reference.regions) for side in (reference, submission)]
        said, heard = (
            [[_stream(speaker, reach) for speaker in speakers] for speakers in side]
            for side, reach in zip(sides, (None, self.collar * _MS))
        )
        overlaps = _overlaps(sides[0], sides[1], reference.regions)
        return {
            TIMED: metrics.errors_per_meeting(said, heard, timed=True),
            UNTIMED: metrics.errors_per_meeting(said, heard, timed=False),
            TURNS: diarization.errors_per_recording(overlaps, mapped=True),
        }

    def streams(self, reference: Meetings, submission: Meetings, row: int) -> list[list[tuple[str, Stream]]]:
        """The speakers of a session on both sides, with what is compared of each."""
        return [
            [
                (speaker.name, _stream(_within(speaker, reference.regions[row]), reach))
                for speaker in side.speakers[row]
            ]
            for side, reach in ((reference, None), (submission, self.collar * _MS))
        ]

    def all_scores(self) -> tuple[Score, ...]:
        return _scores(self.units, self.item)

    def right(self, rows: Mapping[str, Any]) -> Any:
        timed = rows[TIMED]
        return 1 - np.fmin(rates.errors(timed) / np.fmax(timed.reference_length, 1), 1)

    def labels(self, reference: Meetings) -> list[str]:
        segments = (words for session in reference.speakers for each in session for words in each.symbols)
        return [word for words in segments for word in words]

    def trivial(self) -> dict[str, Callable[[Items], Meetings]]:
        return {"nothing recognised": lambda items: Meetings(items, [[] for _ in items.ids])}

    def partly_right(self, reference: Meetings, right: np.ndarray) -> Meetings:
        """A submission with all speakers of the chosen sessions, and nothing in the others."""
        said = [speakers if chosen else [] for speakers, chosen in zip(reference.speakers, right)]
        return Meetings(reference.items, said)


def _inside(side: Meetings, evaluated: Sequence[np.ndarray]) -> list[list[Speaker]]:
    """The speakers of each session, with the segments that touch its evaluated regions."""
    return [
        [_within(speaker, regions) for speaker in speakers]
        for speakers, regions in zip(side.speakers, evaluated)
    ]


def _overlaps(
    said: Sequence[Sequence[Speaker]], heard: Sequence[Sequence[Speaker]], evaluated: Sequence[np.ndarray]
) -> list[diarization.Overlaps]:
    return [*map(diarization.overlaps, map(Recording, map(_turns, said), map(_turns, heard), evaluated))]


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
# fmt: on
