"""Writes a new challenge from templates: every file that a task has, and its entries in `competition.yaml`."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from speechbundles.model.bounded import MOST_YAML, decode_yaml, read_file
from speechbundles.model.errors import OrganiserError

CHALLENGE = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    variable_start_string="<<",
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
)
"""Signs of their own, because pages and kits are templates themselves."""

FILES = {
    "spokeneval/tasks/{name}.py": "task.py.txt",
    "scoring_program/{name}/score.py": "score.py.txt",
    "ingestion_program/{name}/ingest.py": "ingest.py.txt",
    "starting_kit/{name}/baseline.py": "baseline.py.txt",
    "starting_kit/{name}/README.md": "README.md",
    "pages/{name}/overview.md": "overview.md",
    "pages/{name}/data.md": "data.md",
    "pages/{name}/evaluation.md": "evaluation.md",
    "tests/samples/tasks/{name}.py": "sample.py.txt",
}
"""Where each template goes."""

ITEMS = 60
"""Of each set of the synthetic sample."""

TO_EDIT = {
    "spokeneval/tasks/{name}.py": "what the files hold, what is counted, which scores follow",
    "scoring_program/{name}/score.py": "its docstring: the primary score and the files",
    "reference_data/{name}/": "the gold standard, a folder a set; synthetic now",
    "starting_kit/{name}/": "README.md and baseline.py",
    "pages/{name}/": "overview.md, data.md, evaluation.md",
    "tests/samples/tasks/{name}.py": "the task in small, for the tests that hold for every task",
    "competition.yaml": "dates, limits, columns and title, under challenges and bundles",
}
"""What a new challenge's author edits, the first file first."""


def write_challenge(root: Path, name: str) -> list[Path]:
    """Write a new challenge into a checkout; returns the files that it consists of.

    Raises
    ------
    OrganiserError: a name that cannot be a module's, or files that are there already. Nothing is written then.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 32:
        raise OrganiserError(
            f"{name!r}: expected a name such as speech_rate: small letters, digits and underscores, 32 at most"
        )
    fields = {"name": name, "title": name.replace("_", " ").capitalize()}
    files = {root / place.format(name=name): _fill(template, fields) for place, template in FILES.items()}
    for set_name in ("development", "evaluation"):
        files[root / "reference_data" / name / set_name / "reference.csv"] = _sample(set_name)
    there = [path for path in files if path.exists()]
    if there:
        raise OrganiserError(f"{there[0].relative_to(root)} is there already; choose another name")
    series = root / "competition.yaml"
    try:
        files[series] = add_entries(decode_yaml(read_file(series, MOST_YAML)), fields)
    except UnicodeDecodeError as error:
        raise OrganiserError(f"competition.yaml: byte {error.start} is not UTF-8") from None
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


def add_entries(series: str, fields: Mapping[str, str]) -> str:
    """A `competition.yaml` with the challenge and its bundle after those that are there, all else as it stands."""
    challenges, heading, bundles = series.partition("\nbundles:\n")
    if not heading:
        raise OrganiserError("competition.yaml has no line 'bundles:' to put the challenge before")
    return "".join(
        [
            challenges.rstrip("\n"),
            "\n\n",
            _fill("challenge.yaml", fields).rstrip("\n"),
            "\n",
            heading,
            bundles.rstrip("\n"),
            "\n",
            _fill("bundle.yaml", fields),
        ]
    )


def _fill(template: str, fields: Mapping[str, str]) -> str:
    return CHALLENGE.get_template(template).render(fields)


def _sample(set_name: str) -> str:
    """A synthetic reference: the same rows at every call, others for each set."""
    generator = random.Random(set_name)
    rows = [
        f"{set_name[:3]}{item:03d},{generator.choice((1, 2, 2, 3, 3, 3, 4, 4, 5))}" for item in range(ITEMS)
    ]
    return "\n".join(["item_id,rating", *rows, ""])


def what_to_edit(name: str) -> str:
    """What was written and what comes next, for a terminal."""
    places = {place.format(name=name): what for place, what in TO_EDIT.items()}
    width = max(map(len, places))
    return "\n".join(
        [
            "Written: a challenge that builds as it is. Make it yours:",
            "",
            *(f"  {place:<{width}}  {what}" for place, what in places.items()),
            "",
            f"Then: python build_bundle.py build {name}, and make test.",
        ]
    )
