"""Scores of the means of levels: against scipy on the means of each level's items."""

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.formats.problems import ReferenceFileError

SCORES = {"kind": "scores", "scale": [0, 10], "level": "system"}
RATINGS = {"kind": "ratings", "raters": 3, "scale": [1, 5], "step": 0.5, "level": "system"}
SYSTEMS = [f"s{n % 7}" for n in range(60)]


def _scores(rng):
    """Human scores whose means have ties, so that τ-b differs from τ-a."""
    human = rng.integers(0, 11, 60)
    human[[1, 8, 15]], human[[2, 9, 16]] = 5, 5
    return human, {"score": human}, rng.integers(0, 11, 60)


def _ratings(rng):
    """Half points, of which a third are missing; the first two raters rated every item."""
    table = 1 + rng.integers(0, 9, (3, 60)) / 2
    table[2, rng.random(60) < 0.7] = np.nan
    return (
        np.nanmean(table, axis=0),
        dict(zip(("rater1", "rater2", "rater3"), table, strict=True)),
        1 + rng.integers(0, 9, 60) / 2,
    )


@pytest.mark.parametrize(("declared", "draw"), [(SCORES, _scores), (RATINGS, _ratings)])
def test_scores_by_level_are_those_of_the_means_of_its_items(declared, draw):
    human, columns, given = draw(np.random.default_rng(8))
    reference = {
        f"i{n}": {"system": own, **{name: float(cells[n]) for name, cells in columns.items()}}
        for n, own in enumerate(SYSTEMS)
    }
    submission = dict(zip(reference, given.tolist(), strict=True))
    found = spokeneval.score(declared, reference, submission)
    means = [
        [
            np.mean([value for value, own in zip(side, SYSTEMS, strict=True) if own == each])
            for each in sorted(set(SYSTEMS))
        ]
        for side in (human, given)
    ]
    expected = {
        "level_pearson_r": stats.pearsonr(*means).statistic,
        "level_spearman_r": stats.spearmanr(*means).statistic,
        "level_kendall": stats.kendalltau(*means).statistic,
        "level_rmse": np.sqrt(np.mean(np.subtract(*means) ** 2)),
    }
    assert list(found.scores)[:4] == list(expected)
    assert [found.scores[key] for key in expected] == pytest.approx(list(expected.values()), rel=0, abs=1e-12)
    assert found.unit == "system"
    by_system = found.report().partition("By system</h2>")[2]
    assert "RMSE by system" in by_system
    assert "Pearson r by system" not in by_system  # one mean has no correlation
    plain = {key: value for key, value in declared.items() if key != "level"}
    bare = {item: {**row, "speaker": row["system"]} for item, row in reference.items()}
    assert found.scores == {**found.scores, **spokeneval.score(plain, bare, submission).scores}


@pytest.mark.parametrize("declared", [SCORES, RATINGS], ids=["scores", "ratings"])
@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        (["a", "", "b", "c"], "the system is empty"),
        (["a", "a", "b", "b"], "2 means by system, from 1.5 to 3.5; expected"),
        (None, "no column '?system"),
    ],
)
def test_levels_that_cannot_be_correlated_are_refused(declared, systems, expected):
    human = (
        [1, 2, 3, 4] if declared is SCORES else [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4]
    )
    often = len(human) // 4
    columns = ["score"] if declared is SCORES else ["rater1", "rater2", "rater3"]
    reference = {
        f"i{n}": {**dict.fromkeys(columns, value), **({"system": systems[n // often]} if systems else {})}
        for n, value in enumerate(human)
    }
    with pytest.raises((ReferenceFileError, ValueError), match=expected):
        spokeneval.score(declared, reference, dict(zip(reference, human, strict=True)))
