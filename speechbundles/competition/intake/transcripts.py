"""Read transcripts in Kaldi's `text`, and in `trn` and `STM` of NIST's sclite.

    text    ID WORD WORD ...
    trn     WORD WORD ... (ID)
    STM     RECORDING CHANNEL SPEAKER START END [<LABEL,LABEL>] WORD WORD ...

Blank lines are skipped, and so are comments in NIST's formats, which begin with `;;`. A transcript may be empty.
Alternatives `{a / b}` and optional words `(a)`, which NIST's formats have, are refused: several references and the rule
`drop` have the same purpose.

Source: Kaldi, "Data preparation"; NIST SCTK, doc/infmts.htm.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from spokeneval.formats.problems import Problems, ReferenceFileError, name, quote, repeated
from spokeneval.formats.text import decimal, expected_number

IGNORED = "ignore_time_segment_in_scoring"
"""The transcript of a segment of an STM file that is not scored."""

_ALTERNATIVES = re.compile(r"\{[^{}]*/")
_OPTIONAL = re.compile(r"(?<!\S)\([^()\s]+\)(?!\S)")
_TRN = re.compile(r"(?P<text>.*)\((?P<id>[^()\s]+)\)\s*\Z")


class Utterance(NamedTuple):
    """A line of a file of transcripts.

    Attributes
    ----------
    line: its number, from 1.
    id: the id of the item.
    transcript: its words as they are written, separated by single spaces.
    recording, speaker: empty where the file does not name them.
    """

    line: int
    id: str
    transcript: str
    recording: str = ""
    speaker: str = ""


def read_kaldi_text(content: str, file: str) -> list[Utterance]:
    """Return the utterances of Kaldi's `text`, in the order of their lines.

    Raises
    ------
    ReferenceFileError: a line that does not begin with an id.
    """
    problems = Problems(ReferenceFileError)
    utterances = []
    for line, text in _lines(content):
        if text[0].isspace():
            problems.add("no_id", file, "the line begins with a space; expected ID WORD WORD ...", line=line)
        else:
            item, *words = text.split()
            utterances.append(Utterance(line, item, " ".join(words)))
    problems.raise_if_any()
    return utterances


def read_trn(content: str, file: str) -> list[Utterance]:
    """Return the utterances of sclite's `trn`, in the order of their lines.

    Speakers are the beginnings of ids, as in sclite's `spu_id`: before the first `-`, else before the first `_`. They
    are left empty unless every id has one and there are two or more.

    Raises
    ------
    ReferenceFileError: a line that does not end with an id, alternatives, optional words.
    """
    problems = Problems(ReferenceFileError)
    utterances = []
    for line, text in _lines(content, comments=True):
        match = _TRN.match(text)
        if match is None:
            problems.add("no_id", file, f"{quote(text, 40)}; expected WORD WORD ... (ID)", line=line)
            continue
        transcript = _plain(match["text"], file, line, problems)
        utterances.append(Utterance(line, match["id"], transcript))
    problems.raise_if_any()
    speakers = _speakers([utterance.id for utterance in utterances])
    return [each._replace(speaker=speaker) for each, speaker in zip(utterances, speakers, strict=True)]


def read_stm(content: str, file: str, left_out: Counter[str]) -> list[Utterance]:
    """Return the segments of an STM file that are scored, in the order of their lines; others add to `left_out`.

    The id of a segment is RECORDING_CHANNEL_START_END, with times in milliseconds, rounded half to even.

    Raises
    ------
    ReferenceFileError: missing fields, times that are not numbers in order, a segment twice, alternatives, optional
        words.
    """
    problems = Problems(ReferenceFileError)
    first: dict[str, int] = {}
    segments = []
    for line, text in _lines(content, comments=True):
        fields = text.split(maxsplit=5)
        if len(fields) < 5:
            message = f"{len(fields)} fields; expected RECORDING CHANNEL SPEAKER START END WORD WORD ..."
            problems.add("wrong_field_count", file, message, line=line)
            continue
        recording, channel, speaker, *times = fields[:5]
        transcript = re.sub(r"\A<[^<>\s]*>(\s|\Z)", "", "".join(fields[5:]))
        if transcript.strip().lower() == IGNORED:
            left_out[IGNORED] += 1
            continue
        wrong = [time for time in times if (decimal(time) or 0) < 0 or decimal(time) is None]
        if wrong:
            problems.add("bad_time", file, f"time {expected_number(wrong[0])}, 0 or more", line=line)
            continue
        start, end = (int((1000 * Decimal(time)).to_integral_value()) for time in times)
        if start >= end:
            message = f"from {times[0]} to {times[1]}; expected an end after the start"
            problems.add("bad_time", file, message, line=line)
        item = f"{recording}_{channel}_{start}_{end}"
        if item in first:
            problems.add("duplicate_item", file, repeated(f"segment {name(item)}", first[item]), line=line)
        first.setdefault(item, line)
        transcript = _plain(transcript, file, line, problems)
        segments.append(Utterance(line, item, transcript, recording, speaker))
    problems.raise_if_any()
    return segments


def _lines(content: str, *, comments: bool = False) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip() and not (comments and line.startswith(";;")):
            yield number, line


def _plain(transcript: str, file: str, line: int, problems: Problems) -> str:
    """Return the words, with a problem for those that are not plain words."""
    if _ALTERNATIVES.search(transcript):
        message = f"{quote(transcript.strip(), 40)} has alternatives; expected plain words."
        problems.add("alternatives", file, f"{message} Write each reference on its own line", line=line)
    optional = _OPTIONAL.search(transcript)
    if optional:
        message = f"{quote(optional[0], 40)} is an optional word; expected plain words."
        problems.add("optional_word", file, f"{message} List such words in the rule drop", line=line)
    return " ".join(transcript.split())


def _speakers(ids: Sequence[str]) -> Sequence[str]:
    found = [item.partition("-" if "-" in item else "_") for item in ids]
    speakers = [speaker if sign and rest else "" for speaker, sign, rest in found]
    return speakers if all(speakers) and len(set(speakers)) > 1 else [""] * len(ids)
