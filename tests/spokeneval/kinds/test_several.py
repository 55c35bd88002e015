"""Several questions about each item: each against numpy and scikit-learn alone, and the mean over them."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

import spokeneval
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.kinds.declared import declared_task

FEELINGS = ["froh", "traurig", "wütend"]
SCALE = {"kind": "scores", "scale": [1, 7], "primary": "ccc"}
DECLARED = {
    "kind": "several",
    "id": "Aufnahme",
    "questions": {
        "gefühl": {"kind": "decisions", "classes": FEELINGS},
        "Erregung": SCALE,
        "valenz": {**SCALE, "step": 0.5},
    },
}


def ccc(human, given):
    """Lin (1989), equation 2."""
    covariance = np.mean((human - human.mean()) * (given - given.mean()))
    return 2 * covariance / (human.var() + given.var() + (human.mean() - given.mean()) ** 2)


def drawn(items=60):
    rng = np.random.default_rng(59)
    human = {name: rng.integers(2, 15, items) / 2 for name in ("Erregung", "valenz")}
    given = {name: np.clip(column + rng.normal(0, 1, items), 1, 7).round(3) for name, column in human.items()}
    human["gefühl"], given["gefühl"] = rng.choice(FEELINGS, items), rng.choice(FEELINGS, items)
    return human, given


def rows(columns, **more):
    sizes = range(len(columns["valenz"]))
    ids = {"Aufnahme": [f"a{number}" for number in sizes]}
    return [
        dict(zip({**ids, **columns}, cells, strict=True))
        for cells in zip(*ids.values(), *columns.values(), strict=True)
    ]


def scored(human, given, declared=DECLARED):
    speakers = {"speaker": [f"s{place % 12}" for place in range(len(human["valenz"]))]}
    return spokeneval.score(declared, rows({**human, **speakers}), rows(given)[::-1])


def test_each_question_has_its_own_scores_and_the_mean_ranks():
    human, given = drawn()
    result = scored(human, given)
    each = [ccc(human[name], given[name]) for name in ("Erregung", "valenz")]
    assert next(iter(result.scores)) == "mean_ccc"
    assert result.scores["mean_ccc"] == pytest.approx(np.mean(each), abs=1e-12)
    assert [result.scores[f"{name}_ccc"] for name in ("erregung", "valenz")] == pytest.approx(each, abs=1e-12)
    f1 = f1_score(human["gefühl"], given["gefühl"], average="macro")
    assert result.scores["question1_macro_f1"] == pytest.approx(f1, abs=1e-12)
    within = np.mean(np.abs(human["valenz"] - given["valenz"]) <= 0.5)
    assert result.scores["valenz_within_one"] == pytest.approx(100 * within)


def test_the_interval_of_the_mean_knows_which_questions_go_with_each_other():
    """Equal questions tell as much as one; two that are independent tell more."""
    human, given = drawn()
    one, mean = (
        scored(human, given),
        scored({**human, "Erregung": human["valenz"]}, {**given, "Erregung": given["valenz"]}),
    )
    assert mean.intervals["mean_ccc"] == pytest.approx(one.intervals["valenz_ccc"], abs=0.01)
    widths = {key: high - low for key, (low, high) in one.intervals.items()}
    apart = np.hypot(widths["erregung_ccc"], widths["valenz_ccc"]) / 2
    assert widths["mean_ccc"] == pytest.approx(apart, rel=0.25)


def test_a_leaderboard_shows_each_question_beside_the_mean():
    assert declared_task("emotion", DECLARED).view.beside() == [
        "question1_macro_f1",
        "erregung_ccc",
        "valenz_ccc",
    ]


@pytest.mark.parametrize(
    ("side", "column", "cell", "message"),
    [
        ("reference", "valenz", "3.3", "valenz '3.3'; expected a number from 1 to 7 in steps of 0.5"),
        ("reference", "Erregung", None, "Erregung: all human scores are 4"),
        ("reference", "gefühl", None, "gefühl: only one kind of item"),
        ("submission", "gefühl", "heiter", "gefühl 'heiter'; expected 'froh' or 'traurig' or 'wütend'"),
        ("submission", "Erregung", "", "Erregung is empty"),
    ],
)
def test_a_refusal_names_the_question(side, column, cell, message):
    human, given = drawn()
    files = {"reference": {**human}, "submission": {**given}}
    chosen = files[side][column].astype(object)
    chosen[:] = chosen[:] if cell is not None else {"Erregung": 4, "gefühl": "froh"}[column]
    chosen[3] = chosen[3] if cell is None else cell
    files[side][column] = chosen
    error = ReferenceFileError if side == "reference" else SubmissionError
    with pytest.raises(error) as refused:
        scored(files["reference"], files["submission"])
    assert message in str(refused.value)
