"""The reason that a build quotes where a kit's baseline fails, and a kit without the steps of this baseline."""

import pytest

from speechbundles.bundle.build import baseline
from speechbundles.bundle.build.baseline import run_baseline, run_program
from speechbundles.bundle.build.pages import page_texts
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from speechbundles.platforms.codabench import PLATFORM as CODABENCH
from tests.samples.declared_tasks import declared_folder
from tests.samples.programs import ROOT, write_files

REASONS = {
    "import argparse; argparse.ArgumentParser().error('sheet.csv is missing')": "sheet.csv is missing",
    "import sys; print('a.py:1: UserWarning: old\\n  f()', file=sys.stderr); sys.exit('no model')": "no model",
    "import sys; print('reading', file=sys.stderr); raise ValueError('nine rows')": "ValueError: nine rows",
    "raise ValueError('nine rows\\nof ten')": "ValueError: nine rows",
    "try:\n    {}['a']\nexcept KeyError:\n    int('x')": "ValueError: invalid literal for int() with base 10: 'x'",
    "raise SystemExit(2)": "no error message",
}


@pytest.mark.parametrize("script", REASONS)
def test_the_reason_of_a_failed_baseline_is_quoted(script):
    failed = run_baseline({"baseline.py": script.encode()}, ["evaluation"], [])
    assert failed.failures == [f"baseline.py failed on the evaluation set: {REASONS[script]}"]
    assert failed.solutions == {}


def test_a_program_that_does_not_end_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(baseline, "SECONDS", 0.1)
    ended = run_program(tmp_path, "-c", "import time; time.sleep(60)")
    assert (ended.returncode, ended.stderr) == (1, "it was still running after 0.1 s")


def test_the_first_problem_of_a_refused_answer_is_quoted():
    refusal = "a.csv: 2 problems\n\n  line 3  id a: label 'x'\n  line 4  id b: no\n\nNothing was scored."
    kit = {"baseline.py": b"", "ingest.py": f"raise SystemExit({refusal!r})".encode()}
    (failure,) = run_baseline(kit, ["evaluation"], []).failures
    assert failure.endswith("evaluation submission: a.csv: 2 problems: line 3  id a: label 'x'")


@pytest.mark.parametrize("failing", ["development", "evaluation"])
def test_a_set_on_which_the_baseline_fails_has_no_step_of_it(failing, tmp_path):
    script = (ROOT / "starting_kit/kinds/decisions/baseline.py").read_text(encoding="utf-8")
    own = write_files(tmp_path / "own", declared_folder("decisions"))
    fail = f"if sys.argv[1] == '{failing}':\n    sys.exit('no features')\n"
    write_files(own, {"starting_kit/aufgabe/baseline.py": script.replace("HERE =", f"{fail}\nHERE =", 1)})
    planned = plan(Sources(ROOT, own), [], {})
    assert planned.warnings == [f"aufgabe: baseline.py failed on the {failing} set: no features"]
    parts = planned.parts["aufgabe"]
    (competition,) = planned.competitions
    readme = parts.starting_kit["README.md"].decode()
    notebook = parts.starting_kit["walkthrough.ipynb"].decode()
    for name in ("development", "evaluation"):
        runs = name != failing
        assert (f"baseline.py {name} " in readme) == runs
        assert (f'\\"baseline.py\\", \\"{name}\\"' in notebook) == runs
    page = page_texts(competition, parts, CODABENCH)["overview.md"]
    assert ("baseline.py development" in page) == (failing == "evaluation")
