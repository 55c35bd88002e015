"""Turns in ELAN's .eaf, Praat's TextGrid, RTTM and Audacity's label tracks, and empty files for annotators.

Turns are a frame: `recording`, `start` and `end` in seconds, `label`, `tier`, `utterance` (a number that the parts of
one utterance share), `annotator`, `file` and `line`. pympi-ling reads .eaf, praatio reads TextGrids; what they accept
although it cannot be meant, such as a file that is cut off, is refused here, with its line.
"""

import re
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pandas as pd

from speechbundles.annotation.sheets import Questions
from speechbundles.annotation.tables import Frame, refuse
from speechbundles.competition.intake.turn_lines import read_label_track, read_rttm
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import LARGEST_FILE, decode
from spokeneval.formats.problems import Problems, name, some_of
from spokeneval.formats.text import decimal

EAF, TEXTGRID, RTTM, TRACK = SUFFIXES = (".eaf", ".textgrid", ".rttm", ".txt")
COLUMNS = ("recording", "start", "end", "label", "tier", "utterance", "annotator", "file", "line")
SAME = 0.0005
"""Times that are closer, in seconds, are the same."""
_AUDIO = re.compile(r"\.(wav|flac|mp3|ogg|m4a)$", re.IGNORECASE)

Tier = list[Any]
"""Start, end, label and line of each turn."""


def stem_of(recording: str) -> str:
    """Return the name of a recording's annotation, without a suffix."""
    return _AUDIO.sub("", recording)


def read_turns(
    paths: Mapping[Path, str],
    recordings: Sequence[str],
    tiers: Sequence[str],
    problems: Problems,
    tier_labels: bool,
) -> Frame:
    """Read the turns of annotators' files; a recording is named as its file, in RTTM as its lines say.

    Parameters
    ----------
    paths: the annotator of each file, `path -> name`.
    recordings: the ids of recordings, with or without the suffix of their sound; any name if empty.
    tiers: patterns such as `*Language*`; if there are none, a file may have one tier with annotations.
    tier_labels: whether the name of a tier is the label of its turns, as for speakers.
    """
    rows: list[tuple[Any, ...]] = []
    for path, annotator in paths.items():
        with problems.continuing():
            rows += [(*turn, annotator, path.name, line) for *turn, line in _turns(path, tiers, problems)]
    turns = pd.DataFrame(rows, columns=COLUMNS)
    wrong = turns[~(turns["start"] < turns["end"]) | (turns["start"] < 0)]
    refuse(problems, "bad_span", wrong, lambda row: f"a turn from {row.start:g} to {row.end:g} s")
    if recordings:
        known = {stem_of(recording): recording for recording in recordings}
        turns["recording"] = turns["recording"].map(lambda each: known.get(stem_of(each), ""))
        wrong = turns[turns["recording"] == ""].drop_duplicates("file")
        refuse(problems, "unknown", wrong, lambda row: f"no such recording; expected {some_of(list(known))}")
    return turns.assign(label=turns["tier"]) if tier_labels else turns


def _turns(path: Path, tiers: Sequence[str], problems: Problems) -> Iterator[tuple[Any, ...]]:
    """Yield recording, start, end, label, tier, utterance and line of the turns on the chosen tiers of a file."""
    file, suffix = path.name, path.suffix.lower()
    try:
        text = decode(read_file(path, LARGEST_FILE))[0]
    except UnreadableFile as error:
        problems.stop("unreadable", file, str(error))
    if suffix in (RTTM, TRACK):
        read = read_rttm if suffix == RTTM else read_label_track
        for line, (recording, start, end, label) in read(text, file, problems, Counter()):
            yield recording, float(start), float(end), label, "", line, line
        return
    found = dict((_eaf if suffix == EAF else _text_grid)(path, text, problems))
    chosen = [tier for tier in found if any(fnmatchcase(tier, pattern) for pattern in tiers or "*")]
    if (len(chosen) > 1 and not tiers) or (found and not chosen):
        there, wanted = some_of(list(found), 8), some_of(tiers) or "one tier; choose with --tier"
        problems.stop("wrong_tiers", file, f"annotations on {there}; expected {wanted}")
    for tier in chosen:
        turns, parents = found[tier]
        number, last = 0, -1.0
        for begin, end, label, line in sorted(turns):
            number = bisect_right(parents, begin) if parents else number + (begin > last + SAME)
            last = end
            yield path.stem, begin, end, label, tier, number, line


def _numbered(marks: Iterator[re.Match[str]]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield matches of line ends and other marks with their lines."""
    line = 1
    for found in marks:
        yield line, found
        line += found[0] == "\n"


def _line_at(text: str, found: re.Match[str] | None) -> int:
    """Return the line of a match; the last line if there is none."""
    return text.count("\n", 0, found.start() if found else len(text.rstrip())) + 1


_BROKEN = re.compile(
    r"""TIME_VALUE="(?!\d+") | <TIME_SLOT\b(?![^>]*\sTIME_SLOT_ID=) | <TIER\b(?![^>]*\sTIER_ID=)
    | <(?:ALIGNABLE|REF)_ANNOTATION\b(?! (?=[^>]*\sANNOTATION_ID=) [^>]*\s(?:TIME_SLOT_REF1|ANNOTATION_REF)= [^>]*[^/]>)
    | <ALIGNABLE_ANNOTATION\b(?![^>]*\sTIME_SLOT_REF2=)""",
    re.VERBOSE,
)
"""Elements of an .eaf without what they must have."""


def _eaf(path: Path, text: str, problems: Problems) -> Iterator[tuple[str, tuple[Tier, list[float]]]]:
    """Yield the tiers with annotations: their turns, and the starts of the annotations on their parent."""
    from xml.etree.ElementTree import ParseError, fromstring

    from pympi import Eaf

    try:
        fromstring(text.encode())
        eaf = Eaf(str(path), suppress_version_warning=True)
    except Exception as error:  # pympi raises whatever its lines raise
        at = error.position[0] if isinstance(error, ParseError) else _line_at(text, _BROKEN.search(text))
        why = f"not as ELAN writes it ({error}); save it again in ELAN"
        problems.stop("not_eaf", path.name, why, line=at)
    spans, parent = {}, {}
    for aligned, linked, *_ in eaf.tiers.values():
        parent.update({annotation: row[0] for annotation, row in linked.items()})
        for annotation, (first, last, *_) in aligned.items():
            times = eaf.timeslots.get(first), eaf.timeslots.get(last)
            if None not in times:
                spans[annotation] = times[0] / 1000, times[1] / 1000
    marks = re.finditer(r'\n|ANNOTATION_ID="(.*?)"', text)
    lines = {found[1]: line for line, found in _numbered(marks) if found[1]}
    for tier, (aligned, linked, attributes, _) in eaf.tiers.items():
        turns, above = [], eaf.tiers.get(attributes.get("PARENT_REF"), [{}])[0]
        for annotation, row in (aligned | linked).items():
            root, value = annotation, row[2] if annotation in aligned else row[1]
            for _ in eaf.tiers:  # a parent may have a parent
                root = parent.get(root, root)
            if root not in spans:
                message = f"annotation {annotation} of {name(tier)} has no start or no end; align it in ELAN"
                problems.add("no_time", path.name, message, line=lines[annotation])
            elif value.strip():
                turns.append((*spans[root], value.strip(), lines[annotation]))
        if turns:
            yield tier, (turns, sorted(spans[each][0] for each in above if each in spans))


_VALUE = re.compile(r'[^"=]*(?:= *)?(?:-?[0-9.]+(?:e-?[0-9]+)?|"|<exists>|\w+ *\[[0-9]*\]:)?\s*')
"""A line of a TextGrid with at most one value; a quoted text is a quotation mark."""
_SIZES = re.compile(
    r'(?:intervals|points) *: *size *= *(\d+)|^"\w+Tier"\s+"(?:[^"]|"")*"\s+\S+\s+\S+\s+(\d+)', re.M
)


def _text_grid(path: Path, text: str, problems: Problems) -> Iterator[tuple[str, tuple[Tier, list[float]]]]:
    """Yield the interval tiers with annotations of a TextGrid, in the long or the short form."""
    from praatio.utilities.textgrid_io import parseTextgridStr

    plain = re.sub(r'"(?:[^"\n]|"")*"', '"', text).split("\n")
    try:
        if not text.lstrip().startswith("File type"):
            raise ValueError('it does not begin with "File type"')
        tiers = parseTextgridStr(text, includeEmptyIntervals=True)["tiers"]
    except Exception as error:  # praatio raises whatever its lines raise
        bad = next((number for number, line in enumerate(plain, 1) if not _VALUE.fullmatch(line)), len(plain))
        why = f"not a TextGrid ({error}); save it again in Praat"
        problems.stop("not_text_grid", path.name, why, line=bad)
    place, counted, line = 0, 0, 1
    for tier, sizes in zip(tiers, [*_SIZES.findall(text), *[("0", "0")] * len(tiers)], strict=False):
        turns, last, entries, size = [], 0.0, tier["entries"], int(sizes[0] or sizes[1])
        if len(entries) != size:
            message = f"tier {name(tier['name'])} has {len(entries)} of {size} annotations; is it cut off?"
            problems.stop("cut_off", path.name, message, line=_line_at(text, None))
        place = max(place, text.find(f'"{tier["name"]}"', place))
        for begin, end, label in entries if tier["class"] == "IntervalTier" else ():
            span = re.compile(rf"{re.escape(begin)}\s+(?:xmax ?= ?)?{re.escape(end)}\b").search(text, place)
            if span:
                line += text.count("\n", counted, span.start())
                counted, place = span.start(), span.end()
            start, stop = decimal(begin), decimal(end)
            if start is None or stop is None or not last - SAME <= start < stop:
                message = f"an annotation from {begin} to {end}; expected times in order, after {last:g} s"
                problems.add("bad_span", path.name, message, line=line)
            elif label.strip():
                turns.append((start, stop, label.strip(), line))
            last = stop or last
        if turns:
            yield tier["name"], (turns, [])


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
