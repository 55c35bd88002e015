"""Compare a bundle with a server: its settings and pages, and the scores of its runs."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.check import check_bundle
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.document import FILE
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.read import read_built_bundle
from speechbundles.server import api
from speechbundles.server.served import different_settings, different_texts

NOT_COMPARED = "not compared: "
"""Begins a line about something that the server did not provide."""


def read_bundle(path: Path) -> tuple[BuiltBundle, Mapping[str, Any]]:
    """Read a Codabench bundle without errors, and its competition.yaml.

    Raises
    ------
    OrganiserError: the bundle cannot be read, has errors, is for another platform, or has a phase with several tasks
        (bundles that are built here never have).
    """
    if path.is_dir():
        raise OrganiserError(f"{path} is a folder; expected the bundle's zip, which the server has")
    bundle = read_built_bundle(path)
    if bundle.platform != "codabench":
        raise OrganiserError(
            f"{path}: this bundle is for {bundle.platform}; only Codabench has an API to publish it"
        )
    errors = [finding for finding in check_bundle(path) if finding.level == "error"]
    if errors:
        raise OrganiserError(f"{path}: {format_findings(errors)}")
    content = parse_yaml(bundle.files[FILE])
    several = [str(phase["name"]) for phase in content["phases"] if len(phase["tasks"]) > 1]
    if several:
        raise OrganiserError(
            f"{path}: phases with several tasks: {', '.join(several)}; only phases with one task are supported"
        )
    return bundle, content


def check_served(
    content: Mapping[str, Any],
    files: Mapping[str, bytes],
    live: Mapping[str, Any],
    competition: int,
    *,
    texts: bool = True,
) -> None:
    """Compare a competition on the server with its bundle. `texts`: whether pages and terms must be the same too.

    Raises
    ------
    OrganiserError: the message lists all differences.
    """
    found = served_differences(content, files, live, competition, texts=texts)
    if found:
        lines = "\n".join(f"  {line}" for line in found)
        raise OrganiserError(f"competition {competition} differs from the bundle:\n\n{lines}")


def served_differences(
    content: Mapping[str, Any],
    files: Mapping[str, bytes],
    live: Mapping[str, Any],
    competition: int,
    *,
    texts: bool = True,
) -> list[str]:
    """Return the differences that `check_served` reports.

    Raises
    ------
    OrganiserError: the server's answer lacks a value, or has it in another form.
    """
    try:
        return different_settings(content, live) + (different_texts(content, files, live) if texts else [])
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise OrganiserError(
            f"competition {competition} cannot be compared with the bundle: {error!r:.200}"
        ) from None


def number(score: Decimal | None) -> str:
    """Format a score with all its digits, without trailing zeros."""
    return "-" if score is None else f"{score.normalize():f}"


def different_scores(
    wanted: Mapping[str, Decimal], served: Mapping[str, Decimal], hidden: Collection[str]
) -> list[str]:
    """Return a line for each score that differs between here and the server. `hidden`: hidden columns."""
    compared = api.returned(wanted, hidden, served)
    return [
        f"{key}: {number(wanted.get(key))} here, {number(served.get(key))} on the server"
        for key in dict.fromkeys([*wanted, *served])
        if (key in compared or key in served) and wanted.get(key) != served.get(key)
    ]
