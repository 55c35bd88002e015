"""The parameters of every kind: those that no task can have are refused by their name."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spokeneval.formats.problems import count_of
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import ParameterError
from spokeneval.run.options import sign_public
from spokeneval.run.reference import Reference
from tests.samples.kinds import make

TABLE = [["phone", "voice"], ["p", "-"], ["b", "+"]]
TWO = {"raters": 2, "scale": [1, 5]}
BOTH_ENDS = "expected the lowest and the highest"


def of_phones(**declared: Any) -> dict[str, Any]:
    return {"units": "phones", **declared}


def on_scale(low: Any, high: Any, **declared: Any) -> dict[str, Any]:
    return {"scale": [low, high], **declared}


def posteriors(**priors: Any) -> dict[str, Any]:
    return {"scores": {"posteriors": priors}}


REFUSED = {
    "decisions": [
        ({}, "classes: missing"),
        ({"classes": ["a"]}, "classes: .*two classes or more"),
        ({"classes": ["a", "a"]}, "classes: class 'a' twice"),
        ({"classes": [True, False]}, "classes: true without quotation marks"),
        ({"classes": [1, 2]}, "classes: class 1; expected a text"),
        ({"classes": ["a", "b"]}, "positive: two classes"),
        ({"classes": ["a", "b"], "positive": "c"}, "positive: 'c' is not one of"),
        ({"classes": ["a", "b", "c"], "positive": "c"}, "positive: 3 classes have no positive one"),
        ({"classes": ["a", "b", "c"], "item": "a_b"}, "item: 'a_b'; expected a word"),
        ({"clases": ["a", "b"]}, "clases: unknown parameter; did you mean classes?"),
        ({"classes": ["a", "b"], "positive": "b", "pool": "median"}, "pool: 'median'; expected vote or mean"),
        ({"classes": ["a", "b", "c"], "pool": "mean"}, "pool: mean of scores for 3 classes; expected two"),
        ({"classes": ["a", "b"], "positive": "b", "threshold": 1}, "threshold: .*declare `pool: mean`, too"),
        ({"classes": ["a", "b"], "positive": "b", "threshold": "low"}, "threshold: 'low'; expected a number"),
    ],
    "identification": [
        ({}, "classes: missing. Name two classes or more, or a target"),
        ({"classes": ["x"]}, "classes: .*two classes or more"),
        ({"classes": []}, "classes: .*two classes or more"),
        ({"classes": ["x", "x"]}, "classes: class 'x' twice"),
        ({"classes": ["x", "X"]}, "classes: 'x' is also the name of another column"),
        ({"classes": ["x", "Id"]}, "classes: 'Id' is also the name of another column"),
        ({"target": "x", "id": "Score"}, "id: 'score' is also the name of another column"),
        ({"classes": ["x", "y"], "target": "z"}, "target: 'z' is not one of the classes"),
        ({"target": ""}, "target: ''; expected a name"),
        ({"target": "x", "priors": 0}, "priors: prior 0; expected"),
        ({"target": "x", "priors": [0.5, 1]}, "priors: prior 1; expected"),
        ({"target": "x", "priors": "half"}, "priors: 'half'; expected a number"),
        ({"target": "x", "priors": True}, "priors: True; expected a number"),
        ({"target": "x", "priors": []}, r"priors: \[\]; expected a prior"),
        ({"target": "x", "priors": [0.5, 0.5]}, "priors: .*a list of different ones"),
        ({"target": "x", "priors": 1e-7}, r"priors: .* differ by a factor of 1e\+07"),
        ({"target": "x", "costs": {"c_miss": 0}}, "costs: c_miss 0; expected"),
        ({"target": "x", "costs": {"c_fa": -1}}, "costs: c_fa -1; expected"),
        ({"target": "x", "costs": {"c_fa": math.inf}}, "costs: inf; expected a number"),
        ({"target": "x", "costs": {"miss": 1}}, "costs: .*expected {c_miss"),
        ({"target": "x", "costs": 10}, "costs: 10; expected {c_miss"),
        ({"target": "x", "scores": "logits"}, "scores: 'logits'; expected likelihoods, posteriors"),
        ({"target": "x", **posteriors(y=0.5)}, "scores: priors of y; expected those of x"),
        ({"target": "x", **posteriors(x=0)}, "scores: prior 0; expected a number between"),
        ({"classes": ["x", "y"], **posteriors(x=0.5, y=0.4)}, "scores: priors that add up to 0.9"),
        ({"clases": ["x", "y"]}, "clases: unknown parameter; did you mean classes?"),
        ({"classes": ["x", "y"], "out_of_set": "y"}, "out_of_set: 'y' is a class; name a label that is none"),
        ({"target": "x", "out_of_set": "y"}, "out_of_set: every label but the target is out of set"),
        ({"classes": ["x", "y"], "p_oos": 0.1}, "p_oos: the prior of items out of set; name their label"),
        ({"classes": ["x", "y"], "out_of_set": "z", "p_oos": 0.5}, "p_oos: 0.5 and a prior of 0.5; expected"),
    ],
    "ratings": [
        ({"scale": [1, 5]}, "raters: missing"),
        ({"raters": 3}, "scale: missing"),
        ({**TWO, "raters": 1}, "raters: 1; expected the columns of 2 to 10000 raters"),
        ({**TWO, "raters": 10_001}, "raters: 10001; expected"),
        ({**TWO, "raters": True}, "raters: True; expected the columns"),
        ({**TWO, "raters": "anna"}, "raters: 'anna'; expected the columns"),
        ({**TWO, "raters": ["anna"]}, "raters: 1 rater; expected"),
        ({**TWO, "raters": [f"r{n}" for n in range(10_001)]}, "raters: 10001 raters; expected"),
        ({**TWO, "raters": ["anna", "Anna"]}, "raters: rater 'anna' twice"),
        ({**TWO, "raters": ["anna", 2]}, "raters: 2; expected a name"),
        ({**TWO, "raters": ["anna", "ID"]}, "raters: 'ID' is another column"),
        ({**TWO, "raters": ["anna", "user"]}, "raters: 'user' is another column"),
        ({**TWO, "raters": ["anna", "ward"], "unit": "ward"}, "raters: 'ward' is another column"),
        ({**TWO, "scale": [5, 1]}, r"scale: \[5, 1\]; expected the lowest rating before"),
        ({**TWO, "scale": [3, 3]}, r"scale: \[3, 3\]; expected the lowest"),
        ({**TWO, "scale": [0, 101]}, r"scale: \[0, 101\] has 102 steps of 1; expected at most 101"),
        ({**TWO, "scale": [1, 2.5]}, "step: 1 does not divide 2.5"),
        ({**TWO, "step": 0.3}, "step: 0.3 does not divide 1, an end of the scale"),
        ({**TWO, "scale": [False, True]}, r"scale: \[False, True\]; expected"),
        ({**TWO, "scale": 5}, f"scale: 5; {BOTH_ENDS} rating"),
        ({**TWO, "scale": [1, 3, 5]}, f"scale: .*{BOTH_ENDS} rating"),
        ({**TWO, "weights": "cubic"}, "weights: 'cubic'; expected linear or quadratic"),
        ({**TWO, "margin": 0.3}, "margin: 0.3; expected 0.2 or 0.15 or 0.1"),
        ({**TWO, "rater": 3}, "rater: unknown parameter; did you mean raters"),
    ],
    "scores": [
        ({}, "scale: missing"),
        (on_scale(6, 1), r"scale: \[6, 1\]; expected the lowest"),
        (on_scale(1, 1), "scale: .*the lowest score before"),
        ({"scale": 5}, f"scale: 5; {BOTH_ENDS} score"),
        (on_scale(1, "6"), f"scale: .*{BOTH_ENDS} score"),
        (on_scale(False, True), f"scale: .*{BOTH_ENDS} score"),
        (on_scale(0, math.inf), f"scale: .*{BOTH_ENDS} score"),
        (on_scale(0, 10**400), "scale: .*expected scores from -10000 to 10000"),
        (on_scale(0, 0.5), "scale: .*narrower than 1; multiply the scores"),
        (on_scale(1, 6, step=0), "step: 0; expected a number above 0"),
        (on_scale(1, 6, step="none"), "step: 'none'; expected a number above 0"),
        (on_scale(1, 6, step=0.0625), "step: 0.0625; expected at most 3 decimals"),
        (on_scale(1, 6, step=2), "step: 2 does not divide 1"),
        (on_scale(0, 6, step=4), "step: 4 does not divide 6"),
        (on_scale(0, 100, step=0.01), "step: 0.01 gives 10000 steps"),
        (on_scale(1, 6, control=" words"), "control: ' words'; expected a name"),
        (on_scale(1, 6, control="score"), "control: the column 'score' is used twice"),
        (on_scale(1, 6, second="speaker"), "second: the column 'speaker' is used twice"),
        (on_scale(1, 6, id="score"), "id: the column 'score' is used twice"),
        (on_scale(1, 6, sclae=1), "sclae: unknown parameter; did you mean scale?"),
    ],
    "transcripts": [
        ({"units": "phonemes"}, "units: 'phonemes'; expected words or characters or phones"),
        ({"phones": ["a"]}, "phones: units are words"),
        ({"features": TABLE}, "features: units are words"),
        ({"canonical": "canonical"}, "canonical: units are words"),
        (of_phones(phones=["a"], canonical="id"), "canonical: 'id' is another column"),
        (of_phones(), "phones: missing; expected a list of 1 to 500 phones"),
        (of_phones(phones="timit"), "phones: 'timit'; expected a list of phones"),
        (of_phones(phones=[]), "phones: .*expected a list of phones"),
        (of_phones(phones=["a", "b", "a"]), "phones: phone 'a' 2 times"),
        (of_phones(phones=["a b"]), "phones: phone 'a b'; expected one word"),
        (of_phones(phones=["<sil>"]), "phones: phone '<sil>'; expected one word that is not a filler"),
        (of_phones(phones=["a", False]), "phones: phone False; expected a text"),
        (of_phones(phones=[f"p{n}" for n in range(501)]), "phones: 501 phones"),
        (of_phones(phones="arpabet", features=TABLE), "features: phones: arpabet has"),
        (of_phones(phones=["p", "x"], features=TABLE), "features: no row for 1 phone: x$"),
        (of_phones(features="features.tsv"), "features: 'features.tsv'; expected rows"),
        (of_phones(features=[TABLE[0], ["p", "yes"]]), "features: phone 'p', voice: 'yes'"),
        (of_phones(features=[TABLE[0], ["p"]]), "features: phone 'p' has 0 values for 1"),
        (of_phones(phones="arpabet", normalise=["casefold"]), "normalise: .* 'AA' to 'aa'"),
        ({"clip": 2}, "clip: 2; expected None or 1 or pooled"),
        ({"best": "mean"}, "best: 'mean'; expected lowest_rate or fewest_errors"),
        ({"unk": "u k"}, "unk: the rules make 2 words of 'u k'; expected one word"),
        (
            {"unk": "unk", "units": "characters"},
            "unk: units are characters; expected one word, with units: words",
        ),
        ({"normalise": ["upper"]}, "normalise: no rule 'upper'"),
        ({"normalize": []}, "unknown parameter; did you mean normalise"),
    ],
    "meetings": [
        ({"units": "phones"}, "units: 'phones'; expected words or characters"),
        ({"collar": 11}, "collar: 11; expected seconds from 0 to 10"),
        ({"normalise": ["upper"]}, "normalise: no rule 'upper'"),
        ({"unit": "speaker"}, "unit: unknown parameter; did you mean units?"),
    ],
    "turns": [
        ({"classes": ["a"]}, "classes: .*two classes or more"),
        ({"classes": ["a", "a"]}, "classes: class 'a' twice"),
        ({"classes": ["a", "b c"]}, "classes: class 'b c'; expected no blanks"),
        ({"classes": ["a", "b"], "mapping": "optimal"}, "classes: with mapping optimal"),
        ({"mapping": "best"}, "mapping: 'best'; expected none or optimal"),
        ({"collar": -0.1}, "collar: -0.1; expected seconds from 0 to 10"),
        ({"collar": 250}, "collar: 250; expected seconds from 0 to 10"),
        ({"collar": 0.0005}, "collar: 0.0005; expected seconds .* in whole milliseconds"),
        ({"collar": True}, "collar: True; expected seconds"),
        ({"collar": math.nan}, "collar: nan; expected seconds"),
        ({"overlap": "ignored"}, "overlap: 'ignored'; expected scored or skipped"),
        ({"id": "label"}, "id: 'label' is the name of another column"),
        ({"unit": "recording"}, "unit: 'recording' is the name of another column"),
        ({"maping": "none"}, "maping: unknown parameter; did you mean mapping?"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "declared", "message"), [(kind, *row) for kind in KINDS for row in REFUSED[kind]]
)
def test_bad_parameters_are_refused_by_their_name(kind: str, declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as refused:
        make(kind, **declared)
    assert "\n" not in str(refused.value)


def test_the_plural_of_a_unit_is_said_and_not_signed():
    declaration = {"kind": "decisions", "classes": ["ja", "nein"], "positive": "ja", "unit": "Sprecherin"}
    plain = declared_task("own", declaration)
    own = declared_task("own", {**declaration, "unit_plural": "Sprecherinnen"})
    files = {"labels.csv": b"id,label,Sprecherin\na,ja,S1\nb,nein,S2\nc,ja,S2\n"}
    labels = own.format.read_reference(files)
    assert count_of(2, own.units(labels).called) == "2 Sprecherinnen"
    assert count_of(2, plain.units(labels).called) == "2 Sprecherins"
    reference = Reference(labels, labels.items, files=files)
    assert sign_public(own, {}, reference) == sign_public(plain, {}, reference)
    with pytest.raises(ParameterError, match="unit_plural"):
        declared_task("own", {**declaration, "unit_plural": 3})
