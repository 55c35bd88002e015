"""The section of a declared task's kind on a report: its figures against other implementations and by hand."""

import re
from collections import defaultdict
from html import unescape
from types import SimpleNamespace

import jiwer
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from spokeneval.formats.format import Items
from spokeneval.formats.sheets import Answers
from spokeneval.kinds.declared import declared_task
from spokeneval.report.kinds import transcripts
from spokeneval.report.sections import _kind

CONFUSIONS = "Items by true and answered class"


def section(declared, reference, submission):
    sides = []
    for columns in (reference, submission):
        arrays = {name: np.array(values) for name, values in columns.items() if name != "transcript"}
        if "transcript" in columns:
            arrays["transcript"] = np.empty(len(columns["transcript"]), dtype=object)
            arrays["transcript"][:] = columns["transcript"]
        size = len(next(iter(columns.values())))
        sides.append(Answers(Items(tuple(f"i{n}" for n in range(size))), arrays))
    task = declared_task("own", declared)
    parts = _kind(task).sections(task.view, *sides, SimpleNamespace(scores=defaultdict(float)))
    return "".join(part.markup for part in parts if part is not None)


def tables(markup):
    """The tables of a page, `caption -> rows of cells`."""
    found = {}
    for part in markup.split("<table")[1:]:
        caption = unescape(re.search(r"<span>(.*?)</span>", part)[1])
        rows = re.findall(r"<tr>(.*?)</tr>", part)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
        found[caption] = [[unescape(cell) for cell in row] for row in cells]
    return found


def test_decisions_have_the_confusions_of_scikit_learn():
    draw = np.random.default_rng(1)
    expected, answered = draw.integers(0, 3, (2, 200))
    declared = {"kind": "decisions", "classes": ["A", "B", "<C>"]}
    (header, *rows) = tables(section(declared, {"label": expected}, {"label": answered}))[
        "Items by true and answered class"
    ]
    assert header == ["True class", "answered A", "answered B", "answered <C>", "all", "right"]
    matrix = confusion_matrix(expected, answered)
    assert [[int(cell) for cell in row[1:4]] for row in rows] == matrix.tolist()
    assert [row[5] for row in rows] == [f"{100 * matrix[n, n] / matrix[n].sum():.1f} %" for n in range(3)]


def test_of_many_classes_the_most_frequent_confusions_are_listed():
    classes = [f"c{n:02d}" for n in range(20)]
    expected = [0] * 10 + [3] * 4 + list(range(20))
    answered = [1] * 7 + [2] * 3 + [4] * 4 + list(range(20))
    markup = section({"kind": "decisions", "classes": classes}, {"label": expected}, {"label": answered})
    (rows,) = tables(markup).values()
    assert rows[1:] == [
        ["c00 → c01", "7", "63.6 %"],
        ["c03 → c04", "4", "80.0 %"],
        ["c00 → c02", "3", "27.3 %"],
    ]


LANGUAGES = ["de", "hi"]


@pytest.mark.parametrize(
    ("scores", "given", "rows"),
    [
        ("likelihoods", [[-1, -2], [-3, -3], [-2, -1]], [["1", "0", "1"], ["0", "1", "0"]]),
        ("posteriors", [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], [["1", "1"], ["0", "1"]]),
        # 0.6 / 0.9 is less than 0.4 / 0.1.
        (
            {"posteriors": {"de": 0.9, "hi": 0.1}},
            [[0.95, 0.05], [0.91, 0.09], [0.6, 0.4]],
            [["2", "0"], ["0", "1"]],
        ),
    ],
)
def test_the_class_with_the_largest_likelihood_is_chosen(scores, given, rows):
    declared = {"kind": "identification", "classes": LANGUAGES, "scores": scores}
    submission = dict(zip(LANGUAGES, np.array(given, dtype=float).T, strict=True))
    found = tables(section(declared, {"label": [0, 0, 1]}, submission))[CONFUSIONS]
    assert [row[1:-2] for row in found[1:]] == rows


@pytest.mark.parametrize(("scores", "equal"), [("likelihoods", 0), ("posteriors", 0.5)])
def test_a_target_is_detected_above_equal_likelihoods(scores, equal):
    declared = {"kind": "identification", "target": "spoof", "scores": scores}
    given = [equal + 0.1, equal - 0.1, equal + 0.2, equal]
    found = tables(section(declared, {"label": [0, 0, 1, 1]}, {"score": given}))
    assert found[CONFUSIONS] == [
        ["True class", "answered spoof", "answered other than spoof", "answered undecided", "all", "right"],
        ["spoof", "1", "1", "0", "2", "50.0 %"],
        ["other than spoof", "1", "0", "1", "2", "0.0 %"],
    ]
    # Of the thresholds that accept at most half of the two others, 0.1 misses one of two targets.
    assert [row[1] for row in found["Points on the curves"][1:]] == ["100.00"] * 4 + ["50.00"]


def test_the_words_with_the_most_errors():
    said = [[["the", "cat", "sat"]], [["the", "dog"], ["a", "dog"]], [["the", "cat"]]]
    heard = [["a", "cat"], ["a", "dog", "ran"], ["the", "cat"]]
    markup = section({"kind": "transcripts"}, {"transcript": said}, {"transcript": heard})
    found = tables(markup)
    assert found["Words of the reference that are most often wrong or missing"][1:] == [
        ["sat", "1", "1", "100.0 %"],
        ["the", "1", "2", "50.0 %"],  # the second item is compared with "a dog"
    ]
    assert found["Most frequent errors"][1:] == [["– → ran", "1"], ["sat → –", "1"], ["the → a", "1"]]


def test_the_errors_of_words_add_up_to_those_of_jiwer():
    draw = np.random.default_rng(2)
    said = [list(draw.choice(list("abcd"), draw.integers(1, 9))) for _ in range(40)]
    heard = [list(draw.choice(list("abcd"), draw.integers(1, 9))) for _ in range(40)]
    pairs = [pair for sides in zip(said, heard, strict=True) for pair in transcripts._aligned(*sides)]
    expected = jiwer.process_words(list(map(" ".join, said)), list(map(" ".join, heard)))
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(wrong) == expected.substitutions + expected.insertions + expected.deletions


def test_of_alignments_with_the_fewest_errors_the_one_with_most_substitutions_counts():
    # Two errors both ways: two substitutions, or a deletion and an insertion.
    assert list(transcripts._aligned(["a", "b"], ["b", "a"])) == [("a", "b"), ("b", "a")]


def test_items_that_are_too_long_are_counted_and_not_aligned(monkeypatch):
    monkeypatch.setattr(transcripts, "LARGEST", 10)
    said, heard = [[["a", "b"]], [["a"] * 9]], [["a", "c"], ["b"] * 9]
    markup = section({"kind": "transcripts"}, {"transcript": said}, {"transcript": heard})
    assert "Of the 2 items with errors, 1 are counted here; the others are too long." in markup
    assert tables(markup)["Most frequent errors"][1:] == [["b → c", "1"]]


def test_the_shift_of_ratings_is_against_each_rater_who_rated():
    declared = {"kind": "ratings", "raters": ["Anna", "Ravi"], "scale": [1, 5]}
    reference = {"Anna": [1, 2, 3, 4], "Ravi": [0, 5, 5, 0]}  # 0: not rated
    found = tables(section(declared, reference, {"rating": [2, 2, 4, 3]}))
    assert found["Ratings compared with each rater"][1:] == [
        ["Anna", "+0.25", "25.0 %", "25.0 %", "50.0 %", "4"],
        ["Ravi", "-2.00", "100.0 %", "0.0 %", "0.0 %", "2"],
    ]
    kappa = cohen_kappa_score([1, 2, 3, 4], [2, 2, 4, 3], weights="linear", labels=range(1, 6))
    assert found["Agreement of each two"][2] == ["Anna, submission", f"{kappa:.4f}", "25.0 %", "100.0 %", "4"]
    assert found["Items by the rating of Anna"][1] == ["1", "0", "1", "0", "0", "0"]


def test_the_shift_of_scores_is_at_each_human_score_or_in_bands():
    reference, submission = {"score": [1.0, 1.0, 3.0, 6.0]}, {"score": [1.5, 2.0, 2.5, 6.0]}
    for step, names in ((1, ["1", "3", "6", "all"]), (None, ["1 to 2", "3 to 4", "5 to 6", "all"])):
        declared = {"kind": "scores", "scale": [1, 6], **({"step": step} if step else {})}
        (found,) = tables(section(declared, reference, submission)).values()
        assert [row[0] for row in found[1:]] == names
        assert [row[1:] for row in found[1:]] == [
            ["+0.750", "1.750", "2"],
            ["-0.500", "2.500", "1"],
            ["+0.000", "6.000", "1"],
            ["+0.250", "3.000", "4"],
        ]
