"""`competition.yaml`: read, held against its schema, and resolved into competitions.

Every defect is reported at once, with its line and path. What a schema cannot say (dates in order, a
task that exists, columns that it writes) is checked here too, so that nothing misspelt gets
as far as a platform.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bundling.competition import located_yaml, schema
from bundling.competition.competition import Column, Competition, Phase, Place
from bundling.competition.located_yaml import Defects
from bundling.competition.pages import page_path
from bundling.platforms.dates import FORMAT
from bundling.platforms.limits import LONGEST_COLUMN_TITLE
from bundling.text import suggestion
from spokeneval.run.feedback import COARSE
from spokeneval.tasks import find_task, task_names


def read_competitions(path: Path, names: Collection[str] = ()) -> list[Competition]:
    """The competitions of a `competition.yaml`, with its schema and the programs beside it.

    Parameters
    ----------
    names: the bundles that are wanted; all where it is empty.

    Raises
    ------
    CompetitionError: with every defect of the file, and of what the wanted bundles are made from.
    """
    content, marks, defects = located_yaml.load(path)
    defects += schema.violations(content, path.parent / "competition.schema.json")
    competitions = []
    if not defects:
        resolved = list(_resolve(content, defects))
        _check_shared(resolved, defects)
        _check_seals(resolved, defects)
        competitions = [competition for competition in resolved if not names or competition.name in names]
        for competition in competitions:
            _check(competition, path.parent, defects)
        for name in sorted(set(names) - set(content["bundles"])):
            defects.append((("bundles",), f"no bundle {name}; there are {', '.join(content['bundles'])}"))
    if defects:
        raise located_yaml.refusal(path, defects, marks)
    return competitions


_REQUIRED = ("image", "terms", "pages", "docker_image", "submission_rule", "public_sets", "phases")
_DEFAULTS: dict[str, Any] = {
    "auto_run_submissions": True,
    "detailed_results": False,
    "feedback": COARSE,
    "accepted_overlaps": (),
    "registration": "approval",
    "forum": True,
}


def _resolve(content: Mapping[str, Any], defects: Defects) -> Iterator[Competition]:
    """Each bundle with the settings of its task, its challenge and the defaults."""
    tasks = {
        task: (challenge, layer["tasks"][task])
        for challenge, layer in content["challenges"].items()
        for task in layer["tasks"]
    }
    for name, entry in content["bundles"].items():
        if entry["task"] not in tasks:
            hint = suggestion(entry["task"], tasks, f"expected one of {', '.join(tasks)}")
            defects.append((("bundles", name, "task"), f"no task {entry['task']!r}; {hint}"))
            continue
        challenge, task = tasks[entry["task"]]
        if entry["task"] not in task_names():
            missing: Place = ("challenges", challenge, "tasks", entry["task"])
            defects.append((missing, f"spokeneval/tasks/{entry['task']}.py is missing"))
            continue
        settings = dict(_DEFAULTS)
        origin: dict[str, Place] = {}
        layers: dict[Place, dict[str, Any]] = {
            ("defaults",): content["defaults"],
            ("challenges", challenge): content["challenges"][challenge],
            ("challenges", challenge, "tasks", entry["task"]): task,
            ("bundles", name): entry,
        }
        for place, layer in layers.items():
            settings.update(layer)
            origin.update({key: (*place, key) for key in layer})
        absent = [key for key in _REQUIRED if key not in settings]
        if absent:
            what = f"no {', '.join(absent)}, here or in its task, challenge, defaults"
            defects.append((("bundles", name), what))
            continue
        columns = _columns(entry["task"], settings.pop("columns"), origin["columns"], defects)
        phases = tuple(Phase(**phase) for phase in settings.pop("phases"))
        together = tuple(settings.pop("tasks"))
        yield Competition(name, settings.pop("task"), challenge, settings, columns, phases, together, origin)


def _columns(
    task: str, chosen: Sequence[Mapping[str, Any]], origin: Place, defects: Defects
) -> tuple[Column, ...]:
    """The columns that were chosen, with what the task says of them."""
    written = {column.key: column for column in find_task(task).columns}
    columns = []
    for index, column in enumerate(chosen):
        key = column["key"]
        if key in written and len(written[key].title) > LONGEST_COLUMN_TITLE:
            what = (
                f"the title of {key}, {written[key].title!r}, has more than {LONGEST_COLUMN_TITLE} characters"
            )
            defects.append(((*origin, index, "key"), what))
        elif key in written:
            columns.append(
                Column(**written[key]._asdict(), **{name: column[name] for name in column if name != "key"})
            )
        else:
            hint = suggestion(key, written, f"it writes {', '.join(written)}")
            defects.append(((*origin, index, "key"), f"column {key} is not written by {task}; {hint}"))
    return tuple(columns)


def _check_shared(competitions: Sequence[Competition], defects: Defects) -> None:
    """Bundles of one task have the same labels, programs and kit, and so the settings that are written into these."""
    first: dict[str, Competition] = {}
    for competition in competitions:
        other = first.setdefault(competition.task, competition)
        ours, theirs = _shared(competition), _shared(other)
        for name in () if other is competition else ours:
            if ours[name] != theirs[name]:
                place = competition.origin.get(name, ("bundles", competition.name))
                what = f"{name} is {ours[name]} here and {theirs[name]} in {other.name}"
                defects.append((place, f"{what}; both have the labels and programs of {competition.task}"))


def _shared(competition: Competition) -> dict[str, Any]:
    names = ("options", "public_sets", "feedback", "sealed", "detailed_results")
    chosen = {name: competition.settings.get(name, "not set") for name in names}
    return {**chosen, "hide_scores": competition.hides_scores}


def _check_seals(competitions: Sequence[Competition], defects: Defects) -> None:
    """What is sealed must be hidden."""
    for competition in competitions:
        share = competition.settings.get("sealed")
        place = competition.origin.get("sealed", ("bundles", competition.name))
        if share is None:
            continue
        if not 0 < share < 1:  # a schema lets NaN through
            defects.append((place, f"sealed is {share}; expected a share above 0 and below 1, such as 0.5"))
        if not any(map(competition.sealed_share, competition.scored_sets)):
            public = ", ".join(competition.scored_sets)
            what = f"{competition.name} is scored on public labels alone ({public}); only hidden ones can be sealed"
            defects.append((place, what))


def _check(competition: Competition, root: Path, defects: Defects) -> None:
    _check_phases(competition, defects)
    _check_columns(competition, defects)
    origin = competition.origin
    places = [(*origin["pages"], index, "file") for index in range(len(competition["pages"]))]
    for place, file in zip([*places, origin["terms"]], competition.page_files, strict=True):
        if not page_path(root, competition, file).is_file():
            owners = dict.fromkeys((competition.task, competition.challenge))
            own = ", ".join(f"pages/{owner}/" for owner in owners)
            defects.append((place, f"page {file} is neither in {own} nor in pages/"))
    if not (root / competition["image"]).is_file():
        defects.append((origin["image"], f"image {competition['image']} is missing"))


def _check_phases(competition: Competition, defects: Defects) -> None:
    before: tuple[Phase, datetime | None] | None = None
    for index, phase in enumerate(competition.phases):
        place = (*competition.origin["phases"], index)
        start, end = _date(phase.start), _date(phase.end)
        for key, text, read in (("start", phase.start, start), ("end", phase.end, end)):
            if text and read is None:
                defects.append(((*place, key), f"phase {phase.name}: {text}: not a date of the calendar"))
        if start is None or (phase.end and end is None):
            return
        if end and end <= start:
            what = f"phase {phase.name}: ends {phase.end}, not after its start {phase.start}"
            defects.append(((*place, "end"), what))
        if before and before[1] is None:
            defects.append((place, f"phase {before[0].name}: no end, and phase {phase.name} comes after it"))
        elif before and before[1] and start <= before[1]:
            what = f"phase {phase.name}: starts {phase.start}, not after the end of the one before"
            defects.append(((*place, "start"), what))
        if phase.name in [other.name for other in competition.phases[:index]]:
            defects.append(((*place, "name"), f"phase {phase.name} stands twice"))
        before = phase, end


def _date(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text, FORMAT) if text else None
    except ValueError:
        return None


def _check_columns(competition: Competition, defects: Defects) -> None:
    keys = [column.key for column in competition.columns]
    places = [(*competition.origin["columns"], index, "key") for index in range(len(keys))]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        defects.append((places[keys.index(key)], f"column {key} stands twice"))
    task = find_task(competition.task)
    if keys and keys[0] != task.primary.key:
        defects.append((places[0], f"the first column is {keys[0]}; the primary score is {task.primary.key}"))
    choices = {option.name: option.values for option in task.options}
    for option, value in competition.options.items():
        place = (*competition.origin["options"], option)
        if option not in choices:
            expected = ", ".join(choices) or "none"
            defects.append((place, f"unknown option {option}; {task.name} has {expected}"))
        elif value not in choices[option]:
            what = f"option {option} is {value!r}; expected one of {', '.join(choices[option])}"
            defects.append((place, what))
