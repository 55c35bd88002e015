"""Coverage of the 95 % intervals: how often they contain a system's score in its population, for all tasks and scores.

    python -m benchmarks.bench_coverage [REPETITIONS [TASK ...]]

Speakers differ strongly in their speech and in a system's errors on it (intraclass correlations of 0.1 to 0.3), as the
learners of Spoken CALL do. Samples have 12, 25 or 50 speakers, or as many as a task's test set. Their intervals are
computed as by the scoring program, over speakers (`covered`), and, as if there were no speakers, over single responses,
calls or recordings (`without`). `hard` populations have rates near 0 and 1. With 1,000 repetitions, measured coverage
has a standard error of 0.7 percentage points.

`width`: the median over samples; `wider`: its ratio to the width over single responses; `above` and `below`: how often
the whole interval is above or below the population's score.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from spokeneval.formats.format import Items
from spokeneval.formats.sheets import Answers
from spokeneval.metrics import language_identification as identification
from spokeneval.metrics.counts import by_group, total
from spokeneval.metrics.language_diarization import LanguageTimes
from spokeneval.metrics.phoneme_recognition import RecognitionErrors
from spokeneval.run.interval import score_intervals
from spokeneval.tasks import find_task

REPETITIONS = 1000
POPULATION = 5000  # speakers from whom a population's scores are computed
SIZES = (12, 25, 50)


class Sample(NamedTuple):
    """Counts, one row for each response, call or recording, and the speaker of each row."""

    parts: Mapping[str, Any]
    speaker: np.ndarray


class Case(NamedTuple):
    """A population of a task, the number of speakers of its test set, and a function that draws samples."""

    task: str
    population: str
    draw: Callable[[np.random.Generator, int], Sample]
    speakers: int


def rates(rng: np.random.Generator, mean: float, correlation: float, speakers: int) -> np.ndarray:
    """Return a beta-distributed rate for each speaker, with an intraclass correlation."""
    total_of_both = (1 - correlation) / correlation
    return rng.beta(mean * total_of_both, (1 - mean) * total_of_both, speakers)


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
) -> Sample:
    """Spoken CALL: about 40 responses for each learner; the rates are those over all learners."""
    size = np.maximum(rng.poisson(rng.gamma(4, 10, speakers)), 3)
    speaker = np.repeat(np.arange(speakers), size)
    is_correct, rejects, accepts, is_gross = (
        rng.random(len(speaker)) < rates(rng, mean, 0.1, speakers)[speaker]
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


def transcripts(rng: np.random.Generator, speakers: int, *, rate: float) -> Sample:
    """PSST: 16 utterances for each speaker; some speakers are recognised much worse than others, and say more."""
    speaker = np.repeat(np.arange(speakers), 16)
    worse = rates(rng, rate, 0.15, speakers)[speaker]
    phones = 1 + rng.poisson(5 * (0.8 + worse))
    errors = rng.binomial(phones, worse)
    nothing = np.zeros(len(speaker), dtype=np.int64)
    cost = np.rint(4 * np.minimum(24 * errors * rng.beta(2, 3, len(speaker)), 24 * phones)) / 4
    return Sample({"errors": RecognitionErrors(errors, nothing, nothing, phones, cost, 24 * phones)}, speaker)


def namings(
    rng: np.random.Generator, speakers: int, *, correct: float, missed: float, claimed: float
) -> Sample:
    """PSST: 16 responses for each speaker; speakers differ in their share of correct responses, and in clarity."""
    speaker = np.repeat(np.arange(speakers), 16)
    is_correct, misses, claims = (
        rng.random(len(speaker)) < rates(rng, mean, 0.15, speakers)[speaker]
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
    scored = is_english, english, mandarin, recording
    parts = {
        "pooled": identification.pooled_histograms(*scored),
        "differences": identification.difference_histograms(*scored),
        "decisions": identification.decisions_per_recording(*scored),
    }
    return Sample(parts, np.arange(recordings) // 2)


def sessions(rng: np.random.Generator, speakers: int, *, error: float) -> Sample:
    """MERLIon CCS: two recordings of 2 to 25 minutes for each speaker; speakers differ in the share of every error."""
    speaker = np.repeat(np.arange(speakers), 2)
    milliseconds = 1e6 * np.clip(rng.lognormal(-0.84, 0.6, len(speaker)), 0.12, 1.5)
    mandarin = rates(rng, 0.17, 0.2, speakers)[speaker]
    missed, claimed, confused = (rates(rng, error, 0.1, speakers)[speaker] for _ in range(3))
    right = (1 - missed) * (1 - confused)
    states = np.zeros((len(speaker), 16))
    for share, own, other in ((0.8 * (1 - mandarin), 1, 2), (0.8 * mandarin, 2, 1)):
        states[:, own] = share * missed
        states[:, own + 4 * own] = share * right
        states[:, own + 4 * other] = share * (1 - missed) * confused
    states[:, 4] = 0.2 * claimed  # nothing spoken, English claimed
    states[:, 0] = 0.2 * (1 - claimed)
    return Sample({"times": LanguageTimes(np.rint(states * milliseconds[:, np.newaxis]))}, speaker)


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


def case(task: str, population: str, speakers: int, draw: Callable[..., Sample], **means: float) -> Case:
    return Case(task, population, lambda rng, size: draw(rng, size, **means), speakers)


# The probabilities of the baseline in Table 1 of Spoken CALL's third edition: CA 635, FR 105, CR 213, PFA 32, GFA 15.
TABLE_1 = {"correct": 0.74, "false_reject": 105 / 740, "false_accept": 47 / 260, "gross": 15 / 47}

CASES = (
    case("spoken_call", "usual", 25, responses, **TABLE_1),
    case("spoken_call", "hard", 25, responses, correct=0.74, false_reject=0.04, false_accept=0.08, gross=0.3),
    case("caller_experience", "usual", 50, calls, errors=0.5),
    case("caller_experience", "hard", 50, calls, errors=0.2),
    case("psst_recognition", "usual", 41, transcripts, rate=0.15),
    case("psst_recognition", "hard", 41, transcripts, rate=0.03),
    case("psst_correctness", "usual", 41, namings, correct=0.6, missed=0.13, claimed=0.15),
    case("psst_correctness", "hard", 41, namings, correct=0.8, missed=0.04, claimed=0.05),
    case("merlion_identification", "usual", 77, segments, separation=1.8),
    case("merlion_identification", "hard", 77, segments, separation=4.0),
    case("merlion_diarization", "usual", 77, sessions, error=0.15),
    case("merlion_diarization", "hard", 77, sessions, error=0.03),
    case("content_accuracy", "usual", 56, answers, noise=0.7),
    case("content_accuracy", "hard", 56, answers, noise=0.2),
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

    @property
    def covered(self) -> float:
        return 100 * (1 - (self.above + self.below) / len(self.widths))


def cover(case: Case, speakers: int, truths: Mapping[str, float], repetitions: int) -> list[str]:
    """Return a line for each score."""
    task = find_task(case.task)
    rng = np.random.default_rng(20)
    by_speaker: dict[str, Tally] = defaultdict(Tally)
    by_row: dict[str, Tally] = defaultdict(Tally)
    for _ in range(repetitions):
        sample = case.draw(rng, speakers)
        found = _scores(task, sample.parts)
        _, group = np.unique(sample.speaker, return_inverse=True)
        pooled = {part: by_group(rows, group, group[-1] + 1) for part, rows in sample.parts.items()}
        for tallies, parts in ((by_speaker, pooled), (by_row, sample.parts)):
            for key, interval in score_intervals(task, found, parts).items():
                tallies[key].add(interval.low, interval.high, truths[key])
    lines = []
    for key, tally in by_speaker.items():
        missed = f"{100 * tally.above / len(tally.widths):8.1f}{100 * tally.below / len(tally.widths):8.1f}"
        width = float(np.median(tally.widths))
        narrower = float(np.median(by_row[key].widths))
        lines.append(
            f"{case.task:24s}{case.population:8s}{speakers:5d}  {key:32s}{truths[key]:9.3f}{width:9.3f}"
            f"{tally.covered:9.1f}{missed}{by_row[key].covered:11.1f}{width / narrower if narrower else np.nan:8.2f}"
        )
    return lines


def _scores(task: Any, parts: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of all rows, without undefined ones."""
    totals = {part: total(rows) for part, rows in parts.items()}
    found = {}
    for score in task.scores:
        try:
            found[score.key] = float(score.value(task.part(score, totals)))
        except ValueError:
            continue
    return found


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    chosen = sys.argv[2:] or [case.task for case in CASES]
    print(f"Coverage of the 95 % intervals in {repetitions} samples of synthetic populations")
    print(
        f"{'task':24s}{'rates':8s}{'speakers':8s}{'score':32s}{'truth':>8s}{'width':>9s}"
        f"{'covered':>9s}{'above':>8s}{'below':>8s}{'without':>11s}{'wider':>8s}"
    )
    for case in CASES:
        if case.task in chosen:
            population = case.draw(np.random.default_rng(19), POPULATION)
            truths = _scores(find_task(case.task), population.parts)
            for speakers in sorted({*SIZES, case.speakers}):
                print("\n".join(cover(case, speakers, truths, repetitions)), flush=True)


if __name__ == "__main__":
    main()
