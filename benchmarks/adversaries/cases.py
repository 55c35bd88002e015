"""Sets of the published sizes, each with its baseline and with answers that an adversary can choose item by item.

The labels are those of the synthetic samples. The attacks do not read them; they only measure the results.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sample_data import content_accuracy, merlion
from sample_data.psst import PROMPTS, accepted_pronunciations
from spokeneval.challenges import find_task
from spokeneval.formats import segment_scores
from spokeneval.formats.files import read_folder
from spokeneval.formats.format import Items
from spokeneval.formats.language_labels import LANGUAGES
from spokeneval.formats.sheets import Answers
from spokeneval.formats.turns import Submission, Turns, take
from spokeneval.metrics import sweeps
from spokeneval.metrics.phoneme_recognition import contains_pronunciation
from spokeneval.task import Task

ROOT = Path(__file__).resolve().parents[2]
SEED = 1502
NUDGE = 0.7

Give = Callable[[np.ndarray], Any]
"""A function from an adversary's answers, one value for each label, to a submission."""


@dataclass(frozen=True)
class Case:
    """A hidden set under attack.

    Attributes
    ----------
    task, reference: the set.
    baseline: the submission of an honest system, of about the published baseline's quality.
    labels: int, shape=(n,): the hidden labels; -1 for items without one.
    give: makes a submission from n values of the labels.
    pair: two values from which a blind adversary draws.
    doubtful: indexes of labels for which the baseline is wrong as often as right. An adversary with a good system and
        good estimates of its errors would try these. Empty if this is not measured.
    vary: makes a submission from directions, shape=(n,), from -1 to 1: the baseline with each doubtful answer changed.
        Binary answers change if the direction is positive, ratings by one point, real numbers by at most `NUDGE`.
    ordinal: whether the answers are ratings or numbers, which can change in two directions.
    rows: shape=(n,): the row of the reference that has each label.
    attempts: number of an adversary's submissions: ten times the limit of the deciding phases; 39 for MERLIon CCS.
    """

    task: Task
    reference: Any
    baseline: Any
    labels: np.ndarray
    give: Give
    pair: tuple[float, float]
    doubtful: np.ndarray
    vary: Give
    rows: np.ndarray
    ordinal: bool = False
    attempts: int = 30

    @property
    def shares(self) -> dict[int, float]:
        """Return the frequency of each label; assumed to be known, because a training set reveals it."""
        values, counts = np.unique(self.labels[self.labels >= 0], return_counts=True)
        return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))

    @property
    def units(self) -> np.ndarray:
        """Return the number of the unit of each row of the reference."""
        return np.unique(list(self.task.units(self.reference).of.values()), return_inverse=True)[1]


def part_of(whole: Any, rows: np.ndarray) -> Any:
    """Return the chosen rows of a reference or of a submission."""
    if isinstance(whole, Answers):
        ids = tuple(whole.items.ids[row] for row in rows.tolist())
        columns = {name: values[rows] for name, values in whole.columns.items()}
        texts = {name: [values[row] for row in rows.tolist()] for name, values in whole.texts.items()}
        return Answers(Items(ids), columns, texts)
    if isinstance(whole, segment_scores.Submission):
        return segment_scores.Submission(whole.english[rows], whole.mandarin[rows])
    if isinstance(whole, segment_scores.Reference):
        kept, numbers = np.unique(whole.recordings[rows], return_inverse=True)
        ids = tuple(whole.items.ids[row] for row in rows.tolist())
        names = [whole.audio_names[recording] for recording in kept.tolist()]
        return segment_scores.Reference(Items(ids), whole.is_english[rows], numbers, names)
    if isinstance(whole, Submission):
        return take(whole, rows.tolist())
    turns, regions, excluded = (
        [values[row] for row in rows.tolist()] for values in (whole.turns, whole.regions, whole.excluded)
    )
    items = Items(tuple(whole.items.ids[row] for row in rows.tolist()))
    return replace(whole, items=items, turns=turns, regions=regions, excluded=excluded, files=())


def relabelled(case: Case, labels: np.ndarray) -> Case:
    """Return a case of PSST correctness with other labels."""
    columns = {**case.reference.columns, "correctness": labels}
    return replace(case, reference=replace(case.reference, columns=columns), labels=labels)


def right_on(case: Case, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return the answers of a system that is right on a share of binary labels; its errors are random."""
    wrong = rng.choice(len(case.labels), round((1 - share) * len(case.labels)), replace=False)
    answers = case.labels.copy()
    answers[wrong] = 1 - answers[wrong]
    return answers


def errors_and_as_many_right(wrong: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the indexes of all errors and of the same number of right answers."""
    errors, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
    return np.sort(np.concatenate([errors, rng.choice(right, min(len(errors), len(right)), replace=False)]))


def exchanged(baseline: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return binary answers, changed where a direction is positive."""
    return np.where(directions > 0, 1 - baseline, baseline)


def sheet_case(name: str, column: str, labels: np.ndarray, baseline: np.ndarray, **choices: Any) -> Case:
    """Return a case whose submission is one column, with one value for each label."""
    task, reference = find_task(name), _reference(name)
    rng = np.random.default_rng(SEED)
    doubtful = choices.pop("doubtful", None)
    if doubtful is None:
        doubtful = errors_and_as_many_right(baseline != labels, rng)
    changed: Callable[[np.ndarray, np.ndarray], np.ndarray] = choices.pop("changed", exchanged)
    kind = baseline.dtype

    def give(values: np.ndarray) -> Answers:
        return Answers(reference.items, {column: np.asarray(values).astype(kind)})

    def vary(directions: np.ndarray) -> Answers:
        doubted = np.zeros(len(labels))
        doubted[doubtful] = directions[doubtful]
        return give(changed(baseline, doubted))

    rows = np.arange(len(labels))
    return Case(
        task, reference, give(baseline), labels, give, doubtful=doubtful, vary=vary, rows=rows, **choices
    )


@cache
def _reference(name: str) -> Any:
    return find_task(name).format.read_reference(read_folder(ROOT / "reference_data" / name / "evaluation"))


@cache
def spoken_call() -> Case:
    """740 correct and 260 incorrect responses; the baseline has the same errors of each kind as the published one."""
    reference = _reference("spoken_call")
    labels = reference["language"].astype(np.int64)
    rng = np.random.default_rng(SEED)
    baseline = labels.copy()
    baseline[rng.choice(np.flatnonzero(labels == 1), 105, replace=False)] = 0
    gross = reference["meaning"] == 0
    baseline[rng.choice(np.flatnonzero((labels == 0) & ~gross), 32, replace=False)] = 1
    baseline[rng.choice(np.flatnonzero(gross), 15, replace=False)] = 1
    return sheet_case("spoken_call", "Accept", labels, baseline, pair=(0, 1))


def _recognised() -> list[tuple[str, ...]]:
    path = ROOT / "starting_kit/psst/data/evaluation_transcripts.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["utterance_id"]: row["asr_transcript"] for row in csv.DictReader(file, delimiter="\t")}
    return [tuple(rows[item].split()) for item in _reference("psst_correctness").items.ids]


def _prompts() -> list[str]:
    """Return the prompt of each utterance, which is part of its public id."""
    return [item.rsplit("-", 1)[1] for item in _reference("psst_correctness").items.ids]


@cache
def psst_correctness() -> Case:
    """652 responses of 41 sessions, and the challenge's baseline."""
    labels = _reference("psst_correctness")["correctness"].astype(np.int64)
    accepted = {
        prompt: [said.split() for said in spoken] for prompt, spoken in accepted_pronunciations().items()
    }
    baseline = np.array(
        [
            contains_pronunciation(list(heard), accepted[prompt])
            for heard, prompt in zip(_recognised(), _prompts(), strict=True)
        ]
    )
    return sheet_case(
        "psst_correctness",
        "prediction",
        labels,
        baseline.astype(np.int64),
        pair=(0, 1),
    )


@cache
def psst_recognition() -> Case:
    """652 transcripts; the adversary asks which is nearer: the recogniser's transcript or the prompt's usual form."""
    task, reference = find_task("psst_recognition"), _reference("psst_recognition")
    heard = _recognised()
    usual = [tuple(PROMPTS[prompt][1][0].split()) for prompt in _prompts()]
    choices = np.empty((len(heard), 2), dtype=object)
    for row, pair in enumerate(zip(heard, usual, strict=True)):
        choices[row, 0], choices[row, 1] = pair

    def give(values: np.ndarray) -> Answers:
        chosen = np.empty(len(heard), dtype=object)
        for row, value in enumerate(np.asarray(values, dtype=int).tolist()):
            chosen[row] = choices[row, value]
        return Answers(reference.items, {"asr_transcript": chosen})

    costs = [
        task.count(reference, give(np.full(len(heard), value)))["errors"].feature_cost for value in (0, 1)
    ]
    labels = np.where(costs[0] == costs[1], -1, costs[1] < costs[0]).astype(np.int64)
    doubtful = errors_and_as_many_right(labels == 1, np.random.default_rng(SEED))
    doubtful = doubtful[labels[doubtful] >= 0]

    def vary(directions: np.ndarray) -> Answers:
        values = np.zeros(len(heard), dtype=int)
        values[doubtful] = directions[doubtful] > 0
        return give(values)

    rows = np.arange(len(heard))
    baseline = give(np.zeros(len(heard), dtype=int))
    return Case(task, reference, baseline, labels, give, (0, 1), doubtful, vary, rows)


@cache
def caller_experience() -> Case:
    """202 calls; the labels are the listeners' medians."""
    reference = _reference("caller_experience")
    ratings = np.stack([reference[f"human{listener}"] for listener in (1, 2, 3)])
    labels = np.median(ratings, axis=0).astype(np.int64)
    rng = np.random.default_rng(SEED)
    baseline = np.clip(np.rint(labels + rng.normal(0, 0.85, len(labels))), 1, 5).astype(np.int64)
    return sheet_case(
        "caller_experience",
        "rating",
        labels,
        baseline,
        pair=(1, 5),
        changed=lambda baseline, directions: np.clip(baseline + np.sign(directions), 1, 5),
        doubtful=np.arange(len(labels)),
        ordinal=True,
    )


@cache
def content() -> Case:
    """200 responses of 55 speakers; the baseline's correlation is about that of the paper's best model."""
    labels = _reference("content_accuracy")["human_score"].astype(np.int64)
    rng = np.random.default_rng(SEED)
    baseline = 2.5 + 0.65 * (labels - labels.mean()) + rng.normal(0, 0.68, len(labels))
    return sheet_case(
        "content_accuracy",
        "score",
        labels,
        baseline,
        pair=(1, 4),
        changed=lambda baseline, directions: baseline + NUDGE * directions,
        doubtful=np.arange(len(labels)),
        ordinal=True,
    )


@cache
def content_full() -> Case:
    """The published size: 5,934 responses of 1,611 speakers."""
    with tempfile.TemporaryDirectory() as folder:
        content_accuracy.write_full(Path(folder))
        reference = find_task("content_accuracy").format.read_reference(read_folder(Path(folder)))
    labels = reference["human_score"].astype(np.int64)
    rng = np.random.default_rng(SEED)
    baseline = 2.5 + 0.65 * (labels - labels.mean()) + rng.normal(0, 0.68, len(labels))

    def give(values: np.ndarray) -> Answers:
        return Answers(reference.items, {"score": np.asarray(values, dtype=float)})

    return replace(
        content(),
        reference=reference,
        baseline=give(baseline),
        labels=labels,
        give=give,
        doubtful=np.zeros(0, dtype=int),
        rows=np.arange(len(labels)),
    )


@cache
def _merlion(recordings: int) -> tuple[merlion.Tables, Any, Any]:
    tables = merlion.generate("full", "evaluation", merlion.SEEDS["evaluation"])
    kept = set(tables.recordings.audio_name[:recordings])
    tables = merlion.Tables(*(table[table.audio_name.isin(kept)] for table in tables))
    with tempfile.TemporaryDirectory() as folder:
        merlion.write_diarization_set(tables, Path(folder))
        references = [
            find_task(name).format.read_reference(read_folder(Path(folder)))
            for name in ("merlion_identification", "merlion_diarization")
        ]
    return tables, references[0], references[1]


@cache
def merlion_identification(recordings: int = 20) -> Case:
    """Some thousands of segments; each answer is a language with full confidence."""
    tables, reference, _ = _merlion(recordings)
    labels = (~reference.is_english).astype(np.int64)
    scores = merlion.identification_scores(tables.labels, "baseline", SEED)

    def submission(english: np.ndarray) -> segment_scores.Submission:
        return segment_scores.Submission(english, -english)

    def give(values: np.ndarray) -> segment_scores.Submission:
        return submission(1.0 - 2.0 * np.asarray(values))

    wrong = (scores[:, 0] < 0) != (labels == 1)
    doubtful = errors_and_as_many_right(wrong, np.random.default_rng(SEED))

    def vary(directions: np.ndarray) -> segment_scores.Submission:
        english = scores[:, 0].copy()
        english[doubtful] *= np.where(directions[doubtful] > 0, -1, 1)
        return submission(english)

    return Case(
        find_task("merlion_identification"),
        reference,
        submission(scores[:, 0]),
        labels,
        give,
        (0, 1),
        doubtful,
        vary,
        np.arange(len(labels)),
        attempts=39,
    )


SPACING, HALF = 10_000.0, 1000.0  # ms


@cache
def merlion_diarization(recordings: int = 154) -> Case:
    """Instants at a distance of ten seconds; the adversary asks for their language with turns of two seconds."""
    tables, _, reference = _merlion(recordings)
    place = {name: row for row, name in enumerate(reference.files)}
    lengths = np.zeros(len(place))
    for name, length in tables.recordings.itertuples(index=False):
        lengths[place[name]] = length
    instants = [np.arange(SPACING / 2, length - HALF, SPACING) for length in lengths.tolist()]
    rows = np.repeat(np.arange(len(instants)), list(map(len, instants)))
    labels = np.concatenate(
        [
            _languages_at(times, languages_of(turns), regions)
            for times, turns, regions in zip(instants, reference.turns, reference.regions, strict=True)
        ]
    )
    cuts = np.cumsum(list(map(len, instants)))[:-1]

    def give(values: np.ndarray) -> Submission:
        return turns_at(np.split(np.asarray(values), cuts), instants)

    claimed = merlion.diarization_turns(tables, "perturbed", SEED)
    by_name = dict(list(claimed.groupby("audio_name")))
    turns = []
    for name in reference.files:
        table = by_name[name]
        spans = table[["start", "end"]].to_numpy()
        english = (table.language_tag == "English").to_numpy()
        turns.append((spans[english], spans[~english]))
    baseline = submission_of(turns)
    nothing = np.zeros(0, dtype=int)
    task = find_task("merlion_diarization")
    return Case(task, reference, baseline, labels, give, (0, 1), nothing, give, rows, attempts=39)


def instants_of(case: Case) -> np.ndarray:
    """Return the time of each label of a diarization case, in ms from the recording's beginning."""
    first = np.searchsorted(case.rows, case.rows)
    return SPACING / 2 + SPACING * (np.arange(len(case.rows)) - first)


def submission_of(turns: Sequence[tuple[Any, Any]]) -> Submission:
    """Return a submission from the English and the Mandarin turns of each recording."""
    return Submission(LANGUAGES, [Turns(*sweeps.Turns.of_labels(*each)) for each in turns])


def languages_of(turns: Turns) -> tuple[np.ndarray, np.ndarray]:
    """Return the English and the Mandarin turns of a recording."""
    return turns.spans[turns.labels == 0], turns.spans[turns.labels == 1]


def turns_at(values: list[np.ndarray], instants: list[np.ndarray]) -> Submission:
    """Return turns of two seconds around instants: 0 is English, 1 Mandarin, other values have no turn."""
    turns = []
    for given, times in zip(values, instants, strict=True):
        spans = np.stack([times - HALF, times + HALF], axis=1)
        turns.append((spans[given == 0], spans[given == 1]))
    return submission_of(turns)


def exchange_turns(case: Case) -> Give:
    """Return a function from instants, bool, shape=(n,), to the baseline with English and Mandarin exchanged there."""
    cuts = np.cumsum(np.bincount(case.rows, minlength=len(case.baseline.turns)))[:-1]
    pieces = []
    for turns, times in zip(case.baseline.turns, np.split(instants_of(case), cuts), strict=True):
        edges = np.concatenate([[-np.inf], np.stack([times - HALF, times + HALF], axis=1).ravel(), [np.inf]])
        windows = np.stack([edges[:-1], edges[1:]], axis=1)  # every second one is around an instant
        pieces.append(
            [[_inside(spans, *window) for spans in languages_of(turns)] for window in windows.tolist()]
        )

    def submit(flips: np.ndarray) -> Submission:
        changed = []
        for parts, flipped in zip(pieces, np.split(flips, cuts), strict=True):
            exchanged = np.zeros(len(parts), dtype=bool)
            exchanged[1::2] = flipped
            chosen = [
                pair[::-1] if other else pair for pair, other in zip(parts, exchanged.tolist(), strict=True)
            ]
            english, mandarin = map(np.concatenate, zip(*chosen, strict=True))
            changed.append((english, mandarin))
        return submission_of(changed)

    return submit


def _inside(spans: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the parts of spans between two times."""
    parts = np.clip(spans, start, end)
    return parts[parts[:, 0] < parts[:, 1]]


def languages_claimed(case: Case) -> np.ndarray:
    """Return the baseline's language at each instant: 1 where it claims Mandarin alone, else 0."""
    claimed = np.zeros(len(case.labels), dtype=int)
    times = instants_of(case)
    for row, turns in enumerate(case.baseline.turns):
        at = case.rows == row
        found = [
            ((spans[:, :1] <= times[at]) & (times[at] < spans[:, 1:])).any(axis=0)
            for spans in languages_of(turns)
        ]
        claimed[at] = found[1] & ~found[0]
    return claimed


def _languages_at(times: np.ndarray, turns: Any, regions: np.ndarray) -> np.ndarray:
    """Return 0 where only English is spoken, 1 where only Mandarin is spoken, else -1."""

    def inside(spans: np.ndarray) -> np.ndarray:
        return ((spans[:, :1] <= times) & (times < spans[:, 1:])).any(axis=0)

    english, mandarin = map(inside, turns)
    alone = (english ^ mandarin) & inside(regions)
    return np.where(alone, mandarin.astype(np.int64), -1)
