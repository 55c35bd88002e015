"""Files that are too large for a starting kit: the kit's list of them, for its `get_data.py`, and the pages' list."""

import json
from collections.abc import Callable, Mapping

from speechbundles.competition import located_yaml
from speechbundles.model.bounded import sha256
from speechbundles.model.competition import Competition
from speechbundles.model.text import size_of

SETTING = "data_url"
LIST = "downloads.json"
PROGRAM = "get_data.py"
_LARGEST = 1 << 50


def download_files(competition: Competition, log: Callable[[str], None]) -> dict[str, bytes]:
    """Return the files of the kit that download the declared ones, `name -> content`; empty if none is declared.

    Parameters
    ----------
    log: called with a line for each local file: its size and SHA-256.

    Raises
    ------
    OrganiserError: a local file that cannot be read or is another one, or an entry without size or SHA-256.
    """
    files, defects = {}, []
    folder = competition.sources.folder
    for name, declared in competition[SETTING].items():
        facts = {key: declared[key] for key in ("size", "sha256") if key in declared}
        place = (*competition.origin[SETTING], name)
        if "file" in declared:
            path = folder / declared["file"]
            try:
                found = {"size": path.stat().st_size, "sha256": sha256(path, _LARGEST)}
            except OSError as error:
                defects.append((place, f"{path}: {error.strerror}"))
                continue
            said = ", ".join(f"{key}: {value}" for key, value in found.items())
            log(f"{SETTING}: {name}: {said}")
            if facts != {key: found[key] for key in facts}:
                defects.append((place, f"{path} is another file: it has {said}"))
            facts = found
        if len(facts) < 2:
            what = "no size and sha256; write both, or `file: PATH` with the file on your computer"
            defects.append((place, what))
        files[name] = {"url": declared["url"], **facts}
    if defects:
        raise located_yaml.refusal(folder / "competition.yaml", defects)
    if not files:
        return {}
    program = competition.sources.root / "starting_kit" / PROGRAM
    return {LIST: (json.dumps(files, indent=2) + "\n").encode(), PROGRAM: program.read_bytes()}


def downloads_list(kit: Mapping[str, bytes]) -> str:
    """Return the list of a kit's downloads in Markdown; empty if there are none."""
    if LIST not in kit:
        return ""
    items = [
        f"- `data/{name}`, {size_of(entry['size'])}: <{entry['url']}>, SHA-256 `{entry['sha256']}`"
        for name, entry in json.loads(kit[LIST]).items()
    ]
    what = f"`python3 {PROGRAM}` in the starting kit downloads these files, continues a download that was cut, and "
    return "\n".join([what + "checks each SHA-256:", "", *items])
