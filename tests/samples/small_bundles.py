"""Small bundles, the programs in them, and rehearsals against them."""

import textwrap
from pathlib import Path

import yaml

from speechbundles.bundle.rehearse.process import ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import rehearse
from spokeneval.task import Column
from tests.samples.bundle_defects import png
from tests.samples.programs import packed

SCORE_COMMAND = "python3 /app/program/score.py /app/input /app/output"
INGEST_COMMAND = "python3 /app/program/ingest.py /app/input_data /app/ingested_program /app/output"

COLUMNS = (Column("accuracy", "Accuracy", "higher", 4), Column("items", "Items", "lower", 0))
"""The columns of both bundles."""

ONLY = {"index": 0, "name": "Only", "start": "2027-01-11 00:00:00"}

HELPER = "def read(path):\n    return open(path, encoding='utf-8').read().strip()\n"
"""Stands for what is vendored: the programs import it from their own folder."""

SCORE = """
    import json, sys
    from pathlib import Path
    from helper import read
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    right = read(source / 'res/answer.txt') == read(source / 'ref/gold.txt')
    print('scored')
    (output / 'scores.json').write_text(json.dumps({'accuracy': 0.87654321 if right else 0.25, 'items': 3}))
"""

INGEST = """
    import sys
    from pathlib import Path
    from helper import read
    items, submission, output = map(Path, sys.argv[1:])
    print('items', read(items / 'items.txt'))
    (output / 'checked.txt').write_text('yes')
"""


def _data(name):
    return yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8"))


def zipped(files):
    dedent = textwrap.dedent
    return packed((name, each if isinstance(each, bytes) else dedent(each)) for name, each in files.items())


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def writes(scores, name="scores.json", more=""):
    """Return a scoring program that writes this text."""
    start = "import sys\nfrom pathlib import Path\noutput = Path(sys.argv[2])\n"
    return f"{start}(output / {name!r}).write_text({scores!r})\n{textwrap.dedent(more)}"


def submission_zip(tmp_path, files=None):
    path = tmp_path / "submission.zip"
    path.write_bytes(zipped({"answer.txt": "42\n"} if files is None else files))
    return path


def codabench_bundle(
    tmp_path, *, score=SCORE, ingest=INGEST, columns=None, command=SCORE_COMMAND, changes=(), inner=None
):
    """A bundle with a development phase (gold answer 41) and an evaluation phase (gold answer 42)."""
    competition = _data("small_codabench")
    for task in competition["tasks"] if ingest is None else []:
        del task["ingestion_program"]
    if columns:
        competition["leaderboards"][0]["columns"] = columns
    competition |= dict(changes)
    scoring = {"score.py": score, "metadata.yaml": yaml.safe_dump({"command": command})}
    ingestion = {"ingest.py": ingest or "", "metadata.yaml": yaml.safe_dump({"command": INGEST_COMMAND})}
    files = {
        "competition.yaml": yaml.safe_dump(competition),
        "scoring_program.zip": zipped({**scoring, "helper.py": HELPER}),
        "ingestion_program.zip": zipped({**ingestion, "helper.py": HELPER}),
        "reference_data.zip": zipped({"gold.txt": "42\n"}),
        "reference_data_development.zip": zipped({"gold.txt": "41\n"}),
        "input_data.zip": zipped({"items.txt": "a b c\n"}),
        **(inner or {}),
    }
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped(files))
    return path


ACCURACY = """
import json, sys
truth, said = (open(f"{sys.argv[1]}/{name}").read().split() for name in ("ref/truth", "res/answers"))
right = sum(a == b for a, b in zip(truth, said)) / len(truth)
json.dump({"accuracy": right, "duration": 0.5}, open(f"{sys.argv[2]}/scores.json", "w"))
"""
ACCURACY_COLUMNS = [
    {"title": title, "key": title, "index": index, "sorting": "desc", "precision": 4}
    for index, title in enumerate(("accuracy", "duration"))
]
LABELS = ["yes", "no", "no", "yes", "maybe", "yes", "no", "no"]


def bundle_of_others(tmp_path):
    """A bundle with folders and zips, whose labels and answers are lists without items; six of eight are right."""
    phases = [
        {**phase, "start": start, "end": end}
        for phase, start, end in zip(
            _data("small_codabench")["phases"],
            ("2027-01-11 00:00:00", "2027-02-11 00:00:00"),
            ("2027-02-10 00:00:00", "2027-03-10 00:00:00"),
            strict=True,
        )
    ]
    changes = {
        "title": "Yes: or no",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "pages": [{"title": "Overview", "file": "pages/terms.md"}],
        "phases": phases,
        "solutions": [{"index": 0, "tasks": [0, 1], "path": "solution/"}],
    }
    answers = ["no", "yes", *LABELS[2:]]
    inner = {
        "reference_data.zip": zipped({"truth": "\n".join(LABELS)}),
        "reference_data_development.zip": zipped({"truth": "\n".join(LABELS[::-1])}),
        "solution/answers": "\n".join(answers),
        "pages/terms.md": "Be fair.",
        "logo.png": png(),
    }
    program = {"score": ACCURACY, "ingest": None, "columns": ACCURACY_COLUMNS}
    return codabench_bundle(tmp_path, **program, changes=changes, inner=inner)


def run(tmp_path, files=None, *, phase=None, keep=None, engine=None, **options):
    bundle, upload = codabench_bundle(tmp_path, **options), submission_zip(tmp_path, files)
    return rehearse(bundle, upload, phase=phase, keep=keep, engine=engine)


CODALAB_SCORE = (
    textwrap.dedent(SCORE).replace("scores.json", "scores.txt")
    + "(output / 'scores.txt').write_text('accuracy: %r\\nitems: 3\\n' % (0.87 if right else 0.25))\n"
)


def codalab_run(
    tmp_path,
    score,
    *,
    files=None,
    command="python3 $program/score.py $input $output",
    keep=None,
    changes=(),
    inner=None,
    engine=None,
):
    competition = {**_data("small_codalab"), **dict(changes)}
    path = tmp_path / "bundle.zip"
    program = {"score.py": score, "helper.py": HELPER, "metadata": f"command: {command}\n"}
    entries = {
        "competition.yaml": yaml.safe_dump(competition),
        "scoring_program.zip": zipped(program),
        "reference_data.zip": zipped({"gold.txt": "42\n"}),
        "reference_data_development.zip": zipped({"gold.txt": "41\n"}),
        **(inner or {}),
    }
    path.write_bytes(zipped(entries))
    upload = submission_zip(tmp_path, files) if files is None or isinstance(files, dict) else files
    return rehearse(path, upload, keep=keep, engine=engine)


AS_ON_THE_PLATFORM = ProcessEngine(strict=False)
"""Runs the programs of others, submissions too, and lets them write where the platform does."""

MODEL = "answer = '42'\n"
"""A submission's code, for an ingestion program that imports it."""

TASKS = yaml.safe_load("""
- {index: 0, name: dev, reference_data: reference_data_development.zip, scoring_program: scoring_program.zip}
- {index: 1, name: eval, reference_data: reference_data.zip, scoring_program: scoring_program.zip}
""")


def phase_of(tasks, **more):
    """A competition with one phase, which has all these tasks."""
    indexes = [task["index"] for task in tasks]
    return {
        "tasks": tasks,
        "phases": [{"index": 0, "name": "Only", "start": "2027-01-11 00:00:00", "tasks": indexes, **more}],
    }


def shown(result):
    return [(cell.task, cell.key, cell.shown) for cell in result.row]
