"""Means over groups: against the scores of each group alone, and against formulas of sampling in strata."""

import json
import math
import pickle

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.counts import total
from spokeneval.ranking.randomisation import pseudo_values
from spokeneval.scoring.library import read_for_scoring, score_against
from spokeneval.scoring.scored import parse_statistics, primary_matrix, primary_of_sums

GROUPS = {"de": 12, "en": 20, "th": 12}
"""The groups, and the number of items in each."""
PHRASES = ["a b c d", "b c d e f", "c d"]


def _items():
    return [
        (f"{group}_{number:02d}", group, f"{group}{number % 4}")
        for group, items in GROUPS.items()
        for number in range(items)
    ]


def _columns(rng, reference, submission):
    """Both sides by id; `reference` and `submission` draw the columns of an item from its number."""
    gold, given = {}, {}
    for number, (item, group, who) in enumerate(_items()):
        gold[item] = {**reference(number, rng), "speaker": who, "language": group}
        given[item] = submission(number, rng)
    return gold, given


def _segments(rng, words):
    return [
        {
            "session_id": item,
            "speaker": "AB"[turn],
            "start_time": 5 * turn,
            "end_time": 5 * turn + 4,
            "words": words(rng),
        }
        for item, _, _ in _items()
        for turn in range(2)
    ]


def _said(rng):
    return " ".join(rng.choice(list("abcdef"), 5))


CASES = {
    "words": (
        {"kind": "transcripts"},
        lambda n, rng: {"transcript": PHRASES[n % 3]},
        lambda n, rng: {"transcript": PHRASES[rng.integers(3)]},
    ),
    "decisions": (
        {"kind": "decisions", "classes": ["A", "B"], "positive": "A"},
        lambda n, rng: {"label": "AB"[n % 2]},
        lambda n, rng: {"label": "AB"[rng.integers(2)]},
    ),
    "target": (
        {"kind": "identification", "target": "A", "primary": "minimum_dcf"},
        lambda n, rng: {"label": "AB"[n // 4 % 2]},
        lambda n, rng: {"score": rng.normal() - n // 4 % 2},
    ),
    "languages": (
        {"kind": "identification", "classes": ["A", "B", "C"], "primary": "minimum_cavg"},
        lambda n, rng: {"label": "ABC"[n % 3]},
        lambda n, rng: dict(zip("ABC", rng.normal(size=3), strict=True)),
    ),
    "scores": (
        {"kind": "scores", "scale": [0, 9]},
        lambda n, rng: {"score": n % 10},
        lambda n, rng: {"score": min(9, n % 10 + rng.random())},
    ),
    "ratings": (
        {"kind": "ratings", "raters": ["r1", "r2", "r3"], "scale": [1, 5]},
        lambda n, rng: {f"r{rater}": rng.integers(1, 6) for rater in (1, 2, 3)},
        lambda n, rng: {"rating": rng.integers(1, 6)},
    ),
}


@pytest.mark.parametrize(("declared", "reference", "submission"), CASES.values(), ids=CASES)
def test_the_mean_and_the_worst_group_are_those_of_the_groups_scored_alone(declared, reference, submission):
    gold, given = _columns(np.random.default_rng(3), reference, submission)
    pooled = spokeneval.score(declared, gold, given)
    found = spokeneval.score({**declared, "mean_over": "language"}, gold, given)
    alone, moves = [], []
    for group in GROUPS:
        own, theirs = (
            {item: row for item, row in side.items() if item[:2] == group} for side in (gold, given)
        )
        by_itself = spokeneval.score(declared, own, theirs)
        alone.append(next(iter(by_itself.scores.values())))
        moves.append([abs(end - alone[-1]) for end in next(iter(by_itself.intervals.values()))])
    mean, worst, *others = found.scores.values()
    assert mean == pytest.approx(np.mean(alone), rel=1e-12)
    assert worst == (max if pooled.definition.primary.direction == "lower" else min)(alone)
    assert others == list(pooled.scores.values())
    assert pickle.loads(pickle.dumps(found)).report() == found.report()
    # No unit is in two groups, so that their scores are independent.
    lowest, highest = pooled.definition.primary.limits
    down, up = np.sqrt(np.square(moves).sum(axis=0)) / len(GROUPS)
    expected = max(lowest, mean - down), min(highest, mean + up)
    assert next(iter(found.intervals.values())) == pytest.approx(expected, abs=1e-8)


def test_a_mean_of_perfect_groups_is_as_uncertain_as_these():
    # 5 speakers with 2 items each in every language, all right. Clopper and Pearson's low end with 10 / (1 + 0.1 (2 -
    # 1)) observations is 0.025^(1.1 / 10) = 0.6664; that of the 15 speakers as units of the mean would be 0.782.
    gold = {
        f"{group}_{n}": {"label": "AB"[n % 2], "speaker": f"{group}{n % 5}", "language": group}
        for group in GROUPS
        for n in range(10)
    }
    declared = {**CASES["decisions"][0], "primary": "accuracy", "mean_over": "language"}
    found = spokeneval.score(declared, gold, {item: {"label": row["label"]} for item, row in gold.items()})
    low = 1 - (1 - 0.025**0.11) / math.sqrt(3)
    assert found.intervals["group_mean_accuracy"] == (pytest.approx(low, abs=1e-9), 1)


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_mean_of_drawn_groups_has_the_observations_of_their_items(wrong):
    # 5 groups of 20 items: d0 = 1 + 0.1 (100 / 5 - 1) = 2.9. Without errors, Clopper and Pearson's low end is
    # 0.025^(2.9 / 100) = 0.8985. With one: the groups' variance is 5 (0.05^2 / 25) / 20 = 1e-4, and d = 1e-4 * 100 /
    # (0.99 * 0.01) = 1.01 shows one group's errors: (1.01 + 2 * 2.9) / 3 = 2.27, times (t(4) / t(99))^2 = 1.9575.
    gold = {
        f"{group}_{n}": {"label": "ABC"[n % 3], "speaker": group, "language": group}
        for group in "vwxyz"
        for n in range(20)
    }
    given = {item: {"label": row["label"]} for item, row in gold.items()}
    size = 100 / 2.9
    if wrong:
        given["v_0"] = {"label": "B"}
        size = 100 / ((1.0101010101 + 5.8) / 3 * (stats.t.ppf(0.975, 4) / stats.t.ppf(0.975, 99)) ** 2)
    declared = {"kind": "decisions", "classes": ["A", "B", "C"], "primary": "accuracy"}
    found = spokeneval.score(
        {**declared, "mean_over": {"column": "language", "groups": "drawn"}}, gold, given
    )
    errors = wrong / 100 * size
    low = stats.beta.ppf(0.025, size - errors, errors + 1)
    assert found.intervals["group_mean_accuracy"][0] == pytest.approx(low, rel=1e-9)


def test_groups_of_meetings_are_the_beginnings_of_their_ids():
    rng = np.random.default_rng(4)
    gold = _segments(rng, _said)
    given = _segments(rng, _said)
    declared = {"kind": "meetings"}
    found = spokeneval.score({**declared, "mean_over": {"column": "session_id", "until": "_"}}, gold, given)
    alone = []
    for group in GROUPS:
        own, theirs = ([row for row in side if row["session_id"].startswith(group)] for side in (gold, given))
        alone.append(spokeneval.score(declared, own, theirs).scores["tcpwer"])
    assert found.scores["group_mean_tcpwer"] == pytest.approx(np.mean(alone), rel=1e-12)


FILES = {
    "text": "".join(f"{item} a b\n" for item, *_ in _items()),
    "transcripts.jsonl": "".join(json.dumps({"id": item, "text": "a b"}) + "\n" for item, *_ in _items()),
    "turns.rttm": "".join(f"SPEAKER {item} 1 0 2 <NA> <NA> A <NA> <NA>\n" for item, *_ in _items()),
    "meetings.stm": "".join(f"{item} 1 A 0 2 a b\n" for item, *_ in _items()),
}


@pytest.mark.parametrize("file", FILES)
def test_references_without_columns_have_the_groups_of_ids(file, tmp_path):
    (tmp_path / file).write_text(FILES[file], encoding="utf-8")
    kind = file.split(".")[0].replace("text", "transcripts")
    declared = {"kind": kind, "mean_over": {"column": "item", "until": "_"}, "id": "item"}
    found = spokeneval.score(declared, tmp_path / file, tmp_path / file)
    assert list(found.scores.values())[:2] == [0, 0]
    with pytest.raises(ReferenceFileError, match=f"{file}.*\n\n.*CSV only; expected {kind}.csv, with this"):
        spokeneval.compare({"kind": kind}, tmp_path / file, dict.fromkeys("ab", tmp_path / file), by="site")
    (tmp_path / file).write_text(FILES[file].replace("en_", "de_").replace("th_", "de_"), encoding="utf-8")
    with pytest.raises(ReferenceFileError, match=f"{file}.*\n\n.*1 different groups by item"):
        spokeneval.score(declared, tmp_path / file, tmp_path / file)


def _standard_error(declared, gold, given):
    scored = score_against(read_for_scoring(declared_task("own", declared), gold, {}), given)
    return scored, next(iter(scored.intervals.values())).standard_error


def test_standard_errors_are_of_units_in_groups_or_of_groups():
    """Each speaker has the same number of items, so that an accuracy is a mean of speakers' accuracies.

    The jackknife leaves one of n speakers out of one of the G groups; with m speakers in each, a speaker's distance d
    from the mean of its group changes the mean over groups by d / (G (m - 1)).
    """
    declared, reference, submission = CASES["decisions"]
    declared = {**declared, "primary": "accuracy"}
    gold, given = _columns(np.random.default_rng(5), reference, submission)
    right = {item: gold[item]["label"] == given[item]["label"] for item in gold}
    of = {
        group: [
            np.mean([right[item] for item in gold if gold[item]["speaker"] == f"{group}{speaker}"])
            for speaker in range(4)
        ]
        for group in GROUPS
    }
    _, error = _standard_error({**declared, "mean_over": "language"}, gold, given)
    changes = [(each - np.mean(own)) / (3 * 3) for own in of.values() for each in own]
    assert error == pytest.approx(math.sqrt(11 / 12 * np.square(changes).sum()), abs=1e-9)
    scored, error = _standard_error(
        {**declared, "mean_over": {"column": "language", "groups": "drawn"}}, gold, given
    )
    assert error == pytest.approx(
        np.std([np.mean(own) for own in of.values()], ddof=1) / math.sqrt(3), abs=1e-9
    )
    assert scored.statistics.unit == "language"
    parts = scored.statistics.parts["groups"]
    twice = type(parts)(**{field: 2 * np.asarray(value) for field, value in vars(total(parts)).items()})
    mean = scored.scores["group_mean_accuracy"]
    assert declared_task("own", {**declared, "mean_over": "language"}).primary.value(twice) == pytest.approx(
        mean
    )


def test_systems_are_compared_by_their_means_and_read_from_statistics():
    declared, reference, submission = CASES["words"]
    gold, given = _columns(np.random.default_rng(6), reference, submission)
    declared = {**declared, "mean_over": "language"}
    found = spokeneval.compare(
        declared, gold, {"perfect": {i: gold[i]["transcript"] for i in gold}, "other": given}
    )
    assert found.names == ["perfect", "other"]
    assert found.pairs[0].p < 0.05
    scored, _ = _standard_error(declared, gold, given)
    own = scored.statistics
    content = {"columns": own.columns, "units": own.units, "values": own.values.tolist(), "unit": own.unit}
    again, task = parse_statistics(content), declared_task("own", declared)
    values = primary_matrix(task, again)[np.newaxis]
    parts = pseudo_values(values, primary_of_sums(task, again))
    assert parts.shape == (1, 12, 1)
    mean = primary_of_sums(task, again)(values.sum(axis=1))[0]
    assert mean == pytest.approx(scored.scores["group_mean_wer"])


GOLD = {"a1": ["A", "s", "x"], "a2": ["B", "t", "x"], "b1": ["A", "u", "y"], "b2": ["B", "v", "y"]}


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        ({"b2": ["B", "v", " "]}, "the language is empty"),
        ({"b1": ["A", "u", "x"], "b2": ["B", "v", "x"]}, "1 different groups by language; expected from 2"),
        ({"b2": ["A", "v", "y"]}, "language y: F1 is undefined"),
        ({"b2": ["B", "u", "y"]}, "language y has one speaker; expected 2 or more, or `groups: drawn`"),
    ],
)
def test_references_whose_groups_cannot_be_scored_are_refused(edit, found):
    declared = {"kind": "decisions", "classes": ["A", "B"], "positive": "A", "mean_over": "language"}
    rows = {
        item: dict(zip(("label", "speaker", "language"), row, strict=True))
        for item, row in {**GOLD, **edit}.items()
    }
    with pytest.raises(ReferenceFileError, match=found.replace("`", ".")):
        spokeneval.score(declared, rows, dict.fromkeys(rows, "A"))


def test_a_drawn_group_has_units_of_its_own():
    declared = {
        "kind": "identification",
        "target": "A",
        "mean_over": {"column": "language", "groups": "drawn"},
    }
    rows = {item: dict(zip(("label", "speaker", "language"), row, strict=True)) for item, row in GOLD.items()}
    rows["b2"]["speaker"] = "s"
    with pytest.raises(ReferenceFileError, match="s is in the groups x and y; expected one"):
        spokeneval.score(declared, rows, dict.fromkeys(rows, 0.5))


def test_drawn_groups_of_many_units_are_the_declared_unit(monkeypatch):
    """Their rows would else be of random units, of several groups each."""
    for module in ("class_scores", "identification"):
        monkeypatch.setattr(f"spokeneval.kinds.{module}.MOST_ROWS", 10)
    gold, given = _columns(np.random.default_rng(3), *CASES["target"][1:])
    declared = {**CASES["target"][0], "mean_over": {"column": "language", "groups": "drawn"}}
    with pytest.raises(
        ReferenceFileError, match=r"too many speakers .* declare the column as .unit: language."
    ):
        spokeneval.score(declared, gold, given)
    found = spokeneval.score({**declared, "unit": "language"}, gold, given)
    fixed = spokeneval.score({**declared, "mean_over": "language"}, gold, given)
    assert found.unit == "language"
    assert found.scores["group_mean_minimum_dcf"] == pytest.approx(fixed.scores["group_mean_minimum_dcf"])
