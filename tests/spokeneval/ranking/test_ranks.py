"""Tests of simultaneous rank sets: published ranges, a plain loop, and the coverage in simulations."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from spokeneval.metrics.bootstrap import SEED, resample_weights
from spokeneval.ranking.ranks import known_by_bands, lead_p_values, rank_sets, ranks, ranks_known

PISA = """
Japan           526.973 2.471  1  6  Korea          525.933 3.121  1  7  Estonia        523.415 1.744  1  6
Netherlands     519.231 2.632  1 11  Poland         515.648 2.602  1 12  Switzerland    515.315 2.908  1 13
Canada          512.017 2.357  3 17  Denmark        509.398 1.735  4 18  Slovenia       508.898 1.364  4 18
Belgium         508.070 2.263  4 18  Finland        507.301 1.968  4 18  Sweden         502.388 2.654  5 24
United_Kingdom  501.770 2.564  6 24  Norway         500.964 2.219  7 24  Germany        500.044 2.647  7 25
Ireland         499.633 2.199  8 25  Czech_Republic 499.468 2.461  7 25  Austria        498.942 2.971  7 26
Latvia          496.126 1.963 12 26  France         495.408 2.320 12 26  Iceland        495.187 1.953 12 26
New_Zealand     494.490 1.706 12 26  Portugal       492.487 2.685 12 31  Australia      491.360 1.940 12 30
Italy           486.590 2.780 15 31  Slovakia       486.165 2.556 18 31  Luxembourg     483.421 1.098 23 31
Spain           481.393 1.462 24 31  Lithuania      481.191 1.953 23 31  Hungary        481.083 2.320 23 31
United_States   478.245 3.235 23 32  Israel         463.035 3.499 31 34  Turkey         453.508 2.260 32 34
Greece          451.370 3.091 32 34  Chile          417.407 2.416 35 36  Mexico         408.801 2.493 35 36
Colombia        390.932 2.990 37 37
"""
"""PISA 2018, mathematics: score, standard error, and the 95 % simultaneous range of ranks that the plot in the
documentation of the authors' own package shows (1,000 draws of their own)."""


def test_the_published_ranges_of_pisa_come_out():
    cells = np.array(PISA.split()).reshape(-1, 5)[:, 1:].astype(float)
    assert len(cells) == 37
    scores, errors = cells[:, 0], cells[:, 1]
    drawn = scores + errors * np.random.RandomState(0).normal(size=(2000, 37))
    found = np.array(rank_sets(scores, drawn, units=100_000, higher=True))  # normal: as of very many units
    apart = np.abs(found - cells[:, 2:])
    assert apart.max() <= 1  # draws differ
    assert (apart == 0).mean() > 0.9


def rank_bands(*boards, **how):
    return ranks_known(known_by_bands(*boards, **how))


def deviations(scores, resampled, units):
    """The lead of each ordered pair and its deviations by definition, with the same chi-squared draws."""
    systems = range(len(scores))
    pairs = [(a, b) for a in systems for b in systems if a < b]
    chi = np.random.RandomState(SEED).chisquare(units - 2, (len(resampled), len(pairs)))
    gaps = {}
    for index, (a, b) in enumerate(pairs):
        moved = resampled[:, a] - resampled[:, b] - (scores[a] - scores[b])
        lead = scores[a] - scores[b]
        for pair, sign in (((a, b), 1), ((b, a), -1)):
            falls = [max(0, -sign * move) for move in moved]
            error = math.sqrt(2 * sum(fall**2 for fall in falls) / len(falls))
            drawn = [fall / error / math.sqrt(c / (units - 2)) for fall, c in zip(falls, chi[:, index])]
            gaps[pair] = sign * lead / error / math.sqrt(units / (units - 1)), drawn
    return gaps


def loop(scores, resampled, units):
    """The rank sets by definition: all ordered pairs, rejected step by step."""
    systems, gaps, rejected = range(len(scores)), deviations(scores, resampled, units), set()
    while True:
        left = [pair for pair in gaps if pair not in rejected]
        largest = sorted(max(gaps[pair][1][row] for pair in left) for row in range(len(resampled)))
        critical = largest[math.ceil(0.95 * len(largest)) - 1]
        new = {pair for pair in left if gaps[pair][0] > critical}
        if not new:
            break
        rejected |= new
    return [
        (1 + sum((b, a) in rejected for b in systems), len(scores) - sum((a, b) in rejected for b in systems))
        for a in systems
    ]


def board(rng, systems, units, gap):
    """Scores and joint resamples of systems with gaps of so many standard errors, and their true ranks."""
    truth = -gap / math.sqrt(units) * np.arange(systems)
    values = rng.normal(size=(units, systems)) + truth
    resampled = resample_weights(units, resamples=400) @ values / units
    return values.mean(axis=0), resampled, 1 + (truth > truth[:, np.newaxis]).sum(axis=1)


@pytest.mark.parametrize(("gap", "units"), [(1, 8), (2, 15), (4, 60)])
def test_steps_agree_with_a_plain_loop(gap, units):
    for seed in range(8):
        scores, resampled, _ = board(np.random.default_rng(seed), 6, units, gap)
        found = rank_sets(scores, resampled, units=units, higher=True)
        assert found == loop(scores, resampled, units)
        assert (1, 6) not in found[:1] or gap < 4
        assert rank_sets(-scores, -resampled, units=units, higher=False) == found


@pytest.mark.parametrize("gap", [0, 1, 4])
def test_p_values_are_those_of_a_loop_and_fit_the_ranks(gap):
    scores, resampled, _ = board(np.random.default_rng(gap), 5, 30, gap)
    single, adjusted = lead_p_values(scores, resampled, units=30, higher=True)
    gaps = deviations(scores, resampled, 30)
    stronger = 0.0
    for pair in sorted(gaps, key=lambda pair: -gaps[pair][0]):
        lead, own = gaps[pair]
        weaker = np.max([drawn for other, drawn in gaps.values() if other <= lead], axis=0)
        stronger = max(stronger, 1 / 400, np.mean(weaker >= lead))
        if lead > 0:
            assert single[pair] == pytest.approx(max(1 / 400, np.mean(np.array(own) >= lead)))
            assert adjusted[pair] == adjusted[pair[::-1]] == pytest.approx(stronger)
    better = (adjusted <= 0.05) & (scores[:, np.newaxis] > scores)
    assert ranks_known(better) == rank_sets(scores, resampled, units=30, higher=True)
    assert (lead_p_values(-scores, -resampled, units=30, higher=False)[1] == adjusted).all()
    assert (lead_p_values(scores, resampled, units=5, higher=True)[1] == 1).all()


def test_bands_are_simultaneous_intervals_by_definition():
    scores, resampled, _ = board(np.random.default_rng(3), 7, 30, 3)
    systems, chi = range(7), np.random.RandomState(SEED)
    precision = [1 / statistics.pvariance(resampled[:, a] - scores[a]) for a in systems]
    moves = []
    for row in resampled:
        common = sum(p * (row[a] - scores[a]) for a, p in zip(systems, precision)) / sum(precision)
        moves.append([row[a] - scores[a] - common for a in systems])
    error = {
        (a, sign): math.sqrt(2 * statistics.fmean(max(0, sign * move[a]) ** 2 for move in moves))
        for a in systems
        for sign in (1, -1)
    }
    largest = [
        max(
            abs(move[a]) / error[a, math.copysign(1, move[a])] / math.sqrt(c / 28)
            for a, c in enumerate(varied)
        )
        for move in moves
        for varied in [chi.chisquare(28, 7)]
    ]
    critical = sorted(largest)[-1 - int(0.05 * len(largest))] * math.sqrt(30 / 29)
    low, high = ([scores[a] + sign * critical * error[a, sign] for a in systems] for sign in (-1, 1))
    expected = [(1 + sum(x > high[a] for x in low), 7 - sum(x < low[a] for x in high)) for a in systems]
    assert rank_bands(scores, resampled, units=30, higher=True) == expected
    assert rank_bands(-scores, -resampled, units=30, higher=False) == expected
    assert len({*expected}) > 3


def test_a_thousand_systems_have_ranges_at_once_and_not_much_wider_than_those_of_pairs():
    """Error rates, from 3 % to 100 %, whose errors grow with the rate; the pairwise ranges are of 60 systems."""
    rng, weights = np.random.default_rng(0), resample_weights(100) / 100
    for systems in (60, 1000):
        truth = np.geomspace(0.03, 1, systems)
        values = (
            rng.poisson(60 * truth * rng.gamma(4, 1 / 4, (100, 1)) * rng.gamma(8, 1 / 8, (100, systems))) / 60
        )
        scores, resampled = values.mean(axis=0), weights @ values
        best, worst = np.transpose(rank_bands(scores, resampled, units=100, higher=False))
        assert ((best <= np.arange(1, systems + 1)) & (worst >= np.arange(1, systems + 1))).all()
        if systems == 60:
            first, last = np.transpose(rank_sets(scores, resampled, units=100, higher=False))
            assert 1 < (worst - best + 1).mean() / (last - first + 1).mean() < 1.35
    assert (worst - best + 1).mean() < 400
    assert worst[0] < 300


@pytest.mark.parametrize("find", [rank_sets, rank_bands])
@pytest.mark.parametrize(("gap", "units"), [(0, 8), (0, 200), (0.2, 30)])
def test_all_ranks_hold_at_once(gap, units, find):
    # At 95 %, fewer than 43 of 50 boards have a chance of 0.4 %; percentiles of ranks hold far less often.
    rng = np.random.default_rng(5)
    held = percentiles = 0
    for _ in range(50):
        scores, resampled, truth = board(rng, 10, units, gap)
        best, worst = np.transpose(find(scores, resampled, units=units, higher=True))
        last = 10 - (truth > truth[:, np.newaxis]).sum(axis=1)  # equal systems may have any of their ranks
        held += bool(((best <= truth) & (worst >= last)).all())
        ranks = 1 + (resampled[:, np.newaxis] > resampled[:, :, np.newaxis]).sum(axis=2)
        low, high = np.percentile(ranks, [2.5, 97.5], axis=0)
        percentiles += bool(((low <= truth) & (high >= last)).all())
    assert held >= 43 > 30 > percentiles


@pytest.mark.parametrize("find", [rank_sets, rank_bands])
def test_fewer_than_six_units_tell_nothing(find):
    scores, resampled, _ = board(np.random.default_rng(0), 3, 6, 50)
    assert find(scores, resampled, units=6, higher=True) == [(1, 1), (2, 2), (3, 3)]
    assert find(scores, resampled, units=5, higher=True) == [(1, 3)] * 3


@pytest.mark.parametrize("find", [rank_sets, rank_bands])
def test_identical_systems_are_never_separated(find):
    scores, resampled, _ = board(np.random.default_rng(1), 2, 40, 9)
    twins = [0, 0, 1]
    found = find(scores[twins], resampled[:, twins], units=40, higher=True)
    assert found == [(1, 2), (1, 2), (3, 3)]
    noise = 1e-13 * np.array([0, 1, 0])
    assert find(scores[twins] + noise, resampled[:, twins] + noise, units=40, higher=True) == found


@pytest.mark.parametrize("find", [rank_sets, rank_bands])
def test_resamples_without_a_score_are_left_out(find):
    scores, resampled, _ = board(np.random.default_rng(2), 2, 40, 9)
    resampled[::2, 0] = np.nan
    assert find(scores, resampled, units=40, higher=True) == [(1, 1), (2, 2)]
    assert find(scores, np.full((9, 2), np.nan), units=40, higher=True) == [(1, 2), (1, 2)]


def test_ranks_share_the_better_rank():
    assert ranks(np.array([3.0, 5.0, 5.0, 1.0]), higher=True).tolist() == [3, 1, 1, 4]
    assert ranks(np.array([3.0, 5.0, 5.0, 1.0]), higher=False).tolist() == [2, 3, 3, 1]
    assert ranks(np.array([1.0, 1.0 + 1e-12, 1.0 + 1e-9]), higher=True).tolist() == [2, 2, 1]
    # Equal to ten decimals or different in the tenth
    assert ranks(np.array([1.0, 1.0 + 4e-11, 1.0 + 1e-10]), higher=True).tolist() == [2, 2, 1]
