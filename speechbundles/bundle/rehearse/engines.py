"""Which engine runs a bundle's programs, and what a program needs that this machine lacks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from speechbundles.bundle.rehearse.bubblewrap import BubblewrapEngine, find_python
from speechbundles.bundle.rehearse.containers import ContainerEngine
from speechbundles.bundle.rehearse.engine import Engine, Program
from speechbundles.bundle.rehearse.pool_worker import PROJECT
from speechbundles.bundle.rehearse.process import ProcessEngine, own_programs
from speechbundles.bundle.rehearse.run import Run
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import say

ENGINES = ("auto", "local", "bubblewrap", "docker")

_WORD = r"([\w.+-]+)"
_PROGRAM = "{}, a program that this system lacks"
MISSING = {
    rf"ModuleNotFoundError: No module named '{_WORD}'": "{}, which neither the bundle nor this Python has",
    rf"(?:Import|OS)Error: .*?\b(lib{_WORD}).*(?:cannot open shared|not found)": "{}, a library that this system lacks",
    rf"(?::| line) \d+: (?:exec: )?{_WORD}: (?:command )?not found$": _PROGRAM,
    rf"^(?:/usr/bin/)?env: \W?{_WORD}\W?: No such file": _PROGRAM,
    rf"^{_WORD}: cannot be run: No such file": _PROGRAM,
    rf"_execute_child(?s:.*?)No such file or directory: '{_WORD}'": _PROGRAM,
}
"""What the output of a failed program shows, and what the program needs; another Python or the image may have it."""

_OTHER = "another version of a module: {}"
VERSIONS = {
    rf"(cannot import name '{_WORD}' from '{_WORD}') \(.*(?:site|dist)-packages": _OTHER,
    rf"module ('(?:numpy|scipy|pandas|sklearn){_WORD}?' has no attribute '\w+')": _OTHER,
    r"(compiled (?:using|against) (?:NumPy|API).*)": _OTHER,
    r"(load\(\) missing 1 required positional argument: 'Loader')": "PyYAML below 6: {}",
    r"(Missing parentheses in call to '(?:print|exec)')": "Python 2: {}",
}
"""The same of a program that may have caught the error itself."""

NOT_GIVEN = {
    r"(NVIDIA driver|CUDA-capable device|not compiled with CUDA)": "a GPU ({}), which no engine gives to programs",
    r"(name resolution|Name or service not known|Network is unreachable)": "the network ({}), which only the engine "
    "`local` gives to programs, with all your files",
}


@dataclass
class NoEngine:
    """Refuses the first program that is to run: a bundle or a submission that cannot be read is refused before."""

    refusal: str
    strict: bool

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        raise OrganiserError(self.refusal)


def choose_engine(
    name: str, bundle: BuiltBundle, *, variables: Mapping[str, str] | None = None, python: Path | None = None
) -> Engine:
    """Return the engine for a bundle's programs, and print the walls of bubblewrap.

    Parameters
    ----------
    name: one of `ENGINES`. `auto` is `local` if all code is this project's own, else `bubblewrap`; where that is not
        available, code of a task in Python still runs locally.
    variables: environment variables for the programs, besides the usual ones.
    python: a Python or the folder of an environment for the programs; default: this Python.

    Raises
    ------
    OrganiserError: the Python is not one. An engine that is not available here raises it when a program is to run.
    """
    whose = set(own_programs(bundle).values())
    strict = bool(whose)
    if name == "docker":
        if python is not None:
            raise OrganiserError("--python is not for --engine docker: an image has its own Python")
        try:
            return ContainerEngine(bundle.image, variables=variables, strict=strict)
        except OrganiserError as error:
            return NoEngine(str(error), strict)
    chosen = find_python(python)
    more = {} if python is None else {"PATH": chosen.path}
    local = ProcessEngine({**more, **(variables or {})}, python=chosen.program, strict=strict)
    if name == "local" or (name == "auto" and whose == {PROJECT}):
        return local
    try:
        engine = BubblewrapEngine(variables, python=chosen, strict=strict)
    except OrganiserError as error:
        if name == "auto" and whose:
            return local
        refusal = (
            f"{error}. The programs of this bundle are not this project's own. To run them without access to your "
            "files, install bubblewrap 0.8 or later (apt install bubblewrap), or use --engine docker, which runs them "
            f"in the image {bundle.image}. With --engine local, they run with your rights and without the folder /app"
        )
        return NoEngine(refusal, strict)
    say(engine.layers, error=True)
    return engine


def lacking(run: Run, failed: bool) -> str:
    """Return a line that names what a run's programs need and this machine lacks; empty if nothing is found.

    A program that ended with 0 in a run that did not fail counts only if it shows an error of `VERSIONS`. A module of
    the run or of the bundle, such as one that its sample solution has, is not missing from the machine. In a container,
    nothing is: the image is the platform's.
    """
    for step in () if isinstance(run.engine, ContainerEngine) else run.steps:
        said, ended = f"{step.stderr}\n{step.stdout}", failed or step.exit_code
        for pattern, need in {**MISSING, **VERSIONS, **NOT_GIVEN}.items() if ended else VERSIONS.items():
            for found in re.finditer(pattern, said, re.MULTILINE):
                module = found[1].partition(".")[0]
                near = (
                    path.stem for depth in range(2, 7) for path in run.root.glob("*/" * depth + f"{module}*")
                )
                names = (f"{module}.py".encode(), f"{module}/__init__.py".encode())
                in_zip = any(name in content for name in names for content in run.bundle.files.values())
                if "Module" in pattern and (in_zip or module in near):
                    continue
                advice = "use --engine docker, or --python PATH with an environment that has it"
                advice = f"; the bundle's image is {run.bundle.image}: {advice}" * (pattern not in NOT_GIVEN)
                return f"{step.name} needs {need.format(found[1])}{advice}"
    return ""
