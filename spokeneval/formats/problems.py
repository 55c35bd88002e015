"""Problems found in files, collected so that one refusal lists them all.

A reader adds problems as it finds them, and raises one error at the end. Every problem has a stable code, so that the
same mistake in many rows is reported once, and so that the tests can check that some input reaches each refusal in the
code. Text from a file is quoted, escaped and shortened before it is shown, so that control characters, terminal escape
sequences and very long texts are never printed.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Callable, NoReturn, Optional

SHOWN = 20
"""Number of lines of problems in one refusal, and of problems kept for each code; further ones are only counted."""
FEW = 5
"""Up to this many problems of one code are listed; more are summarised in one line."""
KEPT_OF_REFERENCES = 100_000
"""Number of problems kept for each code of an organiser's own files."""

_PLACES = 5

LONGEST_WORD = 60
"""The most characters of a word for which a known word is suggested."""
MOST_KNOWN = 300
"""The most known words that are compared with a word; further ones are not suggested."""

_every = False
"""Whether every problem is kept and listed; see `list_every_problem`."""

FREE_ATTEMPT = "Nothing was scored. A refused submission does not count against your daily limit."


def list_every_problem() -> None:
    """Keep and list every problem from now on, as a participant may ask for at home."""
    global _every
    _every = True


def quote(text: str, limit: int = 100) -> str:
    """Text from a file, made safe to show: quoted, control characters escaped, cut after `limit` characters."""
    return repr(text) if len(text) <= limit else repr(text[:limit]) + "..."


def printable(text: str, *, kept: str = "") -> str:
    """Text with control characters, changes of direction and lone surrogates escaped, except those in `kept`."""
    return "".join(char if char in kept or char.isprintable() else repr(char)[1:-1] for char in text)


def name(text: str) -> str:
    """The name of an item or a file, made safe to show: unchanged if it is plain, else quoted."""
    plain = text.isprintable() and " " not in text and 0 < len(text) <= 120
    return text if plain else quote(text, 120)


def some_of(names: Sequence[str], shown: int = 3, write: Callable[[str], str] = name) -> str:
    """The first few names as text: `a, b, c (and 97 more)`."""
    shown = len(names) if _every else shown
    rest = len(names) - shown
    return ", ".join(write(text) for text in names[:shown]) + (f" (and {rest} more)" if rest > 0 else "")


def count_of(number: int, noun: str, plural: Optional[str] = None) -> str:
    """A number with its noun: `1 response`, `2 responses`."""
    return f"{number} {noun if number == 1 else plural or plural_of(noun)}"


def closest(word: str, known: Iterable[str]) -> Optional[str]:
    """The known word that is closest to a misspelt one, or None; with limits, because words can be of hostile files."""
    from difflib import get_close_matches  # only here, so that programs start faster

    compared = [other for other in islice(known, MOST_KNOWN) if len(other) <= LONGEST_WORD]
    near = get_close_matches(word, compared, 1) if len(word) <= LONGEST_WORD else []
    return near[0] if near else None


def suggestion(word: str, known: Collection[str], otherwise: str = "") -> str:
    """`did you mean x?` for a near miss of a known word, else `otherwise`; by default, a list of the words."""
    near = closest(word, known)
    return f"did you mean {near}?" if near else otherwise or f"expected one of {', '.join(known)}"


class Noun(str):
    """A noun with a plural that is not formed with s."""

    plural: str


def plural_of(noun: str) -> str:
    """The plural of a noun: that of a `Noun`, else with s; unchanged if its letters are not Latin."""
    if isinstance(noun, Noun):
        return noun.plural
    takes_s = noun.isascii() or unicodedata.name(noun[-1], "").startswith("LATIN ")
    return f"{noun}s" if takes_s else noun


@dataclass(frozen=True)
class Problem:
    """One problem in a file or a submission.

    Attributes
    ----------
    code
        The kind of problem, such as `duplicate_item`; codes are stable.
    file
        The name of the file, as in the participant's submission; empty if the problem concerns the whole submission.
    message
        What was found and what was expected, in one line.
    line
        The line number, from 1; None if the problem is not in a single line.
    item
        The item's id; None if the problem does not concern a single item.
    """

    code: str
    file: str
    message: str
    line: Optional[int] = None
    item: Optional[str] = None


class FileProblems(ValueError):
    """Raised for files that cannot be used. `str()` gives the report for the person who wrote them.

    Attributes
    ----------
    problems
        The first problems of each code, in the order in which they were found.
    counts
        The number of problems of each code.
    total
        The number of all problems.
    files
        The number of files with problems.
    place
        What the numbers of lines count: `line`, or `row` for data in memory.
    listed
        The files that can be read although the submission is refused, such as those beside a folder; None for none.
    """

    listed: Any = None

    def __init__(
        self,
        problems: Sequence[Problem],
        counts: Optional[Mapping[str, int]] = None,
        files: Optional[int] = None,
        place: str = "line",
    ) -> None:
        super().__init__(problems, counts, files, place)
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.counts = Counter(problem.code for problem in self.problems) if counts is None else counts
        self.total = sum(self.counts.values())
        self.files = len({problem.file for problem in self.problems}) if files is None else files
        self.place = place

    def joined(self, other: FileProblems) -> FileProblems:
        """One error with the problems of both."""
        counts = Counter(self.counts) + Counter(other.counts)
        return type(self)([*self.problems, *other.problems], counts, self.files + other.files, self.place)

    def renamed(self, file: str, own: str) -> FileProblems:
        """The error with the name that a person gave to a file."""
        problems = [replace(each, file=own) if each.file == file else each for each in self.problems]
        return type(self)(problems, self.counts, self.files, self.place)

    @property
    def summarised(self) -> list[Problem]:
        """The problems to show. Of many problems with one code, only the first, with the places of the next ones."""
        if _every:
            return list(self.problems)
        alike: dict[str, list[Problem]] = {}
        for problem in self.problems:
            alike.setdefault(problem.code, []).append(problem)
        summarised: list[Problem] = []
        for code, problems in alike.items():
            count = self.counts[code]
            first = problems[0]
            more = f"{first.message} ({_others(problems, count, self.place)})"
            summarised += problems if count <= FEW else [replace(first, message=more)]
        return summarised

    def __str__(self) -> str:
        summarised = self.summarised
        shown = summarised if _every else summarised[:SHOWN]
        if self.files == 1:
            file = shown[0].file
            lines = [f"{name(file) if file else 'submission'}: {count_of(self.total, 'problem')}", ""]
            lines += [_row(problem, self.place) for problem in _in_order(shown)]
        else:
            lines = [f"{count_of(self.total, 'problem')} in {count_of(self.files, 'file')}"]
            for file in dict.fromkeys(problem.file for problem in shown):
                lines += ["", f" {name(file) if file else 'submission'}"]
                lines += [_row(problem, self.place) for problem in _in_order(shown) if problem.file == file]
        if len(summarised) > len(shown):
            lines += ["", f"  ... and {len(summarised) - len(shown)} more"]
        return "\n".join(lines)


def _others(problems: Sequence[Problem], count: int, place: str) -> str:
    """The other problems of one code as text: `739 more like this, lines 3, 4, 5, 6, 7, ...`, or with their files."""
    first, *others = problems
    lines = [str(problem.line) for problem in others if problem.line not in (None, first.line)]
    files = [name(problem.file) for problem in others if problem.file != first.file]
    places = list(dict.fromkeys(files or lines))
    dots = ["..."] if len(places) > _PLACES or count > len(problems) else []
    where = "also in" if files else f"{place}s"
    return f"{count - 1} more like this" + (
        f", {where} {', '.join(places[:_PLACES] + dots)}" if places else ""
    )


def _in_order(problems: Sequence[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: math.inf if problem.line is None else problem.line)


def _row(problem: Problem, place: str) -> str:
    where = f"{place} {problem.line}" if problem.line is not None else ""
    if problem.code == "missing_item":
        where = "missing"
    return f"  {where:9} {problem.message}" if where else "  " + problem.message


class SubmissionError(FileProblems):
    """Raised for a submission that is refused."""


class ReferenceFileError(FileProblems):
    """Raised for a reference (the organiser's own files) that cannot be used for scoring."""


def repeated(item: str, first_line: int, place: str = "line") -> str:
    """The message for a repeated item: `Id 10453 already appears on line 17; keep only one`."""
    return f"{item} already appears on {place} {first_line}; keep only one"


class Problems:
    """Collects problems while files are read; `raise_if_any` then raises them as one error.

    All problems are counted. For a participant's files only the first `SHOWN` of each code are kept, so that ten
    million bad lines need no memory. For an organiser's own files many more are kept, because the organiser may choose
    to leave out the bad rows. `place` is as in `FileProblems`.
    """

    def __init__(self, error: type[FileProblems] = SubmissionError, place: str = "line") -> None:
        self.error = error
        self.place = place
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
        most = KEPT_OF_REFERENCES if _every or self.error is ReferenceFileError else SHOWN
        if self._counts[code] <= most:
            self.kept.append(Problem(code, file, message, line, item))

    def raise_if_any(self) -> None:
        if self.kept:
            raise self.error(self.kept, self._counts, len(self._files), self.place)

    def stop(self, code: str, file: str, message: str, *, line: Optional[int] = None) -> NoReturn:
        """Add a problem that prevents further reading of a file, and raise all problems."""
        self.add(code, file, message, line=line)
        raise self.error(self.kept, self._counts, len(self._files), self.place)

    @contextmanager
    def continuing(self) -> Iterator[None]:
        """Suppress the error of a file that cannot be read, so that the next file is read; its problem is kept."""
        with suppress(self.error):
            yield
