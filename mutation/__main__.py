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

import yaml
from mutmut.mutation.file_mutation import mutate_file_contents

from .mutant import Mutant, changed_lines, only_words

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "mutation"


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
    mutants = make_mutants(module, place)
    survived = try_each(list(mutants), tests, place)
    return len(mutants), [mutants[name] for name in survived]


def make_mutants(module: str, place: Path) -> dict[str, Mutant]:
    """Put all mutants of a module into the module, where one is chosen by its name."""
    mutated = mutate_file_contents(module, (place / module).read_text(encoding="utf-8"))
    (place / module).write_text(mutated.code, encoding="utf-8")
    lines = mutated.code.splitlines()

    def read(copy: str) -> list[str]:
        span = mutated.line_span_by_function_name[copy]
        name = re.split("ǁ|^x_", copy.partition("__mutmut_")[0])[-1]
        return [
            line.strip().replace(f"def {copy}(", f"def {name}(") for line in lines[span.start - 1 : span.end]
        ]

    mutants = {}
    dotted = module.removesuffix(".py").replace("/", ".")
    for name in mutated.mutant_names:
        function = name.partition("__mutmut_")[0]
        before, after = changed_lines(read(f"{function}__mutmut_orig"), read(name))
        mutants[f"{dotted}.{name}"] = Mutant(f"{dotted}.{function[2:].replace('ǁ', '.')}", before, after)
    return mutants


def try_each(names: Sequence[str], tests: Sequence[str], place: Path) -> list[str]:
    """The mutants that passed all tests, or that none of them calls."""
    file = place / "mutants.json"
    file.write_text(json.dumps(names), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *PYTEST, "--mutants", str(file), *tests]
    done = subprocess.run(command, cwd=place, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        print(f"the tests did not run\n{done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr)
        raise SystemExit(2)
    survived: list[str] = json.loads(file.read_text(encoding="utf-8"))
    return survived


PYTEST = (
    *("-p", "mutation.each_mutant", "-p", "no:cacheprovider", "--assert=plain", "--tb=native"),
    # Without the examples and names of the copies that mutmut makes of each function.
    *("-k", "not __mutmut_ and not every_public_metric"),
)


if __name__ == "__main__":
    sys.exit(main())
