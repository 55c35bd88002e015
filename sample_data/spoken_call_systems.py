"""Eighteen synthetic systems for Spoken CALL's evaluation sample, and three annotators' flags of its responses.

    python -m sample_data.spoken_call_systems DIR

writes `DIR/submissions/NAME.zip` and `DIR/flags.csv`, for `build_bundle.py score` and `rank --flags`. The systems make
the decisions of Table 1 of the third edition's overview, and are wrong together as Table 2 says: so many responses of
either kind in each of its bands. The flags' shares by the majority of the annotators are Table 2's, too, and the
annotators agree on each as well as the paper says. The sheet's word errors are about as many as Table 2's, and as many
of its responses have a word that is nowhere else. But of its 740 correct responses only 69 are not in the grammar, as
Table 1 has it (BaselinePerfectRec), so their mean distance to it cannot be Table 2's 0.80 words.

JJJ accepts 95 responses of another meaning, and the sample has 90: it accepts them, and five more of the others.
"""

from __future__ import annotations

import csv
import io
import random
import sys
from pathlib import Path

import numpy as np

from sample_data.spoken_call import SEED, decisions_text, is_listed, make_sheet
from speechbundles.model.zips import make_zip
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.run.statistics import Statistics, by_unit

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
"""Of each system of Table 1 how often it is wrong: FR, PFA, GFA. The counts follow from its rates."""

NOISE = 3

BANDS = ((0, 2), (3, 9), (10, 18))
"""Systems wrong: easy, medium, hard."""

SIZES = ((605, 65, 70), (119, 20, 31), (65, 11, 14))
"""Responses in each band: correct ones, those incorrect in language alone, those incorrect in meaning too."""

FLAGS = {
    "Incom": ((7, 5, 5), (40, 5, 12), 0.3, 0.17),
    "Pron": ((0, 0, 0), (21, 2, 0), 0.5, 0.035),
    "Stutt": ((22, 6, 6), (18, 3, 1), 0.6, 0.03),
    "xTalk": ((5, 9, 6), (4, 1, 0), 0.5, 0.035),
    "SNSN": ((18, 2, 12), (6, 2, 1), 0.5, 0.04),
    "Faint": ((14, 3, 4), (9, 0, 2), 0.5, 0.03),
}
"""Of each flag: correct and incorrect responses in each band that most annotators marked (Table 2), the share of these
that all three marked, and the share of the others that one of them did."""


def wrong_systems(rows: list[dict[str, str]]) -> np.ndarray:
    """Which systems of `WRONG` are wrong on which responses, bool, shape=(1000, 18)."""
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
        # Correct responses are hard where the recogniser fails; what makes incorrect ones hard the paper does not find.
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
            # The responses that lack most come first: so the last system finds as many as it is wrong on.
            order = sorted(places, key=lambda place: (-lacking[place], chance.random()))
            for place in order[: WRONG[names[system]][kind]]:
                wrong[place, system] = True
                lacking[place] -= 1
    return wrong


def _misheard(row: dict[str, str]) -> int:
    """How many different words were said or recognised, but not both."""
    return len(set(row["Transcription"].split()) ^ set(row["RecResult"].split()))


def _counts_wrong(
    chance: random.Random, hardest: list[int], fixed: dict[int, int], sizes: tuple[int, int, int], total: int
) -> dict[int, int]:
    """How many systems are wrong on each response: in bands of these sizes, as many in all as `total`.

    Parameters
    ----------
    hardest: the responses, the hardest first.
    fixed: response -> how many systems are wrong whatever comes.
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
    """What each system's scoring would leave for `rank`."""
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
    """Three annotators' flags, `flag -> bool, shape=(3, 1000)`."""
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


def flags_text(rows: list[dict[str, str]], marked: dict[str, np.ndarray]) -> str:
    """The flags as `rank --flags` reads them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["Id", "annotator", *marked])
    for place, row in enumerate(rows):
        for annotator in range(3):
            cells = ["yes" if flags[annotator, place] else "no" for flags in marked.values()]
            writer.writerow([row["Id"], f"annotator{annotator + 1}", *cells])
    return text.getvalue()


def write(folder: Path) -> None:
    """Write the submissions and the flags below a folder."""
    rows = make_sheet("evaluation")
    wrong = wrong_systems(rows)
    (folder / "submissions").mkdir(parents=True, exist_ok=True)
    for system, name in enumerate(WRONG):
        accept = [(row["language"] == "correct") != wrong[place, system] for place, row in enumerate(rows)]
        content = {"results.csv": decisions_text(rows, accept)}
        (folder / "submissions" / f"{name}.zip").write_bytes(make_zip(content))
    (folder / "flags.csv").write_text(flags_text(rows, annotate(rows, wrong)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
