"""Read `competition.yaml`, validate it against its schema, and resolve it into competitions.

All defects are reported at once, each with its line and path. Rules that a schema cannot express (dates in order, tasks
that exist, columns that the task writes) are checked here too, so that no misspelt setting reaches a platform.

The file of a competition folder has only the settings that differ from the repository's. They take precedence over all
of the repository's settings, and only the bundles of this file are built.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from speechbundles.competition import located_yaml, schema
from speechbundles.competition.intake.declared import SETTING
from speechbundles.competition.intake.reference import check_declared
from speechbundles.competition.kind_files import resolve_files
from speechbundles.competition.located_yaml import Defects
from speechbundles.competition.own_task import load_own_task
from speechbundles.competition.whole import BASELINE, OF_THE_DATA, can_do_without, do_without
from speechbundles.model.competition import PLATFORM, Column, Competition, Phase, Place
from speechbundles.model.dates import FORMAT
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import OWN_TASKS, Sources
from speechbundles.model.text import PROGRAM, suggestion
from speechbundles.platforms.limits import LONGEST_COLUMN_TITLE
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import ParameterError
from spokeneval.run.feedback import COARSE
from spokeneval.run.reference import HOME
from spokeneval.task import ENDS, Task


def read_competitions(
    sources: Sources, names: Collection[str] = (), *, leave_out: Collection[str] = ()
) -> list[Competition]:
    """Return the competitions of a `competition.yaml`.

    Parameters
    ----------
    sources: the competition folder, whose `competition.yaml` takes precedence over the repository's.
    names: the requested bundles; all if empty.
    leave_out: sets and files to leave out of all bundles, in addition to the `leave_out` of the file.

    Raises
    ------
    OrganiserError: with every defect of the file and of the requested bundles.
    """
    if sources.is_sample:
        sources = Sources(sources.root)
    path, own = sources.root / "competition.yaml", sources.folder / "competition.yaml"
    series, marks = _load(path, sources.root)
    content = series
    if not sources.is_sample:
        if not own.is_file():
            raise OrganiserError(f"{own}: no such file; `{PROGRAM} init` creates a competition folder")
        content, marks = _load(own, sources.root)
    defects: Defects = []
    resolved = list(_left_out(list(_resolve(content, series, sources, defects)), leave_out, defects))
    _check_shared(resolved, defects)
    _check_seals(resolved, defects)
    _check_home(resolved, defects)
    competitions = [competition for competition in resolved if not names or competition.name in names]
    for competition in competitions:
        _check(competition, defects)
    for name in sorted(set(names) - set(content["bundles"])):
        defects.append((("bundles",), f"no bundle {name}; expected one of {', '.join(content['bundles'])}"))
    if defects:
        raise located_yaml.refusal(own, defects, marks)
    return competitions


def _load(path: Path, root: Path) -> tuple[Any, located_yaml.Marks]:
    """Return a file's content, validated against the schema, and the position of every setting."""
    content, marks, defects = located_yaml.load(path)
    unfilled = dict(_unfilled(content, ()))
    defects += [
        (place, f"not filled in yet: {value[len(FILL_IN) :].strip(' :(),')}")
        for place, value in unfilled.items()
    ]
    violations = schema.violations(content, root / SCHEMA)
    defects += [(place, what) for place, what in violations if place not in unfilled]
    if defects:
        raise located_yaml.refusal(path, defects, marks)
    return content, marks


SCHEMA = "competition.schema.json"

FILL_IN = "FILL IN"
"""The beginning of a value that the organiser still has to fill in."""


def _unfilled(content: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield the values that the organiser still has to fill in, with their places."""
    if isinstance(content, str) and content.startswith(FILL_IN):
        yield place, content
    elif isinstance(content, (dict, list)):
        inner = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in inner:
            yield from _unfilled(value, (*place, key))


_REQUIRED = (
    *("title", "description", "organiser", "contact_email", "image", "terms", "pages", "docker_image"),
    *("submission_rule", "public_sets", "phases", "columns"),
)
DEFAULTS: dict[str, Any] = {
    "auto_run_submissions": True,
    "detailed_results": False,
    "feedback": COARSE,
    "labels": PLATFORM,
    "board_update": "daily",
    "board_names": "owners",
    "accepted_overlaps": (),
    "leave_out": (),
    "kit_data": {},
    "baseline_data": {},
    "registration": "approval",
    "forum": True,
}


def _resolve(
    content: Mapping[str, Any],
    series: Mapping[str, Any],
    sources: Sources,
    defects: Defects,
) -> Iterator[Competition]:
    """Yield each bundle with the settings of its task, its challenge and the defaults; own ones override."""
    _check_known(content, series, sources, defects)
    tasks = {
        task: name
        for source in (series, content)
        for name, layer in source.get("challenges", {}).items()
        for task in layer.get("tasks", {})
    }
    known = schema.setting_names(sources.root / SCHEMA)
    for name, entry in content["bundles"].items():
        task: Any = {**series["bundles"].get(name, {}), **entry}.get("task")
        if task not in tasks:
            hint = suggestion(str(task), tasks, f"expected one of {', '.join(tasks)}")
            if isinstance(task, str) and sources.own_task(task):
                hint = f"list it under challenges: CHALLENGE: tasks: {task}: {{}}"
            place: Place = ("bundles", name, "task") if "task" in entry else ("bundles", name)
            defects.append((place, f"unknown task {task!r}; {hint}" if task else f"no task; {hint}"))
            continue
        challenge = tasks[task]
        at: Place = ("challenges", challenge, "tasks", task)
        rules = _rules(_layer(content, at), at, known, sources, defects)
        if rules is None:
            continue
        of_task = _defaults_of(rules)
        settings = {**DEFAULTS, **of_task}
        origin: dict[str, Place] = dict.fromkeys(of_task, at)
        stated: set[str] = set()
        places: tuple[Place, ...] = (
            ("defaults",),
            ("challenges", challenge),
            at,
            ("bundles", name),
        )
        for source, place in product((series, content), places):
            layer = _layer(source, place)
            if source is not content:
                layer = {key: value for key, value in layer.items() if key not in OF_THE_DATA}
            if rules.declaration and place == at:
                layer = {key: value for key, value in layer.items() if key in known}
            settings.update(layer)
            origin.update({key: (*place, key) for key in layer})
            stated.update(layer if source is content else ())
        absent = [key for key in _REQUIRED if key not in settings]
        if absent:
            what = f"no {', '.join(absent)}; set it here, or in its task, its challenge or defaults"
            defects.append((("bundles", name), what))
            continue
        if settings["labels"] == HOME and "options" not in stated:
            settings["options"] = _without_facts_about_labels(rules, settings.get("options", {}))
        columns = _columns(rules, settings.pop("columns"), origin["columns"], defects)
        phases = tuple(
            _phase(phase, public=phase["reference"] in settings["public_sets"])
            for phase in settings.pop("phases")
        )
        together = tuple(other for other in tasks if tasks[other] == challenge)
        del settings["task"]
        yield Competition(
            name,
            task,
            challenge,
            settings,
            columns,
            phases,
            together,
            rules,
            origin,
            sources,
            frozenset(stated),
        )


def _rules(
    layer: Mapping[str, Any], place: Place, known: Collection[str], sources: Sources, defects: Defects
) -> Task | None:
    """Return the task at a place: a task of the repository, or the organiser's own: declared with `kind`, or in Python.

    Parameters
    ----------
    layer: what the organiser wrote at the place.
    known: the names of all settings; the other keys are parameters of the kind.
    sources: where the files are that parameters name, and the organiser's own tasks.
    """
    name, declaration = str(place[-1]), {key: value for key, value in layer.items() if key not in known}
    own = sources.own_task(name)
    if name in task_names() or own:
        for key in declaration:
            defects.append(((*place, key), f"{name} is not declared with a kind and has no such parameter"))
    if name in task_names() and own:
        defects.append((place, f"{OWN_TASKS}/{name}.py has the name of a task of the repository; rename it"))
    if name in task_names():
        return find_task(name)
    if own and "kind" in layer:
        defects.append((place, f"{name} has a kind and {OWN_TASKS}/{name}.py; remove one of them"))
        return None
    if own:
        try:
            return load_own_task(own)
        except OrganiserError as error:
            defects.append((place, str(error)))
            return None
    if "kind" not in layer:
        expected = f"add `kind` (one of {', '.join(KINDS)}), or write {OWN_TASKS}/{name}.py in the competition folder"
        defects.append((place, f"{name} has no kind; {expected}"))
        return None
    try:
        return declared_task(name, resolve_files(declaration, sources.folder))
    except ReferenceFileError as error:
        defects.append((place, str(error)))
        return None
    except ParameterError as error:
        inside = error.parameter in layer
        defects.append(
            ((*place, error.parameter) if inside else place, error.reason if inside else str(error))
        )
        return None


def _defaults_of(rules: Task) -> dict[str, Any]:
    """Return the settings that a task has by itself: its files, a column for each score, for own ones a description.

    Of the columns, the leaderboard shows the primary score and, with exact feedback, its interval.
    """
    primary = rules.primary.key
    digits = {score.key: score.precision for score in rules.scores}
    shown = (primary, *(primary + end for end in ENDS))
    columns: list[dict[str, Any]] = [{"key": key, "precision": digits[primary]} for key in shown]
    columns += [{"key": key, "precision": digits[key], "hidden": True} for key in digits if key != primary]
    settings: dict[str, Any] = {"columns": columns, "gold_standard": files_of(rules)}
    if rules.declaration or rules.code:
        what = rules.title if rules.code else KINDS[rules.declaration["kind"]].description
        settings["description"] = f"{what[0].upper()}{what[1:]}."
    return settings


def files_of(rules: Task) -> str:
    """Return a description of the files with a task's labels: their names and columns."""
    return " and ".join(
        f"{layout.file}: {', '.join(layout.required)}"
        + "".join(f"; {column} if you have it" for column in layout.optional)
        for layout in rules.format.layouts
    )


def _phase(declared: Mapping[str, Any], *, public: bool) -> Phase:
    """Return a phase; a phase of a hidden set has few submissions unless its limits are declared."""
    reference = declared["reference"]
    limits = {"max_submissions_per_day": 10, "max_submissions": 500} if public else HIDDEN_LIMITS
    usual = {"name": reference.replace("_", " ").capitalize(), "execution_time_limit": 300, **limits}
    return Phase(**{**usual, **declared})


HIDDEN_LIMITS = {"max_submissions_per_day": 3, "max_submissions": 3}
"""The limits of a phase on hidden labels that declares none."""


def _layer(source: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return the settings at a place of a `competition.yaml`; empty if it has no such place."""
    layer: Mapping[str, Any] = source
    for key in place:
        layer = layer.get(str(key), {})
    return layer


def _check_known(
    content: Mapping[str, Any], series: Mapping[str, Any], sources: Sources, defects: Defects
) -> None:
    """Report challenges and tasks that neither the repository nor the organiser has: their settings have no effect."""
    for challenge, layer in content.get("challenges", {}).items():
        known = _layer(series, ("challenges", challenge, "tasks"))
        declared = [
            task
            for task, settings in layer.get("tasks", {}).items()
            if "kind" in settings or sources.own_task(task)
        ]
        for task in sorted({*declared} & {*task_names()}):
            taken: Place = ("challenges", challenge, "tasks", task)
            defects.append(
                (taken, f"{task} is a task of the repository; choose another name for your own task")
            )
        if challenge not in series["challenges"] and not declared:
            hint = suggestion(
                challenge, series["challenges"], f"expected one of {', '.join(series['challenges'])}"
            )
            defects.append((("challenges", challenge), f"unknown challenge {challenge}; {hint}"))
            continue
        for task in layer.get("tasks", {}):
            if task not in known and task not in declared:
                hint = suggestion(task, known, f"expected one of {', '.join(known)}")
                place = ("challenges", challenge, "tasks", task)
                defects.append((place, f"{challenge} has no task {task}; {hint}"))


def _left_out(
    competitions: Sequence[Competition], names: Collection[str], defects: Defects
) -> Iterator[Competition]:
    """Yield the competitions, each without its sets and files that are left out."""
    known = {name for competition in competitions for name in can_do_without(competition)}
    for name in sorted(set(names) - known):
        raise OrganiserError(f"--leave-out {name}: {suggestion(name, known, _one_of(known))}")
    for competition in competitions:
        place = competition.origin.get("leave_out", ("bundles", competition.name))
        for name in sorted(set(competition["leave_out"]) - known):
            defects.append((place, f"leave_out: {name}; {suggestion(name, known, _one_of(known))}"))
        absent = () if _has_baseline(competition) else (BASELINE,)
        rest = do_without(competition, (*names, *absent))
        if not rest.phases:
            defects.append((place, f"leave_out: this leaves {competition.name} without a phase"))
        yield rest


def _has_baseline(competition: Competition) -> bool:
    """Whether a baseline can be looked for: no task in an organiser's own Python has one but that in their folder."""
    own = competition.sources.find(f"starting_kit/{competition.task}/baseline.py")
    return not competition.rules.code or own.is_file()


def _one_of(names: Collection[str]) -> str:
    return f"expected one of {', '.join(sorted(names))}"


def _columns(
    task: Task, chosen: Sequence[Mapping[str, Any]], origin: Place, defects: Defects
) -> tuple[Column, ...]:
    """Return the chosen columns, with their titles and directions from the task."""
    written = {column.key: column for column in task.columns}
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
            hint = suggestion(key, written, f"expected one of {', '.join(written)}")
            defects.append(((*origin, index, "key"), f"column {key} is not written by {task.name}; {hint}"))
    return tuple(columns)


def _check_shared(competitions: Sequence[Competition], defects: Defects) -> None:
    """Bundles of one task share labels, programs and kit, so the settings that these contain must be equal."""
    first: dict[str, Competition] = {}
    for competition in competitions:
        other = first.setdefault(competition.task, competition)
        ours, theirs = _shared(competition), _shared(other)
        for name in () if other is competition else ours:
            if ours[name] != theirs[name]:
                place = competition.origin.get(name, ("bundles", competition.name))
                what = f"{name} is {ours[name]} here and {theirs[name]} in {other.name}"
                defects.append(
                    (place, f"{what}; both need the same value, because they share labels and programs")
                )


def _shared(competition: Competition) -> dict[str, Any]:
    names = (
        "options",
        "public_sets",
        "feedback",
        "labels",
        "sealed",
        "detailed_results",
        "leave_out",
        SETTING,
    )
    chosen = {name: competition.settings.get(name, "not set") for name in names}
    return {**chosen, "hide_scores": competition.hides_scores}


def _check_seals(competitions: Sequence[Competition], defects: Defects) -> None:
    """Only hidden sets can be sealed."""
    for competition in competitions:
        share = competition.settings.get("sealed")
        place = competition.origin.get("sealed", ("bundles", competition.name))
        if share is None:
            continue
        if not 0 < share < 1:  # a schema lets NaN through
            defects.append((place, f"sealed is {share}; expected a share above 0 and below 1, such as 0.5"))
        if not any(map(competition.sealed_share, competition.scored_sets)):
            public = ", ".join(competition.scored_sets)
            what = f"all sets of {competition.name} are public ({public}); only hidden ones can be sealed"
            defects.append((place, what))


def _without_facts_about_labels(task: Task, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the chosen options, with the default of each option that would publish a fact about hidden labels."""
    revealing = [option for option in task.options if chosen.get(option.name) in option.reveals]
    return {**chosen, **{option.name: option.values[0] for option in revealing}}


def _check_home(competitions: Sequence[Competition], defects: Defects) -> None:
    """Labels can stay at home only if some are hidden and nothing else publishes facts about them."""
    for competition in competitions:
        place = competition.origin.get("labels", ("bundles", competition.name))
        if competition["labels"] != HOME:
            continue
        if not competition.hidden_sets:
            public = ", ".join(competition.scored_sets)
            what = (
                f"all sets of {competition.name} are public ({public}); only hidden labels can stay at home"
            )
            defects.append((place, f"labels: home: {what}"))
        if competition.settings.get("sealed"):
            what = "labels: home keeps all labels of hidden sets; remove sealed"
            defects.append((competition.origin["sealed"], what))
        for option in competition.rules.options:
            value = competition.options.get(option.name)
            if value in option.reveals:
                what = (
                    f"{option.name}: {value} publishes a fact about the labels; with labels: home, expected"
                )
                where = (*competition.origin["options"], option.name)
                defects.append((where, f"{what} {option.values[0]}"))


def _check(competition: Competition, defects: Defects) -> None:
    _check_phases(competition, defects)
    _check_timeline(competition, defects)
    _check_columns(competition, defects)
    origin = competition.origin
    for below, what in check_declared(competition):
        defects.append(((*origin[SETTING], *below), what))
    places = [(*origin["pages"], index, "file") for index in range(len(competition["pages"]))]
    for place, file in zip([*places, origin["terms"]], competition.page_files, strict=True):
        if not competition.page_path(file).is_file():
            owners = dict.fromkeys((competition.task, competition.challenge))
            own = ", ".join(f"pages/{owner}/" for owner in owners)
            defects.append((place, f"page {file} is neither in {own} nor in pages/"))
    if not competition.sources.find(competition["image"]).is_file():
        defects.append((origin["image"], f"image {competition['image']} is missing"))


def _check_phases(competition: Competition, defects: Defects) -> None:
    before: tuple[Phase, datetime | None] | None = None
    for index, phase in enumerate(competition.phases):
        place = (*competition.origin["phases"], index)
        start, end = _date(phase.start), _date(phase.end)
        for key, text, read in (("start", phase.start, start), ("end", phase.end, end)):
            if text and read is None:
                defects.append(((*place, key), f"phase {phase.name}: {text} is not a valid date"))
        if start is None or (phase.end and end is None):
            return
        if end and end <= start:
            what = f"phase {phase.name} ends at {phase.end}, which is not after its start, {phase.start}"
            defects.append(((*place, "end"), what))
        if before and before[1] is None:
            defects.append((place, f"phase {before[0].name} has no end, but phase {phase.name} follows it"))
        elif before and before[1] and start <= before[1]:
            what = (
                f"phase {phase.name} starts at {phase.start}, which is not after the end of the phase before"
            )
            defects.append(((*place, "start"), what))
        if phase.name in [other.name for other in competition.phases[:index]]:
            defects.append(((*place, "name"), f"duplicate phase name {phase.name}"))
        before = phase, end


def _check_timeline(competition: Competition, defects: Defects) -> None:
    for index, entry in enumerate(competition.about.get("timeline", ())):
        text = entry["date"]
        if _date(text + "0001-01-01 00:00:00"[len(text) :]) is None:
            place = (*competition.origin["about"], "timeline", index, "date")
            defects.append((place, f"{text} is not a valid date"))


def _date(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text, FORMAT) if text else None
    except ValueError:
        return None


def _check_columns(competition: Competition, defects: Defects) -> None:
    keys = [column.key for column in competition.columns]
    places = [(*competition.origin["columns"], index, "key") for index in range(len(keys))]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        defects.append((places[keys.index(key)], f"duplicate column {key}"))
    task = competition.rules
    if keys and keys[0] != task.primary.key:
        defects.append(
            (places[0], f"the first column is {keys[0]}; expected the primary score, {task.primary.key}")
        )
    choices = {option.name: option.values for option in task.options}
    for option, value in competition.options.items():
        place = (*competition.origin["options"], option)
        if option not in choices:
            expected = ", ".join(choices) or "none"
            defects.append((place, f"unknown option {option}; options of {task.name}: {expected}"))
        elif value not in choices[option]:
            what = f"option {option} is {value!r}; expected one of {', '.join(choices[option])}"
            defects.append((place, what))
