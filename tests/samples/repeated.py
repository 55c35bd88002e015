"""The small reference of every task repeated many times, so that there are enough units to seal a part."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.samples.cases import CASES, IDS

COPIES = 12

_NAME = re.compile("|".join([*IDS, "[xy]_1", r"(?<=\t)s[01](?=\t)"]))
"""An item, a recording, a session."""


def repeated(files: Mapping[str, str]) -> dict[str, str]:
    """The rows of a reference with other names in each copy, and a single header."""
    return {name: "".join(_rows(text)) for name, text in files.items()}


def _rows(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    header = [line for line in lines[:1] if not _NAME.search(line)]
    named = lines[len(header) :]
    return header + [_NAME.sub(rf"\g<0>-{copy}", line) for copy in range(COPIES) for line in named]


REPEATED = {task: repeated(case.reference) for task, case in CASES.items()}
RELABELLED = {task: repeated(case.relabelled) for task, case in CASES.items()}
"""The same items with other labels."""
