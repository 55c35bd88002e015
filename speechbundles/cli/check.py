"""Check bundles for errors on a platform, unexpected behaviour, and leaks of hidden labels.

Without a ZIP, the command checks all bundles in dist/. The platform refuses a bundle with an error, or every
submission to it fails. With a warning, the platform accepts the bundle, but behaves in an unexpected way. A note is
advice.

Exit status: 0 without errors, 1 if a bundle has errors, 2 if a file could not be read.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from speechbundles.bundle.build.unsaid import unfilled_about
from speechbundles.bundle.check import check_bundle, unprotected_labels
from speechbundles.cli.options import PATH, Command, json_option
from speechbundles.cli.terminal import ROOT, answer_json, as_json, describe, refuse
from speechbundles.competition.read import read_competitions
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.competition import Competition
from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.sources import Sources
from speechbundles.model.text import grouped, say


@click.command(cls=Command, help=__doc__)
@click.argument("zips", nargs=-1, type=PATH, metavar="[ZIP]...")
@json_option
def command(zips: Sequence[Path]) -> int:
    zips = zips or sorted(Path("dist").glob("*/*.zip"))
    if not zips:
        refuse("There is no zip to check: name one, or run `build` first.", 2)
    status = 0
    folder, competitions = None, _competitions(zips)
    checked: list[dict[str, Any]] = []
    for path in zips:
        try:
            known = competitions.get(path)
            findings = check_bundle(path, known.elsewhere if known else {})
        except OSError as error:
            message = describe(error)
            say(message, error=True)
            checked.append({"path": path, "error": message})
            status = 2
            continue
        if any(finding.level == "error" for finding in findings):
            status = 1
        if len(zips) > 1 and path.parent != folder and not as_json():
            folder = path.parent
            say(folder)
        if not as_json():
            say(f"{path.name}: {format_findings(findings) if findings else 'ok'}")
        notes: list[str] = []
        with suppress(OrganiserError):  # the findings already report it
            notes = unprotected_labels(read_built_bundle(path))
        for line in notes:
            say(wrap(f"note: {path.name}, {line}"), error=True)
        checked.append({"path": path, "findings": list(map(asdict, findings)), "notes": notes})
    if unfilled := unfilled_about({each.name: each for each in competitions.values()}.values()):
        say(wrap(f"note: {unfilled}"), error=True)
    if as_json():
        answer_json({"bundles": checked})
    return status


def _competitions(zips: Sequence[Path]) -> dict[Path, Competition]:
    """Return the competitions of zips that are in the `dist` of a competition folder."""
    found: dict[Path, Competition] = {}
    for folder, own in grouped((path.absolute().parent.parent, path) for path in zips).items():
        if folder.name == "dist" and (folder.parent / "competition.yaml").is_file():
            with suppress(OrganiserError, OSError):  # the next build reports it
                named = {each.name: each for each in read_competitions(Sources(ROOT, folder.parent))}
                found |= {path: named[path.stem] for path in own if path.stem in named}
    return found
