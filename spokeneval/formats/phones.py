"""Phonemic transcripts in the cells of a sheet, such as `K AE T`: phones and fillers separated by white space."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Callable, Optional

import numpy as np

from .cells import Parser
from .problems import Problems, quote
from .tables import Table

_WRITTEN = re.compile(r"[A-Za-z0-9,.|/_-]{1,60}\Z")
"""A token that may consist of phones written without spaces."""


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
        phones = inventory()
        known = {*fillers, *phones}
        tokens = np.empty(len(table), dtype=object)
        tokens[:] = [cell.split() for cell in table.columns[column]]
        for row, found in enumerate(tokens):
            if not known.issuperset(found):
                for token in dict.fromkeys(found):
                    if token not in known:
                        advice = suggest_phone(token, phones, fillers)
                        message = f"{quote(token)} is not one of the {len(phones)} phones; {advice}"
                        table.add_problem(problems, "unknown_phone", row, message)
        return tokens

    return parse


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
    run = split_run(re.sub("[^A-Z]", "", token.upper()), phones) if _WRITTEN.match(token) else None
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
