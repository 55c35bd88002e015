"""Transcripts in Kaldi's `text`, in `trn`, `STM` and `CTM` of NIST's sclite, and in lines of JSON, as NeMo's manifests.

    text        ID WORD WORD ...        utt2spk, beside it    ID SPEAKER
    trn         WORD WORD ... (ID)
    STM         RECORDING CHANNEL SPEAKER START END [<LABEL,LABEL>] WORD WORD ...
    CTM         RECORDING CHANNEL START DURATION WORD [CONFIDENCE]
    JSON        {"id": ID, "text": "WORD WORD ..."}
    manifest    {"audio_filepath": "FOLDER/ID.wav", "text": "WORD WORD ..."}

Blank lines are skipped, and so are comments in NIST's formats, which begin with `;;`. A transcript may be empty.
Alternatives `{a / b}` and optional words `(a)`, which NIST's formats have, are refused: several references and the rule
`drop` have the same purpose.

Source: Kaldi, "Data preparation"; NIST SCTK, doc/infmts.htm.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Callable, Optional

from .problems import Problems, count_of, name, quote, repeated, some_of
from .speakers import SPEAKER
from .tables import Table
from .text import decimal, expected_number, in_nfc

Row = tuple[int, list[str]]
"""A line, and its recording, start, end and label, in UEM without the label; or its id, transcript and speaker."""

UTT2SPK = "utt2spk"
KEYS = ("pred_text", "text")
"""Other names of the column of transcripts, as keys of JSON in a submission."""
IGNORED = "ignore_time_segment_in_scoring"
"""The transcript of a segment of an STM file that is not scored."""

_CTM_FIELDS = "RECORDING CHANNEL START DURATION WORD [CONFIDENCE], one word a line"
_STM_FIELDS = "RECORDING CHANNEL SPEAKER START END WORD WORD ..."

_BETWEEN = re.compile(r"[\s,]*")
_ALTERNATIVES = re.compile(r"\{[^{}]*/")
_OPTIONAL = re.compile(r"(?<!\S)\([^()\s]+\)(?!\S)")
_ID = re.compile(r"[^()\s]+\Z")
_SEGMENT = re.compile(r"(?P<recording>\S+)_(?P<channel>[^_\s]+)_(?P<start>[0-9]+)_(?P<end>[0-9]+)\Z")
_TRN = re.compile(r"(?P<text>.*)\((?P<id>[^()\s]+)\)\s*\Z")


def transcript_tables(id: str, column: str, *keys: str) -> dict[str, Callable[[str, str, Problems], Table]]:
    """Readers of tables of transcripts in other formats, by the name of the file.

    Parameters
    ----------
    id, column
        The names of the columns of ids and of transcripts.
    keys
        The keys of transcripts in objects of JSON, besides `column`.
    """
    readers = {
        "text": read_kaldi_text,
        "transcripts.trn": read_trn,
        "transcripts.stm": read_stm,
        "transcripts.ctm": read_ctm,
        "transcripts.jsonl": partial(read_objects, (id, "id"), (column, *keys)),
        "manifest.json": partial(read_objects, (id, "id"), (column, *keys)),
    }

    def table(read: Any, text: str, file: str, problems: Problems) -> Table:
        rows = list(read(text, file, problems, Counter()))
        columns = {
            name: [cells[place] for _, cells in rows] for place, name in enumerate((id, column, SPEAKER))
        }
        if not all(columns[SPEAKER]):
            del columns[SPEAKER]
        return Table(file, id, columns, [line for line, _ in rows])

    return {file: partial(table, read) for file, read in readers.items()}


Times = Sequence[tuple[float, float]]
"""The start and the end of each word, in seconds."""


def write_transcripts(
    transcripts: Mapping[str, str],
    file: str,
    speakers: Optional[Mapping[str, str]] = None,
    times: Optional[Mapping[str, Times]] = None,
) -> str:
    """Return transcripts as text, in the format that the name of the file implies.

    Parameters
    ----------
    transcripts
        `id -> transcript`. In STM, an id is RECORDING_CHANNEL_START_END, with times in milliseconds.
    file
        `text` for Kaldi's, or a name that ends in `.trn`, `.stm`, `.ctm`, `.jsonl`, or `.json` for NeMo's manifest.
    speakers
        `id -> speaker`, for STM and lines of JSON.
    times
        For CTM, `id -> start and end of each word` of the transcript, in seconds.

    Raises
    ------
    ValueError
        The name has no such ending, an id does not fit the format, or a line would be a comment; for CTM, a transcript
        has no words, or a word has no start and end, in order.
    """
    form = "text" if PurePosixPath(file).name == "text" else PurePosixPath(file).suffix
    if form not in ("text", ".trn", ".stm", ".ctm", ".jsonl", ".json"):
        raise ValueError(f"{file}: expected text, or a name that ends in .trn, .stm, .ctm, .jsonl or .json")
    wrong = [item for item in transcripts if not (_SEGMENT if form == ".stm" else _ID).match(item)]
    if wrong:
        expected = "RECORDING_CHANNEL_START_END" if form == ".stm" else "ids without spaces and brackets"
        raise ValueError(f"{file}: {some_of(wrong, write=quote)}; expected {expected}")
    if form == ".ctm":
        lines = list(_timed_lines(transcripts, times or {}, file))
    else:
        lines = [_line(form, *each, (speakers or {}).get(each[0], "")) for each in transcripts.items()]
    comments = [line for line in lines if form in (".trn", ".stm", ".ctm") and line.startswith(";;")]
    if comments:
        raise ValueError(f"{file}: {some_of(comments)}; expected no line that begins with ;;, as comments do")
    return "".join(f"{line}\n" for line in lines)


def _line(form: str, item: str, transcript: str, speaker: str) -> str:
    """The line of a transcript in a format other than CTM."""
    words, segment = " ".join(transcript.split()), _SEGMENT.match(item)
    if form == ".stm" and segment:
        start, end = (f"{Decimal(segment[end]) / 1000:f}" for end in ("start", "end"))
        who = speaker or segment["recording"]
        return f"{segment['recording']} {segment['channel']} {who} {start} {end} {words}".rstrip()
    if form.startswith(".json"):
        name_of_id = {"audio_filepath": f"{item}.wav"} if form == ".json" else {"id": item}
        known = {SPEAKER: speaker} if speaker else {}
        return json.dumps({**name_of_id, "text": words, **known}, ensure_ascii=False)
    return f"{words} ({item})".lstrip() if form == ".trn" else f"{item} {words}".rstrip()


def _timed_lines(transcripts: Mapping[str, str], times: Mapping[str, Times], file: str) -> Iterator[str]:
    """Yield a line of CTM for each word; transcripts whose words have no times raise ValueError."""
    reasons = {item: _untimed(text.split(), times.get(item)) for item, text in transcripts.items()}
    wrong = [f"{quote(item)} has {reason}" for item, reason in reasons.items() if reason]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
        raise ValueError(
            f"{file}: {wrong[0]}{more}; CTM holds words with times alone. Give `times`: the start and the end of each "
            "word in seconds, by the ids, or write another format"
        )
    for item, text in transcripts.items():
        for word, span in zip(text.split(), times[item]):
            start, end = (Decimal(repr(float(time))) for time in span)
            yield f"{item} 1 {start:f} {end - start:f} {word}"


def _untimed(words: Sequence[str], times: Optional[Times]) -> str:
    """What the times of a transcript's words are, if CTM cannot hold them; else empty."""
    if not words or times is None:
        return "no times" if words else "no words"
    try:
        if len(words) != len(times):
            return f"{count_of(len(words), 'word')} and {count_of(len(times), 'time')}"
        starts = [start for start, _ in times]
        in_order = starts == sorted(starts) and all(0 <= start <= end < math.inf for start, end in times)
    except (TypeError, ValueError):
        return "times that are not pairs of numbers"
    return "" if in_order else "times that are not in order"


def read_objects(
    ids: Sequence[str],
    keys: Sequence[str],
    content: str,
    file: str,
    problems: Problems,
    left_out: Counter[str],
) -> Iterator[Row]:
    """Yield the line, id, transcript and speaker of each object of JSON; those of NeMo have the path of their audio."""
    for line, entry in json_objects(content, file, problems):
        item = next((entry[key] for key in ids if entry.get(key)), entry.get("audio_filepath"))
        text = next((entry[key] for key in keys if key in entry), None)
        if isinstance(item, str) and isinstance(text, str):
            path = not any(map(entry.get, ids))
            yield line, [PurePosixPath(item).stem if path else item, text, str(entry.get(SPEAKER) or "")]
        else:
            found = quote(json.dumps(entry, ensure_ascii=False), 60)
            id_keys, text_keys = (
                " or ".join(dict.fromkeys(names)) for names in ((*ids, "audio_filepath"), keys)
            )
            message = f"{found}; expected a text for {id_keys}, and one for {text_keys}"
            problems.add("not_a_value", file, message, line=line)


def read_ctm(content: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the first line, id, words by time and an empty speaker of each recording."""
    words_of: dict[str, tuple[int, list[tuple[float, str]]]] = {}
    for line, (recording, _, start, duration, word) in ctm_lines(content, file, problems, left_out):
        time = decimal(start)
        if time is None or decimal(duration) is None:
            found = expected_number(start if time is None else duration)
            problems.add("bad_time", file, f"time {found}, 0 or more, in {_CTM_FIELDS}", line=line)
        else:
            words_of.setdefault(recording, (line, []))[1].append((time, word))
    for recording, (line, words) in words_of.items():
        yield line, [recording, " ".join(word for _, word in sorted(words, key=lambda each: each[0])), ""]


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
            message = f"time {expected_number(wrong[0])}, 0 or more, in {_STM_FIELDS}"
            problems.add("bad_time", file, message, line=line)
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
            message = f"{len(fields)} fields; expected {_STM_FIELDS}"
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
            message = f"{len(fields)} fields; expected {_CTM_FIELDS}"
            problems.add("wrong_field_count", file, message, line=line)


def json_objects(content: str, file: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and the content of each object of a list, or of lines with one object each; numbers are texts."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    line, counted = 1, 0
    content = content.rstrip()
    end = len(content) - len(content.lstrip())
    is_list = content[end : end + 1] == "["
    end += is_list
    while end < len(content):
        place = end = _BETWEEN.match(content, end).end()  # type: ignore[union-attr]
        if is_list and place == len(content) - 1 and content[place] == "]":
            return
        if place == len(content):
            break
        line, counted = line + content.count("\n", counted, place), place
        try:
            value, end = decoder.raw_decode(content, place)
            value = in_nfc(value)  # escapes such as \u0301 are in any form
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            problems.stop(
                "not_json",
                file,
                'not an object of JSON; expected {"...": ..., ...}, with double quotation marks',
                line=line,
            )
        yield line, value
    if is_list:
        problems.stop("not_json", file, "the list has no ] at its end; is the file complete?", line=line)


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
