"""Keys of scores in the files of scoring programs, as published programs write them."""

import pytest

from speechbundles.bundle.check.written import unwritten_keys

WRITTEN = {
    "a mapping": 'json.dump({"accuracy": 1}, file)',
    "a keyword": "scores = dict(accuracy=1)",
    "a line": 'file.write("accuracy: %f\\n" % value)',
    "an f-string": 'scores[f"{kind}uracy"] = 1',
    "a percent format": 'scores["%suracy" % kind] = 1',
    "a format": 'scores["{}uracy".format(kind)] = 1',
    "a sum": 'scores["acc" + rest] = 1',
    "a function's own name": "def accuracy(): pass\nscores[accuracy.__name__] = 1",
    "fields": "class Scores:\n    accuracy: float\njson.dump(asdict(scores), file)",
    "computed": "for name, value in results: scores[name] = value",
    "computed at once": "scores = {name: value for name, value in results}",
    "pairs": "scores = dict(zip(names, values))",
    "no Python": "import import",
}
UNWRITTEN = {
    "another key": 'json.dump({"acc": 1}, file)',
    "a comment": '# accuracy: 1\njson.dump({"acc": 1}, file)',
    "a docstring": '"""accuracy: 1"""\njson.dump({"acc": 1}, file)',
    "a sentence": 'print("accuracy is next")',
    "an identifier": 'accuracy = 1\njson.dump({"acc": accuracy}, file)',
    "numbers as keys": "counts[3] = accuracy",
    "places alone": 'print("%s%s" % pair, f"{a}{b}", "{}".format(c))',
}


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
