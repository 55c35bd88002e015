"""Writes the GitHub workflows of a competition folder, which pin the software that they install by hash."""

import re
from pathlib import Path

from speechbundles.model.bounded import digest_of, read_file
from speechbundles.model.errors import OrganiserError

LARGEST_WHEEL = 50_000_000
"""The most bytes of a wheel."""

_WHEEL_NAME = re.compile(r"spokeneval-[\w.!+]+-py3-none-any\.whl")
_ADDRESS = re.compile(
    rf"(?P<address>https://[^\s#]+/{_WHEEL_NAME.pattern})#sha256=(?P<digest>[0-9a-f]{{64}})"
)


def workflow_files(root: Path, software: str) -> dict[str, bytes]:
    """Return the workflows and the files that they install from, `relative name -> content`.

    Parameters
    ----------
    root: the repository, whose `requirements/research.lock` and the file that it includes pin all other packages.
    software: a wheel of this project: a file, which is copied into the folder, or an address with its hash.

    Raises
    ------
    OrganiserError: neither a file nor an address of such a wheel.
    OSError: a wheel that cannot be read.
    """
    templates = Path(__file__).parent / "templates"
    files = {
        ".github/workflows/competition.yml": (templates / "workflow.yml").read_bytes(),
        ".github/workflows/board.yml": (templates / "board_workflow.yml").read_bytes(),
    }
    if "://" in software:
        found = _ADDRESS.fullmatch(software)
        if found is None:
            raise OrganiserError(
                f"--software {software}: expected https://…/spokeneval-VERSION-py3-none-any.whl#sha256=HASH; "
                "the hash ensures that every run installs the same file"
            )
        pinned, digest = f"spokeneval @ {found['address']}", found["digest"]
    else:
        wheel = Path(software)
        if not _WHEEL_NAME.fullmatch(wheel.name):
            raise OrganiserError(
                f"--software {software}: expected a file named spokeneval-VERSION-py3-none-any.whl"
            )
        content = read_file(wheel, LARGEST_WHEEL)
        files[f"software/{wheel.name}"] = content
        pinned, digest = f"./software/{wheel.name}", digest_of(content)
    commands, research = (
        (root / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
        for name in ("organiser", "research")
    )
    lock = commands + research.replace("-r organiser.lock\n", "")
    files["software/requirements.txt"] = f"{lock}{pinned} --hash=sha256:{digest}\n".encode()
    return files
