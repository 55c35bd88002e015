"""Sheets of naming responses, as the PSST Challenge distributes them: one row for each utterance.

- Reference, `utterances.tsv`: the challenge's own file, tab-separated with a header. It needs the column `utterance_id`
  and the column of the task. Older files call these columns `id`, `transcript_arpabet` and `is_correct`.
- Public list, `utterance_list.tsv`: the part for participants, without the transcripts, the correctness and the
  speakers' aphasia quotients.
"""

from __future__ import annotations

from .format import Answers, Check, Format, Sheet, sheet_format
from .speakers import SPEAKER, SPEAKER_ALIASES, Units, choose_units
from .tables import Parser

ID = "utterance_id"
LIST_FILE = "utterance_list.tsv"

SEVERITY = "aq_index"
"""The column with the speakers' aphasia quotients; participants do not get them for hidden sets."""

_PUBLIC = ("session", "test", "prompt", "duration_frames", "filename")
_ALIASES = {"id": ID, "transcript_arpabet": "transcript", "is_correct": "correctness"}


def naming_reference(column: str, cells: Parser) -> Sheet:
    """The reference of a task, with the column that is scored."""
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
    """The submission to a task: the utterances' ids and one column."""
    return Sheet(file, ID, {column: cells}, noun="utterance", delimiter="\t")


def naming_format(reference: Sheet, submission: Sheet, check: Check) -> Format:
    return sheet_format(reference, submission, list_file=LIST_FILE, public=_PUBLIC, check=check)


_SEVERITIES = ((25, "very severe"), (50, "severe"), (75, "moderate"), (100, "mild"))
"""Highest aphasia quotient of each severity (Kertesz 2006, Western Aphasia Battery, revised)."""


def naming_groups(reference: Answers) -> dict[str, list[str]]:
    """Groups of responses by test, severity of the aphasia, session and prompt, if the file has them."""
    texts = reference.texts
    titles = {
        "test": "Test",
        SEVERITY: "Severity (aphasia quotient)",
        "session": "Session",
        "prompt": "Prompt",
    }
    groups = {title: list(texts[column]) for column, title in titles.items() if column in texts}
    if SEVERITY in texts:
        groups[titles[SEVERITY]] = list(map(_severity, texts[SEVERITY]))
    return groups


def _severity(quotient: str) -> str:
    try:
        return next(f"{name} (to {most})" for most, name in _SEVERITIES if float(quotient) <= most)
    except (ValueError, StopIteration):
        return "unknown"


def naming_units(reference: Answers) -> Units:
    """Speakers if the file names them, else sessions (each has one speaker), else single utterances."""
    session = reference.texts.get("session", ())
    return choose_units(reference.items.ids, "utterance", speaker=reference.speakers, session=session)
