"""Compare a competition, as Codabench's API returns it, with the bundle that it was imported from."""

from collections.abc import Mapping, Sequence
from typing import Any

from speechbundles.model.codabench import phases_in_order, read_date
from speechbundles.model.finding import Report
from speechbundles.platforms.codabench.keys import COLUMN, LEADERBOARD, PHASE, TOP
from speechbundles.platforms.keys import FLAG, INTEGER, MAPPING, Key, Keys, is_true
from speechbundles.server.api import is_board_page, read_time

_RENAMED = {"max_submissions": "max_submissions_per_person"}
"""Keys of the file -> their names in the API, where these differ."""
_NOT_SERVED = ("version", "image", "pages", "tasks", "phases", "leaderboards", "solutions", "terms", "queue")
"""Keys that are compared separately, or that the API does not return."""
_PHASE_FILES = ("index", "tasks", "public_data", "starting_kit")
_UNLIMITED = ("max_submissions", "max_submissions_per_day")


def different_settings(content: Mapping[str, Any], competition: Mapping[str, Any]) -> list[str]:
    """Return a line for each difference between the server and the bundle, except those in pages and terms.

    Parameters
    ----------
    content: the bundle's competition.yaml.
    competition: the server's answer.

    Raises
    ------
    AttributeError, KeyError, IndexError, TypeError, ValueError: the answer lacks a value, or has it in another form.
    """
    found = _compare("", content, competition, {key: TOP[key] for key in TOP if key not in _NOT_SERVED})
    queue = competition["queue"]
    found += _different("queue", content.get("queue"), str(queue["vhost"]) if queue else None)
    return found + _different_phases(content, competition) + _different_board(content, competition)


def wanted_texts(content: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the bundle's terms and pages as the server stores them. `files`: the bundle's entries, by name."""
    pages = [
        {"title": str(page["title"]), "content": _text(files[page["file"]]), "index": index}
        for index, page in enumerate(content["pages"])
    ]
    return {"terms": _text(files[content["terms"]]), "pages": pages}


def different_texts(
    content: Mapping[str, Any], files: Mapping[str, bytes], competition: Mapping[str, Any]
) -> list[str]:
    """Return a line for each difference in terms and pages, except the page of `board`; see `different_settings`."""
    wanted = wanted_texts(content, files)
    found = _different("terms", wanted["terms"], str(competition["terms"]).strip())
    pages = (page for page in competition["pages"] if not is_board_page(page))
    served = sorted(pages, key=lambda page: page["index"])
    titles = ([str(page["title"]) for page in pages] for pages in (wanted["pages"], served))
    found += _different("pages", *titles)
    for page, live in zip(wanted["pages"], served, strict=False):
        found += _different(f"page {page['title']!r}", page["content"], str(live["content"]).strip())
    return found


def _different_phases(content: Mapping[str, Any], competition: Mapping[str, Any]) -> list[str]:
    tasks = {task["index"]: task["name"] for task in content["tasks"]}
    wanted = phases_in_order(content)
    served = sorted(competition["phases"], key=lambda phase: phase["index"])
    found = _different("number of phases", len(wanted), len(served))
    keys = {key: rule for key, rule in PHASE.items() if key not in _PHASE_FILES}
    for number, (phase, live) in enumerate(zip(wanted, served, strict=False)):
        where = f"phases[{number}]."
        found += _compare(where, phase, live, keys)
        found += _different(
            f"{where}tasks",
            [tasks[task] for task in phase["tasks"]],
            [task["name"] for task in live["tasks"]],
        )
        limited = any(phase.get(key, PHASE[key]["default"]) for key in _UNLIMITED)
        if limited and not live["has_max_submissions"]:
            found.append(f"{where}has_max_submissions: the server does not apply the limits")
    return found


def _different_board(content: Mapping[str, Any], competition: Mapping[str, Any]) -> list[str]:
    wanted, served = content["leaderboards"][0], competition["leaderboards"][0]
    keys = {key: rule for key, rule in LEADERBOARD.items() if key not in ("index", "columns")}
    found = _compare("leaderboards[0].", wanted, served, keys)
    columns = sorted(wanted["columns"], key=lambda column: int(column["index"]))
    live_columns = sorted(served["columns"], key=lambda column: column["index"])
    found += _different(
        "columns", [column["key"] for column in columns], [column["key"] for column in live_columns]
    )
    column_keys = {key: rule for key, rule in COLUMN.items() if key != "computation_indexes"}
    for column, live in zip(columns, live_columns, strict=False):
        found += _compare(f"column {column['key']}.", column, live, column_keys)
    return found


def _compare(where: str, wanted: Mapping[str, Any], served: Mapping[str, Any], keys: Keys) -> list[str]:
    """Compare the keys that are set in the file or have a default."""
    found = []
    for key, rule in keys.items():
        default = rule.get("default")
        if key in wanted or default is not None:
            found += _different(
                f"{where}{key}",
                _value(key, rule, wanted.get(key, default)),
                _value(key, rule, served[_RENAMED.get(key, key)], served=True),
            )
    return found


def _value(key: str, rule: Key, value: Any, *, served: bool = False) -> Any:
    """Return a value as the server interprets it."""
    kind = rule.get("type")
    if kind == FLAG["type"]:
        return is_true(value)
    if kind == INTEGER["type"]:
        value = int(value or 0)
        return value or (rule["default"] if key == "execution_time_limit" else 0)
    if "format" in rule:
        if value is None:
            return None
        return read_time(value) if served else read_date(Report(), key, value)
    if kind == MAPPING["type"]:
        return value or None
    return str(value if value is not None else "").strip()


def _text(page: bytes) -> str:
    """Return a page as the server imports and stores it."""
    return page.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").strip()


def _different(where: str, wanted: Any, served: Any) -> list[str]:
    if wanted == served:
        return []
    if isinstance(wanted, str) and max(len(wanted), len(str(served))) > 200:
        return [f"{where}: the text on the server is different"]
    return [f"{where}: {_shown(wanted)} in the bundle, {_shown(served)} on the server"]


def _shown(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value)) or "none"
    return repr(value) if isinstance(value, str) else str(value)
