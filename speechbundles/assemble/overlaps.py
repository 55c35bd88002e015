"""Items of a hidden set in a public one, whose labels participants have: found by their names and by what they hold.

Rows are of one item if they have the same name and most of their texts are the same, in more rows than by chance, or if
names are new and rows hold the same. Where prompts are few and answers short rows repeat within each set, and as often
between the two: of the contents that are twice in all, more must be in both sets than by chance. In either case each
label must agree at least half-way from chance to all: sets may be numbered from 1 and have the same prompts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, product
from math import inf

from speechbundles.check import MOST_CLASSES, NAMES, NO_CHANCE, Table, read_table, surprise
from speechbundles.competition.references import ReferenceSet
from speechbundles.model.errors import UnreadableFile
from spokeneval.formats.problems import count_of

Pairs = list[tuple[int, int]]
"""Rows of the public set and of the hidden one."""


@dataclass(frozen=True)
class Overlap:
    """Items of a hidden set in a public one: how many, and what says so, one line each."""

    public: ReferenceSet
    hidden: ReferenceSet
    rows: int
    evidence: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"{count_of(self.rows, 'row')} of the hidden set {self.hidden.name} of {self.hidden.task} also in the "
            f"public set {self.public.name} of {self.public.task}, whose labels participants have",
            *(f"  {line}" for line in self.evidence),
        ]
        return "\n".join(lines)


def find_overlap(public: ReferenceSet, hidden: ReferenceSet) -> Overlap | None:
    """The items that two sets share, None where there are none."""
    shared: set[tuple[str, int]] = set()
    evidence = []
    for shown, secret in product(_tables(public), _tables(hidden)):
        for what, pairs in _pairs(shown, secret):
            first = {other: row for row, other in reversed(pairs) if (secret.where, other) not in shared}
            if first:
                other = min(first)
                lines = f"{_line(hidden, secret, other)}, {_line(public, shown, first[other])}"
                evidence.append(f"{count_of(len(first), 'row')} with the same {what}; the first: {lines}")
                shared.update((secret.where, other) for other in first)
    return Overlap(public, hidden, len(shared), tuple(evidence)) if shared else None


def _tables(reference: ReferenceSet) -> Iterator[Table]:
    for name, data in reference.files.items():
        with suppress(UnreadableFile):
            if table := read_table(name, data):
                yield table


def _line(reference: ReferenceSet, table: Table, row: int) -> str:
    return f"line {table.lines[row]} of {reference.name}/{table.where}"


def _pairs(shown: Table, secret: Table) -> Iterator[tuple[str, Pairs]]:
    """The columns by which rows are of the same items, and the pairs of these rows; by contents if not by names."""
    both = [name for name in secret.columns if name in shown.columns]
    names = [name for name in both if NAMES.fullmatch(name)]
    sizes = {name: [len(set(table.columns[name])) for table in (shown, secret)] for name in both}
    content = [name for name in both if name not in names and min(sizes[name]) > 1]
    few = min(MOST_CLASSES, len(secret.lines) / 2)
    labels = [name for name in content if max(sizes[name]) <= few]
    texts = [name for name in content if name not in labels]
    found = False
    for key in [[name] for name in names if _tell_apart(shown, secret, [name])] or [names]:
        named = _equal(shown.rows(key), secret.rows(key)) if _tell_apart(shown, secret, key) else []
        pairs = _with_same_texts(shown, secret, texts, named)
        chance = sum(_chance(shown.columns[name], secret.columns[name]) for name in texts)
        rarity = surprise(len(pairs), len(named), min(1.0, chance)) if texts else 0.0
        if rarity + _agreement(shown, secret, labels, pairs) >= NO_CHANCE:
            found = True
            yield ", ".join(key), pairs
    pairs, twice = _once_in_each(shown.rows(content), secret.rows(content))
    n, m = len(shown.lines), len(secret.lines)
    apart = (
        2 * n * m / ((n + m) * (n + m - 1))
    )  # how probably two rows that are dealt out are in different sets
    if not found and surprise(len(pairs), twice, apart) >= NO_CHANCE:
        twins, _ = _once_in_each(shown.rows(texts), secret.rows(texts))
        if _agreement(shown, secret, labels, twins) >= 0:
            yield ", ".join(content), pairs


def _tell_apart(shown: Table, secret: Table, names: Sequence[str]) -> bool:
    """Whether names are those of items; a few may be there twice, as copies that were added by hand are."""
    return all(10 * len(set(rows)) >= 9 * len(rows) for rows in (shown.rows(names), secret.rows(names)))


def _with_same_texts(shown: Table, secret: Table, texts: Sequence[str], pairs: Pairs) -> Pairs:
    """The pairs of rows with most of their texts the same; all where there are none."""
    ours, theirs = shown.rows(texts), secret.rows(texts)
    return [
        (row, other)
        for row, other in pairs
        if not texts or 2 * sum(map(str.__eq__, ours[row], theirs[other])) > len(texts)
    ]


def _agreement(shown: Table, secret: Table, labels: Sequence[str], pairs: Pairs) -> float:
    """The surprise that labels agree; minus infinity if those of a column do less than half-way from chance to all."""
    rarity = 0.0
    for ours, theirs in ((shown.columns[name], secret.columns[name]) for name in labels):
        chance = _chance(ours, theirs)
        alike = sum(ours[row] == theirs[other] for row, other in pairs)
        if 2 * alike < len(pairs) * (1 + chance):
            return -inf
        rarity += surprise(alike, len(pairs), chance)
    return rarity


def _chance(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """The probability that two rows agree in a column, above 0."""
    counts = Counter(ours)
    return max(1, sum(counts[value] for value in theirs)) / (len(ours) * len(theirs))


def _equal(shown: Sequence[object], secret: Sequence[object]) -> Pairs:
    rows: dict[object, list[int]] = {}
    for row, value in enumerate(shown):
        rows.setdefault(value, []).append(row)
    return [(row, other) for other, value in enumerate(secret) for row in rows.get(value, ())]


def _once_in_each(shown: Sequence[object], secret: Sequence[object]) -> tuple[Pairs, int]:
    """The pairs of rows with a content that is once in each set, and how many contents are twice in all."""
    counts = Counter(chain(shown, secret))
    twice = {value for value, count in counts.items() if count == 2}
    return [(row, other) for row, other in _equal(shown, secret) if shown[row] in twice], len(twice)


def is_accepted(overlap: Overlap, accepted_overlaps: Sequence[Mapping[str, object]]) -> bool:
    """Whether the organiser has named these sets and at least so many rows."""
    return any(
        (entry["hidden"], entry["public"]) == _names(overlap) and overlap.rows <= int(str(entry["rows"]))
        for entry in accepted_overlaps
    )


def refusal(overlaps: Sequence[Overlap]) -> str:
    """All overlaps that nobody has accepted, and what to do."""
    names = [(*_names(overlap), overlap.rows) for overlap in overlaps]
    return "\n".join(
        [
            *map(str, overlaps),
            "",
            "Take these rows out of the public set. If they are other items that only look alike (names that start",
            "again, texts that prompts make the same), say so in competition.yaml, in defaults, a challenge or a task:",
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
