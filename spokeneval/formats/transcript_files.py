"""Read transcripts in Kaldi's `text`, and in `trn` and `STM` of NIST's sclite.

    text    ID WORD WORD ...        utt2spk, beside it    ID SPEAKER
    trn     WORD WORD ... (ID)
    STM     RECORDING CHANNEL SPEAKER START END [<LABEL,LABEL>] WORD WORD ...

Blank lines are skipped, and so are comments in NIST's formats, which begin with `;;`. A transcript may be empty.
Alternatives `{a / b}` and optional words `(a)`, which NIST's formats have, are refused: several references and the rule
`drop` have the same purpose.

Source: Kaldi, "Data preparation"; NIST SCTK, doc/infmts.htm.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from .problems import Problems, name, quote, repeated
from .text import decimal, expected_number

Row = tuple[int, list[str]]
"""A line, and its recording, start, end and label, in UEM without the label; or its id, transcript and speaker."""

UTT2SPK = "utt2spk"
IGNORED = "ignore_time_segment_in_scoring"
"""The transcript of a segment of an STM file that is not scored."""

_BETWEEN = re.compile(r"[\s,]*")
_ALTERNATIVES = re.compile(r"\{[^{}]*/")
_OPTIONAL = re.compile(r"(?<!\S)\([^()\s]+\)(?!\S)")
_TRN = re.compile(r"(?P<text>.*)\((?P<id>[^()\s]+)\)\s*\Z")


def read_kaldi_text(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the line, id, transcript and an empty speaker of each line; one without an id adds a problem."""
    for line, text in _lines(content):
        if text[0].isspace():
            problems.add("no_id", file, "the line begins with a space; expected ID WORD WORD ...", line=line)
        else:
            item, *words = text.split()
            yield line, [item, " ".join(words), ""]


def read_utt2spk(content: str, problems: Problems) -> dict[str, str]:
    """Return the speaker of each utterance; a line of another form, or with a second speaker, adds a problem."""
    speakers: dict[str, str] = {}
    for line, text in _lines(content):
        fields = text.split()
        if len(fields) != 2:
            problems.add("wrong_field_count", UTT2SPK, f"{quote(text, 40)}; expected ID SPEAKER", line=line)
        elif speakers.setdefault(*fields) != fields[1]:
            message = f"utterance {name(fields[0])} has another speaker above, {name(speakers[fields[0]])}"
            problems.add("two_speakers", UTT2SPK, message, line=line)
    return speakers


def read_trn(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the line, id, transcript and speaker of each line; one that cannot be used adds problems.

    Speakers are the beginnings of ids, as in sclite's `spu_id`: before the first `-`, else before the first `_`. They
    are left empty unless every id has one and there are two or more.
    """
    rows = []
    for line, text in _lines(content, comments=True):
        match = _TRN.match(text)
        if match is None:
            problems.add("no_id", file, f"{quote(text, 40)}; expected WORD WORD ... (ID)", line=line)
        else:
            rows.append((line, match["id"], _plain(match["text"], file, line, problems)))
    speakers = _speakers([item for _, item, _ in rows])
    for (line, item, transcript), speaker in zip(rows, speakers):
        yield line, [item, transcript, speaker]


def read_stm(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the line, id, transcript and speaker of each segment that is scored; others add to `left_out`.

    The id of a segment is RECORDING_CHANNEL_START_END, with times in milliseconds, rounded half to even. Missing
    fields, times that are not numbers in order, a segment twice, alternatives and optional words add problems.
    """
    first: dict[str, int] = {}
    for line, (recording, channel, speaker, *times, transcript) in stm_lines(
        content, file, problems, left_out
    ):
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
        yield line, [item, _plain(transcript, file, line, problems), speaker]


def stm_lines(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the line, and recording, channel, speaker, start, end and transcript of each segment that is scored."""
    for line, text in _lines(content, comments=True):
        fields = text.split(maxsplit=5)
        if len(fields) < 5:
            message = f"{len(fields)} fields; expected RECORDING CHANNEL SPEAKER START END WORD WORD ..."
            problems.add("wrong_field_count", file, message, line=line)
            continue
        transcript = re.sub(r"\A<[^<>\s]*>(\s|\Z)", "", "".join(fields[5:]))
        if transcript.strip().lower() == IGNORED:
            left_out[IGNORED] += 1
        else:
            yield line, [*fields[:5], transcript]


def ctm_lines(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the line, and recording, channel or speaker, start, duration and word of each word."""
    for line, text in _lines(content, comments=True):
        fields = text.split()
        if len(fields) in (5, 6):
            yield line, fields[:5]
        else:
            message = f"{len(fields)} fields; expected RECORDING CHANNEL START DURATION WORD [CONFIDENCE]"
            problems.add("wrong_field_count", file, message, line=line)


def json_objects(content: str, file: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and the content of each object of a list, or of lines with one object each; numbers are texts."""
    decoder, end = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str), 0
    line, counted = 1, 0
    content = content.strip()
    if content.startswith("["):
        content, end = content.rstrip("]").rstrip(), 1
    while end < len(content):
        place = end = _BETWEEN.match(content, end).end()  # type: ignore[union-attr]
        line, counted = line + content.count("\n", counted, place), place
        try:
            value, end = decoder.raw_decode(content, place)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            problems.stop("not_json", file, 'not an object of JSON; expected {"...": ..., ...}', line=line)
        yield line, value


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
