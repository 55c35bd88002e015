"""Contents of small bundles in memory, for the search for labels and the count of what scores reveal."""

from __future__ import annotations

import json

from speechbundles.bundle.check.inspection import CheckedProgram, CheckedTask, Contents
from speechbundles.bundle.check.leaks import check_leaks
from speechbundles.bundle.check.seal import sealed_sets
from speechbundles.model.archive import Archive, Room
from speechbundles.model.finding import Report
from tests.samples.programs import encoded

KINDS = "xyxxyxyyxyyxxyxy"
"""Two kinds, eight times each, in random order."""


def sheet(header, *columns):
    return "\n".join([header, *(",".join(row) for row in zip(*columns, strict=True)), ""])


IDS = [f"item{number:02}" for number in range(16)]


GOLD = {"reference.csv": sheet("id,prompt,label", IDS, KINDS[::-1], KINDS)}


ITEMS = {"items.csv": sheet("id,prompt", IDS, KINDS[::-1])}


DECLARED = {"task": "synthetic", "scores": [{"key": "accuracy"}], "options": {}}


def archive(name, files):
    return Archive(name, encoded(files), Room())


def contents(reference=GOLD, name="reference_data.zip", options=(), task="Test", declared=DECLARED, **others):
    """A bundle's contents: a task, its reference, a scoring program, and the files of participants by kind."""
    files = {"task.json": json.dumps(declared)} if declared else {}
    program = archive(
        "scoring.zip", files if options is None else {**files, "options.json": json.dumps(dict(options))}
    )
    tasks = [CheckedTask(task, (), {"reference_data": archive(name, reference), "scoring_program": program})]
    kinds = {
        kind: {zipped: archive(zipped, files) for zipped, files in zips.items()}
        for kind, zips in others.items()
    }
    programs = {("scoring_program", "scoring.zip"): CheckedProgram(program, "", "")}
    return Contents(tasks * 2, programs=programs, **kinds)


def listed(report):
    return [(finding.code, finding.where, finding.what) for finding in report.findings]


def leaks(bundle=(), sealed=(), pages=(), **described):
    """The findings in a bundle's contents."""
    report, found = Report(), contents(**described)
    found.pages.update(encoded(dict(pages)))
    check_leaks(report, archive("", dict(bundle)), found, dict(sealed))
    return listed(report)


def same(where):
    return "leak-file", where, "has the same bytes as reference.csv of a hidden reference"


def gives(where, label="label", rows=16):
    return "leak-column", where, f"{label!r} of reference_data.zip/reference.csv beside {rows} items"


KIND = sheet("id,kind", IDS, KINDS)


PAIRS = list(zip(IDS, KINDS, strict=True))


ROWS = GOLD["reference.csv"].splitlines(keepends=True)


OPEN = {"reference.csv": "".join(ROWS[:9]), "part.txt": "open\n", "items/items.csv": ITEMS["items.csv"]}


def sealed(bundle, **described):
    report = Report()
    return sealed_sets(report, contents(**{"reference": OPEN, **described}), bundle), listed(report)


def unsearched(where):
    return "leak-unsearched", where, "a zip that cannot be read, is too large, or is too deep in other zips"
