"""Turns of ELAN, Praat, RTTM, Audacity's label tracks and Label Studio's exports, and empty files for annotators.

Turns are a frame: `recording`, `start` and `end` in seconds, `label`, `tier`, `utterance` (a number that the parts of
one utterance share), `annotator`, `file` and `line`.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from speechbundles.annotation.sheets import Questions
from speechbundles.annotation.tables import Frame, refuse
from speechbundles.competition.intake.label_studio import EXPORTS, read_regions
from speechbundles.competition.intake.tier_files import (
    EAF,
    TEXTGRID,
    by_tier,
    is_elan_text,
    read_tiers,
    tiers_of,
)
from speechbundles.competition.intake.turn_lines import read_label_track, read_rttm
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import LARGEST_FILE, decode
from spokeneval.formats.problems import Problems, some_of
from spokeneval.formats.text import nfc

RTTM, TRACK = ".rttm", ".txt"
SUFFIXES = (EAF, TEXTGRID, RTTM, TRACK)
COLUMNS = ("recording", "start", "end", "label", "tier", "utterance", "annotator", "file", "line")
_CHOOSE = "choose with --tier"
_AUDIO = re.compile(r"\.(wav|flac|mp3|ogg|m4a)$", re.IGNORECASE)


def stem_of(recording: str) -> str:
    """Return the name of a recording's annotation, without a suffix."""
    return _AUDIO.sub("", nfc(recording))


def read_turns(
    paths: Mapping[Path, str],
    recordings: Sequence[str],
    tiers: Sequence[str],
    problems: Problems,
    tier_labels: bool,
) -> Frame:
    """Read the turns of annotators' files; a recording is named as its file, in RTTM as its lines say.

    In exports of Label Studio it is the sound, and `attrs` of the frame has the `people`, pairs of recording and
    annotator, also of those who marked nothing.

    Parameters
    ----------
    paths: the annotator of each file, `path -> name`.
    recordings: the ids of recordings, with or without the suffix of their sound; any name if empty.
    tiers: patterns such as `*Language*`; if there are none, a file may have one tier with annotations.
    tier_labels: whether the name of a tier is the label of its turns, as for speakers.
    """
    rows: list[tuple[Any, ...]] = []
    people: list[tuple[str, str]] = []
    for path, annotator in paths.items():
        with problems.continuing():
            if path.suffix.lower() in EXPORTS:
                annotations = list(read_regions(text_of(path, problems), path.name, False, problems))
                found = read_tiers(by_tier(annotations), path.name, tiers, _CHOOSE, problems)
                rows += [(pair[0], *turn, pair[1], path.name, line) for pair, *turn, line in found]
                people += [(each.recording, each.annotator) for each in annotations]
            else:
                rows += [(*turn, annotator, path.name, line) for *turn, line in _turns(path, tiers, problems)]
    turns = pd.DataFrame(rows, columns=COLUMNS)
    turns["recording"] = turns["recording"].map(nfc)
    wrong = turns[~(turns["start"] < turns["end"]) | (turns["start"] < 0)]
    refuse(problems, "bad_span", wrong, lambda row: f"a turn from {row.start:g} to {row.end:g} s")
    if recordings:
        known = {stem_of(recording): recording for recording in recordings}
        turns["recording"] = turns["recording"].map(lambda each: known.get(stem_of(each), ""))
        wrong = turns[turns["recording"] == ""].drop_duplicates("file")
        refuse(problems, "unknown", wrong, lambda row: f"no such recording; expected {some_of(list(known))}")
    turns = turns.assign(label=turns["tier"]) if tier_labels else turns
    turns.attrs["people"] = people
    return turns


def _turns(path: Path, tiers: Sequence[str], problems: Problems) -> Iterator[tuple[Any, ...]]:
    """Yield recording, start, end, label, tier, utterance and line of the turns on the chosen tiers of a file."""
    file, suffix, text = path.name, path.suffix.lower(), text_of(path, problems)
    if suffix in (EAF, TEXTGRID) or is_elan_text(text):
        yield from read_tiers(tiers_of(path, text, problems), file, tiers, _CHOOSE, problems)
        return
    read = read_rttm if suffix == RTTM else read_label_track
    for line, (recording, start, end, label) in read(text, file, problems, Counter()):
        yield recording, float(start), float(end), label, "", line, line


def text_of(path: Path, problems: Problems) -> str:
    try:
        return decode(read_file(path, LARGEST_FILE))[0]
    except UnreadableFile as error:
        problems.stop("unreadable", path.name, str(error))


def empty_annotation(recording: str, seconds: float, questions: Questions, suffix: str) -> bytes:
    """Return a file with an empty tier for each question, in which an annotator of a recording begins."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"empty{suffix}")
        if suffix.lower() == TEXTGRID:
            from praatio.data_classes.interval_tier import IntervalTier
            from praatio.textgrid import Textgrid

            grid = Textgrid(0, seconds)
            for question in questions:
                grid.addTier(IntervalTier(question, [], 0, seconds))
            grid.save(str(path), "long_textgrid", includeBlankSpaces=True)
        else:
            from pympi import Eaf

            eaf = Eaf(author="")
            eaf.adocument["DATE"] = "2000-01-01T00:00:00+00:00"  # the same bytes each time
            eaf.remove_tier("default")
            for question in questions:
                eaf.add_tier(question)
            eaf.add_linked_file(recording, mimetype="audio/x-wav")
            eaf.to_file(str(path))
        return path.read_bytes()
