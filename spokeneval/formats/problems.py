"""Problems found in files, collected so that one refusal lists them all.

A reader adds problems as it meets them and raises at the end. Every problem has a stable code, so that a
test can hold each refusal in the code against an input that reaches it, and the same mistake in many rows is
told once. Whatever came from a file is shown quoted, escaped and cut: a control character, a terminal escape
or a kilometre of text never gets through.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import NoReturn, Optional

SHOWN = 20
"""Lines of problems in one refusal, and problems of a code that are kept; the rest are counted."""
FEW = 5
"""So many problems of a code are told one by one; more are one line."""
KEPT_OF_REFERENCES = 100_000

_PLACES = 5

FREE_ATTEMPT = "Nothing was scored, and this attempt does not count against your daily limit."


def quote(text: str, limit: int = 100) -> str:
    """Text from a file as it may be shown: quoted, control characters escaped, cut after `limit` characters."""
    return repr(text) if len(text) <= limit else repr(text[:limit]) + "..."


def name(text: str) -> str:
    """An item's or a file's name as it may be shown: bare where it is plain, quoted where it is not."""
    plain = text.isprintable() and " " not in text and 0 < len(text) <= 120
    return text if plain else quote(text, 120)


def some_of(names: Sequence[str], shown: int = 3) -> str:
    """`a, b, c (and 97 more)`."""
    rest = len(names) - shown
    return ", ".join(name(text) for text in names[:shown]) + (f" (and {rest} more)" if rest > 0 else "")


def count_of(number: int, noun: str, plural: Optional[str] = None) -> str:
    """`1 response`, `2 responses`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes
    ----------
    code: what kind of problem, stable: `duplicate_item`.
    file: name of the file, as the participant knows it; empty where the whole submission is meant.
    message: what was found and what was expected, in one line.
    line: line number from 1, where the problem is in a line.
    item: the item's id, where the problem is an item's.
    """

    code: str
    file: str
    message: str
    line: Optional[int] = None
    item: Optional[str] = None


class FileProblems(ValueError):
    """Files that cannot be used. `str()` is the report for the person who wrote them.

    Attributes
    ----------
    problems: the first of the problems of each code, in the order in which they were met.
    counts: how many there are of each code.
    total: how many there are.
    files: how many files they are in.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        counts: Optional[Mapping[str, int]] = None,
        files: Optional[int] = None,
    ) -> None:
        super().__init__(problems, counts, files)
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.counts = Counter(problem.code for problem in self.problems) if counts is None else counts
        self.total = sum(self.counts.values())
        self.files = len({problem.file for problem in self.problems}) if files is None else files

    @property
    def told(self) -> list[Problem]:
        """The problems as they are shown: where there are many of a code, the first, with where the next are."""
        alike: dict[str, list[Problem]] = {}
        for problem in self.problems:
            alike.setdefault(problem.code, []).append(problem)
        told: list[Problem] = []
        for code, problems in alike.items():
            count = self.counts[code]
            first = problems[0]
            more = f"{first.message} ({_others(problems, count)})"
            told += problems if count <= FEW else [replace(first, message=more)]
        return told

    def __str__(self) -> str:
        told = self.told
        shown = told[:SHOWN]
        if self.files == 1:
            file = shown[0].file
            lines = [f"{name(file) if file else 'submission'}: {count_of(self.total, 'problem')}", ""]
            lines += [_row(problem) for problem in _in_order(shown)]
        else:
            lines = [f"{count_of(self.total, 'problem')} in {count_of(self.files, 'file')}"]
            for file in dict.fromkeys(problem.file for problem in shown):
                lines += ["", f" {name(file) if file else 'submission'}"]
                lines += [_row(problem) for problem in _in_order(shown) if problem.file == file]
        if len(told) > len(shown):
            lines += ["", f"  ... and {len(told) - len(shown)} more"]
        return "\n".join(lines)


def _others(problems: Sequence[Problem], count: int) -> str:
    """`739 more such, lines 3, 4, 5, 6, 7, ...`, of problems of one code; with their files where these are several."""
    first, *others = problems
    lines = [str(problem.line) for problem in others if problem.line not in (None, first.line)]
    files = [name(problem.file) for problem in others if problem.file != first.file]
    places = list(dict.fromkeys(files or lines))
    dots = ["..."] if len(places) > _PLACES or count > len(problems) else []
    where = "also in" if files else "lines"
    return f"{count - 1} more such" + (f", {where} {', '.join(places[:_PLACES] + dots)}" if places else "")


def _in_order(problems: Sequence[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: math.inf if problem.line is None else problem.line)


def _row(problem: Problem) -> str:
    where = f"line {problem.line}" if problem.line is not None else ""
    if problem.code == "missing_item":
        where = "missing"
    return f"  {where:9} {problem.message}" if where else "  " + problem.message


class SubmissionError(FileProblems):
    """A submission that is refused."""


class ReferenceFileError(FileProblems):
    """A reference (the organiser's own files) that cannot be scored against."""


def repeated(item: str, first_line: int) -> str:
    """The words for something that stands twice: `Id 10453 again; first on line 17`."""
    return f"{item} again; first on line {first_line}"


class Problems:
    """Collects problems while files are read; `raise_if_any` ends the reading.

    All are counted. Of a stranger's files only the first `SHOWN` of a code are kept, so that ten million bad lines
    cost no memory; of the organisers' own far more, because they may have the bad rows left out.
    """

    def __init__(self, error: type[FileProblems] = SubmissionError) -> None:
        self.error = error
        self.kept: list[Problem] = []
        self._counts: Counter[str] = Counter()
        self._files: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.kept)

    def add(
        self, code: str, file: str, message: str, *, line: Optional[int] = None, item: Optional[str] = None
    ) -> None:
        self._counts[code] += 1
        self._files.add(file)
        if self._counts[code] <= (KEPT_OF_REFERENCES if self.error is ReferenceFileError else SHOWN):
            self.kept.append(Problem(code, file, message, line, item))

    def raise_if_any(self) -> None:
        if self.kept:
            raise self.error(self.kept, self._counts, len(self._files))

    def stop(self, code: str, file: str, message: str, *, line: Optional[int] = None) -> NoReturn:
        """Add a problem after which a file cannot be read on, and raise all."""
        self.add(code, file, message, line=line)
        raise self.error(self.kept, self._counts, len(self._files))

    @contextmanager
    def continuing(self) -> Iterator[None]:
        """Go on with the next file after one that cannot be read; its problem is kept."""
        with suppress(self.error):
            yield
