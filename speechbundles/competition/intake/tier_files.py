"""Annotations on tiers: ELAN's .eaf and tab-delimited text, Praat's TextGrids, and regions of Label Studio.

pympi-ling reads .eaf, praatio reads TextGrids; what they accept although it cannot be meant, such as a file that is cut
off, is refused here, with its line. ELAN's text has a line for each annotation: the tier and the participant, if they
were chosen; begin, end and duration, each in one or more forms, `hh:mm:ss.ms` first; the annotation, in a column for
all tiers or in one for each; and the name of the file, if several were exported. The header may be missing; its words
are in the language of the program.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path, PureWindowsPath
from typing import Any, TypeAlias

from speechbundles.competition.intake.label_studio import EXPORTS, Annotation, read_regions
from speechbundles.competition.intake.times import CLOCK, exact
from speechbundles.model.text import PROGRAM
from spokeneval.formats.problems import Problems, name, quote, some_of
from spokeneval.formats.text import decimal

EAF, TEXTGRID = ".eaf", ".textgrid"
SAME = 0.0005
"""Times that are closer, in seconds, are the same."""
MOST_LABELS = 20
"""With more different labels in a recording, or more of several words in a set, they are words."""

Tiers: TypeAlias = dict[tuple[Any, str], tuple[list[Any], list[float]]]
"""For each recording and tier: start, end, label and line of its turns, and the starts of those on the tier above."""
_Found: TypeAlias = Iterator[tuple[tuple[str, str], tuple[list[Any], list[float]]]]


def tiers_of(path: Path, text: str, problems: Problems, words: bool = False) -> Tiers:
    """Return the tiers with annotations of a file. A recording with several annotations of Label Studio is a problem.

    Parameters
    ----------
    words: as for `read_regions`.
    """
    if path.suffix.lower() not in EXPORTS:
        read = {EAF: _eaf, TEXTGRID: _text_grid}.get(path.suffix.lower(), _elan_text)
        return dict(read(path, text, problems))
    annotations, first = list(read_regions(text, path.name, words, problems)), dict[str, int]()
    for number, recording, *_ in annotations:
        if (earlier := first.setdefault(recording, number)) != number:
            message = f"{name(recording)} also has annotation {earlier}; merge them: {PROGRAM} merge FILE --rule RULE"
            problems.add("several_annotations", path.name, message, line=number)
    return {(recording, tier): turns for ((recording, _), tier), turns in by_tier(annotations).items()}


def by_tier(annotations: Iterable[Annotation]) -> Tiers:
    """Return the turns on each tier of Label Studio's annotations; a recording is a pair with the annotator."""
    found: Tiers = {}
    for number, *pair, regions in annotations:
        for tier, start, end, label in regions:
            found.setdefault((tuple(pair), tier), ([], []))[0].append((start, end, label, number))
    return found


def read_tiers(
    found: Tiers, file: str, tiers: Sequence[str], choose: str, problems: Problems
) -> Iterator[tuple[Any, ...]]:
    """Yield recording, start and end in seconds, label, tier, utterance and line of the turns on the chosen tiers.

    Parameters
    ----------
    tiers: patterns such as `*Language*`; if there are none, a file may have one tier with annotations.
    choose: how tiers are chosen, for a refusal.
    """
    there = list(dict.fromkeys(tier for _, tier in found))
    chosen = [tier for tier in there if not tier or any(fnmatchcase(tier, each) for each in (tiers or "*"))]
    if (len(chosen) > 1 and not tiers) or (found and not chosen):
        wanted = some_of(tiers) or f"one tier; {choose}"
        problems.stop("wrong_tiers", file, f"annotations on {some_of(there, 8)}; expected {wanted}")
    for (recording, tier), (turns, parents) in found.items():
        number, last = 0, -1.0
        for begin, end, label, line in sorted(turns) if tier in chosen else ():
            number = bisect_right(parents, begin) if parents else number + (begin > last + SAME)
            last = end
            yield recording, begin, end, label, tier, number, line


def refuse_words(labels: Iterable[tuple[str, str]], file: str, by_tiers: str, problems: Problems) -> None:
    """Add a problem if the labels of a recording are words; `labels` are pairs of recording and label.

    Parameters
    ----------
    by_tiers: how the names of tiers become the labels.
    """
    different: dict[str, dict[str, None]] = {}
    for recording, label in labels:
        different.setdefault(name(recording), {})[label] = None
        if " " in label:
            different.setdefault("the set", {})[label] = None
    for where, those in different.items():
        if len(those) > MOST_LABELS:
            found = f"{where} has {len(those)} different labels, such as {quote(next(iter(those)), 40)}"
            message = (
                f"{found}: these are words, which the kinds meetings and transcripts take; {by_tiers} takes "
            )
            message += "the names of the tiers, such as speakers, as labels"
            problems.add("words", file, message)
            return


def is_elan_text(text: str) -> bool:
    """Whether one of the first two lines has a begin and an end as ELAN writes them."""
    return any(len(_clocks(cells)) > 1 for _, cells in _lines(text)[:2])


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """Return the cells of the lines that are neither blank nor the address of a file."""
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return [(number, line.split("\t")) for number, line in lines if line.lstrip('"')[:1] != "#"]


def _clocks(cells: Sequence[str]) -> list[int]:
    return [place for place, cell in enumerate(cells) if CLOCK.fullmatch(cell.strip())][:3]


def _elan_text(path: Path, text: str, problems: Problems) -> _Found:
    """Yield the tiers of an exported text; a line without a begin and an end adds a problem."""
    found: dict[tuple[str, str], list[Any]] = {}
    rows = _lines(text)
    titles = [] if len(_clocks(rows[0][1])) > 1 else rows.pop(0)[1]
    for number, line in rows:
        cells, recording, clocks = list(map(str.strip, line)), path.stem, _clocks(line)
        times = [float(exact(cells[place]) or 0) for place in clocks[:2]]
        if len(times) < 2 or times[0] >= times[1]:
            message = "expected a begin and a later end as hh:mm:ss.ms, separated by tabs"
            problems.add("bad_span", path.name, message, line=number)
            continue
        while cells[-1].lower().endswith(EAF):
            recording = PureWindowsPath(cells.pop()).stem
        after = clocks[0] + len(clocks) * (clocks[1] - clocks[0])
        for value, title in zip_longest(cells[after:], titles[after : len(cells)], fillvalue=""):
            tier = cells[0] if clocks[0] else title.strip()
            if value:
                found.setdefault((recording, tier), []).append((*times, value, number))
    yield from ((key, (turns, [])) for key, turns in found.items())


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


def _eaf(path: Path, text: str, problems: Problems) -> _Found:
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
    ids = [re.findall(r'ANNOTATION_ID="(.*?)"', line) for line in text.split("\n")]
    lines = {annotation: line for line, found in enumerate(ids, 1) for annotation in found}
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
            yield (path.stem, tier), (turns, sorted(spans[each][0] for each in above if each in spans))


_VALUE = re.compile(r'[^"=]*(?:= *)?(?:-?[0-9.]+(?:e-?[0-9]+)?|"|<exists>|\w+ *\[[0-9]*\]:)?\s*')
"""A line of a TextGrid with at most one value; a quoted text is a quotation mark."""
_SIZES = re.compile(
    r'(?:intervals|points) *: *size *= *(\d+)|^"\w+Tier"\s+"(?:[^"]|"")*"\s+\S+\s+\S+\s+(\d+)', re.M
)


def _text_grid(path: Path, text: str, problems: Problems) -> _Found:
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
            yield (path.stem, tier["name"]), (turns, [])
