"""Assign items to annotators: each item to several of them, with equal loads, in an order that spreads order effects.

An assignment is a frame with a row for each time that an annotator gets an item, in the order of the sheets:

- `annotator` and `item`;
- `kind`: `calibration` for the first items of everybody, `main`, or `repeat` for an item that the annotator gets a
  second time, half a sheet later or more;
- `round`: 1, and one more for each time that items, annotators or ratings were added.

Items are assigned one by one, speaker after speaker, to the annotators with the smallest loads and, of these, to those
who share the fewest items with the ones already chosen, so that all pairs of annotators get common items. The items are
in as many blocks as there are annotators, and each annotator begins with another block, as in a Latin square.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from speechbundles.annotation.tables import Frame, folded
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import count_of, some_of

COLUMNS = ("annotator", "item", "kind", "round")
CALIBRATION, MAIN, REPEAT = "calibration", "main", "repeat"


@dataclass(frozen=True)
class Assignment:
    """How items are assigned.

    Attributes
    ----------
    annotators: their names.
    each: how many annotators get an item.
    calibration: how many items all annotators get first.
    repeated: how many items each annotator gets twice.
    speakers: the speaker of each item, `item -> name`; an annotator gets no own speech.
    apart: whether items of one speaker are kept from following each other.
    seed: of the random order.
    """

    annotators: Sequence[str]
    each: int
    calibration: int = 0
    repeated: int = 0
    speakers: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False
    seed: int = 0


def assign(items: Sequence[str], plan: Assignment, before: Frame) -> Frame:
    """Return the rows that an earlier assignment, which may be empty, lacks.

    Raises
    ------
    OrganiserError: too few annotators for an item.
    """
    number = int(before["round"].astype(int).max()) + 1 if len(before) else 1
    draw = random.Random(f"{plan.seed} {number}")
    first = [] if len(before) else draw.sample(list(items), min(plan.calibration, len(items)))
    chosen = _choose(sorted({*items} - {*first}), plan, before, draw)
    shuffled = draw.sample(sorted(chosen), len(chosen))
    block = {item: place % len(plan.annotators) for place, item in enumerate(shuffled)}
    rows = []
    for begin, annotator in enumerate(plan.annotators):
        own = [item for item in draw.sample(shuffled, len(shuffled)) if annotator in chosen[item]]
        own.sort(key=lambda item: (block[item] - begin) % len(plan.annotators))
        entries, half = [(float(at), item, MAIN) for at, item in enumerate(own)], len(own) / 2
        again = draw.sample(entries[: int(half)], min(plan.repeated, int(half)))
        entries += [(draw.uniform(at + half, len(own)), item, REPEAT) for at, item, _ in again]
        order = [(item, CALIBRATION) for item in first if not _is_own(annotator, item, plan)]
        order += [(item, kind) for _, item, kind in sorted(entries)]
        order = _apart(order, plan.speakers) if plan.apart else order
        rows += [(annotator, *entry, number) for entry in order]
    return pd.DataFrame(rows, columns=COLUMNS)


def _is_own(annotator: str, item: str, plan: Assignment) -> bool:
    return folded(annotator) == folded(plan.speakers.get(item, ""))


def _choose(
    items: Sequence[str], plan: Assignment, before: Frame, draw: random.Random
) -> dict[str, set[str]]:
    """Return the annotators that each item gets in addition, `item -> names`."""
    known = before[before["kind"] != REPEAT]
    has = known.groupby("item")["annotator"].agg(set).to_dict()
    number = {annotator: place for place, annotator in enumerate(plan.annotators)}
    counts = Counter(known["annotator"])
    loads, pairs = np.array([float(counts[each]) for each in number]), np.zeros((len(number), len(number)))
    for names in has.values():
        places = [number[each] for each in names if each in number]
        pairs[np.ix_(places, places)] += 1
    names = {folded(each) for each in number}
    own = {item for item in items if folded(plan.speakers.get(item, "")) in names}
    order = {speaker: draw.random() for speaker in sorted(set(plan.speakers.values()))}
    queue = draw.sample(items, len(items))
    queue.sort(key=lambda item: (item not in own, order.get(plan.speakers.get(item, ""), 0.0)))
    noise = np.random.default_rng(draw.getrandbits(32)).random((len(queue), len(number))) / 2
    chosen: dict[str, set[str]] = {}
    short = []
    for item, random_order in zip(queue, noise, strict=True):
        there = [number[each] for each in has.get(item, ()) if each in number]
        cost = loads * 1e6 + random_order + pairs[there].sum(axis=0)
        cost[there] = np.inf
        cost[[number[each] for each in number if item in own and _is_own(each, item, plan)]] = np.inf
        for _ in range(plan.each - len(has.get(item, ()))):
            best = int(cost.argmin())
            if cost[best] == np.inf:
                short.append(item)
                break
            chosen.setdefault(item, set()).add(plan.annotators[best])
            loads[best] += 1
            for other in there:
                pairs[best, other] += 1
                pairs[other, best] += 1
            there.append(best)
            cost += pairs[best]
            cost[best] = np.inf
    if short:
        found = (
            f"{count_of(len(short), 'item')} cannot have {plan.each} of {count_of(len(number), 'annotator')}"
        )
        raise OrganiserError(f"{found}: {some_of(short)}; name more annotators, or a smaller --each")
    return chosen


def _apart(entries: list[tuple[str, str]], speakers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return entries in an order in which no speaker follows themselves, if there is one, with few changes."""

    def same(first: int, second: int) -> bool:
        return speakers.get(entries[first][0]) == speakers.get(entries[second][0])

    for at in range(1, len(entries)):
        if same(at - 1, at):
            later = next((other for other in range(at + 1, len(entries)) if not same(at, other)), None)
            if later is not None:
                entries[at], entries[later] = entries[later], entries[at]
                continue
            gaps = (gap for gap in range(at) if not same(gap, at) and (gap == 0 or not same(gap - 1, at)))
            if (gap := next(gaps, None)) is not None:
                entries.insert(gap, entries.pop(at))
    return entries
