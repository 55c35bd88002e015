"""Times of the commands before the labels, for 50,000 items of 1,000 speakers and for 50,000 turns.

`python -m benchmarks bench_annotation` prints a line for each step, in seconds of a processor.
"""

import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import build_bundle

ITEMS, SPEAKERS, ANNOTATORS = 50_000, 1000, [f"judge{letter}" for letter in "abcdefghijklmno"]
RECORDINGS, TURNS = 200, 84


def write_items(folder: Path) -> None:
    draw = random.Random(1)
    rows = [
        f"i{n:05},S{n % SPEAKERS},{'mf'[n % 2]},{draw.uniform(1, 9):.2f},words {draw.randrange(40_000)}"
        for n in range(ITEMS)
    ]
    (folder / "items.csv").write_text("\n".join(["id,speaker,sex,duration,text", *rows, ""]))


def answer(folder: Path) -> None:
    """Fill in the sheets, nine of ten answers right."""
    draw = random.Random(2)
    for sheet in folder.glob("judge*.csv"):
        header, *rows = sheet.read_text().splitlines()
        place = header.split(",").index("label")
        cells = [row.split(",") for row in rows]
        for row in cells:
            row[place] = "ny"[(hash(row[0]) % 10 < 7) ^ (draw.random() < 0.1)]
        sheet.write_text("\n".join([header, *map(",".join, cells), ""]))


def write_turns(folder: Path) -> None:
    draw = random.Random(3)
    for recording in range(RECORDINGS):
        turns, at = [], 0.0
        for _ in range(TURNS):
            at += draw.uniform(0.3, 2)
            turns.append((at, at := at + draw.uniform(0.3, 3), draw.choice("EM")))
        for annotator in "abc":
            lines = [
                f"{start + draw.uniform(0, 0.2):.3f}\t{end + draw.uniform(0, 0.2):.3f}\t{label}\n"
                for start, end, label in turns
            ]
            place = folder / "turns" / annotator
            place.mkdir(parents=True, exist_ok=True)
            (place / f"r{recording}.txt").write_text("".join(lines))


def timed(name: str, *words: str, run: Callable[..., int] = build_bundle.main) -> None:
    begun = time.process_time()
    assert run([*words]) == 0, name
    print(f"{time.process_time() - begun:6.1f} s  {name}", file=sys.stderr)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder)
        write_turns(folder)
        items, out = str(folder / "items.csv"), str(folder / "round")
        people = ["--annotators", ",".join(ANNOTATORS), "--each", "3", "--ask", "label=y,n", "--apart"]
        timed("assign, Excel", "assign", items, *people, "--out", str(folder / "excel"))
        timed("assign, CSV", "assign", items, *people, "--format", "csv", "--out", out)
        answer(folder / "round")
        timed("merge answers", "merge", out, "--rule", "majority", "--model", "--out", str(folder / "labels"))
        places = [str(folder / "turns" / each) for each in "abc"]
        timed("merge turns", "merge", *places, "--rule", "majority", "--out", str(folder / "merged"))
        sets = ["--set", "development=0.3", "--set", "evaluation=0.7"]
        strata = [word for column in ("label", "sex", "duration") for word in ("--strata", column)]
        timed(
            "split by speaker", "split", str(folder / "labels"), *sets, *strata, "--out", str(folder / "sets")
        )
        own = ["--by", "text"]
        timed(
            "split by text",
            "split",
            str(folder / "labels"),
            *sets,
            *strata,
            *own,
            "--out",
            str(folder / "other"),
        )
        mine = str(folder / "mine")
        assert build_bundle.main(["init", mine, "--new", "speech", "--data", str(folder / "sets")]) == 0
        settings = folder / "mine/competition.yaml"
        days = iter(["2027-01-01", "2027-02-01", "2027-02-02", "2027-03-01"])
        text = re.sub(
            "FILL IN: YYYY-MM-DD HH:MM:SS", lambda _: f"{next(days)} 00:00:00", settings.read_text()
        )
        settings.write_text(
            re.sub('FILL IN: (an e-mail[^"]*)?', lambda found: "a@b.org" if found[1] else "", text)
        )
        timed("describe", "describe", "--competition", mine, "--out", str(folder / "described"))


if __name__ == "__main__":
    main()
