"""Trials of two sides: their variance against that of three scorings with one kind of unit each, and their ids."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import spokeneval
from spokeneval.formats.problems import FileProblems, ReferenceFileError
from spokeneval.kinds.class_scores import MOST_OF_A_SIDE
from spokeneval.kinds.declared import declared_task
from spokeneval.scoring.library import read_for_scoring, score_against
from spokeneval.scoring.options import Signature
from spokeneval.scoring.scored import STATISTICS_FILE, parse_statistics, write_statistics

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
    scored = score_against(read_for_scoring(declared_task("own", declared), gold, {}), given)
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


def test_many_units_of_a_side_are_grouped(tmp_path):
    gold, given = trials(MOST_OF_A_SIDE + 20, 30, times=1)
    scored, _ = intervals({**DECLARED, "other_unit": "test"}, gold, given)
    assert scored.statistics.unit == "model group"
    assert len(scored.statistics.units) <= MOST_OF_A_SIDE
    write_statistics(tmp_path, Signature("own"), scored.statistics, {})
    written = json.loads((tmp_path / STATISTICS_FILE).read_text())
    assert parse_statistics(written).grouped == MOST_OF_A_SIDE + 20
    systems = {"one": given, "two": {trial: -score for trial, score in given.items()}}
    compared = spokeneval.compare({**DECLARED, "other_unit": "test"}, gold, systems)
    assert compared.units == f"60 models in {len(scored.statistics.units)} random groups"


@pytest.mark.parametrize("models", [8, MOST_OF_A_SIDE - 10])
def test_a_mean_over_groups_of_crossed_trials_allows_for_both_sides(models):
    """Groups share no unit of either side: the variance of the mean is the sum of theirs over the squared number."""
    gold, given, alone = {}, {}, []
    for place, language in enumerate(("de", "hi")):
        own, scores = trials(models + 2 * place, 9)
        names = ("model", "test", "pair")
        own = {
            f"{language} {trial}": {
                **row,
                **{name: f"{language} {row[name]}" for name in names},
                "language": language,
            }
            for trial, row in own.items()
        }
        scores = {f"{language} {trial}": score + place for trial, score in scores.items()}
        alone.append(intervals({**DECLARED, "other_unit": "test", "primary": "cllr"}, own, scores))
        gold, given = {**gold, **own}, {**given, **scores}
    declared = {**DECLARED, "other_unit": "test", "primary": "cllr", "mean_over": "language"}
    scored, found = intervals(declared, gold, given)
    assert scored.scores["group_mean_cllr"] == pytest.approx(
        np.mean([own.scores["cllr"] for own, _ in alone])
    )
    if models < MOST_OF_A_SIDE / 2:  # not grouped at random
        error = sum(each["cllr"].standard_error ** 2 for _, each in alone) ** 0.5 / 2
        assert found["group_mean_cllr"].standard_error == pytest.approx(error, rel=0.05)
    one_test = {
        trial: {**row, "test": "t"} if row["language"] == "hi" else row for trial, row in gold.items()
    }
    with pytest.raises(ReferenceFileError, match="language hi has one test; expected 2 or more"):
        intervals(declared, one_test, given)


def test_both_sides_of_every_trial_are_named():
    gold, given = trials(3, 4, times=1)
    gold["trial 2"]["test"] = " "
    with pytest.raises(ReferenceFileError, match="the test is empty"):
        spokeneval.score({**DECLARED, "other_unit": "test"}, gold, given)


def test_comparisons_state_that_they_resample_one_side():
    gold, given = trials(6, 8)
    systems = {"one": given, "two": {trial: -score for trial, score in given.items()}}
    found = spokeneval.compare({**DECLARED, "other_unit": "test"}, gold, systems)
    joint = spokeneval.compare_tasks({"trials": found, "again": found})
    one_sided = spokeneval.compare(DECLARED, gold, systems)
    note = "allow for other models only, not for other tests"
    assert [sum(note in each for each in own.notes) for own in (found, joint, one_sided)] == [1, 2, 0]
    assert [pair.p for pair in found.pairs] == [pair.p for pair in one_sided.pairs]


PAIRS = [(f"e{n % 6}", f"t{n // 6}") for n in range(48)]
SIDES = ("enrolment", "test")
PLAIN = {
    "kind": "identification",
    "target": "same",
    "unit": "enrolment",
    "other_unit": "test",
    "item": "trial",
}
SPOOFED = {
    **PLAIN,
    "classes": ["same", "other", "spoof"],
    "priors": {"same": 0.9, "other": 0.05, "spoof": 0.05},
    "costs": {"c_miss": 1, "other": 10, "spoof": 10},
}


def table(rows, *header):
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))


@pytest.mark.parametrize("declared", [PLAIN, SPOOFED], ids=["target", "spoofing"])
def test_two_columns_name_a_trial_as_one_column_with_both_does(declared, tmp_path):
    rng = np.random.default_rng(4)
    label = {pair: ("same", "other", "spoof")[n % 3] for n, pair in enumerate(PAIRS)}
    given = {pair: round(float(rng.normal()), 3) for pair in PAIRS}
    joined = {"-".join(pair): {"label": label[pair], **dict(zip(SIDES, pair, strict=True))} for pair in PAIRS}
    expected = spokeneval.score(declared, joined, {"-".join(pair): given[pair] for pair in PAIRS})
    declared = {**declared, "id": list(SIDES)}
    (tmp_path / "labels.csv").write_text(
        table([(label[a, b], b, a) for a, b in PAIRS], "label", *SIDES[::-1])
    )
    (tmp_path / "scores.csv").write_text(
        table([(b, given[a, b], a) for a, b in PAIRS[::-1]], "Test", "score", SIDES[0])
    )
    frame = pd.DataFrame([(*pair, given[pair]) for pair in PAIRS], columns=[*SIDES, "score"])
    rows = [{"label": label[pair], **dict(zip(SIDES, pair, strict=True))} for pair in PAIRS]
    named = {",".join(pair): label[pair] for pair in PAIRS}
    indexed = pd.DataFrame(rows).set_index(list(SIDES))["label"]
    signatures = set()
    for reference in (tmp_path / "labels.csv", rows, label, named, indexed):
        for answers in (tmp_path / "scores.csv", given, frame, frame.set_index(list(SIDES))):
            found = spokeneval.score(declared, reference, answers)
            assert (found.scores, found.intervals) == (expected.scores, expected.intervals)
            signatures.add(found.signature)
    assert len(signatures) == 1
    one_sided = {"kind": "identification", "target": "same", "id": list(SIDES)}
    by_position = spokeneval.score(one_sided, [*label.values()], [*given.values()])
    for units in (indexed, label, named):  # a unit for each of three labels
        found = spokeneval.score(one_sided, rows, given, units=units)
        assert (found.score, found.units) == (by_position.score, 3)
    form = declared_task("own", declared).format
    labels = form.read_reference({"labels.csv": (tmp_path / "labels.csv").read_bytes()})
    public = form.public_files(labels, {})
    assert public["items.csv"].decode() == table(sorted(PAIRS), *SIDES)
    assert form.read_items(public).ids == tuple(map(",".join, sorted(PAIRS)))
    assert spokeneval.get_task(declared).submission.columns == (*SIDES, "score")


REFUSED = {
    "twice": ("scores.csv", [("e0", "t0")], "enrolment,test e0,t0 already appears on line 2; keep only one"),
    "unknown": ("scores.csv", [("e0", "x")], "enrolment,test e0,x is not one of the 48 trials"),
    "half": ("scores.csv", [("e0", "")], "enrolment,test e0, is not one of the 48 trials"),
    "missing": ("scores.csv", slice(2, None), "enrolment,test e0,t0, e1,t0: 48 trials expected, 46 found"),
    "reference twice": ("labels.csv", [("e0", "t0")], "enrolment,test e0,t0 already appears on line 2"),
    "reference half": ("labels.csv", [("e0", "")], "enrolment,test 'e0,'; expected no invisible"),
    "reference spaces": (
        "labels.csv",
        [("e0 ", "t0")],
        "no spaces around it and its parts, which have no comma",
    ),
    "reference comma": ("labels.csv", [('"e,0"', "t0")], "enrolment,test 'e,0,t0'; expected no invisible"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_pairs_that_are_missing_unknown_or_repeated_are_refused(case, tmp_path):
    file, change, message = REFUSED[case]
    cells = {"labels.csv": ("label", ["same", "other"]), "scores.csv": ("score", [1, 0])}
    for name, (column, values) in cells.items():
        pairs = PAIRS if name != file else PAIRS[change] if isinstance(change, slice) else [*PAIRS, *change]
        rows = [(*pair, values[n % 2]) for n, pair in enumerate(pairs)]
        (tmp_path / name).write_text(table(rows, *SIDES, column))
    declared = {**PLAIN, "id": list(SIDES)}
    with pytest.raises(FileProblems, match=re.escape(message)):
        spokeneval.score(declared, tmp_path / "labels.csv", tmp_path / "scores.csv")


@pytest.mark.parametrize("side", SIDES)
def test_data_with_one_of_two_columns_of_ids_are_not_taken_by_position(side):
    rows = [{"enrolment": a, "test": b, "label": "same" if a == "e0" else "other"} for a, b in PAIRS]
    half = [{side: row[side], "label": "same", "score": n} for n, row in enumerate(rows)]
    lacking = f"has no column {SIDES[side == SIDES[0]]}; its columns are {side}, "
    for reference, answers in ((rows, half), (half, [1] * 48)):
        for form in (list, pd.DataFrame):
            with pytest.raises(ValueError, match=lacking):
                spokeneval.score({**PLAIN, "id": list(SIDES)}, form(reference), form(answers))
