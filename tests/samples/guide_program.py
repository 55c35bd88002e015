"""The programs of the guides in docs/, as their tests run them: `python -m tests.samples.guide_program PROGRAM ...`.

`speech-bundles` runs; a folder that `init` wrote is then filled in. Commands that need a server, containers or a
cluster are parsed and not run; after `publish` of a challenge, its settings have the addresses that it would print.
`run` gets the address of the stand-in server from the variable GUIDE_SERVER, and the time there from GUIDE_TIME.
`pip`, `make` and `jupyter` are not run either; their extras, targets and files must exist.
"""

import os
import re
import sys
from datetime import datetime
from importlib import import_module
from pathlib import Path

import build_bundle
from speechbundles.cli.program import OF_CHALLENGES
from speechbundles.model import dates
from spokeneval.version import __version__
from tests.samples.own_competition import fill_in
from tests.samples.programs import ROOT

ELSEWHERE = {"publish", "fetch", "watch", "amend", "--scheduler", "docker"}
"""Words of commands that need a server, a cluster or containers."""


def main(program: str, *arguments: str) -> int:
    if program == "speech-bundles":
        return speech_bundles(*arguments)
    if program == "make":
        assert all(f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8") for target in arguments)
    elif program == "jupyter":
        assert Path(arguments[-1]).is_file()
    elif arguments[0] == "wheel":
        folder = Path(arguments[arguments.index("--wheel-dir") + 1])
        folder.mkdir()
        (folder / f"spokeneval-{__version__}-py3-none-any.whl").write_bytes(b"a wheel")
    else:
        command, requirement = arguments
        extra = re.fullmatch(r"\.\[(\w+)\]", requirement)
        declared = f"\n{extra[1]} = [" if extra else f'"{requirement}"'
        assert command == "install"
        assert declared in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return 0


def speech_bundles(*arguments: str) -> int:
    from speechbundles.cli.challenge import (
        for_each_bundle,
    )  # not for the programs of a kit, which has its own library

    command, *rest = arguments
    if ELSEWHERE & {*arguments} or (command == "board" and rest[0][0] != "-" and "--season" not in rest):
        of_bundles = for_each_bundle(command, rest) if command in OF_CHALLENGES else {}
        for _, *words in of_bundles.values() or [arguments]:
            import_module(f"speechbundles.cli.{command}").command.make_context(command, words)
        if command == "publish" and of_bundles:
            settings = Path("competition.yaml")
            url = 'url: "https://www.codabench.org/competitions/1/", title: "'
            settings.write_text(
                settings.read_text(encoding="utf-8").replace('title: "', url), encoding="utf-8"
            )
        return 0
    if command == "run":
        dates.now = lambda: datetime.fromisoformat(os.environ["GUIDE_TIME"])
        arguments += ("--server", os.environ["GUIDE_SERVER"]) if "--token-file" in rest else ()
    status = build_bundle.main(arguments)
    if command == "init":
        settings = Path(rest[0], "competition.yaml")
        settings.write_text(fill_in(settings.read_text(encoding="utf-8")), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
