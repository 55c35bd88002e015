"""A competition is whole: all that it needs is there, or left out on purpose. Nothing of the sample takes its place."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import NO_FOLDER, NOTE
from speechbundles.model.zips import DECIDING_SET
from spokeneval.formats.problems import count_of

BASELINE = "baseline"

OF_THE_DATA = ("data_licence",)
"""Settings that hold for the data beside them, and for no others."""

Given = Mapping[tuple[str, str], Path]
"""`(task, set) -> file or folder` of the gold standards that are given one by one."""


@dataclass(frozen=True)
class Need:
    """What a competition needs.

    Attributes
    ----------
    path: where it belongs, below the competition's folder; a folder ends in a slash.
    what: what it is.
    name: what `leave_out` calls it.
    without: what the competition is without it.
    """

    path: str
    what: str
    name: str
    without: str


def needs(competition: Competition) -> Iterator[Need]:
    """The gold standards, then what the starting kit needs, then what the baseline alone needs."""
    for name in competition.sets:
        phases = [phase.name for phase in competition.phases if phase.reference == name]
        what = f"the labels: {competition.settings.get('gold_standard', 'the gold standard')}"
        without = f"no phase {' or '.join(phases)}" if phases else "no labels for participants"
        yield Need(f"reference_data/{competition.task}/{name}/", what, name, without)
    for path, what in _expanded(competition, "kit_data"):
        yield Need(path, what, Path(path).name, "the starting kit lacks it")
    for path, what in _expanded(competition, "baseline_data"):
        yield Need(path, f"{what} (for the baseline)", BASELINE, "no baseline")


def _expanded(competition: Competition, setting: str) -> Iterator[tuple[str, str]]:
    """A setting's files, those of each set by their names."""
    for path, what in competition[setting].items():
        for name in competition.sets if "{set}" in path else [""]:
            yield f"starting_kit/{path.replace('{set}', name)}", what


def kit_data_files(competition: Competition) -> dict[str, str]:
    """The data in the starting kit, `name in the kit -> what it is`."""
    files = (*_expanded(competition, "kit_data"), *_expanded(competition, "baseline_data"))
    return {path.split("/", 2)[2]: what for path, what in files}


def left_out_files(competition: Competition) -> set[str]:
    """The names of files that its starting kit does without: those that it says, and those of sets that it has not."""
    patterns = (Path(path).name for path in (*competition["kit_data"], *competition["baseline_data"]))
    names = competition["leave_out"]
    of_sets = {pattern.replace("{set}", name) for pattern in patterns if "{set}" in pattern for name in names}
    return of_sets | set(names)


def can_do_without(competition: Competition) -> set[str]:
    """What may stand in a competition's `leave_out`."""
    return {BASELINE, *(need.name for need in needs(competition))}


def do_without(competition: Competition, names: Collection[str]) -> Competition:
    """A competition without sets, data of the kit or the baseline."""
    left_out = {*competition["leave_out"], *names}
    public = [name for name in competition["public_sets"] if name not in left_out]
    return replace(
        competition,
        settings={**competition.settings, "public_sets": public, "leave_out": sorted(left_out)},
        phases=tuple(phase for phase in competition.phases if phase.reference not in left_out),
    )


def away_from_sample(competition: Competition) -> Competition:
    """A competition of the sample's that gets other data: what tells of the sample's is gone."""
    settings = {key: value for key, value in competition.settings.items() if key not in OF_THE_DATA}
    return replace(
        competition,
        settings=settings,
        sources=replace(competition.sources, own=NO_FOLDER),
        stated=frozenset(),
    )


def require_whole(competitions: Iterable[Competition], given: Given) -> None:
    """Refuse competitions of which something is missing.

    Raises
    ------
    BadReference: with all that is missing, where it belongs and how to do without.
    """
    refusals = []
    for competition in competitions:
        missing = [
            need
            for need in needs(competition)
            if need.name not in competition["leave_out"] and not _is_there(competition, need, given)
        ]
        if missing:
            refusals.append(_refusal(competition, missing))
    if refusals:
        raise BadReference("\n\n".join(refusals))


def _is_there(competition: Competition, need: Need, given: Given) -> bool:
    if (competition.task, need.name) in given:
        return True
    path = competition.sources.find(need.path)
    if not need.path.endswith("/"):
        return path.is_file() or path.with_suffix(".xlsx").is_file()
    return path.is_dir() and any(file.name != NOTE for file in path.iterdir())


def _refusal(competition: Competition, missing: list[Need]) -> str:
    place = str(competition.sources.folder)
    if competition.sources.own == NO_FOLDER:
        place = (
            "a competition folder (build_bundle.py init writes one; labels alone can be given by --reference)"
        )
    lines = [
        f"{competition.task}: {count_of(len(missing), 'thing')} missing; the sample's do not take their place"
    ]
    for need in missing:
        lines += ["", f"  {need.path}", f"      {need.what}"]
        if need.name != DECIDING_SET:
            lines.append(f"      or do without: {need.name} ({need.without})")
    lines += ["", f"They belong into {place}."]
    names = dict.fromkeys(need.name for need in missing if need.name != DECIDING_SET)
    if names:
        lines += [
            "To do without, write into its competition.yaml, under the task or the bundle, or say --leave-out NAME:",
            "",
            f"  leave_out: [{', '.join(names)}]",
        ]
    return "\n".join(lines)
