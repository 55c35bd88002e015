"""Checks the leaderboards of Codabench's competition.yaml: submission rule, columns, primary column."""

from typing import Any

from speechbundles.bundle.check.inspection import Inspection
from speechbundles.model.document import Path
from speechbundles.platforms.codabench.keys import COLUMN, LEADERBOARD, SUBMISSION_RULES
from speechbundles.platforms.keys import MOST_DECIMALS, is_true

_Columns = list[tuple[Path, dict[str, Any]]]


def check_leaderboards(bundle: Inspection, items: list[Any]) -> dict[str, Any]:
    """Check the leaderboards. Return the first one, with `ascending` for its primary column."""
    if len(items) > 1:
        bundle.add("leaderboards-several", ("leaderboards", 1), f"{len(items)} leaderboards")
    boards = [_check_leaderboard(bundle, ("leaderboards", number), item) for number, item in enumerate(items)]
    if not boards:
        return {}
    board, columns = boards[0]
    contents = bundle.contents
    for path, column in columns:
        is_primary = column.get("index") == _primary_index(board)
        if "key" in column and not column.get("computation"):
            scored = (str(column["key"]), path)
            contents.columns.append(scored)
            if is_primary and contents.primary is None:
                contents.primary = scored
        if is_primary:
            board["ascending"] = column.get("sorting") == "asc"
    return board


def _primary_index(board: dict[str, Any]) -> Any:
    return board.get("primary_index", LEADERBOARD["primary_index"]["default"])


def _check_leaderboard(bundle: Inspection, path: Path, item: Any) -> tuple[dict[str, Any], _Columns]:
    board = bundle.keys(path, item, LEADERBOARD)
    if isinstance(item, dict) and "submission_rule" not in item:
        bundle.add("submission-rule-default", path, "no submission_rule")
    elif isinstance(item, dict) and item["submission_rule"] not in SUBMISSION_RULES:
        text = f"{item['submission_rule']!r}; expected one of {', '.join(SUBMISSION_RULES)}"
        bundle.add("submission-rule", (*path, "submission_rule"), text)
    columns = []
    for number, entry in enumerate(board.get("columns", [])):
        place = (*path, "columns", number)
        columns.append((place, _check_column(bundle, place, entry)))
    for key in ("key", "index"):
        seen: set[Any] = set()
        for place, column in columns:
            if key in column and column[key] in seen:
                bundle.add("column-duplicate", place, f"{key} {column[key]!r} appears twice")
            seen.add(column.get(key))
    indexes = [column["index"] for _, column in columns if "index" in column]
    _check_computations(bundle, columns, indexes)
    primary, primary_path = _primary_index(board), (*path, "primary_index")
    if indexes and primary not in indexes:
        text = f"{primary}; the columns have the indexes {', '.join(map(str, indexes))}"
        bundle.add("primary-index", primary_path, text)
    elif indexes and primary != min(indexes):
        bundle.add(
            "primary-not-first", primary_path, f"{primary}; the first column has the index {min(indexes)}"
        )
    for place, column in columns:
        if column.get("index") == primary and is_true(column.get("hidden")):
            bundle.add("primary-hidden", place, f"{column.get('key')} is hidden")
    return board, columns


def _check_column(bundle: Inspection, path: Path, item: Any) -> dict[str, Any]:
    column = bundle.keys(path, item, COLUMN)
    for key, code in (("sorting", "sorting-default"), ("precision", "precision-default")):
        if isinstance(item, dict) and key not in item:
            bundle.add(code, path, f"{column.get('key', 'a column')} has no {key}")
    if column.get("index", 0) < 0:
        bundle.add("column-index", (*path, "index"), f"index {column['index']}")
    if not 0 <= column.get("precision", 0) <= MOST_DECIMALS:
        bundle.add("precision-range", (*path, "precision"), f"precision {column['precision']}")
    return column


def _check_computations(bundle: Inspection, columns: _Columns, indexes: list[int]) -> None:
    for path, column in columns:
        computed, others = column.get("computation"), column.get("computation_indexes")
        if computed is None and others is None:
            continue
        if computed is None:
            bundle.add("computation", path, "computation_indexes without computation")
        elif not isinstance(others, list) or not others:
            bundle.add("computation", path, f"computation_indexes is {others!r}; expected a list of indexes")
        elif column.get("index") in others:
            bundle.add("computation", path, "the column is computed from itself")
        elif not set(map(str, others)) <= set(map(str, indexes)):
            bundle.add(
                "computation", path, f"computation_indexes {others}; the columns have the indexes {indexes}"
            )
