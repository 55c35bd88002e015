"""Rehearsals with small bundles made here; expected results follow the platforms' source code."""

import json
import zipfile
from decimal import Decimal

import pytest
import yaml

from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import write_tree
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_zip import unpack
from tests.samples.live_bundle import with_password
from tests.samples.small_bundles import (
    CODALAB_SCORE,
    ONLY,
    TASKS,
    codabench_bundle,
    codalab_run,
    phase_of,
    run,
    shown,
    submission_zip,
    tree,
    writes,
)

# A complete run


def test_a_finished_run(tmp_path):
    result = run(tmp_path)
    assert (result.status, result.platform, result.phase) == ("Finished", "codabench", "Evaluation")
    assert result.scores == {"accuracy": 0.87654321, "items": 3}
    row = [(cell.stored, cell.shown, cell.hidden) for cell in result.row]
    assert row == [(Decimal("0.8765432100"), "0.8765", False), (3, "3.0", True)]
    assert result.warnings == result.problems == ()
    steps = [(step.name, step.exit_code, step.stdout) for step in result.steps]
    assert steps == [("ingestion", 0, "items a b c\n"), ("scoring", 0, "scored\n")]
    assert str(result) == f"Finished in {result.seconds:.1f} s   Accuracy 0.8765"


@pytest.mark.parametrize(
    ("phase", "name", "accuracy"),
    [(None, "Evaluation", "0.8765"), ("Development", "Development", "0.25"), ("0", "Development", "0.25"),
     ("1", "Evaluation", "0.8765")],
)  # fmt: skip
def test_the_phase_is_chosen_by_name_or_index(tmp_path, phase, name, accuracy):
    """`0.25` and not `0.2500`: the server sends str(round(score, precision))."""
    result = run(tmp_path, phase=phase)
    assert (result.phase, result.row[0].shown) == (name, accuracy)
    assert str(result).endswith(f"   Accuracy {accuracy}")


# Ingestion


def test_scoring_goes_ahead_when_ingestion_fails(tmp_path):
    keep = tmp_path / "kept"
    result = run(tmp_path, ingest="import sys; sys.exit('answer.txt: no')", keep=keep)
    assert result.status == "Finished"
    assert result.warnings == ("ingestion ended with exit code 1; the platform scores the submission anyway",)
    assert yaml.safe_load((keep / "scoring/app/input/res/metadata").read_text())["ingestionExitCode"] == 1
    assert result.steps[0].stderr == "answer.txt: no\n"


def test_without_an_ingestion_program_the_submission_is_scored_as_it_is(tmp_path):
    keep = tmp_path / "kept"
    result = run(tmp_path, ingest=None, keep=keep)
    assert [step.name for step in result.steps] == ["scoring"]
    assert tree(keep / "scoring/app/input/res") == ["answer.txt", "metadata"]


def test_a_time_limit_in_ingestion_fails_and_is_not_scored(tmp_path):
    slow = [{**ONLY, "tasks": [1], "execution_time_limit": 1}]
    result = run(tmp_path, ingest="import time; time.sleep(30)", changes={"phases": slow})
    assert result.status == "Failed"
    assert result.problems == ("ingestion was stopped: time limit: still running after 1 s",)
    assert [step.name for step in result.steps] == ["ingestion"]


# Submissions that are not run


@pytest.mark.parametrize("name", ["metadata", "metadata.yaml"])
def test_a_submission_with_metadata_is_never_run(tmp_path, name):
    witness = tmp_path / "witness"
    result = run(tmp_path, {"answer.txt": "42", name: f"command: touch {witness}"})
    assert result.status == "Failed"
    assert f"a file named {name}" in result.problems[0]
    assert result.steps == ()
    assert not witness.exists()
    assert run(tmp_path, {"answer.txt": "42", f"more/{name}": "command: x"}).status == "Finished"


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ("../answer.txt", "Finished"),
        ("/answer.txt", "Finished"),
        ("a/../../../answer.txt", "Failed"),  # is a/answer.txt
        ("../metadata", "Failed"),
        ("..", "Failed"),
        ("..\\answer.txt", "Failed"),
    ],
)
def test_an_entry_that_leads_out_of_the_zip_is_unpacked_inside(tmp_path, entry, status):
    """As `extractall` does; compared with it."""
    escape = submission_zip(tmp_path, {"../": "", entry: "42"})
    assert codalab_run(tmp_path, CODALAB_SCORE, files=escape).status == status
    bundle = codabench_bundle(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    found = rehearse(bundle, escape, keep=tmp_path / "kept")
    assert found.status == status
    outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "kept")]
    assert sorted(outside) == before
    if status == "Finished":
        assert [warning for warning in found.warnings if f"inside its folder: ../, {entry}" in warning]
        (folder,) = (tmp_path / "kept").rglob("res")
        with zipfile.ZipFile(escape) as archive:
            archive.extractall(tmp_path / "worker")
        assert [path.name for path in (tmp_path / "worker").iterdir()] == ["answer.txt"]
        assert (folder / "answer.txt").read_bytes() == (tmp_path / "worker/answer.txt").read_bytes()
    (tmp_path / "kit").mkdir()
    with pytest.raises(SubmissionError):
        unpack(escape, tmp_path / "kit")


def test_an_encrypted_zip_never_ends_on_the_older_worker_of_codabench(tmp_path):
    upload = submission_zip(tmp_path, {"answer.txt": "42"})
    upload.write_bytes(with_password(upload.read_bytes()))
    bundle = codabench_bundle(tmp_path)
    older, newer = (rehearse(bundle, upload, reworked=reworked) for reworked in (False, True))
    for found in (older, newer, codalab_run(tmp_path, CODALAB_SCORE, files=upload)):
        assert "is encrypted; zip it without a password" in found.problems[0]
        assert ("never ends: it stays Preparing" in found.problems[0]) is (found is older)


@pytest.mark.parametrize(
    ("first", "last"), [("../answer.txt", "answer.txt"), ("answer.txt", "../answer.txt")]
)
def test_of_two_entries_at_one_place_the_last_is_scored(tmp_path, first, last):
    bundle = codabench_bundle(tmp_path)
    for answers, score in (("41 42", 0.87654321), ("42 41", 0.25)):
        upload = submission_zip(tmp_path, dict(zip((first, last), answers.split(), strict=True)))
        assert rehearse(bundle, upload).scores["accuracy"] == score


# Scoring fails


def test_a_failing_scoring_program_fails_with_what_it_said(tmp_path):
    score = writes('{"accuracy": 1}', more="sys.stderr.write('line 14: \\x1b[31mno\\n'); sys.exit(1)")
    result = run(tmp_path, score=score)
    assert result.status == "Failed"
    assert result.problems == ("the scoring program ended with exit code 1",)
    assert (result.scores, result.row) == ({}, ())
    (warning,) = result.warnings
    assert "ignores them after a non-zero exit code" in warning
    lines = str(result).splitlines()
    assert lines[0].startswith("Failed in ")
    assert lines[-2:] == ["  Output of scoring (exit code 1):", "    line 14: \\x1b[31mno"]


def test_what_both_steps_say_is_shown_once(tmp_path):
    refusal = "import sys; sys.exit('results.csv: 1 problem')"
    assert str(run(tmp_path, ingest=refusal, score=refusal)).count("results.csv: 1 problem") == 1
    other = "import sys; sys.exit('something else')"
    assert str(run(tmp_path, ingest=other, score=refusal)).count("(exit code 1):") == 2


def test_a_scoring_program_over_the_time_limit_fails(tmp_path):
    slow = [{**ONLY, "tasks": [1], "execution_time_limit": 1}]
    result = run(tmp_path, score="import time; time.sleep(30)", changes={"phases": slow})
    assert result.problems == ("scoring was stopped: time limit: still running after 1 s",)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"score": "print('nothing')"}, "wrote neither scores.json nor scores.txt"),
        ({"score": writes("{'accuracy': 1}")}, "scores.json is not valid JSON"),
        *(({"command": command}, "no command") for command in ("", " ", None)),
    ],
)
def test_no_scores_that_can_be_read_fail(tmp_path, options, problem):
    result = run(tmp_path, **options)
    assert result.status == "Failed"
    assert problem in result.problems[0]


def test_metadata_in_an_output_fails_but_scores_before_it_are_stored(tmp_path):
    result = run(tmp_path, ingest="import sys; open(sys.argv[3] + '/metadata', 'w')")
    assert (result.status, "metadata" in result.problems[0]) == ("Failed", True)
    score = writes('{"accuracy": 0.5, "items": 3}', more="(output / 'metadata').write_text('x')")
    result = run(tmp_path, score=score)
    assert (result.status, "metadata" in result.problems[0]) == ("Failed", True)
    assert result.row[0].stored == Decimal("0.5")


def test_a_run_whose_scores_are_lost_is_finished(tmp_path):
    result = run(tmp_path, score=writes('{"accuracy": 0.5, "items": NaN}'), ingest=None)
    assert result.status == "Finished"
    assert [cell.stored for cell in result.row] == [None, None]
    json.loads(result.to_json(), parse_constant=pytest.fail)


# Bundles that cannot be rehearsed


def test_what_cannot_be_rehearsed_is_refused(tmp_path):
    bundle, submission = codabench_bundle(tmp_path), submission_zip(tmp_path)
    for one, other, options, words in (
        (submission, submission, {}, r"no competition\.yaml"),
        (tmp_path / "none.zip", submission, {}, "expected a bundle"),
        (bundle, tmp_path / "none.zip", {}, "expected the zip of a submission"),
        (bundle, submission, {"keep": tmp_path}, "expected an empty folder"),
        (bundle, submission, {"phase": "Final"}, r"'Final'.*'Development' \(0\), 'Evaluation' \(1\)"),
    ):
        with pytest.raises(OrganiserError, match=words):
            rehearse(one, other, **options)


# Several tasks in a phase


def test_each_task_of_a_phase_has_all_columns(tmp_path):
    """Codabench shows one row with the columns of each task (`get_leaderboard` in api/views/competitions.py)."""
    result = run(tmp_path, changes=phase_of(TASKS), ingest=None, keep=tmp_path / "kept")
    expected = [("dev", "accuracy", "0.25"), ("dev", "items", "3.0")]
    assert shown(result) == [*expected, ("eval", "accuracy", "0.8765"), ("eval", "items", "3.0")]
    assert "dev: Accuracy 0.25  eval: Accuracy 0.8765" in str(result)
    assert [cell["task"] for cell in json.loads(result.to_json())["row"]] == ["dev", "dev", "eval", "eval"]
    assert (tmp_path / "kept/2/scoring/app/output/scores.json").is_file()


def test_an_error_in_one_task_leaves_the_scores_of_the_others(tmp_path):
    start = "if '41' in open(sys.argv[1] + '/ref/gold.txt').read(): sys.exit(4)\n"
    score = writes('{"accuracy": 0.5, "items": 1}', more=start)
    result = run(tmp_path, score=score, changes=phase_of(TASKS), ingest=None)
    assert result.status == "Failed"
    assert result.problems[0] == "dev: the scoring program ended with exit code 4"
    assert shown(result)[0] == ("eval", "accuracy", "0.5")


def test_a_folder_is_submitted_as_its_zip(tmp_path):
    folder = write_tree(tmp_path / "folder", {"answer.txt": b"42\n"})
    assert rehearse(codabench_bundle(tmp_path), folder).scores["accuracy"] == 0.87654321
