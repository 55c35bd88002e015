"""What the export of results takes from an organiser's files: their facts, and a bundle's feedback."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from speechbundles.competition.read import read_competitions
from speechbundles.model.bounded import parse_settings
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import BundleError, OrganiserError
from speechbundles.model.sources import Sources, installed_root
from spokeneval.scoring.options import OPTIONS_FILE, Options
from spokeneval.task import Task


def read_publication(folder: Path) -> Mapping[str, tuple[Task, Mapping[str, Any]]]:
    """Return each task of a competition folder, with the facts for its publication: what the folder itself states.

    Raises
    ------
    OrganiserError: `competition.yaml` cannot be used.
    """
    found = {}
    for each in reversed(read_competitions(Sources(installed_root(), folder))):
        stated = {key: value for key, value in each.settings.items() if key in each.stated}
        facts = {**stated, **stated.get("about", {}), **stated.get("publication", {})}
        found[each.task] = each.definition, facts
    return found


def read_feedback(bundle: Path) -> Options:
    """Return the options of a bundle's scoring program.

    Raises
    ------
    OrganiserError: the bundle cannot be read, or its program has no options.
    """
    built = read_built_bundle(bundle)
    program = built.phases[0].scoring_program
    try:
        return Options.load(parse_settings(built.files_of(program)[OPTIONS_FILE]))
    except (KeyError, ValueError):
        raise BundleError(f"{bundle}: {program} has no {OPTIONS_FILE} of this package") from None


__all__ = ["OrganiserError", "read_feedback", "read_publication"]
