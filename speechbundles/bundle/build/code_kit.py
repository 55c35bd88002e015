"""The kit's part for programs: the baseline as a program, and `try_code.py`, which runs a program as at home."""

import json
import re
from collections.abc import Mapping
from pathlib import PurePath

from speechbundles.bundle.build.template import fill, markdown_table
from speechbundles.bundle.rehearse import DEVICES, SYSTEM, WALLS
from speechbundles.model.competition import Competition
from speechbundles.model.statuses import CODES
from speechbundles.model.zips import read_tree
from spokeneval.formats.submission_zip import MAX_BYTES

CODE_FOLDER = "code/"
"""The kit's folder with the baseline as a program."""

AUDIO = "listen.py"
"""A task's file in `starting_kit`: its audio baseline as a program, which is `main.py` in the kit's folder `listen`."""

_AUDIO_FOLDER = "listen/"

LIMITS_FILE = "limits.json"
_STEPS = "code_steps.md"
_NOT_OF_A_PROGRAM = re.compile(r"(?:score|ingest|try_\w+|get_data|walkthrough)\.py|.*\.ipynb")


def code_kit(competition: Competition, kit: Mapping[str, bytes], audio: bytes | None) -> dict[str, bytes]:
    """Return further files of a kit: `try_code.py`, its limits, adapters, and the baselines as programs.

    The baseline is the kit's own `baseline.py` with the item lists, public labels and data that it reads.

    Parameters
    ----------
    audio: the audio baseline's `main.py`; it comes with the modules that it imports. None: there is none.
    """
    files = read_tree(competition.sources.root / "starting_kit" / "code")
    shared = {name: files.pop(name) for name in list(files) if name.startswith(_AUDIO_FOLDER)}
    if audio:
        files |= {f"{_AUDIO_FOLDER}main.py": audio, **imported(audio, shared)}
    main = files.pop(f"{CODE_FOLDER}main.py")
    sets = tuple(f"{name}/" for name in competition.sets)
    if "baseline.py" in kit:
        parts = {
            name: content
            for name, content in kit.items()
            if name.startswith((*sets, "data/", "spokeneval/", "task.json"))
            or (name.endswith(".py") and "/" not in name and not _NOT_OF_A_PROGRAM.fullmatch(name))
        }
        files |= {f"{CODE_FOLDER}kit/{name}": content for name, content in parts.items()}
        files[f"{CODE_FOLDER}main.py"] = main
    facts = {
        **competition.run_limits,
        "environment": competition["environment"],
        "walls": [*WALLS, *DEVICES],
        "system": SYSTEM,
    }
    files[LIMITS_FILE] = (json.dumps(facts, indent=2) + "\n").encode()
    return files


def imported(script: bytes, shared: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the shared modules that scripts import, and those that these import.

    `NAME_*.py` are examples for `NAME.py` and come with it.
    """
    found = dict[str, bytes]()
    for name, content in shared.items():
        module = PurePath(name).stem.partition("_")[0]
        if name not in found and f"\nfrom {module} import ".encode() in script:
            found |= {name: content, **imported(content, shared)}
    return found


def code_facts(competition: Competition) -> dict[str, str]:
    """Return the facts of the page on programs: the limits, and the codes with which a run can end."""
    limits = competition.run_limits
    packages = {
        "image": f"those of the organisers' environment (image `{competition['docker_image']}`); no `requirements.txt`",
        "own": "also wheels in `requirements.txt`, one `NAME==VERSION --hash=sha256:DIGEST` in each line; weights in "
        "`weights.txt`, one `NAME sha256:DIGEST BYTES https://ADDRESS` in each line, read as `weights/NAME`",
    }
    rows = {
        "time of a run": f"{limits['seconds']:,} s",
        "memory": f"{limits['memory_mb']:,} MB",
        "size of all files that a run writes": f"{limits['disk_mb']:,} MB, which is kept in memory",
        "size of the unpacked zip": f"{MAX_BYTES >> 20} MB",
        "machine hours of a participant": limits.get("team_hours", "no limit"),
        "GPUs": "all GPUs of the machine" if limits["gpu"] else "none",
        "shown of a run's speed": "the time in quarters of the limit"
        + limits["real_time_factor"] * ", and the real-time factor in steps of a factor of two",
        "packages": packages[competition["environment"]],
    }
    codes = markdown_table(("code", "meaning"), [(f"`{code}`", meaning) for code, meaning in CODES.items()])
    return {
        "program": "\n".join(
            ["| limit | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
        ),
        "program_codes": "\n".join(codes),
    }


def code_steps(competition: Competition, *, audio: bool) -> str:
    """Return the section of a kit's README on programs; `audio`: the kit has an audio baseline."""
    facts = {"first_set": next(iter(competition["public_sets"]), "development")}
    return fill(competition.page_path(_STEPS).read_bytes(), f"pages/{_STEPS}", facts, {"audio": audio})
