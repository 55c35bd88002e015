"""Checks the leaderboard of CodaLab's competition.yaml: its columns and the primary column."""

from typing import Any

from speechbundles.bundle.check.inspection import Inspection, Scored
from speechbundles.model.document import Path
from speechbundles.platforms.codalab.keys import BOARDS, COLUMN, LEADERBOARD, LONGEST_COLUMN_KEY
from speechbundles.platforms.keys import INTEGER, MOST_DECIMALS, TEXT


def check_leaderboard(bundle: Inspection, item: Any) -> None:
    both = bundle.keys(("leaderboard",), item, BOARDS)
    labels = {}
    for name, entry in both.get("leaderboards", {}).items():
        path = ("leaderboard", "leaderboards", name)
        board = bundle.keys(path, entry, LEADERBOARD)
        if "label" in board:
            labels[str(board["label"]).strip()] = path
    columns = [_check_column(bundle, name, entry, labels) for name, entry in both.get("columns", {}).items()]
    used = {label for _, label, _ in columns}
    for label, path in labels.items():
        if both.get("columns") and label not in used and None not in used:
            bundle.add("leaderboard-no-column", path, f"no column names {label!r}")
    ranks = [rank for rank, _, _ in columns if rank is not None]
    if len(set(ranks)) < len(ranks) or 0 < len(ranks) < len(columns):
        text = f"ranks {', '.join(map(str, ranks))} for {len(columns)} columns"
        bundle.add("column-rank", ("leaderboard", "columns"), text)
    bundle.contents.columns = [scored for _, _, scored in columns if scored is not None]
    ranked = sorted(enumerate(columns, 1), key=lambda item: item[0] if item[1][0] is None else item[1][0])
    bundle.contents.primary = ranked[0][1][2] if ranked else None


def _check_column(
    bundle: Inspection, name: Any, item: Any, labels: dict[Any, Path]
) -> tuple[int | None, Any, Scored | None]:
    """Return the column's rank, the label of its leaderboard (None if it is invalid), and its score."""
    path = ("leaderboard", "columns", name)
    column = bundle.keys(path, item, COLUMN)
    length = len(str(name))
    if length > LONGEST_COLUMN_KEY:
        text = f"key {name!r} has {length} characters; at most {LONGEST_COLUMN_KEY}"
        bundle.add("too-long", path, text)
    for key, code in (("sort", "sorting-default"), ("numeric_format", "precision-default")):
        if isinstance(item, dict) and key not in item:
            bundle.add(code, path, f"{name} has no {key}")
    if not 0 <= column.get("numeric_format", 0) <= MOST_DECIMALS:
        text = f"numeric_format {column['numeric_format']}"
        bundle.add("precision-range", (*path, "numeric_format"), text)
    label = None
    if "leaderboard" in column:
        keys = {"label": dict(TEXT, required=True), "rank": INTEGER}
        label = bundle.keys((*path, "leaderboard"), column["leaderboard"], keys).get("label")
        if label is not None and label not in labels:
            text = f"{label!r}; the leaderboards are {', '.join(map(repr, labels))}"
            bundle.add("leaderboard-label", (*path, "leaderboard", "label"), text)
            label = None
    return column.get("rank"), label, None if "computed" in column else (str(name), path)
