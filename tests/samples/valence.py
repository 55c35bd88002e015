"""Valence: how pleasant does a speaker sound, from -1 to 1? Score: Lin's concordance correlation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spokeneval.formats.format import Sheet, sheet_format
from spokeneval.formats.speakers import choose_units
from spokeneval.formats.tables import real_numbers
from spokeneval.task import AGREEMENT, HIGHER, Score, Task
from spokeneval.trivial import always

FILES = [
    Sheet(file, "id", {"valence": real_numbers(-1, 1)}, noun="clip") for file in ("labels.csv", "answers.csv")
]


@dataclass(frozen=True)
class Sums:
    n: Any
    x: Any
    y: Any
    squares: Any
    products: Any


def count(reference, submission):
    x, y = reference["valence"], submission["valence"]
    return {"sums": Sums(np.ones(len(x)), x, y, x * x + y * y, x * y)}


def concordance(sums):
    x, y = sums.x / sums.n, sums.y / sums.n
    spread = sums.squares / sums.n - x * x - y * y + (x - y) ** 2
    return 2 * (sums.products / sums.n - x * y) / np.where(spread > 0, spread, 1)


TASK = Task(
    name="valence",
    title="Valence of speech",
    format=sheet_format(*FILES, list_file="items.csv", check=lambda *_: None),
    units=lambda reference: choose_units(reference.items.ids, "clip"),
    count=count,
    scores=(Score("ccc", "CCC", HIGHER, concordance, "concordance correlation", bounds=AGREEMENT),),
    right=lambda rows: np.abs(rows["sums"].x - rows["sums"].y) < 0.1,
    labels=lambda reference: reference["valence"].tolist(),
    trivial={"0 for every clip": always("valence", 0)},
)
