"""Checks a program's command on Codabench: its variables and paths."""

import re
import shlex

from speechbundles.bundle.check.inspection import BuiltTask, Program
from speechbundles.bundle.check.programs import SHELL, Launch
from speechbundles.model.finding import Report
from speechbundles.platforms.codabench.layout import APP, FOLDERS, METADATA_FILES, VARIABLES


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of a command, with its variables replaced."""
    if SHELL.search(command):
        report.add("command-shell", where, f"{command!r} needs a shell")
        return None
    known = VARIABLES[step]
    for variable in dict.fromkeys(re.findall(r"\$\w*", command)):
        if variable not in known:
            text = f"{variable!r} in {command!r}"
            report.add("command-variable-unknown", where, text, word=variable, known=known)
            return None
        report.add("command-variable", where, f"{variable} in {command!r}")
        command = re.sub(re.escape(variable) + r"(?!\w)", known[variable], command)
    try:
        return shlex.split(command)
    except ValueError as error:
        report.add("command-shell", where, f"{command!r}: {error}")
        return None


def _check_paths(report: Report, program: Program, step: str, task: BuiltTask) -> None:
    """Report the /app paths of a command that do not exist in the step's container."""
    for folder in re.findall(rf"{APP}/(\w+)", program.command):
        where = program.archive.where(program.metadata)
        if folder not in FOLDERS[step]:
            text = f"{APP}/{folder} does not exist during {step.partition('_')[0]}"
            report.add("command-path", where, text)
        elif folder == "input_data" and "input_data" not in task.parts:
            report.add("command-path", where, f"{APP}/input_data, but {task.name} has no input_data")


LAUNCH = Launch(METADATA_FILES, f"{APP}/program/", _words, _check_paths)
