"""Tests of joint rankings: units that tasks have in common, systems that lack a task, and ranges from a plain loop."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import spokeneval
from benchmarks.bench_joint import cover
from spokeneval.metrics.bootstrap import RESAMPLES, SEED
from spokeneval.ranking.joint import join_tasks, joint_weights, tasks_with_common_units
from spokeneval.ranking.joint_rule import JointRule
from spokeneval.ranking.ranks import rank_sets
from spokeneval.ranking.writers import ranking_table
from spokeneval.scoring.scored import Statistics

DECISIONS = {"kind": "decisions", "classes": ["no", "yes"], "positive": "yes"}
SCORES = {"kind": "scores", "scale": [0, 30], "primary": "rmse"}


def decisions(names, *, seed=0, prefix="speaker", units=20):
    """A task with two classes: the later a system, the more errors it has."""
    rng = np.random.default_rng(seed)
    truth = {f"{prefix}{unit}": rng.choice(["no", "yes"]) for unit in range(units)}
    systems = {}
    for place, name in enumerate(names):
        wrong = rng.random(units) < 0.04 + 0.1 * place
        systems[name] = {
            item: {"no": "yes", "yes": "no"}[label] if bad else label
            for (item, label), bad in zip(truth.items(), wrong)
        }
    return spokeneval.compare(DECISIONS, truth, systems)


def scores(names, *, seed=1, prefix="speaker", units=20):
    """A task with scores: the later a system, the larger its errors are."""
    rng = np.random.default_rng(seed)
    truth = {f"{prefix}{unit}": rng.uniform(5, 25) for unit in range(units)}
    systems = {
        name: {item: min(30, max(0, score + rng.normal() * (1 + place))) for item, score in truth.items()}
        for place, name in enumerate(names)
    }
    return spokeneval.compare(SCORES, truth, systems)


def test_one_task_twice_has_the_ranges_of_the_task():
    task = decisions("abcde")
    twice = spokeneval.compare_tasks({"one": task, "two": task}, rule="macro_mean")
    assert [(row.name, row.score, row.rank, row.ranks) for row in twice.rows] == [
        (row.name, pytest.approx(row.score), row.rank, row.ranks) for row in task.rows
    ]
    assert twice.units == "20 items of one and two"
    several = spokeneval.compare_tasks(dict.fromkeys(["one", "two", "three", "four"], task))
    assert several.units == "20 items of one, two, three (and 1 more)"


def test_common_units_are_drawn_together_and_others_independently():
    names = {"a": "123456", "b": "3456789", "c": "xyz", "d": "123456"}
    counts = {
        task: Statistics("call" if task == "d" else "speaker", [*own], {}) for task, own in names.items()
    }
    assert tasks_with_common_units(counts) == [["a", "b"], ["c"], ["d"]]  # d's units are calls
    weights = joint_weights(counts, tasks_with_common_units(counts))
    assert {task: drawn.shape for task, drawn in weights.items()} == {
        task: (RESAMPLES, len(own)) for task, own in names.items()
    }
    assert (weights["a"][:, 2:] == weights["b"][:, :4]).all()
    assert (weights["a"][:, :2].sum(axis=1) + weights["b"].sum(axis=1) == 9).all()
    assert (weights["c"].sum(axis=1) == 3).all()
    for task in "cd":
        with np.errstate(invalid="ignore"):
            both = np.corrcoef(weights["a"].T, weights[task].T)[:6, 6:]
        assert abs(both).max() < 0.1  # 4.5 standard errors


def resampled_scores(task, ranking, names, weights):
    """The scores of systems in each resample, shape (r, s), higher is better, without the module under test."""
    primary, statistics = (
        ranking.definition.primary,
        {system.name: system.statistics for system in ranking.systems},
    )
    columns = []
    for name in names:
        rows = ranking.definition.part(primary, statistics[name].parts)
        sums = {
            field: weights[task] @ np.asarray(values, dtype=float) for field, values in vars(rows).items()
        }
        columns.append(primary.value(type(rows)(**sums)))
    return np.stack(columns, axis=1) * (1 if primary.direction == "higher" else -1)


@pytest.mark.parametrize("rule", ["mean_rank", "weighted_sum"])
def test_ranges_are_those_of_a_loop(rule):
    tasks = {
        "first": decisions("abcde"),
        "second": scores("bacde"),
        "third": scores("abcde", prefix="other", units=9),
    }
    found = join_tasks(
        tasks, JointRule(rule, weights=dict.fromkeys(tasks, 1) if rule == "weighted_sum" else {})
    )
    assert found.notes[0].startswith("Weights: first 1, second 1, third 1.") == (rule == "weighted_sum")
    why = "it depends on the other systems" if rule == "mean_rank" else "tasks may share units, which"
    assert f"A joint score has no interval: {why}" in found.notes[0]
    names = [row.name for row in found.rows]
    counts = {task: ranking.systems[0].statistics for task, ranking in tasks.items()}
    weights = joint_weights(counts, tasks_with_common_units(counts))
    values = np.array([row.score for row in found.rows])
    total, widened = np.zeros((RESAMPLES, 5)), 1.0
    if rule == "mean_rank":
        varied = np.random.RandomState(SEED).chisquare(7, RESAMPLES) / 7
        widened = np.sqrt(9 / 8 / varied)[:, np.newaxis]
    for task, ranking in tasks.items():
        drawn = resampled_scores(task, ranking, names, weights)
        ones = {task: np.ones((1, weights[task].shape[1]))}
        drawn = (center := resampled_scores(task, ranking, names, ones)) + (drawn - center) * widened
        if rule == "mean_rank":
            drawn = (
                -np.array([[1 + sum(other > mine + 1e-10 for other in row) for mine in row] for row in drawn])
                / 3
            )
        total += drawn
    signed = values if rule == "weighted_sum" else -values
    units = 9 if rule == "weighted_sum" else 10**6
    assert [row.ranks for row in found.rows] == rank_sets(signed, total, units=units, higher=True)
    if rule == "mean_rank":
        assert values.tolist() == pytest.approx([np.mean([*places.values()]) for places in found.places])
        first, second = found.pairs[0].first, found.pairs[0].second
        lost = 2 * np.mean(total[:, first] <= total[:, second])
        assert found.pairs[0].p >= min(1, lost) - 1e-12


def test_the_same_order_in_all_resamples_of_few_units_shows_nothing():
    said = ["good morning", "how are you", "fine thank you", "see you soon", "yes please", "it is eight"]
    heard = {"large": said, "small": [said[0], "who are you", "fine", said[3], "yes", said[5]]}
    task = spokeneval.compare({"kind": "transcripts"}, said, heard)
    found = spokeneval.compare_tasks({"one": task, "two": task})
    assert [row.ranks for row in task.rows] == [row.ranks for row in found.rows] == [(1, 2), (1, 2)]


def test_systems_without_a_task_are_apart_or_ranked_as_declared():
    tasks = {"A": decisions("abcde"), "B": scores("bcdf")}
    rules = {
        ("excluded", ()): "bcd",
        ("worst", ("A",)): "bacde",
        ("worst", ("A", "B")): "bcd",
        ("zero", ()): "bcdafe",
    }
    for (missing, compulsory), ranked in rules.items():
        rule = "normalised_sum" if missing == "zero" else "mean_rank"
        found = spokeneval.compare_tasks(tasks, rule=rule, missing=missing, compulsory=compulsory)
        assert sorted(row.name for row in found.rows) == sorted(ranked)
        for name in set("abcdef") - set(ranked):
            lacking = "A" if name == "f" else "B"
            words = f"no score in {lacking}" + (", which is compulsory" if lacking in compulsory else "")
            assert found.apart[name] == words
    late = replace(
        tasks["A"], rows=[replace(row, excluded="unofficial" * (row.name == "b")) for row in tasks["A"].rows]
    )
    found = spokeneval.compare_tasks({**tasks, "A": late})
    assert (sorted(row.name for row in found.rows), found.apart["b"]) == (["c", "d"], "unofficial")
    nobody = spokeneval.compare_tasks({"A": decisions("ab"), "B": scores("cd")})
    assert (nobody.rows, [*nobody.apart]) == ((), [*"abcd"])
    assert "Not ranked" in str(nobody)
    failed = replace(scores("cd"), unscored=["x"])  # without any score
    assert spokeneval.compare_tasks({"A": decisions("cd"), "B": failed}, missing="worst").apart == {
        "x": "no score in A and B"
    }
    optional = spokeneval.compare_tasks(
        {"A": decisions("ab"), "B": scores("cd")}, missing="worst", compulsory=["A"]
    )
    assert [row.scores.keys() for row in optional.rows] == [{"A"}, {"A"}]
    assert "No ranked system has a score in B" in optional.notes[0]


@pytest.mark.parametrize(
    ("rule", "order", "score"),
    [
        ("mean_rank", "badc", 1.5),  # A: after d, before a; B: first
        (
            "normalised_sum",
            "badc",
            0.9231 / (0.8889 + 0.9630 + 0.64) + 1 - 1.1811 / (1.4332 + 2.3378 + 3.5834),
        ),
    ],
)
def test_a_baseline_changes_nothing_and_is_shown_at_its_place_without_a_rank(rule, order, score):
    tasks = {"A": decisions("abcd"), "B": scores("badc")}
    parts = {task: (own, [row for row in own.rows if row.name != "b"]) for task, own in tasks.items()}
    others = {
        task: replace(own, rows=rows, systems=[system for system in own.systems if system.name != "b"])
        for task, (own, rows) in parts.items()
    }
    alone = spokeneval.compare_tasks(others, rule=rule)
    found = spokeneval.compare_tasks(tasks, rule=rule, baseline="b")
    for field in ("rows", "places", "pairs", "units", "apart"):
        assert getattr(found, field) == getattr(alone, field)
    assert found.baseline.score == pytest.approx(score, abs=1e-4)
    shown = ranking_table(found).rows
    assert [row[0][0] for row in shown] == [*order]
    assert shown[order.index("b")][:2] == ["b (baseline)", "–"]
    row = next(row for row in csv.DictReader(io.StringIO(found.to_csv())) if row["system"] == "b")
    assert [row[key] for key in ("rank", "cluster", "A_rank", "reason")] == ["", "", "", "baseline"]
    assert float(row[rule]) == found.to_dict()["baseline"]["score"] == found.baseline.score
    assert "The baseline, b, counts in no rank or total." in found.notes[0]


def test_rules_that_do_not_fit_the_scores_list_all_problems():
    tasks = {"A": decisions("ab"), "B": scores("ab")}
    with pytest.raises(
        ValueError, match="found F1 in A, RMSE in B; mean_rank and weighted_sum are for all scores"
    ) as found:
        spokeneval.compare_tasks(tasks, rule="macro_mean", compulsory=["C"])
    assert str(found.value).startswith("compulsory: there is no task 'C'")
    r = spokeneval.compare({"kind": "scores", "scale": [0, 9]}, [1, 2, 3], {"a": [1, 2, 3], "b": [1, 3, 2]})
    with pytest.raises(ValueError, match="Pearson r in B may be negative"):
        spokeneval.compare_tasks({"A": tasks["A"], "B": r}, rule="normalised_sum")
    for missing in ("excluded", "baseline"):
        with pytest.raises(ValueError, match="baseline: c has no score in A and B; expected one of a, b"):
            spokeneval.compare_tasks(tasks, missing=missing, baseline="c")
    lacking = {"A": decisions("abc"), "B": scores("ab")}
    found = spokeneval.compare_tasks(lacking, baseline="c")
    assert (found.baseline.score, [*found.baseline.scores]) == (None, ["A"])
    assert "c has no score in B." in found.notes[0]
    with pytest.raises(TypeError, match="expected the result of `compare`"):
        spokeneval.compare_tasks({"A": 1})


def test_too_few_units_of_one_task_show_nothing():
    found = spokeneval.compare_tasks({"A": decisions("abc"), "B": scores("abc", units=5)})
    assert [row.ranks for row in found.rows] == [(1, 3)] * 3
    assert {pair.adjusted for pair in found.pairs} == {1.0}
    assert "too few to separate systems" in found.notes[-1]


def test_forms_of_a_joint_comparison(tmp_path):
    found = spokeneval.compare_tasks(
        {"A": decisions("abc"), "B": scores(["a", "b", "=d"])}, missing="excluded"
    )
    found.write(tmp_path)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "board.csv").read_text(encoding="utf-8"))))
    assert [row["system"] for row in rows] == ["a", "b", "'=d", "c"]
    assert [float(row["mean_rank"]) for row in rows[:2]] == [row.score for row in found.rows]
    assert [row["reason"] for row in rows] == ["", "", "no score in A", "no score in B"]
    content = json.loads(json.dumps(found.to_dict()))
    assert content["pairs"][0]["adjusted_p"] == found.pairs[0].adjusted
    assert content["apart"] == found.apart
    assert "Mean rank" in (tmp_path / "board.tex").read_text(encoding="utf-8")
    for words in (
        "A, B · Mean rank (lower is better)",
        "p, stepwise",
        "no score in B",
        found.tasks["A"].signature,
    ):
        assert words in str(found)


@pytest.mark.thorough
@pytest.mark.parametrize("shared", [True, False])
def test_all_ranges_hold_at_once(shared):
    # At 95 %, fewer than 88 % of 100 sets have a chance of 0.2 %.
    assert min(cover("equal", 3, 5, 30, shared=shared, sets=100)) >= 88
