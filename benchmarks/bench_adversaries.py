"""What leaderboards reveal about hidden labels: attacks on sets of the published sizes, for several kinds of board.

    python -m benchmarks.bench_adversaries [--quick]

The kinds are `exact` scores; scores in steps of a quarter, a half, one and two standard errors of the baseline's score;
and steps with a floor, below which every submission gets the baseline's line. The numbers of attempts are those of the
default limits. It takes about eighteen minutes; `--quick` repeats less and skips MERLIon CCS.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.adversaries import cases, climbing, flips, integer_program, probes, sealed, turns, weights
from benchmarks.adversaries.boards import ALONE, DEFAULT, Board, attack, board_of, entropy, points_right
from benchmarks.adversaries.cases import Case

SHEETS = ("spoken_call", "psst_correctness", "psst_recognition", "caller_experience", "content")
BOARDS = ("exact", "0.25", "0.5", "1", "2", "1 floor", "2 floor", DEFAULT)
EDGE_BOARDS = ("exact", "1", "1 floor", "2 floor", DEFAULT)
LINE_BOARDS = ("0.5", "1", "2", "1 floor")
CALIBRATED = "calibrated"
TABLE_BOARDS = ("1 floor", "all at 1", DEFAULT, ALONE)

Cell = Callable[[str], Any]
"""A function from a kind of board to a number, or to one for each row of a table."""
Rows = Iterator[tuple[Sequence[str], Cell]]
"""The names of rows of a table, and the function for their cells."""


def case_of(name: str) -> Case:
    case: Case = getattr(cases, name)()
    return case


def table(title: str, rows: Rows, kinds: Sequence[str] = BOARDS) -> None:
    print(f"\n{title}")
    print(f"{'':52s}" + "".join(f"{kind:>10s}" for kind in kinds), flush=True)
    for names, cell in rows:
        columns = [np.atleast_1d(cell(kind)).tolist() for kind in kinds]
        for name, values in zip(names, zip(*columns, strict=True), strict=True):
            print(f"{name:52s}" + "".join(f"{value:10.2f}" for value in values), flush=True)


def mean_of(cell: Callable[..., Any], over: Sequence[Any]) -> Cell:
    """Return the mean of a cell over its repetitions: arguments after the kind of board."""
    return lambda kind: np.mean([cell(kind, each) for each in over], axis=0)


def blind_climbs(names: Sequence[str], repeats: int) -> Rows:
    """Yield labels right above chance, by random answers to all items."""
    for name in names:
        case = case_of(name)
        rng = np.random.default_rng(1)
        skipped = 40 if name == "merlion_diarization" else 200
        rng.random((skipped, len(case.labels)))  # the published numbers are from the draws after these
        yield _blind(case, name, case.attempts, repeats, rng)


def _rounds(case: Case, submit: Any, attempts: int, repeats: int, rng: np.random.Generator) -> Any:
    return [climbing.ask_at_random(Board(case), submit, attempts, rng) for _ in range(repeats)]


def _blind(case: Case, name: str, attempts: int, repeats: int, rng: np.random.Generator) -> Any:
    rounds = _rounds(case, climbing.two_valued(case), attempts, repeats, rng)
    return [name], mean_of(
        lambda kind, asked: climbing.blind_points(board_of(case, kind), asked, rng), rounds
    )


def informed_climbs(names: Sequence[str], repeats: int) -> Rows:
    """Yield the gain in primary score over the baseline, by random answers to items where the baseline is doubtful."""
    for name in names:
        case = case_of(name)
        yield _informed(case, name, case.attempts - 1, repeats, np.random.default_rng(2))


def _informed(case: Case, name: str, attempts: int, repeats: int, rng: np.random.Generator) -> Any:
    judge, rounds = Board(case), _rounds(case, case.vary, attempts, repeats, rng)
    base, error = judge.primary(case.baseline), case.errors[case.task.primary.key]

    def gain(kind: str, asked: climbing.Asked) -> float:
        return (judge.primary(climbing.informed_end(board_of(case, kind), asked)) - base) / error

    return [name], mean_of(gain, rounds)


def long_phase(attempts: int) -> Rows:
    """Yield labels right above chance and gains for a thousand attempts, as in MERLIon CCS's second phase."""
    case, rng = case_of("merlion_identification"), np.random.default_rng(7)
    blind = _blind(case, f"blind, {attempts} attempts: points", attempts, 1, rng)
    informed = _informed(case, f"informed, {attempts} attempts: gain", attempts, 1, rng)
    yield from (blind, informed)


def decoders(quick: bool) -> Rows:
    """Yield labels right above chance, or above the start of an attack, by attacks that decode labels."""
    yield ["weights, 200 responses"], _weighed_points
    if not quick:
        yield ["turns, the 1,872 instants that 39 attempts reach"], _timed_points
    case = case_of("psst_correctness")
    for title, system in (("baseline", case), ("better system", cases.somewhat_better(case))):
        for columns in ("all", "primary"):
            yield [f"integer program, {title}, {columns}"], partial(_fitted_points, system, columns, quick)
        rounds = _rounds(system, system.vary, case.attempts - 1, 10, np.random.default_rng(2))
        yield [f"(climbing, {title})"], mean_of(partial(_climbed_points, system), rounds)


def _weighed_points(kind: str) -> float:
    case = case_of("content")
    return points_right(case.labels, weights.most_found(board_of(case, kind, "all")))


def _timed_points(kind: str) -> float:
    case = case_of("merlion_diarization")
    board = board_of(case, kind, "all")
    decoded = attack(board, turns.decode, np.zeros(len(case.labels), dtype=int), case.attempts)
    asked = slice(0, 2 * len(turns.LENGTHS) * board.attempts)
    return points_right(case.labels[asked], decoded[asked])


def _points_above(case: Case, answers: np.ndarray) -> float:
    """Return how many more labels are right than those that the system claims, in points."""
    return 100 * float((answers == case.labels).mean() - (case.said == case.labels).mean())


def _climbed_points(system: Case, kind: str, asked: climbing.Asked) -> float:
    end = climbing.informed_end(board_of(system, kind), asked)
    return _points_above(system, end["prediction"])


FITTED = (40, 70, 150)
"""Numbers of doubtful answers that the integer program asks about; the best result is taken."""


def _fitted_points(case: Case, columns: str, quick: bool, kind: str) -> float:
    """Return labels right above the start, in points, by the integer program on some of the doubtful answers."""

    def points(kind: str, size: int, seed: int) -> float:
        rng = np.random.default_rng(6 + seed)
        places = np.sort(rng.choice(case.doubtful, min(size, len(case.doubtful)), replace=False))
        decoded = integer_program.decode(board_of(case, kind, columns), case.said, places, rng, 1)
        return _points_above(case, decoded)

    seeds = range(1 if quick else 3)
    return max(float(np.mean([points(kind, size, seed) for seed in seeds])) for size in FITTED)


def edge_climbs(quick: bool) -> Rows:
    """Yield the share of labels, in per cent, that an adversary at the edge of a step knows for certain.

    The baseline's answers are flipped at random until the line changes: half of the doubtful ones, or one in a hundred
    of all answers. Certain labels are right, except in diarization, where the language can change within the two
    seconds around an instant: there, only the right ones are counted.
    """
    for name, tries, limits, repeats in (
        ("psst_correctness", "doubtful", (30, 1000, 10_000), 10),
        ("psst_correctness", "any", (30, 1000, 10_000), 5),
        ("spoken_call", "doubtful", (30, 1000, 10_000), 3),
        ("merlion_identification", "doubtful", (39, 1039), 1),
        ("merlion_diarization", "doubtful", (39, 1039), 1),
    ):
        if quick and name.startswith("merlion"):
            continue
        case = case_of(name)
        if name == "merlion_diarization":
            case = cases.exchange_turns(case)
        tried, rate = (case.doubtful, 0.5) if tries == "doubtful" else (np.arange(len(case.labels)), 0.01)
        options = {"tried": tried, "rate": rate, "alike": name == "psst_correctness"}

        names = [f"{name}, {tries}, {limit} attempts" for limit in limits]
        shares = partial(_edge_shares, case, limits, options)
        yield names, mean_of(shares, range(1 if quick else repeats))


def _edge_shares(case: Case, limits: Sequence[int], options: Any, kind: str, seed: int) -> list[float]:
    climb = partial(flips.climb_edge, rng=np.random.default_rng(9 + seed), **options)
    return _certain_shares(board_of(case, kind), climb, limits)


def _certain_shares(board: Board, strategy: Any, limits: Sequence[int]) -> list[float]:
    """Return the share of the labels, in per cent, that are certain and right after some attempts."""
    labels = board.case.labels
    certain = attack(board, strategy, flips.Certain.none(len(labels)), max(limits))
    there, right = labels >= 0, certain.labels == labels
    if there.all() and not right[certain.since > 0].all():
        raise AssertionError(f"{board.case.task.name}: a label that was certain is wrong")
    found = flips.Certain(certain.labels[there], (certain.since * right)[there])
    return [100 * found.share(limit) for limit in limits]


def group_tests(quick: bool) -> Rows:
    """Yield the share of labels, in per cent, that an adversary with a good system learns from groups.

    In Spoken CALL, responses that are wrong in meaning count three times, so only accepted ones are asked about.
    """
    limits = (3, 17, 30, 65, 300)
    for name, right in (
        *(("psst_correctness", right) for right in (0.85, 0.95, CALIBRATED)),
        *(("spoken_call", right) for right in (0.95, CALIBRATED)),
    ):

        def shares(kind: str, seed: int, name: str = name, right: Any = right) -> list[float]:
            case, rng = case_of(name), np.random.default_rng(seed)
            if right == CALIBRATED:
                system, wrong = cases.calibrated(case, rng)
            else:
                system, wrong = cases.right_on(case, right, rng), 1 - right
            strategy = partial(flips.group_tests, wrong=wrong, rng=rng)
            return _certain_shares(_table_board(system, kind), strategy, limits[: 5 if "psst" in name else 4])

        names = [f"{name}, {right}, {limit} attempts" for limit in limits[: 5 if "psst" in name else 4]]
        yield names, mean_of(shares, range(1 if quick else 10))


def _table_board(case: Case, kind: str) -> Board:
    return board_of(case, "1 floor", "table") if kind == "all at 1" else board_of(case, kind)


def first_attempts(quick: bool) -> Rows:
    """Yield the entropy of the first line of a system that is right on 95 %, whose errors are random."""
    for name in ("spoken_call", "psst_correctness"):
        case, rng = case_of(name), np.random.default_rng(8)
        wrong = rng.random((200 if quick else 2000, len(case.labels))) < 0.05
        lines = [Board(case).exact(case.give(np.where(each, 1 - case.labels, case.labels))) for each in wrong]
        yield [name], lambda kind, case=case, lines=lines: _shown_bits(_table_board(case, kind), lines)


def probe_bits(most: int) -> Rows:
    """Yield the bits that identify a labelling among those with equal counts."""
    case = case_of("psst_correctness")
    lines = probes.lines_of_labellings(case, most)
    yield (
        [f"probes, {len(lines)} labellings"],
        lambda kind: _shown_bits(board_of(case, kind, ends=True), lines),
    )


def _shown_bits(board: Board, lines: Sequence[Any]) -> float:
    return entropy([board.shown(line) for line in lines])


def bits_an_attempt(names: Sequence[str], quick: bool) -> Rows:
    """Yield the entropy of the lines of random answers around the baseline; at most log2 of their number."""
    numbers = {} if quick else {"psst_correctness": 400, "content": 200, "merlion_identification": 60}
    for name in names:
        case, rng = case_of(name), np.random.default_rng(4)
        lines = climbing.ask_at_random(Board(case, ends=True), case.vary, numbers.get(name, 100), rng).lines
        shown = {"primary": {}, "and its ends": {"ends": True}, "all columns": {"columns": "all"}}
        for title, options in shown.items():
            board = partial(board_of, case, **options)
            yield [f"{name}, {title}"], lambda kind, board=board, lines=lines: _shown_bits(board(kind), lines)


def sealed_gains(repeats: int, attempts: int) -> Rows:
    """Yield the gain in score on the open and on the sealed half of PSST correctness, and the standard error."""
    case, rng = case_of("psst_correctness"), np.random.default_rng(5)
    climbs = [(blind, kind) for blind in (True, False) for kind in ("exact", "1", "1 floor")]
    gains = []
    for _ in range(repeats):
        halves = sealed.draw_halves(case, rng)
        gains.append([sealed.climb(case, halves, attempts, rng, kind, blind=blind) for blind, kind in climbs])
    for (blind, kind), (opened, closed) in zip(climbs, np.array(gains).transpose(1, 2, 0), strict=True):
        error = closed.std() / max(1, repeats - 1) ** 0.5
        found = {"open": opened.mean(), "sealed": closed.mean(), "±": error}
        yield [f"{'blind' if blind else 'informed'}, {kind}"], found.__getitem__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, without MERLIon CCS")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    doubtful = SHEETS if quick else (*SHEETS, "merlion_identification")
    names = SHEETS if quick else (*doubtful, "merlion_diarization")
    repeats = 3 if quick else 10
    table("Blind climbing: labels right above chance (points)", blind_climbs(names, repeats))
    table("Climbing from the baseline: score gained (standard errors)", informed_climbs(doubtful, repeats))
    table("Decoding: labels right above chance or above the start (points)", decoders(quick))
    table("Single changes at the edge of a step: certain labels (%)", edge_climbs(quick), EDGE_BOARDS)
    table("Group tests: certain labels (%)", group_tests(quick), (*EDGE_BOARDS[:-1], *TABLE_BOARDS[1:]))
    table("The first attempt of a system right on 95 % (bits)", first_attempts(quick), TABLE_BOARDS)
    table("Interval probes (bits)", probe_bits(63 if quick else 252))
    table(
        "Random answers around the baseline (bits per attempt)", bits_an_attempt(doubtful, quick), LINE_BOARDS
    )
    if not quick:
        table("A thousand attempts, language identification", long_phase(1000))
    gains = sealed_gains(5 if quick else 100, 2000 if quick else 10_000)
    table("PSST correctness, half of the units sealed (standard errors)", gains, ("open", "sealed", "±"))
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
