"""Tests between groups: against scipy's t test, and their rate of false findings in a simulation."""

import json

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.jackknife import jackknife_p
from spokeneval.ranking.groups import group_pairs
from spokeneval.run.library import read_gold, score_against

DECLARED = {"kind": "decisions", "classes": ["A", "B"], "positive": "A", "primary": "accuracy"}
TASK = declared_task("own", DECLARED)


def compared(rng, rates, units=8, items=10):
    """Two systems on groups of speakers with equally many items, each speaker in one group; accuracies by group."""
    names, gold, groups = [], {}, {}
    for group in rates:
        for speaker in range(units):
            for item in range(items):
                name = f"{group}{speaker}-{item}"
                names.append(name)
                gold[name] = {"label": "AB"[item % 2], "speaker": f"{group}{speaker}"}
                groups[name] = group
    systems = {}
    for system in ("one", "two"):
        right = {name: rng.random() < rates[groups[name]] for name in names}
        systems[system] = {
            name: gold[name]["label"] if right[name] else "BA"[int(name[-1]) % 2] for name in names
        }
    return gold, systems, groups


def speakers_of(gold, answers, groups, group):
    right = {}
    for name, row in gold.items():
        if groups[name] == group:
            right.setdefault(row["speaker"], []).append(answers[name] == row["label"])
    return [np.mean(each) for each in right.values()]


def test_differences_between_groups_are_those_of_their_means():
    """With equally many items a group's accuracy is the mean of its speakers', and t is near that of Welch's test."""
    gold, systems, groups = compared(np.random.default_rng(1), {"de": 0.9, "en": 0.7, "th": 0.85}, units=30)
    found = spokeneval.compare(DECLARED, gold, systems, by=groups)
    assert [(pair.system, pair.first, pair.second) for pair in found.groups] == [
        (system, *pair) for system in ("one", "two") for pair in (("de", "en"), ("de", "th"), ("en", "th"))
    ]
    for pair in found.groups:
        one, other = (
            speakers_of(gold, systems[pair.system], groups, each) for each in (pair.first, pair.second)
        )
        welch = stats.ttest_ind(one, other, equal_var=False)
        assert pair.difference == pytest.approx(np.mean(one) - np.mean(other), abs=1e-12)
        assert pair.p == pytest.approx(welch.pvalue, rel=0.25, abs=1e-4)
        assert pair.interval.low < pair.difference < pair.interval.high
    order = sorted(found.groups, key=lambda pair: pair.p)
    assert [pair.adjusted for pair in order] == pytest.approx(
        np.minimum(1, np.maximum.accumulate([(6 - n) * pair.p for n, pair in enumerate(order)])).tolist()
    )
    assert "Differences in Accuracy between groups" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["groups"][0]["second"] == "en"
    assert spokeneval.compare(DECLARED, gold, systems).groups == ()


def test_groups_of_few_speakers_are_not_compared():
    gold, systems, groups = compared(np.random.default_rng(2), {"de": 0.9, "en": 0.7}, units=3)
    assert spokeneval.compare(DECLARED, gold, systems, by=groups).groups == []


def test_p_is_student_s():
    rng = np.random.default_rng(3)
    values = rng.normal(size=40)
    without = (values.sum() - values) / 39
    found = jackknife_p(values.mean(), without)
    assert found == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=0.05)
    assert jackknife_p(1.0, np.ones(5)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("units", [6, 12, 40])
def test_equal_groups_are_rarely_found_to_differ(units):
    """Of 200 test sets with equal rates, at most 5 % and three standard errors have an adjusted p of 0.05 or less."""
    rng, found = np.random.default_rng(units), 0
    for _ in range(200):
        gold, systems, groups = compared(rng, dict.fromkeys(("a", "b", "c"), 0.8), units=units, items=4)
        read = read_gold(TASK, gold, {})
        scored = {name: score_against(read, answers) for name, answers in systems.items()}
        speakers = [row["speaker"] for row in gold.values()]
        pairs = group_pairs(TASK, scored, speakers, list(groups.values()))
        found += min(pair.adjusted for pair in pairs) <= 0.05
    assert found <= 200 * (0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5)
