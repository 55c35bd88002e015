"""Trials of two sides: their variance against that of three scorings with one kind of unit each."""

import numpy as np
import pytest

import spokeneval
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.class_scores import MOST_OF_A_SIDE
from spokeneval.kinds.declared import declared_task
from spokeneval.kinds.kind import ParameterError
from spokeneval.run.library import read_gold, score_against

DECLARED = {"kind": "identification", "target": "same", "unit": "model"}


def trials(models, tests, times=2):
    """Trials with several of each pair, and the scores of a system that models and tests move."""
    rng = np.random.default_rng(7)
    moved = rng.normal(size=models), rng.normal(size=tests)
    gold, given = {}, {}
    for number in range(models * tests * times):
        model, test = number % models, number // models % tests
        label = "same" if model == test % models else "other"
        names = {"model": f"m{model}", "test": f"t{test}", "pair": f"m{model}-t{test}"}
        gold[f"trial {number}"] = {"label": label, **names}
        given[f"trial {number}"] = rng.normal() + moved[0][model] + moved[1][test] + 2 * (label == "same")
    return gold, given


def intervals(declared, gold, given):
    scored = score_against(read_gold(declared_task("own", declared), gold, {}), given)
    return scored, scored.intervals


def test_the_variance_of_crossed_trials_is_that_of_both_sides_without_that_of_pairs():
    gold, given = trials(12, 15)
    crossed, found = intervals({**DECLARED, "other_unit": "test"}, gold, given)
    sides = [intervals({**DECLARED, "unit": unit}, gold, given) for unit in ("model", "test", "pair")]
    for key, (low, high, error) in found.items():
        one, other, pair = (each[key].standard_error for _, each in sides)
        assert error == pytest.approx(max(one**2 + other**2 - pair**2, one**2, other**2) ** 0.5, abs=1e-9)
        assert low <= crossed.scores[key] <= high
    assert crossed.statistics.unit == "model"
    assert {key: crossed.scores[key] for key in ("eer", "cllr")} == pytest.approx(
        {key: sides[0][0].scores[key] for key in ("eer", "cllr")}
    )


def test_many_units_of_a_side_are_grouped():
    gold, given = trials(MOST_OF_A_SIDE + 20, 30, times=1)
    scored, _ = intervals({**DECLARED, "other_unit": "test"}, gold, given)
    assert scored.statistics.unit == "model group"
    assert len(scored.statistics.units) <= MOST_OF_A_SIDE


def test_both_sides_of_every_trial_are_named():
    gold, given = trials(3, 4, times=1)
    gold["trial 2"]["test"] = " "
    with pytest.raises(ReferenceFileError, match="the test is empty"):
        spokeneval.score({**DECLARED, "other_unit": "test"}, gold, given)
    with pytest.raises(ParameterError, match="trials of two sides"):
        declared_task("own", {**DECLARED, "other_unit": "test", "mean_over": "language"})


def test_comparisons_state_that_they_resample_one_side():
    gold, given = trials(6, 8)
    systems = {"one": given, "two": {trial: -score for trial, score in given.items()}}
    found = spokeneval.compare({**DECLARED, "other_unit": "test"}, gold, systems)
    joint = spokeneval.compare_tasks({"trials": found, "again": found})
    one_sided = spokeneval.compare(DECLARED, gold, systems)
    note = "allow for other models only, not for other tests"
    assert [sum(note in each for each in own.notes) for own in (found, joint, one_sided)] == [1, 2, 0]
    assert [pair.p for pair in found.pairs] == [pair.p for pair in one_sided.pairs]
