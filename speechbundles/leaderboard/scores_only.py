"""Ranks outputs by the scores that a bundle's own program wrote, in the order of its leaderboard: no statistics."""

from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path

from speechbundles.leaderboard.outputs import opened, unique_names
from speechbundles.model.bounded import MOST_YAML, parse_yaml
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import OrganiserError
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.ranks import shared_places
from spokeneval.ranking.writers import every_digit, shown_rank
from spokeneval.scoring.output import SCORE_FILES


def rank_scores(bundle: BuiltBundle, outputs: Sequence[Path]) -> TextTable:
    """Return the rank of each output by the primary column, and its score in every column.

    An output is a folder or a zip with the files that the scoring program wrote. Equal scores share a rank; outputs
    without a primary score are last.

    Raises
    ------
    OrganiserError: no output has a primary score, or the server computes it.
    """
    primary = bundle.ranking_column()
    read = dict(zip(unique_names(outputs), map(_read, outputs), strict=True))
    ranked = sorted(read, key=lambda name: (primary.better_first(read[name].get(primary.key)), name))
    values = [read[name].get(primary.key) for name in ranked]
    if not any(value is not None for value in values):
        raise OrganiserError(f"no output has a score {primary.key} in {' or '.join(SCORE_FILES)}")
    columns = [column for column in bundle.columns if not column.computed]
    rows = []
    for name, value, (rank, tied) in zip(ranked, values, shared_places(values), strict=True):
        scores = (read[name].get(column.key) for column in columns)
        rows.append(["-" if value is None else shown_rank(rank, tied=tied), name, *map(every_digit, scores)])
    return TextTable("", ["rank", "system", *(column.title for column in columns)], rows, left=2)


def _read(output: Path) -> dict[str, Decimal]:
    """Return the finite scores in an output: JSON, or lines `key: value`."""
    for name in SCORE_FILES:
        with suppress(OSError, ValueError), opened(output) as place:
            data = place.read(name) if place.has(name) else b""
            content = parse_yaml(data) if len(data) <= MOST_YAML else None
            if isinstance(content, dict):
                return {
                    str(key): score for key, value in content.items() if (score := _score(value)) is not None
                }
    return {}


def _score(value: object) -> Decimal | None:
    try:
        score = Decimal(str(value))
    except InvalidOperation:
        return None
    return score if score.is_finite() else None
