"""A result in other forms, its plots and items, copies of it, and where it has no intervals."""

from __future__ import annotations

import copy
import math
import pickle
import re
import sys
from dataclasses import replace

import pandas
import pytest

import spokeneval
from spokeneval.challenges import find_task
from spokeneval.kinds.declared import declared_task
from tests.samples.programs import write_files

WER = {"kind": "transcripts"}
SAID, HEARD = ["good morning", "yes", "no"], ["good evening", "yes", ""]


def test_a_result_in_other_forms():
    result = spokeneval.score(WER, 2 * SAID, 2 * HEARD)
    frame = result.to_frame()
    assert list(frame.index) == list(result.scores)
    assert frame.loc["wer"].tolist() == ["WER (%)", 50.0, *result.intervals["wer"]]
    assert result.to_dict()["scores"] == result.scores
    assert result.to_dict()["unseen"] == pytest.approx(1 - 0.05 ** (1 / result.units))
    assert "can be missing from the set" in result.report()
    assert result.to_dict()["intervals"]["wer"] == list(result.intervals["wer"])
    figure = result.plot()
    assert [axes.get_yticklabels()[0].get_text() for axes in figure.axes] == [
        score.heading for score in declared_task("transcripts", WER).scores
    ]


def test_a_notebook_shows_a_table_and_the_primary_score_is_a_number():
    result = spokeneval.score(WER, SAID, ["good <b>", "yes", "no"])
    assert result.score == result.scores["wer"] == 25.0
    shown = result._repr_html_()
    assert '>WER (%)</th><td class="number">25.00</td>' in shown
    assert result.signature in shown


CLASSES = {"kind": "identification", "classes": ["a", "b"]}
DECISIONS = {"kind": "decisions", "classes": ["a", "b"], "positive": "b"}
LABELS = ["a", "b", "b", "a"]


def test_items_are_listed_worst_first_with_both_sides():
    table = spokeneval.score(WER, ["yes", *SAID], ["yes", "good <b>", "yes", ""]).items_table()
    assert table.index.tolist() == ["3", "1", "0", "2"]
    assert table["Right"].tolist() == [0, 0.5, 1, 1]
    wrong = ["said   no\nheard  –\n       D", "said   good morning\nheard  good <b>\n            S"]
    assert table["Alignment"][:2].tolist() == wrong
    raters = {"kind": "ratings", "raters": ["A", "B"], "scale": [0, 100]}
    human = [{"A": a, "B": b} for a, b in [(50, 50), (92, 100), (67, 92), *((n, n) for n in range(10))]]
    rated = spokeneval.score(raters, human, [50, 88, 100, *range(10)]).items_table()
    assert rated.index[:2].tolist() == ["2", "1"]  # 100 is 20.5 from the raters, 88 is 8
    decided = spokeneval.score(DECISIONS, LABELS, ["a", "b", "a", "a"]).items_table()
    assert decided.iloc[0].to_dict() == {"Right": 0, "True class": "b", "Answered": "a"}


@pytest.mark.parametrize(
    ("kind", "file", "line", "words"),
    [
        (
            "turns",
            "turns.rttm",
            "SPEAKER r{n} 1 0 9 <NA> <NA> A <NA> <NA>\n",
            "no turns for 1 of 2 recordings",
        ),
        ("meetings", "meetings.stm", "r{n} 1 A 0 9 well\n", "no words for 1 of 2 sessions"),
    ],
)
def test_a_report_warns_of_recordings_without_an_answer_but_not_in_a_part_of_a_set(
    tmp_path, kind, file, line, words
):
    """Among the items of a sealed set's open part, the number would reveal which items these are."""
    lines = line.format(n=1), line.format(n=2)
    write_files(tmp_path, {f"ref/{file}": "".join(lines), f"sub/{file}": lines[0]})
    result = spokeneval.score({"kind": kind, "missing": "missed"}, tmp_path / "ref", tmp_path / "sub")
    found = f"{words}, such as r2. That counts as an answer. Is the upload complete?"
    assert found in result.report()
    part = result.answered.reference._replace(part="open")
    assert found not in replace(result, answered=result.answered._replace(reference=part)).report()


def test_where_only_units_are_counted_the_table_of_items_and_the_report_name_them():
    labels = pandas.DataFrame({"id": list("pqrs"), "label": LABELS, "speaker": ["Eva", "Ada", "Ada", "Eva"]})
    answers = pandas.DataFrame({"id": list("pqrs"), "label": ["a", "a", "a", "a"]})
    result = spokeneval.score({**DECISIONS, "pool": "vote"}, labels, answers)
    assert list(result.items_table().reset_index()["Speaker"]) == ["Ada", "Eva"]
    assert "Scores by speaker, worst first" in result.report()
    assert re.findall("Ada|Eva", result.report()) == ["Ada", "Eva"]
    assert "Items with the worst answers" not in result.report()


@pytest.mark.parametrize(
    ("task", "answers", "plots"),
    [
        (CLASSES, [[2, 1], [1, 2], [3, 1], [1, 0]], ["scores", "confusion", "det", "reliability"]),
        (DECISIONS, ["a", "b", "a", "a"], ["scores", "confusion"]),
        (WER, ["a", "b", "a", "a"], ["scores"]),
    ],
)
def test_the_plots_of_a_task(task, answers, plots):
    result = spokeneval.score(task, LABELS, answers)
    drawn = {kind: result.plot(kind) for kind in plots}
    with pytest.raises(ValueError, match=f"no plot 'nope' of .*; expected one of {', '.join(plots)}$"):
        result.plot("nope")
    if "confusion" in drawn:  # the third item alone is wrong
        assert [text.get_text() for text in drawn["confusion"].axes[0].texts] == ["2", "0", "1", "1"]
    if "det" in drawn:
        assert drawn["det"].axes[0].get_ylabel() == "Miss rate (%)"


def test_results_and_errors_can_be_copied_and_pickled():
    result = spokeneval.score(WER, SAID, HEARD)
    compared = spokeneval.compare(WER, SAID, {"a": HEARD, "b": SAID})
    joint = spokeneval.compare_tasks({"x": compared, "y": compared})
    for other in (copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        for each in (result, compared, joint):
            assert str(other(each)) == str(each)
        assert other(result).report() == result.report()
        assert other(result).items_table().equals(result.items_table())
    for name, options in (("content_accuracy", {"scale": "0-5"}), ("spoken_call", {})):
        task = find_task(name).with_options(options)
        again = pickle.loads(pickle.dumps(task))
        assert (again.name, again.chosen) == (name, task.chosen)
        assert [score.key for score in again.scores] == [score.key for score in task.scores]
    for wrong in ({"kind": "transcript"}, WER):
        with pytest.raises(ValueError, match=r"\w") as raised:
            spokeneval.score(wrong, SAID, HEARD[:1])
        assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


FOUR, ANSWERS = ["a b", "c d", "e f", "g h"], ["a b", "c", "e", "g x"]


@pytest.mark.parametrize(
    "units",
    [["x", "x", "y", "z"], {"3": "z", "2": "y", "1": "x", "0": "x"}, pandas.Series(["x", "x", "y", "z"])],
)
def test_units_and_groups_are_given_by_position_or_by_id(units):
    table = [
        {"id": str(place), "transcript": said, "speaker": "xxyz"[place]} for place, said in enumerate(FOUR)
    ]
    own = spokeneval.score(WER, FOUR, ANSWERS, units=units, by=units)
    column = spokeneval.score(WER, table, ANSWERS)
    assert (own.unit, own.units, own.intervals) == ("speaker", 3, column.intervals)
    assert own.signature != column.signature
    assert {group: found.scores["wer"] for group, found in own.groups.items()} == {
        "x": 25.0,
        "y": 50.0,
        "z": 50.0,
    }
    assert "\n  x     25.0000   1 speaker\n" in str(own)
    assert own.to_dict()["groups"]["x"]["units"] == 1
    again = pickle.loads(pickle.dumps(own))
    assert (again.report(), again.groups) == (own.report(), own.groups)
    compared = spokeneval.compare(WER, FOUR, {"a": ANSWERS, "b": FOUR}, units=units)
    assert compared.units == "3 speakers"


def test_a_group_has_the_scores_and_intervals_of_its_items_alone(tmp_path):
    said, heard = [*FOUR, *FOUR], [*ANSWERS, *FOUR]
    groups = spokeneval.score(WER, said, heard, by=[*"kkkkllll"]).groups
    alone = spokeneval.score(WER, FOUR, ANSWERS)
    assert groups["k"] == (alone.scores, alone.intervals, 4)
    rows = ["id,transcript,site", *map(",".join, zip("abcdefgh", said, "kkkkllll", strict=True))]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    answers = dict(zip("abcdefgh", heard, strict=True))
    assert spokeneval.score(WER, tmp_path / "labels.csv", answers, by="site").groups == groups
    one_class = spokeneval.score(CLASSES, LABELS, [[2, 1], [1, 2], [3, 1], [1, 0]], by=[*"kkll"]).groups
    assert not any(map(math.isnan, one_class["k"].scores.values()))
    lone = spokeneval.score(CLASSES, LABELS, [[2, 1], [1, 2], [3, 1], [1, 0]], by=[*"lkkl"]).groups
    assert math.isnan(lone["k"].scores["eer"])


@pytest.mark.parametrize(
    ("units", "words"),
    [(["x"], "units: 1 values for 4 items"), ({"0": "x", "1": "x"}, "units: none for 2 items: 2, 3")],
)
def test_units_that_are_not_those_of_the_items_are_refused(units, words):
    with pytest.raises(ValueError, match=words):
        spokeneval.score(WER, FOUR, ANSWERS, units=units)


def test_a_baseline_gives_a_verdict_with_the_paired_interval():
    said = [f"{word} b c d" for word in "abcdefghij"]
    heard, base = [*said[:9], "j b c"], [f"{line[:5]} x" for line in said]
    result = spokeneval.score(WER, said, heard, baseline=base)
    pair = spokeneval.compare(WER, said, {"heard": heard, "base": base}).pairs[0]
    low, high = pair.interval.low, pair.interval.high
    assert result.verdict == (
        f"Better than the baseline. Difference from the baseline: {pair.difference:+.1f}, paired 95 % interval "
        f"{low:+.1f} to {high:+.1f} over 10 items, which does not include 0."
    )
    assert result.baseline["wer"] == spokeneval.score(WER, said, base).score
    for shown in (str(result), result.report()):
        assert "Better than the baseline." in shown
    assert (spokeneval.score(WER, said, heard).verdict, result.to_dict()["verdict"]) == ("", result.verdict)


def test_comparisons_with_a_baseline_are_adjusted_for_their_number():
    said = [f"{word} b c d" for word in "abcdefghijkl"]
    systems = {
        name: [*said[:number], *(["x"] * (12 - number))] for name, number in (("a", 12), ("b", 8), ("c", 3))
    }
    every = {(pair.first, pair.second): pair for pair in spokeneval.compare(WER, said, systems).pairs}
    found = spokeneval.compare(WER, said, systems, baseline="b")
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1), (1, 2)]
    ps = sorted((every[0, 1].p, every[1, 2].p))  # Holm by hand: the smaller p is doubled
    assert sorted(pair.adjusted for pair in found.pairs) == pytest.approx([2 * ps[0], max(2 * ps[0], ps[1])])
    assert "Differences are those to b; Holm's correction is over 2 pairs." in str(found)
    with pytest.raises(ValueError, match="baseline: no system 'd'; expected one of a, b, c"):
        spokeneval.compare(WER, said, systems, baseline="d")


@pytest.mark.parametrize(("method", "package"), [("to_frame", "pandas"), ("plot", "matplotlib.pyplot")])
def test_a_missing_package_is_named(method, package, monkeypatch):
    result = spokeneval.score(WER, SAID, HEARD)
    monkeypatch.setitem(sys.modules, package, None)
    name = package.partition(".")[0]
    with pytest.raises(ImportError, match=rf"{method}\(\) needs {name}; install it with pip install {name}"):
        getattr(result, method)()


def test_intervals_units_and_the_signature_are_computed_when_they_are_asked_for(monkeypatch):
    for name in ("scored.score_intervals", "scored.by_unit", "reference.Reference.label_fingerprint"):
        monkeypatch.setattr(f"spokeneval.scoring.{name}", None)
    result = spokeneval.score({"kind": "transcripts"}, ["good morning", "yes"], ["good evening", "yes"])
    assert round(result.score, 2) == 33.33  # one of three words
    for name in ("intervals", "units", "signature"):
        with pytest.raises(TypeError):
            getattr(result, name)
