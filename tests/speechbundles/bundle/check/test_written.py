"""Keys of scores in the files of scoring programs, as published programs write them."""

import pytest

from speechbundles.bundle.check.written import unwritten_keys
from tests.samples.tables import table

WRITTEN = table("score_keys")["written"]
UNWRITTEN = table("score_keys")["unwritten"]


@pytest.mark.parametrize("name", WRITTEN)
def test_written_keys_are_found(name):
    assert unwritten_keys({"score.py": WRITTEN[name].encode()}, ["accuracy"]) == []


@pytest.mark.parametrize("name", UNWRITTEN)
def test_unwritten_keys_are_found(name):
    assert unwritten_keys({"score.py": UNWRITTEN[name].encode()}, ["accuracy"]) == ["accuracy"]


def test_other_files_count():
    program = b'json.dump({"acc": 1}, file)'
    for name, found in {
        "metric.yaml": b"name: accuracy",
        "score.R": b"write(accuracy)",
        "run": b"#!/bin/sh\necho accuracy",
        "lib.so": b"",
    }.items():
        assert unwritten_keys({"score.py": program, name: found}, ["accuracy"]) == []
    assert unwritten_keys({"score.py": program, "README.md": b"accuracy"}, ["accuracy"]) == ["accuracy"]


def test_computed_keys_do_not_excuse_a_key_beside_written_ones():
    program = b'scores["f1"] = 1\nfor name in names: scores[name] = 1'
    assert unwritten_keys({"score.py": program}, ["f1", "accuracy"]) == ["accuracy"]


@pytest.mark.thorough
def test_hostile_programs_end_soon():
    texts = [f'"{number}_%s%s%s%s"' for number in range(20_000)]
    keys = [f"{number}{'a' * 10_000}" for number in range(50)]
    assert len(unwritten_keys({"score.py": "\n".join(f"x = {text}" for text in texts).encode()}, keys)) > 40
    assert unwritten_keys({"score.py": b"(" * 100_000}, ["accuracy"]) == []
