"""Sheets of naming responses, as the PSST Challenge distributes them: a row an utterance.

Reference, `utterances.tsv`: the challenge's own file, tab-separated with a header; of its columns `utterance_id` and
the task's own are needed. Older files call them `id`, `transcript_arpabet` and `is_correct`. Public list,
`utterance_list.tsv`: what participants get of it, without transcripts, correctness and the speakers' aphasia
quotients.
"""

from __future__ import annotations

from .cells import Parser
from .format import Format
from .sheets import Answers, Check, Sheet, sheet_format
from .speakers import SPEAKER, SPEAKER_ALIASES, Units, choose_units

ID = "utterance_id"
LIST_FILE = "utterance_list.tsv"

SEVERITY = "aq_index"
"""The column with the speakers' aphasia quotients, of which participants get none on hidden sets."""

_PUBLIC = ("session", "test", "prompt", "duration_frames", "filename")
_ALIASES = {"id": ID, "transcript_arpabet": "transcript", "is_correct": "correctness"}


def naming_reference(column: str, cells: Parser) -> Sheet:
    """The reference of a task that is scored by one of its columns."""
    return Sheet(
        "utterances.tsv",
        ID,
        {column: cells},
        noun="utterance",
        delimiter="\t",
        optional=(*_PUBLIC, SEVERITY, SPEAKER),
        aliases={**_ALIASES, **SPEAKER_ALIASES},
    )


def naming_submission(file: str, column: str, cells: Parser) -> Sheet:
    """A submission: the utterances' ids and one column."""
    return Sheet(file, ID, {column: cells}, noun="utterance", delimiter="\t")


def naming_format(reference: Sheet, submission: Sheet, check: Check) -> Format:
    return sheet_format(reference, submission, list_file=LIST_FILE, public=_PUBLIC, check=check)


def naming_units(reference: Answers) -> Units:
    """Speakers where the file names them, else sessions, each of which is one speaker's, else single utterances."""
    session = reference.texts.get("session", ())
    return choose_units(reference.items.ids, "utterance", speaker=reference.speakers, session=session)
