"""Check that a competition has all the data it needs, or leaves them out on purpose; sample data never replace them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from speechbundles.competition.intake.declared import SETTING
from speechbundles.competition.intake.reference import also_read
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.competition import ANSWERS, PLATFORM, Competition
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import NO_FOLDER, NOTE
from speechbundles.model.text import PROGRAM, size_of
from speechbundles.model.zips import DECIDING_SET, tree_files
from spokeneval.formats.problems import count_of

BASELINE = "baseline"

OF_THE_DATA = ("data_licence", "publication", "about", SETTING)
"""Settings that are valid only in the folder that has them: facts about its data and its organisers."""

Given = Mapping[tuple[str, str], Path]
"""`(task, set) -> file or folder` of labels that are given by `--reference`."""


@dataclass(frozen=True)
class Need:
    """A file or folder that a competition needs.

    Attributes
    ----------
    path: its path below the competition folder; a folder ends in a slash.
    what: a description of its content.
    name: its name in `leave_out`.
    without: the consequence of leaving it out.
    """

    path: str
    what: str
    name: str
    without: str


def needs(competition: Competition) -> Iterator[Need]:
    """Yield the label sets, then the data of the starting kit, then the data that only the baseline needs."""
    for name in competition.sets:
        phases = [phase.name for phase in competition.phases if phase.reference == name]
        what = f"the labels: {competition['gold_standard']} {also_read(competition.definition)}"
        without = (
            f"no phase {' or '.join(phases)}"
            if phases
            else "no labels for participants; if another set is public, name it in public_sets"
        )
        yield Need(f"reference_data/{competition.task}/{name}/", what, name, without)
    for path, what in _expanded(competition, "kit_data"):
        yield Need(path, what, Path(path).name, "not in the starting kit")
    for path, what in _expanded(competition, "baseline_data"):
        yield Need(path, f"{what} (for the baseline)", BASELINE, "no baseline")


def _expanded(competition: Competition, setting: str) -> Iterator[tuple[str, str]]:
    """Yield the paths and descriptions of a setting, with `{set}` replaced by the name of each set."""
    for path, what in competition[setting].items():
        for name in competition.sets if "{set}" in path else [""]:
            yield f"starting_kit/{path.replace('{set}', name)}", what


def kit_data_files(competition: Competition) -> dict[str, str]:
    """Return the data files of the starting kit, `name in the kit -> description`."""
    files = (*_expanded(competition, "kit_data"), *_expanded(competition, "baseline_data"))
    return {path.split("/", 2)[2]: what for path, what in files}


def left_out_files(competition: Competition) -> set[str]:
    """Return the names of kit files to leave out: those that `leave_out` names, and those of its sets."""
    patterns = (Path(path).name for path in (*competition["kit_data"], *competition["baseline_data"]))
    names = competition["leave_out"]
    of_sets = {pattern.replace("{set}", name) for pattern in patterns if "{set}" in pattern for name in names}
    return of_sets | {*names, *(Path(need.path).name for need in needs(competition) if need.name in names)}


def can_do_without(competition: Competition) -> set[str]:
    """Return the names that `leave_out` accepts."""
    return {BASELINE, *(need.name for need in needs(competition))}


def do_without(competition: Competition, names: Collection[str]) -> Competition:
    """Return a competition without the named sets, kit files or baseline."""
    left_out = {*competition["leave_out"], *names}
    public = [name for name in competition["public_sets"] if name not in left_out]
    return replace(
        competition,
        settings={**competition.settings, "public_sets": public, "leave_out": sorted(left_out)},
        phases=tuple(phase for phase in competition.phases if phase.reference not in left_out),
    )


def with_all_labels(competition: Competition) -> Competition:
    """Return a competition as answers are scored at home: nothing is sealed, and no label is left out."""
    settings = {key: value for key, value in competition.settings.items() if key != "sealed"}
    return replace(competition, settings={**settings, "labels": PLATFORM, "submissions": ANSWERS})


def away_from_sample(competition: Competition) -> Competition:
    """Return a sample competition for other data, without the settings that describe the sample's data."""
    settings = {key: value for key, value in competition.settings.items() if key not in OF_THE_DATA}
    sources = replace(competition.sources, own=NO_FOLDER)
    return replace(competition, settings=settings, sources=sources, stated=frozenset())


def require_whole(competitions: Iterable[Competition], given: Given) -> None:
    """Refuse competitions with missing files, or with more data for the kit than a bundle holds.

    Raises
    ------
    BadReference: the message lists all missing files, where to put them, and how to leave them out.
    """
    refusals: list[str] = []
    for competition in competitions:
        refusals += _too_large(competition)
        needed = (need for need in needs(competition) if need.name not in competition["leave_out"])
        missing = [need for need in needed if not _is_there(competition, need, given)]
        if missing:
            refusals.append(_refusal(competition, missing))
    if refusals:
        raise BadReference("\n\n".join(refusals))


def _too_large(competition: Competition) -> Iterator[str]:
    """Yield a refusal of the organiser's kit files if a bundle cannot hold them. No file is read."""
    place = competition.sources.folder / "starting_kit"
    kits = dict.fromkeys((competition.task, competition.challenge))
    files = [path for kit in kits for path in tree_files(place / kit).values()]
    sizes = {path: path.stat().st_size for path in files}
    if sum(sizes.values()) > LARGEST_BUNDLE:
        largest = max(files, key=sizes.__getitem__)
        yield (
            f"{largest}: {size_of(sizes[largest])}; the starting kit would have {count_of(len(files), 'file')} of "
            f"{size_of(sum(sizes.values()))} together, and a bundle has at most {size_of(LARGEST_BUNDLE)}. Put large "
            "files on a web server, declare each with data_url in competition.yaml, and move them out of this folder"
        )


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
        how = f"`{PROGRAM} init` creates one; labels can also be given with --reference"
        place = f"a competition folder ({how})"
    number = count_of(len(missing), "input")
    lines = [f"{competition.task}: {number} missing; sample data are never used instead"]
    for need in missing:
        lines += ["", f"  {need.path}", f"      {need.what}"]
        if need.name != DECIDING_SET:
            lines.append(f"      or leave out: {need.name} ({need.without})")
    lines += ["", f"Put them into {place}."]
    names = dict.fromkeys(need.name for need in missing if need.name != DECIDING_SET)
    if names:
        lines += [
            "To leave them out, use --leave-out NAME, or write into competition.yaml, under the task or the bundle:",
            "",
            f"  leave_out: [{', '.join(names)}]",
        ]
    return "\n".join(lines)
