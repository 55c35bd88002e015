"""Content accuracy with sound: the sample's responses as speech, and the board of three models on recognised text.

Training and test responses are synthesised, development responses are not. Each speaker has a voice; the sets share no
voice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sample_data import content_accuracy
from sample_data.audio.acoustics import write_wav
from sample_data.audio.board import Board, Line
from sample_data.audio.flite import said_by, speak
from sample_data.audio.kits import lines_on_test, make_kits, open_kit, run_script
from sample_data.audio.part import Part, Step
from sample_data.audio.rooms import record

SPEAKERS = 16
SIZES = {"training": 40, "development": 40, "evaluation": 50}
SPOKEN = {"training": "development", "evaluation": "evaluation"}
"""`set -> set whose voices it uses`."""

TASK = "content_accuracy"
MODELS = {"cva": "CVA", "base_rouge": "base ROUGE", "new_rouge": "new ROUGE"}
PUBLISHED = {
    "cva": {"pearson_r": 0.492, "quadratic_kappa": 0.340},
    "base_rouge": {"pearson_r": 0.587, "quadratic_kappa": 0.440},
    "new_rouge": {"pearson_r": 0.655, "quadratic_kappa": 0.540},
}


def write_speech(folder: Path, seed: int) -> None:
    """Write recordings into `folder/audio`, and the sets' lists and labels into `folder/competition`."""
    prompts = content_accuracy.make_prompts(content_accuracy.SAMPLE_PROMPTS)
    sets = {
        name: content_accuracy.make_responses(
            f"{name[0].upper()}{seed}", speakers=SPEAKERS, responses=size, prompts=prompts
        )
        for name, size in SIZES.items()
    }
    content_accuracy.write_sets(folder / "competition", prompts, sets)
    for number, (name, voices) in enumerate(SPOKEN.items()):
        rng = np.random.default_rng([seed, number])
        utterances = [
            said_by(voices, int(response.speaker_id[2:]), response.text, slowest=150)
            for response in sets[name]
        ]
        for response, samples in zip(sets[name], speak(utterances), strict=True):
            write_wav(folder / "audio" / f"{response.response_id}.wav", record(rng, [samples]))


def _listen(folder: Path, seed: int) -> None:
    kit, heard = open_kit(TASK, folder), folder / "heard"
    run_script(kit, "baseline/recognise.py", "evaluation", heard, "--audio", folder / "audio")
    for model in MODELS:
        for name, responses in (("heard", heard), ("drawn", kit.folder / "data")):
            output = folder / f"{model}_{name}"
            run_script(kit, "baseline.py", "evaluation", output, "--model", model, "--responses", responses)


def boards(folder: Path) -> Sequence[Board]:
    """Return the leaderboard of the test set."""
    texts = {"heard": "pocketsphinx", "drawn": "no sound: errors drawn at random"}
    systems = {
        f"{title}, {text}": f"{model}_{output}"
        for output, text in texts.items()
        for model, title in MODELS.items()
    }
    lines = lines_on_test(folder, TASK, systems)
    lines += [
        Line(f"{MODELS[model]}, the paper's", "published", scores) for model, scores in PUBLISHED.items()
    ]
    return [Board(TASK, "Content accuracy", {"pearson_r": 3, "quadratic_kappa": 3, "partial_r": 3}, lines)]


PART = Part(
    (
        Step("speech", 20, write_speech),
        Step("starting kit", 8, make_kits(TASK)),
        Step("listening", 200, _listen),
    ),
    boards,
)
