"""Library files in a bundle: everything that its programs import, and little else."""

import subprocess
import sys

import pytest

from speechbundles.bundle.build.travel import travelling
from speechbundles.model.zips import read_tree
from spokeneval.challenges import find_task, task_names
from tests.samples.programs import ROOT, write_files

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


@pytest.mark.parametrize("task", task_names())
def test_the_selected_library_is_complete_and_at_most_55_percent(task, tmp_path):
    checking = travelling(LIBRARY, [(ROOT / "ingestion_program" / task / "ingest.py").read_bytes()])
    files = travelling(LIBRARY, [(ROOT / "scoring_program" / task / "score.py").read_bytes()])
    assert checking.keys() < files.keys() | {"spokeneval/programs/ingest.py"}
    sections = f"spokeneval/report/kinds/{find_task(task).view.kind}.py"
    assert sections not in checking
    assert sections in files
    others = [f"spokeneval/challenges/{other}.py" for other in task_names() if other != task]
    assert not files.keys() & set(others)
    assert sum(map(len, files.values())) < 0.55 * sum(map(len, LIBRARY.values()))
    write_files(tmp_path, files)
    subprocess.run([sys.executable, "-c", IMPORT_ALL, str(tmp_path)], check=True, cwd=tmp_path)


SMALL = {
    "spokeneval/__init__.py": b"from .version import V\ndef late():\n    from . import whole",
    "spokeneval/version.py": b"V = 1",
    "spokeneval/whole.py": b"",
    "spokeneval/run/__init__.py": b"",
    "spokeneval/run/late.py": b"",
    "spokeneval/run/page.py": b"",
    "spokeneval/run/typed.py": b"",
    "spokeneval/run/score.py": b"import importlib\nfrom typing import TYPE_CHECKING\n"
    b"if TYPE_CHECKING:\n    from . import typed\n"
    b"def f(name):\n    from .late import g\n    importlib.import_module('.page', __package__)\n"
    b"    importlib.import_module(name)",
    "spokeneval/challenges/__init__.py": b"",
    "spokeneval/challenges/mine.py": b"from ..metrics.features import TABLE",
    "spokeneval/challenges/other.py": b"",
    "spokeneval/metrics/__init__.py": b"",
    "spokeneval/metrics/features.py": b"TABLE = 'table.tsv'",
    "spokeneval/metrics/table.tsv": b"",
    "spokeneval/metrics/unread.tsv": b"",
    "spokeneval/report/__init__.py": b"",
    "spokeneval/report/results.py": b"",
    "spokeneval/kinds/__init__.py": b"",
    "spokeneval/kinds/mine.py": b"",
    "spokeneval/kinds/other.py": b'view = View(\n    "other", 1)',
    "spokeneval/report/kinds/__init__.py": b"",
    "spokeneval/report/kinds/mine.py": b"",
    "spokeneval/report/kinds/other.py": b"",
}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (b"import json", set()),
        (b"import spokeneval", {"__init__.py", "version.py"}),
        (
            b"from spokeneval.run.score import f",
            {"__init__.py", "version.py", "run/__init__.py", "run/score.py", "run/late.py", "run/page.py"},
        ),
        (
            b"from spokeneval.challenges import mine",
            {
                *("__init__.py", "version.py", "challenges/__init__.py", "challenges/mine.py"),
                *("metrics/__init__.py", "metrics/features.py", "metrics/table.tsv"),
            },
        ),
        (
            b"from spokeneval.report import results\nimport spokeneval.kinds.other",
            {
                *(
                    "__init__.py",
                    "version.py",
                    "kinds/__init__.py",
                    "kinds/other.py",
                    "report/__init__.py",
                ),
                *("report/results.py", "report/kinds/__init__.py", "report/kinds/other.py"),
            },
        ),
    ],
)
def test_imports_are_followed(script, expected):
    assert set(travelling(SMALL, [script])) == {f"spokeneval/{name}" for name in expected}
