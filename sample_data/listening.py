"""Synthetic listening tests for the guide "Listening tests": nobody has heard any of it.

`python -m sample_data.listening study` writes a table of utterances to assign, and a table of judgements for each kind
of test. `python -m sample_data.listening --answer round` fills in the sheets in a folder, in place of listeners.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from random import Random

SYSTEMS = {"natural": 4.6, "alpha": 3.9, "beta": 3.8, "gamma": 3.3, "delta": 2.2}
"""Made-up systems with their quality, from 1 to 5. Natural speech is the hidden reference, too."""
ANCHORS = {"low": 1.3, "middle": 2.6}
LISTENERS = tuple(f"listener{number:02}" for number in range(1, 13))
SENTENCES = tuple(f"sentence{number:02}" for number in range(1, 17))
_PAIRS = [*product(SENTENCES, SYSTEMS)]
UTTERANCES = {f"u{number:03}": pair for number, pair in enumerate(Random(7).sample(_PAIRS, len(_PAIRS)))}
"""Their ids do not reveal the system."""
CARELESS = LISTENERS[-1]
"""Grades at random."""
TIE = 0.4
"""Systems whose qualities differ by less are equal to a listener."""


def quality(listener: str, sentence: str, system: str) -> float:
    """Return what a listener thinks of a sentence of a system."""
    effects = (
        (listener, 0.3),
        (sentence, 0.2),
        (listener + system, 0.2),
        (listener + sentence + system, 0.5),
    )
    if listener == CARELESS:
        return Random(listener + sentence + system).uniform(1, 5)
    return (SYSTEMS | ANCHORS)[system] + sum(Random(seed).gauss(0, spread) for seed, spread in effects)


def opinion(listener: str, sentence: str, system: str) -> int:
    return max(1, min(5, round(quality(listener, sentence, system))))


def grade(listener: str, sentence: str, system: str) -> int:
    heard = quality(listener, sentence, system) + 1.3 * (system == "natural" and listener != CARELESS)
    return max(0, min(100, round(25 * (heard - 1))))


def preference(listener: str, sentence: str, system: str, other: str) -> str:
    ahead = quality(listener, sentence, system) - quality(listener, sentence, other)
    return "tie" if abs(ahead) < TIE else "a" if ahead > 0 else "b"


def write(folder: Path) -> None:
    """Write the utterances and the judgements."""
    pairs = [*product(LISTENERS, SENTENCES)]
    rated = [(*pair, system) for pair in pairs for system in SYSTEMS]
    graded = [(*pair, system) for pair in pairs for system in (*SYSTEMS, *ANCHORS)]
    compared = [(*pair, *Random("".join(pair)).sample([*SYSTEMS], 2)) for pair in pairs]
    tables = {
        "utterances": (
            ("id", "item", "system", "sound"),
            ((name, *row, f"{name}.wav") for name, row in UTTERANCES.items()),
        ),
        "acr": (("listener", "item", "system", "value"), ((*row, opinion(*row)) for row in rated)),
        "mushra": (("listener", "item", "system", "value"), ((*row, grade(*row)) for row in graded)),
        "preferences": (
            ("listener", "item", "system_a", "system_b", "value"),
            ((*row, preference(*row)) for row in compared),
        ),
    }
    folder.mkdir(parents=True)
    for name, (header, rows) in tables.items():
        save(folder / f"{name}.csv", header, rows)


def save(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def answer(sheet: Path) -> None:
    """Fill in the opinions, if the file has a column for them."""
    with sheet.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    if "value" in header:
        for row in rows:
            row[header.index("value")] = str(opinion(sheet.stem, *UTTERANCES[row[header.index("id")]]))
        save(sheet, header, rows)


def main(*arguments: str) -> None:
    if arguments[0] == "--answer":
        for sheet in sorted(Path(arguments[1]).glob("*.csv")):
            answer(sheet)
    else:
        write(Path(arguments[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
