"""Compare a bundle with a competition on a server: its settings and pages, and the scores of its runs."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.check import check_bundle
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, read_built_bundle
from speechbundles.model.document import FILE
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import Report, format_findings
from speechbundles.model.keys import DATE, FLAG, INTEGER, MAPPING, Key, Keys, is_true
from speechbundles.model.platform import PICKED, live_platform, platforms
from speechbundles.model.statuses import FINISHED
from speechbundles.server import api
from spokeneval.formats.problems import some_of
from spokeneval.ranking.writers import every_digit

_KEYS, _READ = live_platform().part("facts"), live_platform().part("read")

NOT_COMPARED = "not compared: "
"""Begins a line about something that the server did not provide."""

_NOT_SERVED = ("version", "image", "pages", "tasks", "phases", "leaderboards", "solutions", "terms", "queue")
"""Keys that are compared separately, or that the API does not return."""
_PHASE_FILES = ("index", "tasks", "public_data", "starting_kit")
_UNLIMITED = ("max_submissions", "max_submissions_per_day")


def read_bundle(path: Path) -> BuiltBundle:
    """Read a bundle for a platform with a client, without errors.

    Raises
    ------
    OrganiserError: the bundle cannot be read, has errors, is for another platform, or has a phase with several tasks
        (bundles that are built here never have).
    """
    if path.is_dir():
        raise OrganiserError(f"{path} is a folder; expected the bundle's zip, which the server has")
    bundle = read_built_bundle(path)
    if not platforms()[bundle.platform].has_client:
        what = f"only {live_platform().title} has an API to publish it"
        raise OrganiserError(f"{path}: this bundle is for {bundle.platform}; {what}")
    errors = [finding for finding in check_bundle(path) if finding.level == "error"]
    if errors:
        raise OrganiserError(f"{path}: {format_findings(errors)}")
    if several := ", ".join(phase.name for phase in bundle.phases if len(phase.tasks) > 1):
        raise OrganiserError(
            f"{path}: phases with several tasks: {several}; only phases with one task are supported"
        )
    return bundle


def check_served(bundle: BuiltBundle, live: Mapping[str, Any], *, texts: bool = True) -> None:
    """Compare a competition on the server with its bundle; see `served_differences`.

    Raises
    ------
    OrganiserError: the message lists all differences.
    """
    if found := served_differences(bundle, live, texts=texts):
        lines = "\n".join(f"  {line}" for line in found)
        raise OrganiserError(f"competition {live['id']} differs from the bundle:\n\n{lines}")


def served_differences(bundle: BuiltBundle, live: Mapping[str, Any], *, texts: bool = True) -> list[str]:
    """Return a line for each difference between a bundle and its competition, as the server's organisers see it.

    Parameters
    ----------
    texts: whether pages and terms are compared too.

    Raises
    ------
    OrganiserError: the server's answer lacks a value, or has it in another form.
    """
    try:
        content, served = parse_yaml(bundle.files[FILE]), api.read_settings(live)
        keys = {key: rule for key, rule in _KEYS.TOP.items() if key not in _NOT_SERVED}
        found = _compare("", content, served, keys)
        found += _different("queue", content.get("queue"), served["queue"])
        found += _different_phases(content, served) + _different_board(content, served)
        return found + (different_texts(bundle, live) if texts else [])
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise OrganiserError(
            f"competition {live['id']} cannot be compared with the bundle: {error!r:.200}"
        ) from None


def wanted_texts(bundle: BuiltBundle) -> dict[str, Any]:
    """Return a bundle's terms and pages as the server stores them."""
    content = parse_yaml(bundle.files[FILE])
    pages = [
        {"title": str(page["title"]), "content": _text(bundle.files[page["file"]]), "index": index}
        for index, page in enumerate(content["pages"])
    ]
    return {"terms": _text(bundle.files[content["terms"]]), "pages": pages}


def different_texts(bundle: BuiltBundle, live: Mapping[str, Any]) -> list[str]:
    """Return a line for each difference in terms and pages, except the page of `board`."""
    wanted, served = wanted_texts(bundle), api.read_texts(live)
    found = _different("terms", wanted["terms"], served["terms"].strip())
    found += _different("pages", *([page["title"] for page in own["pages"]] for own in (wanted, served)))
    for page, there in zip(wanted["pages"], served["pages"], strict=False):
        found += _different(f"page {page['title']!r}", page["content"], there["content"].strip())
    return found


def _different_phases(content: Mapping[str, Any], served: Mapping[str, Any]) -> list[str]:
    tasks = {task["index"]: task["name"] for task in content["tasks"]}
    wanted = _READ.phases_in_order(content)
    found = _different("number of phases", len(wanted), len(served["phases"]))
    keys = {key: rule for key, rule in _KEYS.PHASE.items() if key not in _PHASE_FILES}
    for number, (phase, there) in enumerate(zip(wanted, served["phases"], strict=False)):
        where = f"phases[{number}]."
        found += _compare(where, phase, there, keys)
        found += _different(f"{where}tasks", [tasks[task] for task in phase["tasks"]], there["tasks"])
        limited = any(phase.get(key, _KEYS.PHASE[key]["default"]) for key in _UNLIMITED)
        if limited and not there["has_max_submissions"]:
            found.append(f"{where}has_max_submissions: the server does not apply the limits")
    return found


def _different_board(content: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    wanted, served = content["leaderboards"][0], live["leaderboards"][0]
    keys = {key: rule for key, rule in _KEYS.LEADERBOARD.items() if key not in ("index", "columns")}
    found = _compare("leaderboards[0].", wanted, served, keys)
    columns, there = sorted(wanted["columns"], key=lambda column: int(column["index"])), served["columns"]
    found += _different("columns", *([column["key"] for column in own] for own in (columns, there)))
    column_keys = {key: rule for key, rule in _KEYS.COLUMN.items() if key != "computation_indexes"}
    for column, other in zip(columns, there, strict=False):
        found += _compare(f"column {column['key']}.", column, other, column_keys)
    return found


def _compare(where: str, wanted: Mapping[str, Any], served: Mapping[str, Any], keys: Keys) -> list[str]:
    """Compare the keys that are set in the file or have a default."""
    found = []
    for key, rule in keys.items():
        default = rule.get("default")
        if key in wanted or default is not None:
            here = _value(key, rule, wanted.get(key, default))
            found += _different(f"{where}{key}", here, _value(key, rule, served[key], served=True))
    return found


def _value(key: str, rule: Key, value: Any, *, served: bool = False) -> Any:
    """Return a value as the server interprets it."""
    kind = rule.get("type")
    if kind == FLAG["type"]:
        return is_true(value)
    if kind == INTEGER["type"]:
        return int(value or 0) or (rule["default"] if key == "execution_time_limit" else 0)
    if rule.get("format") == DATE["format"] and value is not None:
        return api.read_time(value) if served else _READ.read_date(Report(), key, value)
    if rule.get("format") == DATE["format"] or kind == MAPPING["type"]:
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


def without_entry(phase: BuiltPhase, runs: Sequence[api.LiveRun]) -> list[str]:
    """Return a line for the Finished runs with scores of teams for which the server chose no leaderboard entry."""
    there = {run.owner for run in runs if run.on_board or run.withdrawn}
    lacking = [run for run in runs if run.status == FINISHED and run.scores and run.owner not in there]
    why = "Finished with scores, but the team has no entry on the leaderboard"
    return [f"{phase.name}: {named_runs(lacking, why)}"] if lacking and phase.rule not in PICKED else []


def named_runs(runs: Sequence[api.LiveRun], what: str) -> str:
    """Return the subject of a line about runs: `run 3 of anna is late`, `2 runs of anna are late (runs 3, 4)`."""
    if len(runs) == 1:
        return f"run {runs[0].named} of {runs[0].owner} is {what}"
    owners = some_of(list(dict.fromkeys(run.owner for run in runs)))
    return f"{len(runs)} runs of {owners} are {what} (runs {some_of([run.named for run in runs])})"


def different_scores(
    wanted: Mapping[str, Decimal], served: Mapping[str, Decimal], hidden: Collection[str]
) -> list[str]:
    """Return a line for each score that differs between here and the server. `hidden`: hidden columns."""
    compared = api.returned(wanted, hidden, served) | set(served)
    return [
        f"{key}: {every_digit(wanted.get(key))} here, {every_digit(served.get(key))} on the server"
        for key in dict.fromkeys([*wanted, *served])
        if key in compared and wanted.get(key) != served.get(key)
    ]
