"""Tests between groups: against scipy's t test, and their rate of false findings in a simulation."""

import json

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.__main__ import main
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.jackknife import jackknife_p
from spokeneval.ranking.group_differences import group_pairs
from spokeneval.scoring.groups import groups_of_column, rows_of_groups
from spokeneval.scoring.library import read_answers, read_for_scoring
from spokeneval.scoring.scored import score_submission

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


def test_groups_are_those_of_a_column_of_the_reference(tmp_path, capsys):
    gold, systems, groups = compared(np.random.default_rng(1), {"de": 0.9, "en": 0.7})
    labels = [
        "id,label,speaker,dialect",
        *(f"{n},{r['label']},{r['speaker']},{groups[n]}" for n, r in gold.items()),
    ]
    paths = [tmp_path / f"{name}.csv" for name in ("labels", *systems)]
    for path, rows in zip(
        paths, (labels, *(["id,label", *map(",".join, own.items())] for own in systems.values()))
    ):
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    kind = ["--kind", "decisions", "--set", "classes=A,B", "--set", "positive=A", "--set", "primary=accuracy"]
    shell = ["compare", *kind, "--reference", *map(str, paths), "--json"]
    assert main([*shell, "--by", "dialect"]) == 0
    expected = spokeneval.compare(DECLARED, gold, systems, by=groups).to_dict()["groups"]
    assert json.loads(capsys.readouterr().out)["groups"] == json.loads(json.dumps(expected))
    assert main([*shell, "--by", "accent"]) == 1
    assert "no column accent" in capsys.readouterr().err
    assert main(["compare", "--rule", "mean_rank", "a", "b", "--by", "dialect"]) == 2
    assert "--by: not with --rule" in capsys.readouterr().err


def test_levels_are_not_split_into_groups_or_units():
    """Means of systems count as wholes; a site with half of the items of each gave a correlation of 0."""
    task = {"kind": "scores", "scale": [0, 10], "level": "system"}
    gold = {f"i{n}": {"score": n % 10, "system": f"s{n % 12}"} for n in range(24)}
    answers = {f"i{n}": 3 * n % 10 for n in range(24)}
    split, whole = [f"x{n // 12}" for n in range(24)], [f"g{n % 2}" for n in range(24)]
    for call in (
        lambda given: spokeneval.score(task, gold, answers, by=given),
        lambda given: spokeneval.score(task, gold, answers, units=given),
        lambda given: spokeneval.compare(task, gold, {"a": answers, "b": answers}, by=given),
    ):
        with pytest.raises(ValueError, match=r"system s0 has x0, x1; expected one value for each"):
            call(split)
        assert call(whole)


@pytest.mark.parametrize(("items", "named"), [(600, dict), (1200, list)])
def test_items_of_identification_have_groups_and_units_however_many_they_are(items, named):
    """Above 1,000 items, and with units, rows of the counts have several items: groups are counted by themselves."""
    rng, names = np.random.default_rng(4), [f"i{n}" for n in range(items)]
    gold = {name: {"label": "AB"[n % 2]} for n, name in enumerate(names)}
    systems = {
        name: {item: {"score": rng.normal() - (row["label"] == "B")} for item, row in gold.items()}
        for name in "ab"
    }
    site, speaker = [f"x{n // 2 % 2}" for n in range(items)], [f"s{n // 4 % 30}" for n in range(items)]
    by, units = (given if named is list else dict(zip(names, given)) for given in (site, speaker))
    task = {"kind": "identification", "target": "A", "primary": "cllr"}
    alone = []
    for group in ("x0", "x1"):
        own = [name for name, each in zip(names, site) if each == group]
        alone.append(
            spokeneval.score(
                task, *({name: side[name] for name in own} for side in (gold, systems["a"]))
            ).score
        )
    for who in (None, units):
        (first, _) = spokeneval.compare(task, gold, systems, by=by, units=who).groups
        assert (first.system, first.first, first.second) == ("a", "x0", "x1")
        assert first.scores == pytest.approx(alone, abs=1e-9)
        own = spokeneval.score(task, gold, systems["a"], by=by, units=who)
        assert [own.groups[group].scores["cllr"] for group in ("x0", "x1")] == pytest.approx(alone, abs=1e-9)
    named_speakers = {name: {**gold[name], "speaker": each} for name, each in zip(names, speaker)}
    column = spokeneval.score(task, named_speakers, systems["a"])
    assert (own.scores, own.intervals, own.units) == (column.scores, column.intervals, 30)
    assert own.signature != spokeneval.score(task, gold, systems["a"], units=speaker[::-1]).signature


def test_a_difference_that_no_unit_changes_has_no_p_value():
    gold = {f"i{n}": {"label": "AB"[n // 20], "speaker": f"s{n % 10}"} for n in range(40)}
    groups = [f"g{n % 2}" for n in range(40)]
    answers = {f"i{n}": "AB"[(n // 20 + n) % 2] for n in range(40)}  # g0 all right, g1 all wrong
    assert not spokeneval.compare(DECLARED, gold, {"a": answers, "b": answers}, by=groups).groups


def test_a_row_of_the_counts_has_one_group():
    task = declared_task("own", {"kind": "identification", "target": "A"})
    rows = ["id,label,speaker,noise", "1,A,s,low", "2,B,s,high", "3,A,t,low", "4,B,t,"]
    with pytest.raises(ReferenceFileError) as refusal:
        groups_of_column(task, {"labels.csv": "\n".join(rows).encode()}, "noise")
    assert [(each.code, each.line) for each in refusal.value.problems] == [
        ("several_groups", 3),
        ("no_group", 5),
    ]
    found = groups_of_column(task, {"labels.csv": "\n".join(rows[:2]).encode()}, "noise")
    assert found == {"s": "low"}


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
        read = read_for_scoring(TASK, gold, {})
        counted = {}
        for name, answers in systems.items():
            own = read_answers(read, answers)
            scored = score_submission(TASK, read.reference.labels, own, read.settings)
            counted[name] = rows_of_groups(read.task, read.reference, own, scored, groups)
        pairs = group_pairs(TASK, counted)
        found += min(pair.adjusted for pair in pairs) <= 0.05
    assert found <= 200 * (0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5)
