"""The agreement of the two human scores of content accuracy, beside that of the systems."""

from collections.abc import Sequence

from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.challenges.content_accuracy import RATERS, SECOND, raters_kappa
from spokeneval.ranking.leaderboard import TextTable

KAPPA = "quadratic_kappa"


def raters_agreement(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return the quadratic kappa of the two human scores and of each system; None if there is no second score.

    The agreement of the human scores does not depend on the system, so any statistics can be used.
    """
    counted = next((output.statistics for output in outputs if output.statistics is not None), None)
    if (
        counted is None
        or RATERS not in counted.parts
        or not all(KAPPA in output.scores for output in outputs)
    ):
        return None
    both = counted.total(RATERS)
    rows = [[f"human_score vs. {SECOND}", f"{raters_kappa(both):.2f}"]]
    rows += [[f"human_score vs. {output.name}", f"{output.scores[KAPPA]:.2f}"] for output in outputs]
    note = f"The human scores are compared on the {both.n:.0f} responses with both."
    return TextTable("Agreement with the human score", ["Scores compared", "Quadratic κ"], rows, note)


TABLES = (raters_agreement,)
