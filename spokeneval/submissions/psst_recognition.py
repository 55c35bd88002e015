"""Files of PSST Task A, phoneme recognition: the transcripts of the reference and of a submission.

Reference, `utterances.tsv`: `utterance_id` and `transcript` among its columns. Submission, `transcripts.tsv`:
`utterance_id` and `asr_transcript` among its columns. A transcript is phones of the feature table and the fillers
`<sil>`, `<spn>`, `<unk>`, separated by white space; it may be empty. What both tasks share is in `psst`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..metrics.phoneme_recognition import FILLERS, arpabet_features, drop_fillers
from .problems import Problems, ReferenceFileError, name, quote
from .psst import (
    ID,
    REFERENCE_FILE,
    Items,
    public_columns,
    read_answers,
    read_items,
    read_utterances,
    write_list,
)
from .tables import Table

__all__ = [
    "Items",
    "Reference",
    "Submission",
    "public_items",
    "read_items",
    "read_reference",
    "read_submission",
]

REFERENCE_FILES = (REFERENCE_FILE,)
SUBMISSION_FILE = "transcripts.tsv"

_WRITTEN = re.compile(r"[A-Za-z0-9,.|/_-]{1,60}\Z")
"""A token that may be phones run together."""


@dataclass(frozen=True)
class Reference:
    """What was said.

    Attributes
    ----------
    items: the public part.
    transcripts: n sequences of phones and fillers, in the order of the items.
    sheet: the columns that participants get, `name -> n strings`.
    """

    items: Items
    transcripts: list[list[str]]
    sheet: dict[str, list[str]]


@dataclass(frozen=True)
class Submission:
    """What was recognised: transcripts, n sequences of phones and fillers, in the order of the items."""

    transcripts: list[list[str]]


def read_reference(directory: Path) -> Reference:
    """The transcripts in `utterances.tsv`; some may be empty, or of fillers alone.

    Raises
    ------
    ReferenceFileError: a token that is no phone of the feature table; an id that is empty or stands twice; no phone
        in any utterance, because a rate would have nothing to divide by; a feature table that cannot be used.
    """
    problems = Problems(ReferenceFileError)
    try:
        arpabet_features()
    except ValueError as error:
        problems.add("bad_feature_table", "arpabet_features.tsv", str(error))
    problems.raise_if_any()
    table = read_utterances(directory, "transcript", problems)
    transcripts = _transcripts(table, table.columns["transcript"], problems)
    problems.raise_if_any()
    if not any(map(drop_fillers, transcripts)):
        problems.add("no_phones", REFERENCE_FILE, "not one phone in any transcript; expected some")
    problems.raise_if_any()
    return Reference(Items(tuple(table.columns[ID])), transcripts, public_columns(table))


def public_items(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that participants and the ingestion program get, `name -> content`."""
    return write_list(reference.sheet)


def read_submission(files: dict[str, Path], items: Items) -> Submission:
    """The transcripts in `transcripts.tsv`.

    Raises
    ------
    SubmissionError: with every problem: each token of each utterance that is no phone, ids that are missing, unknown
        or stand twice.
    """
    problems = Problems()
    table, places = read_answers(files, items, SUBMISSION_FILE, "asr_transcript", problems)
    found = _transcripts(table, table.columns["asr_transcript"], problems)
    problems.raise_if_any()
    transcripts: list[list[str]] = [[]] * len(items)
    for place, phones in zip(places.tolist(), found):
        transcripts[place] = phones
    return Submission(transcripts)


def _transcripts(table: Table, texts: list[str], problems: Problems) -> list[list[str]]:
    """Each row's tokens; adds a problem for each different one in a row that is neither phone nor filler."""
    known = FILLERS.union(arpabet_features().phones)
    transcripts = [text.split() for text in texts]
    for item, line, tokens in zip(table.columns[ID], table.lines, transcripts):
        if not known.issuperset(tokens):
            for token in dict.fromkeys(tokens):
                if token not in known:
                    message = (
                        f"{ID} {name(item)}: {quote(token)} is not one of the {_phones()}; {_meant(token)}"
                    )
                    problems.add("unknown_phone", table.file, message, line=line, item=item)
    return transcripts


def _phones() -> str:
    return f"{len(arpabet_features().phones)} phones"


def _meant(token: str) -> str:
    """What to write in place of a token that is no phone."""
    phones = arpabet_features().phones
    filler = f"<{token.strip('<>').lower()}>"
    if filler in FILLERS:
        return f"write {filler}"
    if token.upper() in phones:
        return f"write {token.upper()}, in capitals"
    bare = re.sub("[0-9]", "", token).upper()
    if bare in phones:
        return f"write {bare}, without the stress digit"
    run = _apart(re.sub("[^A-Z]", "", token.upper()), phones) if _WRITTEN.match(token) else None
    if run:
        return f"write {' '.join(run)}, with blanks between the phones"
    return f"they are written {phones[0]}, {phones[1]}, {phones[2]}, ..., the fillers {', '.join(sorted(FILLERS))}"


def _apart(run: str, phones: tuple[str, ...]) -> Optional[list[str]]:
    """Phones that were run together, or None where the letters are not phones."""
    ends: dict[int, list[str]] = {0: []}
    for end in range(1, len(run) + 1):
        for phone in phones:
            start = end - len(phone)
            if start in ends and run[start:end] == phone:
                ends[end] = [*ends[start], phone]
                break
    return ends.get(len(run))
