"""Compares a public text with a hidden reference: does the text reveal labels, beside the items or by their order?

One rule applies to all formats. A text is a sequence of words. An item is found where the words of its id appear; its
record is the words on both sides, up to the neighbouring ids. Transcripts and other free texts are revealed if their
words are in the records. Classes are revealed if each class has a mark there: a word before or after the id, or a word
at a fixed distance. Any word can be a mark, so renamed classes are found. A finding requires that nine in ten labels
follow from the records, that half of the labels follow which the most frequent class would get wrong, and that these
are more items than expected by chance.

A column is *secret* unless it names items, the recordings or people they belong to, or their times, or appears in a
public item list. Columns whose names are those of labels are always secret.
Of a large table, a random sample of rows is searched for; of a large text, or for a sample, the lines with its items.

Not found: ids in another spelling; labels of fewer than about twenty items; labels that consist of signs (+ and -);
lists of labels apart from their ids, unless both lists have the same length and each label is one word; secret times.
"""

import html
import posixpath
import random
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from math import log

from speechbundles.model.errors import UnreadableFile
from speechbundles.model.finding import Report
from speechbundles.model.tabular import WORKBOOK, decode, parse_source
from speechbundles.model.text import grouped
from spokeneval.challenges import find_task, task_names

LABELS = re.compile(
    r"language|meaning|labels?|language_tag|gold|target|truth|answer|class|y|reference|"
    r"(is_)?correct(ness)?|transcript(_arpabet)?|human(_?score|\d+)|score|rating"
)
NAMES = re.compile(
    r"(.*_)?(id|item|name|file|filename|wavfile|path|audio|recording|region|session|speaker|user)"
)
ITEMS_ONLY = re.compile(rf"{NAMES.pattern}|(.*_)?(start|end|onset|offset|duration|length)(_time)?")
NO_CHANCE = -log(0.001)
"""The least `surprise` that is not treated as coincidence."""
MOST_CLASSES = 20
"""The most classes of a label; a column with more distinct values is a text or a measurement."""

_MOST_LETTERS = 10_000_000  # of a text that is searched as a whole
_MOST_CELLS = 1_000_000  # of a table that is read as a whole; the largest of the five challenges has 400,000
_SAMPLED_CELLS = 100_000
_PIECE = re.compile(r"[^\n]{1,2000}(?:[\s,;]|$)|[^\n]{1,2000}")  # a line, or a part of a long one
_MOST_RECORDS = 500  # that are compared in a text, at regular intervals
_MOST_PLACES = 100_000  # of items that are found in a text
_LONGEST_NAME = 20  # words of an id that can be found
_NEAR = 6  # the farthest mark: in words from an id, or in lists from the list of ids
_WORD = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?(?!\w)|[^\W_]+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
_NO_TABLE = (".json", ".jsonl", ".xml", ".yaml", ".yml")
_AUDIO = (".wav", ".flac", ".mp3", ".ogg", ".sph", ".m4a")

Mark = tuple[object, str]
"""The place of a word beside an item, as a side or a distance, and the word."""


@dataclass
class Record:
    """The words beside an item, as a set of marks and as text."""

    marks: set[Mark] = field(default_factory=set)
    text: str = ""


@dataclass(frozen=True)
class Key:
    """Columns that name items, and the row of each name: a head (such as a recording; can be empty) and a tail."""

    columns: tuple[str, ...]
    ids: Mapping[tuple[str, str], int]

    @cached_property
    def heads(self) -> set[str]:
        return {head for head, _ in self.ids if head}

    @cached_property
    def sizes(self) -> Mapping[str, Sequence[int]]:
        """The numbers of words of heads and tails, largest first, by their first word."""
        names = (name for name in set(chain(*self.ids)) if name.count(" ") < _LONGEST_NAME)
        sizes = grouped((name.partition(" ")[0], name.count(" ") + 1) for name in names)
        return {first: sorted({*found}, reverse=True) for first, found in sizes.items()}


@dataclass(frozen=True)
class LabelTable:
    """Rows of a file: columns by lower-case names, and the line numbers of the rows.

    Attributes
    ----------
    columns: the words of each cell.
    cells: the same columns as they are in the file.
    declared: whether the bundle declares that its labels are hidden.
    id: the columns that name an item; empty if they are not known.
    scored: the columns with labels; None if they are not known, so that all columns may have labels.
    known: columns that participants may know, or know by the ids.
    sampled: whether the rows are a sample.
    """

    where: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    declared: bool = True
    id: tuple[str, ...] = ()
    scored: Collection[str] | None = None
    known: Collection[str] = ()
    sampled: bool = False

    def code(self, code: str, column: str) -> str:
        """Return the code of a finding about a column, which is doubtful if it may have no hidden labels."""
        certain = self.declared and (self.scored is None or column in self.scored)
        return code if certain else f"{code}-doubtful"

    def rows(self, columns: Collection[str]) -> list[tuple[str, ...]]:
        return list(zip(*(self.columns[name] for name in columns), strict=True))

    def secret_columns(self, carried: Collection[str]) -> list[str]:
        """Return the columns that are secret if item lists have the columns `carried`; those with labels are first."""
        unseen = (name for name in self.columns if LABELS.fullmatch(name) or name not in carried)
        secret = [name for name in unseen if not ITEMS_ONLY.fullmatch(name) and name not in self.known]
        return sorted(secret, key=lambda name: self.code("", name))

    @cached_property
    def keys(self) -> list[Key]:
        """Columns, or pairs of columns, whose values identify the rows; the first of a pair names a larger unit.

        Pairs of a task's ids come first; its single ids are used if no column identifies rows.
        """
        if len(self.id) == 2 and {*self.id} <= self.columns.keys():
            return [self._by_id()]
        singles = self._unique([(name,) for name in self.columns if not LABELS.fullmatch(name)])
        unique = [name for key in singles for name in key.columns]
        shared = [name for name in self.columns if ITEMS_ONLY.fullmatch(name) and name not in unique]
        wholes = [name for name in shared if NAMES.fullmatch(name)]
        fewest = min(wholes, key=lambda name: len(set(self.columns[name])), default=None)
        keys = singles + self._unique([(fewest, name) for name in shared if fewest not in (None, name)])
        return keys or ([self._by_id()] if self.id and {*self.id} <= self.columns.keys() else [])

    def _by_id(self) -> Key:
        ids: dict[tuple[str, str], int] = {}  # with folders: many speakers have a file 00001.wav
        names = ([_cell_words(cell, folders=True) for cell in self.cells[column]] for column in self.id)
        for row, (*head, tail) in enumerate(zip(*names, strict=True)):
            ids.setdefault((" ".join(head), tail), row)
        return Key(self.id, ids)

    def _unique(self, candidates: Iterable[tuple[str, ...]]) -> list[Key]:
        keys = {}
        for columns in candidates:
            ids = {(" ".join(head), tail): row for row, (*head, tail) in enumerate(self.rows(columns))}
            if len(ids) == len(self.lines):
                keys[tuple(ids)] = Key(columns, ids)
        return list(keys.values())


def in_words(text: str) -> list[str]:
    """Return runs of letters and digits, case-folded; decimal numbers are in thousandths, so that 0.5 s is 500 ms."""
    return [_number(word) if word[0] in "-0123456789" else word for word in _WORD.findall(text.casefold())]


def _number(word: str) -> str:
    whole, _, fraction = word.partition(".")
    return f"{float(word) * 1000:.12g}" if fraction.strip("0") else whole.lstrip("0") or "0"


def read_words(name: str, data: bytes, tables: Sequence[LabelTable] = ()) -> list[str]:
    """Return the words of a text or workbook; of a large text, or for a sample, those of the lines with items.

    Raises
    ------
    UnreadableFile: neither a text nor a workbook, or too large.
    """
    if name.lower().endswith(WORKBOOK):
        rows = chain(*(grid.rows for grid in parse_source(data, name).grids))
        text = "\n".join("\t".join(cells) for _, cells in rows)
    else:
        text, _ = decode(data, garbled=True)
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    if len(text) <= _MOST_LETTERS and not any(table.sampled for table in tables):
        return in_words(html.unescape(text))
    keys = [key for table in tables for key in table.keys]
    pieces = (in_words(html.unescape(piece[0])) for piece in _PIECE.finditer(text))
    kept = (words for words in pieces if any(_find(words, key)[1] for key in keys))
    return list(map(sys.intern, chain.from_iterable(kept)))


def read_table(name: str, data: bytes, *, sample: bool = False) -> LabelTable | None:
    """Return the rows with as many cells as the first row, or None if there are none; `sample`: of a large table some.

    Raises
    ------
    UnreadableFile: not a table, or too large.
    """
    if name.lower().endswith(_NO_TABLE):
        raise UnreadableFile("not a table of rows")
    cells = sum(map(data.count, (b"\n", b"\t", b",", b";")))
    too_large = cells > _MOST_CELLS and not name.lower().endswith(WORKBOOK)  # whose bytes are no cells
    if too_large and not sample:
        raise UnreadableFile(f"a table of more than {_MOST_CELLS} cells")
    if too_large:
        titles, *lines = decode(data, garbled=True)[0].strip().split("\n")
        number = min(len(lines), max(_MOST_RECORDS, len(lines) * _SAMPLED_CELLS // cells))
        chosen = sorted(random.Random(0).sample(range(len(lines)), number))
        data = "\n".join([titles, *(lines[place] for place in chosen)]).encode()
    grids = [grid.rows for grid in parse_source(data, name, garbled=True).grids if grid.rows]
    first, *rows = max(grids, key=lambda rows: len(rows[0][1]), default=[(0, [])])
    header = [cell.strip().lower() for cell in first[1]]
    if len(set(header)) < len(header) or any(re.fullmatch(r"[\d.]+", cell) for cell in header):
        rows = [first, *rows]
        editions = chain(*(find_task(task).format.headerless.items() for task in task_names()))
        known = dict(editions).get(len(header)) if header[-1] in ("correct", "incorrect") else None
        header = [name.lower() for name in known or map("column {}".format, range(1, len(header) + 1))]
    rows = [row for row in rows if len(row[1]) == len(header)]
    words = {cell: _cell_words(cell) for cell in set(chain(*(cells for _, cells in rows)))}
    if not rows:
        return None
    of_column = dict(zip(header, zip(*(cells for _, cells in rows), strict=True), strict=True))
    columns = {title: [words[cell] for cell in column] for title, column in of_column.items()}
    return LabelTable(name, columns, [line for line, _ in rows], of_column, sampled=too_large)


def tables_of(files: Mapping[str, bytes]) -> Iterator[LabelTable]:
    """Yield the files that are tables."""
    for name, data in files.items():
        with suppress(UnreadableFile):
            if table := read_table(name, data):
                yield table


def _cell_words(cell: str, *, folders: bool = False) -> str:
    stem, suffix = posixpath.splitext(cell.strip())
    name = stem if folders else posixpath.basename(stem)
    return " ".join(in_words(name if suffix.lower() in _AUDIO else cell))


def match_text(
    report: Report,
    where: str,
    words: Sequence[str],
    table: LabelTable,
    carried: Collection[str],
    predicted: bool,
) -> None:
    """Report a secret column that a text reveals, or else a column by which the items in the text are sorted.

    Parameters
    ----------
    table: the rows of a hidden reference.
    carried: columns of public item lists.
    predicted: whether the text contains predicted labels, which can be good but not perfect.
    """
    orders: list[tuple[str, list[str]]] = []
    for key in table.keys:
        text, places = _find(words, key)
        rows = list(dict.fromkeys(row for _, row in places))
        if len(rows) < 2 or (predicted and 2 * len(rows) < len(table.lines)):
            continue
        records = _records(text, places, rows[:: 1 + len(rows) // _MOST_RECORDS])
        for name in table.secret_columns(carried):
            if name in key.columns:
                continue
            if _are_given(table, name, records, predicted):
                what = f"{name!r} of {table.where} beside {len(rows)} items{' of a sample' * table.sampled}"
                report.add(table.code("leak-column", name), where, what)
                return
            orders.append((name, [table.columns[name][row] for row in rows]))
    for name, labels in () if predicted else orders:
        if blocks := _blocks(table, name, labels):
            what = f"{len(labels)} items in {blocks} blocks by {name!r} of {table.where}"
            report.add("leak-order", where, what)
            return


def columns_in_ids(table: LabelTable, carried: Collection[str]) -> dict[str, str]:
    """Return the secret columns that the ids themselves show, each with an id: all participants have the ids."""
    found: dict[str, str] = {}
    for key in table.keys[:1]:
        rows = range(0, len(table.lines), 1 + len(table.lines) // _MOST_RECORDS)
        ids = [" ".join(table.cells[name][row] for name in key.columns) for row in rows]
        words = dict(zip(rows, map(in_words, ids), strict=True))
        records = {
            row: Record({("id", word) for word in each}, f" {' '.join(each)} ") for row, each in words.items()
        }
        for name in set(table.secret_columns(carried)).difference(key.columns):
            if _are_given(table, name, records, predicted=False):
                found[name] = ids[0]
    return found


def _find(words: Sequence[str], key: Key) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the words, each name as one word, and the places of tails that follow their head, with their rows."""
    text: list[str] = []
    places: list[tuple[int, int]] = []
    if key.sizes.keys().isdisjoint(words):
        return text, places
    heads, head, at = key.heads, "", 0
    while at < len(words):
        names = (" ".join(words[at : at + size]) for size in key.sizes.get(words[at], ()))
        name = next((name for name in names if (head, name) in key.ids or name in heads), words[at])
        if (head, name) in key.ids:
            places.append((len(text), key.ids[head, name]))
        elif name in heads:
            head = name
        text.append(name)
        at += name.count(" ") + 1
    return text, places[:_MOST_PLACES]


def _records(
    text: Sequence[str], places: Sequence[tuple[int, int]], rows: Collection[int]
) -> dict[int, Record]:
    """Return the words beside the items of some rows, at all places where the items are named.

    If the ids are at equal distances, as in a list, a list of labels can be as far away as the list is long.
    """
    records = {row: Record() for row in rows}
    starts = [start for start, _ in places]
    steps = set(map(int.__sub__, starts[1:], starts))
    length = steps.pop() * len(starts) if len(steps) == 1 else len(text)
    lists = (number * (length + name) for number in range(1, _NEAR + 1) for name in (0, 1))
    distances = {*range(-_NEAR, _NEAR + 1), *lists}
    for last, (start, row), following in zip([-1, *starts], places, [*starts[1:], len(text)], strict=False):
        if row in records:
            before, after, marks = text[last + 1 : start], text[start + 1 : following], records[row].marks
            marks.update(("before", word) for word in before)
            marks.update(("after", word) for word in after)
            marks.update((("last", place), word) for place, word in enumerate(after[: -_NEAR - 1 : -1]))
            spots = (distance for distance in distances if 0 <= start + distance < len(text))
            marks.update((distance, text[start + distance]) for distance in spots)
            # A word of a label can be an id: `0` of `S0_0` is a start, too.
            records[row].text += " ".join(["", *before, "|", *after, *text[following : following + 1], "|"])
    return records


def _are_given(table: LabelTable, name: str, records: Mapping[int, Record], predicted: bool) -> bool:
    """Return whether labels follow from the records of their rows: texts that appear there, or classes by marks.

    The words of columns that determine the labels are no marks.
    """
    labels = [table.columns[name][row] for row in records]
    sizes, total = Counter(labels), len(labels)
    chance, tries = max(sizes.values()), 0.0
    if len(sizes) > MOST_CLASSES:
        hits, others = (
            sum(f" {label} " in record.text for label, record in zip(order, records.values(), strict=True))
            for order in (labels, random.Random(0).sample(labels, total))
        )
        chance = max(chance, others)
    else:
        known = set(" ".join(chain(*_groupings(table, name))).split())
        marks = [{mark for mark in record.marks if mark[1] not in known} for record in records.values()]
        hits, tries = _follow_from_marks(labels, marks)
    enough = hits == total if predicted else 10 * hits >= 9 * total and 2 * hits >= total + chance
    return enough and surprise(hits, total, chance / total) >= NO_CHANCE + tries


def _follow_from_marks(labels: Sequence[str], records: Sequence[set[Mark]]) -> tuple[int, float]:
    """Return how many labels follow from the best mark of each class but one, and the logarithm of the marks tried."""
    often = Counter(chain(*records))
    tried: set[Mark] = set()
    best = []
    for label, size in Counter(labels).items():
        own = Counter(chain(*compress(records, map(label.__eq__, labels))))
        marks = [(2 * n - often[mark], repr(mark), mark) for mark, n in own.items() if 2 * n > size]
        tried.update(mark for *_, mark in marks)
        best.append((*max(marks, default=(-1, "", ("", ""))), label))
    *marked, (*_, rest) = sorted(best, reverse=True)
    guesses = (next((label for *_, mark, label in marked if mark in record), rest) for record in records)
    return sum(map(str.__eq__, guesses, labels)), len(marked) * log(len(tried) or 1)


def surprise(k: int, total: int, p: float) -> float:
    """Return how rare k or more of `total` cases of probability p are: minus the logarithm of Chernoff's bound."""
    share = k / total if total else 0.0
    if share <= p:
        return 0.0
    return total * (share * log(share / p) + ((1 - share) * log((1 - share) / (1 - p)) if k < total else 0))


def _blocks(table: LabelTable, name: str, labels: Sequence[str]) -> int:
    """Return the number of blocks into which a label sorts the items; 0 if chance or another column explains them."""
    counts = Counter(labels)
    expected = 1 + len(labels) - sum(count * count for count in counts.values()) / len(labels)
    blocks = 1 + sum(map(str.__ne__, labels, labels[1:]))
    if len(counts) > MOST_CLASSES // 2 or expected < 8 or _groupings(table, name):
        return 0
    return blocks if blocks <= min(0.3 * expected, max(len(counts), 0.1 * expected)) else 0


def _groupings(table: LabelTable, name: str) -> list[Sequence[str]]:
    """Return the columns that determine a column, as a session determines its severity; their words are not marks."""
    labels = table.columns[name]
    return [
        groups
        for other, groups in table.columns.items()
        if other != name
        and not LABELS.fullmatch(other)
        and len(set(labels)) <= len(set(groups)) <= len(labels) / 2
        and len(set(zip(groups, labels, strict=True))) == len(set(groups))
    ]
