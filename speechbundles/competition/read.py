"""Read `competition.yaml`, validate it against its schema, and resolve it into competitions.

All defects are reported at once, each with its line and path, so that no misspelt setting reaches a platform: first
what the file's schema finds (`schema`), then tasks and columns that are not there (`settings`), then settings that
contradict each other (`rules`).

The file of a competition folder has only the settings that differ from the repository's. They take precedence over all
of the repository's settings, and only the bundles of this file are built.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from speechbundles.competition import located_yaml, rules, schema
from speechbundles.competition.challenges import joined
from speechbundles.competition.located_yaml import Defects
from speechbundles.competition.settings import resolve
from speechbundles.competition.whole import BASELINE, can_do_without, do_without
from speechbundles.model.competition import Competition, Place
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.model.tabular import LARGEST_FILE
from speechbundles.model.text import PROGRAM
from speechbundles.model.zips import reference_zip, tree_files
from spokeneval.formats.problems import count_of, suggestion

_PARTS = ("pages", "reference_data", "starting_kit", "tasks")
"""The folders with an organiser's files, besides `competition.yaml`."""
_CONFLICT = re.compile(rb"^<<<<<<< .*\n(?:.*\n)*?=======\r?\n(?:.*\n)*?>>>>>>> ", re.MULTILINE)

FILL_IN = "FILL IN"
"""The beginning of a value that the organiser still has to fill in."""


def read_competitions(
    sources: Sources, names: Collection[str] = (), *, leave_out: Collection[str] = ()
) -> list[Competition]:
    """Return the competitions of a `competition.yaml`.

    Parameters
    ----------
    sources: the competition folder, whose `competition.yaml` takes precedence over the repository's.
    names: the requested bundles, or challenges with a joint ranking; all bundles if empty.
    leave_out: sets and files to leave out of all bundles, in addition to the `leave_out` of the file.

    Raises
    ------
    OrganiserError: with every defect of the file and of the requested bundles.
    """
    if sources.is_sample:
        sources = Sources(sources.root)
    series = _load(sources.root / "competition.yaml", sources.root)
    own, content = sources.folder / "competition.yaml", series
    if not sources.is_sample:
        _require_merged(sources.folder)
        if not own.is_file():
            raise OrganiserError(f"{own}: no such file; `{PROGRAM} init` creates a competition folder")
        content = _load(own, sources.root)
    defects: Defects = []
    own_tasks = {name: entry for name, entry in content["bundles"].items() if "kept" not in entry}
    resolved = list(resolve({**content, "bundles": own_tasks}, series, sources, defects))
    resolved = list(_left_out(resolved, leave_out, defects))
    resolved = [_with_tracks(each, resolved) for each in joined(content, resolved, defects)]
    challenges = {each.joint.name: each.joint for each in resolved if each.joint}
    names = {
        bundle for name in names for bundle in (challenges[name].bundles if name in challenges else [name])
    }
    defects += rules.of_all(resolved)
    competitions = [competition for competition in resolved if not names or competition.name in names]
    for competition in competitions:
        defects += rules.of_one(competition)
    expected = f"expected one of {', '.join([*content['bundles'], *challenges])}"
    unknown = sorted(set(names) - set(content["bundles"]))
    defects += [(("bundles",), f"no bundle {name}; {expected}") for name in unknown]
    if defects:
        raise located_yaml.refusal(own, defects)
    return competitions


def _with_tracks(competition: Competition, others: Collection[Competition]) -> Competition:
    """Return a competition with the submissions to the other bundles of its task, which have the same labels."""
    elsewhere: Counter[str] = Counter()
    for each in others:
        for phase in each.phases if each.task == competition.task and each.name != competition.name else ():
            elsewhere[reference_zip(phase.reference)] += phase.max_submissions
    return replace(competition, elsewhere=elsewhere)


def kept_bundles(sources: Sources, names: Collection[str] = ()) -> dict[str, Path]:
    """Return the folders of bundles that others built, by the names of the bundles; see `read_competitions`."""
    if sources.is_sample:
        return {}
    content = _load(sources.folder / "competition.yaml", sources.root)
    kept = {name: entry["kept"] for name, entry in content["bundles"].items() if "kept" in entry}
    return {name: sources.folder / kept[name] for name in kept if name in names or not names}


def _require_merged(folder: Path) -> None:
    """Refuse files with the markers that git leaves where two people changed the same lines."""
    files = {"competition.yaml": folder / "competition.yaml"}
    for part in _PARTS:
        files.update({f"{part}/{name}": path for name, path in tree_files(folder / part).items()})
    found = []
    for name, path in files.items():
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            content = path.read_bytes()
            if begin := _CONFLICT.search(content):
                line = content.count(b"\n", 0, begin.start()) + 1
                found.append(f"  {name}, line {line}")
    if found:
        raise OrganiserError(
            f"{folder}: {count_of(len(found), 'file has', 'files have')} an unfinished merge of git\n\n"
            + "\n".join(found)
            + "\n\nFrom <<<<<<< to ======= are your lines, from there to >>>>>>> the other organiser's. Keep the right "
            "ones, and delete these three markers"
        )


def _load(path: Path, root: Path) -> Any:
    """Return a file's content, validated against the schema."""
    content, _, defects = located_yaml.load(path)
    unfilled = dict(_unfilled(content, ()))
    defects += [
        (place, f"still {FILL_IN}; write in its place: {value[len(FILL_IN) :].strip(' :(),')}")
        for place, value in unfilled.items()
    ]
    violations = schema.violations(content, schema.read_schema(root))
    defects += [(place, what) for place, what in violations if place not in unfilled]
    if defects:
        raise located_yaml.refusal(path, defects)
    return content


def _unfilled(content: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield the values that the organiser still has to fill in, with their places."""
    if isinstance(content, str) and content.startswith(FILL_IN):
        yield place, content
    elif isinstance(content, (dict, list)):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _unfilled(value, (*place, key))


def _left_out(
    competitions: list[Competition], names: Collection[str], defects: Defects
) -> Iterator[Competition]:
    """Yield the competitions, each without its sets and files that are left out."""
    known = sorted({name for competition in competitions for name in can_do_without(competition)})
    for name in sorted({*names} - {*known}):
        raise OrganiserError(f"--leave-out {name}: {suggestion(name, known)}")
    for competition in competitions:
        place = competition.origin.get("leave_out", ("bundles", competition.name))
        for name in sorted({*competition["leave_out"]} - {*known}):
            defects.append((place, f"leave_out: {name}; {suggestion(name, known)}"))
        # No task in an organiser's own Python has a baseline but that in their folder.
        own = competition.sources.find(f"starting_kit/{competition.task}/baseline.py")
        absent = (BASELINE,) if competition.definition.code and not own.is_file() else ()
        rest = do_without(competition, (*names, *absent))
        if not rest.phases:
            defects.append((place, f"leave_out: this leaves {competition.name} without a phase"))
        yield rest
