"""Pages of reports, their sections, and what is in them."""

import json
import re
from collections import defaultdict
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from spokeneval.challenges import find_task
from spokeneval.formats.format import Answers, Items
from spokeneval.kinds.declared import declared_task
from spokeneval.report.sections import kind_of
from spokeneval.scoring.reference import fingerprint
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_here, write_files
from tests.tools.outline import Outline

CONFUSIONS = "Items by true and answered class"


def section(declared, reference, submission):
    sides = []
    for columns in (reference, submission):
        arrays = {name: np.array(values) for name, values in columns.items() if name != "transcript"}
        if "transcript" in columns:
            arrays["transcript"] = np.empty(len(columns["transcript"]), dtype=object)
            arrays["transcript"][:] = columns["transcript"]
        size = len(next(iter(columns.values())))
        texts = {name: list(values) for name, values in columns.items() if name == "speaker"}
        sides.append(Answers(Items(tuple(f"i{n}" for n in range(size))), arrays, texts))
    task = declared_task("own", declared)
    parts = kind_of(task).sections(task.view, *sides, SimpleNamespace(scores=defaultdict(float)))
    return "".join(part.markup for part in parts if part is not None)


def tables(markup):
    """The tables of a page, `caption -> rows of cells`."""
    found = {}
    for part in markup.split("<table")[1:]:
        caption = unescape(re.search(r"<span>(.*?)</span>", part)[1])
        rows = re.findall(r"<tr>(.*?)</tr>", part)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
        found[caption] = [[unescape(cell) for cell in row] for row in cells]
    return found


def run(task, folder, *, public, files=None, reference=None, options=None):
    """Score near misses (or the given files) with a page; return exit status, printed text and output folder."""
    sample = ROOT / "reference_data" / task / "development"
    content = reference or {file.name: file.read_bytes() for file in sample.iterdir()}
    write_files(folder / "input" / "ref", content)
    write_files(folder / "input" / "res", near_misses(task, sample) if files is None else files)
    settings = {
        "detailed_results": True,
        "public_references": [fingerprint(content)] if public else [],
        "baselines": {fingerprint(content): {column.key: 0.125 for column in find_task(task).columns}},
        **(options or {}),
    }
    score = (ROOT / "scoring_program" / task / "score.py").read_bytes()
    program = write_files(folder / "program", {"score.py": score, "options.json": json.dumps(settings)})
    status, stdout, stderr = run_here(program / "score.py", folder / "input", folder / "output")
    return status, stdout + stderr, folder / "output"


def page_of(output: Path) -> tuple[str, Outline]:
    """Return the page and its outline; the outline must have no faults."""
    markup = (output / "detailed_results.html").read_text()
    outline = Outline(markup)
    assert outline.faults == []
    return markup, outline
