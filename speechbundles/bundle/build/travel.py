"""Select the library modules for a bundle or kit: those that its scripts import, directly or through other modules.

Lazy imports inside functions count; imports for type checkers only do not. The `__init__.py` of each package is
included, but not the modules that it imports lazily, which only users of the whole library need. Two kinds of files are
selected by name: the sections of reports, `spokeneval/kinds/sections/KIND.py`, for the selected kinds, if reports are
made at all; and data files, if a module in their folder contains their name.
"""

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

PACKAGE = "spokeneval"
INIT = "__init__.py"


def travelling(library: Mapping[str, bytes], scripts: Iterable[bytes]) -> dict[str, bytes]:
    """Return the files of the library that scripts need.

    Parameters
    ----------
    library: all its files, `spokeneval/... -> content`.
    scripts: source of the Python programs that import it.
    """
    scripts = list(scripts)
    names = [name for script in scripts for name in _imports("", script)]
    found = _closure(library, names)
    if f"{PACKAGE}/report/results.py" in found:
        kinds = [path.replace("/kinds/", "/kinds/sections/") for path in found]
        names += [path[: -len(".py")].replace("/", ".") for path in kinds if path in library]
        found = _closure(library, names)
    data = {
        name
        for path in found
        for name in library
        if posixpath.dirname(name) == posixpath.dirname(path) and not name.endswith(".py")
        if posixpath.basename(name).encode() in library[path]
    }
    return {name: library[name] for name in sorted(found | data)}


def _closure(library: Mapping[str, bytes], names: Iterable[str]) -> set[str]:
    """Return the files of the named modules and of all modules that they import."""
    waiting, found = [*names], set[str]()
    while waiting:
        path = _module(library, waiting.pop())
        if path is None or path in found:
            continue
        found.add(path)
        waiting += _imports(path, library[path], lazily=not path.endswith(INIT))
        folder = posixpath.dirname(path)
        while folder:
            waiting.append(folder.replace("/", "."))
            folder = posixpath.dirname(folder)
    return found


def _module(library: Mapping[str, bytes], name: str) -> str | None:
    """Return the file of a module, or of the module that defines a name; None if it is not in the library."""
    while name.partition(".")[0] == PACKAGE:
        path = name.replace(".", "/")
        for file in (f"{path}.py", f"{path}/{INIT}"):
            if file in library:
                return file
        name = name.rpartition(".")[0]
    return None


@cache
def _imports(path: str, source: bytes, *, lazily: bool = True) -> tuple[str, ...]:
    """Return the absolute dotted names that a module imports. Cached, because every program and kit needs them."""
    package = posixpath.dirname(path).split("/")
    names: list[str] = []
    for node in _statements(ast.parse(source), lazily):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            names += [".".join([*base, alias.name]) for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = getattr(node.args[0], "value", None)
            if isinstance(name, str):
                names.append(".".join([*package, name[1:]]) if name.startswith(".") else name)
    return tuple(names)


def _statements(tree: ast.AST, lazily: bool) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, except `if TYPE_CHECKING` blocks and, unless `lazily`, the bodies of functions."""
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            function = isinstance(node, (ast.FunctionDef, ast.Lambda))
            types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            if not types and (lazily or not function):
                yield node
                waiting.append(node)
