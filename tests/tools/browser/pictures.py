"""Take the pictures of README and the documentation, from the sample: `python -m tests.tools.browser.pictures DIR`.

Each page is taken light and dark, 800 pixels wide. Without Chromium, nothing is done.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from speechbundles.competition.read import read_competitions
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip, write_tree
from tests.samples.programs import ROOT
from tests.tools.browser.check import SCHEMES, find_chromium, open_chromium
from tests.tools.browser.pages import make_reports, organise

TASK = "psst_correctness"
SUBMISSION = "correctness.tsv"

SYSTEMS = {"System A": 0.05, "System B": 0.06, "System C": 0.08, "System D": 0.12, "System E": 0.2}
"""Each system's share of wrong answers."""

WIDTH, EDGE = 800, 16
LAST = {"report": "section", "board": ".ranking", "refusal": "section"}
"""The element with which each picture ends: the first one on its page that the selector finds."""

COLOURS = 256


def main(folder: str) -> int:
    chromium = find_chromium()
    if chromium is None:
        print("skipped: no Chromium here; install it, or name it by the variable CHROMIUM")
        return 0
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, open_chromium(chromium) as browser:
        for name, path in make_pictured(Path(work)):
            page = browser.new_page(viewport={"width": WIDTH, "height": WIDTH})
            page.goto(path.as_uri())
            last = page.locator(LAST[name]).first.bounding_box()
            assert last is not None
            whole = {"x": 0, "y": 0, "width": WIDTH, "height": last["y"] + last["height"] + EDGE}
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                picture = Image.open(BytesIO(page.screenshot(full_page=True, clip=whole))).convert("RGB")
                saved = target / f"{name}-{scheme}.png"
                picture.quantize(COLOURS, dither=Image.Dither.NONE).save(saved, optimize=True)
                print(f"{saved}  {saved.stat().st_size / 1000:.0f} kB")
            page.close()
    return 0


def make_pictured(folder: Path) -> Iterator[tuple[str, Path]]:
    """The pages to take pictures of, by the pictures' names."""
    bundle = next(each for each in read_competitions(Sources(ROOT)) if each.task == TASK)
    organise("build", bundle.name, "--out", str(folder / "dist"))
    list(make_reports(folder, bundle))
    kit = folder / TASK
    lines = answers("development", SYSTEMS["System B"])
    yield "report", score(kit, lines, "report")
    ids = [line.split("\t")[0] for line in lines]
    wrong = [*lines[:3], f"{ids[3]}\tyes", *lines[4:8], lines[5], *lines[9:]]
    yield "refusal", score(kit, wrong, "refusal")

    zips = {
        f"{name}.zip": make_zip({SUBMISSION: "\n".join(answers("evaluation", share)).encode()})
        for name, share in SYSTEMS.items()
    }
    zips["Baseline.zip"] = (folder / "baseline.zip").read_bytes()
    submitted = write_tree(folder / "submitted", zips)
    built = folder / "dist" / "codabench" / f"{bundle.name}.zip"
    organise("score", str(built), str(submitted), "--out", str(folder / "scored"))
    outputs = sorted(path for path in (folder / "scored").glob("[!.]*") if path.is_dir())
    choices = ("--baseline", "Baseline", "--date", "2027-03-15")
    organise("rank", *map(str, outputs), *choices, "--out", str(folder / "board"))
    (board,) = (folder / "board").glob("*.html")
    yield "board", board


def answers(name: str, share: float) -> list[str]:
    """The lines of a submission to a set with this share of wrong answers."""
    with open(ROOT / "reference_data" / TASK / name / "utterances.tsv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    wrong = np.random.default_rng(round(1000 * share)).random(len(rows)) < share
    given = (
        f"{row['utterance_id']}\t{str((row['correctness'] == 'TRUE') != flipped).upper()}"
        for row, flipped in zip(rows, wrong, strict=True)
    )
    return ["utterance_id\tprediction", *given]


def score(kit: Path, lines: list[str], name: str) -> Path:
    """The report page of a submission, which the kit's scoring program writes."""
    (kit / "input" / "res" / SUBMISSION).write_text("\n".join(lines), encoding="utf-8")
    subprocess.run([sys.executable, "score.py", "input", name], cwd=kit, capture_output=True)
    return kit / name / "detailed_results.html"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
