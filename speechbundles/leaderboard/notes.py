"""Notes below a board about its outputs; `spokeneval.ranking.notes` has those about the comparison."""

from collections.abc import Mapping, Sequence

from speechbundles.leaderboard.outputs import ScoringOutput, exact_score
from speechbundles.model.label_tag import LABELS_FILE
from speechbundles.model.text import PROGRAM
from spokeneval.ranking.leaderboard import Leaderboard

CLOSE = 1e-3
"""Tolerance of a score computed from statistics: histograms and rounded moments give it to about 0.01 points."""


def trivial_scores(output: ScoringOutput, digits: int) -> dict[str, str]:
    """Return the scores of the trivial baselines as text; for a hidden set, in the steps of its board."""
    number = "g" if output.signature.items else f".{digits}f"
    return {answer: f"{score:{number}}" for answer, score in output.trivial.items()}


def beside_trivial(output: ScoringOutput, trivial: Mapping[str, str]) -> list[str]:
    """Return a sentence with the scores of the trivial baselines; none if they are unknown."""
    if not trivial:
        return []
    hidden = bool(output.signature.items)
    known = ", ".join(f"{answer} {score}" for answer, score in trivial.items())
    return [f"Trivial baselines{', rounded as on the leaderboard' if hidden else ''}: {known}."]


def without_score(names: Sequence[str]) -> list[str]:
    return [f"Without a score and therefore without a rank: {', '.join(names)}."] if names else []


def without_statistics(outputs: Sequence[ScoringOutput]) -> list[str]:
    missing = [output.name for output in outputs if output.statistics is None]
    coarse = outputs[0].signature.coarse
    where = "all outputs" if len(missing) == len(outputs) else _first_names(missing)
    return [
        f"{_IN_STEPS if coarse else ''}Differences between systems were not tested, because statistics.json is "
        f"missing in {where}. This file reveals hidden labels, so it is not written on the platform for a hidden set. "
        "To test the differences, download the submissions, run "
        f"`{PROGRAM} rehearse BUNDLE.zip TEAM.zip --statistics --keep DIR/TEAM` for each, then `rank DIR/*`."
    ]


def unchecked_labels(outputs: Sequence[ScoringOutput]) -> list[str]:
    """Return a note if it is unknown whether systems were scored with the same hidden labels."""
    keys = {output.labels.partition(":")[0] for output in outputs}
    missing = [output.name for output in outputs if not output.labels]
    if len(outputs) < 2 or (len(keys) == 1 and not missing) or not outputs[0].signature.items:
        return []
    why = "they were scored by several users or on several computers"
    if missing:
        why = f"{LABELS_FILE} is missing in {'all outputs' if len(missing) == len(outputs) else _first_names(missing)}"
    return [
        f"Whether all outputs were scored with the same labels was not checked, because {why}. If labels were "
        "corrected, score all submissions again."
    ]


_IN_STEPS = (
    "The scores are rounded, as on the leaderboard of a hidden set, without intervals, and a system that is not better "
    "than the baselines has the best of their scores; the final ranking needs exact scores. "
)


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")


def disagreements(ranking: Leaderboard, outputs: Sequence[ScoringOutput]) -> list[str]:
    """Return a note on systems whose statistics do not give the score in the same output."""
    differing = []
    for output in outputs:
        if output.statistics is not None:
            found, score = exact_score(ranking.own_task, output.statistics), output.scores[ranking.column.key]
            if not abs(score - found) <= CLOSE * max(1, abs(score)):
                differing.append(f"{output.name} {found:.6g} instead of {score:.6g}")
    if not differing:
        return []
    return [f"The statistics give a different score from scores.json: {_first_names(differing)}."]
