"""What several rooms need to say something: foreign text made safe, near misses, places in YAML, tables of text."""

import sys
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import yaml
from rich.cells import cell_len


def printable(text: str, *, kept: str = "") -> str:
    """Control characters and half characters escaped, but for those `kept`: text of others may hold any."""
    return "".join(char if char in kept or char.isprintable() else repr(char)[1:-1] for char in text)


def say(text: object, *, error: bool = False) -> None:
    """Print to standard output, or to standard error: the one way to a terminal, which obeys what it is sent."""
    print(printable(str(text), kept="\n\t"), file=sys.stderr if error else sys.stdout)


def no_formula(name: str) -> str:
    """A spreadsheet would run a cell that begins like this, in full width or after blanks too."""
    begins = unicodedata.normalize("NFKC", name).lstrip()[:1]
    return f"'{name}" if begins and begins in "=+-@\N{MINUS SIGN}" else name


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one is nearest to."""
    near = get_close_matches(word, list(known), 1)
    return near[0] if near else None


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """`did you mean x?` for a near miss of a known word; what to say `otherwise`."""
    near = closest(word, known)
    return f"did you mean {near}?" if near else otherwise


def hint(word: Any, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for a near miss, whatever its case; nothing otherwise."""
    near = closest(str(word).lower(), known)
    return f"; did you mean {near!r}?" if near else ""


def dotted(path: Iterable[Any]) -> str:
    """A place in YAML: `phases[0].start`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def dump_yaml(content: Any) -> bytes:
    """YAML as every parser reads it: strings that look like dates or numbers come out quoted."""
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
    return text.encode("utf-8")


def text_table(rows: Iterable[Sequence[str]], left: Collection[int]) -> list[str]:
    """Lines of a table; the columns in `left` are aligned there, the others on the right."""
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
