"""Sets of the published sizes, each with its baseline and with answers that an adversary can choose item by item.

The labels are those of the synthetic samples. The attacks do not read them; they only measure the results.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sample_data import merlion
from sample_data.psst import PROMPTS, accepted_pronunciations
from spokeneval.challenges import find_task
from spokeneval.formats import segment_scores
from spokeneval.formats.format import Answers
from spokeneval.formats.language_labels import LANGUAGES
from spokeneval.formats.text import read_folder
from spokeneval.formats.turns import RecordingTurns, Submission
from spokeneval.metrics import sweeps
from spokeneval.metrics.counts import taken
from spokeneval.metrics.jackknife import jackknife_error, leave_one_out
from spokeneval.metrics.phoneme_recognition import contains_pronunciation
from spokeneval.scoring.scored import by_unit
from spokeneval.task import Task

ROOT = Path(__file__).resolve().parents[2]
SEED = 1502
NUDGE = 0.7

Give = Callable[[np.ndarray], Any]
"""A function from answers, one for each label, to a submission."""


def exchanged(answers: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return binary answers, changed where a direction is positive."""
    return np.where(directions > 0, 1 - answers, answers)


@dataclass(frozen=True)
class Case:
    """A hidden set under attack.

    Attributes
    ----------
    task, reference: the set.
    labels: int, shape=(n,): the hidden labels; -1 for items without one.
    baseline: the submission of an honest system, of about the published baseline's quality, which decides the steps
        and the floor.
    system: shape=(n,): the answers of the adversary's system, by default those of the baseline.
    said: int, shape=(n,): the labels that these answers claim.
    give: makes a submission from n answers.
    pair: two answers from which a blind adversary draws.
    doubtful: indexes of labels for which the system is wrong as often as right. An adversary with a good system and
        good estimates of its errors would try these.
    change: takes the answers and directions, shape=(n,), from -1 to 1. Binary answers change if the direction is
        positive, ratings by one point, real numbers by at most `NUDGE`.
    ordinal: whether the answers are ratings or numbers, which can change in two directions.
    attempts: number of an adversary's submissions: ten times the limit of the deciding phases; 39 for MERLIon CCS.
    rows: shape=(n,): the recording that has each label; empty where each label has its own row of the reference.
    """

    task: Task
    reference: Any
    labels: np.ndarray
    baseline: Any
    system: np.ndarray
    said: np.ndarray
    give: Give
    doubtful: np.ndarray
    pair: tuple[float, float] = (0, 1)
    change: Callable[[np.ndarray, np.ndarray], np.ndarray] = exchanged
    ordinal: bool = False
    attempts: int = 30
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))

    def flip(self, directions: np.ndarray) -> Any:
        """Return the system's submission with its answers changed in these directions."""
        return self.give(self.change(self.system, directions))

    def vary(self, directions: np.ndarray) -> Any:
        """Return the system's submission with its doubtful answers changed in these directions."""
        doubted = np.zeros(len(self.labels))
        doubted[self.doubtful] = directions[self.doubtful]
        return self.flip(doubted)

    @property
    def shares(self) -> dict[int, float]:
        """Return the frequency of each label; assumed to be known, because a training set reveals it."""
        values, counts = np.unique(self.labels[self.labels >= 0], return_counts=True)
        return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))

    @cached_property
    def errors(self) -> dict[str, float]:
        """Return the standard error of each score of the baseline; 0 if it does not vary."""
        return standard_errors(self)


def standard_errors(case: Case, units: np.ndarray | None = None) -> dict[str, float]:
    """Return the standard error of each score of the baseline, on some of the units or on all."""
    task = case.task
    rows = by_unit(task.units(case.reference), task.count(case.reference, case.baseline)).parts
    if units is not None:
        rows = {part: taken(counts, units) for part, counts in rows.items()}
    without = {part: leave_one_out(counts) for part, counts in rows.items()}
    return {score.key: jackknife_error(score.value(task.part(score, without))) for score in task.scores}


def relabelled(case: Case, labels: np.ndarray) -> Case:
    """Return a case of PSST correctness with other labels."""
    columns = {**case.reference.columns, "correctness": labels}
    return replace(case, reference=replace(case.reference, columns=columns), labels=labels)


def with_system(case: Case, answers: np.ndarray) -> Case:
    """Return a case of binary answers whose adversary has another system."""
    return replace(case, system=answers, said=answers)


def somewhat_better(case: Case) -> Case:
    """Return an honest system that is better than the floor: every fourth error of the baseline is corrected."""
    mended = np.flatnonzero(case.said != case.labels)[::4]
    answers = case.said.copy()
    answers[mended] = case.labels[mended]
    return replace(with_system(case, answers), doubtful=np.setdiff1d(case.doubtful, mended))


def calibrated(case: Case, rng: np.random.Generator) -> tuple[Case, np.ndarray]:
    """Return a system that is right on 95 % of binary labels, and the probability that each answer is wrong.

    It is wrong on two of five of the tenth of its answers that it doubts, and on 1.1 % of the others.
    """
    wrong = np.where(rng.random(len(case.labels)) < 0.1, 0.4, 0.011)
    errors = rng.random(len(case.labels)) < wrong
    return with_system(case, np.where(errors, 1 - case.labels, case.labels)), wrong


def right_on(case: Case, share: float, rng: np.random.Generator) -> Case:
    """Return a system that is right on a share of binary labels; its errors are random."""
    wrong = rng.choice(len(case.labels), round((1 - share) * len(case.labels)), replace=False)
    answers = case.labels.copy()
    answers[wrong] = 1 - answers[wrong]
    return with_system(case, answers)


def errors_and_as_many_right(wrong: np.ndarray) -> np.ndarray:
    """Return the indexes of all errors and of the same number of right answers."""
    errors, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
    chosen = np.random.default_rng(SEED).choice(right, min(len(errors), len(right)), replace=False)
    return np.sort(np.concatenate([errors, chosen]))


def _case(
    name: str, reference: Any, labels: Any, system: Any, give: Give, said: Any = None, **choices: Any
) -> Case:
    """Return a case, by default of binary answers of which all errors and as many right ones are doubtful."""
    claimed = system.astype(np.int64) if said is None else said
    if "doubtful" not in choices:
        choices["doubtful"] = errors_and_as_many_right((labels >= 0) & (claimed != labels))
    baseline = choices.pop("baseline", None) or give(system)
    return Case(find_task(name), reference, labels, baseline, system, claimed, give, **choices)


@cache
def _reference(name: str) -> Any:
    return find_task(name).format.read_reference(read_folder(ROOT / "reference_data" / name / "evaluation"))


def _sheet(name: str, column: str, labels: np.ndarray, system: np.ndarray, **choices: Any) -> Case:
    """Return a case whose submission is one column, with one value for each label."""
    reference = _reference(name)

    def give(values: np.ndarray) -> Answers:
        return Answers(reference.items, {column: np.asarray(values).astype(system.dtype)})

    return _case(name, reference, labels, system, give, **choices)


@cache
def spoken_call() -> Case:
    """740 correct and 260 incorrect responses; the baseline has the same errors of each kind as the published one."""
    reference = _reference("spoken_call")
    labels = reference["language"].astype(np.int64)
    gross = reference["meaning"] == 0
    rng = np.random.default_rng(SEED)
    system = labels.copy()
    system[rng.choice(np.flatnonzero(labels == 1), 105, replace=False)] = 0
    system[rng.choice(np.flatnonzero((labels == 0) & ~gross), 32, replace=False)] = 1
    system[rng.choice(np.flatnonzero(gross), 15, replace=False)] = 1
    return _sheet("spoken_call", "Accept", labels, system)


def _heard_and_prompted() -> list[tuple[list[str], str]]:
    """Return the recogniser's transcript of each utterance and its prompt, which is part of the public id."""
    path = ROOT / "starting_kit/psst/data/evaluation_transcripts.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        heard = {row["utterance_id"]: row["asr_transcript"] for row in csv.DictReader(file, delimiter="\t")}
    items = _reference("psst_correctness").items.ids
    return [(heard[item].split(), item.rsplit("-", 1)[1]) for item in items]


@cache
def psst_correctness() -> Case:
    """652 responses of 41 sessions, and the challenge's baseline."""
    accepted = accepted_pronunciations()
    system = [
        contains_pronunciation(heard, [said.split() for said in accepted[prompt]])
        for heard, prompt in _heard_and_prompted()
    ]
    labels = _reference("psst_correctness")["correctness"].astype(np.int64)
    return _sheet("psst_correctness", "prediction", labels, np.array(system).astype(np.int64))


@cache
def psst_recognition() -> Case:
    """652 transcripts; the adversary asks which is nearer: the recogniser's transcript or the prompt's usual form."""
    task, reference = find_task("psst_recognition"), _reference("psst_recognition")
    choices = [
        (tuple(heard), tuple(PROMPTS[prompt][1][0].split())) for heard, prompt in _heard_and_prompted()
    ]

    def give(values: np.ndarray) -> Answers:
        chosen = np.empty(len(choices), dtype=object)
        chosen[:] = [pair[int(value)] for pair, value in zip(choices, values, strict=True)]
        return Answers(reference.items, {"asr_transcript": chosen})

    nothing = np.zeros(len(choices), dtype=np.int64)
    costs = [task.count(reference, give(nothing + value))["features"].feature_cost for value in (0, 1)]
    labels = np.where(costs[0] == costs[1], -1, costs[1] < costs[0]).astype(np.int64)
    doubtful = errors_and_as_many_right(labels == 1)
    doubtful = doubtful[labels[doubtful] >= 0]
    return _case("psst_recognition", reference, labels, nothing, give, doubtful=doubtful)


@cache
def caller_experience() -> Case:
    """202 calls; the labels are the listeners' medians."""
    reference = _reference("caller_experience")
    ratings = np.stack([reference[f"human{listener}"] for listener in (1, 2, 3)])
    labels = np.median(ratings, axis=0).astype(np.int64)
    noise = np.random.default_rng(SEED).normal(0, 0.85, len(labels))
    system = np.clip(np.rint(labels + noise), 1, 5).astype(np.int64)

    def change(answers: np.ndarray, directions: np.ndarray) -> np.ndarray:
        return np.clip(answers + np.sign(directions), 1, 5)

    choices = {"pair": (1, 5), "change": change, "doubtful": np.arange(len(labels)), "ordinal": True}
    return _sheet("caller_experience", "rating", labels, system, **choices)


@cache
def content() -> Case:
    """200 responses of 55 speakers; the baseline's correlation is about that of the paper's best model."""
    labels = _reference("content_accuracy")["human_score"].astype(np.int64)
    noise = np.random.default_rng(SEED).normal(0, 0.68, len(labels))
    system = 2.5 + 0.65 * (labels - labels.mean()) + noise

    def change(answers: np.ndarray, directions: np.ndarray) -> np.ndarray:
        return answers + NUDGE * directions

    choices = {"pair": (1, 4), "change": change, "doubtful": np.arange(len(labels)), "ordinal": True}
    return _sheet("content_accuracy", "score", labels, system, **choices)


@cache
def _merlion(recordings: int) -> tuple[merlion.Tables, dict[str, Any]]:
    """Return the first recordings of a set, and their references for the two tasks."""
    tables = merlion.generate("full", "evaluation", merlion.SEEDS["evaluation"])
    kept = set(tables.recordings.audio_name[:recordings])
    tables = merlion.Tables(*(table[table.audio_name.isin(kept)] for table in tables))
    with tempfile.TemporaryDirectory() as folder:
        merlion.write_diarization_set(tables, Path(folder))
        files = read_folder(Path(folder))
    return tables, {name: find_task(name).format.read_reference(files) for name in merlion.WRITERS}


@cache
def merlion_identification(recordings: int = 20) -> Case:
    """Some thousands of segments; a blind adversary gives each a language with full confidence."""
    tables, references = _merlion(recordings)
    reference = references["merlion_identification"]
    english = merlion.identification_scores(tables.labels, "baseline", SEED)[:, 0]
    return _case(
        "merlion_identification",
        reference,
        reference["label"],
        english,
        lambda values: segment_scores.given_scores(reference.items, values, -values),
        said=(english < 0).astype(np.int64),
        pair=(1.0, -1.0),
        change=lambda answers, directions: np.where(directions > 0, -answers, answers),
        attempts=39,
    )


SPACING, HALF = 10_000.0, 1000.0  # ms


@cache
def merlion_diarization(recordings: int = 154) -> Case:
    """Instants at a distance of ten seconds; the adversary asks for their language with turns of two seconds."""
    tables, references = _merlion(recordings)
    reference = references["merlion_diarization"]
    lengths = dict(tables.recordings.itertuples(index=False, name=None))
    instants = [np.arange(SPACING / 2, lengths[name] - HALF, SPACING) for name in reference.files]
    claimed = dict(list(merlion.diarization_turns(tables, "perturbed", SEED).groupby("audio_name")))
    baseline = submission_of(
        [claimed[name].loc[claimed[name].language_tag == tag, ["start", "end"]] for tag in LANGUAGES]
        for name in reference.files
    )
    cuts = np.cumsum(list(map(len, instants)))[:-1]
    around = [np.stack([times - HALF, times + HALF], axis=1) for times in instants]

    def give(values: np.ndarray) -> Submission:
        """Return turns of two seconds around the instants: 0 is English, 1 Mandarin."""
        given = zip(around, np.split(values, cuts), strict=True)
        return Submission(LANGUAGES, [RecordingTurns(spans, labels) for spans, labels in given])

    labels, said = [], []
    for row, times in enumerate(instants):
        english, mandarin = _languages_at(times, reference.turns[row])
        alone = (english ^ mandarin) & _inside(reference.regions[row], times)
        labels.append(np.where(alone, mandarin.astype(np.int64), -1))
        english, mandarin = _languages_at(times, baseline.turns[row])
        said.append((mandarin & ~english).astype(np.int64))
    return _case(
        "merlion_diarization",
        reference,
        np.concatenate(labels),
        np.concatenate(said),
        give,
        baseline=baseline,
        rows=np.repeat(np.arange(len(instants)), list(map(len, instants))),
        attempts=39,
    )


def instants_of(case: Case) -> np.ndarray:
    """Return the time of each label of a diarization case, in ms from the recording's beginning."""
    first = np.searchsorted(case.rows, case.rows)
    return SPACING / 2 + SPACING * (np.arange(len(case.rows)) - first)


def submission_of(turns: Iterable[Sequence[Any]]) -> Submission:
    """Return a submission from the English and the Mandarin turns of each recording."""
    return Submission(LANGUAGES, [RecordingTurns(*sweeps.Turns.of_labels(*each)) for each in turns])


def _languages_at(times: np.ndarray, turns: RecordingTurns) -> tuple[np.ndarray, np.ndarray]:
    """Return whether there is a turn in English, and in Mandarin, at each time."""
    return _inside(turns.spans[turns.labels == 0], times), _inside(turns.spans[turns.labels == 1], times)


def _inside(spans: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return whether a span contains each time."""
    return ((spans[:, :1] <= times) & (times < spans[:, 1:])).any(axis=0)


def exchange_turns(case: Case) -> Case:
    """Return a diarization case whose answers are 1 where the baseline's English and Mandarin are exchanged."""
    cuts = np.cumsum(np.bincount(case.rows, minlength=len(case.baseline.turns)))[:-1]
    pieces = []
    for turns, times in zip(case.baseline.turns, np.split(instants_of(case), cuts), strict=True):
        # The windows between these edges: every second one is around an instant.
        edges = np.concatenate([[-np.inf], np.stack([times - HALF, times + HALF], axis=1).ravel(), [np.inf]])
        starts, ends = np.maximum(turns.spans[:, :1], edges[:-1]), np.minimum(turns.spans[:, 1:], edges[1:])
        turn, window = np.nonzero(starts < ends)
        spans = np.stack([starts[turn, window], ends[turn, window]], axis=1)
        pieces.append((spans, turns.labels[turn], window))

    def give(values: np.ndarray) -> Submission:
        changed = []
        for (spans, labels, window), given in zip(pieces, np.split(values, cuts), strict=True):
            exchanged = np.zeros(2 * len(given) + 1, dtype=int)
            exchanged[1::2] = given
            changed.append(RecordingTurns(spans, labels ^ exchanged[window]))
        return Submission(LANGUAGES, changed)

    return replace(case, give=give, system=np.zeros(len(case.labels), dtype=np.int64))
