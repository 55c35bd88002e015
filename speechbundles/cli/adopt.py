"""Make a competition folder of a bundle that others built.

BUNDLE is its zip or folder, for Codabench or in the format of CodaLab. DIR is a new folder: build makes the bundle of
it again, with the same scoring program. If a kind of task has all scores of its leaderboard, its scores of the bundle's
sample solutions are compared with those of the program, and --kind makes a folder for a task of this kind instead.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from speechbundles.bundle.rehearse import choose_engine, rehearse_solutions
from speechbundles.cli.options import NOTHING, PATH, Command, option
from speechbundles.cli.terminal import warn
from speechbundles.model.bundle import BuiltBundle, read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import PROGRAM, say, table_lines
from speechbundles.new.adopt import adopt, kinds_of, replace_by_kind, scores_of_kind
from speechbundles.new.competition_folder import what_goes_where
from spokeneval.kinds.declared import KINDS


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("bundle", type=PATH, metavar="BUNDLE")
@click.argument("folder", type=PATH, metavar="DIR")
@option("--name", "NAME", "name of the bundle (default: adopted)", default="adopted")
@option("--kind", None, "write a task of this kind instead of its program", type=click.Choice(sorted(KINDS)))
def command(bundle: Path, folder: Path, name: str, kind: str | None) -> None:
    built = read_built_bundle(bundle)
    if kind:
        say(what_goes_where(folder, replace_by_kind(folder, name, built, kind)))
        return
    adopt(folder, name, built)
    say(f"wrote {folder}; {PROGRAM} build --competition {folder} makes the bundle")
    for own, columns in kinds_of(built).items():
        say(f"\nIts columns are scores of the kind {own}; --kind {own} writes a task of this kind.")
        try:
            for line in _side_by_side(built, own, columns):
                say(line)
        except (OrganiserError, OSError) as error:  # of the engine, or of the bundle
            warn(f"note: not compared: {error}")


def _side_by_side(bundle: BuiltBundle, kind: str, columns: Mapping[str, str]) -> Iterator[str]:
    """Yield, for each sample solution, the scores of the bundle's program beside those of a kind."""
    for name, rehearsal in rehearse_solutions(bundle, engine=choose_engine("auto", bundle)):
        task = next(task for task in bundle.phase(rehearsal.phase).tasks if name in task.solutions)
        try:
            scores = scores_of_kind(bundle, task, name, kind)
        except OrganiserError as error:
            yield f"{rehearsal.phase}, {name}: not compared: {error}"
            continue
        shown = {cell.key: cell.fixed() for cell in rehearsal.row}
        rows = [("column", "its program", kind)]
        rows += [
            (key, shown.get(key, rehearsal.status), f"{scores[own]:.10g}") for key, own in columns.items()
        ]
        yield "\n".join([f"{rehearsal.phase}, {name}", *table_lines(rows, {0})])
