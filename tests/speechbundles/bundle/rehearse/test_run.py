"""The folders, the environment and the commands of a run; expected results follow the platforms' source code."""

import textwrap
from decimal import Decimal
from pathlib import Path

import yaml

from speechbundles.bundle.rehearse.sandbox import Outcome
from tests.samples.small_bundles import (
    AS_ON_THE_PLATFORM,
    INGEST_COMMAND,
    MODEL,
    SCORE_COMMAND,
    TASKS,
    phase_of,
    run,
    shown,
    tree,
    writes,
    zipped,
)


def test_layout_of_both_steps(tmp_path):
    """The whole submission is copied to the prediction output, with nested folders and __MACOSX, then `metadata`."""
    files = {"answer.txt": "42", "deep/er/x.txt": "x", "__MACOSX/._answer.txt": "m", ".DS_Store": "d"}
    keep = tmp_path / "kept"
    result = run(tmp_path, files, keep=keep)
    scored = {*files, "checked.txt", "metadata"}
    for folder, expected in {
        "prediction/app/ingested_program": files,
        "prediction/app/input_data": ["items.txt"],
        "prediction/app/output": scored,
        "scoring/app/input/res": scored,
        "scoring/app/input/ref": ["gold.txt"],
        "scoring/app/output": ["scores.json"],
        "scoring/app/shared": [],
    }.items():
        assert (keep / folder).is_dir()
        assert tree(keep / folder) == sorted(expected)
    metadata = yaml.safe_load((keep / "scoring/app/input/res/metadata").read_text())
    seconds = result.steps[0].seconds
    scoring, ingestion = {"exitCode": None, "elapsedTime": seconds}, {"ingestionExitCode": 0}
    assert metadata == {**scoring, **ingestion, "ingestionElapsedTime": seconds}


def test_the_reference_is_nowhere_during_ingestion(tmp_path):
    """Searched from the sandbox root, three folders above the program."""
    look = """
        from pathlib import Path
        root = Path.cwd().parents[2]
        print(*sorted(p.name for p in root.rglob('*') if p.is_file()))
    """
    result = run(tmp_path, ingest=look)
    assert result.steps[0].stdout.split() == [
        "answer.txt", "answer.txt", "helper.py", "ingest.py", "items.txt", "metadata.yaml"
    ]  # fmt: skip


def test_environment_is_minimal_and_nothing_is_inherited(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    look = "import os; print(*sorted(os.environ)); print(os.getcwd()); print(os.environ['HOME'])"
    names, cwd, home = run(tmp_path, ingest=look).steps[0].stdout.splitlines()
    expected = {"HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "TMPDIR"}
    assert set(names.split()) - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == expected
    assert cwd.endswith("/prediction/app/program")
    assert Path(home).parent.parent == Path(cwd).parents[3]
    assert not Path(cwd).exists()


def test_input_and_reference_are_read_only(tmp_path):
    look = """
        import os, stat, sys
        for folder, _, files in os.walk(sys.argv[1]):
            for name in [folder, *(os.path.join(folder, file) for file in files)]:
                if os.stat(name).st_mode & 0o222:
                    print('writable', name)
    """
    result = run(tmp_path, ingest=look, score=textwrap.dedent(look) + writes('{"accuracy": 1, "items": 2}'))
    assert [step.stdout for step in result.steps] == ["", ""]
    assert result.status == "Finished"


def test_variables_of_the_command_are_replaced(tmp_path):
    show = "import sys; print(*sys.argv[1:])\n" + textwrap.dedent(writes('{"accuracy": 1, "items": 2}'))
    command = "python $program/score.py '$input' $output $hidden $predictions $shared $tmp --ref=/app/input/ref 'a b'"
    result = run(tmp_path, score=show, command=command)
    words = result.steps[1].stdout.split()
    assert [word.rpartition("/scoring/app/")[2] for word in words] == [
        "input", "output", "input/ref", "input/res", "shared", "output", "input/ref", "a", "b"
    ]  # fmt: skip
    assert words[6].startswith("--ref=/")


def test_another_engine_can_run_the_programs(tmp_path):
    """The engine gets commands and folders as a container would see them."""
    calls = []

    class Recorder:
        strict = True

        def run(self, program, scratch, limits):
            folders = [sorted(seen) for seen in (program.mounts, program.inputs)]
            calls.append((list(program.words), *folders, program.cwd, limits.seconds))
            if "/app/input" in program.inputs:
                (program.mounts["/app/output"] / "scores.json").write_text('{"accuracy": 0.5, "items": 1}')
            return Outcome(0, "", "", 0.0)

    result = run(tmp_path, engine=Recorder())
    assert result.row[0].stored == Decimal("0.5")
    ingestion = ["/app/output", "/app/program"], ["/app/ingested_program", "/app/input_data"]
    scoring = ["/app/output", "/app/program", "/app/shared"], ["/app/input"]
    assert calls == [
        (INGEST_COMMAND.split(), *ingestion, "/app/program", 20.0),
        (SCORE_COMMAND.split(), *scoring, "/app/program", 20.0),
    ]


# Submissions that are programs, and ingestion beside scoring

WAIT = """
    import sys, time
    from pathlib import Path
    def wait(path):
        while not path.exists():
            time.sleep(0.01)
"""
RUN_MODEL = """
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    import model
    (Path(sys.argv[3]) / 'answer.txt').write_text(model.answer)
"""


def test_ingestion_and_a_submissions_own_command_run_at_the_same_time(tmp_path):
    """Each waits for a file of the other: workers up to Codabench 1.21 start both containers at once."""
    ingest = (
        WAIT
        + "    output = Path(sys.argv[3])\n    (output / 'asked').touch()\n    wait(output / 'answer.txt')\n"
    )
    code = (
        WAIT
        + "    output = Path(sys.argv[1])\n    wait(output / 'asked')\n    (output / 'answer.txt').write_text('42')\n"
    )
    files = {"code.py": code, "metadata": "command: python3 /app/program/code.py $predictions"}
    result = run(tmp_path, files, ingest=ingest, engine=AS_ON_THE_PLATFORM, keep=tmp_path / "kept")
    assert [step.name for step in result.steps] == ["submission", "ingestion", "scoring"]
    assert shown(result)[0] == ("", "accuracy", "0.8765")
    assert tree(tmp_path / "kept/scoring/app/input/res") == ["answer.txt", "asked", "metadata"]
    report = yaml.safe_load((tmp_path / "kept/scoring/app/input/res/metadata").read_text())
    assert (report["exitCode"], report["ingestionExitCode"]) == (0, 0)


def test_metadata_without_a_command_is_code_for_ingestion_and_no_part_of_the_results(tmp_path):
    files = {"model.py": MODEL, "metadata": "description: a model"}
    result = run(tmp_path, files, ingest=RUN_MODEL, engine=AS_ON_THE_PLATFORM, keep=tmp_path / "kept")
    assert (result.status, result.scores["accuracy"]) == ("Finished", 0.87654321)
    assert tree(tmp_path / "kept/scoring/app/input/res") == ["answer.txt", "metadata"]
    result = run(tmp_path, files, ingest=None, engine=AS_ON_THE_PLATFORM)
    assert (result.status, "no command" in result.problems[0]) == ("Failed", True)


def test_a_submission_that_fails_is_scored_all_the_same(tmp_path):
    files = {"code.py": "raise SystemExit(3)", "metadata": "command: python3 /app/program/code.py"}
    result = run(tmp_path, files, engine=AS_ON_THE_PLATFORM)
    assert any("submission ended with exit code 3" in warning for warning in result.warnings)
    assert result.steps[-1].name == "scoring"


BESIDE = """
    shared = Path(sys.argv[1]).parent / 'shared'
    (shared / 'question').touch()
    wait(shared / 'answer')
    output = Path(sys.argv[2])
    (output / 'scores.json').write_text('{"accuracy": %s, "items": 1}' % (shared / 'answer').read_text())
"""
ANSWERS = """
    shared, submission = map(Path, sys.argv[1:])
    wait(shared / 'question')
    (shared / 'part').write_text((submission / 'answer.txt').read_text())
    (shared / 'part').rename(shared / 'answer')
"""


def beside(tmp_path, answers, **phase):
    """A rehearsal in which ingestion runs beside scoring, and both see `/app/shared`."""
    command = "command: python3 /app/program/ingest.py /app/shared /app/ingested_program"
    inner = {"ingestion_program.zip": zipped({"ingest.py": WAIT + answers, "metadata": command})}
    task = {**TASKS[1], "ingestion_program": "ingestion_program.zip", "ingestion_only_during_scoring": True}
    changes = phase_of([task], **phase)
    return run(tmp_path, {"answer.txt": "0.5"}, score=WAIT + BESIDE, inner=inner, changes=changes)


def test_ingestion_beside_scoring_exchanges_files_with_it(tmp_path):
    result = beside(tmp_path, ANSWERS)
    assert [step.name for step in result.steps] == ["scoring", "ingestion"]
    assert shown(result)[0] == ("", "accuracy", "0.5")
    assert "scoring first" in result.warnings[0]


def test_a_program_that_waits_for_ever_ends_at_the_time_limit(tmp_path):
    result = beside(tmp_path, ANSWERS + "    wait(shared / 'never')\n", execution_time_limit=2)
    assert (result.status, result.problems[0][:21]) == ("Failed", "ingestion was stopped")
