"""Create a folder for your own competition.

DIR is a new folder outside the clone, and gets a place for each of your files. TASK is the name of a task, of a bundle
(a track) or of a challenge. For a task of your own, give --new NAME --kind KIND instead, with several kinds for a
challenge of several tasks, or --example EXAMPLE for a complete folder with synthetic data. --data takes the sets that
split wrote, and the settings of the task that merge and split found.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from speechbundles.annotation.tables import AGREEMENT, read_data
from speechbundles.cli.options import NOTHING, PATH, Choice, Command, option, path_option
from speechbundles.model.text import say
from speechbundles.model.zips import write_tree
from speechbundles.new.competition_folder import (
    what_goes_where,
    what_is_there,
    write_example,
    write_folder,
    write_own_tasks,
)
from speechbundles.new.examples import EXAMPLES
from spokeneval.challenges import find_task, task_names
from spokeneval.kinds.declared import KINDS


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("names", nargs=-1, metavar="[TASK]...")
@option("--new", "NAME", "a task of your own, under this name")
@option(
    "--kind",
    None,
    "the kind of your own task; repeat it for a challenge with several tasks",
    multiple=True,
    type=Choice(sorted(KINDS)),
)
@option(
    "--example",
    None,
    "a folder with synthetic data that builds as it is",
    type=Choice(sorted(EXAMPLES)),
)
@path_option("--data", "FOLDER", "the sets that split wrote; the kind of --new may then be left out")
@option(
    "--software",
    "URL-OR-WHEEL",
    "also write GitHub workflows that install this wheel: a file, or an address that ends in #sha256=HASH",
    default="",
)
def command(
    folder: Path,
    names: Sequence[str],
    new: str | None,
    kind: Sequence[str],
    example: str | None,
    data: Path | None,
    software: str,
) -> None:
    known: dict[str, Any] = read_data(data) if data else {"task": {}, "files": [], "sealed": 0}
    kind = kind or ([known["task"]["kind"]] if new and "kind" in known["task"] else [])
    if [bool(names), bool(new), bool(example)].count(True) != 1 or bool(new) != bool(kind):
        how = "Give the names of tasks, or --new NAME with --kind KIND, or --example EXAMPLE."
        raise click.UsageError(how)
    if example:
        write_example(folder, example)
        say(what_is_there(folder, example))
        return
    given = {**known["task"], "sealed": known["sealed"], "files": known["files"]}
    if new and kind:
        places = write_own_tasks(folder, new, kind, given, software=software)
    else:
        places = write_folder(folder, names, given, software=software)
    if data:
        for place in _copied(data, known["files"], folder, list(places)):
            del places[place]
    say(what_goes_where(folder, places))


def _copied(data: Path, files: Sequence[str], folder: Path, places: Sequence[str]) -> list[str]:
    """Copy sets to their places in a competition folder, and return these places.

    A task of the repository has its own names of files; those of its table are then taken, in order.
    """
    found = []
    for place in places:
        part, name, own = [*place.split("/"), "", ""][:3]
        if part == "reference_data" and files and (data / own / files[0]).is_file():
            task = find_task(name).format.reference_files if name in task_names() else files
            for file, new in zip(files, task, strict=False):
                write_tree(folder, {f"{place}{Path(new).stem}.csv": (data / own / file).read_bytes()})
            found.append(place)
    if (data / AGREEMENT).is_file():
        write_tree(folder, {f"annotation/{AGREEMENT}": (data / AGREEMENT).read_bytes()})
    return found
