"""Phonemic transcripts in the cells of a sheet, such as `K AE T`: phones and fillers separated by white space."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Callable, Optional

import numpy as np

from .problems import Problems, quote, some_of
from .tables import Parser, Table

Suggest = Callable[[str, Sequence[str], Collection[str]], str]
"""An unknown token, the phones and the fillers -> advice."""

_LONGEST = 60
"""The most characters of a token that may consist of phones written without spaces."""
_MOST_ADVISED = 1000
"""The most different unknown tokens for which advice is searched."""
_WRITTEN = re.compile(r"[A-Za-z0-9,.|/_-]+\Z")


def suggest_phone(token: str, phones: Sequence[str], fillers: Collection[str]) -> str:
    """Advice on what to write in place of an unknown token."""
    filler = f"<{token.strip('<>').lower()}>"
    if filler in fillers:
        return f"write {filler}"
    if token.upper() in phones:
        return f"write {token.upper()}, in capitals"
    bare = re.sub("[0-9]", "", token).upper()
    if bare in phones:
        return f"write {bare}, without the stress digit"
    written = len(token) <= _LONGEST and _WRITTEN.match(token)
    run = split_run(re.sub("[^A-Z]", "", token.upper()), phones) if written else None
    if run:
        return f"write {' '.join(run)}, with spaces between the phones"
    return f"use {', '.join(phones[:3])}, ... or the fillers {', '.join(sorted(fillers))}"


def split_run(run: str, phones: Sequence[str]) -> Optional[list[str]]:
    """The phones in letters written without spaces; None if the letters are not a sequence of phones."""
    ends: dict[int, list[str]] = {0: []}
    for end in range(1, len(run) + 1):
        for phone in phones:
            start = end - len(phone)
            if start in ends and run[start:end] == phone:
                ends[end] = [*ends[start], phone]
                break
    return ends.get(len(run))


def nearest_phones(token: str, phones: Sequence[str], fillers: Collection[str]) -> str:
    """Advice on what to write in place of an unknown token, for any inventory."""
    if len(token) <= _LONGEST:
        run = split_run(token, phones)
        if run:
            return f"write {' '.join(run)}, with spaces between the phones"
        known = (*phones, *sorted(fillers))
        near = [other for other in known if other.casefold() == token.casefold()]
        near = near or get_close_matches(token, known, 3, 0.5)
        if near:
            return f"the nearest are {', '.join(near)}" if len(near) > 1 else f"the nearest is {near[0]}"
    return expected_phone(phones)


def expected_phone(phones: Sequence[str]) -> str:
    return f"expected one of {some_of(phones, 8)}"


def check_phones(
    table: Table,
    tokens: Sequence[Sequence[str]],
    phones: Sequence[str],
    fillers: Collection[str],
    suggest: Suggest,
    problems: Problems,
) -> np.ndarray:
    """The tokens of each row, shape (n,); those that are neither phones nor fillers add problems.

    Parameters
    ----------
    suggest
        Gives advice on what to write in place of an unknown token.
    """
    known = {*fillers, *phones}
    advice: dict[str, str] = {}
    rows = np.empty(len(table), dtype=object)
    rows[:] = tokens
    for row, found in enumerate(rows):
        for token in () if known.issuperset(found) else dict.fromkeys(found):
            if token not in known:
                if token not in advice:
                    search = len(advice) < _MOST_ADVISED
                    advice[token] = suggest(token, phones, fillers) if search else expected_phone(phones)
                message = f"{quote(token)} is not one of the {len(phones)} phones; {advice[token]}"
                table.add_problem(problems, "unknown_phone", row, message)
    return rows


def transcripts(inventory: Callable[[], Sequence[str]], fillers: Collection[str]) -> Parser:
    """Return a parser for sequences of phones and fillers, which may be empty.

    Parameters
    ----------
    inventory
        Returns the phones; called when a transcript is read.
    fillers
        The tokens that are not phones, such as `<sil>`.
    """

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        tokens = [cell.split() for cell in table.columns[column]]
        return check_phones(table, tokens, inventory(), fillers, suggest_phone, problems)

    return parse
