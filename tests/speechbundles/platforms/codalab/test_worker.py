"""CodaLab's worker and scores; expected results follow `update_submission` in web/tasks.py, and worker.py."""

import json

import pytest

from speechbundles.bundle.rehearse.run import RunFailed
from speechbundles.platforms.codalab import worker
from tests.samples.small_bundles import (
    AS_ON_THE_PLATFORM,
    CODALAB_SCORE,
    COLUMNS,
    MODEL,
    codalab_run,
    tree,
    writes,
    zipped,
)


def test_codalab_scores_the_submission_alone(tmp_path):
    """No ingestion, no `metadata` among the results; values shown with at least one decimal, zeros kept."""
    keep = tmp_path / "kept"
    result = codalab_run(tmp_path, CODALAB_SCORE, keep=keep)
    assert (result.status, result.platform, result.phase) == ("Finished", "codalab", "Evaluation")
    assert [(cell.key, cell.title, cell.shown) for cell in result.row] == [
        ("accuracy", "Accuracy", "0.8700"),
        ("items", "Items", "3.0"),
    ]
    assert [step.name for step in result.steps] == ["scoring"]
    assert tree(keep / "scoring/run/input") == ["ref/gold.txt", "res/answer.txt"]


def test_codalab_splits_commands_at_single_spaces_and_knows_no_app(tmp_path):
    show = writes("accuracy: 1\nitems: 1\n", "scores.txt").replace("sys.argv[2]", "sys.argv[3]")
    show = "import json, sys; print(json.dumps(sys.argv[1:]))\n" + show
    command = "python3 $program/score.py  $input $output '/app/x y'"
    result = codalab_run(tmp_path, show, command=f'"{command}"')
    words = json.loads(result.steps[0].stdout)
    assert words[0] == ""
    assert [word.rpartition("/")[2] for word in words[1:3]] == ["input", "output"]
    assert words[3:] == ["'/app/x", "y'"]


TOO_LONG = "accuracy is inf; the database accepts finite numbers only"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("accuracy: 0.5: 1\n", "line 1: 'accuracy: 0.5: 1'"),
        ("items: 3\naccuracy 0.5\n", "line 2: 'accuracy 0.5'"),
        ("items: 3\n \n", "line 2: ' '"),
        ("accuracy: good\n", "accuracy is 'good'"),
        ("accuracy: nan\n", "accuracy is nan"),
        *((f"accuracy: {'1' * digits}", TOO_LONG) for digits in (400, 5000)),
        ("accuracy: 1\n" + "x: 1\n" * 300_000, "no readable scores.txt: it is larger than 1 MB"),
        (None, "no readable scores.txt"),
    ],
)
def test_scores_that_codalab_cannot_read_or_store_fail(tmp_path, text, problem):
    """It reads no scores.json."""
    (tmp_path / "scores.json").write_text('{"accuracy": 1, "items": 3}')
    if text is not None:
        (tmp_path / "scores.txt").write_text(text)
    with pytest.raises(RunFailed) as failed:
        worker.store_scores(worker.read_scores(tmp_path), COLUMNS, [])
    assert problem in str(failed.value)


def page_run(tmp_path, more):
    """Run a scoring program that changes the worker's empty page, with pages enabled."""
    score = CODALAB_SCORE + f"page = output / 'detailed_results.html'\n{more}\n"
    return codalab_run(tmp_path, score, changes={"enable_detailed_results": True})


@pytest.mark.parametrize(
    "more",
    [
        "page.unlink()",
        "page.unlink(); page.mkdir()",
        r"page.write_bytes(b'\xff')",
        "page.rename(output / 'x')",
    ],
)
def test_codalab_fails_a_run_that_takes_its_page_away(tmp_path, more):
    """worker.py makes the page before the program starts, and reads it afterwards whether or not pages are enabled."""
    result = page_run(tmp_path, more)
    assert result.status == "Failed"
    assert "no readable detailed_results.html" in result.problems[0]


def test_codalab_shows_a_page_that_is_in_a_folder(tmp_path):
    in_folder = "(output / 'more').mkdir(); (output / 'more/page.html').write_text('x')"
    assert page_run(tmp_path, in_folder).warnings == ()
    for result, words in (
        (page_run(tmp_path, "page.write_text('x')"), "is lost if it is written in the last second of a run"),
        (page_run(tmp_path, ""), "there is no page in the output"),
        (codalab_run(tmp_path, CODALAB_SCORE + in_folder), "enable_detailed_results is off"),
    ):
        (warning,) = result.warnings
        assert words in warning


def test_codalab_runs_a_program_from_the_folder_above_it(tmp_path):
    show = "import os; print(sorted(os.listdir()))\n" + CODALAB_SCORE
    result = codalab_run(tmp_path, show)
    assert result.steps[0].stdout == "['input', 'output', 'program', 'shared', 'temp']\nscored\n"


def test_codalab_missing_and_unknown_keys(tmp_path):
    result = codalab_run(tmp_path, writes("accuracy: 0.5\nother: 1\n", "scores.txt"))
    assert result.status == "Finished"
    assert [cell.shown for cell in result.row] == ["0.5000", "-"]
    without_column, without_score = result.warnings
    assert "scores without a column" in without_column
    assert without_score.endswith("columns without a score: items")


CODALAB_PHASE = {
    "execution_time_limit": 20,
    "ingestion_program": "ingestion.zip",
    "input_data": "input.zip",
    "is_scoring_only": False,
    "label": "Only",
    "phasenumber": 1,
    "reference_data": "reference_data.zip",
    "scoring_program": "scoring_program.zip",
    "start_date": "2027-01-11 00:00:00",
}


@pytest.mark.parametrize(
    ("files", "accuracy"),
    [({"model.py": MODEL, "metadata": "description: a model"}, 0.87), ({"answer.txt": "7"}, 0.25)],
)
def test_codalab_runs_ingestion_for_code_only(tmp_path, files, accuracy):
    """The ingestion program imports the submission and sees the reference data (`run` in worker.py)."""
    program = """
        import sys
        from pathlib import Path
        import model
        data, hidden, output = map(Path, sys.argv[1:])
        assert (data / 'items.txt').exists() and (hidden / 'gold.txt').exists()
        (output / 'answer.txt').write_text(model.answer)
    """
    inner = {
        "input.zip": zipped({"items.txt": "a"}),
        "ingestion.zip": zipped(
            {
                "ingest.py": program,
                "metadata": "command: python3 $ingestion_program/ingest.py $input $hidden $output",
            }
        ),
    }
    changes = {"phases": {1: CODALAB_PHASE}}
    result = codalab_run(
        tmp_path, CODALAB_SCORE, files=files, changes=changes, inner=inner, engine=AS_ON_THE_PLATFORM
    )
    assert (result.status, result.scores.get("accuracy")) == ("Finished", accuracy), str(result)
