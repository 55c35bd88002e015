"""A corruption of a submission or a reference, and the refusal that it must get."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.samples.cases import Files

Row = tuple[str, str, "int | None", "str | None"]
"""Code, file, line, item."""


@dataclass(frozen=True)
class Mutation:
    """A corruption of a submission; of a reference, with `files`, `during` and `words` alone.

    Attributes
    ----------
    expected: every problem that the refusal holds, in any order; of more than 20 of a code, the first 20. Where
        `codes` says what all of them are, the first one alone.
    files: what the submission holds; or `archive`, its zip.
    spoil: what is done to the folder once the files are there.
    race: what is done to the folder between the listing and the reading of its files.
    after_ingestion: whether the folder is what scoring finds after a prediction step.
    during: a context to read it in.
    words: a part of the message of the problem that comes first in its file.
    """

    name: str
    expected: tuple[Row, ...]
    files: Files | None = None
    archive: bytes | None = None
    spoil: Callable[[Path], object] | None = None
    race: Callable[[Path], object] | None = None
    after_ingestion: bool = False
    codes: tuple[str, ...] = ()
    during: Callable[[], AbstractContextManager[object]] = nullcontext
    words: str = ""


def rows_of(file: str, rows: Iterable[tuple[Any, ...]]) -> tuple[Row, ...]:
    """Problems of a file, each given as its code and, where it has them, its line and item."""
    return tuple((code, file, *where, *[None] * (2 - len(where))) for code, *where in rows)


def refused(name: str, code: str, file: str, files: Files | None = None, **how: Any) -> Mutation:
    """A corruption with one problem: of a file, or of the whole submission if `file` is empty."""
    return Mutation(name, ((code, file, None, None),), files, **how)
