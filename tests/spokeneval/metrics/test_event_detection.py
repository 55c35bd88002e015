"""Matching and scores of events, held against sed_eval, F4DE, brute force, and hand calculations."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
import pytest

from spokeneval.metrics import event_detection as metrics
from spokeneval.metrics.counts import total
from spokeneval.metrics.event_detection import HOUR, MIDPOINT, ONSET, ONSET_OFFSET, EventCounts, MatchRule

Span = tuple[int, int]

# Events and detections in ms; the true positives that sed_eval 0.2.1 counts by label (event_matching_type="optimal";
# with onsets and offsets, with onsets, and in segments of 1 s), for this collar in ms and share in thousandths.
SED_EVAL = [
    (
        {"a": [(15600, 16760), (16520, 18250)], "b": [(16665, 17105)], "c": [(17523, 18343), (4510, 5110)]},
        {
            "a": [(15365, 16395), (15810, 16948), (16351, 17807)],
            "b": [(16462, 17466)],
            "c": [(17251, 17918), (4557, 5325), (13270, 13350)],
        },
        (250, 200),
        {ONSET_OFFSET: [1, 0, 1], ONSET: [2, 1, 1], "segments": [3, 2, 3]},
    ),
    (
        {
            "a": [(7753, 8313), (5930, 6240), (4810, 6790)],
            "b": [(4150, 5100)],
            "c": [(2132, 3332), (6750, 7760)],
        },
        {
            "a": [(7516, 7916), (5878, 6519), (7360, 7990)],
            "b": [(4159, 4635)],
            "c": [(2132, 3149), (6656, 7719)],
        },
        (250, 500),
        {ONSET_OFFSET: [0, 1, 2], ONSET: [2, 1, 2], "segments": [3, 1, 4]},
    ),
]


@pytest.mark.parametrize(("events", "detections", "rule", "expected"), SED_EVAL)
def test_hits_are_those_of_sed_eval(events, detections, rule, expected):
    for match in (ONSET_OFFSET, ONSET):
        found = [
            metrics.matches(
                np.array(events[label]),
                np.array(detections[label]),
                np.ones(len(detections[label])),
                MatchRule(match, *rule),
            )
            for label in "abc"
        ]
        assert [(each >= 0).sum() for each in found] == expected[match]
    active = [
        [
            metrics.active_segments(np.array(side[label]), np.zeros(len(side[label]), int), 1, 0, 20000, 1000)
            for label in "abc"
        ]
        for side in (events, detections)
    ]
    assert [(real & claimed).sum() for real, claimed in zip(*active)] == expected["segments"]


def fits(event: Span, detection: Span, rule: MatchRule) -> bool:
    if rule.match == MIDPOINT:
        return event[0] - rule.collar <= sum(detection) / 2 <= event[1] + rule.collar
    ends = abs(event[1] - detection[1]) <= max(rule.collar, rule.offset * (event[1] - event[0]) / 1000)
    return abs(event[0] - detection[0]) <= rule.collar and (
        rule.match == ONSET or event[0] == event[1] or ends
    )


def most_pairs(events: list[Span], detections: list[Span], rule: MatchRule) -> int:
    """The most pairs of any matching, by trying all."""

    @lru_cache(None)
    def most(first: int, used: frozenset[int]) -> int:
        if first == len(detections):
            return 0
        free = [e for e in range(len(events)) if e not in used and fits(events[e], detections[first], rule)]
        return max(most(first + 1, used), *(1 + most(first + 1, used | {e}) for e in free), 0)

    return most(0, frozenset())


@pytest.mark.parametrize("match", [ONSET_OFFSET, ONSET, MIDPOINT])
def test_at_every_threshold_as_many_are_matched_as_can_be(match):
    draw, rule = np.random.default_rng(1), MatchRule(match, 20, 200)
    for _ in range(150):
        events, detections = (
            np.repeat(10 * draw.integers(0, 12, (n, 1)), 2, axis=1)
            + 10 * draw.integers(0, 4, (n, 1)) * [0, 1]
            for n in draw.integers(0, 7, 2)
        )
        scores = draw.integers(0, 4, len(detections)).astype(float)
        found = metrics.matches(events, detections, scores, rule)
        pairs = [(int(e), int(d)) for d, e in enumerate(found) if e >= 0]
        assert len({e for e, _ in pairs}) == len(pairs)
        assert all(fits(tuple(events[e]), tuple(detections[d]), rule) for e, d in pairs)
        for threshold in np.unique(scores):
            kept = scores >= threshold
            given = [tuple(map(int, each)) for each in detections[kept]]
            most = most_pairs([tuple(map(int, each)) for each in events], given, rule)
            assert (found[kept] >= 0).sum() == most


def drawn(seed: int, rows: int = 12, labels: int = 3) -> tuple[np.ndarray, ...]:
    """The label, row, score and hit of detections, the events of each row and label, and the times in ms."""
    draw = np.random.default_rng(seed)
    number = 150
    label, row = draw.integers(0, labels, number), draw.integers(0, rows, number)
    score, hit = np.round(draw.normal(0, 1, number), 2), draw.random(number) < 0.6
    events = np.zeros((rows, labels), int)
    np.add.at(events, (row[hit], label[hit]), 1)
    return label, row, score, hit, events + draw.integers(0, 2, events.shape), np.full(rows, 600_000)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_thresholds_are_those_of_trying_all(seed):
    """TWV by F4DE's definition, and the miss rate, at every score."""
    label, row, score, hit, events, time = drawn(seed)
    beta, rate = 5.0, 6.0
    choose = partial(metrics.useful_thresholds, events=events.sum(axis=0), time=time, rate=rate, beta=beta)
    chosen = choose(label, score, hit)
    for fewer in (label, score, hit), (label[:2], score[:2], hit[:2]), (label[:0], score[:0], hit[:0]):
        assert choose(*fewer).shape == chosen.shape  # or no two systems can be paired
    parts = []
    for threshold in (0.25, *chosen):
        for kept in (hit & (score >= threshold), score >= threshold):
            part = np.zeros_like(events)
            np.add.at(part, (row[kept], label[kept]), 1)
            parts.append(part)
    whole = total(EventCounts(np.stack(parts[::2], -1), np.stack(parts[1::2], -1), events, time))

    def by_definition(threshold: float) -> tuple[float, float, float]:
        losses = []
        for each in range(3):
            kept = (label == each) & (score >= threshold)
            of_label, seconds = events[:, each].sum(), time.sum() / 1000
            p_miss, p_fa = 1 - (kept & hit).sum() / of_label, (kept & ~hit).sum() / (seconds - of_label)
            losses.append(p_miss + beta * p_fa)
        kept = score >= threshold
        missed = 1 - (kept & hit).sum() / events.sum()
        return 1 - float(np.mean(losses)), missed, (kept & ~hit).sum() / (time.sum() / HOUR)

    every = [by_definition(each) for each in (*np.unique(score), np.inf)]
    assert metrics.actual_value(whole, beta=beta) == pytest.approx(by_definition(0.25)[0], abs=1e-12)
    assert metrics.maximum_value(whole, beta=beta) == pytest.approx(max(each[0] for each in every), abs=1e-12)
    best = min(missed for _, missed, false_alarms in every if false_alarms <= rate)
    assert metrics.miss_rate_at(whole, rate=rate) == pytest.approx(best, abs=1e-12)


F4DE = [
    *[(5, 1, 3, 0.0950), (5, 0, 0, 0), (8, 6, 2, 0.6800), (29, 25, 10, 0.5118), (13, 9, 8, 0.4123)],
    *[(9, 5, 4, 0.4155), (8, 5, 2, 0.5550), (5, 5, 0, 1), (10, 5, 1, 0.4650), (89, 43, 20, -0.2189)],
    *[(22, 15, 6, 0.4717), (11, 9, 2, 0.7482), (11, 6, 5, 0.3704), (10, 9, 4, 0.76), (10, 8, 3, 0.6950)],
    *[(9, 7, 1, 0.7428), (9, 7, 1, 0.7428), (26, 22, 5, 0.6710), (14, 11, 9, 0.4706), (7, 3, 4, 0.2886)],
    *[(28, 24, 4, 0.7170), (21, 19, 4, 0.7647), (20, 14, 8, 0.4199), (15, 12, 2, 0.73), (13, 11, 2, 0.7761)],
    *[(1, 1, 0, 1), (27, 21, 8, 0.4976), (10, 9, 3, 0.7950), (9, 7, 14, 0.2878), (8, 7, 1, 0.84)],
    *[(0, 0, 0, np.nan), (0, 0, 0, np.nan), (0, 0, 3, np.nan)],
]
"""The occurrences, hits and false alarms of 33 keywords in 28,576 trials, and the term-weighted value that NIST's F4DE
3.5.0 prints for each in its test of KWSEval (res_test5b.txt); keywords that do not occur have none. F4DE rounds the
trials, 28,575.908 seconds."""


def test_the_actual_values_are_those_of_f4de():
    events, hits, false_alarms, expected = np.array(F4DE).T[..., np.newaxis]
    counts = hits, hits + false_alarms, events[:, 0]
    assert round(metrics.actual_value(EventCounts(*counts, 28_576_000)), 4) == 0.5568
    each = EventCounts(*(side[:, np.newaxis] for side in counts), np.full(len(F4DE), 28_576_000))
    np.testing.assert_array_equal(metrics.actual_value(each).round(4), expected[:, 0])


def test_a_perfect_value_without_false_alarms_has_an_interval_for_those_of_other_sets():
    """No false alarm in 10 recordings of 100 s still allows for 3.69 in 1,000 s, by Poisson."""
    ones = np.ones((10, 1, 1), int)
    low, high, _ = metrics.maximum_value_interval(
        EventCounts(ones, ones, ones[..., 0], np.full(10, 100_000)), beta=10.0
    )
    assert high == 1
    assert 1 - 3.69 * 10 / 990 - 0.31 < low < 1 - 3.68 * 10 / 990


def test_scores_without_events_are_undefined():
    none = EventCounts(np.zeros((2, 1), int), np.ones((2, 1), int), np.zeros(2, int), 1000)
    for formula in (metrics.actual_value, metrics.maximum_value, metrics.recall):
        with pytest.raises(ValueError, match="undefined"):
            formula(none)
