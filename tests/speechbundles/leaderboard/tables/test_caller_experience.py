"""The table of the listeners' agreement, compared with kappas of their ratings."""

import numpy as np

from speechbundles.leaderboard.outputs import ScoringOutput
from speechbundles.leaderboard.tables.caller_experience import listeners_agreement, rating_differences
from spokeneval.metrics.agreement import cohen_kappa
from spokeneval.metrics.rater_pairs import rater_pairs
from spokeneval.scoring.options import Signature
from spokeneval.scoring.scored import Statistics


def test_the_listeners_kappas_from_summed_pairs():
    ratings = np.random.RandomState(6).randint(1, 6, size=(3, 60))
    ratings[1] = np.clip(ratings[0] + ratings[1] // 4, 1, 5)
    listeners = ((0, 1), (0, 2), (1, 2))
    system = np.full(60, 3)
    raters = [
        *((listener, system) for listener in ratings),
        *((ratings[a], ratings[b]) for a, b in listeners),
    ]
    sides = (np.stack(side) for side in zip(*raters, strict=True))
    pairs = rater_pairs(*sides, scale=(1, 5), counted=np.ones(6))
    units = [str(call) for call in range(60)]
    statistics = Statistics("call", units, {"pairs": pairs})
    outputs = [ScoringOutput("x", {}, Signature("caller_experience"), statistics)]
    table = listeners_agreement(outputs)
    expected = [
        f"{cohen_kappa(ratings[a], ratings[b], weights='linear', scale=(1, 5)):.2f}" for a, b in listeners
    ]
    assert [row[1] for row in table.rows] == expected
    assert [row[0] for row in table.rows] == ["human1 vs. human2", "human1 vs. human3", "human2 vs. human3"]
    assert len(set(expected)) > 1
    # Figures 1 and 2: the frequency of each difference, and of identical ratings or those within one point.
    compared = [(ratings[a], ratings[b]) for a, b in listeners] + [(each, system) for each in ratings]
    rows = rating_differences(outputs).rows
    for row, (one, other) in zip(rows, compared, strict=True):
        counts = [
            sum(abs(first - second) == apart for first, second in zip(one, other, strict=True))
            for apart in range(5)
        ]
        assert row[1:] == [f"{100 * count / 60:.1f}" for count in (*counts, counts[0] + counts[1])]
    assert [row[0] for row in rows[2:4]] == ["human2 vs. human3", "human1 vs. x"]
    assert rating_differences([ScoringOutput("x", {}, Signature("caller_experience"), None)]) is None
