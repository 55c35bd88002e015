"""Lines of NIST's formats RTTM (turns) and UEM (regions), with times in seconds.

A line of RTTM has 9 or 10 fields, separated by white space: `SPEAKER RECORDING CHANNEL START DURATION <NA> <NA> LABEL
<NA> <NA>`. `NOSCORE` in place of `SPEAKER` marks time that is not evaluated. Lines of RTTM's other types, such as
`SPKR-INFO` and `LEXEME`, are no turns and are counted; lines of any other type are problems. A line of UEM is
`RECORDING CHANNEL START END`. Blank lines, and lines that begin with `;;`, are comments.

Source: NIST, "RT-09 evaluation plan", appendix A; NIST SCTK, doc/infmts.htm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from .problems import Problems, count_of, quote, suggestion

SPEAKER_LINE, NO_SCORE_LINE, LEXEME_LINE = "SPEAKER", "NOSCORE", "LEXEME"
NO_SCORE = "\n"
"""Stands for the label of a `NOSCORE` line; no turn has it."""
_OTHER_TYPES = {
    *("SEGMENT", "NO_RT_METADATA", LEXEME_LINE, "NON-LEX", "NON-SPEECH", "FILLER"),
    *("EDIT", "SU", "IP", "CB", "A/P", "SPKR-INFO"),
}

Line = tuple[int, str, str, str, str]
"""Number, recording, start, duration (RTTM) or end (UEM), and label (empty in UEM) of a line."""


def rttm_lines(
    blocks: Iterable[str], file: str, problems: Problems, left_out: Counter[str], first: int = 1
) -> Iterator[list[Line]]:
    """Yield the turns, and the time that is not evaluated, of each block of whole lines.

    Parameters
    ----------
    left_out
        The lines of each other type are added to it.
    first
        The number of the first line.
    """
    for rows in _fields(blocks, first):
        lines: list[Line] = []
        for number, fields in rows:
            kind = fields[0].upper()
            if kind in _OTHER_TYPES:
                left_out[kind] += 1
            elif kind not in (SPEAKER_LINE, NO_SCORE_LINE):
                problems.add("unknown_type", file, _unknown_type(fields[0]), line=number)
            elif len(fields) not in (9, 10):
                message = f"{count_of(len(fields), 'field')}; expected 9 or 10, separated by white space: "
                message += f"{kind} recording channel start duration <NA> <NA> label <NA> <NA>"
                problems.add("wrong_field_count", file, message, line=number)
            else:
                label = fields[7] if kind == SPEAKER_LINE else NO_SCORE
                lines.append((number, fields[1], fields[3], fields[4], label))
        yield lines


def word_lines(blocks: Iterable[str], file: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield the line, and recording, speaker, start, duration and word of `LEXEME` lines; of turns without the word."""
    for rows in _fields(blocks):
        for number, fields in rows:
            kind = fields[0].upper()
            if kind not in (*_OTHER_TYPES, SPEAKER_LINE, NO_SCORE_LINE):
                problems.add("unknown_type", file, _unknown_type(fields[0]), line=number)
            elif kind in (LEXEME_LINE, SPEAKER_LINE) and len(fields) not in (9, 10):
                message = f"{count_of(len(fields), 'field')}; expected 9 or 10, separated by white space: "
                message += f"{kind} recording channel start duration word type speaker ..."
                problems.add("wrong_field_count", file, message, line=number)
            elif kind in (LEXEME_LINE, SPEAKER_LINE):
                word = fields[5] if kind == LEXEME_LINE else ""
                yield number, [fields[1], fields[7], fields[3], fields[4], word]


def _unknown_type(found: str) -> str:
    types = (SPEAKER_LINE, NO_SCORE_LINE, *sorted(_OTHER_TYPES))
    fields = "expected SPEAKER, then recording, channel, start, duration, ..., separated by spaces"
    expected = suggestion(found.upper(), types, fields)
    return f"type {quote(found)}; {expected}"


def uem_lines(blocks: Iterable[str], file: str, problems: Problems) -> Iterator[list[Line]]:
    """Yield the regions of each block of whole lines."""
    for rows in _fields(blocks):
        lines: list[Line] = []
        for number, fields in rows:
            if len(fields) == 4:
                lines.append((number, fields[0], fields[2], fields[3], ""))
            else:
                message = f"{count_of(len(fields), 'field')}; expected 4: recording, channel, start, end"
                problems.add("wrong_field_count", file, message, line=number)
        yield lines


def _fields(blocks: Iterable[str], first: int = 1) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Yield the fields of each line of a block that is neither blank nor a comment, with its number."""
    for block in blocks:
        lines = block.split("\n")
        rows = ((number, line.split()) for number, line in enumerate(lines, first))
        yield ((number, fields) for number, fields in rows if fields and not fields[0].startswith(";;"))
        first += len(lines)


def left_out_lines(left_out: Counter[str]) -> str:
    """The number of lines of each type as text: `2 LEXEME lines, 1 SPKR-INFO line`."""
    return ", ".join(count_of(number, f"{kind} line") for kind, number in sorted(left_out.items()) if number)
