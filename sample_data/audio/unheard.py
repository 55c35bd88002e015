"""A second test set of MERLIon CCS: clean sentences of 20 voices that are in neither of the other sets.

The voices are further variants of espeak-ng, among them six of another method (`klatt`). Each says English and Mandarin
in turn, so that neither voice nor synthesiser tells the language: a classifier of these calls half of it right. As many
sentences are English as are Mandarin, which differs from the training set, four fifths of which are English.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from sample_data import merlion
from sample_data.audio.acoustics import add_noise, set_level, write_wav
from sample_data.audio.child_talk import say
from sample_data.audio.speak import RATE, Utterance, speak
from speechbundles.competition.references import load_reference
from speechbundles.model.zips import write_tree
from spokeneval.challenges import find_task

NAME = "unheard"
VOICES = [
    "klatt",
    "klatt2",
    "klatt3",
    "klatt4",
    "klatt5",
    "klatt6",
    "Alex",
    "announcer",
    "AnxiousAndy",
    "edward2",
    "fast",
    "grandma",
    "grandpa",
    "iven2",
    "mike2",
    "Reed",
    "RicishayMax",
    "RicishayMax2",
    "steph2",
    "Storm",
]
ACCENTS = {"English": ("en-us", "en-gb-x-rp"), "Mandarin": ("cmn-latn-pinyin",)}
SENTENCES = 12
PAUSE = 300  # ms


def write_unheard(folder: Path, seed: int) -> None:
    """Write the recordings into `folder/audio/unheard`, the labels into `folder/unheard/TASK`, lists into the kits."""
    rng = np.random.default_rng([seed, 2])
    rows, regions, lengths = [], [], []
    for number, voice in enumerate(VOICES):
        languages = [merlion.LANGUAGES[index % 2] for index in range(SENTENCES)]
        spoken = speak(
            [
                Utterance(
                    say(rng, "evaluation", language, rng.uniform(0.8, 3.0)),
                    f"{ACCENTS[language][number % len(ACCENTS[language])]}+{voice}",
                    speed=round(rng.uniform(140, 190)),
                )
                for language in languages
            ]
        )
        name, parts, now = f"UNHEARD_{number + 1:02d}_{voice}.wav", [], 0
        for index, (language, samples) in enumerate(zip(languages, spoken, strict=True)):
            pause = np.zeros(PAUSE * RATE // 1000)
            samples = np.append(samples, np.zeros(-len(samples) % (RATE // 1000)))
            start, length = now + PAUSE, len(samples) * 1000 // RATE
            rows.append(
                (name, f"a{index + 1}", start, start + length, length, language, False, "Development")
            )
            parts += [pause, samples]
            now = start + length
        write_wav(folder / "audio" / NAME / name, set_level(add_noise(rng, np.concatenate(parts), 40), -3))
        regions.append((name, 0, now))
        lengths.append((name, now))
    columns = [
        "audio_name",
        "utt_id",
        "start",
        "end",
        "length",
        "language_tag",
        "overlap_diff_lang",
        "dev_eval_status",
    ]
    tables = merlion.Tables(
        pd.DataFrame(rows, columns=columns),
        pd.DataFrame(regions, columns=["audio_name", "start", "end"]),
        pd.DataFrame(lengths, columns=["audio_name", "length"]),
    )
    for task, write in merlion.WRITERS.items():
        write(tables, folder / NAME / task)
        gold = reference_of(folder, task)
        inputs = dict(load_reference(find_task(task), "development", gold, {}).public)
        write_tree(folder / task / "kit" / NAME / "input", inputs)


def reference_of(folder: Path, task: str) -> Path:
    """Return the gold standard of a task, as `score` takes it."""
    place = folder / NAME / task
    return place / "labels.csv" if task == "merlion_identification" else place
