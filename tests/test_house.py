"""The house's order, read from its files: who imports whom, what is known where, and what pages are made of."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from spokeneval.challenges import task_names
from spokeneval.kinds.declared import KINDS
from tests.samples.programs import ROOT, VENDORED


@cache
def imported(path: Path, *, at_start: bool = False) -> list[str]:
    """The dotted name of everything that a module imports; of `from a import b`, `a.b`.

    `at_start`: only what it imports when it is imported itself. Imports for type checkers alone do not count. Cached,
    because each module is read by several tests.
    """
    package = path.relative_to(ROOT).parent.parts
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = []
    for node in tree.body if at_start else without_types(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = [*above, *([node.module] if node.module else [])]
            names += [".".join([*source, alias.name]) for alias in node.names]
    return names


def sources(place: str) -> list[Path]:
    """A file, or every module in a folder; templates of modules are none."""
    path = ROOT / place
    modules = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [module for module in modules if "templates" not in module.parts]


def is_within(name: str, packages: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def without_types(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield node
            yield from without_types(node)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# Arrows

GONE = {
    *("asynchat", "asyncore", "binhex", "cgi", "cgitb", "crypt", "distutils", "imp", "nntplib", "smtpd"),
    "telnetlib",
}
"""Modules of Python 3.9 that newer ones lack."""


def test_what_travels_needs_numpy_alone():
    allowed = {"numpy", "spokeneval"} | (sys.stdlib_module_names - GONE)
    outside = {(named(path), name.split(".")[0]) for path in VENDORED for name in imported(path)}
    drawn = ("spokeneval/report/plots.py", "matplotlib")  # where matplotlib is installed
    assert {(path, name) for path, name in outside if name not in allowed} <= {drawn}
    at_start = {name for path in VENDORED for name in imported(path, at_start=True)}
    assert not any(name.startswith("matplotlib") for name in at_start)


def arrows() -> dict[str, set[str]]:
    """What each package may import besides itself, from the table in the documentation."""
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+)` \| .* \|(.*)\|$", page, flags=re.MULTILINE)
    named = {place: re.findall(r"`([^`]+)`", cell) for place, cell in rows}
    named["speechbundles/cli"] = [place.partition("/")[2] for place in named]
    return {place: {f"{place.split('/')[0]}/{other}" for other in others} for place, others in named.items()}


ARROWS = arrows()
OUTSIDE = {
    "scoring_program": ("spokeneval.challenges", "spokeneval.kinds", "spokeneval.programs"),
    "ingestion_program": ("spokeneval.challenges", "spokeneval.kinds", "spokeneval.programs"),
    "build_bundle.py": ("speechbundles.cli",),
    "spokeneval": ("spokeneval",),
    "speechbundles": ("speechbundles", "spokeneval"),
}
"""What the places outside the table may import of the house, and each package as a whole."""


def place_of(name: str) -> tuple[str, list[str]]:
    """The row of the table that a dotted name is in, the innermost one, and the rest of the name."""
    parts = name.split(".")
    for length in (3, 2):
        place = "/".join(parts[:length])
        if place in ARROWS:
            return place, parts[length:]
    module = f"{'/'.join(parts[:2])}.py"
    return (module, []) if (ROOT / module).is_file() else (parts[0], [])


@cache
def face(package: str) -> set[str]:
    """The names that a package lists for others: in `__all__`, or as `from module import name as name`."""
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    names = [
        alias for node in without_types(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    listed = getattr(import_module(package.replace("/", ".")), "__all__", ())
    return {*listed, *(alias.name for alias in names if alias.asname == alias.name)}


def test_every_package_is_in_the_table():
    packages = [
        path.parent
        for house in ("spokeneval", "speechbundles")
        for path in (ROOT / house).glob("*/__init__.py")
    ]
    lacking = {
        named(path)
        for path in packages
        if not any(f"{place}/".startswith(f"{named(path)}/") for place in ARROWS)
    }
    assert lacking == set()


@pytest.mark.parametrize("place", ARROWS)
def test_a_package_imports_what_the_table_lists(place):
    """Lazy imports count. Of a package with a list of names, the others use these names alone."""
    wrong = set()
    for path in sources(place):
        if place_of(".".join(path.relative_to(ROOT).with_suffix("").parts))[0] != place:
            continue
        for name in imported(path):
            other, inner = place_of(name)
            if other.split("/")[0] not in ("spokeneval", "speechbundles") or other == place:
                continue
            if place.startswith("speechbundles/") and other.startswith("spokeneval"):
                allowed = other != "spokeneval/metrics" or place == "speechbundles/annotation"
            else:
                allowed = other in ARROWS[place] and (not inner or set(inner) <= (face(other) or {*inner}))
            if not allowed:
                wrong.add((named(path), name))
    assert wrong == set()


@pytest.mark.parametrize("package", ["spokeneval", "speechbundles"])
def test_no_import_runs_in_a_circle(package):
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sources(package)}
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    waiting = {
        module: {name if name in modules else name.rpartition(".")[0] for name in imported(path)} - {module}
        for module, path in modules.items()
    }
    while free := [module for module, needed in waiting.items() if not needed & waiting.keys()]:
        for module in free:
            del waiting[module]
    assert waiting == {}


HOUSE = (
    "spokeneval",
    "speechbundles",
    "build_bundle",
    "sample_data",
    "benchmarks",
    "tests",
)


@pytest.mark.parametrize("place", OUTSIDE)
def test_a_place_imports_of_the_house_what_it_may(place):
    paths = sources(place)
    assert paths
    found = {(named(path), name) for path in paths for name in imported(path) if is_within(name, HOUSE)}
    assert {(path, name) for path, name in found if not is_within(name, OUTSIDE[place])} == set()


AT_HOME = tuple(f"spokeneval.{name}" for name in ("ranking", "description", "difference", "export", "result"))
"""What only users of the whole library need."""


def test_what_travels_neither_compares_systems_nor_exports_results():
    names = (
        "__init__.py",
        "__main__.py",
        "arguments.py",
        "commands.py",
        "description.py",
        "difference.py",
        "export.py",
        "result.py",
    )
    whole = [ROOT / "spokeneval" / name for name in names]
    paths = [path for path in VENDORED if path.parent.name != "ranking" and path not in whole]
    found = {(named(path), name) for path in paths for name in imported(path)}
    assert {(path, name) for path, name in found if is_within(name, AT_HOME)} == set()


def test_a_program_starts_without_its_page():
    paths = [path for path in VENDORED if not {"report", "sections"} & {*path.parts}]
    found = {(named(path), name) for path in paths for name in imported(path, at_start=True)}
    assert {(path, name) for path, name in found if is_within(name, ("spokeneval.report",))} == set()


def test_of_the_tests_only_the_samples_and_tools_are_imported():
    paths = [*sources("tests"), *sources("benchmarks"), *sources("sample_data")]
    assert len(paths) > 40
    found = {(named(path), name) for path in paths for name in imported(path)}
    ours = {(path, name) for path, name in found if is_within(name, ("tests",))}
    shared = ("tests.samples", "tests.tools")
    assert {(path, name) for path, name in ours if not is_within(name, shared)} == set()


# One source for each fact


@pytest.mark.parametrize("place", ["spokeneval", "speechbundles", "build_bundle.py"])
def test_a_tasks_name_stands_in_what_is_named_for_the_task_alone(place):
    """In code; docstrings may take a task for an example."""
    found = set()
    for path in sources(place):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value = ast.Constant(None)
        if named(path) == "speechbundles/competition/intake/layouts.py":
            continue  # a table of the notations that organisers of the challenges use
        others = [task for task in task_names() if task not in (path.stem, *path.parts)]
        code = ast.unparse(tree)
        found |= {(named(path), task) for task in others if re.search(rf"\b{task}\b", code)}
    assert found == set()


NAMING_PLATFORMS = {
    "spokeneval/programs/score.py",  # travels: why the page has a folder of its own
    "spokeneval/scoring/options.py",  # travels: how a step is written
    "spokeneval/scoring/output.py",  # travels: which file is for which platform
    "speechbundles/bundle/check/practice.py",  # the source of the limits is a program with such a name
    "speechbundles/model/environment.py",  # the variable with the token of an account
    "speechbundles/server/api.py",  # the client that the commands of a live season use
}


def test_a_platforms_name_is_in_its_folder_and_in_commands_alone():
    """In texts, docstrings and comments too."""
    outside = [
        path
        for place in ("spokeneval", "speechbundles")
        for path in sources(place)
        if not named(path).startswith(("speechbundles/platforms/", "speechbundles/cli/"))
    ]
    names = re.compile("codabench|codalab|evalai", re.IGNORECASE)
    assert {named(path) for path in outside if names.search(path.read_text("utf-8"))} == NAMING_PLATFORMS


NAMING_KINDS = {
    "spokeneval/kinds/declared.py": {*KINDS},  # the list of kinds
    "spokeneval/arguments.py": {"identification", "meetings"},  # the short names: the help imports no kind
    "spokeneval/kinds/several.py": {"decisions", "scores"},  # the kinds of its questions
    "spokeneval/kinds/sections/identification.py": {"decisions"},  # its table of confusions
    "spokeneval/kinds/sections/meetings.py": {"turns"},  # its note on time outside of regions
    "spokeneval/kinds/sections/ratings.py": {"scores"},  # its plot of differences
    "spokeneval/__init__.py": {"transcripts"},  # the example of a declaration in a refusal
    "speechbundles/bundle/build/declared_facts.py": {"ratings"},  # how many raters are listed
}

CALLED_KIND = re.compile(r"""\bkind['"]? *(?:(?::|[!=]=) *|(?:not )?in *[\[({][^\n\])}]*)['"](\w+)['"]""")
RARE = re.compile("""['"](identification|meetings)['"]""")  # the names of the other kinds are ordinary words
IMPORTED_KIND = re.compile(r"^spokeneval\.kinds\.(?:sections\.)?(\w+)\.")
TASKS_OF_KINDS = (
    *("spokeneval/challenges/", "speechbundles/new/templates/examples/"),
    "speechbundles/annotation/reference.py",
    "speechbundles/annotation/study.py",
)
"""The challenges, templates of others, and the tasks that `merge` and `listening` propose: a new kind needs none."""


def test_a_kinds_name_is_in_its_own_files_and_in_three_others_at_most():
    """As an import, or as what a kind is or is not."""
    places = [*sources("spokeneval"), *sources("speechbundles"), *(ROOT / "pages/kinds").rglob("*.md")]
    found: dict[str, set[str]] = {}
    for path in [path for path in places if not named(path).startswith(TASKS_OF_KINDS)]:
        text, names = path.read_text(encoding="utf-8"), imported(path) if path.suffix == ".py" else []
        said = {*CALLED_KIND.findall(text), *RARE.findall(text)}
        said |= {kind for name in names for kind in IMPORTED_KIND.findall(name)}
        said -= {"scores"} if path.name == "result.py" else set()  # a kind of plot
        if kinds := said & KINDS.keys() - {path.stem, *path.parts}:
            found[named(path)] = kinds
    assert found == NAMING_KINDS
    assert max(sum(kind in kinds for kinds in found.values()) for kind in KINDS) <= 3


def test_the_tree_of_errors_shows_every_error():
    tree = ast.parse((ROOT / "speechbundles/model/errors.py").read_text(encoding="utf-8"))
    shown = re.findall(r"^    \W*(\w+)", ast.get_docstring(tree) or "", flags=re.MULTILINE)
    assert shown == [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


# Names


def rooms() -> list[Path]:
    return [*sources("spokeneval"), *sources("speechbundles")]


def test_a_class_has_a_name_of_its_own():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in rooms())
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_a_file_has_a_name_that_few_folders_have():
    """The folders of platforms are one, because each has the modules of the same jobs."""
    folders = {(path.name, re.sub(r"(?<=platforms/)\w+", "", named(path.parent))) for path in rooms()}
    names = Counter(name for name, _ in folders if name != "__init__.py")
    assert [name for name, count in names.items() if count > 3] == []


# Size


SIZED = ("spokeneval", "speechbundles", "scoring_program", "ingestion_program", "sample_data", "benchmarks")


@pytest.mark.parametrize("place", SIZED)
def test_functions_can_be_read_at_once(place):
    """A module has one concept, whatever its length. Complexity has its limit in pyproject.toml."""
    large = {
        f"{named(path)}: {node.name}"
        for path in sources(place)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 60
    }
    assert large == set()


def test_pytest_enters_every_folder_of_tests(request):
    passed_over = request.config.getini("norecursedirs")
    folders = {
        part for path in (ROOT / "tests").rglob("test_*.py") for part in path.relative_to(ROOT).parts[:-1]
    }
    assert [name for name in folders for pattern in passed_over if fnmatch(name, pattern)] == []


@pytest.mark.parametrize("place", ["spokeneval", "speechbundles"])
def test_tests_lie_at_the_path_of_what_they_test(place):
    """`tests/X/test_Y.py` tests `X/Y.py`, or the whole of the package `X/Y`; `tests/X/Y/` may have a part of it."""
    astray = {
        named(test)
        for test in (ROOT / "tests" / place).rglob("test_*.py")
        for folder in [ROOT / test.parent.relative_to(ROOT / "tests")]
        for tested in [folder / test.name.removeprefix("test_")]
        if not (tested.exists() or tested.with_suffix("").is_dir() or folder.with_suffix(".py").exists())
    }
    assert astray == set()


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse writes usages in another way")
@pytest.mark.parametrize("page", sorted((ROOT / "docs/reference").glob("*.md")), ids=lambda page: page.stem)
def test_the_generated_parts_of_a_page_are_those_of_the_code(monkeypatch, page):
    monkeypatch.syspath_prepend(ROOT / "docs/_ext")
    text = page.read_text(encoding="utf-8")
    assert import_module("reference").filled(text) == text, (
        "run make reference, or PYTHONPATH=. .venv/bin/python docs/_ext/reference.py"
    )
    assert "```{" not in text
