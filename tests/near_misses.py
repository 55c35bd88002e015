"""Submissions for every task, made from a reference with regular mistakes: good, not perfect, the same every time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bundling.references import task_module
from spokeneval.metrics.phoneme_recognition import arpabet_features


def near_misses(task: str, folder: Path) -> dict[str, str]:
    """A submission's files, `name -> content`, for the reference in a folder."""
    return _MAKERS[task](task_module(task).read_reference(folder))


def _spoken_call(reference) -> Mapping[str, str]:
    accept = [bool(correct) != (row % 9 == 4) for row, correct in enumerate(reference.correct)]
    rows = [
        f"{item}\t{'accept' if yes else 'reject'}"
        for item, yes in zip(reference.items.ids, accept, strict=True)
    ]
    return {"results.csv": "\n".join(["Id\tAccept", *rows, ""])}


def _caller_experience(reference) -> Mapping[str, str]:
    ratings = [
        min(5, max(1, int(listener) + (row % 5 == 0) - (row % 7 == 0) + 2 * (row % 31 == 0)))
        for row, listener in enumerate(reference.listeners[0])
    ]
    rows = [f"{item},{rating}" for item, rating in zip(reference.items.ids, ratings, strict=True)]
    return {"ratings.csv": "\n".join(["call_id,rating", *rows, ""])}


def _psst_recognition(reference) -> Mapping[str, str]:
    phones = arpabet_features().phones
    rows = []
    for row, transcript in enumerate(reference.transcripts):
        said = list(transcript)
        if row % 3 == 0 and said:
            said[row % len(said)] = phones[row % len(phones)]
        if row % 4 == 1 and said:
            del said[0]
        if row % 5 == 2:
            said.append("AH")
        rows.append(f"{reference.items.ids[row]}\t{' '.join(said)}")
    return {"transcripts.tsv": "\n".join(["utterance_id\tasr_transcript", *rows, ""])}


def _psst_correctness(reference) -> Mapping[str, str]:
    called = [bool(correct) != (row % 8 == 3) for row, correct in enumerate(reference.correct)]
    rows = [f"{item}\t{str(yes).lower()}" for item, yes in zip(reference.items.ids, called, strict=True)]
    return {"correctness.tsv": "\n".join(["utterance_id\tprediction", *rows, ""])}


def _merlion_identification(reference) -> Mapping[str, str]:
    rows = []
    for row, (item, english) in enumerate(zip(reference.items.ids, reference.is_english, strict=True)):
        score = (1.2 if english else -1.2) + 3 * ((row * 0.6180339887498949) % 1 - 0.5)
        rows.append(f"{item} {score:.4f} {-score + row % 3 / 10:.4f}")
    return {"prediction.txt": "\n".join([*rows, ""])}


def _merlion_diarization(reference) -> Mapping[str, str]:
    files = {}
    for name, turns in zip(reference.items.ids, reference.turns, strict=True):
        rows = [(*map(float, span), "English") for span in turns.english]
        rows += [(*map(float, span), "Mandarin") for span in turns.mandarin]
        kept = [
            (start + 60 * (index % 3), end + 150, "English" if index % 6 == 0 else language)
            for index, (start, end, language) in enumerate(sorted(rows))
            if index % 11
        ]
        files[f"{name}.txt"] = "".join(f"{start:g} {end:g} {language}\n" for start, end, language in kept)
    return files


def _content_accuracy(reference) -> Mapping[str, str]:
    rows = [
        f"{item},{score + 2 * ((row * 0.6180339887498949) % 1 - 0.5) + words / 200:.4f}"
        for row, (item, score, words) in enumerate(
            zip(reference.items.ids, reference.human_scores, reference.words, strict=True)
        )
    ]
    return {"predictions.csv": "\n".join(["response_id,score", *rows, ""])}


_MAKERS = {
    "spoken_call": _spoken_call,
    "caller_experience": _caller_experience,
    "psst_recognition": _psst_recognition,
    "psst_correctness": _psst_correctness,
    "merlion_identification": _merlion_identification,
    "merlion_diarization": _merlion_diarization,
    "content_accuracy": _content_accuracy,
}

TASKS = tuple(_MAKERS)
