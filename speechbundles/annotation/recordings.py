"""Turns of several annotators: recoded labels, one reference, and agreement by gamma.

At each instant an annotator has a set of labels, which is empty where nobody speaks.

- *majority*: a label holds where more than half of the annotators of the recording have it.
- *unanimous*: time in which two annotators have different sets is in no evaluated region.
- A turn without a label, such as redacted speech, is in no evaluated region, with either rule.

A recording with one annotator keeps the turns as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.agreement import COLUMNS, unit_codes, with_interval
from speechbundles.annotation.merge import UNANIMOUS
from speechbundles.annotation.tables import Frame, refuse
from speechbundles.competition.intake.tier_files import SAME
from spokeneval.formats.problems import Problems, name
from spokeneval.metrics.counts import Counts, ratio

SAMPLES = 30
"""Random continua from which the disorder that gamma expects is computed, over all recordings; one each at least."""
NEIGHBOUR, PRECEDING, SILENCE = "neighbour", "preceding", "silence"
CUT = ""
"""The label of turns that are cut out of the evaluated regions."""


@dataclass(frozen=True)
class Recordings:
    """The annotated recordings.

    Attributes
    ----------
    turns: see `turn_files`; those with the label `CUT` are no turns of a speaker.
    annotators: those of each recording, also if they found no turn.
    seconds: the durations that are known.
    """

    turns: Frame
    annotators: Mapping[str, Sequence[str]]
    seconds: Mapping[str, float]

    @cached_property
    def labelled(self) -> Frame:
        """The turns that are not cut out."""
        return self.turns[self.turns["label"] != CUT]

    @cached_property
    def _rows(self) -> Mapping[str, Any]:
        return dict(self.turns.groupby("recording").indices)

    def sweep(self, recording: str) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Return labels, times of changes, and who has which label between them: (labels, annotators, times)."""
        turns, people = self.turns.iloc[self._rows.get(recording, [])], self.annotators[recording]
        labels = sorted(turns["label"].unique())
        last = max(*turns["end"], self.seconds.get(recording, 0.0), 0.0)
        edges = np.unique([*turns["start"], *turns["end"], 0.0, last])
        change = np.zeros((len(labels), len(people), len(edges)), dtype=int)
        place = (
            pd.Index(labels).get_indexer(turns["label"]),
            pd.Index(people).get_indexer(turns["annotator"]),
        )
        np.add.at(change, (*place, np.searchsorted(edges, turns["start"])), 1)
        np.add.at(change, (*place, np.searchsorted(edges, turns["end"])), -1)
        return labels, edges, change.cumsum(axis=2)[..., :-1] > 0


def recoded(turns: Frame, table: Mapping[str, str], problems: Problems) -> Frame:
    """Return turns with other labels; neighbours in an utterance that then have one label are one turn.

    Parameters
    ----------
    table: `label -> new label`; `CUT` to cut the turns out of the evaluated regions; `silence` to leave them out as if
        nobody spoke; `preceding` for the label before it in the utterance; `neighbour` for the label beside it: of two
        different ones that with more time in the utterance, and without any that with more time on the tier.
        `neighbour: A, B` takes labels from A and B only.
    """
    unknown = turns[~turns["label"].isin(list(table))].drop_duplicates("label")
    refuse(
        problems,
        "unknown_label",
        unknown,
        lambda row: f"label {name(row.label)} is not in the recoding table",
    )
    problems.raise_if_any()
    turns = turns.assign(label=turns["label"].map(table))
    cut = turns[turns["label"] == CUT]
    turns = turns[~turns["label"].isin([CUT, SILENCE])]
    turns = turns.sort_values(["annotator", "file", "recording", "tier", "start"], kind="stable")
    labels: list[str] = []
    for _, tier in turns.groupby(["annotator", "file", "recording", "tier"], sort=False):
        for _, own in tier.groupby("utterance", sort=False):
            labels += _resolved(own, tier)
    turns = turns.assign(label=labels)
    turns = turns[turns["label"] != ""]
    before, keys = turns.shift(), ["annotator", "file", "recording", "tier", "utterance", "label"]
    joins = (turns[keys] == before[keys]).all(axis=1) & ((turns["start"] - before["end"]).abs() < SAME)
    parts = turns.groupby((~joins).cumsum(), sort=False)
    joined = parts.agg(dict.fromkeys(turns.columns, "first") | {"end": "last"})
    return pd.concat([joined, cut], ignore_index=True)


def _resolved(utterance: Frame, tier: Frame) -> list[str]:
    """Return the labels of an utterance, in order of time, without `preceding` and `neighbour`."""
    labels: list[str] = utterance["label"].tolist()
    both = (utterance, tier)
    times, of_tier = ((each["end"] - each["start"]).groupby(each["label"]).sum() for each in both)
    for place, label in enumerate(utterance["label"]):
        rule, _, listed = label.partition(":")
        if rule == PRECEDING and place:
            labels[place] = labels[place - 1]
        elif rule in (NEIGHBOUR, PRECEDING):
            among = {each.strip() for each in listed.split(",")} - {""} or {
                each for each in of_tier.index if each.partition(":")[0] not in (NEIGHBOUR, PRECEDING)
            }
            before = [each for each in utterance["label"][:place] if each in among][-1:]
            after = [each for each in utterance["label"][place + 1 :] if each in among][:1]
            beside = times[[*before, *after]] if before or after else of_tier[of_tier.index.isin(among)]
            labels[place] = beside.idxmax() if len(beside) else ""
    return labels


def merge_turns(recordings: Recordings, rule: str) -> tuple[Frame, Frame]:
    """Return the turns of a reference, and its evaluated regions."""
    found, regions = [], []
    for recording, people in recordings.annotators.items():
        labels, edges, on = recordings.sweep(recording)
        cut = np.array([label == CUT for label in labels], dtype=bool)
        count, scored = on.sum(axis=1), ~on[cut].any(axis=(0, 1))
        if rule == UNANIMOUS:
            scored &= ((count == 0) | (count == len(people))).all(axis=0)
        regions += [(recording, *span) for span in _spans(scored, edges)]
        for label, held in zip(labels, 2 * count > len(people), strict=True):
            found += [(recording, *span, label) for span in _spans(held & scored, edges)]
    columns = ["recording", "start", "end", "label"]
    merged = pd.DataFrame(found, columns=columns)
    alone = [recording for recording, people in recordings.annotators.items() if len(people) == 1]
    own = recordings.labelled[recordings.labelled["recording"].isin(alone)][columns]
    merged = pd.concat([merged[~merged["recording"].isin(alone)], own])
    return merged.sort_values(columns, ignore_index=True), pd.DataFrame(regions, columns=columns[:3])


def _spans(held: np.ndarray, edges: np.ndarray) -> list[tuple[float, float]]:
    """Return the spans of time in which a condition holds."""
    switch = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(int)))
    return list(zip(edges[switch[::2]].tolist(), edges[switch[1::2]].tolist(), strict=True))


@dataclass(frozen=True)
class Disorder(Counts):
    """The observed and the expected disorder of gamma, times the mean number of turns; one row for each unit."""

    observed: Any
    expected: Any


def gamma(disorder: Disorder) -> Any:
    """1 - observed / expected."""
    return 1 - ratio(disorder.observed, disorder.expected, "gamma")


def turn_agreement(recordings: Recordings, units: Mapping[str, str]) -> Frame:
    """Return gamma of each pair of annotators with common recordings; `units` has the unit of each recording."""
    grouped = recordings.labelled.groupby(["recording", "annotator"])
    mine = {key: own.sort_values("start") for key, own in grouped}
    people, rows = sorted({each for own in recordings.annotators.values() for each in own}), []
    for one, other in combinations(people, 2):
        common = [each for each, own in recordings.annotators.items() if {one, other} <= {*own}]
        pairs = [[mine.get((each, who), recordings.turns[:0]) for who in (one, other)] for each in common]
        found = [
            disorders(pair, -(-SAMPLES // len(common)), np.random.default_rng(n))
            for n, pair in enumerate(pairs)
        ]
        if common:
            groups = unit_codes([units.get(each) or each for each in common])
            sums = Disorder(*(np.bincount(groups, column) for column in zip(*found, strict=True)))
            ends = with_interval(gamma, sums, (-np.inf, np.inf))
            rows.append(("turns", "gamma", f"{one}, {other}", *ends, len(common)))
    return pd.DataFrame(rows, columns=COLUMNS)


def disorders(pair: Sequence[Frame], samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the observed and the expected disorder for the turns of two annotators, times their mean number.

    The dissimilarity of two turns is the positional one, plus 1 if their labels differ; that of a turn without a
    partner is 1 (alpha, beta and delta are 1). A random continuum takes the turns of an annotator drawn at random for
    each of the two, shifted in a circle by two times that are half a mean turn apart or more.

    Source: Mathet, Widlöcher and Métivier (2015), The unified and holistic method gamma for inter-annotator agreement
    measure and alignment, Computational Linguistics 41, equations 3 to 6 and section 5.2.
    """
    both = [tuple(turns[column].to_numpy() for column in ("start", "end", "label")) for turns in pair]
    every, size = pd.concat(pair), sum(map(len, pair)) / 2
    observed = _disorder(*both)
    if not all(map(len, pair)):
        return observed * size, observed * size
    low, length = every["start"].min(), every["end"].max() - every["start"].min()
    apart, chance = (every["end"] - every["start"]).mean() / 2, []
    for _ in range(samples):
        first = rng.uniform(0, length)
        shifts = first, (first + rng.uniform(apart, max(apart, length - apart))) % length
        drawn = [(shift, *both[int(rng.integers(2))]) for shift in shifts]
        moved = [
            (shift - np.where(start + shift > low + length, length, 0.0), start, *rest)
            for shift, start, *rest in drawn
        ]
        chance.append(_disorder(*((start + by, end + by, label) for by, start, end, label in moved)))
    return observed * size, float(np.mean(chance)) * size


def _disorder(first: Any, second: Any) -> float:
    """Return the disorder of the best alignment of two annotators' turns, per turn of one annotator."""
    from scipy.optimize import linear_sum_assignment

    (start, end, label), (others, ends, labels) = first, second
    size = (len(start) + len(others)) / 2
    apart = np.abs(start[:, np.newaxis] - others) + np.abs(end[:, np.newaxis] - ends)
    positional = (apart / ((end - start)[:, np.newaxis] + (ends - others))) ** 2
    # Two turns without partners cost 2.
    saved = np.maximum(2 - positional - (label[:, np.newaxis] != labels), 0)
    rows, columns = linear_sum_assignment(saved, maximize=True)
    return float(2 * size - saved[rows, columns].sum()) / (size or 1)
