"""Find items and units of a hidden set that are also in a public set, whose labels participants have.

Rows are matched in two ways:

- By name: the ids are the same, and so are most of the texts, in more rows than chance explains.
- By content, where no names match: rows with a content that occurs exactly twice in the two sets together. With few
  prompts and short answers, rows also repeat within a set, so more of these pairs must be split between the sets than
  chance explains.

In both cases the labels must agree: for each label column, the share of equal labels must be at least half-way between
chance and 1. Otherwise two sets that are both numbered from 1 and use the same prompts would be refused.

Units, such as speakers, are matched by their names, in any spelling. Their labels are known if as many of their hidden
items have the most frequent label that the unit has in the public set: a diagnosis, but not a transcript.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import inf

from speechbundles.bundle.check import (
    MOST_CLASSES,
    NAMES,
    NO_CHANCE,
    LabelTable,
    in_words,
    surprise,
    tables_of,
)
from speechbundles.competition.references import ReferenceSet
from speechbundles.model.text import grouped
from spokeneval.formats.problems import count_of, plural_of, quote, some_of
from spokeneval.formats.tables import fold_id

Pairs = list[tuple[int, int]]
"""Pairs of a row of the public set and a row of the hidden set."""


@dataclass(frozen=True)
class Overlap:
    """The items of a hidden set that are also in a public set, or whose units are.

    Attributes
    ----------
    rows: how many rows of the hidden set.
    evidence: how they were found, one line for each way.
    what: what the sets share, if it is not rows.
    known: whether the public set reveals labels of the hidden one.
    """

    public: ReferenceSet
    hidden: ReferenceSet
    rows: int
    evidence: tuple[str, ...]
    what: str = ""
    known: bool = True

    def __str__(self) -> str:
        what = self.what or count_of(self.rows, "row")
        lines = [
            f"hidden set {self.hidden.task}/{self.hidden.name} shares {what} with public set "
            f"{self.public.task}/{self.public.name}, whose labels participants have:",
            *(f"  {line}" for line in self.evidence),
        ]
        return "\n".join(lines)


def find_overlap(public: ReferenceSet, hidden: ReferenceSet) -> Overlap | None:
    """Return the items that two sets share; None if there are none."""
    shared: set[tuple[str, int]] = set()
    evidence = []
    for shown, secret in product(tables_of(public.files), tables_of(hidden.files)):
        for names, pairs in _pairs(shown, secret):
            first = {other: row for row, other in reversed(pairs) if (secret.where, other) not in shared}
            if first:
                other = min(first)
                values = ", ".join(quote(secret.cells[name][other], 40) for name in names)
                lines = f"{_line(hidden, secret, other)}, {_line(public, shown, first[other])}"
                same = f"{count_of(len(first), 'row')} with the same {', '.join(names)}"
                evidence.append(f"{same}; first pair: {values}, {lines}")
                shared.update((secret.where, other) for other in first)
    return Overlap(public, hidden, len(shared), tuple(evidence)) if shared else None


def shared_units(public: ReferenceSet, hidden: ReferenceSet) -> Iterator[Overlap]:
    """Yield the units that two sets share, such as speakers, for each column of both that names units."""
    ours, theirs = _labels(public), _labels(hidden)
    for column in public.units_by_column.keys() & hidden.units_by_column.keys():
        named = public.units_by_column[column].items()
        label_of = {
            unit: Counter(labels).most_common(1)[0][0]
            for unit, labels in grouped((fold_id(unit), ours.get(item, "")) for item, unit in named).items()
        }
        units = hidden.units_by_column[column]
        shared = {item: unit for item, unit in units.items() if fold_id(unit) in label_of}
        if not shared:
            continue
        right = sum(theirs.get(item) == label_of[fold_id(unit)] for item, unit in shared.items())
        chance = Counter(theirs.values()).most_common(1)[0][1] / len(theirs) if theirs else 1.0
        known = bool(theirs) and 2 * right >= len(shared) * (1 + chance)
        which = some_of(list(dict.fromkeys(shared.values())), write=quote)
        evidence = [f"{len({*shared.values()})} of its {len({*units.values()})}: {which}"]
        labels = f"{right} of their {len(shared)} hidden labels are those of the same {column} there"
        evidence.append(
            labels if known else f"the scores and intervals are then not those of new {plural_of(column)}"
        )
        what = count_of(len({*shared.values()}), column)
        yield Overlap(public, hidden, len(shared), tuple(evidence), what, known)


def _labels(reference: ReferenceSet) -> dict[str, str]:
    """Return the label of each item; empty for tasks without one for each, such as turns."""
    columns = getattr(reference.parsed.labels, "columns", {})
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return dict(zip(reference.items, map(repr, rows), strict=False))


def same_texts(sets: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str, str, str]]:
    """Return items whose words another set has, each with the first such item: `(set, item, other set, other item)`.

    Parameters
    ----------
    sets: the texts of the items of each set, `set -> item -> text`; case and punctuation make no difference.
    """
    first: dict[str, tuple[str, str]] = {}
    found = []
    for name, texts in sets.items():
        words = {item: " ".join(in_words(text)) for item, text in texts.items()}
        found += [(name, item, *first[text]) for item, text in words.items() if text in first]
        first |= {text: (name, item) for item, text in words.items() if text and text not in first}
    return found


def _line(reference: ReferenceSet, table: LabelTable, row: int) -> str:
    return f"line {table.lines[row]} of {reference.name}/{table.where}"


def _pairs(shown: LabelTable, secret: LabelTable) -> Iterator[tuple[Sequence[str], Pairs]]:
    """Yield the columns by which rows match, and the matching pairs; by content only if no names match."""
    both = [name for name in secret.columns if name in shown.columns]
    names = [name for name in both if NAMES.fullmatch(name)]
    sizes = {name: [len(set(table.columns[name])) for table in (shown, secret)] for name in both}
    content = [name for name in both if name not in names and min(sizes[name]) > 1]
    few = min(MOST_CLASSES, len(secret.lines) / 2)
    labels = [name for name in content if max(sizes[name]) <= few]
    texts = [name for name in content if name not in labels]
    found = False
    for key in [[name] for name in names if _identify_items(shown, secret, [name])] or [names]:
        named = _equal(shown.rows(key), secret.rows(key)) if _identify_items(shown, secret, key) else []
        pairs = _with_same_texts(shown, secret, texts, named)
        chance = sum(_chance(shown.columns[name], secret.columns[name]) for name in texts)
        rarity = surprise(len(pairs), len(named), min(1.0, chance)) if texts else 0.0
        if rarity + _agreement(shown, secret, labels, pairs) >= NO_CHANCE:
            found = True
            yield key, pairs
    pairs, twice = _once_in_each(shown.rows(content), secret.rows(content))
    n, m = len(shown.lines), len(secret.lines)
    # The probability that two rows are in different sets, if rows are distributed over the sets at random.
    apart = 2 * n * m / ((n + m) * (n + m - 1))
    if not found and surprise(len(pairs), twice, apart) >= NO_CHANCE:
        twins, _ = _once_in_each(shown.rows(texts), secret.rows(texts))
        if _agreement(shown, secret, labels, twins) >= 0:
            yield content, pairs


def _identify_items(shown: LabelTable, secret: LabelTable, names: Sequence[str]) -> bool:
    """Whether columns identify items: at least 90 % of their values are different, so a few copied rows are allowed."""
    return all(10 * len(set(rows)) >= 9 * len(rows) for rows in (shown.rows(names), secret.rows(names)))


def _with_same_texts(shown: LabelTable, secret: LabelTable, texts: Sequence[str], pairs: Pairs) -> Pairs:
    """Return the pairs of rows in which most texts are the same; all pairs if there are no text columns."""
    if not texts:
        return pairs
    ours, theirs, half = shown.rows(texts), secret.rows(texts), len(texts) / 2
    return [(row, other) for row, other in pairs if sum(map(str.__eq__, ours[row], theirs[other])) > half]


def _agreement(shown: LabelTable, secret: LabelTable, labels: Sequence[str], pairs: Pairs) -> float:
    """Return the `surprise` that labels agree, added over the label columns.

    Minus infinity if the agreement of a column is less than half-way between chance and 1.
    """
    rarity = 0.0
    for ours, theirs in ((shown.columns[name], secret.columns[name]) for name in labels):
        chance = _chance(ours, theirs)
        alike = sum(ours[row] == theirs[other] for row, other in pairs)
        if 2 * alike < len(pairs) * (1 + chance):
            return -inf
        rarity += surprise(alike, len(pairs), chance)
    return rarity


def _chance(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Return the probability that two random rows agree in a column, above 0."""
    counts = Counter(ours)
    return max(1, sum(counts[value] for value in theirs)) / (len(ours) * len(theirs))


def _equal(shown: Sequence[object], secret: Sequence[object]) -> Pairs:
    rows = grouped((value, row) for row, value in enumerate(shown))
    return [(row, other) for other, value in enumerate(secret) for row in rows.get(value, ())]


def _once_in_each(shown: Sequence[object], secret: Sequence[object]) -> tuple[Pairs, int]:
    """Return the pairs of rows whose content is once in each set, and how many contents occur twice overall."""
    counts = Counter(chain(shown, secret))
    twice = {value for value, count in counts.items() if count == 2}
    row_of = {value: row for row, value in enumerate(shown) if value in twice}
    return [(row_of[value], other) for other, value in enumerate(secret) if value in row_of], len(twice)


def is_accepted(overlap: Overlap, accepted_overlaps: Sequence[Mapping[str, object]]) -> bool:
    """Whether the organiser accepts at least this many rows for these two sets."""
    return any(
        (entry["hidden"], entry["public"]) == _names(overlap) and overlap.rows <= int(str(entry["rows"]))
        for entry in accepted_overlaps
    )


def refusal(overlaps: Sequence[Overlap]) -> str:
    """Return the message that lists overlaps which are not accepted, with their remedies."""
    names = [(*_names(overlap), overlap.rows) for overlap in overlaps]
    return "\n".join(
        [
            *map(str, overlaps),
            "",
            "Remove these rows from the public set, and give the sets different speakers. If they",
            "are different ones that only look alike (ids that restart at 1, answers to the same",
            "prompts), accept them in competition.yaml, in defaults, a challenge or a task:",
            "",
            "  accepted_overlaps:",
            *(
                f"    - {{hidden: {hidden}, public: {public}, rows: {rows}}}"
                for hidden, public, rows in names
            ),
        ]
    )


def _names(overlap: Overlap) -> tuple[str, str]:
    return f"{overlap.hidden.task}/{overlap.hidden.name}", f"{overlap.public.task}/{overlap.public.name}"
