"""Build bundles from competition.yaml (by default, all of them)."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from speechbundles.bundle.build.built import Built, sealed_folders
from speechbundles.bundle.build.built import write as write_bundles
from speechbundles.bundle.build.plan import Plan
from speechbundles.bundle.build.plan import plan as plan_bundles
from speechbundles.bundle.build.unsaid import same_rules, unfilled_about
from speechbundles.bundle.check import UNPROTECTED
from speechbundles.cli.options import Command, flag, json_option, option, own_folder, path_option
from speechbundles.cli.progress import steps
from speechbundles.cli.terminal import ROOT, answer_json, as_json, describe, refuse, warn
from speechbundles.model.console import wrap
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.finding import count_findings, format_findings
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from speechbundles.model.text import PROGRAM, grouped, say, table_lines
from speechbundles.model.zips import DECIDING_SET, HOME
from spokeneval.formats.problems import count_of

CLEAN, WARNED, REFUSED = VERDICTS = ("passed the check", "passed the check with warnings", "refused")

SHOWN_DIGITS = 12
"""Of a SHA-256, in hexadecimal: enough to compare two builds by eye."""


@click.command(cls=Command, help=__doc__)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@own_folder
@option(
    "--platform",
    None,
    "build for this platform (default: codabench); give it twice to build for two. CodaLab's main servers closed at "
    "the end of 2025; what EvalAI lacks is in docs/how-to/before-opening.md",
    "platforms",
    multiple=True,
    type=click.Choice(sorted(platforms())),
    default=["codabench"],
)
@option(
    "--reference",
    "TASK[/SET]=PATH",
    f"your own gold standard in place of the sample's: a folder or a file (default SET: {DECIDING_SET})",
    "references",
    multiple=True,
)
@flag(
    "--drop-invalid-reference-rows",
    "list and leave out the rows of your own gold standard that cannot be used for scoring",
    "drop_invalid_rows",
)
@option(
    "--leave-out",
    "NAME",
    "leave out a set and its phases, a file of the kit's data, or the baseline; may be repeated",
    multiple=True,
)
@flag(
    "--baseline-must-run",
    "exit with status 1 if the kit's baseline fails on a set; the bundles are built without its answers",
)
@path_option(
    "--from",
    "BUNDLE.zip",
    "the bundle that participants use, to print the consequences of the new one for existing submissions (default: the "
    "bundle that is replaced, once its first phase has begun)",
    "earlier",
)
@path_option("--out", "DIR", "output folder (default: dist, or dist in your competition folder)")
@json_option
def command(
    names: Sequence[str],
    competition: Path | None,
    platforms: Sequence[str],
    references: Sequence[str],
    baseline_must_run: bool,
    earlier: Path | None,
    out: Path | None,
    **chosen: Any,
) -> int:
    began = time.monotonic()
    try:
        given = dict(map(_own_reference, references))
        if len(given) < len(references):
            raise BadReference("--reference names the same set twice")
        out = out or _default_out(competition, references)
        with steps() as progress:
            planned = plan_bundles(
                Sources(ROOT, competition),
                names,
                given,
                platforms=list(dict.fromkeys(platforms)),
                kept=out / HOME,
                progress=progress,
                log=warn,
                **chosen,
            )
            built = list(write_bundles(planned, out, earlier=earlier, progress=progress))
    except OrganiserError as error:
        refuse(f"{error}\n\nNothing was built.", 1)
    except OSError as error:
        refuse(f"{describe(error)}; the build stopped.", 1)
    for warning in planned.warnings:
        warn(f"warning: {warning}")
    sealed, notes = sealed_folders(planned, out), _unprotected(planned, platforms)
    if as_json():
        bundles = [
            {
                **{"path": each.path, "platform": each.platform, "verdict": _verdict(each)},
                **{"size": each.size, "sha256": each.sha256, "findings": list(map(asdict, each.findings))},
                "changes": each.changes,
            }
            for each in built
        ]
        answer_json({"bundles": bundles, "warnings": planned.warnings, "sealed": [*sealed], "notes": notes})
    else:
        _list_bundles(built)
    _list_findings(built)
    _list_changes(built)
    for folder in sealed:
        warn(f"sealed: {folder} has the labels that no platform gets; keep it private")
    advice = (unfilled_about(planned.competitions), same_rules(planned.competitions))
    for line in filter(None, (*notes, *advice)):
        warn(wrap(f"note: {line}"))
    _list_verdicts(built, time.monotonic() - began, own=competition is not None)
    failed = baseline_must_run and any(parts.failures for parts in planned.parts.values())
    return 1 if failed or any(_verdict(each) == REFUSED for each in built) else 0


def _list_verdicts(built: Sequence[Built], seconds: float, *, own: bool) -> None:
    """Print the number of bundles by verdict, and of one's own competition the next command."""
    verdicts = Counter(map(_verdict, built))
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdicts[verdict])
    say(f"{count_of(len(built), 'bundle')} in {seconds:.1f} s: {counts}", error=True)
    ready = [each.path for each in built if _verdict(each) != REFUSED]
    if own and ready:
        say(wrap(f"next: {PROGRAM} rehearse {ready[0]} SUBMISSION.zip"), error=True)


def _unprotected(planned: Plan, platforms: Sequence[str]) -> list[str]:
    """Return a line for each hidden set whose labels are all uploaded to Codabench; none for the sample's labels."""
    return list(
        dict.fromkeys(
            f"{competition.task}/{name}: {UNPROTECTED}"
            for competition in planned.competitions
            for name in competition.hidden_sets
            if "codabench" in platforms
            and not (competition.sources.is_sample or competition.home_sets or competition.sealed_share(name))
        )
    )


def _own_reference(argument: str) -> tuple[tuple[str, str], Path]:
    target, equals, path = argument.partition("=")
    task, _, name = target.partition("/")
    if not (equals and task and path):
        raise BadReference(f"--reference {argument}: expected TASK=PATH or TASK/SET=PATH")
    return (task, name or DECIDING_SET), Path(path)


def _default_out(competition: Path | None, references: Sequence[str]) -> Path:
    """Return the folder `dist` beside the data, so that an organiser's data do not get into the clone by default."""
    if competition is not None:
        return competition / "dist"
    if references and Path.cwd().is_relative_to(ROOT):
        raise BadReference(
            "--reference needs --out DIR here, a folder outside the clone, to keep your data out of the clone"
        )
    return Path("dist")


def _list_bundles(built: Sequence[Built]) -> None:
    """Print a table: below each folder its files, with their sizes, what the check found, and their digests."""
    bundles = sorted(built, key=lambda bundle: bundle.path.parent)
    lines = zip(bundles, table_lines(map(_row, bundles), left=(0, 2, 3)), strict=True)
    for folder, rows in groupby(lines, key=lambda line: line[0].path.parent):
        say("\n".join([str(folder), *(row for _, row in rows)]))


def _row(bundle: Built) -> tuple[str, ...]:
    result = count_findings(bundle.findings) or "ok"
    digest = f"sha256 {bundle.sha256[:SHOWN_DIGITS]}"
    if _verdict(bundle) == REFUSED:
        result = "REFUSED"
        digest = "older zip kept" if bundle.path.exists() else "not written"
    return bundle.path.name, f"{bundle.size / 1000:.0f} kB", result, digest


def _list_findings(built: Sequence[Built]) -> None:
    """Print the findings, those that several bundles have in common once."""
    alike = grouped((format_findings(each.findings), each) for each in built if each.findings)
    for findings, bundles in alike.items():
        names = grouped((each.platform, each.path.name) for each in bundles)
        heads = [wrap(f"{platform}: {', '.join(files)}") for platform, files in names.items()]
        say("\n".join(["", *heads, findings, ""]), error=True)


def _list_changes(built: Sequence[Built]) -> None:
    """Print what the build means for submissions that are there, once for all platforms."""
    for line in dict.fromkeys(f"{each.name}: {line}" for each in built for line in each.changes):
        warn(wrap(f"change: {line}"))


def _verdict(bundle: Built) -> str:
    if any(finding.level == "error" for finding in bundle.findings):
        return REFUSED
    return WARNED if any(finding.level == "warning" for finding in bundle.findings) else CLEAN
