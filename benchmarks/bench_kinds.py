"""Coverage and width of the 95 % intervals for the kinds of task, beside two bootstraps over the same units.

    python -m benchmarks bench_kinds [REPETITIONS [KIND|UNITS ...]]

Speakers differ in their errors, and have unequal numbers of items. For each score and number of units, a line has the
coverage and the median and 95th percentile of the widths of three intervals: the scoring program's, the percentile
bootstrap's, and that of the bootstrap with bias correction and acceleration (BCa), both for each fourth sample. A cell
that is significantly below 93 % (one-sided, p < 0.001) is marked with `!`.

Source of BCa: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.3.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from benchmarks.bench_coverage import SIZES, Tally, rates, scores_of
from spokeneval.formats.format import Answers, Items
from spokeneval.kinds.declared import declared_task
from spokeneval.kinds.mean_over import MOST_GROUPS
from spokeneval.metrics.bootstrap import bootstrap_scores, resample_weights
from spokeneval.metrics.counts import by_group
from spokeneval.metrics.diarization import DiarizationErrors
from spokeneval.metrics.event_detection import HOUR, EventCounts
from spokeneval.metrics.jackknife import leave_one_out
from spokeneval.metrics.multi_speaker_errors import MeetingErrors
from spokeneval.metrics.transcript_errors import TranscriptErrors
from spokeneval.scoring.scored import score_intervals
from spokeneval.task import Score, Task

REPETITIONS = 400
RESAMPLES = 200
RARELY = 4  # bootstraps are computed for each fourth sample
ITEMS = 20
POPULATION = 10_000
DRAWN = {"column": "speaker", "groups": "drawn"}
THRESHOLDS = np.append(0.5, np.linspace(-2, 4, 61))
METHODS = ("ours", "percentile", "BCa")

Rng = np.random.Generator
Parts = dict[str, Any]


class Case(NamedTuple):
    """A task, and a function that draws the counts of so many units, one row for each."""

    name: str
    declaration: dict[str, Any]
    draw: Callable[[Rng, int, Task], Parts]

    @property
    def task(self) -> Task:
        return declared_task("kind", self.declaration)


def speakers_of_items(rng: Rng, speakers: int) -> np.ndarray:
    """Return the speaker of each item; about `ITEMS` items for each, at least 3."""
    return np.repeat(np.arange(speakers), np.maximum(rng.poisson(rng.gamma(4, ITEMS / 4, speakers)), 3))


def counted(
    task: Task, speaker: np.ndarray, reference: dict[str, Any], submission: dict[str, Any], **texts: Any
) -> Parts:
    """Return the counts of each speaker; speakers take turns in having one of four languages."""
    items = Items(tuple(map(str, range(len(speaker)))))
    names = [str(number) for number in speaker.tolist()]
    texts.update(speaker=names, system=names, language=[str(number % 4) for number in speaker.tolist()])
    rows = task.count(Answers(items, reference, texts), Answers(items, submission))
    speakers = int(speaker[-1]) + 1
    return {
        part: by_group(counts, speaker, speakers) if _length(counts) == len(speaker) else counts
        for part, counts in rows.items()
    }


def _length(counts: Any) -> int:
    return len(next(iter(vars(counts).values())))


def decisions(rng: Rng, speakers: int, task: Task) -> Parts:
    """Three classes with shares of 60, 30 and 10 %; errors of 20 % of the items."""
    speaker = speakers_of_items(rng, speakers)
    label = rng.choice(3, len(speaker), p=[0.6, 0.3, 0.1])
    wrong = rng.random(len(speaker)) < rates(rng, 0.2, 0.1, speakers)[speaker]
    found = np.where(wrong, rng.choice(3, len(speaker)), label)
    return counted(task, speaker, {"label": label}, {"label": found})


def answers(rng: Rng, speakers: int, task: Task, *, errors: float, alike: float, positive: float) -> Parts:
    """Two classes, one of them rare or not; errors with an intraclass correlation."""
    speaker = speakers_of_items(rng, speakers)
    label = (rng.random(len(speaker)) < positive).astype(int)
    label[:2] = [0, 1]
    wrong = rng.random(len(speaker)) < rates(rng, errors, alike, speakers)[speaker]
    return counted(task, speaker, {"label": label}, {"label": np.where(wrong, 1 - label, label)})


def ratings(rng: Rng, speakers: int, task: Task) -> Parts:
    """Three raters and a system, whose strictness differs between speakers."""
    speaker = speakers_of_items(rng, speakers)
    quality = rng.normal(3, 0.7, speakers)[speaker] + rng.normal(0, 0.7, len(speaker))
    errors = rng.normal(0, 0.4, (4, speakers))[:, speaker] + rng.normal(0, 0.5, (4, len(speaker)))
    table = np.clip(np.rint(quality + errors), 1, 5).astype(int)
    reference = {f"rater{place + 1}": table[place] for place in range(3)}
    return counted(task, speaker, reference, {"rating": table[3]})


def scores(rng: Rng, speakers: int, task: Task, *, heavy: bool = False) -> Parts:
    """Scores from 0 to 10. With `heavy` tails, speakers' errors have three degrees of freedom."""
    speaker = speakers_of_items(rng, speakers)
    quality = rng.normal(5, 1, speakers)[speaker] + rng.normal(0, 1, len(speaker))
    size = 1 / np.sqrt(rng.chisquare(3, speakers) / 3) if heavy else np.ones(speakers)
    bias = (0.5 * size * rng.normal(size=speakers))[speaker]
    found = quality + bias + size[speaker] * rng.normal(0, 0.8, len(speaker))
    return counted(task, speaker, {"score": np.clip(quality, 0, 10).round(1)}, {"score": found.round(3)})


def transcripts(rng: Rng, speakers: int, task: Task, *, rate: float = 0.1, failing: float = 0) -> Parts:
    """A rate of errors that is log-normal over speakers, with a standard deviation of 0.8; a fifth are insertions.

    A share of speakers fails, with errors in 85 % of the words.
    """
    speaker = speakers_of_items(rng, speakers)
    words = 1 + rng.poisson(7, len(speaker))
    of_speakers = rate * np.exp(rng.normal(-0.32, 0.8, speakers))
    of_speakers = np.where(rng.random(speakers) < failing, 0.85, of_speakers) if failing else of_speakers
    own = of_speakers[speaker]
    wrong = rng.binomial(words, np.minimum(0.8 * own, 1))
    missing = rng.binomial(wrong, 0.3)
    added = rng.poisson(0.2 * own * words)
    errors, ones = wrong + added, np.ones(len(speaker), dtype=int)
    own_rates = errors / words, np.minimum(errors / words, 1)
    found = TranscriptErrors(
        wrong - missing, added, missing, words, ones, (errors > 0).astype(int), *own_rates
    )
    by_speaker = by_group(found, speaker, speakers)
    return {"words": by_speaker, "characters": by_speaker}


def identification(rng: Rng, speakers: int, task: Task, *, classes: int, target: bool = False) -> Parts:
    """Scores that are moved by each speaker, with the log-likelihood ratios twice as large as they should be."""
    speaker = speakers_of_items(rng, speakers)
    label = rng.choice(
        classes, len(speaker), p=np.array([0.5, 0.3, 0.2][:classes]) / sum([0.5, 0.3, 0.2][:classes])
    )
    own = np.arange(classes) == label[:, np.newaxis]
    moved = rng.normal(0, 0.7, (speakers, classes))[speaker]
    likelihoods = 3 * (1.2 * own + moved + rng.normal(size=own.shape))
    if target:
        submission = {"score": likelihoods[:, 0] - likelihoods[:, 1]}
    else:
        submission = {name: likelihoods[:, place] for place, name in enumerate("abc"[:classes])}
    return counted(task, speaker, {"label": label}, submission)


def spoofing(rng: Rng, speakers: int, task: Task) -> Parts:
    """Targets, other speakers and spoofed speech; all scores are moved by each enrolled speaker."""
    speaker = speakers_of_items(rng, speakers)
    label = rng.choice(3, len(speaker), p=[0.4, 0.3, 0.3])
    moved = rng.normal(0, 0.5, (2, speakers))[:, speaker] + rng.normal(size=(2, len(speaker)))
    score, other = moved + np.array([2.5 * (label == 0), 2 * (label < 2)])
    names = [("target", "other", "spoof")[number] for number in label.tolist()]
    return counted(
        task,
        speaker,
        {"label": (label > 0).astype(int)},
        {"score": score, "countermeasure": other},
        label=names,
    )


def turns(rng: Rng, speakers: int, task: Task) -> Parts:
    """A recording for each unit, with 2 to 5 speakers; misses, false alarms and confusions in unlike recordings."""
    spoken = np.rint(1e6 * np.clip(rng.lognormal(-0.84, 0.6, speakers), 0.12, 1.5)).astype(int)
    miss, false_alarm, confusion = (
        np.rint(spoken * rates(rng, 0.06, 0.1, speakers)).astype(int) for _ in range(3)
    )
    labels = rng.integers(2, 6, speakers)
    jaccard = labels * np.minimum(1.2 * (miss + false_alarm + confusion) / spoken, 1)
    return {
        "errors": DiarizationErrors(
            spoken, miss, false_alarm, np.minimum(confusion, spoken - miss), labels, jaccard
        )
    }


def events(rng: Rng, speakers: int, task: Task) -> Parts:
    """Half an hour of two wake words from each speaker; both scores and the rate of false alarms differ by speaker."""
    real = 1 + rng.poisson(8, (speakers, 2))
    moved, wrong = rng.normal(0, 0.5, speakers), rng.gamma(1, 6, speakers)
    hits, claimed = np.zeros((2, speakers, 2, len(THRESHOLDS)), dtype=np.int64)
    for place in np.ndindex(speakers, 2):
        right = rng.normal(1.5 + moved[place[0]], 1, real[place])
        other = rng.normal(-1 + moved[place[0]], 1, rng.poisson(wrong[place[0]]))
        hits[place] = (right[:, np.newaxis] >= THRESHOLDS).sum(axis=0)
        claimed[place] = hits[place] + (other[:, np.newaxis] >= THRESHOLDS).sum(axis=0)
    counts = EventCounts(hits, claimed, real, np.full(speakers, HOUR // 2))
    return {"events": counts, "segments": replace(counts, hits=hits[..., :1], detections=claimed[..., :1])}


def meetings(rng: Rng, sessions: int, task: Task) -> Parts:
    """Sessions of about 4,000 words, with log-normal error rates; a fifth of substitutions pair only without times."""
    words = np.maximum(rng.lognormal(8.2, 0.5, sessions).astype(int), 200)
    own = 0.25 * rng.lognormal(-0.18, 0.6, sessions)
    wrong = rng.binomial(words, np.minimum(0.8 * own, 1))
    missing, added = rng.binomial(wrong, 0.4), rng.poisson(0.2 * own * words)
    apart, more = rng.binomial(wrong - missing, 0.2), rng.integers(-1, 2, sessions)
    speakers = np.ones(sessions, dtype=int), np.maximum(-more, 0), np.maximum(more, 0)
    timed, untimed = (
        MeetingErrors(wrong - missing - pairs, added + pairs, missing + pairs, words, *speakers)
        for pairs in (apart, 0)
    )
    return {"timed": timed, "untimed": untimed, "turns": turns(rng, sessions, task)["errors"]}


def _case(name: str, kind: str, draw: Any, means: dict[str, Any], **parameters: Any) -> Case:
    return Case(name, {"kind": kind, **parameters}, lambda rng, size, task: draw(rng, size, task, **means))


CASES = (
    _case("decisions", "decisions", decisions, {}, classes=["a", "b", "c"]),
    _case("ratings", "ratings", ratings, {}, raters=3, scale=[1, 5]),
    _case("scores", "scores", scores, {}, scale=[0, 10], step=0.1),
    _case("scores_heavy", "scores", scores, {"heavy": True}, scale=[0, 10], step=0.1),
    _case("transcripts", "transcripts", transcripts, {}),
    _case("transcripts_rare", "transcripts", transcripts, {"rate": 0.02}),
    *(_case(f"words_{rate}", "transcripts", transcripts, {"rate": rate / 100}) for rate in (1, 5, 30)),
    _case("failing", "transcripts", transcripts, {"rate": 0.05, "failing": 0.1}),
    *(
        _case(
            f"right_{100 - 100 * errors:.0f}_positive_{100 * positive:.0f}",
            "decisions",
            answers,
            {"errors": errors, "alike": alike, "positive": positive},
            classes=["no", "yes"],
            positive="yes",
        )
        for errors, alike in ((0.05, 0.1), (0.01, 0.3))
        for positive in (0.03, 0.3)
    ),
    _case("two_classes", "identification", identification, {"classes": 2}, classes=["a", "b"]),
    _case("three_classes", "identification", identification, {"classes": 3}, classes=["a", "b", "c"]),
    _case(
        "target",
        "identification",
        identification,
        {"classes": 2, "target": True},
        target="a",
        priors=[0.5, 0.1],
    ),
    *(
        _case(
            f"prior_{prior}",
            "identification",
            identification,
            {"classes": 2, "target": True},
            target="a",
            priors=prior,
        )
        for prior in (0.1, 0.01)
    ),
    _case(
        "means", "decisions", decisions, {}, classes=["a", "b", "c"], primary="accuracy", mean_over="language"
    ),
    _case(
        "means_right_99",
        "decisions",
        answers,
        {"errors": 0.01, "alike": 0.3, "positive": 0.3},
        classes=["no", "yes"],
        positive="yes",
        primary="accuracy",
        mean_over="language",
    ),
    *(
        _case(
            f"drawn_right_{100 - 100 * errors:.0f}",
            "decisions",
            answers,
            {"errors": errors, "alike": alike, "positive": 0.3},
            classes=["a", "b", "c"],
            primary="accuracy",
            mean_over=DRAWN,
        )
        for errors, alike in ((0.05, 0.1), (0.01, 0.3))
    ),
    _case("levels", "scores", scores, {}, scale=[0, 10], level="system"),
    _case("rating_levels", "ratings", ratings, {}, raters=3, scale=[1, 5], level="system"),
    *(
        _case(
            eer,
            "identification",
            identification,
            {"classes": 2, "target": True},
            target="a",
            priors=0.1,
            eer=eer,
            dcf="unnormalised",
        )
        for eer in ("crossing", "nearest")
    ),
    _case(
        "spoofing",
        "identification",
        spoofing,
        {},
        target="target",
        classes=["target", "other", "spoof"],
        priors={"target": 0.9, "other": 0.05, "spoof": 0.05},
        costs={"c_miss": 1, "other": 10, "spoof": 10},
        tandem={"miss": 0.02, "false_alarm": 0.02, "spoof": 0.5},
    ),
    _case("turns", "turns", turns, {}, classes="any", mapping="optimal"),
    _case("meetings", "meetings", meetings, {}),
    _case("events", "events", events, {}, classes=["on", "off"], rate=2, beta=20),
)


found_scores = partial(scores_of, every=False)


def bootstraps(resampled: np.ndarray, value: float, without: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return the intervals of the percentile bootstrap and of BCa."""
    resampled = np.sort(resampled[~np.isnan(resampled)])
    normal = NormalDist()
    below = (np.sum(resampled < value) + np.sum(resampled == value) / 2) / len(resampled)
    bias = normal.inv_cdf(min(max(below, 0.5 / len(resampled)), 1 - 0.5 / len(resampled)))
    moved = without.mean() - without
    squares = np.sum(moved**2)
    acceleration = np.sum(moved**3) / (6 * squares**1.5) if squares else 0.0
    levels = [0.025, 0.975]
    shifted = [bias + normal.inv_cdf(level) for level in levels]
    moved_levels = [normal.cdf(bias + each / (1 - acceleration * each)) for each in shifted]
    low, high, bca_low, bca_high = np.quantile(resampled, [*levels, *moved_levels])
    return {"percentile": (low, high), "BCa": (bca_low, bca_high)}


def cover(case: Case, units: int, truths: dict[str, float], repetitions: int) -> dict[str, dict[str, Tally]]:
    """Return the intervals of each score, by each of `METHODS`."""
    task, rng = case.task, np.random.default_rng(20)
    tallies: dict[str, dict[str, Tally]] = defaultdict(lambda: {method: Tally() for method in METHODS})
    weights = resample_weights(units, resamples=RESAMPLES)
    for repetition in range(repetitions):
        parts = case.draw(rng, units, task)
        found = found_scores(task, parts)
        intervals = score_intervals(task, found, parts)
        for key, (low, high, _) in intervals.items():
            tallies[key][METHODS[0]].add(low, high, truths[key])
        if repetition % RARELY:
            continue
        for part in parts:
            chosen = [
                each
                for each in task.scores
                if each.key in intervals and task.part(each, parts) is parts[part]
            ]
            if not chosen:
                continue

            def of_chosen(counts: Any, chosen: list[Score] = chosen) -> np.ndarray:
                return np.stack([score.value(counts) for score in chosen], axis=1)

            resampled = bootstrap_scores(parts[part], of_chosen, weights)
            others = of_chosen(leave_one_out(parts[part]))
            for score, samples, without in zip(chosen, resampled.T, others.T, strict=True):
                key, value = score.key, found[score.key]
                ends = bootstraps(samples, value, np.where(np.isnan(without), value, without))
                for method, (low, high) in ends.items():
                    tallies[key][method].add(low, high, truths[key])
    return tallies


def truths_of(case: Case) -> dict[str, float]:
    """Return the scores of a population; with drawn groups, their means over 50 sets of as many as are allowed."""
    rng, drawn = np.random.default_rng(19), case.declaration.get("mean_over") == DRAWN
    sets = 50 if drawn else 1
    draws = [case.draw(rng, MOST_GROUPS if drawn else POPULATION, case.task) for _ in range(sets)]
    found = [found_scores(case.task, parts) for parts in draws]
    return {key: float(np.mean([scores[key] for scores in found])) for key in found[0]}


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or SIZES
    chosen = [word for word in sys.argv[2:] if not word.isdigit()] or [case.name for case in CASES]
    header = "".join(f"{method:>12s}{'median':>9s}{'95th':>9s}" for method in METHODS)
    print(f"{'kind':18s}{'units':>5s}  {'score':22s}{'truth':>8s}{header}")
    for case in CASES:
        if case.name not in chosen:
            continue
        truths = truths_of(case)
        for units in sizes:
            for key, tallies in cover(case, units, truths, repetitions).items():
                cells = "".join(
                    f"{tally.covered:12.1f}{np.median(tally.widths):9.3f}{np.percentile(tally.widths, 95):9.3f}"
                    for tally in tallies.values()
                )
                ours = tallies["ours"]
                mark = "!" if ours.fails else ""
                print(
                    f"{case.name:18s}{units:5d}  {key:22s}{truths[key]:8.3f}{cells} {mark}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
