"""Writes a new challenge from templates: all files of a task, and its entries in `competition.yaml`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from speechbundles.competition.own_task import load_own_task, program_texts
from speechbundles.model.bounded import MOST_YAML, decode_yaml, read_file
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import PROGRAM
from speechbundles.model.zips import write_tree
from speechbundles.new.template import fill_template, require_name

MODULE = "spokeneval/challenges/{name}.py"

FILES = {
    MODULE: "task.py.txt",
    "starting_kit/{name}/baseline.py": "baseline.py.txt",
    "starting_kit/{name}/README.md": "README.md",
    "pages/{name}/overview.md": "overview.md",
    "pages/{name}/data.md": "data.md",
    "pages/{name}/evaluation.md": "evaluation.md",
    "tests/samples/tasks/{name}.py": "sample.py.txt",
}
"""The file that is written from each template."""

ITEMS = 60
"""The number of items in each set of the synthetic sample."""

TO_EDIT = {
    MODULE: "files, counts and scores",
    "scoring_program/{name}/score.py": "docstring: primary score, files",
    "reference_data/{name}/": "gold standard; now synthetic",
    "starting_kit/{name}/": "README.md and baseline.py",
    "pages/{name}/": "overview.md, data.md, evaluation.md",
    "tests/samples/tasks/{name}.py": "a small sample for the tests",
    "competition.yaml": "dates, limits, title, description",
}
"""The files that the author of a new challenge edits, in this order."""


def write_challenge(root: Path, name: str) -> list[Path]:
    """Write the files of a new challenge into a clone, and return their paths.

    Raises
    ------
    OrganiserError: a name that is not valid for a module, or files that exist. Nothing is written then.
    """
    require_name(name)
    fields = {"name": name, "title": name.replace("_", " ").capitalize()}
    files = {place.format(name=name): fill_template(template, **fields) for place, template in FILES.items()}
    if there := [place for place in files if (root / place).exists()]:
        raise OrganiserError(f"{there[0]} exists already; choose another name")
    with TemporaryDirectory() as folder:  # of the module that is not written yet
        module = Path(folder) / f"{name}.py"
        module.write_text(files[MODULE.format(name=name)], encoding="utf-8")
        programs = program_texts(replace(load_own_task(module), code=""))
    files[f"scoring_program/{name}/score.py"] = programs["score.py"]
    files[f"ingestion_program/{name}/ingest.py"] = programs["ingest.py"]
    for set_name in ("development", "evaluation"):
        files[f"reference_data/{name}/{set_name}/reference.csv"] = _sample(set_name)
    try:
        series = decode_yaml(read_file(root / "competition.yaml", MOST_YAML))
    except UnicodeDecodeError as error:
        raise OrganiserError(f"competition.yaml: byte {error.start} is not UTF-8") from None
    files["competition.yaml"] = add_entries(series, fields)
    write_tree(root, {place: text.encode() for place, text in files.items()})
    return [root / place for place in files]


def add_entries(series: str, fields: Mapping[str, str]) -> str:
    """Return a `competition.yaml` with the challenge and its bundle added after the others; nothing else changes."""
    challenges, heading, bundles = series.partition("\nbundles:\n")
    if not heading:
        raise OrganiserError("competition.yaml has no line 'bundles:', before which the challenge is added")
    challenge, bundle = (fill_template(file, **fields) for file in ("challenge.yaml", "bundle.yaml"))
    before, after = challenges.rstrip("\n"), bundles.rstrip("\n")
    return f"{before}\n\n{challenge.rstrip()}\n{heading}{after}\n{bundle}"


def _sample(set_name: str) -> str:
    """Return a synthetic reference: always the same rows for a set, and different rows for each set."""
    generator = random.Random(set_name)
    ratings = [generator.choice((1, 2, 2, 3, 3, 3, 4, 4, 5)) for _ in range(ITEMS)]
    rows = []
    for item, rating in enumerate(ratings):
        seconds = 2 * rating + 6 * generator.random()  # the longer an item, the higher its rating
        rows.append(f"{set_name[:3]}{item:03d},{rating},{seconds:.1f}\n")
    return "".join(["item_id,rating,seconds\n", *rows])


def what_to_edit(name: str) -> str:
    """Return the files to edit and the next command, as text for a terminal."""
    places = {place.format(name=name): what for place, what in TO_EDIT.items()}
    width = max(map(len, places))
    edited = "".join(f"  {place:<{width}}  {what}\n" for place, what in places.items())
    return fill_template("edit.txt", name=name, edited=edited, program=PROGRAM)
