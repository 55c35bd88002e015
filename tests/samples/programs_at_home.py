"""A competition whose participants upload programs, recordings of tones, and programs."""

from __future__ import annotations

import io
import math
import wave
from datetime import datetime, timedelta

from speechbundles.model.fetched import Fetched, write_index
from speechbundles.model.zips import make_zip
from tests.samples.home_boards import begin
from tests.samples.programs import write_files

SETTINGS = """  submissions: code
  sound: ../sound
  run_limits: {seconds: 20, memory_mb: 300, disk_mb: 64}
"""

READS = """
import csv, os, sys, wave
inputs, outputs = sys.argv[1:]
def pitch(item):
    with wave.open(f"{inputs}/sound/{item}.wav") as sound:
        frames = sound.readframes(sound.getnframes())
    return sum((a < 128) != (b < 128) for a, b in zip(frames, frames[1:]))
with open(f"{inputs}/items.csv", encoding="utf-8-sig", newline="") as file:
    items = [row["id"] for row in csv.DictReader(file)]
answers = {item: "yes" if pitch(item) > 60 else "no" for item in items}
"""
"""The beginning of a program that hears the label of an item: a high tone is a yes."""

WRITES = """
with open(f"{outputs}/decisions.csv", "w") as file:
    print("id,label", *(f"{item},{label}" for item, label in answers.items()), sep="\\n", file=file)
"""
GOOD = READS + WRITES
WRONG = READS + "answers = dict.fromkeys(answers, 'no') | {items[0]: 'yes'}\n" + WRITES


def tone(is_high: bool, seconds: float = 0.1) -> bytes:
    """A WAV file of a tone."""
    content, rate = io.BytesIO(), 4000
    with wave.open(content, "wb") as sound:
        sound.setparams((1, 1, rate, 0, "NONE", ""))
        pitch = 600 if is_high else 100
        sound.writeframes(
            bytes(int(128 + 100 * math.sin(math.tau * pitch * n / rate)) for n in range(int(seconds * rate)))
        )
    return content.getvalue()


def begin_with_sound(folder, settings=SETTINGS, **changes):
    """Write a competition folder, and the recordings of its sets beside it."""
    mine = begin(folder / "mine", settings, **changes)
    text = (mine / "competition.yaml").read_text("utf-8").replace("  labels: home\n", "", 1)
    (mine / "competition.yaml").write_text(text, "utf-8")
    for name in ("development", "evaluation"):
        lines = (mine / f"reference_data/health/{name}/labels.csv").read_text("utf-8").split()[1:]
        rows = [line.split(",") for line in lines]
        write_files(folder / "sound" / name, {f"{row[0]}.wav": tone(row[1] == "yes") for row in rows})
    return mine


def program(source, **files):
    """A zip of a program."""
    return make_zip({"main.py": source.encode(), **files})


def uploaded(mine, *uploads, phase="Evaluation", start="2027-03-02 09:00:00", below="fetched"):
    """Write a fetched folder; each upload is an owner and a zip, a minute after the one before."""
    rows = []
    (mine / below).mkdir(parents=True, exist_ok=True)
    for number, (owner, content) in enumerate(uploads, 1):
        path = f"submissions/{owner}/{number}.zip"
        write_files(mine / below, {path: content})
        time = datetime.fromisoformat(start) + timedelta(minutes=number)
        run = Fetched(number, phase, owner, time, "Finished", True, path)
        rows.append(Fetched(**{**vars(run), "complete": True, "upload": f"{number}"}))
    write_index(mine / below, rows)
