"""Read the kit's lists and labels, or your own manifest; a problem ends the program with one line."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import recordings
from features import add_arguments

KIT = Path(__file__).resolve().parent.parent
sys.path.append(str(KIT))  # for spokeneval
LANGUAGES = ("English", "Mandarin")


class Segment(NamedTuple):
    """A part of a recording, in ms. `language` is empty if it is hidden."""

    recording: str
    utterance: str
    start: float
    end: float
    language: str = ""

    @property
    def id(self) -> str:
        return f"{stem(self.recording)}_{self.utterance}_{self.start:g}_{self.end:g}"


def arguments(description: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments of both tasks: `SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--threads N]`."""
    parser = recordings.arguments(description)
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="model written by train.py (default: model.pt)"
    )
    parser.add_argument(
        "--prior-english",
        type=share,
        default=0.5,
        metavar="P",
        help="expected share of English in the set (default: 0.5, which assumes nothing)",
    )
    add_arguments(parser)
    parser.add_argument(
        "--threads", type=int, default=1, help="number of CPU threads (default: 1, best on shared machines)"
    )
    return parser


def share(text: str) -> float:
    """Return the value of an argument that is a share between 0 and 1."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of one of the kit's lists, each as `column -> text`."""
    if not path.is_file():
        sets = ", ".join(sorted(folder.parent.name for folder in KIT.glob("*/input")))
        sys.exit(f"{path}: no such list; this kit has the sets {sets}")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source))


def segments_to_identify(name: str) -> list[Segment]:
    """Return the segments of a set's public list, in its order."""
    path = KIT / name / "input" / "segments.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        sys.exit(f"{path}: no such list; it is in the kit of Task 1 (identification)")
    return list(_segments(read_rows(path), hidden=True))


def labelled_segments(name: str) -> list[Segment]:
    """Return a public set's English and Mandarin segments, without those that overlap the other language."""
    path = KIT / name / "reference" / "labels.csv"
    segments = list(_segments(read_rows(path), hidden=False))
    refuse_one_language(path, segments)
    return segments


def manifest_segments(path: Path) -> list[Segment]:
    """Return the segments of your own training data, from a CSV file.

    Its columns are `recording`, `start`, `end` (both in ms) and `language` (English or Mandarin). All faulty rows are
    listed.
    """
    if not path.is_file():
        sys.exit(f"{path}: no such file; --manifest needs a CSV file with recording, start, end and language")
    with open(path, encoding="utf-8-sig", newline="") as source:
        rows = csv.DictReader(source)
        missing = [
            name for name in ("recording", "start", "end", "language") if name not in (rows.fieldnames or ())
        ]
        if missing:
            sys.exit(
                f"{path}: the columns {', '.join(missing)} are missing; expected recording,start,end,language"
            )
        segments, problems = [], []
        for row in rows:
            try:
                start, end = float(row["start"]), float(row["end"])
            except (TypeError, ValueError):
                start = end = np.nan
            if not 0 <= start < end < np.inf:
                problems.append(
                    f"line {rows.line_num}: {row['start']} to {row['end']}; expected a start before an end, in ms"
                )
            elif row["language"] not in LANGUAGES:
                problems.append(
                    f"line {rows.line_num}: language {row['language']!r}; expected English or Mandarin"
                )
            else:
                segments.append(Segment(row["recording"], str(rows.line_num), start, end, row["language"]))
    if problems:
        more = f"\nand {len(problems) - 10} more" if len(problems) > 10 else ""
        sys.exit("\n".join([f"{path}: rows that cannot be used", *problems[:10]]) + more)
    refuse_one_language(path, segments)
    return segments


def refuse_one_language(path: Path, segments: Iterable[Segment]) -> None:
    """End the program if there are no segments of one of the languages."""
    absent = set(LANGUAGES) - {segment.language for segment in segments}
    if absent:
        sys.exit(f"{path}: no {' and no '.join(sorted(absent))} segments; expected both languages")


def _segments(rows: Iterable[dict[str, str]], *, hidden: bool) -> Iterator[Segment]:
    for row in rows:
        place = (row["audio_name"], row["utt_id"], float(row["start"]), float(row["end"]))
        if hidden:
            yield Segment(*place)
        elif row["language_tag"] in LANGUAGES and row.get("overlap_diff_lang", "").lower() not in (
            "true",
            "1",
        ):
            yield Segment(*place, row["language_tag"])


def labelled_speech(path: Path) -> dict[str, np.ndarray]:
    """Return the spans with speech of each recording in a file of labels, `stem -> spans` in ms, shape=(n, 2).

    Overlapping spans are merged.
    """
    rows = read_rows(path) if path.is_file() else []
    if not rows or not {"audio_name", "start", "end", "language_tag"} <= rows[0].keys():
        sys.exit(f"{path}: no labels; --speech needs a file in the form of this kit's labels.csv")
    spans: dict[str, list[list[float]]] = {}
    spoken = [row for row in rows if row["language_tag"] in LANGUAGES]
    for row in sorted(spoken, key=lambda row: float(row["start"])):
        start, end = float(row["start"]), float(row["end"])
        found = spans.setdefault(stem(row["audio_name"]), [])
        if found and start <= found[-1][1]:
            found[-1][1] = max(end, found[-1][1])
        else:
            found.append([start, end])
    return {name: np.array(found) for name, found in spans.items()}


def by_recording(segments: Sequence[Segment]) -> dict[str, list[int]]:
    """Return the indices of each recording's segments."""
    indices: dict[str, list[int]] = {}
    for index, segment in enumerate(segments):
        indices.setdefault(segment.recording, []).append(index)
    return indices


def recordings_to_diarize(name: str) -> list[str]:
    """Return the names of a set's recordings."""
    path = KIT / name / "input" / "recordings.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        sys.exit(f"{path}: no such list; it is in the kit of Task 2 (diarization)")
    return [next(iter(row.values())) for row in read_rows(path)]


def stem(name: str) -> str:
    """Return a recording's name without `.wav`, as in the ids of segments and the file names of a submission."""
    return name[:-4] if name.lower().endswith(".wav") else name


def refuse_unfit(paths: dict[str, Path], samples: dict[str, int], segments: Iterable[Segment]) -> None:
    """End the program if segments end more than a second after their recordings; all recordings are listed.

    samples: recording -> number of samples.
    """
    last: dict[str, Segment] = {}
    for segment in segments:
        if segment.recording not in last or segment.end > last[segment.recording].end:
            last[segment.recording] = segment
    lasts = {name: 1000 * count / recordings.RATE for name, count in samples.items()}
    lines = [
        f"{paths[name]}: the recording lasts {lasts[name]:.0f} ms, but segment {segment.utterance} "
        f"ends at {segment.end:g} ms; check that the recording belongs to this set"
        for name, segment in last.items()
        if segment.end > lasts[name] + 1000
    ]
    if lines:
        sys.exit("\n".join(lines))
