"""The sheets of the shared task's three editions.

Sheets of the first edition have a last column `Trace`, which records how the labels were made. Sheets of the second
edition name the judged columns `FullyAcceptable` and `MeaningAcceptable`. Some sheets have no header.
"""

from speechbundles.competition.intake.layouts import Notation
from spokeneval.challenges.spoken_call import HEADERLESS

_JUDGEMENTS = {"correct", "incorrect"}

NOTATIONS = {
    "reference.csv": Notation(
        aliases={"FullyAcceptable": "language", "MeaningAcceptable": "meaning"},
        headerless=(*HEADERLESS.values(), *((*columns, "Trace") for columns in HEADERLESS.values())),
        is_row=lambda cells: {cells["language"], cells["meaning"]} <= _JUDGEMENTS,
        left_out=("Trace",),
    )
}
