"""Items of a hidden set in a public one, whose labels participants have: found by their names and by what they hold.

Two rows are of one item if a recording, a segment or an id has the same name in both, and the rest agrees; sets that
are both numbered from 1 share numbers, so that there nearly everything must agree. They are, too, if texts and labels
agree in more rows than by chance. Where prompts are few and answers short, rows repeat within each set, and as often
between the two: of the contents that stand twice in all, those with a row in each set are held against the others.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log

from speechbundles.check import SEGMENT, TextTable, read_tables
from speechbundles.competition.references import ReferenceSet
from speechbundles.model.finding import Report
from spokeneval.formats.problems import count_of

_NAMES = re.compile(r"(.*_)?(id|name|file|filename|wavfile|path|audio|recording|session|speaker|user)")
"""Columns that name an item or what it is part of; they may be given anew."""

BY_CHANCE = 0.001
"""Probability below which so many contents split between the sets are no chance."""
COMPARISONS = 100_000
"""Pairs of other rows that show what agrees by chance."""
MOST_CLASSES = 20
"""Of a label; what has more different values is a text or a measure."""
NUMBERED_AGREE = 0.95
"""Share of the cells that must agree where names are mere numbers of rows."""

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
        content = _content(shown, secret)
        if not content:
            continue
        for what, pairs in _pairs(shown, secret, content):
            first = {other: row for row, other in reversed(pairs) if (secret.where, other) not in shared}
            if first:
                other = min(first)
                lines = f"{_line(hidden, secret, other)}, {_line(public, shown, first[other])}"
                evidence.append(f"{count_of(len(first), 'row')} with {what}; the first: {lines}")
                shared.update((secret.where, other) for other in first)
    return Overlap(public, hidden, len(shared), tuple(evidence)) if shared else None


def _tables(reference: ReferenceSet) -> Iterator[TextTable]:
    return read_tables(Report(), dict(reference.files))


def _content(shown: TextTable, secret: TextTable) -> list[str]:
    """What both tables say of their items beside names: texts, times and labels, where they vary."""
    return [
        name
        for name in secret.columns
        if name in shown.columns
        and not _is_name(name)
        and min(len(set(table.columns[name])) for table in (shown, secret)) > 1
    ]


def _pairs(shown: TextTable, secret: TextTable, content: Sequence[str]) -> Iterator[tuple[str, Pairs]]:
    """What tells rows to be the same, and the pairs (public, hidden) of those that are."""
    yield from list(_by_names(shown, secret, content)) or _by_content(shown, secret, content)


def _by_names(shown: TextTable, secret: TextTable, content: Sequence[str]) -> Iterator[tuple[str, Pairs]]:
    for name, names in secret.columns.items():
        if _tells_apart(shown.columns.get(name, [])) and _tells_apart(names) and _is_name(name):
            named = _equal(shown.columns[name], secret.columns[name])
            pairs = _same_items(shown, secret, content, named, numbered=_is_numbering(names))
            if pairs:
                yield f"the same {name}", pairs


def _by_content(shown: TextTable, secret: TextTable, content: Sequence[str]) -> Iterator[tuple[str, Pairs]]:
    pairs = _more_than_by_chance(*(_rows(table, content) for table in (shown, secret)))
    if not pairs:
        return
    labels = [name for name in content if len({*shown.columns[name], *secret.columns[name]}) <= MOST_CLASSES]
    texts = [name for name in content if name not in labels]
    if labels and texts:  # texts that prompts fix come with labels as chance has it
        twins = _once_in_each(_rows(shown, texts), _rows(secret, texts))
        if twins and _share(shown, secret, labels, twins) < _nearer_to_all(shown, secret, labels):
            return
    yield f"the same {', '.join(content)}", pairs


def _rows(table: TextTable, names: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(table.columns[name] for name in names), strict=True))


def _is_name(column: str) -> bool:
    return column == SEGMENT or _NAMES.fullmatch(column) is not None


def _tells_apart(names: Sequence[str]) -> bool:
    """Whether names are those of items; a few may stand twice, as copies that were added by hand do."""
    return 10 * len(set(names)) >= 9 * len(names) > 0


def _equal(shown: Sequence[object], secret: Sequence[object]) -> Pairs:
    rows: dict[object, list[int]] = {}
    for row, value in enumerate(shown):
        rows.setdefault(value, []).append(row)
    return [(row, other) for other, value in enumerate(secret) for row in rows.get(value, ())]


def _is_numbering(names: Sequence[str]) -> bool:
    """Whether names only count the rows: `1`, `item007`."""
    names = [name.removesuffix(".0") for name in names]
    numbers = [re.sub(r"\D", "", name) for name in names]
    if len({re.sub(r"\d", "", name) for name in names}) > 1 or not all(
        0 < len(number) < 10 for number in numbers
    ):
        return False
    return max(map(int, numbers)) - min(map(int, numbers)) < 2 * len(names)


def _same_items(
    shown: TextTable, secret: TextTable, content: Sequence[str], named: Pairs, *, numbered: bool
) -> Pairs:
    """Of the pairs with the same name those that agree; none where as many rows agree with any other's."""
    if not named or numbered:
        return named if named and _share(shown, secret, content, named) >= NUMBERED_AGREE else []
    least, size = _nearer_to_all(shown, secret, content), len(secret.columns[content[0]])

    def agreeing(pairs: Pairs) -> Pairs:
        cells = _cells_in_common(shown, secret, content, pairs)
        return [pair for pair, equal in zip(pairs, cells, strict=True) if equal / len(content) >= least]

    offsets = range(1, min(size, max(2, COMPARISONS // len(named))))
    others = [(row, (other + offset) % size) for offset in offsets for row, other in named]
    pairs = agreeing(named)
    return pairs if _is_rare(len(pairs), len(named), (len(agreeing(others)) + 1) / (len(others) + 1)) else []


def _share(shown: TextTable, secret: TextTable, content: Sequence[str], pairs: Pairs) -> float:
    """The share of the cells that pairs of rows have in common."""
    return sum(_cells_in_common(shown, secret, content, pairs)) / len(pairs) / len(content)


def _cells_in_common(shown: TextTable, secret: TextTable, content: Sequence[str], pairs: Pairs) -> list[int]:
    """How many cells each pair of rows has in common."""
    columns = [(shown.columns[name], secret.columns[name]) for name in content]
    equal = ([ours[row] == theirs[other] for row, other in pairs] for ours, theirs in columns)
    return list(map(sum, zip(*equal, strict=True)))


def _nearer_to_all(shown: TextTable, secret: TextTable, content: Sequence[str]) -> float:
    """The share of cells that is half-way from what any two rows have in common to all."""
    chance = 0.0
    for name in content:
        frequency = Counter(shown.columns[name])
        chance += sum(frequency[value] for value in secret.columns[name])
    return (1 + chance / len(content) / len(shown.columns[name]) / len(secret.columns[name])) / 2


def _once_in_each(shown: Sequence[object], secret: Sequence[object]) -> Pairs:
    """The pairs of rows with a content that stands once in each set."""
    counts = Counter(shown), Counter(secret)
    return [
        (row, other)
        for row, other in _equal(shown, secret)
        if counts[0][shown[row]] == counts[1][shown[row]] == 1
    ]


def _more_than_by_chance(shown: Sequence[object], secret: Sequence[object]) -> Pairs:
    """The pairs of rows with a content that stands once in each set; none, if there are as many as by chance.

    If rows are dealt out at random, two of the same content are in different sets, of n and m rows, with probability
    2nm / ((n + m)(n + m - 1)).
    """
    pairs = _once_in_each(shown, secret)
    counts = Counter(shown), Counter(secret)
    together = sum(
        count == 2 and value not in other
        for own, other in (counts, counts[::-1])
        for value, count in own.items()
    )
    n, m = len(shown), len(secret)
    chance = 2 * n * m / ((n + m) * (n + m - 1))
    return pairs if _is_rare(len(pairs), len(pairs) + together, chance) else []


def _is_rare(k: int, total: int, p: float) -> bool:
    """Whether k or more of so many cases of probability p are rarer than `BY_CHANCE`, by Chernoff's bound."""
    share = k / total if total else 0.0
    if share <= p:
        return False
    divergence = share * log(share / p) + ((1 - share) * log((1 - share) / (1 - p)) if k < total else 0)
    return total * divergence >= -log(BY_CHANCE)


def _line(reference: ReferenceSet, table: TextTable, row: int) -> str:
    """Where a row of a table stands in its file."""
    lines = reference.files[table.where].decode("utf-8-sig").split("\n")
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    size = len(next(iter(table.columns.values())))
    return f"line {filled[len(filled) - size + row]} of {reference.name}/{table.where}"


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
