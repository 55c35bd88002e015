"""What a platform takes for a key of competition.yaml: its type, its length, its choices, its default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

MOST_DECIMALS = 10
"""Codabench stores a score with so many; neither platform shows more."""

SORTING = {"higher": "desc", "lower": "asc"}
"""Both platforms' words for which scores are better."""

DEFAULT_IMAGE = "codalab/codalab-legacy:py37"
"""What both platforms take where a bundle names none."""

OLD_IMAGES = r"codalab/codalab-legacy:py3[678]?"
"""Their Python is older than 3.9."""

Kind = Literal["text", "file", "int", "bool", "list", "mapping", "date", "any"]


@dataclass(frozen=True)
class Key:
    """What a key's value may be. A value that is not nullable may not be null; text may not be blank.

    `default`: what the platform takes where the key is left out.
    """

    kind: Kind
    required: bool = False
    nullable: bool = False
    blank: bool = False
    longest: int | None = None
    choices: tuple[str, ...] = ()
    default: Any = None


Keys = Mapping[str, Key]


def direction(sorting: object) -> str:
    return "higher" if sorting == SORTING["higher"] else "lower"


def is_true(value: Any) -> bool:
    """A flag, also where it was written as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
