"""Build bundles from competition.yaml (by default, all of them)."""

import time
from collections.abc import Sequence
from pathlib import Path

import click

from speechbundles.assemble import Built, plan_bundles, sealed_folders, write_bundles
from speechbundles.cli.options import PATH, Command, own_folder
from speechbundles.cli.progress import steps
from speechbundles.cli.terminal import ROOT, describe
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.sources import Sources
from speechbundles.model.text import say
from speechbundles.model.zips import DECIDING_SET, HOME
from speechbundles.platforms.facts import PLATFORMS
from spokeneval.formats.problems import count_of


@click.command(cls=Command, help=__doc__)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@own_folder
@click.option("--platform", type=click.Choice(sorted(PLATFORMS)), help="build for this platform only")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="TASK[/SET]=PATH",
    help=f"your own gold standard in place of the sample: a folder, or the file (default SET: {DECIDING_SET})",
)
@click.option(
    "--drop-invalid-reference-rows",
    "drop_invalid_rows",
    is_flag=True,
    help="leave out rows of your own gold standard that cannot be scored against, and list them",
)
@click.option(
    "--leave-out",
    multiple=True,
    metavar="NAME",
    help="do without this: a set and its phases, a file of the kit's data, or the baseline",
)
@click.option(
    "--out", type=PATH, metavar="DIR", help="output folder (default: dist; dist in your competition folder)"
)
def command(
    names: Sequence[str],
    competition: Path | None,
    platform: str | None,
    references: Sequence[str],
    drop_invalid_rows: bool,
    leave_out: Sequence[str],
    out: Path | None,
) -> int:
    began = time.monotonic()
    try:
        given = dict(map(_own_reference, references))
        if len(given) < len(references):
            raise BadReference("--reference: one set is given twice")
        out = out or _default_out(competition, references)
        with steps() as progress:
            planned = plan_bundles(
                Sources(ROOT, competition),
                names,
                given,
                leave_out=leave_out,
                drop_invalid_rows=drop_invalid_rows,
                kept=out / HOME,
                progress=progress,
                log=lambda understood: say(understood, error=True),
            )
            platforms = [platform] if platform else list(PLATFORMS)
            built = list(write_bundles(planned, platforms, out, progress=progress))
    except OrganiserError as error:
        say(f"{error}\n\nNothing was built.", error=True)
        return 1
    except OSError as error:
        say(f"{describe(error)}; the build stopped there.", error=True)
        return 1
    for warning in planned.warnings:
        say(f"warning: {warning}", error=True)
    width = max(len(str(bundle.path)) for bundle in built)
    for bundle in built:
        say(_row(bundle, width))
    paths_by_findings: dict[str, list[str]] = {}
    for bundle in built:
        if bundle.findings:
            paths_by_findings.setdefault(format_findings(bundle.findings), []).append(str(bundle.path))
    for findings, paths in paths_by_findings.items():
        say("\n".join(["", *paths, findings]), error=True)
    for folder in sealed_folders(planned, out):
        say(f"sealed: {folder} has the labels that no platform gets; keep it private", error=True)
    broken = [bundle for bundle in built if _has_errors(bundle)]
    say(
        f"{count_of(len(built), 'bundle')} in {time.monotonic() - began:.1f} s, {len(built) - len(broken)} ok",
        error=True,
    )
    return 1 if broken else 0


def _own_reference(argument: str) -> tuple[tuple[str, str], Path]:
    target, equals, path = argument.partition("=")
    task, _, name = target.partition("/")
    if not (equals and task and path):
        raise BadReference(f"--reference {argument}: expected TASK=PATH or TASK/SET=PATH")
    return (task, name or DECIDING_SET), Path(path)


def _default_out(competition: Path | None, references: Sequence[str]) -> Path:
    """The folder `dist` beside the data: an organiser's do not get into the clone unless told to."""
    if competition is not None:
        return competition / "dist"
    if references and Path.cwd().is_relative_to(ROOT):
        raise BadReference(
            "--reference: say where to with --out DIR, so that your data stay out of the clone"
        )
    return Path("dist")


def _row(bundle: Built, width: int) -> str:
    refused = _has_errors(bundle)
    columns = count_of(len(bundle.competition.board), "column")
    phases = count_of(len(bundle.competition.phases), "phase")
    verdict = "ok" if not bundle.findings else "REFUSED" if refused else "warnings"
    digest = "not written" if refused else f"sha256 {bundle.sha256}"
    if refused and bundle.path.exists():
        digest += "; the zip there is older"
    board = f"{columns}, {phases}"
    return f"  {bundle.path!s:<{width}}  {bundle.size / 1000:6.0f} kB  {board:<22}  {verdict:<8}  {digest}"


def _has_errors(bundle: Built) -> bool:
    return any(finding.level == "error" for finding in bundle.findings)
