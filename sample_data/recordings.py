"""A synthetic corpus of sound for the guide "From recordings to a competition", and people who annotate it.

`python -m sample_data.recordings corpus` writes 480 short sounds of 40 made-up speakers, and a table of them.
`python -m sample_data.recordings --answer round` fills in the sheets in a folder, in place of annotators, who hear most
sounds right; `--answer labels/disagreements.xlsx` fills in a single sheet, as an adjudicator, who hears all right.
"""

import csv
import math
import random
import struct
import sys
import wave
from pathlib import Path

SPEAKERS, SOUNDS, RATE = 40, 12, 8000
QUESTIONS = {"label": ("correct", "incorrect")}
RIGHT = 0.93
"""How often an annotator hears a sound right."""


def write(folder: Path) -> None:
    """Write the sounds and `items.csv`."""
    draw = random.Random(40)
    (folder / "sounds").mkdir(parents=True)
    rows = []
    for speaker in range(SPEAKERS):
        severity, pitch = draw.choice(["mild", "mild", "severe"]), draw.uniform(100, 250)
        for number in range(SOUNDS):
            name, seconds = f"s{speaker:02}_{number:02}", round(draw.uniform(0.2, 0.8), 2)
            rows.append((name, f"S{speaker:02}", severity, f"{name}.wav", seconds))
            tone = [
                int(8000 * math.sin(2 * math.pi * pitch * at / RATE)) for at in range(round(seconds * RATE))
            ]
            with wave.open(str(folder / "sounds" / f"{name}.wav"), "wb") as sound:
                sound.setparams((1, 2, RATE, 0, "NONE", ""))
                sound.writeframes(struct.pack(f"<{len(tone)}h", *tone))
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [("id", "speaker", "severity", "sound", "duration"), *rows]
        )


def answer(sheet: Path, right: float) -> None:
    """Fill in the empty cells of the questions in a sheet."""
    from openpyxl import load_workbook

    draw, book = random.Random(sheet.stem), load_workbook(sheet)
    header, *rows = book.active.iter_rows()
    columns = {cell.value: place for place, cell in enumerate(header)}
    for row in rows:
        truth = random.Random(row[0].value)
        for question, (usual, other) in QUESTIONS.items():
            said = [usual, other] if truth.random() < 0.7 else [other, usual]
            if question in columns and not row[columns[question]].value:
                row[columns[question]].value = said[draw.random() >= right]
    book.save(sheet)


def main(*arguments: str) -> None:
    if arguments[0] != "--answer":
        write(Path(arguments[0]))
    elif (place := Path(arguments[1])).is_dir():
        for sheet in sorted(place.glob("*.xlsx")):
            answer(sheet, RIGHT)
    else:
        answer(place, 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
