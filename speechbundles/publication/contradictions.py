"""Sentences that explain figures of a board that seem to contradict each other; none where they agree."""

from collections import Counter
from collections.abc import Sequence

from speechbundles.model.console import shorten
from spokeneval.formats.problems import count_of
from spokeneval.ranking.multiple_comparisons import SIGNIFICANCE
from spokeneval.ranking.tables import shown_p, shown_range
from spokeneval.ranking.values import Pair, Ranking, Row

_LONGEST = 40
"""The most cells of a name in a sentence."""


def intervals_beside_tests(ranking: Ranking) -> list[str]:
    """Return why the interval of a difference includes 0 although p is small, or excludes 0 although p is not."""
    pairs, rows = ranking.pairs, ranking.rows
    found = []
    differing = [pair for pair in pairs if (pair.p <= SIGNIFICANCE) == _includes_0(pair)]
    if differing:
        first = differing[0]
        interval = "includes 0" if _includes_0(first) else "does not include 0"
        found.append(
            f"For {_pairs(differing, rows)}, the interval and p disagree: the first interval {interval}, and p is "
            f"{shown_p(first.p)}. The interval is the range of plausible differences. It is computed from the changes "
            "when one unit at a time is left out, and is wide if few units cause most of the difference. p is the "
            "share of random exchanges of the two systems' results, unit by unit, that give a difference at least as "
            "large. Clusters and the significance map follow p."
        )
    corrected = [pair for pair in pairs if not _includes_0(pair) and pair.p <= SIGNIFICANCE < pair.adjusted]
    if corrected:
        found.append(
            f"For {_pairs(corrected, rows)}, the interval does not include 0, but the difference is not significant: "
            f"an interval is for one pair alone, and p after Holm's correction allows for all {len(pairs)} pairs."
        )
    return found


def _includes_0(pair: Pair) -> bool:
    return pair.interval.low <= 0 <= pair.interval.high


def _pairs(pairs: Sequence[Pair], rows: Sequence[Row]) -> str:
    first, second = (shorten(rows[place].name, _LONGEST) for place in (pairs[0].first, pairs[0].second))
    more = f" and {count_of(len(pairs) - 1, 'other pair')}" if len(pairs) > 1 else ""
    return f"{first} – {second}{more}"


_WIDER = (
    "The ranges of all systems have to be right at once. They are computed from the standard errors of differences, "
    "which are uncertain if few units decide; the test of a pair assumes no distribution. A range that is wider than "
    "the tests suggest is the safer statement."
)
_NARROWER = (
    "Ranges use the sizes of the differences, and assume that these are nearly normal; the tests of pairs assume no "
    "distribution."
)


def ranges_beside_tests(ranking: Ranking) -> list[str]:
    """Return why a range of ranks is wider or narrower than the ranks that the significant differences leave."""
    rows, found = ranking.eligible, []
    significant = [pair for pair in ranking.pairs if pair.adjusted <= SIGNIFICANCE]
    wins, losses = (Counter(getattr(pair, end) for pair in significant) for end in ("first", "second"))
    left = [(1 + losses[place], len(rows) - wins[place]) for place in range(len(rows))]
    for sign, word, why in ((1, "wider", _WIDER), (-1, "narrower", _NARROWER)):
        beyond = [0] * len(rows)
        for place, row in enumerate(rows):
            if row.ranks is not None and ranking.pairs:
                ends = left[place][0] - row.ranks[0], row.ranks[1] - left[place][1]
                beyond[place] = sum(max(0, sign * end) for end in ends)
        place = beyond.index(max(beyond))
        if beyond[place]:
            found.append(
                f"For {count_of(sum(map(bool, beyond)), 'system')}, the range of ranks is {word} than the significant "
                f"differences suggest. {shorten(rows[place].name, _LONGEST)} is significantly better than "
                f"{wins[place] or 'none'} and significantly worse than {losses[place] or 'none'} of the other "
                f"{count_of(len(rows) - 1, 'system')}, so the tests leave {shown_range(left[place])}; "
                f"its range is {shown_range(rows[place].ranks or (0, 0))}. "
                f"{why}"
            )
    return found


def overlaps_beside_tests(ranking: Ranking) -> list[str]:
    """Return why the intervals of two scores overlap although the systems differ significantly."""
    pairs, rows = ranking.pairs, ranking.rows
    overlapping = [
        pair
        for pair in pairs
        if pair.adjusted <= SIGNIFICANCE and _overlap(rows[pair.first].interval, rows[pair.second].interval)
    ]
    if not overlapping:
        return []
    return [
        f"The intervals of {_pairs(overlapping, rows)} overlap, although these systems differ significantly. An "
        "interval shows how one score may change with other units; a difference is tested on the same units, which are "
        "hard or easy for both systems alike, so it is more certain."
    ]


def _overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]
