"""Submissions for every task, made from a reference with regular mistakes: good, not perfect, the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from spokeneval.challenges import find_task
from spokeneval.formats.files import read_folder
from spokeneval.metrics.phoneme_recognition import arpabet_features
from tests.samples.cases import OWN


def near_misses(task: str, folder: Path) -> Mapping[str, str]:
    """A submission's files, `name -> content`, for the reference in a folder."""
    maker = OWN[task].near_misses if task in OWN else globals()[f"_{task}"]
    return maker(find_task(task).format.read_reference(read_folder(folder)))


def _sheet(file: str, header: str, reference, answers: Iterable[object]) -> Mapping[str, str]:
    delimiter = "\t" if "\t" in header else ","
    answer = iter(answers)
    rows = [f"{item}{delimiter}{next(answer)}" for item in reference.items.ids]
    return {file: "\n".join([header, *rows, ""])}


def _spread(row: int) -> float:
    """Evenly spread over -0.5 to 0.5: multiples of the golden ratio."""
    return (row * 0.6180339887498949) % 1 - 0.5


def _spoken_call(reference) -> Mapping[str, str]:
    accept = [bool(correct) != (row % 9 == 4) for row, correct in enumerate(reference["language"])]
    return _sheet("results.csv", "Id\tAccept", reference, ("accept" if yes else "reject" for yes in accept))


def _caller_experience(reference) -> Mapping[str, str]:
    ratings = (
        min(5, max(1, int(listener) + (row % 5 == 0) - (row % 7 == 0) + 2 * (row % 31 == 0)))
        for row, listener in enumerate(reference["human1"])
    )
    return _sheet("ratings.csv", "call_id,rating", reference, ratings)


def _psst_recognition(reference) -> Mapping[str, str]:
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
    return _sheet("transcripts.tsv", "utterance_id\tasr_transcript", reference, heard)


def _psst_correctness(reference) -> Mapping[str, str]:
    called = (bool(correct) != (row % 8 == 3) for row, correct in enumerate(reference["correctness"]))
    return _sheet(
        "correctness.tsv", "utterance_id\tprediction", reference, (str(yes).lower() for yes in called)
    )


def _content_accuracy(reference) -> Mapping[str, str]:
    predicted = reference["human_score"] + reference["words"] / 200
    scores = (f"{score + 2 * _spread(row):.4f}" for row, score in enumerate(predicted.tolist()))
    return _sheet("predictions.csv", "response_id,score", reference, scores)


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
