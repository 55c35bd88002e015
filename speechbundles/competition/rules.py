"""Rules of `competition.yaml` that a schema cannot express: settings that contradict each other, files, options."""

from collections.abc import Iterator, Sequence
from typing import Any

from speechbundles.competition.intake.declared import SETTING
from speechbundles.competition.intake.reference import check_declared
from speechbundles.model.competition import Competition, Place
from spokeneval.formats.problems import suggestion
from spokeneval.scoring.reference import HOME

Found = Iterator[tuple[Place, str]]
"""The place of each defect, and what is wrong."""

_SHARED = (
    *("options", "public_sets", "feedback", "coarse_columns", "labels", "sealed", "detailed_results"),
    *("leave_out", SETTING, "submissions", "environment", "sound", "run_limits"),
)
"""The settings that labels, programs and kit contain, which the bundles of one task share."""


def of_all(competitions: Sequence[Competition]) -> Found:
    """Yield the defects of the bundles of a file, also of those that are not requested."""
    first: dict[str, Competition] = {}
    for competition in competitions:
        other = first.setdefault(competition.task, competition)
        ours, theirs = _shared(competition), _shared(other)
        for name in ours if other is not competition else ():
            if ours[name] != theirs[name]:
                what = f"{name} is {ours[name]} here and {theirs[name]} in {other.name}"
                why = "both need the same value, because they share labels and programs"
                yield _place(competition, name), f"{what}; {why}"
        yield from _of_labels(competition)
        yield from _of_code(competition)


def _shared(competition: Competition) -> dict[str, Any]:
    chosen = {name: competition.settings.get(name, "not set") for name in _SHARED}
    return {**chosen, "hide_scores": competition.hides_scores}


def _place(competition: Competition, setting: str) -> Place:
    return competition.origin.get(setting, ("bundles", competition.name))


def _of_labels(competition: Competition) -> Found:
    """Only hidden sets can be sealed or stay at home, and then nothing else publishes facts about their labels."""
    share, at_home = competition.settings.get("sealed"), competition["labels"] == HOME
    public = f"all sets of {competition.name} are public ({', '.join(competition.scored_sets)})"
    sealed, labels = _place(competition, "sealed"), _place(competition, "labels")
    if share is not None and not any(map(competition.sealed_share, competition.scored_sets)):
        yield sealed, f"{public}; only hidden ones can be sealed"
    if at_home and not competition.hidden_sets:
        yield labels, f"labels: home: {public}; only hidden labels can stay at home"
    if at_home and share:
        yield sealed, "labels: home keeps all labels of hidden sets; remove sealed"
    for option in competition.definition.options if at_home else ():
        value = competition.options.get(option.name)
        if value in option.reveals:
            what = f"{option.name}: {value} publishes a fact about the labels; with labels: home, expected"
            yield (*competition.origin["options"], option.name), f"{what} {option.values[0]}"


def _of_code(competition: Competition) -> Found:
    """Code needs recordings, outside everything that is published; without code, its settings have no effect."""
    if not competition.takes_code:
        for name in ("sound", "environment", "run_limits"):
            if name in competition.stated:
                yield competition.origin[name], f"{name} has no effect without submissions: code"
        return
    place = _place(competition, "submissions")
    if competition["labels"] != HOME:
        what = "the labels of hidden sets stay at home; remove labels, or set labels: home"
        yield _place(competition, "labels"), f"submissions: code: {what}"
    if "sound" not in competition.settings:
        yield place, "submissions: code needs sound: the folder with the recordings, which stay at home"
        return
    sound, folder = competition.sound.resolve(), competition.sources.folder.resolve()
    for name in ("starting_kit", "pages", "reference_data", "dist", "."):
        public = (folder / name).resolve()
        if sound == public or (name != "." and sound.is_relative_to(public)) or public.is_relative_to(sound):
            what = f"sound is {competition['sound']}, in or around {name}; move the recordings to their own folder"
            yield _place(competition, "sound"), what
            return


def of_one(competition: Competition) -> Found:
    """Yield the defects of a requested bundle."""
    origin = competition.origin
    yield from _of_phases(competition)
    yield from _of_columns(competition)
    for below, what in check_declared(competition):
        yield (*origin[SETTING], *below), what
    places = [(*origin["pages"], index, "file") for index in range(len(competition["pages"]))]
    for place, file in zip([*places, origin["terms"]], competition.page_files, strict=True):
        if not competition.page_path(file).is_file():
            owners = dict.fromkeys((competition.task, competition.challenge))
            own = ", ".join(f"pages/{owner}/" for owner in owners)
            yield place, f"page {file} is neither in {own} nor in pages/"
    if not competition.sources.find(competition["image"]).is_file():
        yield origin["image"], f"image {competition['image']} is missing"


def _of_phases(competition: Competition) -> Found:
    """Phases have names of their own and follow each other. Dates of the schema's form are in the order of texts."""
    phases = competition.phases
    for index, phase in enumerate(phases):
        place = (*competition.origin["phases"], index)
        before = phases[index - 1] if index else None
        if phase.end and phase.end <= phase.start:
            what = f"phase {phase.name} ends at {phase.end}, which is not after its start, {phase.start}"
            yield (*place, "end"), what
        if before and not before.end:
            yield place, f"phase {before.name} has no end, but phase {phase.name} follows it"
        elif before and before.end and phase.start <= before.end:
            what = f"starts at {phase.start}, which is not after the end of the phase before"
            yield (*place, "start"), f"phase {phase.name} {what}"
        if phase.name in [other.name for other in phases[:index]]:
            yield (*place, "name"), f"duplicate phase name {phase.name}"


def _of_columns(competition: Competition) -> Found:
    """Columns are distinct, the primary score is the first, and options are those of the task."""
    task, keys = competition.definition, [column.key for column in competition.columns]
    for index, key in enumerate(keys):
        if keys.index(key) == index and keys.count(key) > 1:
            yield (*competition.origin["columns"], index, "key"), f"duplicate column {key}"
    if keys and keys[0] != task.primary.key:
        what = f"the first column is {keys[0]}; expected the primary score, {task.primary.key}"
        yield (*competition.origin["columns"], 0, "key"), what
    stated = competition["coarse_columns"] if "coarse_columns" in competition.stated else ()
    able = [key for key in keys if key in task.primaries]
    for index, key in enumerate(stated):
        if key not in able:
            what = f"{key} is not a column with a standard error; {suggestion(key, able)}"
            yield (*competition.origin["coarse_columns"], index), what
    choices = task.choices
    for option, value in competition.options.items():
        place = (*competition.origin["options"], option)
        if option not in choices:
            yield place, f"unknown option {option}; options of {task.name}: {', '.join(choices) or 'none'}"
        elif value not in choices[option]:
            yield place, f"option {option} is {value!r}; expected one of {', '.join(choices[option])}"
