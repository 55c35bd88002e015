"""List what has changed in a platform's source since its facts were taken.

`python -m tests.tools.platform_facts CHECKOUT [COMMIT]` compares a commit, by default HEAD, of a git repository of
Codabench or CodaLab with the commit in `speechbundles/platforms/sources.json`, which names, for each fact, the
functions and classes that it is from. For each of these that differs, the fact and a diff are printed, and the exit
status is 1.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from speechbundles.model.text import say
from tests.samples.programs import ROOT

SOURCES = ROOT / "speechbundles/platforms/sources.json"


def source_of(repository: Path, commit: str, file: str, name: str) -> list[str] | None:
    """Return the lines of a function or class, by its dotted name, at a commit; None if it is not there."""
    command = ["git", "-C", str(repository), "show", f"{commit}:{file}"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        node: ast.AST | None = ast.parse(shown.stdout)
    except SyntaxError:  # Python 2
        return None
    for part in name.split("."):
        own = ast.iter_child_nodes(node) if node else ()
        node = next((each for each in own if getattr(each, "name", None) == part), None)
    segment = ast.get_source_segment(shown.stdout, node) if node else None
    return None if segment is None else segment.splitlines()


def changes(repository: Path, commit: str) -> Iterator[str]:
    """Yield the facts whose sources differ from those at the recorded commit, each with a diff."""
    for platform in json.loads(SOURCES.read_text(encoding="utf-8")).values():
        known = ["git", "-C", str(repository), "cat-file", "-e", platform["commit"]]
        if subprocess.run(known, capture_output=True, check=False).returncode:
            continue
        for fact, sources in platform["facts"].items():
            for file, name in (source.split(": ") for source in sources):
                before, after = (source_of(repository, at, file, name) for at in (platform["commit"], commit))
                if before is None:
                    yield f"{fact}: {file}: {name} is not in the recorded commit"
                elif after is None:
                    yield f"{fact}: {file}: {name} is gone"
                elif before != after:
                    yield "\n".join(
                        [f"{fact}: {file}: {name}", *unified_diff(before, after, lineterm="", n=1)]
                    )
        return
    raise SystemExit(f"{repository} has none of the recorded commits")


def main(words: list[str]) -> int:
    """Print the changes."""
    found = list(changes(Path(words[0]), words[1] if len(words) > 1 else "HEAD"))
    for change in found:
        say(f"{change}\n")
    say(f"{len(found)} sources of facts differ")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
