"""Tasks that an organiser writes in Python: `tasks/NAME.py` in the competition folder, with a `TASK`.

The file is code of the organiser, and is imported into the organiser's own process, from their own folder only: code in
a bundle, in a submission or in an output is never imported. In a bundle it is the module `spokeneval.challenges.NAME`,
so it has this name here too.
"""

import ast
import inspect
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from speechbundles.model.bounded import digest_of, read_file
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import OWN_TASKS
from spokeneval.formats.problems import quote
from spokeneval.task import Task

PACKAGE = "spokeneval.challenges"

AVAILABLE = ("spokeneval", "numpy", "the standard library")
"""What the platforms and the participants have."""

LARGEST_MODULE = 1 << 20

_DIGITS = 12

_TEMPLATES = Path(__file__).parent / "templates"


def load_own_task(path: Path) -> Task:
    """Return the `TASK` of an organiser's own file, with the digest of the file as its `code`.

    Raises
    ------
    OrganiserError: a file that is not Python, imports what a platform does not have, fails when it is imported, or has
        no `TASK` of its own name; with the line, where there is one.
    """
    where = f"{OWN_TASKS}/{path.name}"
    try:
        source = read_file(path, LARGEST_MODULE)
        tree = ast.parse(source)
    except OSError as error:
        raise OrganiserError(f"{where}: {error.strerror}") from None
    except SyntaxError as error:
        raise OrganiserError(f"{where} line {error.lineno}: not valid Python: {error.msg}") from None
    except ValueError as error:
        raise OrganiserError(f"{where}: not valid Python: {error}") from None
    known = {*sys.stdlib_module_names, "numpy", "spokeneval"}
    unavailable = sorted({place for place in imported_packages(tree) if place[1] not in known})
    wrong = [f"line {line}: imports {name}" for line, name in unavailable]
    if wrong:
        *most, last = AVAILABLE
        raise OrganiserError(
            f"{where} {', '.join(wrong)}; a task can import only {', '.join(most)} and {last}, because the platform "
            "and the participants have nothing else"
        )
    task = getattr(_import(path, where, source), "TASK", None)
    if not isinstance(task, Task):
        found = "no TASK" if task is None else f"TASK is of type {type(task).__name__}"
        raise OrganiserError(
            f"{where}: {found}; expected TASK = Task(name={path.stem!r}, ...), from spokeneval.task"
        )
    if task.name != path.stem:
        raise OrganiserError(
            f"{where}: the name of TASK is {quote(task.name)}; expected {path.stem!r}, as the file"
        )
    return replace(task, code=digest_of(source)[:_DIGITS])


def imported_packages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each package that a module imports, except by a relative import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, str(node.module).partition(".")[0]


def _import(path: Path, where: str, source: bytes) -> ModuleType:
    """Return the module; nothing is cached, so that a changed file is always read anew."""
    module = ModuleType(f"{PACKAGE}.{path.stem}")
    module.__file__, module.__package__ = str(path), PACKAGE
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    try:
        exec(compile(source, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
        ]
        what = " ".join(f"{type(error).__name__}: {error}{_meanings(str(error))}".split())
        raise OrganiserError(f"{where} line {lines[-1] if lines else 1}: {what}") from None
    finally:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before
    return module


def _meanings(message: str) -> str:
    """Return what the arguments mean that `Task()` lacks, from its documentation; empty for other errors."""
    if not message.startswith("Task.__init__() missing"):
        return ""
    documented = inspect.cleandoc(Task.__doc__ or "")
    meanings = (
        re.search(rf"^{name}\n((?:    .*\n)+)", documented, re.MULTILINE)
        for name in re.findall("'(.*?)'", message)
    )
    return "".join(f". {found[1]}" for found in meanings if found)


def program_texts(task: Task) -> dict[str, str]:
    """Return the two programs of a task that is a module of `spokeneval.challenges`, `score.py` and `ingest.py`."""
    functions = (getattr(score.formula, "func", score.formula) for score in task.scores)  # of a partial one
    formulas = dict.fromkeys(str(getattr(each, "__module__", "")) for each in functions)
    others = [f"{name.replace('.', '/')}.py" for name in formulas if name.startswith("spokeneval.metrics.")]
    facts = {
        "name": task.name,
        "title": _quotable(task.title),
        "primary": _quotable(task.primary.title),
        "direction": task.primary.direction,
        "reference": " and ".join(task.format.reference_files),
        "submission": task.format.submission_file or "one file for each item",
        "formulas": f";\n{' and '.join(others)} has the formulas and their sources" if others else "",
        "more": "\nfrom dataclasses import replace" if task.code else "",
        "signed": f'\nTASK = replace(TASK, code="{task.code}")\n' if task.code else "",
    }
    templates = {name: _TEMPLATES / f"{name}.txt" for name in ("score.py", "ingest.py")}
    return {name: path.read_text(encoding="utf-8").format(**facts) for name, path in templates.items()}


def _quotable(text: str) -> str:
    """Return a text for a docstring."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")
