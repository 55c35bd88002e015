"""PSST with sound: the sample's naming responses, synthesised phone by phone, and the audio baselines' leaderboards.

Each session is one speaker with one voice; the sets share no voice. `<sil>` is a pause, `<spn>` a breath.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from sample_data import psst
from sample_data.audio.acoustics import write_wav
from sample_data.audio.board import Board, Line
from sample_data.audio.flite import said_by, speak
from sample_data.audio.kits import lines_on_test, make_kits, open_kit, run_script
from sample_data.audio.part import Part, Step
from sample_data.audio.rooms import record
from sample_data.audio.speak import RATE
from spokeneval.metrics.phoneme_recognition import FILLERS, arpabet_features

SIZES = {"development": 160, "evaluation": 240}

_TABLE = arpabet_features()
_SYLLABIC = _TABLE.features.index("syllabic")
VOWELS = {phone for phone, row in zip(_TABLE.phones, _TABLE.symbols, strict=True) if row[_SYLLABIC] == "+"}


def in_flite(phones: Sequence[str]) -> str:
    """Return phones in flite's notation, with stress on the first full vowel or else on the first neutral one.

    >>> in_flite(["AH", "K", "AE", "T"])
    '[[ax k ae1 t]]'
    """
    vowels = [place for place, phone in enumerate(phones) if phone in VOWELS]
    stressed = next((place for place in vowels if phones[place] != "AH"), vowels[0] if vowels else None)
    return f"[[{' '.join(_spell(phone, place == stressed) for place, phone in enumerate(phones))}]]"


def _spell(phone: str, stressed: bool) -> str:
    if phone == "AH" and not stressed:
        return "ax"
    return phone.lower() + "1" * stressed


def write_speech(folder: Path, seed: int) -> None:
    """Write both sets' recordings into `folder/audio/<set>`, their lists and labels into `folder/competition`."""
    sets = {set: psst.sample(set, size, seed=f"{seed} {set}") for set, size in SIZES.items()}
    psst.write_sets(folder / "competition", sets)
    for number, (set, (utterances, _)) in enumerate(sets.items()):
        spoken = responses(np.random.default_rng([seed, number]), set, utterances)
        for utterance, samples in zip(utterances, spoken, strict=True):
            write_wav(folder / "audio" / set / utterance.filename, samples)


def responses(
    rng: np.random.Generator, set: str, utterances: Sequence[psst.Utterance]
) -> Iterator[np.ndarray]:
    """Yield the samples of each response."""
    runs = [split(utterance.transcript.split()) for utterance in utterances]
    sessions = list(dict.fromkeys(utterance.session for utterance in utterances))
    spoken = speak(
        [
            said_by(set, sessions.index(utterance.session), in_flite(run), slowest=140)
            for utterance, several in zip(utterances, runs, strict=True)
            for run in several
            if run[0] not in FILLERS
        ]
    )
    for several in runs:
        parts = [_filler(rng, run) if run[0] in FILLERS else next(spoken) for run in several]
        yield record(rng, parts)


def split(phones: Sequence[str]) -> list[list[str]]:
    """Return the phones in runs; fillers are separate runs.

    >>> split(["K", "AE", "<sil>", "K"])
    [['K', 'AE'], ['<sil>'], ['K']]
    """
    return [list(run) for _, run in groupby(phones, FILLERS.__contains__)]


def _filler(rng: np.random.Generator, run: Sequence[str]) -> np.ndarray:
    loudness = 0.01 if "<spn>" in run else 0.0
    return loudness * rng.standard_normal(RATE // 4)


RECOGNITION, CORRECTNESS = "psst_recognition", "psst_correctness"
PUBLISHED = "published, test split"


def _recognise(folder: Path, seed: int) -> None:
    audio = ("--audio", folder / "audio" / "evaluation")
    run_script(
        open_kit(RECOGNITION, folder), "baseline/recognise.py", "evaluation", folder / "phones", *audio
    )


def _judge(folder: Path, seed: int) -> None:
    kit, audio = open_kit(CORRECTNESS, folder), folder / "audio"
    recordings = ("--audio", audio / "evaluation", "--development-audio", audio / "development")
    run_script(kit, "baseline/correctness.py", "evaluation", folder / "ratio", *recordings)
    transcripts = ("--transcripts", folder / "phones" / "transcripts.tsv")
    run_script(kit, "baseline.py", "evaluation", folder / "substring", *transcripts)


def boards(folder: Path) -> Sequence[Board]:
    """Return the leaderboards of both tasks, on the test set."""
    listening = {"all-phone decoding": "phones"}
    unheard = "no sound: errors drawn at random"
    correctness = {"likelihood ratio": "ratio", "substring of the decoded phones": "substring"}
    return [
        Board(
            RECOGNITION,
            "PSST Task A: phoneme recognition",
            {"fer": 1, "per": 1},
            [
                *lines_on_test(folder, RECOGNITION, listening, unheard),
                Line("challenge's baseline", PUBLISHED, {"fer": 12.1, "per": 26.4}),
            ],
        ),
        Board(
            CORRECTNESS,
            "PSST Task B: correctness",
            {"f1": 3, "precision": 3, "recall": 3, "balanced_accuracy": 3},
            [
                *lines_on_test(folder, CORRECTNESS, correctness, unheard),
                Line("challenge's baseline", PUBLISHED, {"f1": 0.892}),
            ],
        ),
    ]


PART = Part(
    (
        Step("speech", 15, write_speech),
        Step("starting kits", 15, make_kits(RECOGNITION, CORRECTNESS)),
        Step("recognition", 40, _recognise),
        Step("correctness", 80, _judge),
    ),
    boards,
)
