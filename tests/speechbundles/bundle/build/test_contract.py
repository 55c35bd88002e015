"""The contract of a task in an organiser's own Python: our tasks hold it, and each way to break it is found."""

import shutil

import pytest

import build_bundle
from speechbundles.bundle.build import contract
from tests.samples.own_python import TASK, own_python
from tests.samples.programs import write_files


def built(folder, capsys):
    """Return what a build refuses, in one line; empty if it builds."""
    status = build_bundle.main(["build", "--competition", str(folder), "--platform", "codabench"])
    told = " ".join(capsys.readouterr().err.split())
    assert (status == 1) == ("Nothing was built." in told)
    return told if status else ""


CARELESS = """
def careless(files, items):
    rows = files.read("pauses.csv", 1 << 20, Problems()).decode().split()[1:]
    found = dict(row.split(",") for row in rows)
    return Answers(items, {"pauses": np.array([int(found[item]) for item in items.ids])})


TASK = Task("""
BY_LABEL = """
def by_label(reference, options):
    rows = sorted(zip(reference["pauses"].tolist(), reference.items.ids))
    return {"items.csv": "\\n".join(["id", *(item for _, item in rows), ""]).encode()}


TASK = Task("""
FORMAT = "check=lambda answers, table, problems: None\n    )"
FORMULA = "lambda sums: sums.absolute / sums.items"

COUNT = "    error = np"
SLOW = "    while True:\n        pass\n"
TRAVELS = 'import_module("spokeneval" + ".ranking")\nTASK = Task('

BROKEN = {
    "a score out of bounds": (
        {"bounds=POSITIVE": "bounds=(0.0, 0.25)"},
        "the sample: the score mae is 0.5, but its bounds are 0 and 0.25",
    ),
    "a score that is not finite": ({FORMULA: FORMULA + " * np.nan"}, "the sample: the score mae is nan;"),
    "a score that some references leave undefined": (
        {
            "    exact: Any": "    exact: Any\n    total: Any",
            "error == 0)": 'error == 0, reference["pauses"])',
            FORMULA: "lambda sums: sums.absolute / sums.total",
        },
        "labels.csv with '0' as every pauses: ZeroDivisionError: division by zero (pauses.py line 47)",
    ),
    "an exception on a damaged file": (
        {
            "TASK = Task(": CARELESS,
            FORMAT: FORMAT + "._replace(read_submission=careless)",
            "import Sheet": "import Answers, Sheet",
            "import numpy as np": "import numpy as np\n\nfrom spokeneval.formats.problems import Problems",
        },
        "no files: KeyError: 'pauses.csv' (pauses.py line 37)",
    ),
    "numbers that overflow": (
        {"whole_numbers(0, 999)": "real_numbers()", "import whole_numbers": "import real_numbers"},
        "pauses.csv with '1e308' as every pauses",
    ),
    "labels that are not reported": (
        {'labels=lambda reference: reference["pauses"].tolist()': "labels=lambda reference: []"},
        "labels: the same for other labels; return all labels of the reference",
    ),
    "a list of items in the order of the labels": (
        {"TASK = Task(": BY_LABEL, FORMAT: FORMAT + "._replace(public_files=by_label)"},
        "the list of items: it depends on the labels in pauses of labels.csv",
    ),
    "answers that are more than right": (
        {'rows["errors"].exact': 'rows["errors"].exact * 2'},
        "the sample: right: expected a function of the counts that returns 4 numbers from 0 to 1, how right",
    ),
    "a trivial baseline of another column": (
        {'always("pauses", 2)': 'always("breaks", 2)'},
        "the trivial baseline '2 for every response': KeyError: 'pauses' (pauses.py line 29)",
    ),
    "another result in each run": (
        {"np.ones(len(error))": 'np.ones(len(error)) + hash("x") % 1000003'},
        "score.py writes another scores.json, scores.txt, statistics.json in each run; sort sets",
    ),
    "a print": (
        {COUNT: f'    print("they are", reference["pauses"].tolist())\n{COUNT}'},
        "while it runs: the task prints 'they are",
    ),
    "a write to a descriptor": (
        {COUNT: f'    __import__("os").write(2, b"they are\\n")\n{COUNT}'},
        "while it runs: the task prints 'they are'; remove the output",
    ),
    "a warning": ({COUNT: f'    __import__("warnings").warn("they are")\n{COUNT}'}, "UserWarning: they are';"),
    "a count that does not end": (
        {COUNT: SLOW + COUNT},
        "the examination ended: stopped, time limit: still running after 3 s",
    ),
    "a module that does not travel": (
        {"import numpy as np": "import numpy as np\nfrom importlib import import_module", "TASK = Task(": TRAVELS},
        "the examination ended: ModuleNotFoundError: No module named 'spokeneval.ranking'",
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_contract_is_one_message_with_what_to_change(name, tmp_path, monkeypatch, capsys):
    if "does not end" in name:
        monkeypatch.setattr(contract, "SECONDS", 3.0)
    folder = own_python(tmp_path / "rhythm")
    changes, expected = BROKEN[name]
    text = TASK
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    write_files(folder, {"tasks/pauses.py": text})
    told = built(folder, capsys)
    assert told.startswith("tasks/pauses.py: ")
    assert expected in told
    assert not (folder / "dist").exists()


GOOD, GIVEN = "id,pauses\na,1\nb,2\n", "id,pauses\na,1\n"

SAMPLES = {
    "no sample": ({}, "no sample in tasks/pauses/sample/reference/ and tasks/pauses/sample/submission/"),
    "no submission": ({"reference/labels.csv": GOOD}, "no sample in tasks/pauses/sample/submission/"),
    "a bad reference": (
        {"reference/labels.csv": GIVEN.replace("1", "many"), "submission/pauses.csv": GIVEN},
        "the sample's reference: refused: id a: pauses 'many'; expected an integer",
    ),
    "a bad submission": (
        {"reference/labels.csv": GOOD, "submission/pauses.csv": GIVEN},
        "the sample's submission: refused: id b: 2 responses expected, 1 found",
    ),
    "labels that are all the same": (
        {"reference/labels.csv": GOOD.replace("2", "1"), "submission/pauses.csv": GOOD},
        "labels: the same for other labels; return all labels of the reference",
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_that_cannot_be_used_is_refused(name, tmp_path, capsys):
    folder = own_python(tmp_path / "rhythm")
    shutil.rmtree(folder / "tasks/pauses")
    files, expected = SAMPLES[name]
    write_files(folder, {f"tasks/pauses/sample/{file}": text for file, text in files.items()})
    assert expected in built(folder, capsys)
