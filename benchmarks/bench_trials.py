"""Coverage of the 95 % intervals of trials of two sides: over units of either side, over pairs, and over both sides.

    python -m benchmarks bench_trials [REPETITIONS [ENROLLED TESTS ...]]

Every test is compared with every enrolled speaker. The scores of a trial are moved by the enrolled speaker and by the
test (standard deviations 0.5) besides their own noise (0.8); targets are 2.2 higher. The true scores are means of six
sets of 600 enrolled speakers and 1,500 tests. Seeds: 20 for test sets, 99 for the true scores.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from spokeneval.formats.format import Answers, Items
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.counts import number_or_array, total
from spokeneval.scoring.scored import by_unit, crossed_intervals, score_intervals

TASK = declared_task(
    "trials", {"kind": "identification", "target": "same", "priors": 0.1, "other_unit": "test"}
)
SIZES = ((12, 40), (20, 60), (40, 200))
REPETITIONS = 200
OVER = ("enrolled", "test", "pair", "both")


def draw(rng: np.random.Generator, enrolled: int, tests: int, kept: float = 1.0) -> tuple[Answers, Answers]:
    """Return a reference and a submission, with this share of the nontargets."""
    one, other = np.divmod(np.arange(enrolled * tests), tests)
    label = (rng.integers(0, enrolled, tests)[other] != one).astype(int)
    chosen = (label == 0) | (rng.random(len(one)) < kept)
    one, other, label = one[chosen], other[chosen], label[chosen]
    moved = rng.normal(0, 0.5, enrolled)[one] + rng.normal(0, 0.5, tests)[other]
    scores = 2.2 * (label == 0) + moved + rng.normal(0, 0.8, len(one))
    texts = {
        "speaker": [f"e{each}" for each in one.tolist()],
        "test": [f"t{each}" for each in other.tolist()],
    }
    items = Items(tuple(map(str, range(len(one)))))
    return Answers(items, {"label": label}, texts), Answers(items, {"score": 2 * scores})


def scored(sides: tuple[Answers, Answers]) -> tuple[dict[str, float], dict[str, dict[str, object]]]:
    """Return the scores, and their intervals over each kind of unit."""
    rows = TASK.count(*sides)
    totals = {part: total(counts) for part, counts in rows.items()}
    scores = {score.key: number_or_array(score.value(TASK.part(score, totals))) for score in TASK.scores}
    assert TASK.other_units is not None
    parts = [by_unit(units(sides[0]), rows).parts for units in (TASK.units, TASK.other_units)]
    found = [score_intervals(TASK, scores, each) for each in (*parts, rows)]
    return scores, dict(zip(OVER, [*found, crossed_intervals(TASK, scores, *found)], strict=True))


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    repetitions = numbers[0] if numbers else REPETITIONS
    sizes = list(zip(numbers[1::2], numbers[2::2], strict=False)) or SIZES
    rng = np.random.default_rng(99)
    large = []
    for _ in range(6):
        rows = TASK.count(*draw(rng, 600, 1500, 0.05))
        totals = {part: total(counts) for part, counts in rows.items()}
        large.append([float(score.value(TASK.part(score, totals))) for score in TASK.scores])
    truths = dict(zip((score.key for score in TASK.scores), np.mean(large, axis=0), strict=True))
    for enrolled, tests in sizes:
        rng, covered = np.random.default_rng(20), Counter[tuple[str, str]]()
        for _ in range(repetitions):
            _, intervals = scored(draw(rng, enrolled, tests))
            for over, ends in intervals.items():
                covered.update(
                    (key, over) for key, (low, high, _) in ends.items() if low <= truths[key] <= high
                )
        for key, truth in truths.items():
            shares = {over: 100 * covered[key, over] / repetitions for over in OVER}
            cells = (f"{over} {share:.1f}" for over, share in shares.items())
            print(f"{enrolled:4d} × {tests:<4d}{key:14s}{truth:8.3f}  {'  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
