"""Small bundles, the programs in them, and rehearsals against them."""

import io
import textwrap
import zipfile

import yaml

from speechbundles.bundle.rehearse.rehearsal import rehearse

SCORE_COMMAND = "python3 /app/program/score.py /app/input /app/output"
INGEST_COMMAND = "python3 /app/program/ingest.py /app/input_data /app/ingested_program /app/output"

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

COLUMNS = [
    {"key": "accuracy", "title": "Accuracy", "index": 0, "sorting": "desc", "precision": 4},
    {"key": "items", "title": "Items", "index": 1, "sorting": "asc", "precision": 0, "hidden": True},
]


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else textwrap.dedent(content))
    return buffer.getvalue()


def submission_zip(tmp_path, files=None):
    path = tmp_path / "submission.zip"
    path.write_bytes(zipped({"answer.txt": "42\n"} if files is None else files))
    return path


def codabench_bundle(
    tmp_path, *, score=SCORE, ingest=INGEST, columns=COLUMNS, command=SCORE_COMMAND, changes=(), inner=None
):
    """A bundle with a development phase (gold answer 41) and an evaluation phase (gold answer 42)."""
    shared = {"start": "2027-01-11 00:00:00", "execution_time_limit": 20}
    phases = [
        {"index": index, "name": name, "tasks": [index], **shared}
        for index, name in enumerate(("Development", "Evaluation"))
    ]
    programs = {"scoring_program": "scoring_program.zip", "ingestion_program": "ingestion_program.zip"}
    if ingest is None:
        del programs["ingestion_program"]
    data = {"reference_data": "reference_data.zip", "input_data": "input_data.zip"}
    development = {"reference_data": "reference_data_development.zip", "input_data": "input_data.zip"}
    competition = {
        "version": 2,
        "title": "Synthetic",
        "tasks": [
            {"index": 0, "name": "dev", **programs, **development},
            {"index": 1, "name": "eval", **programs, **data},
        ],
        "phases": phases,
        "leaderboards": [{"title": "Board", "key": "board", "primary_index": 0, "columns": columns}],
        **dict(changes),
    }
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


def run(tmp_path, files=None, *, phase=None, keep=None, limits=None, engine=None, **options):
    bundle = codabench_bundle(tmp_path, **options)
    return rehearse(
        bundle, submission_zip(tmp_path, files), phase=phase, keep=keep, limits=limits, engine=engine
    )


CODALAB_SCORE = (
    textwrap.dedent(SCORE).replace("scores.json", "scores.txt")
    + "(output / 'scores.txt').write_text('accuracy: %r\\nitems: 3\\n' % (0.87 if right else 0.25))\n"
)


def codalab_run(
    tmp_path, score, *, files=None, command="python3 $program/score.py $input $output", keep=None, changes=()
):
    label = {"label": "Results"}
    shared = {"is_scoring_only": True, "execution_time_limit": 20, "scoring_program": "scoring_program.zip"}
    development = {"label": "Development", "start_date": "2027-01-11 00:00:00"}
    evaluation = {"label": "Evaluation", "start_date": "2027-03-11 00:00:00"}
    items = {"leaderboard": label, "label": "Items", "rank": 2, "sort": "asc", "numeric_format": 0}
    accuracy = {"leaderboard": label, "label": "Accuracy", "rank": 1, "numeric_format": 4}
    competition = {
        "title": "Synthetic",
        "phases": {
            1: {
                "phasenumber": 1,
                **shared,
                **development,
                "reference_data": "reference_data_development.zip",
            },
            2: {"phasenumber": 2, **shared, **evaluation, "reference_data": "reference_data.zip"},
        },
        "leaderboard": {
            "leaderboards": {"Results": {"label": "Results", "rank": 1}},
            "columns": {"items": items, "accuracy": accuracy},
        },
        **dict(changes),
    }
    path = tmp_path / "bundle.zip"
    program = {"score.py": score, "helper.py": HELPER, "metadata": f"command: {command}\n"}
    entries = {
        "competition.yaml": yaml.safe_dump(competition),
        "scoring_program.zip": zipped(program),
        "reference_data.zip": zipped({"gold.txt": "42\n"}),
        "reference_data_development.zip": zipped({"gold.txt": "41\n"}),
    }
    path.write_bytes(zipped(entries))
    upload = submission_zip(tmp_path, files) if files is None or isinstance(files, dict) else files
    return rehearse(path, upload, keep=keep)
