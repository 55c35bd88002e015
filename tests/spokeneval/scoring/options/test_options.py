"""Tests of the organiser's options for a set, and of the written scores, with small examples by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from spokeneval import __version__
from spokeneval.challenges import find_task
from spokeneval.formats.format import Items
from spokeneval.scoring.options import (
    About,
    Options,
    SetFeedback,
    Settings,
    Signature,
    choose_options,
    read_options,
)
from spokeneval.scoring.reference import fingerprint, items_fingerprint, parse_reference
from tests.samples.cases import CASES

TASK = find_task("spoken_call")
HEADER, *ROWS = CASES[TASK.name].reference["reference.csv"].encode().splitlines(keepends=True)
LABELS = {"reference.csv": b"".join([HEADER, *sorted(ROWS)])}
REFERENCE = fingerprint(LABELS)
SIGNED = parse_reference(TASK, LABELS).label_fingerprint(TASK.format)[:12]
ITEMS = sha256(b"1\n10\n2").hexdigest()

SET = {
    "options": {"class_sizes": "public"},
    "public_references": ["0" * 64, REFERENCE],
    "feedback": "coarse",
    "sets": {
        ITEMS: {
            "steps": {"d_full": 0.5},
            "floor": {"d_full": 1.5},
            "trivial": {"nothing": 0.25},
            "best": "",
            "broken": "",
        },
        REFERENCE: {
            "steps": {"d_full": 2.0},
            "floor": {"d_full": 0},
            "trivial": {"nothing": 1},
            "best": "nothing",
            "broken": "breaks the rule",
        },
    },
    "detailed_results": True,
    "baselines": {REFERENCE: {"d_full": 1.25}, "others": {"d_full": 0}},
    "decimals": {"d_full": 3},
    "competition": "Spoken CALL",
    "about": {REFERENCE: {"set": "development", "phases": ["Trial"], "baseline_without": [1.5, 1.0]}},
}


def settings(content: Any) -> Settings:
    """The settings for a reference from parsed options."""
    reference = parse_reference(TASK, LABELS)._replace(items=Items(("2", "10", "1")))
    return Options.load(content).settings(TASK, reference)


def test_fingerprints_by_hand():
    expected = sha256(b"5 a.csv 2 1\n" + b"6 \xc3\xa4.csv 0 ").hexdigest()
    assert fingerprint({"ä.csv": b"", "a.csv": b"1\n"}) == expected
    assert items_fingerprint(["2", "10", "1"]) == ITEMS


def test_what_is_loaded_is_what_was_written():
    told = SetFeedback({"d_full": 0.5}, {"d_full": 1.5}, {"nothing": 0.25})
    for options in (Options(), Options.load(SET), Options(sets={ITEMS: told}, detailed_results=True)):
        assert Options.load(json.loads(options.dump())) == replace(
            options, public_references=list(options.public_references)
        )
    assert json.loads(Options.load(SET).dump()) == SET
    assert Options.load(SET).sets[ITEMS] == told
    assert list(json.loads(Options().dump())) == list(SET)[:5]  # what only pages need goes with them
    assert Options({"é": "x"}).dump("options") == '{\n  "options": {\n    "é": "x"\n  }\n}\n'.encode()


def test_without_options_all_is_hidden_and_nothing_is_chosen(tmp_path):
    chosen = {"fifty_percent_rule": "flag", "class_sizes": "hidden"}
    signature = Signature(
        TASK.name, ("class_sizes:hidden", "fifty_percent_rule:flag"), items=ITEMS[:12], version=__version__
    )
    assert settings({}) == Settings(chosen, False, signature, SetFeedback({}), {}, {})
    assert read_options(tmp_path / "options.json") == Options() == Options.load({})
    (tmp_path / "options.json").write_bytes(Options.load(SET).dump())
    assert read_options(tmp_path / "options.json") == Options.load(SET)


def test_a_public_set_is_exact_and_known_by_its_labels():
    found = settings(SET)
    chosen = {"fifty_percent_rule": "flag", "class_sizes": "public"}
    signature = Signature(TASK.name, ("class_sizes:public", "fifty_percent_rule:flag"), False, SIGNED)
    told = SetFeedback({"d_full": 2.0}, {"d_full": 0}, {"nothing": 1}, "nothing", "breaks the rule")
    about = About("development", ["Trial"], [1.5, 1.0])
    shown = ({"d_full": 1.25}, {"d_full": 3}, "Spoken CALL", about)
    assert found == Settings(chosen, True, signature, told, *shown)
    assert not found.coarse
    line = f"spoken_call|class_sizes:public|fifty_percent_rule:flag|reference:{SIGNED}"
    assert str(found.signature) == f"{line}|spokeneval:{__version__}"
    assert found["class_sizes"] == "public"


def test_a_hidden_set_is_coarse_and_known_by_its_items():
    found = settings({**SET, "public_references": ["0" * 64]})
    assert (found.labels_public, found.baseline) == (False, {})
    assert (found.feedback, found.coarse) == (
        SetFeedback({"d_full": 0.5}, {"d_full": 1.5}, {"nothing": 0.25}),
        True,
    )
    assert f"|feedback:coarse|items:{ITEMS[:12]}|" in str(found.signature)
    exact = settings({**SET, "public_references": [], "feedback": "exact"})
    assert (exact.feedback, exact.coarse) == (SetFeedback({}, None, {"nothing": 0.25}), False)
    assert not exact.signature.coarse


def test_a_hidden_set_that_is_not_known_has_the_largest_steps():
    sets = {
        "a": {"steps": {"d_full": 0.01, "rfr": 0.05}, "floor": {"d_full": 1}},
        "b": {"steps": {"d_full": 0.02, "rfr": 0.04}},
    }
    found = settings({"feedback": "coarse", "sets": sets})
    assert found.feedback == SetFeedback({"d_full": 0.02, "rfr": 0.05})
    assert settings({"feedback": "coarse"}).feedback == SetFeedback({})


def test_a_signature_names_the_set_by_the_first_digits_of_its_items():
    options = Options.load(SET)
    assert options.feedback_on(ITEMS[:12]) == options.sets[ITEMS]
    assert options.feedback_on("") is options.feedback_on("0" * 12) is None


def test_a_public_set_whose_baseline_is_not_known_has_none():
    for baselines in ({}, {"baselines": {"others": {"d_full": 0}}}):
        assert settings({"public_references": [REFERENCE], **baselines}).baseline == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"sets": {}, "feedbak": "exact", "other": 1}, "unknown key feedbak"),
        ({"detailed_results": 1}, "detailed_results is 1"),
        ({"sets": {"a": {"floor": {}}}}, "sets: expected steps, floor, trivial and best"),
        ({"sets": {"a": {"steps": {"f1": "1"}}}}, "sets: expected steps, floor, trivial and best"),
        ({"sets": {"a": {"steps": [1]}}}, "sets: expected steps, floor, trivial and best"),
        ({"about": {"a": {"name": ""}}}, "about: expected set, phases and baseline_without"),
        ([], "expected an object"),
    ],
)
def test_content_of_another_form_is_refused(content, words):
    with pytest.raises(ValueError, match=rf"^options\.json: {words}$"):
        Options.load(content)


def test_what_no_task_has_is_refused():
    with pytest.raises(
        ValueError, match=r"^unknown option 'rule'; expected one of fifty_percent_rule, class_sizes, primary$"
    ):
        choose_options(TASK, {"rule": "flag"})
    with pytest.raises(ValueError, match=r"^class_sizes is 'shown'; expected one of hidden, public$"):
        choose_options(TASK, {"class_sizes": "shown"})
