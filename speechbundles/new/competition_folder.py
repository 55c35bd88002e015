"""Writes a competition folder: settings with lines to fill in, and a place for each of the organiser's files."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from speechbundles.bundle.check import MOST_SUBMISSIONS
from speechbundles.competition.intake.reference import also_read
from speechbundles.competition.read import FILL_IN, read_competitions
from speechbundles.competition.settings import files_of, opening
from speechbundles.competition.whole import needs
from speechbundles.model.competition import Competition
from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.platform import live_platform
from speechbundles.model.sources import NOTE, Sources, installed_root
from speechbundles.model.text import PROGRAM, grouped, inline_yaml
from speechbundles.model.zips import DECIDING_SET, TRIAL_SET, require_new, write_tree
from speechbundles.new.examples import EXAMPLES, example_files
from speechbundles.new.template import fill_template, require_name
from speechbundles.new.workflow import workflow_files
from spokeneval.challenges import task_names
from spokeneval.formats.problems import suggestion
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import REQUIRED, Parameter

NOTHING: Mapping[str, Any] = {"sealed": 0}

_COMMENTED = {name: fill_template(f"{name}.yaml").rstrip("\n") for name in ("labels", "about")}
"""Settings in `defaults` that are explained in comments."""


def write_folder(
    folder: Path, names: Sequence[str], given: Mapping[str, Any] = NOTHING, *, software: str = ""
) -> dict[str, str]:
    """Write a competition folder for some of the repository's bundles, or for all bundles of tasks or challenges.

    Parameters
    ----------
    folder: a new folder outside the repository.
    names: names of bundles, tasks or challenges.
    given: what is known already: `sealed`, `files` with labels, and for a task of one's own the parameters of its kind.
    software: the wheel that GitHub workflows install (see `workflow_files`); empty: no workflow is written.

    Returns
    -------
    The files that belong into the folder, `relative name -> description`.

    Raises
    ------
    OrganiserError: an unknown name, files for several tasks, or a folder that cannot be used. Nothing is written then.
    """
    require_outside(folder)
    series = read_competitions(Sources(installed_root()))
    known = list(dict.fromkeys(name for bundle in series for name in _names_of(bundle)))
    for name in names:
        if name not in known:
            raise OrganiserError(f"there is no task, bundle or challenge {name}; {suggestion(name, known)}")
    chosen = [competition for competition in series if {*_names_of(competition)} & set(names)]
    places = {need.path: need.what for competition in chosen for need in needs(competition)}
    settings = fill_template(
        "settings.yaml",
        **_COMMENTED,
        given=given,
        challenges={competition.challenge: competition.phases for competition in chosen},
        joint=grouped((competition.challenge, competition.name) for competition in chosen),
        bundles={competition.name: competition.settings for competition in chosen},
        deciding=DECIDING_SET,
        most=MOST_SUBMISSIONS,
    )
    return _write(folder, settings, places, given, software)


def _names_of(competition: Competition) -> tuple[str, str, str]:
    """Return the names by which a bundle can be chosen."""
    return competition.task, competition.name, competition.challenge


def write_own_tasks(
    folder: Path, name: str, kinds: Sequence[str], given: Mapping[str, Any] = NOTHING, *, software: str = ""
) -> dict[str, str]:
    """Write a competition folder for a task of one's own, or for a challenge with several; see `write_folder`.

    Parameters
    ----------
    name: a new name for the task; with several kinds, for the challenge, whose tasks are `NAME_KIND`.
    kinds: the kind of each task, with every parameter explained in `competition.yaml`.
    given: see `write_folder`; the parameters are those of a single task.
    """
    require_outside(folder)
    require_name(name)
    numbers = [str(1 + kinds[:at].count(kind)) * (kinds.count(kind) > 1) for at, kind in enumerate(kinds)]
    each = [f"{name}_{kind}{number}" for kind, number in zip(kinds, numbers, strict=True)]
    names = each if len(kinds) > 1 else [name]
    for taken in sorted({name, *names} & {*task_names()}):
        raise OrganiserError(f"{taken} is a task of the repository; choose another name")
    known = given if len(kinds) == 1 else NOTHING
    tasks = [_own_task(task, kind, known) for task, kind in zip(names, kinds, strict=True)]
    settings = fill_template("own_task.yaml", name=name, tasks=tasks, names=names, given=given, **_COMMENTED)
    sets = (TRIAL_SET, DECIDING_SET)
    places = {
        f"reference_data/{task['name']}/{set_name}/": task["labels"] for task in tasks for set_name in sets
    }
    return _write(folder, settings, places, given, software)


def _own_task(name: str, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a task of a kind for the template: parameters, scores, and a description of its labels."""
    parameters = KINDS[kind].parameters()
    # Without a word for an item, as in the settings that are written.
    examples = {each.name: each.example for each in parameters if each.name != "item"}
    task = declared_task(name, {"kind": kind, **examples})
    # Columns of the reference that only some settings need are not asked for.
    columns = [column for layout in task.format.layouts for column in layout.required]
    few = {
        each.name: each.example
        for each in parameters
        if each.name in examples and each.example not in columns and each.name not in columns
    }
    plain = declared_task(name, {"kind": kind, **few})
    return {
        "name": name,
        "kind": KINDS[kind],
        "given": {key: value for key, value in given.items() if key in {each.name for each in parameters}},
        "required": [_explained(each, 8) for each in parameters if each.default is REQUIRED],
        "optional": [_explained(each, 10) for each in parameters if each.default is not REQUIRED],
        "primary": task.primary.key,
        "other": task.scores[1].key,
        "opening": opening(task),
        "scores": textwrap.wrap(
            f"One of {', '.join(score.key for score in task.scores if score.bounds)}.", 108
        ),
        "labels": f"the labels: {files_of(plain)} {also_read(plain)}",
    }


def write_example(folder: Path, name: str) -> None:
    """Write an example's folder; see `write_folder` for the errors."""
    require_outside(folder)
    write_tree(folder, {**example_files(name), ".gitignore": fill_template("gitignore.txt").encode()})


def what_is_there(folder: Path, name: str) -> str:
    """Return the commands that try an example, as text for a terminal."""
    bundle, submissions = folder / "dist" / live_platform().name / f"{name}.zip", folder / "submissions"
    facts = {"program": PROGRAM, "folder": folder, "bundle": bundle, "submissions": submissions, "name": name}
    facts["joint"] = EXAMPLES[name].joint
    text = fill_template("example.txt", **facts, good=submissions / "good.zip", scored=folder / "scored")
    return text.rstrip()


def _explained(parameter: Parameter, indent: int) -> tuple[str, list[str], str]:
    """Return a parameter's name, its description in lines, and an example as YAML writes it in one line."""
    text, default = parameter.description, parameter.default
    if default not in (REQUIRED, parameter.example):
        text += f" Default: {inline_yaml(default) if default else 'none'}."
    return parameter.name, textwrap.wrap(text, 118 - indent), inline_yaml(parameter.example)


def require_outside(folder: Path) -> None:
    """Refuse a folder that is not new, or is in the clone."""
    require_new(folder)
    if folder.resolve().is_relative_to(installed_root()):
        raise OrganiserError(
            f"{folder} is in the clone; name a folder outside it, to keep your data out of the clone"
        )


def _write(
    folder: Path, settings: str, places: Mapping[str, str], given: Mapping[str, Any], software: str
) -> dict[str, str]:
    """Write the settings, a note into each folder for data, and the GitHub workflows; return what belongs there."""
    tasks = sorted({place.split("/")[1] for place in places if place.startswith("reference_data/")})
    if given.get("files") and len(tasks) > 1:
        how = f"the competition has {', '.join(tasks)}; leave out --data and copy the sets of each task"
        raise OrganiserError(f"--data has the labels of one task, and {how}")
    notes: dict[str, str] = {f"pages/{NOTE}": fill_template("pages.txt")}
    for place, what in places.items():
        owner, _, file = place.rpartition("/")
        note = f"{owner}/{NOTE}"
        notes[note] = notes.get(note, "") + (f"{file}: {what}\n" if file else f"{what}\n")
    files = {
        "competition.yaml": settings.encode(),
        ".gitignore": fill_template("gitignore.txt").encode(),
        **(workflow_files(installed_root(), software) if software else {}),
    }
    write_tree(folder, {**files, **{name: text.encode() for name, text in notes.items()}})
    return {"competition.yaml": f"your settings: replace every {FILL_IN}", **places}


def what_goes_where(folder: Path, places: Mapping[str, str]) -> str:
    """Return the files to add and the next command, as text for a terminal."""
    lines = [f"The folder {folder} was created. Add your own files:"]
    for what, alike in groupby(places, key=lambda place: places[place]):
        lines += ["", *(f"  {place}" for place in alike), wrap(what, " " * 6, hanging="")]
    return "\n".join([*lines, "", f"Then run: {PROGRAM} build --competition {folder}"])
