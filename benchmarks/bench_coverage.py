"""Coverage of the 95 % intervals: how often they contain a system's score in its population, for all tasks and scores.

    python -m benchmarks bench_coverage [REPETITIONS [TASK|UNITS ...]]

Speakers differ strongly in their speech and in a system's errors on it (intraclass correlations of 0.1 to 0.3; in the
populations `rare` a standard deviation of one logit), and have unequal numbers of responses. Samples have 8, 12, 25, 50
or 200 speakers, or those named. `hard` and `rare` populations have rates near 0 and 1.

`covered`: coverage of the intervals of the scoring program. `width`: their median. `has one`: the share of samples
with an interval of some width. `above`, `below`: how often the whole interval is above or below the population's
score. `single`: coverage of intervals over single responses, calls or recordings, as if there were no speakers, at 25
speakers, in every tenth sample.

A cell that is significantly below 93 % (one-sided, p < 0.001) is marked with `!`, if it has 1,000 repetitions or more
only if it is so in ten times as many too; one above 98.5 % with `+`. With 1,000 repetitions, coverage has a standard
error of 0.7 percentage points. Without arguments the command takes about 20 minutes.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from spokeneval.challenges import find_task
from spokeneval.challenges.merlion_identification import difference_trials, segment_costs
from spokeneval.formats.format import Answers, Items
from spokeneval.metrics import identification
from spokeneval.metrics.counts import by_group, total
from spokeneval.metrics.diarization import DiarizationErrors, LabelTimes
from spokeneval.metrics.phoneme_recognition import FeatureErrors
from spokeneval.metrics.transcript_errors import TranscriptErrors
from spokeneval.scoring.scored import score_intervals

REPETITIONS = 1000
SIZES = (8, 12, 25, 50, 200)
LEAST, MOST, SIGNIFICANCE = 0.93, 0.985, 0.001
SINGLE = 25  # speakers with which intervals over single responses are computed too


class Sample(NamedTuple):
    """Counts, one row for each response, call or recording, and the speaker of each row."""

    parts: Mapping[str, Any]
    speaker: np.ndarray


class Case(NamedTuple):
    """A population of a task, and a function that draws samples of so many speakers."""

    task: str
    population: str
    draw: Callable[[np.random.Generator, int], Sample]


def rates(rng: np.random.Generator, mean: float, correlation: float, speakers: int) -> np.ndarray:
    """Return a beta-distributed rate for each speaker, with an intraclass correlation."""
    total_of_both = (1 - correlation) / correlation
    return rng.beta(mean * total_of_both, (1 - mean) * total_of_both, speakers)


def one_logit(rng: np.random.Generator, mean: float, correlation: float, speakers: int) -> np.ndarray:
    """Return a rate for each speaker, normally distributed with a standard deviation of one logit."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        below = weights @ (1 / (1 + np.exp(-middle - nodes))) < mean * weights.sum()
        low, high = (middle, high) if below else (low, middle)
    return 1 / (1 + np.exp(-low - rng.normal(0, 1, speakers)))


def counted(task: str, speaker: np.ndarray, reference: dict[str, Any], submission: dict[str, Any]) -> Sample:
    items = Items(tuple(map(str, range(len(speaker)))))
    return Sample(find_task(task).count(Answers(items, reference), Answers(items, submission)), speaker)


def responses(
    rng: np.random.Generator,
    speakers: int,
    *,
    correct: float,
    false_reject: float,
    false_accept: float,
    gross: float,
    drawn: Callable[..., np.ndarray] = rates,
) -> Sample:
    """Spoken CALL: about 40 responses for each learner; the rates are those over all learners."""
    size = np.maximum(rng.poisson(rng.gamma(4, 10, speakers)), 3)
    speaker = np.repeat(np.arange(speakers), size)
    is_correct, rejects, accepts, is_gross = (
        rng.random(len(speaker)) < drawn(rng, mean, 0.1, speakers)[speaker]
        for mean in (correct, false_reject, false_accept, gross)
    )
    reference = {"language": is_correct * 1, "meaning": (is_correct | ~is_gross) * 1}
    return counted("spoken_call", speaker, reference, {"Accept": np.where(is_correct, ~rejects, accepts) * 1})


def calls(rng: np.random.Generator, callers: int, *, errors: float) -> Sample:
    """Caller Experience: four calls for each caller; three listeners and a system rate with independent errors."""
    speaker = np.repeat(np.arange(callers), 4)
    quality = rng.normal(3, 1, callers)[speaker] + rng.normal(0, 0.8, len(speaker))
    strictness = rng.normal(0, errors, (4, callers))[:, speaker]
    ratings = np.clip(np.rint(quality + strictness + rng.normal(0, errors, (4, len(speaker)))), 1, 5).astype(
        int
    )
    reference = {f"human{place + 1}": ratings[place] for place in range(3)}
    return counted("caller_experience", speaker, reference, {"rating": ratings[3]})


def transcripts(
    rng: np.random.Generator, speakers: int, *, rate: float, drawn: Callable[..., np.ndarray] = rates
) -> Sample:
    """PSST: 16 utterances for each speaker; some speakers are recognised much worse than others, and say more."""
    speaker = np.repeat(np.arange(speakers), 16)
    worse = drawn(rng, rate, 0.15, speakers)[speaker]
    phones = 1 + rng.poisson(5 * (0.8 + worse))
    errors = rng.binomial(phones, worse)
    nothing = np.zeros(len(speaker), dtype=np.int64)
    cost = np.rint(4 * np.minimum(24 * errors * rng.beta(2, 3, len(speaker)), 24 * phones)) / 4
    own = errors / phones
    counts = (errors, nothing, nothing, phones, nothing + 1, (errors > 0) * 1, own, np.minimum(own, 1))
    parts = {"features": FeatureErrors(cost, 24 * phones), "phones": TranscriptErrors(*counts)}
    return Sample(parts, speaker)


def namings(
    rng: np.random.Generator,
    speakers: int,
    *,
    correct: float,
    missed: float,
    claimed: float,
    drawn: Callable[..., np.ndarray] = rates,
) -> Sample:
    """PSST: 16 responses for each speaker; speakers differ in their share of correct responses, and in clarity."""
    speaker = np.repeat(np.arange(speakers), 16)
    is_correct, misses, claims = (
        rng.random(len(speaker)) < drawn(rng, mean, 0.15, speakers)[speaker]
        for mean in (correct, missed, claimed)
    )
    predicted = np.where(is_correct, ~misses, claims)
    return counted(
        "psst_correctness", speaker, {"correctness": is_correct * 1}, {"prediction": predicted * 1}
    )


def segments(rng: np.random.Generator, speakers: int, *, separation: float) -> Sample:
    """MERLIon CCS: two recordings of very different lengths for each speaker; each shifts both languages' scores."""
    recordings = 2 * speakers
    length = rng.lognormal(0, 0.6, recordings)
    recording = np.sort(rng.choice(recordings, size=160 * speakers, p=length / length.sum()))
    _, recording = np.unique(recording, return_inverse=True)
    recordings = int(recording[-1]) + 1
    is_english = rng.random(len(recording)) < rng.beta(4, 1, recordings)[recording]
    effect = (
        rng.normal(0, 0.4, (2, speakers))[:, recording // 2]
        + rng.normal(0, 0.4, (2, recordings))[:, recording]
    )
    english = separation * is_english + effect[0] + rng.normal(size=len(recording))
    mandarin = separation * ~is_english + effect[1] + rng.normal(size=len(recording))
    scored = 1 - is_english, np.stack([english, mandarin], axis=1), recording
    trials = difference_trials(*scored[:2])
    parts = {
        "pooled": identification.pooled_histograms(*scored),
        "differences": identification.detection_histograms(*scored, trials=trials),
        "classes": segment_costs(*scored),
    }
    return Sample(parts, np.arange(recordings) // 2)


def sessions(
    rng: np.random.Generator, speakers: int, *, error: float, drawn: Callable[..., np.ndarray] = rates
) -> Sample:
    """MERLIon CCS: two recordings of 2 to 25 minutes for each speaker; speakers differ in the share of every error."""
    speaker = np.repeat(np.arange(speakers), 2)
    milliseconds = 1e6 * np.clip(rng.lognormal(-0.84, 0.6, len(speaker)), 0.12, 1.5)
    mandarin = rates(rng, 0.17, 0.2, speakers)[speaker]
    missed, claimed, confused = (drawn(rng, error, 0.1, speakers)[speaker] for _ in range(3))
    right = (1 - missed) * (1 - confused)
    share = 0.8 * np.stack([1 - mandarin, mandarin], axis=1)
    states = (
        np.stack([missed, right, (1 - missed) * confused], axis=1)[:, :, np.newaxis] * share[:, np.newaxis]
    )
    lost, found, taken = np.rint(states * milliseconds[:, np.newaxis, np.newaxis]).transpose(1, 0, 2)
    extra = np.rint(0.2 * claimed * milliseconds)  # nothing spoken, English claimed
    wrong, spoken = lost + taken, lost + found + taken
    false = taken[:, ::-1] + np.stack([extra, 0 * extra], axis=1)
    jaccard = ((wrong + false) / np.maximum(spoken + false, 1)).sum(axis=1)
    sums = (spoken.sum(axis=1), lost.sum(axis=1), extra, taken.sum(axis=1))
    errors = DiarizationErrors(*sums, np.full(len(speaker), 2), jaccard)
    return Sample({"errors": errors, "labels": LabelTimes(spoken, wrong, false)}, speaker)


def answers(rng: np.random.Generator, speakers: int, *, noise: float) -> Sample:
    """Content accuracy: three or four responses for each speaker, whose ability affects scores and system errors."""
    speaker = np.repeat(np.arange(speakers), rng.choice([3, 4], size=speakers, p=[0.32, 0.68]))
    quality = rng.normal(0, 0.6, speakers)[speaker] + rng.normal(0, 0.7, len(speaker))
    human = np.clip(np.rint(2.5 + quality + rng.normal(0, 0.3, len(speaker))), 1, 4).astype(int)
    predicted = (
        2.5 + quality + noise * (rng.normal(0, 0.6, speakers)[speaker] + rng.normal(0, 0.5, len(speaker)))
    )
    words = np.maximum(np.rint(72 + 15 * quality + rng.normal(0, 25, len(speaker))), 5).astype(int)
    reference = {"human_score": human, "words": words}
    return counted("content_accuracy", speaker, reference, {"score": np.round(np.clip(predicted, -2, 7), 3)})


def case(task: str, population: str, draw: Callable[..., Sample], **means: Any) -> Case:
    return Case(task, population, lambda rng, size: draw(rng, size, **means))


# The probabilities of the baseline in Table 1 of Spoken CALL's third edition: CA 635, FR 105, CR 213, PFA 32, GFA 15.
TABLE_1 = {"correct": 0.74, "false_reject": 105 / 740, "false_accept": 47 / 260, "gross": 15 / 47}

CASES = (
    case("spoken_call", "usual", responses, **TABLE_1),
    case("spoken_call", "hard", responses, correct=0.74, false_reject=0.04, false_accept=0.08, gross=0.3),
    case(
        "spoken_call",
        "rare",
        responses,
        correct=0.74,
        false_reject=0.02,
        false_accept=0.03,
        gross=0.3,
        drawn=one_logit,
    ),
    case("caller_experience", "usual", calls, errors=0.5),
    case("caller_experience", "hard", calls, errors=0.2),
    case("psst_recognition", "usual", transcripts, rate=0.15),
    case("psst_recognition", "hard", transcripts, rate=0.03),
    case("psst_recognition", "rare", transcripts, rate=0.03, drawn=one_logit),
    case("psst_correctness", "usual", namings, correct=0.6, missed=0.13, claimed=0.15),
    case("psst_correctness", "hard", namings, correct=0.8, missed=0.04, claimed=0.05),
    case("psst_correctness", "rare", namings, correct=0.8, missed=0.03, claimed=0.03, drawn=one_logit),
    case("merlion_identification", "usual", segments, separation=1.8),
    case("merlion_identification", "hard", segments, separation=4.0),
    case("merlion_diarization", "usual", sessions, error=0.15),
    case("merlion_diarization", "hard", sessions, error=0.03),
    case("merlion_diarization", "rare", sessions, error=0.03, drawn=one_logit),
    case("content_accuracy", "usual", answers, noise=0.7),
    case("content_accuracy", "hard", answers, noise=0.2),
)


class Tally:
    """Counts, for one score, how often its interval is above or below the truth, and collects its widths."""

    def __init__(self) -> None:
        self.above = self.below = 0
        self.widths: list[float] = []

    def add(self, low: float, high: float, truth: float) -> None:
        self.above += truth < low
        self.below += truth > high
        self.widths.append(high - low)

    def share(self, number: int) -> float:
        return 100 * number / len(self.widths)

    @property
    def covered(self) -> float:
        return self.share(len(self.widths) - self.above - self.below)

    @property
    def fails(self) -> bool:
        """Whether coverage is significantly below `LEAST`, by the normal approximation."""
        n = len(self.widths)
        error = math.sqrt(LEAST * (1 - LEAST) / n)
        return self.covered / 100 - LEAST < NormalDist().inv_cdf(SIGNIFICANCE) * error


def cover(
    case: Case, speakers: int, truths: Mapping[str, float], repetitions: int
) -> dict[str, tuple[Tally, Tally]]:
    """Return the intervals over speakers, and those over single rows, of each score."""
    task = find_task(case.task)
    rng = np.random.default_rng(20)
    tallies: dict[str, tuple[Tally, Tally]] = defaultdict(lambda: (Tally(), Tally()))
    for repetition in range(repetitions):
        sample = case.draw(rng, speakers)
        found = scores_of(task, sample.parts)
        _, group = np.unique(sample.speaker, return_inverse=True)
        pooled = {part: by_group(rows, group, group[-1] + 1) for part, rows in sample.parts.items()}
        for key, interval in score_intervals(task, found, pooled).items():
            tallies[key][0].add(interval.low, interval.high, truths[key])
        if speakers == SINGLE and repetition % 10 == 0:
            for key, interval in score_intervals(task, found, sample.parts).items():
                tallies[key][1].add(interval.low, interval.high, truths[key])
    return tallies


def line(case: Case, speakers: int, key: str, truth: float, tallies: tuple[Tally, Tally], mark: str) -> str:
    found, single = tallies
    return (
        f"{case.task:24s}{case.population:7s}{speakers:6d}  {key:32s}{truth:9.3f}{found.covered:8.1f}"
        f"{np.median(found.widths):9.3f} {mark:1s}{found.share(sum(width > 0 for width in found.widths)):8.1f}"
        f"{found.share(found.above):7.1f}{found.share(found.below):7.1f}"
        + (f"{single.covered:8.1f}" if single.widths else "")
    )


def scores_of(task: Any, parts: Mapping[str, Any], *, every: bool = True) -> dict[str, float]:
    """Return the scores of all rows that are defined, and with `every=False` have an interval."""
    totals = {part: total(rows) for part, rows in parts.items()}
    found = {}
    for score in task.scores:
        if not (every or score.bounds or score.interval):
            continue
        try:
            found[score.key] = float(score.value(task.part(score, totals)))
        except ValueError:
            continue
    return found


def population(case: Case) -> int:
    """Return the number of speakers from whom a population's scores are computed."""
    return 5_000 if case.task == "merlion_identification" else 50_000  # 160 segments for each speaker


def truths_of(case: Case) -> dict[str, float]:
    """Return the scores of the population."""
    return scores_of(find_task(case.task), case.draw(np.random.default_rng(19), population(case)).parts)


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or SIZES
    chosen = [word for word in sys.argv[2:] if not word.isdigit()] or [case.task for case in CASES]
    print(f"Coverage of the 95 % intervals in {repetitions} samples of synthetic populations")
    print(
        f"{'task':24s}{'rates':7s}{'units':>6s}  {'score':32s}{'truth':>9s}{'covered':>8s}"
        f"{'width':>9s} {'':1s}{'has one':>8s}{'above':>7s}{'below':>7s}{'single':>8s}"
    )
    cells = failed = 0
    for case in CASES:
        if case.task not in chosen:
            continue
        truths = truths_of(case)
        for speakers in sizes:
            tallies = cover(case, speakers, truths, repetitions)
            failing = [key for key, (found, _) in tallies.items() if found.fails]
            if failing and repetitions >= REPETITIONS:
                again = cover(case, speakers, truths, 10 * repetitions)
                failing = [key for key in failing if again[key][0].fails]
            for key, of_score in tallies.items():
                mark = "!" if key in failing else "+" if of_score[0].covered > 100 * MOST else ""
                print(line(case, speakers, key, truths[key], of_score, mark), flush=True)
            cells, failed = cells + len(tallies), failed + len(failing)
    print(f"{failed} of {cells} cells fail")


if __name__ == "__main__":
    main()
