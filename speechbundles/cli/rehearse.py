"""Run a submission, or a bundle's own sample solutions, through the bundle as the platform does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from speechbundles.bundle.rehearse import (
    ENGINES,
    FINISHED,
    choose_engine,
    rehearse,
    rehearse_solutions,
)
from speechbundles.cli.options import (
    PATH,
    Command,
    bundle_file,
    flag,
    json_option,
    option,
    path_option,
    phase,
    reference,
)
from speechbundles.cli.terminal import as_json, refuse
from speechbundles.model.bundle import BuiltBundle, read_built_bundle
from speechbundles.model.text import say
from spokeneval.programs.score import HIDDEN_STATISTICS


@click.command(cls=Command, help=__doc__, failed=2, windows=False)
@bundle_file
@click.argument("submission", type=PATH, metavar="[SUBMISSION.zip]", required=False)
@phase
@reference
@path_option("--keep", "DIR", "keep all files that the run read and wrote in this folder")
@flag(
    "--statistics",
    "with --keep: for hidden labels too, write the counts behind the scores, which rank needs; "
    "they reveal the labels",
)
@option(
    "--engine",
    None,
    "where the programs run: local (with your rights), bubblewrap (no network, none of your files) or docker "
    "(Docker or Podman, in the bundle's own image); auto (default): local for code of this project, else bubblewrap",
    type=click.Choice(ENGINES),
    default="auto",
)
@path_option("--python", "PATH", "a Python, or an environment's folder, for the programs (default: this one)")
@option(
    "--worker",
    None,
    "the version of Codabench's compute worker to follow (default: 1.25; 1.31 was not tested on a server)",
    type=click.Choice(("1.25", "1.31")),
    default="1.25",
)
@json_option
def command(
    bundle: Path,
    submission: Path | None,
    phase: str | None,
    statistics: bool,
    engine: str,
    python: Path | None,
    worker: str,
    **places: Any,
) -> int:
    if statistics and places["keep"] is None:
        refuse("--statistics needs --keep DIR, the folder in which the statistics are kept.", 2)
    if submission is None and any(places.values()):
        refuse("--keep and --reference need a submission: rehearse BUNDLE SUBMISSION.zip", 2)
    built = read_built_bundle(bundle)
    built.phase(phase)  # raises for a phase that cannot be rehearsed, before an image is pulled
    variables = {HIDDEN_STATISTICS: "write"} if statistics else {}
    how: Any = {"engine": choose_engine(engine, built, variables=variables, python=python)}
    how |= {"phase": phase, "reworked": worker != "1.25"}
    if submission is None:
        return _solutions(built, how)
    rehearsal = rehearse(bundle, submission, **how, **places)
    say(rehearsal.to_json() if as_json() else rehearsal)
    return 0 if rehearsal.status == FINISHED else 1


def _solutions(built: BuiltBundle, how: Mapping[str, Any]) -> int:
    """Rehearse the bundle's own sample solutions; print what each phase would show."""
    found = []
    for name, rehearsal in rehearse_solutions(built, **how):
        found.append((name, rehearsal))
        if not as_json():
            say(f"{rehearsal.phase}, {name}: {rehearsal}")
    if not found:
        refuse("the bundle has no sample solution; name one: rehearse BUNDLE SUBMISSION.zip", 2)
    if as_json():
        say(json.dumps([{"solution": name, **rehearsal.to_data()} for name, rehearsal in found], indent=2))
    elif how["phase"] is None:
        shown = {rehearsal.phase for _, rehearsal in found}
        for each in built.phases:
            if each.name not in shown:
                say(f"{each.name}: no sample solution")
    return 0 if all(rehearsal.status == FINISHED for _, rehearsal in found) else 1
