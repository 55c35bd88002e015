"""What leaderboards reveal about hidden labels: attacks on sets of the published sizes, for several kinds of board.

    python -m benchmarks.bench_adversaries [--quick]

The kinds are `exact` scores; scores in steps of a quarter, a half, one and two standard errors of the baseline's score;
and steps with a floor, below which every submission gets the baseline's line. The numbers of attempts are those of the
default limits. It takes about eighteen minutes; `--quick` repeats less and skips MERLIon CCS.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.adversaries import cases, climbing, flips, integer_program, probes, sealed, turns, weights
from benchmarks.adversaries.boards import (
    Board,
    Line,
    choose_steps,
    entropy,
    errors_of,
    points_right,
    standard_errors,
    with_ends,
    without_ends,
)
from benchmarks.adversaries.cases import Case
from spokeneval.formats import segment_scores
from spokeneval.formats.sheets import Answers
from spokeneval.run.feedback import coarse_scores

CASES: dict[str, Callable[[], Case]] = {
    "spoken_call": cases.spoken_call,
    "psst_correctness": cases.psst_correctness,
    "psst_recognition": cases.psst_recognition,
    "caller_experience": cases.caller_experience,
    "content": cases.content,
    "merlion_identification": cases.merlion_identification,
    "merlion_diarization": cases.merlion_diarization,
}
MULTIPLES = (0.25, 0.5, 1, 2)
BOARDS = ("exact", *(f"{multiple:g}" for multiple in MULTIPLES), "1 floor", "2 floor")


def board_of(name: str, kind: str, columns: str = "primary") -> Board:
    """Return a board of a kind in `BOARDS`, with the primary score only or with all columns."""
    case = CASES[name]()
    if kind == "exact":
        return Board(case)
    errors = errors_of(name)
    keys = [case.task.primary.key] if columns == "primary" else list(errors)
    multiple, _, floored = kind.partition(" ")
    steps = choose_steps(errors, float(multiple), keys)
    floor = coarse_scores(Board(case).exact(case.baseline), steps) if floored else None
    return Board(case, steps, floor)


def table(title: str, rows: Iterator[tuple[str, Sequence[str]]], kinds: Sequence[str] = BOARDS) -> None:
    print(f"\n{title}")
    print(f"{'':52s}" + "".join(f"{kind:>10s}" for kind in kinds), flush=True)
    for name, values in rows:
        print(f"{name:52s}" + "".join(f"{value:>10s}" for value in values), flush=True)


def mean(values: Sequence[float], digits: int = 1) -> str:
    return f"{np.mean(values):.{digits}f}"


def blind_climbs(names: Sequence[str], repeats: int) -> Iterator[tuple[str, list[str]]]:
    """Yield labels right above chance, by random answers to all items, from the primary score and from all columns."""
    for name in names:
        case = CASES[name]()
        rng = np.random.default_rng(1)
        submit = climbing.two_valued(case)
        judge = Board(case)
        trained = climbing.ask_at_random(judge, submit, 40 if name == "merlion_diarization" else 200, rng)
        rounds = [climbing.ask_at_random(judge, submit, case.attempts, rng) for _ in range(repeats)]
        for columns in ("primary", "all"):
            row = []
            for kind in BOARDS:
                board = board_of(name, kind, columns)
                found = []
                for asked in rounds:
                    if columns == "primary":
                        given = climbing.primary_weights(board, asked.lines)
                    else:
                        given = climbing.fitted_weights(board, asked.lines, trained)
                    votes = climbing.votes(asked, given) + 1e-9 * rng.normal(size=len(case.labels))
                    found.append(points_right(case.labels, climbing.deal(case, votes)))
                row.append(mean(found))
            yield f"{name}, {columns}", row


def informed_climbs(names: Sequence[str], repeats: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the gain in primary score over the baseline, by random answers to items where the baseline is doubtful."""
    for name in names:
        case = CASES[name]()
        rng = np.random.default_rng(2)
        judge = Board(case)
        error = errors_of(name)[case.task.primary.key]
        base = judge.primary(case.baseline)
        if not len(case.doubtful):
            continue
        rounds = [climbing.ask_at_random(judge, case.vary, case.attempts - 1, rng) for _ in range(repeats)]
        row = []
        for kind in BOARDS:
            board = board_of(name, kind)
            gains = []
            for asked in rounds:
                end = climbing.informed_end(board, asked)
                gains.append((judge.primary(end) - base) / error)
            row.append(mean(gains, 2))
        yield name, row


def decoders(quick: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield labels right above chance, or above the start of an attack, by attacks that decode labels."""
    content = cases.content()
    for column in ("rmse", "pearson_r"):
        row = []
        for kind in BOARDS:
            board = board_of("content", kind, "all")
            decoded = weights.most_found(content, board, column, content.attempts)
            row.append(mean([points_right(content.labels, decoded)]))
        yield f"weights, 200 responses, {column}", row
    if not quick:
        full = cases.content_full()
        errors = standard_errors(full)
        row = []
        for kind in BOARDS:
            steps = None if kind == "exact" else choose_steps(errors, float(kind.split()[0]), list(errors))
            base = Board(full).exact(full.baseline)
            floor = coarse_scores(base, steps) if steps and "floor" in kind else None
            decoded = weights.decode(Board(full, steps, floor), "rmse", full.attempts)
            row.append(mean([points_right(full.labels, decoded)]))
        yield "weights, 5,934 responses, rmse", row
        diarization = cases.merlion_diarization()
        row, reached = [], []
        for kind in BOARDS:
            board = board_of("merlion_diarization", kind, "all")
            decoded = turns.decode(board, diarization.attempts)
            row.append(mean([points_right(diarization.labels, decoded)]))
            asked = slice(0, 2 * len(turns.LENGTHS) * board.attempts)
            reached.append(mean([points_right(diarization.labels[asked], decoded[asked])]))
        yield "turns, 10,346 instants, two errors", row
        yield "turns, the 1,872 instants that 39 attempts reach", reached
    case = cases.psst_correctness()
    baseline = case.baseline["prediction"].astype(int)
    improved = somewhat_better(case)
    for columns in ("all", "primary"):
        rows: dict[str, list[str]] = {}
        for kind in BOARDS:
            found = flips.flip_each(
                board_of("psst_correctness", kind, columns),
                np.random.default_rng(3).permutation(baseline),
                np.arange(case.attempts - 1),
                case.attempts,
            )
            rows.setdefault("flips, blind: shown of 29", []).append(str(found.shown))
            start = np.random.default_rng(3).permutation(baseline)
            gained = (found.answers == case.labels).sum() - (start == case.labels).sum()
            rows.setdefault("flips, blind: points above start", []).append(f"{100 * gained / len(start):.1f}")
            for title, system in (("baseline", case), ("better system", improved)):
                best = max(fitted_points(system, kind, columns, size, quick) for size in FITTED)
                rows.setdefault(f"integer program, {title}: points above", []).append(f"{best:.1f}")
        for title, row in rows.items():
            yield f"{title}, {columns}", row
    for title, system in (("baseline", case), ("better system", improved)):
        rng = np.random.default_rng(2)
        judge = Board(system)
        rounds = [climbing.ask_at_random(judge, system.vary, case.attempts - 1, rng) for _ in range(10)]
        row = []
        for kind in BOARDS:
            board = replace(board_of("psst_correctness", kind), case=system)
            ends = [climbing.informed_end(board, asked) for asked in rounds]
            row.append(mean([points_above(system, end["prediction"]) for end in ends]))
        yield f"(climbing, {title}: points above)", row


def somewhat_better(case: Case) -> Case:
    """Return an honest system that is better than the floor: every fourth error of the baseline is corrected."""
    baseline = case.baseline["prediction"].astype(int)
    answers = baseline.copy()
    mended = np.flatnonzero(answers != case.labels)[::4]
    answers[mended] = case.labels[mended]
    doubtful = np.setdiff1d(case.doubtful, mended)

    def vary(directions: np.ndarray) -> Answers:
        changed = answers.copy()
        changed[doubtful] = np.where(directions[doubtful] > 0, 1 - answers[doubtful], answers[doubtful])
        return case.give(changed)

    return replace(case, baseline=case.give(answers), doubtful=doubtful, vary=vary)


def points_above(case: Case, answers: np.ndarray) -> float:
    """Return how many more labels are right than in the case's baseline, in points."""
    start = case.baseline["prediction"]
    return 100 * float((answers == case.labels).mean() - (start == case.labels).mean())


FITTED = (40, 70, 150)
"""Numbers of doubtful answers that the integer program asks about; the best result is taken."""


def fitted_points(case: Case, kind: str, columns: str, size: int, quick: bool) -> float:
    """Return labels right above the start, in points, by the integer program on some of the doubtful answers."""
    found = []
    for seed in range(1 if quick else 3):
        board = replace(board_of("psst_correctness", kind, columns), case=case)
        rng = np.random.default_rng(6 + seed)
        places = np.sort(rng.choice(case.doubtful, min(size, len(case.doubtful)), replace=False))
        kept = case.baseline["prediction"].astype(int)
        found.append(points_above(case, integer_program.decode(board, kept, places, case.attempts, rng, 1)))
    return float(np.mean(found))


def probe_bits(most: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the bits that identify a labelling among those with equal counts."""
    case = cases.psst_correctness()
    lines = probes.lines_of_labellings(case, most)
    floor_line = Board(case, ends=True).exact(case.baseline)
    for title, shown in (("scores alone", False), ("scores and ends", True)):
        row = []
        for kind in BOARDS:
            steps = None
            if kind != "exact":
                steps = with_ends(choose_steps(errors_of("psst_correctness"), float(kind.split()[0]), ["f1"]))
            floor = coarse_scores(floor_line, steps) if steps and "floor" in kind else None
            kept = [line if shown else without_ends(line) for line in lines]
            row.append(f"{entropy([Board(case, steps, floor).shown(line) for line in kept]):.2f}")
        yield f"probes, {len(lines)} labellings, {title}", row


def bits_an_attempt(names: Sequence[str], asked_of: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    """Yield the entropy of the lines of random answers around the baseline; at most log2 of their number."""
    for name in names:
        case = CASES[name]()
        if not len(case.doubtful):
            continue
        primary = case.task.primary.key
        asked = climbing.ask_at_random(
            Board(case, ends=True), case.vary, asked_of.get(name, 100), np.random.default_rng(4)
        )
        errors = errors_of(name)
        for title, keys, ends in (
            ("primary", [primary], False),
            ("and its ends", [primary], True),
            ("all columns", list(errors), False),
        ):
            row = []
            for kind in BOARDS:
                lines: list[Line] = [line if ends else without_ends(line) for line in asked.lines]
                if kind == "exact":
                    kept = [
                        {key: value for key, value in line.items() if key.startswith(tuple(keys))}
                        for line in lines
                    ]
                    row.append(f"{entropy(kept):.1f}")
                    continue
                steps = choose_steps(errors, float(kind.split()[0]), keys)
                steps = with_ends(steps) if ends else steps
                base = Board(case, ends=ends).exact(case.baseline)
                floor = coarse_scores(base, steps) if "floor" in kind else None
                row.append(f"{entropy([Board(case, steps, floor).shown(line) for line in lines]):.1f}")
            yield f"{name}, {title}", row


def sealed_gains(repeats: int, attempts: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the gain in score on the open and on the sealed half of PSST correctness."""
    case = cases.psst_correctness()
    baseline = case.baseline["prediction"][np.newaxis].astype(int)
    climbs: dict[str, list[sealed.Gain]] = {}
    rng = np.random.default_rng(5)
    for _ in range(repeats):
        halves = sealed.draw_halves(case, rng)
        errors = sealed.Gain(*(standard_errors(case, rows)["f1"] for rows in halves))
        (step,) = choose_steps({"f1": errors.open}, 1, ["f1"]).values()
        floor = float(sealed.as_shown(sealed.scores_of_many(case, baseline, halves.open), step, None)[0])
        for title, choices in (
            ("blind, exact", {"blind": True}),
            ("blind, 1", {"blind": True, "step": step}),
            ("blind, 1 floor", {"blind": True, "step": step, "floor": floor}),
            ("informed, exact", {}),
            ("informed, 1", {"step": step}),
            ("informed, 1 floor", {"step": step, "floor": floor}),
        ):
            gain = sealed.climb(case, halves, errors, attempts, rng, **choices)
            climbs.setdefault(title, []).append(gain)
    for title, steps in (("hill, exact", None), ("hill, 1", {"f1": step}), ("hill, 1/4", {"f1": step / 4})):
        gain = sealed.hill(case, halves, errors, attempts, rng, steps=steps, floor=None)
        climbs[title] = [gain]
    for title, gains in climbs.items():
        values = np.array(gains)
        error = values[:, 1].std() / max(1, len(values) - 1) ** 0.5
        yield title, [mean(values[:, 0], 2), mean(values[:, 1], 2), f"{error:.2f}"]


def long_phase(attempts: int) -> Iterator[tuple[str, list[str]]]:
    """Yield labels right above chance and gains for a thousand attempts, as in MERLIon CCS's second phase."""
    name = "merlion_identification"
    case = CASES[name]()
    rng = np.random.default_rng(7)
    judge = Board(case)
    blind = climbing.ask_at_random(judge, climbing.two_valued(case), attempts, rng)
    informed = climbing.ask_at_random(judge, case.vary, attempts, rng)
    base, error = judge.primary(case.baseline), errors_of(name)[case.task.primary.key]
    points, gains = [], []
    for kind in BOARDS:
        board = board_of(name, kind)
        votes = climbing.votes(blind, climbing.primary_weights(board, blind.lines))
        decoded = climbing.deal(case, votes + 1e-9 * rng.normal(size=len(votes)))
        points.append(mean([points_right(case.labels, decoded)]))
        gains.append(mean([(judge.primary(climbing.informed_end(board, informed)) - base) / error]))
    yield f"blind, {attempts} attempts: points", points
    yield f"informed, {attempts} attempts: gain", gains


EDGE_BOARDS = ("exact", "1", "1 floor", "2 floor")


def edge_climbs(quick: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the share of labels, in per cent, that an adversary at the edge of a step knows for certain.

    The baseline's answers are flipped at random until the line changes: half of the doubtful ones, or one in a hundred
    of all answers. Certain labels are right, except in diarization, where the language can change within the two
    seconds around an instant: there, only the right ones are counted.
    """
    for name, column, tries, attempts, repeats in (
        ("psst_correctness", "prediction", "doubtful", (30, 1000, 10_000), 10),
        ("psst_correctness", "prediction", "any", (30, 1000, 10_000), 5),
        ("spoken_call", "Accept", "doubtful", (30, 1000, 10_000), 3),
        ("merlion_identification", "", "doubtful", (39, 1039), 1),
        ("merlion_diarization", "", "doubtful", (39, 1039), 1),
    ):
        if quick and name.startswith("merlion"):
            continue
        case = CASES[name]()
        submit, baseline = _flipped(case, column)
        there = case.labels >= 0
        doubtful = case.doubtful
        if not len(doubtful):
            wrong = there & (baseline != case.labels)
            doubtful = cases.errors_and_as_many_right(wrong, np.random.default_rng(cases.SEED))
        tried, rate = (doubtful, 0.5) if tries == "doubtful" else (np.arange(len(baseline)), 0.01)
        found: dict[int, list[str]] = {limit: [] for limit in attempts}
        for kind in EDGE_BOARDS:
            shares = []
            for seed in range(1 if quick else repeats):
                rng = np.random.default_rng(9 + seed)
                alike = name == "psst_correctness"
                certain = flips.climb_edge(
                    board_of(name, kind), submit, baseline, tried, max(attempts), rng, rate=rate, alike=alike
                )
                right = certain.labels == case.labels
                if there.all() and not right[certain.since > 0].all():
                    raise AssertionError(f"{name}: a label that was certain is wrong")
                found_right = flips.Certain(certain.labels[there], (certain.since * right)[there])
                shares.append([100 * found_right.share(limit) for limit in attempts])
            for limit, share in zip(attempts, np.mean(shares, axis=0).tolist(), strict=True):
                found[limit].append(f"{share:.1f}")
        for limit, row in found.items():
            yield f"{name}, {tries}, {limit} attempts", row


def group_tests(quick: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the share of PSST's labels, in per cent, that an adversary with a good system learns from groups."""
    case = CASES["psst_correctness"]()
    limits = (3, 30, 65, 300)
    for right in (0.85, 0.95):
        found: dict[int, list[str]] = {limit: [] for limit in limits}
        for kind in EDGE_BOARDS:
            shares = []
            for seed in range(1 if quick else 10):
                rng = np.random.default_rng(seed)
                board, system = board_of("psst_correctness", kind), cases.right_on(case, right, rng)
                submit = _flipped(replace(case, baseline=case.give(system)), "prediction")[0]
                certain = flips.group_tests(board, submit, system, 1 - right, max(limits), rng)
                if not (certain.labels == case.labels)[certain.since > 0].all():
                    raise AssertionError("a label that was certain is wrong")
                shares.append([100 * certain.share(limit) for limit in limits])
            for limit, share in zip(limits, np.mean(shares, axis=0).tolist(), strict=True):
                found[limit].append(f"{share:.1f}")
        for limit, row in found.items():
            yield f"a system right on {right:.0%}, {limit} attempts", row


def _flipped(case: Case, column: str) -> tuple[Callable[[np.ndarray], Any], np.ndarray]:
    """Return a function from flips to the baseline with these answers flipped, and its answers, 0 or 1."""
    if column:
        answers = case.baseline[column].astype(int)
        return lambda flips: case.give(np.where(flips, 1 - answers, answers)), answers
    if case.task.name == "merlion_diarization":
        return cases.exchange_turns(case), cases.languages_claimed(case)
    english = case.baseline.english

    def submit(flips: np.ndarray) -> segment_scores.Submission:
        changed = np.where(flips, -english, english)
        return segment_scores.Submission(changed, -changed)

    return submit, (english < 0).astype(int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, without MERLIon CCS")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    sheets = ["spoken_call", "psst_correctness", "psst_recognition", "caller_experience", "content"]
    names = sheets if quick else list(CASES)
    repeats = 3 if quick else 10
    table("Random climbing, blind: labels right above chance (points)", blind_climbs(names, repeats))
    table(
        "Random climbing, around the baseline: primary score gained (standard errors)",
        informed_climbs(names, repeats),
    )
    table("Decoding: labels right above chance or above the start (points)", decoders(quick))
    table("Climbing at the edge of a step: labels that are certain (%)", edge_climbs(quick), EDGE_BOARDS)
    table("Group tests, PSST correctness: labels that are certain (%)", group_tests(quick), EDGE_BOARDS)
    table("Interval probes (bits)", probe_bits(63 if quick else 252))
    table(
        "Information in a line about random answers around the baseline (bits per attempt)",
        bits_an_attempt(
            names,
            {"psst_correctness": 400, "content": 200, "merlion_identification": 60} if not quick else {},
        ),
    )
    if not quick:
        table("A thousand attempts, language identification", long_phase(1000))
    table(
        "Half of the units sealed, 10,000 attempts, PSST correctness (standard errors)",
        sealed_gains(5 if quick else 100, 2000 if quick else 10_000),
        ("open", "sealed", "±"),
    )
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
