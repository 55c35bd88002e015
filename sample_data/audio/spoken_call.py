"""Spoken CALL with sound: the sample's responses as speech, and the audio baseline's leaderboard.

Only the test set is synthesised: the recogniser is trained on the transcriptions of the training set. Each learner has
a voice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sample_data import spoken_call
from sample_data.audio.acoustics import write_wav
from sample_data.audio.board import Board, Line
from sample_data.audio.flite import said_by, speak
from sample_data.audio.kits import lines_on_test, make_kits, open_kit, run_script
from sample_data.audio.part import Part, Step
from sample_data.audio.rooms import record

SIZES = {"development": 1000, "evaluation": 300}
TASK = "spoken_call"


def write_speech(folder: Path, seed: int) -> None:
    """Write recordings into `folder/audio/evaluation`; both sets' sheets and the grammar into `folder/competition`."""
    competition = folder / "competition"
    for set, size in SIZES.items():
        rows = spoken_call.make_sheet(set, seed=seed)[:size]
        sheet = competition / "reference_data" / TASK / set / "reference.csv"
        sheet.parent.mkdir(parents=True, exist_ok=True)
        sheet.write_text(spoken_call.sheet_text(rows), encoding="utf-8")
    grammar = competition / "starting_kit" / TASK / "data" / "grammar.xml"
    grammar.parent.mkdir(parents=True, exist_ok=True)
    grammar.write_text(spoken_call.grammar_text(), encoding="utf-8")
    rng = np.random.default_rng([seed, 1])
    utterances = [
        said_by("evaluation", int(row["speaker"].lstrip("S")), row["Transcription"], slowest=130)
        for row in rows
    ]
    for row, samples in zip(rows, speak(utterances), strict=True):
        write_wav(folder / "audio" / "evaluation" / row["Wavfile"], record(rng, [samples]))


def _listen(folder: Path, seed: int) -> None:
    kit, heard = open_kit(TASK, folder), folder / "heard"
    run_script(kit, "baseline/recognise.py", "evaluation", heard, "--audio", folder / "audio" / "evaluation")
    run_script(kit, "baseline.py", "evaluation", folder / "recogniser", "--sheet", heard / "test_sheet.csv")
    transcribed = ("--sheet", kit.references["evaluation"] / "reference.csv", "--column", "Transcription")
    run_script(kit, "baseline.py", "evaluation", folder / "transcriptions", *transcribed)


def boards(folder: Path) -> Sequence[Board]:
    """Return the leaderboard of the test set."""
    systems = {
        "pocketsphinx, grammar": "recogniser",
        "transcriptions, grammar (BaselinePerfectRec)": "transcriptions",
    }
    lines = lines_on_test(folder, TASK, systems, "no sound: recognition drawn at random")
    lines.append(
        Line("shared task's baseline", "published, test set", {"d_full": 4.090, "d": 5.176, "d_a": 3.232})
    )
    return [Board(TASK, "Spoken CALL", {"d_full": 3, "d": 3, "d_a": 3}, lines)]


PART = Part(
    (
        Step("speech", 15, write_speech),
        Step("starting kit", 8, make_kits(TASK)),
        Step("listening", 60, _listen),
    ),
    boards,
)
