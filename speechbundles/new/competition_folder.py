"""Writes a competition folder: what an organiser must say, as lines to fill in, and a place for all data."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from speechbundles.check import MOST_SUBMISSIONS
from speechbundles.competition.read import FILL_IN, read_competitions
from speechbundles.competition.whole import needs
from speechbundles.model.competition import Competition, Phase
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import NOTE, Sources
from speechbundles.model.text import dump_yaml, suggestion
from speechbundles.model.zips import DECIDING_SET, write_tree
from speechbundles.new.workflow import workflow_files

_SETTINGS = f"""\
# Your competition. Say here what differs from the repository's competition.yaml, where every key is explained; what you
# do not say is as it is there, but for the data. The build refuses every line that still says {FILL_IN}.
# Dates are UTC. A phase that you do not want goes; so does all that you list under `leave_out`:
#   leave_out: [development, baseline]

"""

_PAGES = """\
Pages of your own, named and placed as in the repository's pages/, which hold where there is none here; and logo.png.
"""

_IGNORED = """\
board/
dist/
scored/
season/
try/
"""


def write_folder(root: Path, folder: Path, names: Sequence[str], *, software: str = "") -> dict[str, str]:
    """Write a competition folder for bundles, or for all bundles of tasks, of the repository's series.

    Parameters
    ----------
    root: the repository.
    folder: a new one, outside of it.
    names: of bundles or tasks.
    software: what a GitHub workflow installs (see `workflow_files`); empty: the folder gets no workflow.

    Returns
    -------
    What belongs into it, `relative name -> what it is`.

    Raises
    ------
    OrganiserError: a name that there is not, or a folder that cannot be taken. Nothing is written then.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OrganiserError(f"{folder} is there already; name a new folder")
    if folder.resolve().is_relative_to(root.resolve()):
        raise OrganiserError(
            f"{folder} is in the clone; name a folder outside of it, so that your data stay out"
        )
    series = read_competitions(Sources(root))
    known = list(dict.fromkeys(name for bundle in series for name in (bundle.task, bundle.name)))
    for name in names:
        if name not in known:
            hint = suggestion(name, known, f"there are {', '.join(known)}")
            raise OrganiserError(f"no task or bundle {name}; {hint}")
    chosen = [competition for competition in series if {competition.name, competition.task} & set(names)]
    places = {need.path: need.what for competition in chosen for need in needs(competition)}
    notes: dict[str, str] = {}
    for place, what in places.items():
        owner, _, file = place.rpartition("/")
        notes[f"{owner}/{NOTE}"] = notes.get(f"{owner}/{NOTE}", "") + (
            f"{file}: {what}\n" if file else f"{what}\n"
        )
    files = {
        "competition.yaml": _SETTINGS.encode() + dump_yaml(_settings(chosen)),
        f"pages/{NOTE}": _PAGES.encode(),
        ".gitignore": _IGNORED.encode(),
        **(workflow_files(root, software) if software else {}),
    }
    write_tree(folder, {**files, **{name: text.encode() for name, text in notes.items()}})
    return {"competition.yaml": f"every line that says {FILL_IN}", **places}


def _settings(competitions: Sequence[Competition]) -> dict[str, Any]:
    return {
        "defaults": {
            "organiser": f"{FILL_IN}: who runs it",
            "contact_email": f"{FILL_IN}: where participants may write to",
            "data_licence": f"{FILL_IN}: what participants may do with your data, such as CC BY 4.0",
        },
        "challenges": {
            competition.challenge: {"phases": [_phase(phase) for phase in competition.phases]}
            for competition in competitions
        },
        "bundles": {competition.name: {"title": f"{FILL_IN}: the title"} for competition in competitions},
    }


def _phase(phase: Phase) -> dict[str, Any]:
    """A phase whose dates and limits are to be filled in; a number's line without quotes."""
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
    """What was written and what comes next, for a terminal."""
    return "\n".join(
        [
            f"Written: {folder}. Put in what is yours:",
            *(
                "\n" + "\n".join([*(f"  {place}" for place in alike), f"      {what}"])
                for what, alike in groupby(places, key=lambda place: places[place])
            ),
            "",
            f"Then: python build_bundle.py build --competition {folder}",
        ]
    )
