"""A task in an organiser's own Python, as docs/how-to/own-task.md shows it, and files that are refused."""

import hashlib
import json

import pytest

import build_bundle
from speechbundles.competition.own_task import load_own_task
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from tests.samples.own_python import SETTINGS, TASK, own_python, submissions
from tests.samples.programs import ROOT, unzipped, write_files
from tests.samples.tables import table


@pytest.fixture
def own(tmp_path):
    return own_python(tmp_path / "rhythm")


def run(*words):
    return build_bundle.main([str(word) for word in words])


@pytest.mark.thorough
def test_code_is_taken_from_the_organisers_folder_only(own, tmp_path, capsys):
    """`check` and `rank` read bundles and outputs whose module would fail if it were imported."""
    assert run("build", "--competition", own, "--platform", "codabench", "--platform", "codalab") == 0
    bundle, out = own / "dist/codabench/pauses.zip", tmp_path / "scored"
    systems = submissions(tmp_path / "systems", {"good": 2, "fair": 8})
    of_codalab = own / "dist/codalab/pauses.zip"
    assert run("rehearse", of_codalab, systems / "good.zip", "--phase", "Evaluation") == 0
    assert run("score", bundle, systems, "--phase", "Evaluation", "--out", out) == 0
    outputs = sorted(path for path in out.iterdir() if path.is_dir())
    scores = json.loads(unzipped((out / "good/scoring_output.zip").read_bytes())["scores.json"])
    assert (scores["mae"], scores["exact"]) == (2 / 40, 95.0)
    for output in outputs:
        write_files(output, {"pauses.py": "raise SystemExit(1)", "spokeneval/challenges/pauses.py": "1 / 0"})
    files = unzipped(bundle.read_bytes())
    assert b"ids and answers are invented" in files["pages/evaluation.md"]
    assert b"The first one answers this item" not in files["pages/evaluation.md"]
    program = unzipped(files["scoring_program.zip"])
    program["spokeneval/challenges/pauses.py"] = b"open('/tmp/executed', 'w')\nraise SystemExit('executed')\n"
    files["scoring_program.zip"] = make_zip(program)
    (tmp_path / "changed.zip").write_bytes(make_zip(files, first="competition.yaml"))
    assert run("check", tmp_path / "changed.zip") == 0
    capsys.readouterr()
    assert run("rank", *outputs) == 1
    refusal = " ".join(capsys.readouterr().err.split())
    assert "pauses is written in Python by its organiser" in refusal
    assert "--competition" in refusal
    task = own / "tasks/pauses.py"
    task.write_text(task.read_text() + "# another version\n")
    assert run("rank", *outputs, "--competition", own) == 1
    assert "were scored with another tasks/pauses.py" in " ".join(capsys.readouterr().err.split())


def refusal(own):
    with pytest.raises(OrganiserError) as raised:
        read_competitions(Sources(ROOT, own))
    return str(raised.value)


BAD = table("broken_tasks")["files"]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_line(name, own):
    old, new, expected = BAD[name]
    assert TASK.count(old) == 1
    write_files(own, {"tasks/pauses.py": TASK.replace(old, new)})
    message = refusal(own)
    assert "1 problem\n\n  line 6    challenges.rhythm.tasks.pauses: tasks/pauses.py" in message
    assert expected in message


def test_settings_that_contradict_the_file_are_refused(own):
    write_files(own, {"tasks/psst_correctness.py": TASK})
    for settings, expected in {
        "psst_correctness: {}": "psst_correctness is a task of the repository; choose another name",
        "pauses: {kind: decisions, classes: [a, b]}": "pauses has a kind and tasks/pauses.py; remove one of them",
        "pauses: {classes: [a, b]}": "pauses.classes: pauses is not declared with a kind and has no such parameter",
        "breaks: {}": "unknown challenge rhythm",
        "breaks: {kind: scores, scale: [1, 5]}": "unknown task 'pauses'; list it under challenges: CHALLENGE: tasks",
    }.items():
        write_files(own, {"competition.yaml": SETTINGS.replace("pauses: {}", settings)})
        assert expected in refusal(own)


def test_the_digest_of_the_file_is_part_of_the_task(own):
    path = own / "tasks/pauses.py"
    task = load_own_task(path)
    assert task.code == hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    path.write_text(TASK + "\n")
    assert load_own_task(path).code != task.code
