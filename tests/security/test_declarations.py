"""Hostile declarations of tasks: each is refused in one line, and soon, by all that read the declarations of others.

`check` reads them in the `task.json` of a bundle, `rank` in the statistics of an output, and `spokeneval score` in the
file that --task-file names.
"""

from __future__ import annotations

import json
import time

import pytest

import build_bundle
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model.errors import OrganiserError
from spokeneval.__main__ import main
from spokeneval.formats.normalisation import read_rules
from spokeneval.kinds.declared import LARGEST_FILE, MOST_VALUES, declared_task
from spokeneval.kinds.kind import LONGEST_NAME, MOST_CLASSES, ParameterError
from tests.samples.programs import write_files
from tests.samples.small_bundles import codabench_bundle, zipped
from tests.tools.fuzz.targets import declared_output

GIVEN = ["--reference", "a", "--submission", "b"]
MANY = [str(number) for number in range(200_001)]
YES = {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"}
RATINGS = {"kind": "ratings", "raters": ["a", "b"], "scale": [1, 5]}
PHONES = {"kind": "transcripts", "units": "phones"}
TRIALS = {"kind": "identification", "target": "x"}
RULES = {"kind": "transcripts"}
SCORES = {"kind": "scores", "scale": [0, 1]}


def nested(levels):
    return [nested(levels - 1)] if levels else 1


HOSTILE = {
    "very many classes": ({"kind": "decisions", "classes": MANY}, "classes: more than 200000 values"),
    "many classes": ({**YES, "classes": MANY[: MOST_CLASSES + 1]}, "5001 classes; expected at most 5000"),
    "a long class": ({**YES, "classes": ["x" * 201, "y"]}, "expected at most 200 characters"),
    "a very long class": ({**YES, "classes": ["x" * 10**6, "y"]}, "classes: a text of 1000000 characters"),
    "a class with control characters": ({**YES, "classes": ["\x1b[31m", "y"]}, r"class '\x1b[31m'; expected"),
    "a title of two lines": ({**YES, "title": "a\nb"}, r"title: 'a\nb'; expected a name"),
    "a long title": ({**YES, "title": "<b>" * 67}, "title: '<b><b>"),
    "a long noun": ({**YES, "item": "x" * 201}, "item: 'xxx"),
    "a long key": ({**YES, "x" * 10**6: 1}, "unknown parameter; decisions has"),
    "lists in lists": ({"kind": "transcripts", "normalise": nested(12)}, "or more than 10 levels"),
    "a number for rules": ({"kind": "transcripts", "normalise": 5}, "normalise: "),
    "a huge table": ({**RULES, "normalise": [{"spelling": [["a", "x"]] * len(MANY)}]}, "more than 200000 values"),
    "many rules": ({"kind": "transcripts", "normalise": ["casefold"] * 10**5}, "rule 'casefold' twice"),
    "very many phones": ({**PHONES, "phones": MANY[:100_000]}, "100000 phones; expected a list of 1 to 500"),
    "very many features": ({**PHONES, "features": [["phone", *MANY]]}, "features: more than 200000 values"),
    "a step of 400 digits": ({**SCORES, "step": 10**400}, "step: a number of 401 digits"),
    "a prior of 400 digits": ({**TRIALS, "priors": [10**400]}, "priors: a number of 401 digits"),
    "a cost of 400 digits": ({**TRIALS, "costs": {"c_miss": -(10**400), "c_fa": 1}}, "costs: a number of 402 digits"),
    "no number": ({**RATINGS, "scale": [float("nan"), 5]}, "scale: [nan, 5]; expected"),
    "no end": ({"kind": "scores", "scale": [0, float("inf")]}, "scale: [0, inf]; expected"),
    "a tiny step": ({**SCORES, "step": 1e-300}, "step: 1e-300 gives"),
    "a tiny prior": ({**TRIALS, "priors": [1e-320]}, "expected a million at most"),
    "a long list of priors": ({**TRIALS, "priors": [0.5] * 10**5}, "priors: [0.5, 0.5"),
    "no text for a kind": ({"kind": ["x"]}, "kind: ['x']; expected one of"),
    "no text for a score": ({**YES, "primary": {}}, "primary: {}; expected one of"),
}  # fmt: skip


@pytest.mark.parametrize(("declaration", "said"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_declaration_is_refused_in_one_line_by_all_that_read_it(
    tmp_path, capsys, declaration, said
):
    began = time.process_time()
    with pytest.raises(ParameterError) as refusal:
        declared_task("small", declaration)
    assert said in str(refusal.value)
    assert len(str(refusal.value)) < 1500
    assert "\n" not in str(refusal.value)

    files = declared_output()
    content = {**json.loads(files["statistics.json"]), "declaration": declaration}
    write_files(tmp_path / "run", {**files, "statistics.json": json.dumps(content)})
    with pytest.raises(OrganiserError, match=r": 1 problem\n\n  run: statistics\.json (is|has) .*$"):
        read_outputs([tmp_path / "run"])

    task = {"task": "small", "declaration": declaration, "scores": [{"key": "f1"}], "options": {}}
    (tmp_path / "task.json").write_text(json.dumps(task))
    assert main(["score", "--task-file", str(tmp_path / "task.json"), *GIVEN]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert len(told) < 2000

    program = zipped({"score.py": "x = 1\n", "metadata": "command: x\n", "task.json": json.dumps(task)})
    build_bundle.main(["check", str(codabench_bundle(tmp_path, inner={"scoring_program.zip": program}))])
    assert "Traceback" not in capsys.readouterr().out
    assert time.process_time() - began < 6


@pytest.mark.thorough
def test_declarations_at_the_limits_are_read():
    labels = [*MANY[: MOST_CLASSES - 1], "x" * LONGEST_NAME]
    for kind in ("decisions", "identification", "turns"):
        assert declared_task("small", {"kind": kind, "classes": labels}).declaration["classes"] == labels
    declared_task("small", {"kind": "transcripts", "normalise": [{"drop": MANY[:MOST_VALUES]}]})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b" " * (LARGEST_FILE + 1), "not the task.json of a declared task"),
        (b"[" * 100_000, "not the task.json of a declared task"),
        (b'{"task": "x", "declaration": []}', "kind: None; expected one of"),
        (b'{"task": "x", "declaration": 5}', "not the task.json of a declared task"),
    ],
)
def test_a_task_file_that_no_build_wrote(tmp_path, capsys, content, said):
    (tmp_path / "task.json").write_bytes(content)
    assert main(["score", "--task-file", str(tmp_path / "task.json"), *GIVEN]) == 2
    assert said in capsys.readouterr().err


def test_marks_that_never_close_take_no_time():
    """A transcript of 60,000 openings took quadratic time: a regular expression looked for the end after each."""
    rules = read_rules([{"drop_marked": ["<…>", "((…))"]}])
    began = time.process_time()
    assert rules.words(["<" * 60_000, "(" * 60_000]) == [["<" * 60_000], ["(" * 60_000]]
    assert time.process_time() - began < 1
    texts = {"a <b> c": "a c", "<a> <b": "<b", "a<b<c>d>e": "a d>e", "((a)) ((b) ))c": "c"}
    texts |= {"<>a": "a", "a>b<": "a>b<"}
    assert rules.words(list(texts)) == [text.split() for text in texts.values()]
    assert rules.words(["<a", "b>"]) == [["<a"], ["b>"]]
