"""Rules by hand, Dawid and Skene's own example, and the procedure of Spoken CALL."""

import numpy as np
import pandas as pd
import pytest

from speechbundles.annotation.merge import RULES, dawid_skene, disagreements, merge, model_of
from speechbundles.model.errors import OrganiserError


def long(rows, questions=("q",)):
    """Answers from `item: one letter an annotator`, `-` for none; of several questions in groups with blanks."""
    found = [
        (who, item, question, letter.replace("-", ""), 0)
        for item, text in rows.items()
        for question, part in zip(questions, text.split(), strict=True)
        for who, letter in zip("abc", part, strict=True)
    ]
    return pd.DataFrame(found, columns=["annotator", "item", "question", "value", "time"])


ROWS = {"i1": "111", "i2": "112", "i3": "123", "i4": "12-", "i5": "1--", "i6": "---"}


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("unanimous", {"i1": "1"}),
        ("majority", {"i1": "1", "i2": "1"}),
        ("median", {"i1": "1", "i2": "1", "i3": "2", "i4": "1.5"}),
        ("low_median", {"i1": "1", "i2": "1", "i3": "2", "i4": "1"}),
        ("mean", {"i1": "1", "i2": "1.333333333", "i3": "2", "i4": "1.5"}),
    ],
)
def test_a_missing_answer_counts_against_each_rule(rule, labels):
    merged = merge(long(ROWS), dict.fromkeys(ROWS, 3), {"q": rule}, {"q": []})
    assert merged.labels["q"].to_dict() == labels
    reasons = merged.left_out.set_index("item")["reason"].to_dict()
    assert reasons.keys() == ROWS.keys() - labels.keys()
    assert reasons["i5"] == "1 of 3 answers: a 1"
    assert rule != "unanimous" or reasons["i2"] == "a 1, b 1, c 2"
    assert set(RULES) == {"unanimous", "majority", "median", "low_median", "mean", "fair_mean", "each"}


def test_each_keeps_all_answers():
    labels = merge(long(ROWS), dict.fromkeys(ROWS, 3), {"q": "each"}, {"q": []}).labels
    assert labels.loc["i4"].tolist() == ["1", "2", ""]
    assert "i6" not in labels.index


def test_an_adjudicator_decides_what_the_rule_leaves_open():
    expected = dict.fromkeys(ROWS, 3)
    merged = merge(long(ROWS), expected, {"q": "unanimous"}, {"q": ["1", "2", "3"]})
    sheet = disagreements(merged, ["q"])
    assert sheet.columns.tolist() == ["item", "q", "q by a", "q by b", "q by c"]
    assert sheet["item"].tolist() == ["i2", "i3", "i4", "i5", "i6"]
    decided = sheet.set_index("item").assign(q=["2", "3", "", "1", "1"])
    labels = merge(long(ROWS), expected, {"q": "unanimous"}, {"q": []}, decided).labels["q"]
    assert labels.to_dict() == {"i1": "1", "i2": "2", "i3": "3", "i5": "1", "i6": "1"}
    wrong = pd.DataFrame({"q": ["2"]}, index=["i1"])
    with pytest.raises(OrganiserError, match=r"changes labels that the answers decide: i1"):
        merge(long(ROWS), expected, {"q": "unanimous"}, {"q": []}, wrong)
    with pytest.raises(OrganiserError, match=r"q: no median of x; expected numbers"):
        merge(long({"i1": "x12"}), {"i1": 3}, {"q": "median"}, {"q": []})


def test_the_adjudicators_sheet_has_the_labels_of_decided_questions():
    """The sheet is merged again as it is: its labels are those that the rules decided, (2 + 2 + 4) / 3 for q2."""
    answers, expected = long({"i1": "112 224", "i2": "123 224"}, ("q1", "q2")), {"i1": 3, "i2": 3}
    questions, rules = {"q1": [], "q2": []}, {"q1": "majority", "q2": "mean"}
    sheet = disagreements(merge(answers, expected, rules, questions), ["q1", "q2"]).set_index("item")
    assert sheet[["q1", "q2"]].to_dict("index") == {"i2": {"q1": "", "q2": "2.666666667"}}
    labels = merge(answers, expected, rules, questions, sheet.assign(q1="3")).labels
    assert labels.loc["i2"].tolist() == ["3", "2.666666667"]


# Table 1 of Dawid and Skene (1979): 45 patients; the first anaesthetist judged three times, four others once.
PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""


def test_the_model_gives_the_estimates_of_dawid_and_skene():
    """Their Table 2: the shares of the classes, and the error rates of the first anaesthetist."""
    counts = np.zeros((45, 5, 4))
    for patient, judgements in enumerate(PATIENTS.split()):
        for place, judgement in enumerate(judgements):
            counts[patient, max(0, place - 2), int(judgement) - 1] += 1
    truth, shares, rates = dawid_skene(counts)
    assert shares.round(2).tolist() == [0.4, 0.42, 0.11, 0.07]
    first = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    assert rates[0].round(2).tolist() == first
    assert np.allclose(truth.sum(axis=1), 1)


def test_the_model_is_beside_the_rule():
    """A careless third annotator is outvoted by the model where one of two careful ones agrees with him."""
    rows = {f"i{n}": "112" if n % 3 else "221" for n in range(60)} | {"x": "122"}
    answers = long(rows)
    merged = merge(answers, dict.fromkeys(rows, 3), {"q": "majority"}, {"q": []})
    found = model_of(answers, merged, "q").set_index("item")
    assert found.loc["x", ["label", "model"]].tolist() == ["2", "1"] or found.loc["x", "probability"] < 1
    assert (found["label"].drop("x") == found["model"].drop("x")).all()
