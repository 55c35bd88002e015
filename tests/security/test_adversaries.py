"""Attacks that read labels from a leaderboard: they work on exact scores and gain little from coarse feedback.

`benchmarks/bench_adversaries.py` measures the same attacks at full length
(docs/measurements/leaderboard.md has its tables). Here they run on the same sets, within the default limits.
"""

import json
import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from benchmarks import bench_timing
from benchmarks.adversaries import cases, climbing, flips, integer_program, probes, sealed, turns, weights
from benchmarks.adversaries.boards import Board, attack, board_of, entropy, points_right
from benchmarks.bench_adversaries import case_of
from speechbundles.bundle.check.budget import NARROWEST, TOLERATED, Unknown, bits_of_step
from spokeneval.scoring.reference import items_fingerprint
from tests.samples.programs import ROOT, run_score

MORE_THAN_CLIMBING = 2.0
"""Points that decoding attacks may gain above random climbing with the same number of attempts."""


def default_of(name):
    return board_of(case_of(name))


@cache
def blind_rounds(name, repeats):
    case = case_of(name)
    rng = np.random.default_rng(11)
    submit = climbing.two_valued(case)
    return [climbing.ask_at_random(Board(case), submit, case.attempts, rng) for _ in range(repeats)]


def blind_points(board, name, repeats=8):
    """Return the mean number of points above guessing that random climbing gains."""
    rng = np.random.default_rng(12)
    return float(np.mean([climbing.blind_points(board, asked, rng) for asked in blind_rounds(name, repeats)]))


@cache
def informed_rounds(repeats):
    case = cases.psst_correctness()
    rng = np.random.default_rng(13)
    return [climbing.ask_at_random(Board(case), case.vary, case.attempts - 1, rng) for _ in range(repeats)]


def informed_points(board, repeats=8):
    """Return the points above PSST's correctness baseline gained by climbing on the items where it is uncertain."""
    case = board.case
    start = (case.said == case.labels).mean()
    ends = [climbing.informed_end(board, asked) for asked in informed_rounds(repeats)]
    return 100 * float(np.mean([(end["prediction"] == case.labels).mean() - start for end in ends]))


# These boards show the same lines as the program does on the platform.


@pytest.mark.parametrize("floored", [False, True])
def test_the_program_gives_the_lines_of_the_boards(tmp_path, floored):
    case = cases.psst_correctness()
    board = board_of(case, "1 floor" if floored else "1", "all")
    told = {"steps": board.steps, "floor": board.floor} if floored else {"steps": board.steps}
    items = items_fingerprint(case.reference.items.ids)
    options = {"feedback": "coarse", "sets": {items: told}}
    reference = (ROOT / "reference_data/psst_correctness/evaluation/utterances.tsv").read_bytes()
    better = case.give(np.where(np.arange(len(case.labels)) < 500, case.labels, case.said))
    guess = climbing.two_valued(case)(np.random.default_rng(1).normal(size=len(case.labels)))
    for number, submission in enumerate((better, guess)):
        answers = zip(case.reference.items.ids, submission["prediction"].tolist(), strict=True)
        text = "".join(f"{item}\t{bool(answer)}\n" for item, answer in answers)
        files = {"correctness.tsv": "utterance_id\tprediction\n" + text}
        folder = tmp_path / str(number)
        run = run_score("psst_correctness", folder, {"utterances.tsv": reference}, files, options)
        assert run.status == 0, run.stderr
        assert run.scores == json.loads(json.dumps(board.ask(submission)))


# Random climbing


@pytest.mark.default_cases("psst_correctness", "spoken_call")
@pytest.mark.parametrize(
    ("name", "least", "repeats"),
    [
        ("spoken_call", 2.0, 8),
        ("psst_correctness", 4.0, 8),
        ("psst_recognition", 0.8, 4),
        ("caller_experience", 4.0, 5),
        ("content", 4.0, 5),
    ],
)
def test_random_climbing_gets_half_of_what_exact_scores_give_at_most(name, least, repeats):
    exact = blind_points(Board(case_of(name)), name, repeats)
    assert exact > least
    assert blind_points(default_of(name), name, repeats) <= exact / 2


def test_climbing_from_the_baseline_gets_no_more_than_from_exact_scores():
    """The bound is not half, as for random climbing: an attacker with a system at the floor can still climb.

    See docs/measurements/leaderboard.md.
    """
    exact = informed_points(Board(cases.psst_correctness()))
    assert exact > 2
    assert informed_points(default_of("psst_correctness")) <= exact


# Attacks that decode


def test_weights():
    case = cases.content()
    exact, unknown = Board(case), np.zeros(len(case.labels), dtype=int)
    assert (attack(exact, weights.decode, unknown, case.attempts) == case.labels).all()
    assert exact.attempts <= 12
    board = default_of("content")
    found = points_right(case.labels, weights.most_found(board))
    assert found <= blind_points(board, "content", 5) + MORE_THAN_CLIMBING


def test_turns():
    case = cases.merlion_diarization(12)

    def decoded(board):
        return attack(board, turns.decode, np.zeros(len(case.labels), dtype=int), case.attempts)

    exact = Board(case)
    right = decoded(exact) == case.labels
    reached = slice(0, 2 * len(turns.LENGTHS) * exact.attempts)
    spoken = case.labels[reached] >= 0
    assert right[reached][spoken].mean() > 0.99
    assert points_right(case.labels, decoded(board_of(case))) <= MORE_THAN_CLIMBING


def test_group_tests_learn_several_labels_from_each_attempt():
    """A group of 13 answers of a system that is right on 95 % has an error half of the time: 0.95 ** 13 = 0.51.

    With the attempts that `check` permits without a warning for one column, this attack makes less than a tenth
    certain; others find more (docs/measurements/leaderboard.md).
    """
    case = cases.psst_correctness()
    unknown = Unknown(np.bincount(case.labels).tolist())
    permitted = int(TOLERATED * unknown.bits / bits_of_step(NARROWEST))
    for seed, board in enumerate((Board(case), *(default_of("psst_correctness") for _ in range(3)))):
        rng = np.random.default_rng(seed)
        board.case = cases.right_on(case, 0.95, rng)
        tests = partial(flips.group_tests, wrong=0.05, rng=rng)
        certain = attack(board, tests, flips.Certain.none(len(case.labels)), 300)
        at = certain.since > 0
        assert (certain.labels == case.labels)[at].all()
        assert certain.share(300) == 1
        assert certain.share(65) > 0.2  # 65 single labels are a tenth
        assert certain.share(permitted) < 0.1
        for attempts in (3, 30, 65, 100, 300):
            assert certain.share(attempts) <= attempts * bits_of_step(NARROWEST) / unknown.bits


@pytest.mark.parametrize("alike", [True, False])
def test_climbing_at_an_edge_is_certain_and_the_budget_counts_it(alike):
    """A label for each attempt: the limit on attempts decides how many labels an adversary knows."""
    case = cases.psst_correctness()
    n = len(case.labels)
    climb = partial(flips.climb_edge, tried=case.doubtful, rng=np.random.default_rng(9), alike=alike)
    certain = attack(default_of("psst_correctness"), climb, flips.Certain.none(n), 1000)
    at = certain.since > 0
    assert (certain.labels == case.labels)[at].all()
    assert certain.share(1000) == 1 if alike else 0.5 < certain.share(1000) < 1
    unknown = Unknown(np.bincount(case.labels).tolist())
    for attempts in (10, 30, 100, 300, 1000):
        assert certain.share(attempts) <= attempts / n
        assert certain.share(attempts) <= attempts * bits_of_step(NARROWEST) / unknown.bits
    assert certain.share(3) == 0 < certain.share(30) < 0.1


def test_without_a_guess_of_its_errors_a_system_at_the_floor_meets_no_edge_in_30_attempts():
    case = cases.psst_correctness()
    n = len(case.labels)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        climb = partial(flips.climb_edge, tried=np.arange(n), rng=rng, rate=0.01, alike=True)
        found = attack(default_of("psst_correctness"), climb, flips.Certain.none(n), 30)
        assert found.share(30) == 0


def test_interval_probes():
    case = cases.psst_correctness()
    assert entropy(probes.lines_of_labellings(case, 42)) == 0  # no more certain than independent items
    wrong = np.arange(len(case.labels)) < len(case.labels) // 6  # whole sessions
    case = replace(case, said=np.where(wrong, 1 - case.labels, case.labels))
    lines = probes.lines_of_labellings(case, 42)
    assert len({line["f1"] for line in lines}) == 1
    assert entropy(lines) > 0.75 * math.log2(len(lines))
    quarter = board_of(case, "0.25", ends=True)
    assert entropy([quarter.shown(line) for line in lines]) > 0
    board = default_of("psst_correctness")
    assert len({json.dumps(board.shown(line)) for line in lines}) == 1
    # They are above the floor, as on a set where the probe is better.
    better = [{**line, "f1": 0.95} for line in lines]
    assert len({json.dumps(board.shown(line)) for line in better}) == 1


@pytest.mark.thorough
def test_an_integer_program():
    case = cases.psst_correctness()
    start = case.said
    draw = np.random.default_rng(5)

    def gained(board, places):
        decoded = integer_program.decode(board, start, places, np.random.default_rng(6), 2)
        right = decoded == case.labels
        return right[places].all(), 100 * float(right.mean() - (start == case.labels).mean())

    all_right, _ = gained(Board(case), draw.choice(case.doubtful, 60, replace=False))
    assert all_right
    climbed = informed_points(default_of("psst_correctness"))
    for size in (60, 150):
        places = draw.choice(case.doubtful, size, replace=False)
        _, points = gained(default_of("psst_correctness"), places)
        assert points <= climbed + MORE_THAN_CLIMBING


# A sealed half


@pytest.mark.thorough
def test_ten_thousand_submissions_gain_nothing_on_a_sealed_half():
    case = cases.psst_correctness()
    rng = np.random.default_rng(21)
    default, exact = [], []
    for _ in range(30):
        halves = sealed.draw_halves(case, rng)
        default.append(sealed.climb(case, halves, 10_000, rng, "1 floor"))
        if len(exact) < 3:
            exact.append(sealed.climb(case, halves, 10_000, rng))
    assert np.mean(exact, axis=0)[0] > 5  # the open half is learned
    assert np.mean(default, axis=0)[1] <= 0.2


# Time and failures


@pytest.mark.default_cases("psst_correctness", "merlion_identification")
@pytest.mark.parametrize("name", bench_timing.CASES)
def test_no_labels_make_a_run_fail(name):
    """`benchmarks/bench_timing.py` measures the time of the same runs."""
    rng = np.random.default_rng(14)
    case = bench_timing.small_case(name)
    for _ in range(3):
        for order in bench_timing.orders(case.reference, rng).values():
            other = bench_timing.exchanged(case.reference, order)
            _, _, failed = bench_timing.times_and_failures(case, other, 4, rng)
            assert not failed.any()
