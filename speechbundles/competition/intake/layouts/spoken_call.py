"""The sheets of the shared task's three editions.

Those of the first have a last column `Trace`, which tells how the labels came about; those of the second call the
judged columns `FullyAcceptable` and `MeaningAcceptable`; some have no header.
"""

from speechbundles.competition.intake.layouts import Notation
from spokeneval.tasks.spoken_call import HEADERLESS

_JUDGEMENTS = {"correct", "incorrect"}

NOTATIONS = {
    "reference.csv": Notation(
        aliases={"FullyAcceptable": "language", "MeaningAcceptable": "meaning"},
        headerless=(*HEADERLESS.values(), *((*columns, "Trace") for columns in HEADERLESS.values())),
        is_row=lambda cells: {cells["language"], cells["meaning"]} <= _JUDGEMENTS,
        left_out=("Trace",),
    )
}
