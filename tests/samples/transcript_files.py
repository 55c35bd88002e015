"""Lines of transcript formats that readers refuse."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from spokeneval.formats.problems import Problems, ReferenceFileError
from spokeneval.formats.transcript_files import (
    read_ctm,
    read_kaldi_text,
    read_objects,
    read_stm,
    read_trn,
    read_utt2spk,
)


def rows(read: Any, content: str, file: str = "ref", left_out: Counter[str] | None = None) -> list[Any]:
    """Return the rows of a file without problems."""
    problems = Problems(ReferenceFileError)
    read_rows = list(read(content, file, problems, Counter() if left_out is None else left_out))
    problems.raise_if_any()
    return read_rows


def speakers(content: str, file: str, problems: Problems, left_out: Counter[str]) -> dict[str, str]:
    return read_utt2spk(content, problems)


read_json = partial(read_objects, ("id",), ("text",))

BAD_LINES = [
    (
        read_json,
        '{"id": "a", "text": "b"}\n{"id": 7, "text": null}',
        2,
        """'{"id": "7", "text": null}'; expected a text for id or audio_filepath, and one for text""",
    ),
    (read_json, "[]x", 1, "not an object of JSON"),
    (read_json, '[{"id": "a", "text": "b"}\n', 1, "the list has no ] at its end; is the file complete?"),
    (read_ctm, "r 1 x 1 a\n", 1, "time 'x'; expected a finite decimal number, 0 or more"),
    (read_kaldi_text, "u1 a\n u2 b\n", 2, "the line begins with a space; expected ID WORD WORD ..."),
    (read_trn, "a (u1)\nhello there\n", 2, "'hello there'; expected WORD WORD ... (ID)"),
    (read_trn, "hello (u 1)\n", 1, "'hello (u 1)'; expected WORD WORD ... (ID)"),
    (read_trn, "i've { um / uh / @ } as (u1)\n", 1, "has alternatives; expected plain words."),
    (read_trn, "a {b / {c / d}} (u1)\n", 1, "has alternatives; expected plain words."),
    (read_trn, "I am a (farmer) (u1)\n", 1, "'(farmer)' is an optional word; expected plain words."),
    (read_stm, "2345 A a 0.10\n", 1, "4 fields; expected RECORDING CHANNEL SPEAKER START END WORD"),
    (read_stm, "2345 A a 0,1 2 b\n", 1, "time '0,1'; expected a finite decimal number (a decimal point"),
    (read_stm, "2345 A a 1 nan b\n", 1, "time 'nan'; expected a finite decimal number, 0 or more"),
    (read_stm, "2345 A a -1 2 b\n", 1, "time '-1'; expected a finite decimal number, 0 or more"),
    (read_stm, "2345 A a 2.0 2 b\n", 1, "from 2.0 to 2; expected an end after the start"),
    (read_stm, "r A a 1 2 b\nr A b 1.0 2 c\n", 2, "r_A_1000_2000 already appears on line 1; keep only"),
    (read_stm, "r A a 1 2 {a/b}\n", 1, "has alternatives; expected plain words."),
    (read_stm, "r A a 1 2 <O> (%uh)\n", 1, "'(%uh)' is an optional word; expected plain words."),
    (speakers, "u1 a b\n", 1, "'u1 a b'; expected ID SPEAKER"),
    (speakers, "u1 a\nu1 b\n", 2, "utterance u1 has another speaker above, a"),
]
