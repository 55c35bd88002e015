"""File formats of organisers that the readers of the challenges' tasks do not accept, by task and file.

Sheets of the first edition of Spoken CALL have a last column `Trace`, which records how the labels were made. Sheets of
the second edition name the judged columns `FullyAcceptable` and `MeaningAcceptable`. Some sheets have no header. Labels
of MERLIon have times in milliseconds and the headers of the distributed file or of Table 3 of the evaluation plan; its
regions may have no header (Table 4), and overlaps with the other language are computed if their column is missing.
"""

from collections.abc import Mapping

from speechbundles.competition.intake.complete import mark_overlaps
from speechbundles.competition.intake.table import Notation
from spokeneval.challenges.spoken_call import HEADERLESS
from spokeneval.formats.language_labels import OVERLAP
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
_TABLE_3 = {
    "Start time of annotation (ms)": "start",
    "End time of annotation (ms)": "end",
    "Language tag": "language_tag",
    "Overlapping different language": OVERLAP,
}
NOTATIONS: Mapping[tuple[str, str], Notation] = {
    ("spoken_call", "reference.csv"): _SHEET,
    ("merlion_identification", "labels.csv"): Notation(
        aliases=_TABLE_3, per_second=1000, completed=(mark_overlaps,)
    ),
    ("merlion_diarization", "labels.csv"): Notation(aliases=_TABLE_3, per_second=1000),
    ("merlion_diarization", "regions.csv"): _REGIONS,
}
"""The notations of files, by task and file; any other file has the default one."""
