"""Library files in a bundle: everything that its programs import, and little else."""

import subprocess
import sys

import pytest

from speechbundles.bundle.build.travel import travelling
from speechbundles.model.zips import read_tree
from spokeneval.challenges import find_task, task_names
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table

LIBRARY = {f"spokeneval/{name}": content for name, content in read_tree(ROOT / "spokeneval").items()}

IMPORT_ALL = """
import importlib, pathlib, sys
place = pathlib.Path(sys.argv[1])
sys.path[0] = str(place)
for path in sorted(place.rglob("*.py")):
    if path.name != "plots.py":  # needs matplotlib, which no bundle requires
        name = ".".join(path.relative_to(place).with_suffix("").parts).removesuffix(".__init__")
        assert importlib.import_module(name).__file__ == str(path), name
"""


@pytest.mark.default_cases("spoken_call", "merlion_identification")
@pytest.mark.parametrize("task", task_names())
def test_the_selected_library_is_complete_and_at_most_55_percent(task, tmp_path):
    checking = travelling(LIBRARY, [(ROOT / "ingestion_program" / task / "ingest.py").read_bytes()])
    files = travelling(LIBRARY, [(ROOT / "scoring_program" / task / "score.py").read_bytes()])
    assert checking.keys() < files.keys() | {"spokeneval/programs/ingest.py"}
    sections = f"spokeneval/kinds/sections/{find_task(task).view.name}.py"
    assert sections not in checking
    assert sections in files
    others = [f"spokeneval/challenges/{other}.py" for other in task_names() if other != task]
    assert not files.keys() & set(others)
    assert sum(map(len, files.values())) < 0.55 * sum(map(len, LIBRARY.values()))
    write_files(tmp_path, files)
    subprocess.run([sys.executable, "-c", IMPORT_ALL, str(tmp_path)], check=True, cwd=tmp_path)


SMALL = {f"spokeneval/{name}": text.encode() for name, text in table("small_library").items()}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import spokeneval", ""),
        ("from spokeneval.run.score import f", "run/__init__.py run/score.py run/late.py run/page.py"),
        (
            "from spokeneval.challenges import mine",
            "challenges/__init__.py challenges/mine.py metrics/__init__.py metrics/features.py metrics/table.tsv",
        ),
        (
            "from spokeneval.report import results\nimport spokeneval.kinds.other",
            "kinds/__init__.py kinds/other.py report/__init__.py report/results.py kinds/sections/__init__.py "
            "kinds/sections/other.py",
        ),
    ],
)
def test_imports_are_followed(script, expected):
    assert travelling(SMALL, [b"import json"]) == {}
    names = {"__init__.py", "version.py", *expected.split()}
    assert set(travelling(SMALL, [script.encode()])) == {f"spokeneval/{name}" for name in names}
