"""Scores of a server beside those of home, as decimals."""

from collections.abc import Mapping
from decimal import Decimal


def number(score: Decimal | None) -> str:
    """All digits, without zeros at the end."""
    return "-" if score is None else f"{score.normalize():f}"


def different_scores(wanted: Mapping[str, Decimal], served: Mapping[str, Decimal]) -> list[str]:
    """Where the server's scores are not those of home, a line each."""
    return [
        f"{key}: {number(wanted.get(key))} at home, {number(served.get(key))} on the server"
        for key in dict.fromkeys([*wanted, *served])
        if wanted.get(key) != served.get(key)
    ]
