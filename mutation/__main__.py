"""Mutation testing with mutmut: change what decides a score, and see whether a test fails.

    python -m mutation [MODULE ...]

A module is mutated in a copy of the repository, one small change at a time, and its own tests (`tests.yaml`) are run
against each change. A mutant that passes them all has survived. Those that change nothing that anyone could see are
listed in `equivalents.yaml`, each with its reason; those that change only the words of a message are counted and not
told. Exit status: 0 no other survived, 1 some did, 2 the module has no tests or they fail without any change.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "mutation"

SOURCES = ("spokeneval", "bundling")

CONFIGURATION = """
[tool.mutmut]
source_paths = {sources}
also_copy = {others}
only_mutate = ["{module}"]
pytest_add_cli_args_test_selection = {tests}
# Without the examples and names of the copies that mutmut makes of each function.
pytest_add_cli_args = ["-p", "no:cacheprovider", "-k", "not __mutmut_ and not every_public_metric"]
process_isolation = "forkserver"  # what a test has cached must not come from the code as it was
use_git_change_detection = false
"""


class Mutant(NamedTuple):
    """A change: the lines of a function before and after, each without its indentation."""

    function: str
    before: str
    after: str


def main() -> int:
    tests = yaml.safe_load((HERE / "tests.yaml").read_text(encoding="utf-8"))
    equivalents = yaml.safe_load((HERE / "equivalents.yaml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__.splitlines()[0])
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="a module's path; all where none is named"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.modules) - set(tests))
    if unknown:
        print(f"{unknown[0]} has no tests in mutation/tests.yaml", file=sys.stderr)
        return 2
    listed = {Mutant(entry["in"], entry["from"], entry["to"]) for entry in equivalents}
    told: list[Mutant] = []
    print(f"{'module':<46}{'mutants':>9}{'killed':>9}{'words':>9}{'equivalent':>12}{'survived':>10}")
    for module in options.modules or tests:
        with tempfile.TemporaryDirectory() as folder:
            made, survivors = try_mutants(module, tests[module], Path(folder, "copy"))
        words = [mutant for mutant in survivors if only_words(mutant)]
        equivalent = [mutant for mutant in survivors if mutant in listed]
        others = [mutant for mutant in survivors if mutant not in (*words, *equivalent)]
        numbers = f"{made:>9}{made - len(survivors):>9}{len(words):>9}{len(equivalent):>12}{len(others):>10}"
        print(f"{module:<46}{numbers}", flush=True)
        told += others
    for mutant in told:
        print(f"\n{mutant.function}\n  - {mutant.before}\n  + {mutant.after}")
    return 1 if told else 0


def try_mutants(module: str, tests: Sequence[str], place: Path) -> tuple[int, list[Mutant]]:
    """How many mutants a module has, and those that passed all of these tests."""
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist"))
    others = sorted(path.name for path in place.iterdir() if path.name not in SOURCES)
    with open(place / "pyproject.toml", "a", encoding="utf-8") as stream:
        stream.write(CONFIGURATION.format(sources=list(SOURCES), others=others, module=module, tests=tests))
    mutmut = Path(sys.executable).with_name("mutmut")
    done = subprocess.run([mutmut, "run"], cwd=place, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        print(f"{module}: mutmut did not run\n{done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr)
        raise SystemExit(2)
    statuses = json.loads((place / "mutants" / f"{module}.meta").read_text())["exit_code_by_key"]
    survived = [name for name, status in statuses.items() if status in SURVIVED]
    command = [sys.executable, "-c", DIFFERENCES, *survived]
    told = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return len(statuses), [_changed(*pair) for pair in zip(survived, told.split("\0"), strict=False)]


DIFFERENCES = """
import sys
from mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant
for name in sys.argv[1:]:
    print(get_diff_for_mutant(name, path=find_mutant(name).path), end=chr(0))
"""
"""What `mutmut show` prints, of all of them in one process."""

SURVIVED = (0, 33)
"""What mutmut notes of a mutant that passed its tests, or that none of them runs."""


def _changed(name: str, difference: str) -> Mutant:
    """A mutant from mutmut's name, `module.x_function__mutmut_1` or `module.xǁClassǁmethod__mutmut_1`, and its diff."""
    lines = difference.splitlines()
    before, after = (
        " ".join(line[1:].strip() for line in lines if re.match(rf"\{sign}(?!{re.escape(sign * 2)})", line))
        for sign in "-+"
    )
    module, _, function = name.rpartition("__mutmut_")[0].rpartition(".")
    return Mutant(f"{module}.{function[2:].replace('ǁ', '.')}", before, after)


_SENTENCE = re.compile(r'"[^"]*\w \w[^"]*"')


def only_words(mutant: Mutant) -> bool:
    """Whether the change is in a text of several words, which is for people alone."""
    return _SENTENCE.sub("", mutant.before) == _SENTENCE.sub("", mutant.after)


if __name__ == "__main__":
    sys.exit(main())
