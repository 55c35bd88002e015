"""MERLIon CCS with sound: families who switch between English and Mandarin, and the audio baseline's leaderboards.

Labels and regions are those of `sample_data.merlion`, with the published medians and means of lengths. The speech of
each segment is fitted to its length. The training set (`development`) and the test set (`evaluation`) share no voice,
English accent, template or content word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sample_data import merlion
from sample_data.audio import unheard
from sample_data.audio.acoustics import add_noise, mu_law, reverberate, set_level, write_wav
from sample_data.audio.board import Board, Line, scored
from sample_data.audio.child_talk import OTHER, choose, say
from sample_data.audio.kits import lines_on_test, make_kits, open_kit, run_script
from sample_data.audio.part import Part, Step
from sample_data.audio.speak import RATE, Utterance, speak
from sample_data.merlion_detector import write_detected
from spokeneval import score

DRAWS = {"development": 4, "evaluation": 2}
"""Number of short samples in each set; a sample has 8 recordings and 11 minutes."""

VARIANTS = {
    "development": """m1 m3 m5 m7 f1 f3 f5 Alicia Andy Denis Gene Henrique Jacky Marco Michael Mike Nguyen adam antonio
        belinda boris david edward gustave iven john linda max miguel pablo pedro rob sandro steph travis zac""",
    "evaluation": """m2 m4 m6 m8 f2 f4 Andrea Annie Diogo Hugo Lee Mario anika aunty benjamin caleb ed ian kaukovalta
        marcelo michel norbert paul quincy robert shelby victor""",
}
ACCENTS = {
    "development": ("en-us", "en", "en-gb-scotland", "en-029"),
    "evaluation": ("en-gb-x-rp", "en-us-nyc", "en-gb-x-gbclan", "en-gb-x-gbcwmd"),
}
PINYIN = "cmn-latn-pinyin"
CHILD = 0.45
"""Share of the segments that the child speaks."""

MILLISECOND = RATE // 1000


class Speaker(NamedTuple):
    """A speaker, with the same voice in both languages."""

    variant: str
    accent: str
    pitch: int
    speed: int
    gain: float


def write_speech(folder: Path, seed: int) -> None:
    """Write the recordings of both sets into `folder/audio/<set>`, and their labels into `folder/competition`."""
    for number, (set, draws) in enumerate(DRAWS.items()):
        rng = np.random.default_rng([seed, number])
        drawn = [merlion.generate("short", set, int(rng.random() * 2**31)) for _ in range(draws)]
        tables = merlion.Tables(*(pd.concat(each, ignore_index=True) for each in zip(*drawn, strict=True)))
        for task, write in merlion.WRITERS.items():
            write(tables, folder / "competition" / "reference_data" / task / set)
        write_detected(tables.labels, seed, folder / "competition", set)
        for name, samples in conversations(rng, set, tables):
            write_wav(folder / "audio" / set / name, samples)


def conversations(
    rng: np.random.Generator, set: str, tables: merlion.Tables
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name and samples of each recording, with speech in the labelled segments."""
    by_recording = dict(list(tables.labels.groupby("audio_name", sort=False)))
    plans = {name: _plan(rng, set, labels) for name, labels in by_recording.items()}
    spoken = speak([utterance for plan in plans.values() for utterance, _ in plan if utterance])
    for name, length in tables.recordings.itertuples(index=False):
        clean = np.zeros(length * MILLISECOND)
        for (utterance, gain), segment in zip(plans[name], by_recording[name].itertuples(), strict=True):
            place = slice(segment.start * MILLISECOND, segment.end * MILLISECOND)
            size = place.stop - place.start
            sound = _fit(next(spoken), size) if utterance else _knock(rng, size)
            clean[place] += gain * sound[: len(clean[place])]
        yield name, _record(rng, clean)


def _plan(rng: np.random.Generator, set: str, labels: pd.DataFrame) -> list[tuple[Utterance | None, float]]:
    """Return the utterance of each segment (None for noise), and its loudness."""
    variants, accent = tuple(VARIANTS[set].split()), choose(rng, ACCENTS[set])
    parent = Speaker(choose(rng, variants), accent, 20 + _up_to(rng, 35), 150 + _up_to(rng, 50), 1.0)
    child = Speaker(
        choose(rng, variants), accent, 65 + _up_to(rng, 30), 140 + _up_to(rng, 45), 0.4 + 0.6 * rng.random()
    )
    plan: list[tuple[Utterance | None, float]] = []
    for tag, length in zip(labels.language_tag, labels.length, strict=True):
        speaker = child if rng.random() < CHILD else parent
        gain = speaker.gain * (0.7 + 0.6 * rng.random())
        if tag == "NON_SPEECH":
            plan.append((None, 0.3 * gain))
            continue
        if tag in merlion.LANGUAGES:
            language = speaker.accent if tag == "English" else PINYIN
            text = say(rng, set, tag, length / 1000 * speaker.speed / 175)
        else:
            language, text = OTHER[set]
        voice = f"{language}+{speaker.variant}"
        melody = 30 + _up_to(rng, 50)
        plan.append((Utterance(text, voice, speaker.speed, speaker.pitch, melody), gain))
    return plan


def _up_to(rng: np.random.Generator, most: int) -> int:
    return int(rng.random() * (most + 1))


def _fit(samples: np.ndarray, size: int) -> np.ndarray:
    """Return speech of fixed loudness and of exactly this length: cut if it is too long, else slowed down."""
    if len(samples) < size:
        samples = np.interp(np.linspace(0, len(samples) - 1, size), np.arange(len(samples)), samples)
    edge = np.minimum(1, np.arange(1, size + 1) / (5 * MILLISECOND))
    samples = samples[:size] * edge * edge[::-1]
    return samples * 0.1 / np.sqrt(np.mean(samples**2))


def _knock(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return the sound of toys and furniture: a few decaying bursts of noise."""
    sound = np.zeros(size)
    for _ in range(1 + _up_to(rng, 3)):
        start = int(rng.random() * size)
        time = np.arange(size - start) / RATE
        sound[start:] += rng.standard_normal(size - start) * np.exp(-time / (0.01 + 0.1 * rng.random()))
    return 0.3 * sound


def _record(rng: np.random.Generator, clean: np.ndarray) -> np.ndarray:
    """Add a room, its noise and a level; in half of the recordings, a telephone line."""
    heard = reverberate(rng, clean, 0.1 + 0.3 * rng.random())
    heard = set_level(add_noise(rng, heard, 8 + 17 * rng.random()), -12 * rng.random())
    return mu_law(heard) if rng.random() < 0.5 else heard


IDENTIFICATION, DIARIZATION = "merlion_identification", "merlion_diarization"
PUBLISHED = "published, development set"


def _train(folder: Path, seed: int) -> None:
    audio, model = folder / "audio" / "development", folder / "model.pt"
    run_script(
        open_kit(IDENTIFICATION, folder),
        "baseline/train.py",
        "--audio",
        audio,
        "--model",
        model,
        "--seed",
        str(seed),
    )


def _identify(folder: Path, seed: int) -> None:
    _listen(folder, IDENTIFICATION, "identify.py", "identified")


def _diarize_by_energy(folder: Path, seed: int) -> None:
    _listen(folder, DIARIZATION, "diarize.py", "energy", "--vad", "energy")


def _diarize_by_silero(folder: Path, seed: int) -> None:
    _listen(folder, DIARIZATION, "diarize.py", "silero", "--vad", "silero")


def _diarize_true_speech(folder: Path, seed: int) -> None:
    labels = open_kit(DIARIZATION, folder).references["evaluation"] / "labels.csv"
    _listen(folder, DIARIZATION, "diarize.py", "true_speech", "--speech", labels)


def _listen_to_the_unheard(folder: Path, seed: int) -> None:
    for task, script, output in (
        (IDENTIFICATION, "identify.py", "unheard_identified"),
        (DIARIZATION, "diarize.py", "unheard_diarized"),
    ):
        _listen(folder, task, script, output, set=unheard.NAME)


def _listen(
    folder: Path, task: str, script: str, output: str, *options: str | Path, set: str = "evaluation"
) -> None:
    places = (folder / output, "--audio", folder / "audio" / set, "--model", folder / "model.pt")
    run_script(open_kit(task, folder), f"baseline/{script}", set, *places, *options)


def boards(folder: Path) -> Sequence[Board]:
    """Return the leaderboards of both tasks, on the test set."""
    identified = {"small conformer": "identified"}
    diarized = {
        "small conformer, energy": "energy",
        "small conformer, silero": "silero",
        "small conformer, true speech": "true_speech",
    }
    return [
        Board(
            IDENTIFICATION,
            "MERLIon CCS Task 1: language identification",
            {"eer_plan": 2, "balanced_accuracy": 2, "english_recall": 1, "mandarin_recall": 1, "eer": 2},
            [
                _unheard(folder, IDENTIFICATION, "unheard_identified"),
                *lines_on_test(
                    folder, IDENTIFICATION, identified, "metadata baseline: lengths and places of segments"
                ),
                Line("challenge's baseline", PUBLISHED, {"eer": 22.13, "balanced_accuracy": 50.32}),
                Line("English 1, Mandarin 0", PUBLISHED, {"eer": 19.86, "balanced_accuracy": 50.0}),
            ],
        ),
        Board(
            DIARIZATION,
            "MERLIon CCS Task 2: language diarization",
            {"der": 2, "miss": 2, "false_alarm": 2, "language_error": 2, "lder_script": 2},
            [
                _unheard(folder, DIARIZATION, "unheard_diarized"),
                *lines_on_test(
                    folder, DIARIZATION, diarized, "metadata baseline: English in detected speech"
                ),
                Line("challenge's baseline", PUBLISHED, {"lder_script": 86.6}),
            ],
        ),
    ]


def _unheard(folder: Path, task: str, output: str) -> Line:
    result = score(task, reference=unheard.reference_of(folder, task), submission=folder / output)
    return scored("small conformer", f"{len(unheard.VOICES)} unheard voices", result)


PART = Part(
    (
        Step("speech", 80, write_speech),
        Step("starting kits", 15, make_kits(IDENTIFICATION, DIARIZATION)),
        Step("unheard voices", 40, unheard.write_unheard),
        Step("training", 400, _train),
        Step("identification", 15, _identify),
        Step("diarization by energy", 20, _diarize_by_energy),
        Step("diarization by silero", 35, _diarize_by_silero),
        Step("diarization of true speech", 20, _diarize_true_speech),
        Step("unheard voices: both tasks", 20, _listen_to_the_unheard),
    ),
    boards,
)
