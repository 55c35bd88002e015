"""Writes a competition folder: settings with lines to fill in, and a place for each of the organiser's files."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from speechbundles.bundle.check import MOST_SUBMISSIONS
from speechbundles.competition.read import FILL_IN, read_competitions
from speechbundles.competition.settings import files_of
from speechbundles.competition.whole import needs
from speechbundles.model.competition import Competition, Phase
from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import NOTE, Sources
from speechbundles.model.text import PROGRAM, dump_yaml, inline_yaml, suggestion
from speechbundles.model.zips import DECIDING_SET, TRIAL_SET, write_tree
from speechbundles.new.examples import ABOUT, example_files
from speechbundles.new.template import fill_template, require_name
from speechbundles.new.workflow import workflow_files
from spokeneval.challenges import task_names
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import REQUIRED, Parameter

_SETTINGS = f"""\
# The settings of your competition that differ from the repository's competition.yaml, which explains all keys.
# Settings that are missing here are taken from that file; data never are. The build refuses every line that still
# contains {FILL_IN}. Dates are in UTC. Delete the phases that you do not want.
# To leave out a set, a file of the kit's data or the baseline, list it under the task or the bundle:
#   leave_out: [development, baseline]

"""

_LABELS = """\
  # platform: a live leaderboard, but not every version of Codabench hides the labels that you upload
  labels: platform
  # home: no hidden label is uploaded, and you publish the leaderboard yourself, with the command board
"""
"""The choice where hidden labels are, in `defaults`."""

_PAGES = """\
Your own pages, with the same names and folders as in the repository's pages/, and your logo.png. For each file that is
missing here, the repository's file is used.
"""

_IGNORED = """\
board/
dist/
fetched/
scored/
season/
site/
try/
"""


def write_folder(root: Path, folder: Path, names: Sequence[str], *, software: str = "") -> dict[str, str]:
    """Write a competition folder for some of the repository's bundles, or for all bundles of some tasks.

    Parameters
    ----------
    root: the repository.
    folder: a new folder outside the repository.
    names: names of bundles or tasks.
    software: the wheel that GitHub workflows install (see `workflow_files`); empty: no workflow is written.

    Returns
    -------
    The files that belong into the folder, `relative name -> description`.

    Raises
    ------
    OrganiserError: an unknown name, or a folder that cannot be used. Nothing is written then.
    """
    _require_new(root, folder)
    series = read_competitions(Sources(root))
    known = list(dict.fromkeys(name for bundle in series for name in (bundle.task, bundle.name)))
    for name in names:
        if name not in known:
            raise OrganiserError(f"there is no task or bundle {name}; {suggestion(name, known)}")
    chosen = [competition for competition in series if {competition.name, competition.task} & set(names)]
    places = {need.path: need.what for competition in chosen for need in needs(competition)}
    begun = f"defaults:\n{_LABELS}{ABOUT}".encode()
    settings = dump_yaml(_settings(chosen)).replace(b"defaults:\n", begun, 1)
    _write(root, folder, _SETTINGS.encode() + settings, places, software)
    return {"competition.yaml": _FILL_IN, **places}


def write_own_task(root: Path, folder: Path, name: str, kind: str, *, software: str = "") -> dict[str, str]:
    """Write a competition folder for a task of one's own; see `write_folder`.

    Parameters
    ----------
    name: a new name for the task.
    kind: the kind of the task, with every parameter explained in `competition.yaml`.
    """
    _require_new(root, folder)
    require_name(name)
    if name in task_names():
        raise OrganiserError(f"{name} is a task of the repository; choose another name")
    parameters = KINDS[kind].parameters
    needed = [parameter for parameter in parameters if parameter.default is REQUIRED]
    task = declared_task(name, {"kind": kind, **{each.name: each.example for each in parameters}})
    optional = [parameter for parameter in parameters if parameter.default is not REQUIRED]
    fields = {
        "name": name,
        "kind": KINDS[kind],
        "required": [_explained(parameter, 8) for parameter in needed],
        "optional": [_explained(parameter, 10) for parameter in optional],
        "labels": _LABELS.rstrip("\n"),
        "about": ABOUT.rstrip("\n"),
        "primary": task.primary.key,
        "scores": textwrap.wrap(
            f"One of {', '.join(score.key for score in task.scores if score.bounds)}.", 108
        ),
    }
    what = f"the labels: {files_of(task)}"
    places = {f"reference_data/{name}/{set_name}/": what for set_name in (TRIAL_SET, DECIDING_SET)}
    _write(root, folder, fill_template("own_task.yaml", fields).encode(), places, software)
    return {"competition.yaml": _FILL_IN, **places}


def write_example(root: Path, folder: Path, name: str) -> None:
    """Write an example's folder; see `write_folder` for the errors."""
    _require_new(root, folder)
    write_tree(folder, {**example_files(name), ".gitignore": _IGNORED.encode()})


def what_is_there(folder: Path, name: str) -> str:
    """Return the commands that try an example, as text for a terminal."""
    bundle = folder / "dist" / "codabench" / f"{name}.zip"
    return "\n".join(
        [
            f"The folder {folder} was created, with synthetic labels and submissions. Try it:",
            "",
            f"  {PROGRAM} build --competition {folder}",
            f"  {PROGRAM} rehearse {bundle} {folder / 'submissions' / 'good.zip'}",
            f"  {PROGRAM} score {bundle} {folder / 'submissions'} --out {folder / 'scored'}",
            f"  {PROGRAM} rank {folder / 'scored'}/*",
        ]
    )


_FILL_IN = f"your settings: replace every {FILL_IN}"


def _explained(parameter: Parameter, indent: int) -> tuple[str, list[str], str]:
    """Return a parameter's name, its description in lines, and an example as YAML writes it in one line."""
    lines = textwrap.wrap(parameter.description, 118 - indent)
    return parameter.name, lines, inline_yaml(parameter.example)


def _require_new(root: Path, folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OrganiserError(f"{folder} exists already; name a new folder")
    if folder.resolve().is_relative_to(root.resolve()):
        raise OrganiserError(
            f"{folder} is in the clone; name a folder outside it, to keep your data out of the clone"
        )


def _write(root: Path, folder: Path, settings: bytes, places: Mapping[str, str], software: str) -> None:
    """Write the settings, a note into each folder for data, and the GitHub workflows."""
    notes: dict[str, str] = {}
    for place, what in places.items():
        owner, _, file = place.rpartition("/")
        notes[f"{owner}/{NOTE}"] = notes.get(f"{owner}/{NOTE}", "") + (
            f"{file}: {what}\n" if file else f"{what}\n"
        )
    files = {
        "competition.yaml": settings,
        f"pages/{NOTE}": _PAGES.encode(),
        ".gitignore": _IGNORED.encode(),
        **(workflow_files(root, software) if software else {}),
    }
    write_tree(folder, {**files, **{name: text.encode() for name, text in notes.items()}})


def _settings(competitions: Sequence[Competition]) -> dict[str, Any]:
    return {
        "defaults": {
            "organiser": f"{FILL_IN}: the name of the organiser",
            "contact_email": f"{FILL_IN}: an e-mail address for participants",
            "data_licence": f"{FILL_IN}: the licence of your data, such as CC BY 4.0",
        },
        "challenges": {
            competition.challenge: {"phases": [_phase(phase) for phase in competition.phases]}
            for competition in competitions
        },
        "bundles": {competition.name: {"title": f"{FILL_IN}: the title"} for competition in competitions},
    }


def _phase(phase: Phase) -> dict[str, Any]:
    """Return a phase with dates and limits to fill in; lines for numbers have no quotes."""
    settings: dict[str, Any] = {"name": phase.name}
    if phase.description:
        settings["description"] = phase.description
    settings["start"] = f"{FILL_IN}: YYYY-MM-DD HH:MM:SS"
    if phase.end:
        settings["end"] = f"{FILL_IN}: YYYY-MM-DD HH:MM:SS"
    most = phase.max_submissions
    if phase.reference == DECIDING_SET:
        most = min(most, MOST_SUBMISSIONS)
    return {
        **settings,
        "reference": phase.reference,
        "max_submissions_per_day": f"{FILL_IN} (such as {phase.max_submissions_per_day})",
        "max_submissions": f"{FILL_IN} (such as {most})",
        "execution_time_limit": phase.execution_time_limit,
    }


def what_goes_where(folder: Path, places: Mapping[str, str]) -> str:
    """Return the files to add and the next command, as text for a terminal."""
    return "\n".join(
        [
            f"The folder {folder} was created. Add your own files:",
            *(
                "\n" + "\n".join([*(f"  {place}" for place in alike), wrap(what, " " * 6, hanging="")])
                for what, alike in groupby(places, key=lambda place: places[place])
            ),
            "",
            f"Then run: {PROGRAM} build --competition {folder}",
        ]
    )
