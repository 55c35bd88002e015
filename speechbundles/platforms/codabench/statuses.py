"""The statuses of a run on Codabench."""

from speechbundles.model.statuses import (
    AWAITING,
    FINISHED,
    IGNORE,
    KEEP,
    REPEAT,
    SUBMITTING,
    UNDER_WAY,
    WAIT,
    Meaning,
)

STATUSES = {
    SUBMITTING: Meaning(False, True, KEEP, "start each under Submissions"),
    **dict.fromkeys(("Submitted", "Preparing", "Running", "Scoring"), UNDER_WAY),
    AWAITING: Meaning(False, False, WAIT, "approve each on the compute worker within 24 hours"),
    FINISHED: Meaning(True, True, REPEAT),
    "Failed": Meaning(True, True, REPEAT),
    "Cancelled": Meaning(True, False, IGNORE),
}
