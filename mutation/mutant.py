"""A change of a function, told by its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import unified_diff
from typing import NamedTuple


class Mutant(NamedTuple):
    """A change: the lines of a function before and after, each without its indentation."""

    function: str
    before: str
    after: str


def changed_lines(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The lines that differ, of each text."""
    differences = list(unified_diff(before, after, n=0, lineterm=""))[2:]
    old, new = (" ".join(line[1:] for line in differences if line.startswith(sign)) for sign in ("-", "+"))
    return old, new


_SENTENCE = re.compile(r'"[^"]*\w \w[^"]*"')


def only_words(mutant: Mutant) -> bool:
    """Whether the change is in a text of several words, which is for people alone."""
    return _SENTENCE.sub("", mutant.before) == _SENTENCE.sub("", mutant.after)
