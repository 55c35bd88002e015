"""Eighteen synthetic systems for Spoken CALL's evaluation sample, and properties of its responses.

    python -m sample_data.spoken_call_systems DIR

writes `DIR/submissions/NAME.zip`, for `build_bundle.py score`, and two tables for `rank --explain`: `DIR/answers.csv`
with three annotators' flags, as `merge` writes answers, and `DIR/indicators.csv` with the flags of most annotators and
the computed columns of Table 2.

The systems make the decisions of Table 1 of the third edition's overview. The numbers of correct and incorrect
responses in each band of difficulty are those of Table 2. So are the shares of the flags by majority of the annotators,
who agree as well as in the paper. The sheet has about as many word errors as in Table 2, and the same number of
responses with a unique word. One number differs: only 69 of the 740 correct responses are not in the grammar, as in
Table 1 (BaselinePerfectRec), so their mean distance to the grammar cannot be the 0.80 words of Table 2.

System JJJ accepts 95 responses with a wrong meaning. The sample has 90; it accepts these and five other incorrect ones.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from sample_data.spoken_call import SEED, decisions_text, is_listed, listed_responses, make_sheet
from speechbundles.model.zips import make_zip
from spokeneval.formats.speakers import Units
from spokeneval.formats.tables import csv_text
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.metrics.edit_distance import edit_distances, encode
from spokeneval.scoring.scored import Statistics, by_unit

WRONG = {
    "BaselinePerfectRec": (69, 7, 3),
    "GGG": (48, 34, 14),
    "HHH": (40, 38, 18),
    "III": (41, 36, 19),
    "OOO": (57, 35, 15),
    "PPP": (57, 35, 15),
    "NNN": (60, 37, 14),
    "CCC": (50, 38, 19),
    "AAA": (56, 37, 19),
    "BBB": (70, 35, 16),
    "FFF": (90, 31, 16),
    "DDD": (84, 31, 18),
    "EEE": (100, 29, 16),
    "Baseline": (105, 32, 15),
    "MMM": (110, 29, 16),
    "KKK": (113, 29, 16),
    "LLL": (116, 29, 16),
    "JJJ": (74, 64, 90),
}
"""The errors of each system of Table 1: FR, PFA, GFA. The counts follow from its rates."""

NOISE = 3

BANDS = ((0, 2), (3, 9), (10, 18))
"""Number of wrong systems in each band: easy, medium, hard."""

SIZES = ((605, 65, 70), (119, 20, 31), (65, 11, 14))
"""Responses in each band: correct, incorrect only in language, incorrect in meaning too."""

FLAGS = {
    "Incom": ((7, 5, 5), (40, 5, 12), 0.3, 0.17),
    "Pron": ((0, 0, 0), (21, 2, 0), 0.5, 0.035),
    "Stutt": ((22, 6, 6), (18, 3, 1), 0.6, 0.03),
    "xTalk": ((5, 9, 6), (4, 1, 0), 0.5, 0.035),
    "SNSN": ((18, 2, 12), (6, 2, 1), 0.5, 0.04),
    "Faint": ((14, 3, 4), (9, 0, 2), 0.5, 0.03),
}
"""For each flag: correct and incorrect responses in each band that most annotators marked (Table 2), the share of these
that all three marked, and the share of the others that one annotator marked."""


def wrong_systems(rows: list[dict[str, str]]) -> np.ndarray:
    """Return which systems of `WRONG` are wrong on which responses, bool, shape=(1000, 18)."""
    chance = random.Random(f"{SEED} systems")
    names = list(WRONG)
    wrong = np.zeros((len(rows), len(names)), dtype=bool)
    correct = np.array([row["language"] == "correct" for row in rows])
    meaningful = np.array([row["meaning"] == "correct" for row in rows])
    baselines = {"Baseline": "RecResult", "BaselinePerfectRec": "Transcription"}
    for name, column in baselines.items():
        accepted = np.array([is_listed(row["Prompt"], row[column]) for row in rows])
        wrong[:, names.index(name)] = accepted != correct
    others = [place for place, name in enumerate(names) if name not in baselines]
    for kind, (within, sizes) in enumerate(
        zip((correct, ~correct & meaningful, ~meaningful), SIZES, strict=True)
    ):
        places = np.flatnonzero(within).tolist()
        free = [system for system in others if WRONG[names[system]][kind] < len(places)]
        wrong[np.ix_(places, sorted(set(others) - set(free)))] = True
        fixed = {place: int(wrong[place].sum()) for place in places}
        # Correct responses are hard if the recogniser fails. The paper finds no reason why incorrect ones are hard.
        hardest = {
            place: chance.gauss(0, NOISE)
            + (_misheard(rows[place]) + fixed[place] if kind == 0 else 10 * (fixed[place] > BANDS[0][1]))
            for place in places
        }
        places.sort(key=lambda place: -hardest[place])
        total = sum(counts[kind] for counts in WRONG.values())
        counts = _counts_wrong(chance, places, fixed, sizes, total)
        lacking = {place: counts[place] - fixed[place] for place in places}
        for system in sorted(free, key=lambda system: -WRONG[names[system]][kind]):
            # Responses that need most wrong systems come first, so that enough responses are left for the last system.
            order = sorted(places, key=lambda place: (-lacking[place], chance.random()))
            for place in order[: WRONG[names[system]][kind]]:
                wrong[place, system] = True
                lacking[place] -= 1
    return wrong


def _misheard(row: dict[str, str]) -> int:
    """Return the number of different words that were either said or recognised, but not both."""
    return len(set(row["Transcription"].split()) ^ set(row["RecResult"].split()))


def _counts_wrong(
    chance: random.Random, hardest: list[int], fixed: dict[int, int], sizes: tuple[int, int, int], total: int
) -> dict[int, int]:
    """Return the number of wrong systems for each response, in bands of these sizes; they add up to `total`.

    Parameters
    ----------
    hardest: the responses, hardest first.
    fixed: `response -> number of systems` whose errors are already determined.
    """
    ends = np.cumsum(sizes[::-1]).tolist()
    bounds = {
        place: BANDS[2 - next(band for band, end in enumerate(ends) if rank < end)]
        for rank, place in enumerate(hardest)
    }
    counts = {place: max(low, fixed[place]) for place, (low, _) in bounds.items()}
    while sum(counts.values()) < total:
        low = chance.choice([low for low, _ in BANDS])
        open_places = [
            place for place in counts if bounds[place][0] == low and counts[place] < bounds[place][1]
        ]
        if open_places:
            counts[chance.choice(open_places)] += 1
    return counts


def statistics(rows: list[dict[str, str]], wrong: np.ndarray) -> dict[str, Statistics]:
    """Return the statistics of each system, as scoring writes them for `rank`."""
    correct, meaningful = (
        np.array([row[kind] == "correct" for row in rows]) for kind in ("language", "meaning")
    )
    units = Units("speaker", {row["Id"]: row["speaker"] for row in rows})
    return {
        name: by_unit(
            units, {"decisions": decisions_per_response(correct, meaningful, correct != wrong[:, system])}
        )
        for system, name in enumerate(WRONG)
    }


def annotate(rows: list[dict[str, str]], wrong: np.ndarray) -> dict[str, np.ndarray]:
    """Return three annotators' flags, `flag -> bool, shape=(3, 1000)`."""
    chance = random.Random(f"{SEED} flags")
    correct = np.array([row["language"] == "correct" for row in rows])
    number = wrong.sum(axis=1)
    found = {}
    for flag, (of_correct, of_incorrect, unanimous, alone) in FLAGS.items():
        marked = np.zeros((3, len(rows)), dtype=bool)
        for within, counts in ((correct, of_correct), (~correct, of_incorrect)):
            for (low, high), count in zip(BANDS, counts, strict=True):
                band = np.flatnonzero(within & (number >= low) & (number <= high)).tolist()
                for place in chance.sample(band, count):
                    marked[:, place] = True
                    if chance.random() > unanimous:
                        marked[chance.randrange(3), place] = False
        for place in np.flatnonzero(~marked.any(axis=0)).tolist():
            if chance.random() < alone:
                marked[chance.randrange(3), place] = True
        found[flag] = marked
    return found


def answers_text(rows: list[dict[str, str]], marked: dict[str, np.ndarray]) -> str:
    """Return the flags with a row for each answer, as in `answers.csv` of `merge`."""
    given = [
        (f"annotator{number + 1}", row["Id"], flag, "yes" if flags[number, place] else "no", 0)
        for place, row in enumerate(rows)
        for number in range(3)
        for flag, flags in marked.items()
    ]
    return csv_text([("annotator", "item", "question", "value", "time"), *given])


def indicators(rows: list[dict[str, str]], marked: dict[str, np.ndarray]) -> dict[str, list[object]]:
    """Return the columns of Table 2, the number of word errors first, with the word error rate in per cent last."""
    said, heard = ([row[column].split() for row in rows] for column in ("Transcription", "RecResult"))
    errors = edit_distances(*encode(said, heard))
    training = make_sheet("development")
    correct = {row["Transcription"] for row in training if row["language"] == "correct"}
    listed = [listed_responses(row["Prompt"]) for row in rows]
    learnt = [row["Transcription"] for row in training]
    known = {word for texts in (*listed, learnt) for text in texts for word in text.split()}
    flags = {flag: np.where(each.mean(axis=0) > 0.5, "yes", "no").tolist() for flag, each in marked.items()}
    return {
        "#WE": errors.tolist(),
        **flags,
        "OOV": ["no" if known.issuperset(words) else "yes" for words in said],
        "d(gr)": _closest(said, [[text.split() for text in texts] for texts in listed]),
        "d(tr)": _closest([row["Transcription"] for row in rows], [sorted(correct)] * len(rows)),
        "WER": [f"{100 * wrong / len(words):.2f}" for wrong, words in zip(errors, said, strict=True)],
    }


def _closest(texts: Sequence[Sequence[str]], others: Sequence[Sequence[Sequence[str]]]) -> list[object]:
    """Return the edit distance of each text to the closest of its other texts."""
    lengths = [len(each) for each in others]
    repeated = [text for text, length in zip(texts, lengths, strict=True) for _ in range(length)]
    distances = edit_distances(*encode(list(chain(*others)), repeated))
    return np.minimum.reduceat(distances, np.cumsum([0, *lengths[:-1]])).tolist()


def write(folder: Path) -> None:
    """Write the submissions and the tables below a folder."""
    rows = make_sheet("evaluation")
    wrong = wrong_systems(rows)
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    for system, name in enumerate(WRONG):
        accept = [(row["language"] == "correct") != wrong[place, system] for place, row in enumerate(rows)]
        content = {"results.csv": decisions_text(rows, accept)}
        (folder / "submissions" / f"{name}.zip").write_bytes(make_zip(content))
    marked = annotate(rows, wrong)
    columns = {"Id": [row["Id"] for row in rows], **indicators(rows, marked)}
    tables = {
        "answers.csv": answers_text(rows, marked),
        "indicators.csv": csv_text([[*columns], *zip(*columns.values(), strict=True)]),
    }
    for name, text in tables.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
