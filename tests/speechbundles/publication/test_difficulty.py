"""Difficulty of items and ability of systems: the model recovers simulated values, and every task supports it."""

import csv
import io
import re

import numpy as np
import pytest
import scipy.optimize

from speechbundles.publication.difficulty import (
    FARTHEST,
    Difficulty,
    abilities_table,
    fit_rasch,
    item_difficulty,
    items_table,
)
from speechbundles.publication.render import table_to_csv
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.files import Files
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.run.statistics import Statistics, by_unit
from tests.samples.cases import CASES
from tests.samples.programs import encoded


def simulated(
    seed: int, items: int, systems: int, spread: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return simulated answers, difficulties and abilities."""
    rng = np.random.default_rng(seed)
    difficulty, ability = rng.normal(0, spread, items), np.linspace(-3, 3, systems)
    right = rng.random((items, systems)) < 1 / (1 + np.exp(difficulty[:, np.newaxis] - ability))
    return right * 1.0, difficulty, ability


def test_twenty_systems_tell_the_difficulty_of_a_thousand_items():
    right, difficulty, ability = simulated(0, 1000, 20, 3.0)
    model = fit_rasch(right)
    assert np.corrcoef(model.difficulty, difficulty)[0, 1] > 0.95
    assert np.corrcoef(model.ability, ability)[0, 1] > 0.99
    assert model.spread == pytest.approx(3, abs=0.2)
    # The standard errors match the actual errors: the mean of 1,000 standardised squares deviates by about 0.05.
    assert np.mean(((model.difficulty - difficulty) / model.error) ** 2) == pytest.approx(1, abs=0.2)


@pytest.mark.default_cases("20-3.0")
@pytest.mark.parametrize(("systems", "spread"), [(20, 3.0), (40, 4.0), (100, 0.5)])
def test_the_grid_of_difficulties_is_fine_enough(systems, spread):
    # The likelihood and the posterior of each item by themselves, on a grid of 0.02 logits: with 41 nodes of a
    # Gauss-Hermite quadrature, difficulties of 20 systems were off by 0.30, and the likelihood of 40 lower by 7.
    right, *_ = simulated(3, 150, systems, spread)
    model = fit_rasch(right)
    grid = np.arange(-50, 50, 0.02)

    def of_items(ability, spread):
        logits = ability[:, np.newaxis] - grid
        log_right, log_wrong = -np.logaddexp(0, -logits), -np.logaddexp(0, logits)
        prior = -((grid / spread) ** 2) / 2 - np.log(spread * np.sqrt(2 * np.pi))
        return right @ log_right + (1 - right) @ log_wrong + prior

    def likelihood(ability, spread):
        joint = of_items(ability, spread)
        largest = joint.max(axis=1)
        return float((largest + np.log(np.exp(joint - largest[:, np.newaxis]).sum(axis=1) * 0.02)).sum())

    joint = of_items(model.ability, model.spread)
    shares = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.difficulty, shares @ grid, rtol=0, atol=1e-6)
    deviation = np.sqrt(shares @ grid**2 - (shares @ grid) ** 2)
    np.testing.assert_allclose(model.error, deviation, rtol=0, atol=1e-6)
    best = likelihood(model.ability, model.spread)
    for move in (0.98, 1.02):
        assert likelihood(move * model.ability, model.spread) < best
    found = scipy.optimize.minimize_scalar(
        lambda spread: -likelihood(model.ability, spread),
        bounds=(0.5 * model.spread, 2 * model.spread),
        method="bounded",
        options={"xatol": 1e-5},
    )
    assert model.spread == pytest.approx(found.x, abs=1e-3)


@pytest.mark.parametrize("name", task_names())
def test_every_task_says_how_right_an_item_is(name):
    task, case = find_task(name), CASES[name]
    reference = task.format.read_reference(encoded(case.reference))
    files = Files(encoded(case.submission))
    rows = task.count(reference, task.format.read_submission(files, reference.items))
    right = np.asarray(task.right(rows))
    assert right.shape == (len(task.units(reference).of),)
    assert ((right >= 0) & (right <= 1)).all()
    assert 0 < right.mean() <= 1


def systems_of(right: np.ndarray) -> list[Statistics]:
    """Return Spoken CALL statistics of systems, with two responses for each speaker."""
    units = Units("speaker", {f"r{number}": f"s{number // 2}" for number in range(len(right))})
    correct = np.arange(len(right)) % 3 > 0
    meaningful = np.ones_like(correct)
    counts = [decisions_per_response(correct, meaningful, correct == answers) for answers in right.T == 1]
    return [by_unit(units, {"decisions": each}) for each in counts]


def test_items_are_told_apart_though_intervals_are_over_speakers():
    right, *_ = simulated(2, 60, 5, 1.5)
    found = item_difficulty(find_task("spoken_call"), systems_of(right))
    assert list(found.items) == [f"r{number}" for number in range(60)]
    np.testing.assert_allclose(found.right, right.mean(axis=1))
    order = np.argsort(-found.model.difficulty, kind="stable")
    assert found.hardest_first.tolist() == order.tolist()
    table = abilities_table(found, list("ABCDE"))
    assert [row[0] for row in table.rows] == list("ABCDE")
    assert f"The hardest items are r{order[0]}, r{order[1]}, r{order[2]}; " in table.note
    rows = list(csv.DictReader(io.StringIO(table_to_csv(items_table(found)))))
    assert [row["item"] for row in rows] == [f"r{number}" for number in order]
    assert float(rows[0]["right"]) == pytest.approx(right[order[0]].mean(), abs=1e-4)


@pytest.mark.parametrize(("spread", "varying"), [(0.0, (0, 2)), (1.5, (6, 6))])
def test_items_are_named_only_if_difficulties_differ_significantly(spread, varying):
    # The level is 5 %: of six sets of equally hard items, more than two are significant with a probability of 0.2 %.
    found = [fit_rasch(simulated(seed, 80, 4, spread)[0]) for seed in range(6)]
    assert varying[0] <= sum(model.varies for model in found) <= varying[1]
    model = next(model for model in found if model.varies == bool(spread))
    table = abilities_table(Difficulty([f"r{n}" for n in range(80)], np.zeros(80), model), list("ABCD"))
    assert ("hardest items are" in table.note) is bool(spread)


def test_two_systems_or_answers_that_do_not_vary_say_nothing_of_items():
    task = find_task("spoken_call")
    for systems in (2, 4):
        assert item_difficulty(task, systems_of(np.ones((6, systems)))) is None


def test_no_item_is_a_formula_and_who_is_always_right_has_an_ability():
    right, *_ = simulated(1, 50, 4, 1.0)
    right[:, 0] = 1
    model = fit_rasch(right)
    assert model.ability[0] == FARTHEST
    assert np.isfinite(model.difficulty).all()
    found = Difficulty([f"={n}" for n in range(50)], right.mean(axis=1), model)
    assert not re.search(r"^=", table_to_csv(items_table(found)), re.MULTILINE)
