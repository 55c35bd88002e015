"""What platforms differ in when they order a board."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BoardRules:
    """How a platform orders its board.

    Attributes
    ----------
    all_columns: equal primary scores are told apart by the other columns in order, then by the earlier submission.
    latest_of_equals: of a team's runs with equal scores, the latest is its best; otherwise the earliest.
    shared_ranks: equal primary scores have one rank, and the next score the next one; otherwise lines are numbered.
    missing_first: an entry without the primary score comes first where higher is better.
    ties: what becomes of equal primary scores, in words.
    """

    all_columns: bool
    latest_of_equals: bool
    shared_ranks: bool
    missing_first: bool
    ties: str
