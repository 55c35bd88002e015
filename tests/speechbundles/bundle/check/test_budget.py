"""The labels that attempts can reveal: bits of scores and of labels, and findings in small bundles in memory."""

import json
import math
import re
from datetime import datetime, timedelta
from types import MappingProxyType

import numpy as np
import pytest

from speechbundles.bundle.check import inspection
from speechbundles.bundle.check.budget import (
    NARROWEST,
    TOLERATED,
    Unknown,
    bits_of_step,
    bits_of_steps,
    check_budget,
    entropy,
)
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, BuiltTask
from speechbundles.model.finding import Report
from spokeneval.scoring.reference import fingerprint
from tests.samples.leaky_contents import DECLARED, GOLD, archive, contents, listed
from tests.samples.programs import encoded
from tests.samples.tables import table


@pytest.mark.parametrize("multiple", [0.25, 0.5, 1, 2, 4])
def test_bits_of_a_step_are_the_entropy_of_rounded_normal_numbers(multiple):
    drawn = np.random.default_rng(1).normal(size=200_000)
    found = []
    for offset in np.arange(8) / 8:
        _, counts = np.unique(np.floor(drawn / multiple + offset), return_counts=True)
        share = counts / len(drawn)
        found.append(-(share * np.log2(share)).sum())
    assert bits_of_step(multiple) == pytest.approx(max(found), abs=0.01)


def test_halving_a_small_step_adds_a_bit_and_an_edge_has_one():
    # log2 of sqrt(2 pi e) / step: the differential entropy of a normal variable
    for multiple in (0.1, 0.01, 0.001):
        expected = 0.5 * math.log2(2 * math.pi * math.e) - math.log2(multiple)
        assert bits_of_step(multiple) == pytest.approx(expected, abs=1e-3)
    assert bits_of_step(100) == pytest.approx(1.0, abs=1e-9)


def test_several_scores_have_the_bits_of_their_joint_distribution():
    """Of two signs of normal variables with the correlation r, both are equal with the probability 1/2 + asin(r) / pi.

    With r = 0.8 it is 0.7952, and the entropy 1 + H(0.7952) = 1.7312 bits; independent, it would be 2.
    """
    alike = np.array([[1, 0.8], [0.8, 1]])
    assert bits_of_steps([50, 50], alike) == pytest.approx(1.7312, abs=0.01)
    assert bits_of_steps([50, 50]) == pytest.approx(2, abs=1e-9)
    assert bits_of_steps([1, 4], np.eye(2)) == pytest.approx(bits_of_step(1) + bits_of_step(4), abs=0.01)


def test_bits_of_labels():
    assert entropy([0.5, 0.5]) == 1
    assert entropy([0.25] * 4) == 2
    assert math.copysign(1, entropy([1, 0])) == 1


def test_labels_have_the_entropy_of_the_errors_of_a_good_system():
    """H(0.95) = 0.28640 bits, and 0.05 * log2(3) = 0.07925 more for each of four classes."""
    two, four = Unknown([365, 287]), Unknown([14, 72, 87, 27])
    assert (two.bits, four.bits) == pytest.approx((652 * 0.28640, 200 * 0.36565), rel=1e-4)
    assert str(two) == "187 bits = 652 * (H(0.95)), for a system that is right on 95%"
    assert Unknown([365, 287], 0.99).bits == pytest.approx(652 * 0.080793, rel=1e-4)
    rare = Unknown([990, 10])  # everybody who answers with the frequent class is right on 99 %
    assert rare.bits == pytest.approx(80.793, rel=1e-4)
    assert str(rare) == "81 bits, their entropy"
    assert Unknown([100, 0]).bits == Unknown([100]).bits == 0


def test_what_the_default_limits_allow():
    psst, content = Unknown([365, 287]).bits, Unknown([14, 72, 87, 27]).bits
    assert 17 * bits_of_step(NARROWEST) <= TOLERATED * psst < 18 * bits_of_step(NARROWEST)
    assert 6 * bits_of_step(NARROWEST) <= TOLERATED * content < 7 * bits_of_step(NARROWEST)


TASK = "psst_correctness"


LABELS = [f"u{number}\t{number % 2 == 0}" for number in range(741)]


HIDDEN = {"utterances.tsv": "\n".join(["utterance_id\tcorrectness", *LABELS, ""])}
"""741 labels of two classes. For a system that is right on 95 %, each has -0.95 log2(0.95) - 0.05 log2(0.05) = 0.2864
bits, all have 212.2. An exact score of 53 bits reveals a quarter of them."""


KNOWN = {**DECLARED, "task": TASK}


OPENS = datetime(2027, 3, 1)


def phase(name, total=1, per_day=None, days=14.0, reference="reference_data.zip"):
    closes = None if days is None else OPENS + timedelta(days=days)
    rest = {"seconds": 1.0, "rule": "", "hidden": False, "takes_over": False}
    tasks = (BuiltTask(name, "scoring.zip", reference_data=reference),)
    return BuiltPhase("1", name, OPENS, closes, per_day, total, **rest, tasks=tasks)


def found_in(built, *phases, elsewhere=MappingProxyType({})):
    """Return the findings in a bundle with these contents and phases."""
    report = Report()
    bundle = BuiltBundle("", "", "", phases, (), None, detailed_results=False)
    check_budget(report, bundle, built, elsewhere)
    assert {where for _, where, _ in listed(report)} <= {"competition.yaml"}
    return [(code, what) for code, _, what in listed(report)]


def budget(*phases, **described):
    return found_in(contents(**{"reference": HIDDEN, "declared": KNOWN, **described}), *phases)


def scores(attempts, share, shown="exact scores of 53.0 bits", phases="Final", formula="741 * (H(0.95))"):
    plural = "" if attempts == 1 else "s"
    what = f"{phases}: {attempts} attempt{plural} on reference_data.zip, {shown}"
    unknown = f"212 bits = {formula}, for a system that is right on 95%"
    return "leak-scores", f"{what}, can reveal {share} of its labels ({unknown}); expected at most 25%"


def too_many(attempts, phases="Final"):
    return "leak-attempts", f"{phases}: {attempts} attempts on reference_data.zip; expected at most 100"


@pytest.mark.parametrize(("limits", "attempts"), table("leaderboard_cases")["attempts"])
def test_attempts_are_the_fewest_that_a_limit_allows(limits, attempts):
    assert budget(phase("Final", **limits)) == [scores(attempts, f"{min(attempts, 4) * 25}%")]


def test_exact_scores_reveal_a_quarter_each_and_scores_in_steps_less():
    assert budget(phase("Final")) == []
    two = {**KNOWN, "scores": [{"key": "f1"}, {"key": "recall"}]}
    both = [scores(1, "50%", "exact scores of 106.0 bits")]
    assert budget(phase("Final"), declared=two) == both
    assert budget(phase("Final"), options=None, declared=two) == both
    assert budget(phase("Final", 2), options={"feedback": "exact"}) == [scores(2, "50%")]
    # A step of s = sqrt(2/5) standard errors has log2(sqrt(2 pi e) / s) bits, and by rounding s^2 / 24 log2(e) more.
    bits = math.log2(math.sqrt(2 * math.pi * math.e / 0.4)) + 0.4 / 24 / math.log(2)
    assert (19 * bits / 212.2, 20 * bits / 212.2) == pytest.approx((0.2446, 0.2575), abs=5e-4)
    coarse, rounded = {"feedback": "coarse"}, "rounded scores of 2.7 bits"
    assert budget(phase("Final", 19), options=coarse, declared=two) == []
    assert budget(phase("Final", 30), options=coarse, declared=two) == [scores(30, "39%", rounded)]
    assert budget(phase("Final", 100), options=coarse)[0][0] == "leak-scores"
    assert budget(phase("Final", 101), options=coarse)[0] == too_many(101)


def test_all_columns_count_and_all_bundles_with_the_labels():
    """A further column has steps of 4 sqrt(2/5) = 2.53 standard errors: 1.08 bits at most, so 2.73 + 1.08 = 3.81 bits.

    One of 25 % counts as the first. Of 212.2 bits, 8 attempts reveal 14 %; with those in another track it is 29 %.
    """
    steps = {"f1": 0.01, "recall": 0.05}
    coarse = {"feedback": "coarse", "sets": {"x": {"steps": steps}}}
    built = contents(HIDDEN, declared=KNOWN, options=coarse)
    assert found_in(built, phase("Final", 8)) == []
    ((code, what),) = found_in(built, phase("Final", 8), elsewhere={"reference_data.zip": 8})
    found = "16 attempts on reference_data.zip and in other bundles with its labels (8), rounded scores of 3.8 bits"
    assert code == "leak-scores"
    assert f"Final: {found}, can reveal 29% of" in what
    assert found_in(built, phase("Final", 8), elsewhere={"other.zip": 8}) == []
    steps |= {"ratio": "25 %"}
    built = contents(HIDDEN, declared=KNOWN, options=coarse)
    ((_, what),) = found_in(built, phase("Final", 9))
    assert "rounded scores of 6.6 bits, can reveal 28% of" in what


def test_the_baselines_scores_have_correlations():
    """F1 and recall rise and fall together over the responses of the baseline: fewer bits than 3.8."""
    rows = [f"u{number}\t{(number % 2 == 0) ^ (number % 9 == 0)}" for number in range(741)]
    files = {"correctness.tsv": "\n".join(["utterance_id\tprediction", *rows, ""])}
    coarse = {"feedback": "coarse", "sets": {"x": {"steps": {"f1": 0.01, "recall": 0.05}}}}
    built = contents(HIDDEN, declared=KNOWN, options=coarse)
    built.solutions = {"a.zip": archive("a.zip", files)}
    ((_, what),) = found_in(built, phase("Final", 30))
    assert 3 < float(re.search(r"of (\d\.\d) bits", what)[1]) < 3.8


def test_items_of_a_speaker_with_one_label_are_counted_as_one():
    """37 speakers with one label each: 37 * 0.2864 = 10.6 bits, not 212; 2.7 bits of a score are 25.2 %."""
    rows = [f"u{number}\t{number % 37 % 2 == 0}\tS{number % 37}" for number in range(741)]
    sheet = {"utterances.tsv": "\n".join(["utterance_id\tcorrectness\tsession", *rows, ""])}
    ((_, what),) = budget(phase("Final"), reference=sheet, options={"feedback": "coarse"})
    assert "can reveal 26% of its labels (11 bits = 37 * (H(0.95)), for a system" in what
    assert "right on 95%; one label for each session); expected at most 25%" in what


def test_attempts_of_all_phases_on_a_set_add_up():
    phases = phase("One"), phase("None", 0), phase("Two", 2), phase("Other", 9, reference="other.zip")
    assert budget(*phases) == [scores(3, "75%", phases="One, Two")]
    unlimited = phase("Final", None)
    assert budget(unlimited) == [too_many("unlimited"), scores("unlimited", "100%")]
    assert budget(phase("One"), phase("Two", None))[0] == too_many("unlimited", "One, Two")


def test_sets_whose_labels_no_leaderboard_reveals_have_no_budget():
    attempts = phase("Final", 200)
    assert len(budget(attempts)) == 2
    assert budget(phase("Other", 200, reference="other.zip")) == budget(phase("Final", 0)) == []
    assert budget(attempts, reference={**HIDDEN, "part.txt": "open"}) == []
    assert budget(attempts, declared=DECLARED) == budget(attempts, declared=None) == []
    assert budget(attempts, options={"public_references": [fingerprint(encoded(HIDDEN))]}) == []
    for described in ({"options": {"options": {"scale": "1-4"}}}, {"reference": {"x": ""}}):
        assert budget(attempts, **described) == [too_many(200)]
    without = contents(HIDDEN, declared=KNOWN)
    others = {"none.zip": HIDDEN, "part.zip": {**HIDDEN, "part.txt": "open"}, "public.zip": GOLD}
    tasks = [
        inspection.CheckedTask("x", (), {"reference_data": archive(name, files)})
        for name, files in others.items()
    ]
    without.tasks[:0] = [inspection.CheckedTask("no data", (), {}), *tasks]
    options = json.dumps({"public_references": [fingerprint(encoded(GOLD))]}).encode()
    without.programs["scoring_program", "scoring.zip"].archive.files["options.json"] = options
    phases = (phase("x", 200, reference=name) for name in ("part.zip", "public.zip"))
    assert [code for code, _ in found_in(without, *phases, attempts)] == ["leak-attempts", "leak-scores"]


def test_a_baseline_that_is_better_than_the_assumed_system_takes_its_place():
    """Of 741 labels it answers 10 wrongly: H(731 / 741) = 0.1031 bits a label, 76.4 in all; a score has 2.73."""
    rows = [f"u{number}\t{(number % 2 == 0) ^ (number < 10)}" for number in range(741)]
    files = {"correctness.tsv": "\n".join(["utterance_id\tprediction", *rows, ""])}
    built = contents(HIDDEN, declared=KNOWN, options={"feedback": "coarse"})
    built.solutions = {name: archive(name, each) for name, each in (("other.zip", GOLD), ("a.zip", files))}
    ((_, what),) = found_in(built, phase("Final", 8))
    assert "reveal 29% of its labels (76 bits = 741 * (H(0.9865))" in what


def test_the_labels_of_a_task_in_python_are_those_of_its_richest_column():
    """The code is not run: 580 labels of four classes beside a constant, a free text, and an identifier.

    For a system that is right on 95 %, each of them has 0.2864 + 0.05 log2(3) = 0.3656 bits.
    """
    formula = "580 * (H(0.95) + (1 - 0.95) * log2(3))"
    rows = [f"r{number},s{number % 9},{number % 4 / 2},1,words {number}" for number in range(580)]
    labels = "\n".join(["id,speaker,heard,version,notes", *rows, ""])
    own = contents({"labels.csv": labels}, declared=DECLARED)
    for module, found in (("other", []), ("synthetic", [scores(2, "50%", formula=formula)])):
        program = own.programs["scoring_program", "scoring.zip"].archive
        program.files[f"spokeneval/challenges/{module}.py"] = b""
        assert found_in(own, phase("Final", 2)) == found


@pytest.mark.parametrize(
    ("labels", "formula"),
    [
        ([number % 31 / 2 for number in range(580)], "log2(30))"),  # more than the most classes
        ([f"class {number % 21}" for number in range(580)], "log2(579))"),
        (["a"] * 575 + ["b"] * 5, "(41 bits, their entropy)"),  # 5 log2(580 / 5) + 575 log2(580 / 575)
        (["a"] * 576 + ["b"] * 4, "log2(579))"),
    ],
)
def test_texts_count_only_beside_a_column_that_cannot_be_a_label(labels, formula):
    rows = [f"r{number},{label},words {number}" for number, label in enumerate(labels)]
    own = contents({"labels.csv": "\n".join(["id,heard,notes", *rows, ""])}, declared=DECLARED)
    own.programs["scoring_program", "scoring.zip"].archive.files["spokeneval/challenges/synthetic.py"] = b""
    assert [formula in what for _, what in found_in(own, phase("Final", 20))] == [True]


def test_labels_are_read_with_the_options_of_the_task():
    rows = [f"r{number},p,s,{number % 2 * 5},9" for number in range(741)]
    table = "\n".join(["response_id,prompt_id,speaker_id,human_score,words", *rows, ""])
    declared = {**KNOWN, "task": "content_accuracy", "options": {"scale": ["0-5"]}}
    how = {"reference": {"reference.csv": table}, "declared": declared}
    assert budget(phase("Final", 2), options={"options": {"scale": "0-5"}}, **how) == [scores(2, "50%")]
    assert budget(phase("Final", 2), **how) == []
