"""References whose counts have a row for each unit, although each line of the file is an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable

from ..formats.format import Format
from ..formats.problems import Problems, ReferenceFileError
from ..formats.sheets import Answers, Check, Sheet, parse_reference, take_answers
from ..formats.tables import read_table

LINES = ""
"""The key of the lines of a reference's items among its texts; no column has this name."""

RowNames = Callable[[Sequence[str], Mapping[str, Sequence[str]]], Sequence[str]]
"""Takes the ids of items and their texts by column, and returns the name of the row that counts each item."""


def with_unit_rows(form: Format, sheet: Sheet, check: Check, names: RowNames) -> Format:
    """Return a format of `sheet_format` that gives the row of each line, and of each item.

    Parameters
    ----------
    sheet, check: the reference's, as `sheet_format` takes them.
    """

    def read_reference(files: Mapping[str, bytes]) -> Answers:
        problems = Problems(ReferenceFileError)
        table = read_table(files, sheet.layout, problems)
        answers = parse_reference(sheet, table, problems, check)
        return replace(answers, texts={**answers.texts, LINES: list(map(str, table.lines))})

    def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
        table = read_table(files, sheet.layout, Problems(ReferenceFileError))
        return {table.file: dict(zip(table.lines, names(table.ids, table.columns)))}

    def item_rows(answers: Answers) -> dict[str, dict[int, str]]:
        return {sheet.file: dict(zip(map(int, answers.texts[LINES]), answers.items.ids))}

    return form._replace(
        read_reference=read_reference, rows=rows, item_rows=item_rows, take_reference=_take_reference
    )


def _take_reference(answers: Answers, places: Sequence[int]) -> Answers:
    texts = {column: [cells[place] for place in places] for column, cells in answers.texts.items()}
    return replace(take_answers(answers, places), texts=texts)
