"""File formats of organisers that the readers of the challenges' tasks do not accept, by task and file.

Sheets of the first edition of Spoken CALL have a last column `Trace`, which records how the labels were made. Sheets of
the second edition name the judged columns `FullyAcceptable` and `MeaningAcceptable`. Some sheets have no header. Labels
of MERLIon have times in milliseconds, its regions may have no header, and overlaps with the other language are computed
if their column is missing.
"""

from collections.abc import Mapping

from speechbundles.competition.intake.complete import mark_overlaps
from speechbundles.competition.intake.table import Notation
from spokeneval.challenges.spoken_call import HEADERLESS
from spokeneval.formats.text import decimal

_JUDGEMENTS = {"correct", "incorrect"}

_SHEET = Notation(
    aliases={"FullyAcceptable": "language", "MeaningAcceptable": "meaning"},
    headerless=(*HEADERLESS.values(), *((*columns, "Trace") for columns in HEADERLESS.values())),
    is_row=lambda cells: {cells["language"], cells["meaning"]} <= _JUDGEMENTS,
    left_out=("Trace",),
)
_REGIONS = Notation(
    headerless=(("audio_name", "start", "end"),),
    is_row=lambda cells: decimal(cells["start"]) is not None and decimal(cells["end"]) is not None,
    per_second=1000,
)
NOTATIONS: Mapping[tuple[str, str], Notation] = {
    ("spoken_call", "reference.csv"): _SHEET,
    ("merlion_identification", "labels.csv"): Notation(per_second=1000, completed=(mark_overlaps,)),
    ("merlion_diarization", "labels.csv"): Notation(per_second=1000),
    ("merlion_diarization", "regions.csv"): _REGIONS,
}
"""The notations of files, by task and file; any other file has the default one."""
