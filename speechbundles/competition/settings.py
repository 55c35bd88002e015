"""The settings of each bundle: those of its task, its challenge and the defaults; the organiser's own override.

The task of a bundle is one of the repository's, one that the organiser declares with a kind, or their own Python.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from speechbundles.competition.kind_files import resolve_files
from speechbundles.competition.located_yaml import Defects
from speechbundles.competition.own_task import load_own_task
from speechbundles.competition.schema import LONGEST_COLUMN_TITLE, phase_limits, read_schema
from speechbundles.competition.whole import OF_THE_DATA
from speechbundles.model.competition import CODE, Competition, Phase, Place
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import OWN_TASKS, Sources
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import ReferenceFileError, suggestion
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import ParameterError
from spokeneval.scoring.reference import HOME
from spokeneval.task import ENDS, PRIMARY, Column, Task

_REQUIRED = (
    *("title", "description", "organiser", "contact_email", "image", "terms", "pages", "docker_image"),
    *("submission_rule", "public_sets", "phases", "columns", "auto_run_submissions", "detailed_results"),
    *("feedback", "labels", "registration", "forum"),
)


def resolve(
    content: Mapping[str, Any],
    series: Mapping[str, Any],
    sources: Sources,
    defects: Defects,
) -> Iterator[Competition]:
    """Yield the competition of each bundle; add a defect for each that cannot be resolved.

    Parameters
    ----------
    content, series: the content of the organiser's `competition.yaml` and of the repository's; of the sample, the same.
    """
    schema = read_schema(sources.root)
    known: Mapping[str, Any] = schema["$defs"]["settings"]["properties"]
    defects += _unknown(content, series, sources)
    tasks = {
        task: name
        for source in (series, content)
        for name, layer in source.get("challenges", {}).items()
        for task in layer.get("tasks", {})
    }
    for name, entry in content["bundles"].items():
        bundle: Place = ("bundles", name)
        task: Any = {**series["bundles"].get(name, {}), **entry}.get("task")
        if task not in tasks:
            hint = suggestion(str(task), tasks)
            if isinstance(task, str) and sources.own_task(task):
                hint = f"list it under challenges: CHALLENGE: tasks: {task}: {{}}"
            place = (*bundle, "task") if "task" in entry else bundle
            defects.append((place, f"unknown task {task!r}; {hint}" if task else f"no task; {hint}"))
            continue
        at: Place = ("challenges", tasks[task], "tasks", task)
        definition = _task_at(_layer(content, at), at, known, sources, defects)
        if definition is None:
            continue
        places = (("defaults",), at[:2], at, bundle)
        settings, origin, stated = _merged(content, series, places, definition, known)
        absent = [key for key in _REQUIRED if key not in settings]
        if absent:
            what = f"no {', '.join(absent)}; set it here, or in its task, its challenge or defaults"
            defects.append((bundle, what))
            continue
        definition = _ranked(definition, settings, origin, stated, defects)
        _follow(settings, stated, definition)
        del settings["task"]
        yield Competition(
            name=name,
            task=task,
            challenge=tasks[task],
            columns=_columns(definition, settings.pop("columns"), origin["columns"], defects),
            phases=tuple(_phase(phase, settings["public_sets"], schema) for phase in settings.pop("phases")),
            settings=settings,
            challenge_tasks=tuple(other for other in tasks if tasks[other] == tasks[task]),
            definition=definition,
            origin=origin,
            sources=sources,
            stated=frozenset(stated),
        )


def _ranked(
    definition: Task,
    settings: dict[str, Any],
    origin: Mapping[str, Place],
    stated: Collection[str],
    defects: Defects,
) -> Task:
    """Return the task with the organiser's primary score, which becomes an option; columns follow unless stated."""
    if definition.declaration:
        return definition
    options = settings.get("options", {})
    key = settings.pop(PRIMARY, options.get(PRIMARY, definition.primary.key))
    if key not in definition.primaries:
        where = origin[PRIMARY] if PRIMARY in origin else (*origin["options"], PRIMARY)
        defects.append(
            (where, f"{key!r} cannot be the primary score; {suggestion(str(key), definition.primaries)}")
        )
    elif key != definition.primary.key:
        settings["options"] = {**options, PRIMARY: key}
        left_out = {key, *(definition.primary.key + end for end in ENDS)}
        others = [column for column in settings["columns"] if column["key"] not in left_out]
        definition = definition.ranked_by(key)
        if "columns" not in stated:
            settings["columns"] = [*_defaults_of(definition)["columns"][:3], *others]
    return definition


def _follow(settings: dict[str, Any], stated: Collection[str], definition: Task) -> None:
    """Change settings that follow from others, unless they are stated: of programs, and of labels that stay at home."""
    if settings["submissions"] == CODE:
        if "labels" not in stated:
            settings["labels"] = HOME
        if "pages" not in stated:
            settings["pages"] = [*settings["pages"], {"title": "Your program", "file": "code.md"}]
    if settings["labels"] == HOME and "options" not in stated:  # none may publish a fact about the labels
        chosen = settings.get("options", {})
        revealing = [option for option in definition.options if chosen.get(option.name) in option.reveals]
        settings["options"] = {**chosen, **{option.name: option.values[0] for option in revealing}}


def _merged(
    content: Mapping[str, Any],
    series: Mapping[str, Any],
    places: Sequence[Place],
    definition: Task,
    known: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, Place], set[str]]:
    """Return the settings of a bundle, the place of each, and which ones the organiser's own file states.

    Parameters
    ----------
    places: the places of its settings, the nearest last; the third is that of its task.
    known: all settings, as the schema has them; the other keys of a task are parameters of its kind.
    """
    of_task = _defaults_of(definition)
    usual = {key: entry["default"] for key, entry in known.items() if "default" in entry}
    settings, origin = {**usual, **of_task}, dict.fromkeys(of_task, places[2])
    stated: set[str] = set()
    for source, place in product((series, content), places):
        left_out = () if source is content else OF_THE_DATA
        parameters = place == places[2] and definition.declaration
        layer = {
            key: value
            for key, value in _layer(source, place).items()
            if key not in left_out and not (parameters and key not in known)
        }
        settings.update(layer)
        origin.update({key: (*place, key) for key in layer})
        stated.update(layer if source is content else ())
    return settings, origin, stated


def _layer(source: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return the settings at a place of a `competition.yaml`; empty if it has no such place."""
    layer: Mapping[str, Any] = source
    for key in place:
        layer = layer.get(str(key), {})
    return layer


def _unknown(content: Mapping[str, Any], series: Mapping[str, Any], sources: Sources) -> Defects:
    """Return the challenges and tasks that neither the repository nor the organiser has: they have no effect."""
    defects: Defects = []
    for challenge, layer in content.get("challenges", {}).items():
        known = _layer(series, ("challenges", challenge, "tasks"))
        place: Place = ("challenges", challenge)
        tasks = layer.get("tasks", {})
        declared = {task for task in tasks if "kind" in tasks[task] or sources.own_task(task)}
        for task in sorted(declared & {*task_names()}):
            what = f"{task} is a task of the repository; choose another name for your own task"
            defects.append(((*place, "tasks", task), what))
        if challenge not in series["challenges"] and not declared:
            hint = suggestion(challenge, series["challenges"])
            defects.append((place, f"unknown challenge {challenge}; {hint}"))
            continue
        for task in tasks:
            if task not in known and task not in declared:
                what = f"{challenge} has no task {task}; {suggestion(task, known)}"
                defects.append(((*place, "tasks", task), what))
    return defects


def _task_at(
    layer: Mapping[str, Any], place: Place, known: Collection[str], sources: Sources, defects: Defects
) -> Task | None:
    """Return the task at a place, for which the organiser wrote `layer`; None if it cannot be used."""
    name, declaration = str(place[-1]), {key: value for key, value in layer.items() if key not in known}
    own, of_repository = sources.own_task(name), name in task_names()
    file = f"{OWN_TASKS}/{name}.py"
    if of_repository or own:
        declaration.pop(PRIMARY, None)
        what = f"{name} is not declared with a kind and has no such parameter"
        defects += [((*place, key), what) for key in declaration]
    try:
        if of_repository and own:
            defects.append((place, f"{file} has the name of a task of the repository; rename it"))
        if of_repository:
            return find_task(name)
        if own and "kind" in layer:
            raise OrganiserError(f"{name} has a kind and {file}; remove one of them")
        if own:
            return load_own_task(own)
        if "kind" not in layer:
            kinds = ", ".join(KINDS)
            raise OrganiserError(
                f"{name} has no kind; add `kind` (one of {kinds}), or write {file} in the competition folder"
            )
        return declared_task(name, resolve_files(declaration, sources.folder))
    except ParameterError as error:
        inside = error.parameter in layer
        defects.append(
            ((*place, error.parameter) if inside else place, error.reason if inside else str(error))
        )
    except (OrganiserError, ReferenceFileError) as error:
        defects.append((place, str(error)))
    return None


def _defaults_of(definition: Task) -> dict[str, Any]:
    """Return the settings that a task has by itself: its files, a column for each score, for own ones a description.

    Of the columns, the leaderboard shows the primary score and, with exact feedback, its interval and what a kind shows
    beside it.
    """
    primary, beside = definition.primary.key, definition.view.beside()
    digits = {score.key: score.precision for score in definition.scores}
    shown = (primary, *(primary + end for end in ENDS))
    columns: list[dict[str, Any]] = [{"key": key, "precision": digits[primary]} for key in shown]
    others = sorted((key for key in digits if key != primary), key=lambda key: key not in beside)
    columns += [{"key": key, "precision": digits[key], "hidden": key not in beside} for key in others]
    settings: dict[str, Any] = {"columns": columns, "gold_standard": files_of(definition)}
    if definition.declaration or definition.code:
        settings["description"] = opening(definition)
    return settings


def opening(definition: Task) -> str:
    """Return the sentence with which the pages of an organiser's own task begin, if they do not write one."""
    if not definition.declaration:
        return f"{definition.title[0].upper()}{definition.title[1:]}."
    kind = KINDS[definition.declaration["kind"]]
    items = {parameter.name: parameter.default for parameter in kind.parameters()}
    return kind.opening.format(item=definition.declaration.get("item", items.get("item")))


def files_of(definition: Task) -> str:
    """Return a description of the files with a task's labels: their names and columns."""
    return " and ".join(
        f"{layout.file}: {', '.join(layout.columns)}"
        + "".join(f"; {column} if you have it" for column in layout.optional if column not in layout.columns)
        for layout in definition.format.layouts
    )


def _phase(declared: Mapping[str, Any], public_sets: Collection[str], schema: Mapping[str, Any]) -> Phase:
    reference = declared["reference"]
    limits = phase_limits(schema, "public" if reference in public_sets else "hidden")
    daily, total = "max_submissions_per_day", "max_submissions"  # a day's beyond the phase's has no effect
    limits[daily] = min(limits[daily], declared.get(total, limits[total]))
    return Phase(**{"name": reference.replace("_", " ").capitalize(), **limits, **declared})


def _columns(
    task: Task, chosen: Sequence[Mapping[str, Any]], origin: Place, defects: Defects
) -> tuple[Column, ...]:
    """Return the chosen columns, with their titles and directions from the task."""
    written = {column.key: column for column in task.columns}
    columns = []
    for index, column in enumerate(chosen):
        key = column["key"]
        if key not in written:
            what = f"column {key} is not written by {task.name}; {suggestion(key, written)}"
        elif len(written[key].title) > LONGEST_COLUMN_TITLE:
            title = written[key].title
            what = f"the title of {key}, {title!r}, has more than {LONGEST_COLUMN_TITLE} characters"
        else:
            columns.append(Column(**{**written[key]._asdict(), **column}))
            continue
        defects.append(((*origin, index, "key"), what))
    return tuple(columns)
