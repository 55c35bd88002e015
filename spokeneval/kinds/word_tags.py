"""Tags of the words of transcripts, such as their languages: how a reference has them, and the scores of each tag."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..formats.normalisation import Normaliser
from ..formats.problems import Problems, count_of, name, suggestion
from ..formats.tables import Parser, Table
from ..metrics import transcript_errors as metrics
from ..task import LOWER, POSITIVE, Score
from .kind import class_names
from .transcript_scores import check_total

TAGS = "tags"
"""The column of the reference, and the parameter."""
MOST_TAGS = 20


def tag_names(value: Any) -> tuple[str, ...]:
    """Return the tags that an organiser declares; none for None."""
    names = () if value is None else class_names(value)
    for tag in names:
        if len(tag.split()) > 1:
            raise ValueError(f"{tag!r}; expected tags without spaces")
    if len(names) > MOST_TAGS:
        raise ValueError(f"{len(names)} tags; expected at most {MOST_TAGS}")
    return names


def tag_cells(normaliser: Normaliser, names: Sequence[str], text: str) -> Parser:
    """A parser for cells with the tags of the words of the column `text`: their numbers, for each normalised word."""
    number = {tag: place for place, tag in enumerate(names)}

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        written = [cell.split() for cell in table.columns[text]]
        distinct = list(dict.fromkeys(chain.from_iterable(written)))
        made = dict(zip(distinct, normaliser.words(distinct)))
        whole = normaliser.words(table.columns[text])
        cells = np.empty(len(written), dtype=object)
        for row, words in enumerate(written):
            tags = table.columns[column][row].split()
            unknown = [tag for tag in tags if tag not in number]
            if unknown:
                message = f"{column}: {name(unknown[0])}; {suggestion(unknown[0], names)}"
                table.add_problem(problems, "tag", row, message)
            elif len(tags) != len(words):
                found = f"{column}: {count_of(len(tags), 'tag')} for {count_of(len(words), 'word')} of {text}"
                message = f"{found}; expected one for each word before any rule, in the same order"
                table.add_problem(problems, "tags", row, message)
            elif whole[row] != list(chain.from_iterable(made[word] for word in words)):
                message = (
                    f"{text}: the rules of normalise join or change several words at once, so that their tags are not "
                    "known; expected words that the rules change one by one"
                )
                table.add_problem(problems, "tags", row, message)
            else:
                cells[row] = [number[tag] for word, tag in zip(words, tags) for _ in made[word]]
        return cells

    return parse


def check_tags(
    references: Sequence[list[list[int]]], names: Sequence[str], file: str, problems: Problems
) -> None:
    """Add the problem of a tag of hardly any word, whichever of several references counts."""
    for number, tag in enumerate(names if not problems else ()):
        words = sum(min(tags.count(number) for tags in each) for each in references)
        check_total(words, len(references), f"{tag} word", file, problems)


def part_of(number: int) -> str:
    """Return the name of the counts of a tag."""
    return f"tag_{number + 1}"


def tag_scores(names: Sequence[str]) -> tuple[Score, ...]:
    """Return the error rate of each tag."""
    counted = "an added word counts for the reference word before it, or for the first"
    return tuple(
        Score(
            f"wer_{number + 1}",
            f"WER {tag}",
            LOWER,
            metrics.error_rate,
            f"word error rate of the words tagged {tag}; {counted}",
            of=part_of(number),
            percent=True,
            bounds=POSITIVE,
        )
        for number, tag in enumerate(names)
    )
