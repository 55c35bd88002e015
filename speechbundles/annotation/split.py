"""Split items into sets: groups such as speakers stay whole, and strata such as classes keep their shares in each set.

The *imbalance* of a split is the sum, over sets and strata, of the difference between the number of items and the set's
share of all items of the stratum; all items together are a stratum, too. Few groups are split with the smallest
imbalance (mixed-integer programme), many by a local search that moves and swaps groups until nothing improves.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.tables import (
    AGREEMENT,
    SPEAKER,
    Frame,
    csv_bytes,
    data_file,
    read_data,
    read_items,
    read_table,
    refusing,
)
from speechbundles.competition.seal import MARK
from speechbundles.model.bounded import digest_of
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import count_of, name, some_of
from spokeneval.formats.text import decimal

LEFT_OUT = ""
"""The set of items that are in no set."""
MOST_EXACT = 30
"""The most groups times sets that are split with the smallest imbalance."""
MOST_VALUES = 20
"""A stratum's column has at most so many values, or numbers."""
_NODES, _STARTS, _SWAPS = 2_000, 300, 20_000


@dataclass(frozen=True)
class Wanted:
    """The sets that an organiser wants.

    Attributes
    ----------
    sets: the share of the items, or their number if above 1, `name -> share`.
    by: the columns whose values stay together; the speaker's, if none are named.
    strata: the columns whose values are balanced.
    draw: how many items with a value a set has, `(set, column) -> value -> number`.
    sealed: the share of the last set that is marked as sealed.
    seed: of the random choice.
    also: further tables, such as words: each row goes with the item that the column of ids names.
    """

    sets: Mapping[str, float]
    by: Sequence[str] = ()
    strata: Sequence[str] = ()
    draw: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)
    sealed: float = 0.0
    seed: int = 0
    also: Sequence[Path] = ()


def split_source(
    source: Path, id: str, wanted: Wanted, sounds: Path | None
) -> tuple[dict[str, bytes], list[str], dict[str, dict[str, str]]]:
    """Split a table, or what `merge` wrote into a folder.

    Returns
    -------
    The files, `name -> content`; lines that describe them; the texts of the items of each set, `set -> item -> text`.

    Raises
    ------
    OrganiserError: a column that is not there, two tables of one name, or sets that cannot be made.
    """
    known: dict[str, Any] = {"id": id, "items": source.name, "files": [source.name], "task": {}}
    known, folder = (read_data(source), source) if source.is_dir() else (known, source.parent)
    needed = dict.fromkeys([*wanted.by, *wanted.strata, *(column for _, column in wanted.draw)])
    items = read_items(folder / known["items"], known["id"], list(needed))
    by = list(wanted.by or items.columns.intersection([known["task"].get("unit", SPEAKER)]))
    if sounds:
        files = items["sound"] if "sound" in items.columns else items.index
        if missing := [file for file in files if not (sounds / file).is_file()]:
            raise OrganiserError(f"{sounds}: there is no file {some_of(missing, 8)}")
        items["sound_hash"] = [digest_of((sounds / file).read_bytes()) for file in files]
        by.append("sound_hash")
    shares = _shares(wanted, len(items))
    groups, strata = groups_of(items, by), strata_of(items, wanted.strata)
    of, proved = split(groups, strata, list(shares.values()), wanted.seed)
    items["set"] = np.array(list(shares), dtype=object)[of]
    have = strata.groupby(items["set"]).sum().reindex(list(shares), fill_value=0).T.to_numpy()
    table = pd.DataFrame(index=pd.MultiIndex.from_product([strata.columns, shares], names=["stratum", "set"]))
    due = np.outer(strata.sum(), [*shares.values()]).round(1)
    table = table.assign(items=have.ravel(), expected=due.ravel())
    for (own, column), numbers in wanted.draw.items():
        there = items[(items["set"] == own) & items[column].isin(list(numbers))]  # items of other values stay
        items.loc[there.index.difference(draw(there, column, numbers, wanted.seed)), "set"] = LEFT_OUT
    if nothing := [key for key in wanted.sets if not (items["set"] == key).any()]:
        raise OrganiserError(f"no items for {some_of(nothing)}; expected larger shares, or fewer sets")
    last = items["set"] == list(wanted.sets)[-1]
    if wanted.sealed:
        sealed, _ = split(groups[last], strata[last], [1 - wanted.sealed, wanted.sealed], wanted.seed)
        items.loc[last, MARK] = np.array(["no", "yes"], dtype=object)[sealed]
    worded = items.drop(columns=by).astype(str).apply(lambda cells: cells.str.contains(r"\S \S").mean() > 0.5)
    texts = [column for column, many in worded.items() if many and items[column].nunique() > MOST_VALUES]
    said = {key: dict(own[texts].agg(" ".join, axis=1)) for key, own in items.groupby("set") if texts and key}
    counts = pd.Series(groups, items.index).groupby(items["set"], sort=False).agg(["size", "nunique"])
    kept = (
        f"groups by {', '.join(by)}"
        if by
        else "groups of one item each; --by names columns whose items stay together"
    )
    lines = [f"{key or 'left out'}: {size} items, {n} {kept}" for key, size, n in counts.itertuples()]
    off, how = (table["items"] - table["expected"]).abs(), "the smallest possible" if proved else "by search"
    worst = f"at most {off.max():.1f} items: {' of '.join(off.idxmax())}"
    lines.append(f"imbalance {off.sum():.1f} ({how}); {worst}")
    files = dict(_set_files(folder, known, items, wanted, lines)) | {
        "imbalance.csv": csv_bytes(table.reset_index())
    }
    return files, lines, said


def _shares(wanted: Wanted, number: int) -> dict[str, float]:
    """Return the share of each set and of the items that are left out."""
    if not number:
        raise OrganiserError("the table has no items below its header")
    shares = {key: share / number if share > 1 else share for key, share in wanted.sets.items()}
    rest, wrong = 1 - sum(shares.values()), []
    if names := [key for key in shares if not re.fullmatch(r"[\w-]+", key)]:
        wrong.append(f"the sets {some_of(names)}: expected names of letters, digits, _ and -")
    if not (rest >= -1e-9 and min(shares.values()) > 0):
        wrong.append(f"the sets have {1 - rest:.3g} of the items; expected shares above 0, in all 1 at most")
    if not 0 <= wanted.sealed < 1:
        wrong.append(f"{wanted.sealed:g} of the last set is sealed; expected a share below 1")
    if wrong:
        raise OrganiserError("\n".join(wrong))
    return shares | ({LEFT_OUT: rest} if rest > 1e-9 else {})


def _set_files(
    folder: Path, known: Mapping[str, Any], items: Frame, wanted: Wanted, lines: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of each set, and what the next command needs, by name; add lines on rows that are left out."""
    id = str(items.index.name)
    if len({*known["files"], *(path.name for path in wanted.also)}) < len(known["files"]) + len(wanted.also):
        raise OrganiserError("two tables of one name; rename one of them")
    for path in [*(folder / file for file in known["files"]), *wanted.also]:
        with refusing() as problems:
            rows, file = read_table(path, problems, [id]), path.name
        if absent := sorted({*rows[id]} - {*items.index}):
            many = count_of(int(rows[id].isin(absent).sum()), "row")
            lines.append(
                f"{file}: {many} left out, of items that are not in {known['items']}: {some_of(absent)}"
            )
        for key in wanted.sets:
            mine = rows[rows[id].map(items["set"]) == key]
            marked = mine.assign(**{MARK: mine[id].map(items[MARK])}) if MARK in items.columns else mine
            yield f"{key}/{file}", csv_bytes(marked.dropna(axis=1), exact=True)
    if (folder / AGREEMENT).is_file():
        yield AGREEMENT, (folder / AGREEMENT).read_bytes()
    yield "split.csv", csv_bytes(items[["set"]].reset_index(), exact=True)
    yield from data_file(id, known["items"], known["files"], task=known["task"], sealed=wanted.sealed).items()


def groups_of(items: Frame, columns: Sequence[str]) -> np.ndarray:
    """Return the group of each item as a number: items with an equal value in one of the columns are in one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    own = np.arange(len(items))
    ends = [own]
    for column in columns:
        first = pd.Series(own).groupby(items[column].to_numpy()).transform("first").to_numpy()
        ends.append(np.where(items[column] == "", own, first))
    to = np.concatenate(ends)
    links = coo_array((np.ones(to.size), (np.tile(own, len(ends)), to)), [own.size] * 2)
    return np.asarray(connected_components(links, directed=False)[1])


def strata_of(items: Frame, columns: Sequence[str]) -> Frame:
    """Return whether each item is in each stratum: a value of a column, or a quarter of the items by a number."""
    strata = {"all": np.ones(len(items), dtype=int)}
    for column in columns:
        values, numbers = items[column], items[column].map(decimal)
        if (many := values.nunique()) > MOST_VALUES:
            if numbers.isna().any():
                raise OrganiserError(
                    f"{name(column)} has {many} values; expected {MOST_VALUES} at most, or numbers"
                )
            quarters = pd.qcut(numbers.astype(float), 4, duplicates="drop")
            values = quarters.map("{0.left:.4g} to {0.right:.4g}".format)
        strata |= {f"{column} {each or 'none'}": (values == each).to_numpy(int) for each in sorted({*values})}
    return pd.DataFrame(strata, index=items.index)


def draw(items: Frame, column: str, wanted: Mapping[str, int], seed: int) -> Frame:
    """Return the ids of items at random, as many with each value of a column as wanted.

    Raises
    ------
    OrganiserError: fewer items than wanted, or none with a value, which may be misspelt.
    """
    there = {value: items[items[column] == value] for value in wanted}
    few = [
        f"{len(there[value])} of {number or 'any'} {value}"
        for value, number in wanted.items()
        if len(there[value]) < max(number, 1)
    ]
    if few:
        raise OrganiserError(f"too few items to draw by {column}: {', '.join(few)}")
    return pd.concat([there[value].sample(wanted[value], random_state=seed) for value in wanted]).index


def split(groups: np.ndarray, strata: Frame, shares: Sequence[float], seed: int) -> tuple[np.ndarray, bool]:
    """Return the set of each item as a place in `shares`, and whether its imbalance is the smallest possible."""
    counts = pd.DataFrame(strata.to_numpy()).groupby(groups).sum().to_numpy(float)
    rng, target = np.random.default_rng(seed), np.outer(shares, counts.sum(axis=0))
    best = _programme(counts, target) if len(counts) * len(shares) <= MOST_EXACT else None
    proved, starts = best is not None, max(3, _STARTS // len(counts))
    if best is None:
        best = min((_searched(counts, target, rng) for _ in range(starts)), key=lambda found: found[1])[0]
    return best[np.unique(groups, return_inverse=True)[1]], proved


def _programme(counts: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """Return the sets with the smallest imbalance; None if the search takes too long."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    (groups, cells), sets = counts.shape, len(target)
    inside, off = np.kron(counts.T, np.eye(sets)), np.eye(cells * sets)
    once = np.hstack([np.kron(np.eye(groups), np.ones(sets)), np.zeros((groups, cells * sets))])
    limits = [LinearConstraint(once, 1, 1)]
    for sign in (1, -1):
        limits.append(LinearConstraint(np.hstack([sign * inside, -off]), -np.inf, sign * target.T.ravel()))
    whole = np.repeat([1, 0], [groups * sets, cells * sets])
    bounds, options = Bounds(0, np.where(whole, 1, np.inf)), {"node_limit": _NODES}
    found = milp(1 - whole, integrality=whole, bounds=bounds, constraints=limits, options=options)
    return found.x[: groups * sets].reshape(groups, sets).argmax(axis=1) if found.status == 0 else None


def _searched(counts: np.ndarray, target: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Return sets that no move of a group and no swap of two, of many at random, improves, and their imbalance."""
    of, over, sets = np.zeros(len(counts), dtype=int), -target, np.arange(len(target))

    def change(place: np.ndarray, added: np.ndarray) -> Any:
        return np.abs(over[place] + added).sum(axis=-1) - np.abs(over[place]).sum(axis=-1)

    for group in rng.permutation(len(counts)):
        of[group] = np.argmin(change(sets, counts[group]))
        over[of[group]] += counts[group]
    while True:
        moves = np.stack([change(np.full(1, place), counts) for place in sets], axis=1)
        moves += change(of, -counts)[:, np.newaxis]
        moves[np.arange(len(of)), of] = 0
        group, place = np.unravel_index(moves.argmin(), moves.shape)
        if moves[group, place] < -1e-9:
            over[of[group]] -= counts[group]
            over[place] += counts[group]
            of[group] = place
            continue
        one, other = rng.integers(0, len(of), (2, min(_SWAPS, 4 * len(of) ** 2)))
        more = counts[other] - counts[one]
        swaps = np.where(of[one] == of[other], 0, change(of[one], more) + change(of[other], -more))
        if swaps.min() >= -1e-9:
            return of, float(np.abs(over).sum())
        best = swaps.argmin()
        over[of[one[best]]] += more[best]
        over[of[other[best]]] -= more[best]
        of[[one[best], other[best]]] = of[[other[best], one[best]]]
