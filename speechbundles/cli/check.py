"""Report what a platform would refuse in a bundle or get wrong."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from speechbundles.check import check_bundle, unprotected_labels
from speechbundles.cli.options import PATH, Command
from speechbundles.cli.terminal import describe
from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.read import read_built_bundle
from speechbundles.model.text import say


@click.command(cls=Command, help=f"{__doc__} Without a ZIP, check all bundles in dist/.")
@click.argument("zips", nargs=-1, type=PATH, metavar="[ZIP]...")
def command(zips: Sequence[Path]) -> int:
    zips = zips or sorted(Path("dist").glob("*/*.zip"))
    if not zips:
        say("There is no zip to check: name one, or run `build` first.", error=True)
        return 2
    status = 0
    folder = None
    for path in zips:
        try:
            findings = check_bundle(path)
        except OSError as error:
            say(describe(error), error=True)
            status = 2
            continue
        if any(finding.level == "error" for finding in findings):
            status = 1
        if len(zips) > 1 and path.parent != folder:
            folder = path.parent
            say(folder)
        say(f"{path.name}: {format_findings(findings) if findings else 'ok'}")
        with suppress(OrganiserError):  # the findings already report it
            for line in unprotected_labels(read_built_bundle(path)):
                say(wrap(f"note: {path.name}, {line}"), error=True)
    return status
