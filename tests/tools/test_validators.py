"""What other projects' own validators find in exports, each in an environment of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from spokeneval.challenges import task_names
from spokeneval.export import FORMS, export
from tests.samples.exports import facts_of, scored
from tests.samples.programs import ROOT, write_files

HUGGING_FACE, CROISSANT = FORMS


def environment(folder: Path, name: str) -> Path:
    """A Python 3.12 with a validator; the test is skipped where there is none, or no package index answers."""
    python = shutil.which("python3.12")
    if python is None or subprocess.run([python, "-c", ""], capture_output=True).returncode:
        versions = sorted(Path.home().glob(".pyenv/versions/3.12*/bin/python"))
        if not versions:
            pytest.skip("no Python 3.12 here, which the validators need")
        python = str(versions[-1])
    subprocess.run([python, "-m", "venv", folder], check=True, capture_output=True)
    lock = ROOT / "requirements" / f"{name}.lock"
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{name} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    return folder / "bin" / "python"


@pytest.fixture
def exports(tmp_path, monkeypatch):
    """A function that exports all tasks' results: of a public set, and of a hidden one if the format has it."""

    def write(form: str) -> list[Path]:
        folders = []
        for task in task_names():
            output = scored(task, tmp_path / task)
            reference = tmp_path / task / "input" / "ref"
            files = export(output, form, facts=facts_of(task), reference=reference)
            folders.append(write_files(tmp_path / form / task, files))
            if form == CROISSANT:
                shutil.copytree(reference, folders[-1], dirs_exist_ok=True)
                continue
            hidden = scored(task, tmp_path / f"hidden-{task}", public=False)
            files = export(hidden, form, facts=facts_of(task), exact=True)
            folders.append(write_files(tmp_path / form / f"hidden-{task}", files))
        return folders

    return write


HUB = """
import pathlib, sys, yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml, parse_eval_result_entries
for path in sys.argv[1:]:
    content = yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8"))
    assert eval_result_entries_to_yaml(parse_eval_result_entries(content)) == content
"""


@pytest.mark.thorough
def test_hugging_face_reads_the_same_entries(tmp_path, exports):
    python = environment(tmp_path / "venv", "huggingface-hub")
    files = [path for folder in exports(HUGGING_FACE) for path in folder.rglob("*.yaml")]
    assert len(files) == 2 * len(task_names())
    done = subprocess.run([python, "-W", "error", "-c", HUB, *files], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LOADS = """
import json, sys
import mlcroissant
for path in sys.argv[1:]:
    data = mlcroissant.Dataset(jsonld=path)
    issues = data.metadata.ctx.issues
    print(json.dumps({
        "errors": sorted(issues.errors), "warnings": sorted(issues.warnings),
        "version": data.metadata.ctx.conforms_to.value, "biases": data.metadata.data_biases,
        "rows": {each.uuid: len(list(data.records(each.uuid))) for each in data.metadata.record_sets},
    }))
"""


@pytest.mark.thorough
def test_croissant_is_valid_and_loads_every_row(tmp_path, exports):
    python = environment(tmp_path / "venv", "mlcroissant")
    folders = exports(CROISSANT)
    files = [folder / "croissant.json" for folder in folders]
    done = subprocess.run([python, "-c", LOADS, *files], capture_output=True, text=True)
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    for folder, line in zip(folders, done.stdout.splitlines(), strict=True):
        found = json.loads(line)
        assert (found["errors"], found["warnings"]) == ([], [])
        assert found["version"] == "http://mlcommons.org/croissant/1.1"
        assert found["biases"] == ["About dataBiases."]
        assert found["rows"] == {
            f"{path.name}/rows": len(path.read_text().rstrip("\n").split("\n")) - 1
            for path in folder.iterdir()
            if path.name in ("labels.csv", "reference.csv", "utterances.tsv")
        }
        assert found["rows"]
