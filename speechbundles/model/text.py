"""Text that several rooms print: foreign text made safe, near misses, places in YAML, groups to list, tables."""

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from rich.cells import cell_len

from spokeneval.formats.problems import closest, printable

PROGRAM = "speech-bundles" if Path(sys.argv[0]).stem == "speech-bundles" else "python build_bundle.py"
"""The program that is running, as messages name it in a command to type."""


Progress = Callable[[int, int], None]
"""Called with the amount done and the total: bytes, runs or files."""


def silent(done: int, total: int) -> None:
    """Progress that nobody sees."""


K = TypeVar("K")
V = TypeVar("V")


def say(text: object, *, error: bool = False) -> None:
    """Print to standard output or standard error.

    All terminal output goes through this function, because terminals interpret escape sequences.
    """
    from spokeneval.scoring.output import say as print_text  # imported here, so that the help needs no numpy

    print_text(printable(str(text), kept="\n\t"), error=error)


def hint(word: Any, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for a near miss of a known word in any case, else the empty string."""
    near = closest(str(word).lower(), known)
    return f"; did you mean {near!r}?" if near else ""


def dotted(path: Iterable[Any]) -> str:
    """Return a place in YAML as text, such as `phases[0].start`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def dump_yaml(content: Any) -> bytes:
    """Return YAML that all parsers read alike: strings that look like dates or numbers are quoted."""
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
    return text.encode("utf-8")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, in the order of the pairs.

    >>> grouped([("b", 1), ("a", 2), ("b", 3)])
    {'b': [1, 3], 'a': [2]}
    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def size_of(size: float) -> str:
    """Return a number of bytes in kB, MB or GB, such as `5.4 GB`."""
    unit, name = next(
        ((unit, name) for unit, name in ((1e9, "GB"), (1e6, "MB")) if size >= unit), (1e3, "kB")
    )
    return f"{size / unit:.3g} {name}"


def inline_yaml(content: Any) -> str:
    """Return YAML in one line, such as `[yes, no]`."""
    text: str = yaml.safe_dump(
        content, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000
    )
    return text.removesuffix("\n...\n").strip()


def table_lines(rows: Iterable[Sequence[str]], left: Collection[int]) -> list[str]:
    """Return the lines of a table. The columns in `left` are aligned left, the others right."""
    rows = list(rows)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = ""
        for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - cell_len(cell))
            line += "  " + (cell + padding if index in left else padding + cell)
        lines.append(line.rstrip())
    return lines
