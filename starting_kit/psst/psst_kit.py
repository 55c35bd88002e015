"""Functions that the kit's programs share: reading utterances and transcripts, and the two tasks' baselines."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")

from spokeneval.challenges import psst_correctness, psst_recognition
from spokeneval.formats.format import Items
from spokeneval.formats.naming import LIST_FILE
from spokeneval.formats.problems import FileProblems
from spokeneval.metrics.phoneme_recognition import contains_pronunciation

HERE = Path(__file__).resolve().parent
TRANSCRIPTS_FILE = psst_recognition.SUBMISSION.file


@dataclass(frozen=True)
class Recognised:
    """A recogniser's output for a set: ids, prompts and transcripts of n utterances, in the same order."""

    ids: list[str]
    prompts: list[str]
    transcripts: list[list[str]]


def baseline_arguments(description: str) -> argparse.Namespace:
    """Parse `development|evaluation OUTPUT_DIR [--transcripts FILE]`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument(
        "--transcripts",
        type=Path,
        metavar="FILE",
        help="your recogniser's transcripts (default: those in data/)",
    )
    return parser.parse_args()


def read_recognised(name: str, file: Path | None = None) -> Recognised:
    """Return a set's utterances with a recogniser's transcripts; end the program if either file is unusable.

    file: tab-separated, `utterance_id` and `asr_transcript`; default: the example recogniser's, in data/.
    """
    utterances = HERE / name / "input" / LIST_FILE
    if not utterances.exists():
        sys.exit(
            f"The kit has no set {name}; choose one of "
            f"{', '.join(sorted(path.parent.name for path in HERE.glob('*/input')))}."
        )
    with open(str(utterances), encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    ids = [row["utterance_id"] for row in rows]
    file = file or HERE / "data" / f"{name}_transcripts.tsv"
    transcripts = read_transcripts(file, Items(tuple(ids)), name)
    return Recognised(ids, [row.get("prompt", "") for row in rows], transcripts)


def read_transcripts(file: Path, items: Items, name: str) -> list[list[str]]:
    """Return a recogniser's transcripts of a set's items; end the program if they do not match the set."""
    if not file.is_file():
        sys.exit(f"{file} is missing; expected transcripts of the {name} set (utterance_id, asr_transcript).")
    try:
        recognised = psst_recognition.TASK.format.read_submission({TRANSCRIPTS_FILE: file}, items)
    except FileProblems as refusal:
        sys.exit(f"{file} does not match the {name} set.\n\n{refusal}")
    transcripts: list[list[str]] = recognised["asr_transcript"].tolist()
    return transcripts


def write_transcripts(recognised: Recognised, folder: Path) -> None:
    """Write Task A's submission: the recogniser's transcripts."""
    transcripts = map(" ".join, recognised.transcripts)
    write_table(
        folder / TRANSCRIPTS_FILE, ("utterance_id", "asr_transcript"), zip(recognised.ids, transcripts)
    )


def write_correctness(recognised: Recognised, folder: Path) -> None:
    """Write Task B's baseline: correct if the transcript contains an accepted pronunciation of the prompt."""
    file = HERE / "data" / "accepted_pronunciations.json"
    accepted = json.loads(file.read_text(encoding="utf-8"))
    unknown = sorted(set(recognised.prompts) - set(accepted))
    if unknown:
        sys.exit(
            f"data/{file.name} has no pronunciation of {', '.join(map(repr, unknown[:5]))}; add it to the list."
        )
    predictions = [
        contains_pronunciation(phones, [pronunciation.split() for pronunciation in accepted[prompt]])
        for prompt, phones in zip(recognised.prompts, recognised.transcripts)
    ]
    rows = zip(recognised.ids, ("true" if correct else "false" for correct in predictions))
    write_table(folder / psst_correctness.SUBMISSION.file, ("utterance_id", "prediction"), rows)


def write_table(path: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(str(path), "w", encoding="utf-8", newline="") as sink:
        writer = csv.writer(sink, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
