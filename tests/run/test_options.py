"""What an organiser's options say of a set, and what is written of scores: small values, each by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from spokeneval import __version__
from spokeneval.formats.format import Items
from spokeneval.run.options import (
    Options,
    choose_options,
    fingerprint,
    items_fingerprint,
    read_options,
    wants_page,
    with_options,
)
from spokeneval.run.output import check_scores, write_scores
from spokeneval.run.reference import Reference
from spokeneval.run.signature import Signature
from spokeneval.task import Option
from spokeneval.tasks import find_task
from tests.samples.programs import write_files

TASK = find_task("spoken_call")
REFERENCE = sha256(b"5 a.csv 2 1\n" + b"6 \xc3\xa4.csv 0 ").hexdigest()
ITEMS = sha256(b"1\n10\n2").hexdigest()

SET = {
    "options": {"class_sizes": "public"},
    "public_references": ["0" * 64, REFERENCE],
    "feedback": "coarse",
    "sets": {
        ITEMS: {"steps": {"d_full": 0.5}, "floor": {"d_full": 1.5}, "trivial": {"nothing": 0.25}},
        REFERENCE: {"steps": {"d_full": 2.0}, "floor": {"d_full": 0}, "trivial": {"nothing": 1}},
    },
    "detailed_results": True,
    "baselines": {REFERENCE: {"d_full": 1.25}, "others": {"d_full": 0}},
    "decimals": {"d_full": 3},
}


def read(folder: Path, content: Any = None) -> Options:
    reference = write_files(folder / "ref", {"ä.csv": "", "a.csv": "1\n", "folder/inner.csv": ""})
    path = folder / "options.json"
    if content is not None:
        path.write_text(json.dumps(content))
    return read_options(path, TASK, reference, Reference(None, Items(("2", "10", "1"))))


def test_fingerprints_by_hand():
    assert fingerprint({"ä.csv": b"", "a.csv": b"1\n"}) == REFERENCE
    assert items_fingerprint(["2", "10", "1"]) == ITEMS


def test_without_options_all_is_hidden_and_nothing_is_chosen(tmp_path):
    chosen = {"fifty_percent_rule": "flag", "class_sizes": "hidden"}
    assert read(tmp_path) == read(tmp_path, {}) == Options(chosen, False, f"items:{ITEMS[:12]}")
    assert Options(chosen, False, "") == Options(chosen, False, "", False, None, None, {}, {}, {})


def test_a_public_set_is_exact_and_known_by_its_labels(tmp_path):
    options = read(tmp_path, SET)
    chosen = {"fifty_percent_rule": "flag", "class_sizes": "public"}
    compared_by = f"reference:{REFERENCE[:12]}"
    told = ({"d_full": 2.0}, {"d_full": 0}, {"nothing": 1})
    assert options == Options(chosen, True, compared_by, True, *told, {"d_full": 1.25}, {"d_full": 3})
    assert not options.coarse
    line = f"spoken_call|class_sizes:public|fifty_percent_rule:flag|{compared_by}|spokeneval:{__version__}"
    assert str(options.signature(TASK)) == line
    assert options["class_sizes"] == "public"


def test_a_hidden_set_is_coarse_and_known_by_its_items(tmp_path):
    options = read(tmp_path, {**SET, "public_references": ["0" * 64]})
    assert (options.labels_public, options.baseline) == (False, {})
    assert (options.steps, options.floor, options.coarse) == ({"d_full": 0.5}, {"d_full": 1.5}, True)
    assert options.compared_by == f"items:{ITEMS[:12]}"
    assert f"|feedback:coarse|items:{ITEMS[:12]}|" in str(options.signature(TASK))
    exact = read(tmp_path, {**SET, "public_references": [], "feedback": "exact"})
    assert (exact.steps, exact.coarse, exact.trivial) == (None, False, {"nothing": 0.25})


def test_a_hidden_set_that_is_not_known_has_the_largest_steps(tmp_path):
    sets = {
        "a": {"steps": {"d_full": 0.01, "rfr": 0.05}, "floor": {"d_full": 1}},
        "b": {"steps": {"d_full": 0.02, "rfr": 0.04}},
    }
    options = read(tmp_path, {"feedback": "coarse", "sets": sets})
    assert (options.steps, options.floor, options.trivial) == ({"d_full": 0.02, "rfr": 0.05}, None, {})
    options = read(tmp_path, {"feedback": "coarse"})
    assert (options.steps, options.floor) == ({}, None)


def test_a_public_set_whose_baseline_is_not_known_has_none(tmp_path):
    for baselines in ({}, {"baselines": {"others": {"d_full": 0}}}):
        assert read(tmp_path, {"public_references": [REFERENCE], **baselines}).baseline == {}


def test_what_no_task_has_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^options\.json: unknown key feedbak$"):
        read(tmp_path, {"sets": {}, "feedbak": "exact", "other": 1})
    with pytest.raises(ValueError, match=r"^unknown option 'rule'$"):
        choose_options(TASK, {"rule": "flag"})
    with pytest.raises(ValueError, match=r"^class_sizes is 'shown'; expected one of hidden, public$"):
        choose_options(TASK, {"class_sizes": "shown"})


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ('{"detailed_results": true}', True),
        ('{"detailed_results": 1}', False),
        ("{}", False),
        ("[]", False),
        ("{", False),
        (b"\xff", False),
        (None, False),
    ],
)
def test_a_page_is_wanted_where_it_is_asked_for(tmp_path, content, wanted):
    if content is not None:
        write_files(tmp_path, {"options.json": content})
    assert wants_page(tmp_path / "options.json") is wanted


LINES = {
    "t": Signature("t", version=""),
    "t|a:b|c:d|reference:0|spokeneval:1": Signature("t", ("a:b", "c:d"), False, "0", version="1"),
    "t|feedback:coarse|items:0|part:open|spokeneval:1": Signature("t", (), True, "", "0", "open", "1"),
    "t|new|other:x": Signature("t", ("new", "other:x"), version=""),
}


@pytest.mark.parametrize("line", LINES)
def test_a_signature_is_its_line(line):
    assert Signature.parse(line) == LINES[line]
    assert str(LINES[line]) == line


# What is written


@pytest.mark.parametrize("score", [1e10, -1e10, float("inf"), float("nan")])
def test_a_score_that_no_platform_stores_is_refused(score):
    check_scores({"a": 9_999_999_999, "b": -9_999_999_999.5})
    with pytest.raises(
        ValueError, match=rf"^score b is {score!r}; expected a finite number below 1e10$".replace("+", r"\+")
    ):
        check_scores({"a": 1, "b": score})


def test_scores_are_written_in_full_or_not_at_all(tmp_path):
    write_scores(tmp_path, {"a": 0.1 + 0.2, "b": 3})
    assert (tmp_path / "scores.txt").read_text() == "a: 0.30000000000000004\nb: 3\n"
    assert (tmp_path / "scores.json").read_text() == '{\n  "a": 0.30000000000000004,\n  "b": 3\n}\n'
    (tmp_path / "scores.json").unlink()
    (tmp_path / "scores.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_scores(tmp_path, {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


@pytest.mark.parametrize(
    ("content", "spelled"),
    [
        (None, "known"),
        ({}, "known"),
        ({"options": {"words": "other"}}, "other"),
        ({"feedback": "coarse"}, "known"),
    ],
)
def test_a_task_varies_with_the_options_in_a_file(tmp_path, content, spelled):
    task = replace(TASK, options=(Option("words", ("known", "other")),), vary=lambda chosen: chosen["words"])
    if content is not None:
        (tmp_path / "options.json").write_text(json.dumps(content))
    assert with_options(tmp_path / "options.json", task) == spelled
