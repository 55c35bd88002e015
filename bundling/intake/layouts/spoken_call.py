"""The sheets of the shared task's three editions.

Those of the first have a last column `Trace`, which tells how the labels came about; those of the second call the
judged columns `FullyAcceptable` and `MeaningAcceptable`; some have no header.
"""

from bundling.intake.layouts import Notation

_SPOKEN = ("Id", "Prompt", "Wavfile", "Transcription", "language", "meaning")
_RECOGNISED = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning")
_JUDGEMENTS = {"correct", "incorrect"}

NOTATIONS = {
    "reference.csv": Notation(
        aliases={"FullyAcceptable": "language", "MeaningAcceptable": "meaning"},
        headerless=(_SPOKEN, _RECOGNISED, (*_SPOKEN, "Trace"), (*_RECOGNISED, "Trace")),
        is_row=lambda cells: {cells["language"], cells["meaning"]} <= _JUDGEMENTS,
        left_out=("Trace",),
    )
}
