"""Submissions for every task, made from a reference with regular mistakes: good, not perfect, the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from spokeneval.challenges import find_task
from spokeneval.formats.text import read_folder
from spokeneval.metrics.phoneme_recognition import arpabet_features
from tests.samples.cases import OWN, SHEETS


def near_misses(task: str, folder: Path) -> Mapping[str, str]:
    """A submission's files, `name -> content`, for the reference in a folder."""
    reference = find_task(task).format.read_reference(read_folder(folder))
    made = OWN[task].near_misses(reference) if task in OWN else globals()[f"_{task}"](reference)
    if isinstance(made, Mapping):
        return made
    return {SHEETS[task].file: SHEETS[task].text(list(zip(reference.items.ids, map(str, made))))}


def _spread(row: int) -> float:
    """Evenly spread over -0.5 to 0.5: multiples of the golden ratio."""
    return (row * 0.6180339887498949) % 1 - 0.5


def _spoken_call(reference) -> Iterable[object]:
    accept = [bool(correct) != (row % 9 == 4) for row, correct in enumerate(reference["language"])]
    return ("accept" if yes else "reject" for yes in accept)


def _caller_experience(reference) -> Iterable[object]:
    return (
        min(5, max(1, int(listener) + (row % 5 == 0) - (row % 7 == 0) + 2 * (row % 31 == 0)))
        for row, listener in enumerate(reference["human1"])
    )


def _psst_recognition(reference) -> Iterable[object]:
    phones = arpabet_features().phones
    heard = []
    for row, transcript in enumerate(reference["transcript"]):
        said = list(transcript)
        if row % 3 == 0 and said:
            said[row % len(said)] = phones[row % len(phones)]
        if row % 4 == 1 and said:
            del said[0]
        if row % 5 == 2:
            said.append("AH")
        heard.append(" ".join(said))
    return heard


def _psst_correctness(reference) -> Iterable[object]:
    return (str(bool(yes) != (row % 8 == 3)).lower() for row, yes in enumerate(reference["correctness"]))


def _content_accuracy(reference) -> Iterable[object]:
    predicted = reference["human_score"] + reference["words"] / 200
    return (f"{score + 2 * _spread(row):.4f}" for row, score in enumerate(predicted.tolist()))


def _merlion_identification(reference) -> Mapping[str, str]:
    lines = []
    for row, item in enumerate(reference.items.ids):
        score = (-1.2 if reference["label"][row] else 1.2) + 3 * _spread(row)
        lines.append(f"{item} {score:.4f} {-score + row % 3 / 10:.4f}\n")
    return {"prediction.txt": "".join(lines)}


def _merlion_diarization(reference) -> Mapping[str, str]:
    files = {}
    for row, name in enumerate(reference.items.ids):
        spans, labels = reference.turns[row]
        rows = [
            (*map(float, span), reference.names[label]) for label in (0, 1) for span in spans[labels == label]
        ]
        kept = [
            (start + 60 * (index % 3), end + 150, "English" if index % 6 == 0 else language)
            for index, (start, end, language) in enumerate(sorted(rows))
            if index % 11
        ]
        files[f"{name}.txt"] = "".join(f"{start:g} {end:g} {language}\n" for start, end, language in kept)
    return files
