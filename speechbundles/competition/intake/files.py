"""File formats of the field from which a reference's table can be made. A further format is one line in `FORMATS`.

A format is offered for every table whose required columns it gives, whatever the task: `targets` finds them by name.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

from speechbundles.competition.intake.complete import SEGMENT, has_segments
from speechbundles.competition.intake.declared import NOTHING_DECLARED, Declared
from speechbundles.competition.intake.label_studio import EXPORTS, has_regions
from speechbundles.competition.intake.table import Notation, OwnTable, Provenance
from speechbundles.competition.intake.tier_files import (
    EAF,
    TEXTGRID,
    is_elan_text,
    read_tiers,
    refuse_words,
    tiers_of,
)
from speechbundles.competition.intake.times import TIMES, converted, plain
from speechbundles.competition.intake.turn_lines import is_label_track, read_label_track, read_rttm, read_uem
from spokeneval.formats import meetings
from spokeneval.formats.nist import left_out_lines
from spokeneval.formats.problems import Problems, ReferenceFileError, count_of, name
from spokeneval.formats.speakers import SPEAKER
from spokeneval.formats.tables import Layout
from spokeneval.formats.transcript_files import (
    UTT2SPK,
    Row,
    read_ctm,
    read_kaldi_text,
    read_objects,
    read_stm,
    read_trn,
    read_utt2spk,
)

RECORDING, LABEL, ITEM, TRANSCRIPT = "recording", "label", "item", "transcript"
TURN = (RECORDING, *TIMES, LABEL)
REGION = (RECORDING, *TIMES)
UTTERANCE = (ITEM, TRANSCRIPT, SPEAKER)
SEGMENT_OF_MEETING = (RECORDING, meetings.START, meetings.END, SPEAKER, meetings.WORDS)

_COLUMNS = {
    RECORDING: ("recording", "audio_name"),
    LABEL: ("label", "language_tag"),
    TRANSCRIPT: ("transcript",),
    **{column: (column,) for column in SEGMENT_OF_MEETING[1:]},
}
"""The columns of layouts that a format can give, besides times and the id. Without a column of recordings, these are
the items."""


PlacedRow = tuple[tuple[str, int], list[str]]
"""A row with its file and line."""


class FileFormat(NamedTuple):
    """A file format.

    Attributes
    ----------
    called: its name for organisers.
    names: a pattern of the names of its files, in small letters.
    gives: what each of its rows has: `RECORDING`, `ITEM`, `LABEL`, `TRANSCRIPT`, `SPEAKER`, and times in seconds.
    read: takes the text, the name of the file, the problems, and the number of lines of each type that are left out;
        yields the line and the cells of each row.
    fits: whether a text is in this format, for a pattern that others have too.
    speakers: the name of a file beside it with the speakers of its items.
    """

    called: str
    names: str
    gives: tuple[str, ...]
    read: Callable[..., Iterator[Row]]
    fits: Callable[[str], bool] = lambda text: True
    speakers: str = ""


def read_segments(text: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the segments of meetings."""
    return meetings.segment_lines(text, file, problems)


_TEXT_KEYS = ("text", TRANSCRIPT)


def _has_texts(text: str) -> bool:
    """Whether a file of JSON has transcripts, and not notes about the data."""
    return any(f'"{key}"' in text for key in _TEXT_KEYS)


_TIERS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    *(("ELAN", f"*{EAF}", bool), ("TextGrid", f"*{TEXTGRID}", bool), ("ELAN text", "*.txt", is_elan_text)),
    *(("Label Studio", f"*{suffix}", has_regions) for suffix in EXPORTS),
)
FORMATS = (
    FileFormat("RTTM", "*.rttm", TURN, read_rttm),
    FileFormat("UEM", "*.uem", REGION, read_uem),
    FileFormat("Audacity label", "*.txt", TURN, read_label_track, is_label_track),
    FileFormat("Audacity label", "*.txt", UTTERANCE, read_label_track, is_label_track),
    *(
        FileFormat(called, names, gives, read_tiers, fits)
        for called, names, fits in _TIERS
        for gives in (TURN, SEGMENT_OF_MEETING, UTTERANCE)
    ),
    FileFormat("STM", "*.stm", UTTERANCE, read_stm),
    FileFormat("trn", "*.trn", UTTERANCE, read_trn),
    FileFormat("CTM", "*.ctm", UTTERANCE, read_ctm),
    *(
        FileFormat(called, f"*{suffix}", SEGMENT_OF_MEETING, read_segments)
        for called, suffix in (("SegLST", ".json"), ("STM", ".stm"), ("CTM", ".ctm"), ("RTTM", ".rttm"))
    ),
    FileFormat("Kaldi text", "text", UTTERANCE, read_kaldi_text, speakers=UTT2SPK),
    FileFormat("JSON", "*.json*", UTTERANCE, partial(read_objects, ("id",), _TEXT_KEYS), _has_texts),
)


def formats_of(layout: Layout) -> list[FileFormat]:
    """Return the formats that give all required columns of a layout."""
    return [form for form in FORMATS if _targets(form, layout)]


def _targets(form: FileFormat, layout: Layout) -> dict[str, int]:
    """Return the columns of a layout that a format gives, `column -> place in its rows`; none if one has no place.

    Names of segments need not be given; see `complete.name_segments`. Speakers need not have a place.
    """
    known = (*layout.required, *layout.optional)
    names = {**_COLUMNS, ITEM: (layout.id,), **{time: (time,) for time in TIMES}}
    if not set(known).intersection(names[RECORDING]):
        names[RECORDING] = (layout.id,)
    targets = {
        column: place for place, given in enumerate(form.gives) for column in names[given] if column in known
    }
    named = layout.id == SEGMENT or (has_segments(layout) and RECORDING in form.gives)
    missing = set(layout.required) - {*targets, *([layout.id] if named else [])}
    return {} if missing or len({*targets, SPEAKER}) < len({*form.gives, SPEAKER}) else targets


def make_table(
    texts: Mapping[Path, str],
    form: FileFormat,
    layout: Layout,
    notation: Notation,
    speakers: str | None = None,
    declared: Declared = NOTHING_DECLARED,
) -> OwnTable:
    """Return the table of a layout made from files in another format. Turns are sorted by recording and time.

    Parameters
    ----------
    speakers: the text of `form.speakers`, if there is such a file.
    declared: which tiers are read.

    Raises
    ------
    ReferenceFileError: lines that are not rows of the format, or a turn that is in two lines.
    """
    problems = Problems(ReferenceFileError)
    left_out: Counter[str] = Counter()
    rows = _read(texts, form, declared, problems, left_out)
    said = "" if speakers is None else _add_speakers(rows, speakers, problems)
    problems.raise_if_any()
    targets = _targets(form, layout)
    columns = tuple(
        column
        for column in (*layout.required, *layout.optional)
        if column in targets and (column != SPEAKER or any(cells[targets[SPEAKER]] for _, cells in rows))
    )
    if RECORDING in form.gives:
        rows.sort(key=lambda row: (row[1][0], *map(float, row[1][1:3]), row[1][3:]))

    def cell(column: str, cells: Sequence[str]) -> str:
        text = cells[targets[column]]
        if column in TIMES:
            return converted(text, Fraction(notation.per_second))
        return f"{text}.wav" if column == "audio_name" else text

    converts = notation.per_second == 1000 and TIMES[0] in targets
    unit = ", seconds converted to milliseconds" if converts else ""
    without = f"; left out: {left_out_lines(left_out)}" if left_out else ""
    return OwnTable(
        layout.file,
        layout.delimiter,
        columns,
        1,
        {number: [cell(column, cells) for column in columns] for number, (_, cells) in enumerate(rows, 2)},
        f"{count_of(len(rows), 'row')}; read from {count_of(len(texts), f'{form.called} file')}{unit}{without}{said}",
        Provenance(
            next(iter(texts)).name, places={number: place for number, (place, _) in enumerate(rows, 2)}
        ),
    )


def _read(
    texts: Mapping[Path, str],
    form: FileFormat,
    declared: Declared,
    problems: Problems,
    left_out: Counter[str],
) -> list[PlacedRow]:
    rows: list[PlacedRow] = []
    for path, text in texts.items():
        with problems.continuing():
            if form.read is read_tiers:
                found = _on_tiers(path, text, form.gives, declared, problems)
            else:
                found = form.read(text, path.name, problems, left_out)
            rows += [((path.name, line), cells) for line, cells in found]
    if LABEL in form.gives:
        _check_repeated(rows, problems)
        if form.read is not read_rttm:
            labels = ((cells[0], cells[3]) for _, cells in rows)
            refuse_words(labels, next(iter(texts)).name, f"{declared.place}.tier_labels: true", problems)
    joins = form.gives == UTTERANCE and form.read in (read_tiers, read_label_track)
    return _joined(rows) if joins else rows


def _on_tiers(
    path: Path, text: str, gives: tuple[str, ...], declared: Declared, problems: Problems
) -> Iterator[Row]:
    """Yield recording, start, end and label of the turns on tiers; of meetings also the tier, which is the speaker."""
    choose = f"choose with {declared.place}.tiers, such as tiers: [NAME, NAME]"
    tiers = tiers_of(path, text, problems, words=LABEL not in gives)
    for recording, start, end, label, tier, _, line in read_tiers(
        tiers, path.name, declared.tiers, choose, problems
    ):
        span = [recording, *(plain(Decimal(repr(time))) for time in (start, end))]
        label = tier if LABEL in gives and declared.tier_labels else label
        yield line, [*span, *([tier] if gives == SEGMENT_OF_MEETING else []), label]


def _joined(rows: Sequence[PlacedRow]) -> list[PlacedRow]:
    """Return the transcript of each recording from rows of turns: their labels in the order of their starts."""
    words: dict[str, tuple[tuple[str, int], list[str]]] = {}
    for place, (recording, _, _, label) in sorted(rows, key=lambda row: float(row[1][1])):
        words.setdefault(recording, (place, []))[1].append(label)
    return [(place, [recording, " ".join(texts), ""]) for recording, (place, texts) in words.items()]


def _add_speakers(rows: Sequence[PlacedRow], text: str, problems: Problems) -> str:
    """Write the speakers of Kaldi's `utt2spk` into rows of `UTTERANCE`; return how, in words."""
    speakers = read_utt2spk(text, problems)
    for (file, line), cells in rows:
        cells[2] = speakers.get(cells[0], "")
        if not cells[2]:
            problems.add("no_speaker", file, f"utterance {name(cells[0])} is not in {UTT2SPK}", line=line)
    others = len(speakers.keys() - {cells[0] for _, cells in rows})
    without = f", without {count_of(others, 'other utterance')}" if others else ""
    return f"; speakers read from {UTT2SPK}{without}"


def _check_repeated(rows: Sequence[PlacedRow], problems: Problems) -> None:
    first: dict[tuple[str, ...], tuple[str, int]] = {}
    for (file, line), cells in rows:
        other, earlier = first.setdefault(tuple(cells), (file, line))
        if (other, earlier) != (file, line):
            where = f"{other} line {earlier}"
            message = f"this turn of {name(cells[0])} is already in {where}; is one file a copy?"
            problems.add("repeated_turn", file, message, line=line)
