"""A competition folder with a task in an organiser's own Python: the example of docs/how-to/own-task.md."""

import random
import re

from speechbundles.model.zips import make_zip
from tests.samples.programs import ROOT, write_files

GUIDE = (ROOT / "docs/how-to/own-task.md").read_text(encoding="utf-8").partition("## A metric of your own")[2]
TASK, SETTINGS, *SAMPLE = (
    re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)[place]
    for language, place in (("python", 0), ("yaml", 0), ("text", 1), ("text", 2))
)
SIZES = {"development": 30, "evaluation": 40}


def labels(name):
    draw = random.Random(name)
    return {f"{name[:3]}{row:02d}": draw.randint(0, 4) for row in range(SIZES[name])}


def table(rows):
    return "id,pauses\n" + "".join(f"{item},{pauses}\n" for item, pauses in rows.items())


def own_python(folder):
    """The folder, with invented labels."""
    files = {
        "competition.yaml": SETTINGS,
        "tasks/pauses.py": TASK,
        "tasks/pauses/sample/reference/labels.csv": SAMPLE[0],
        "tasks/pauses/sample/submission/pauses.csv": SAMPLE[1],
        **{f"reference_data/pauses/{name}/labels.csv": table(labels(name)) for name in SIZES},
    }
    return write_files(folder, files)


def submissions(folder, systems):
    """One zip for each system, `name -> how many answers are wrong by one`."""
    for system, wrong in systems.items():
        answers = {
            item: pauses + (row < wrong) for row, (item, pauses) in enumerate(labels("evaluation").items())
        }
        write_files(folder, {f"{system}.zip": make_zip({"pauses.csv": table(answers).encode()})})
    return folder
