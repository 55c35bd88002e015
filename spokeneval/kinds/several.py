"""Several questions about each item, such as an emotion and two scales. Primary score: the mean of one score of them.

Reference, `labels.csv`, and submission, `answers.csv`: an item in each row, and a column for each question. A question
is of the kind scores or decisions, and has the scores of this kind, whose keys begin with its name: `arousal_ccc`.

The mean has the same weight for each question, and its interval allows for questions that go with each other.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Callable

import numpy as np

from ..formats.format import Answers, Format, Items, sheet_format
from ..formats.problems import Problems, ReferenceFileError, some_of, suggestion
from ..formats.tables import Table
from ..task import Score, Task
from .decisions import PREDICTIONS, DecisionsKind
from .kind import (
    Kind,
    ParameterError,
    id_column,
    id_parameter,
    item_parameter,
    one_table,
    parameter,
    text,
    unit_parameter,
)
from .mean_over import OF_WHOLE, GroupCounts, mean_of_groups, side_by_side
from .scores import ScoresKind

REFERENCE, SUBMISSION = "labels.csv", "answers.csv"
OVERALL, MEAN = "overall", "mean"
"""The part of the counts for the mean over questions."""
PRIMARY = "primary"
_KINDS: dict[str, tuple[type[Kind], tuple[str, ...]]] = {
    "scores": (ScoresKind, ("scale", "step")),
    "decisions": (DecisionsKind, ("classes", "positive", "weights")),
}
"""The kinds of questions, each with its parameters."""


def _read_questions(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, Mapping) or len(value) < 2:
        raise ValueError(f"{value!r:.100}; expected two questions or more, {{NAME: {{kind: …}}, …}}")
    names = list(map(id_column, value))
    if len({name.lower() for name in names}) < len(names):
        raise ValueError(f"{some_of(names)}; capital letters make no difference: expected other names")
    for name, declared in value.items():
        if not isinstance(declared, Mapping) or declared.get("kind") not in _KINDS:
            expected = " or ".join(f"{{kind: {kind}, …}}" for kind in _KINDS)
            raise ValueError(f"{name}: {declared!r:.60}; expected {expected}")
        _, own = _KINDS[declared["kind"]]
        for key in declared.keys() - {"kind", PRIMARY, *own}:
            raise ValueError(f"{name}: {key}; {suggestion(str(key), (*own, PRIMARY))}")
    return {name: dict(declared) for name, declared in value.items()}


@dataclass(frozen=True)
class SeveralKind(Kind):
    """A task that asks several questions about each item."""

    # fmt: off
    questions: Mapping[str, Mapping[str, Any]] = parameter(
        "The questions, each a column of the reference and of a submission: {kind: scores, scale: [1, 7]}, with step "
        "if human scores have steps; or {kind: decisions, classes: [A, B, C]}, with positive for two classes. primary "
        "names the score that counts, such as ccc; without it, the first of the kind.", _read_questions,
        {"valence": {"kind": "scores", "scale": [1, 7]}, "arousal": {"kind": "scores", "scale": [1, 7]}})
    mean: tuple[str, ...] = parameter(
        "The questions whose primary scores are averaged for the rank; these are the same score. The others are shown "
        "beside them. Without it, all questions of the kind scores; without such ones, all.",
        lambda value: tuple(map(text, value or ())), ["valence", "arousal"], None)
    id: str = id_parameter()
    item: str = item_parameter()
    unit: str = unit_parameter()
    # fmt: on

    name = "several"
    description = "several answers to each item: scores, classes, or both"
    opening = "Answer several questions about each {item}."
    shared_scale = False  # that of scores is not

    def __post_init__(self) -> None:
        for name in self.questions:
            if name.lower() in (self.id.lower(), self.unit.lower(), MEAN):
                raise ParameterError("questions", f"{name!r} is also the name of another column")
        for name in self.mean:
            if name not in self.questions or self.mean.count(name) > 1:
                known = ", ".join(self.questions)
                raise ParameterError("mean", f"{name!r}; expected some of {known}, each once")
        averaged = {name: self.parts[name].primary for name in self.averaged}
        if len({score.key for score in averaged.values()}) > 1:
            found = ", ".join(f"{score.key} of {name}" for name, score in averaged.items())
            raise ParameterError("mean", f"{found}; list questions with the same primary score")
        scales = {str(self.questions[name].get("scale")) for name in averaged}
        first = next(iter(averaged.values()))
        if first.bounds and math.isinf(first.bounds[1]) and len(scales) > 1:
            found = f"{first.key} on scales that differ: {' and '.join(sorted(scales))}"
            raise ParameterError("mean", f"{found}; expected one scale, or a score such as ccc")

        often = Counter(score.key for score in self.all_scores())
        if twice := [key for key, times in often.items() if times > 1]:
            raise ParameterError("questions", f"two scores would be called {twice[0]}; rename a question")

    @property
    def averaged(self) -> tuple[str, ...]:
        """The questions that count for the rank."""
        scores = (name for name, declared in self.questions.items() if declared["kind"] == ScoresKind.name)
        return self.mean or tuple(scores) or tuple(self.questions)

    @cached_property
    def parts(self) -> dict[str, Task]:
        """The task of each question alone."""
        return {name: self._part(name, declared) for name, declared in self.questions.items()}

    @property
    def kinds(self) -> dict[str, Any]:
        """The kind of each question."""
        return {name: part.view for name, part in self.parts.items()}

    def _part(self, name: str, declared: Mapping[str, Any]) -> Task:
        own = {key: value for key, value in declared.items() if key not in ("kind", PRIMARY)}
        try:
            task = _KINDS[declared["kind"]][0].read({**own, "item": self.item}).task(name, name)
        except ParameterError as error:
            raise ParameterError("questions", f"{name}: {error}") from None
        primary = declared.get(PRIMARY, task.primary.key)
        if primary not in task.primaries:
            raise ParameterError("questions", f"{name}: primary: {suggestion(str(primary), task.primaries)}")
        return task.ranked_by(primary)

    def format(self) -> Format:
        human, given = ({name: kind.cells[side] for name, kind in self.kinds.items()} for side in (0, 1))
        reference = one_table(REFERENCE, human, id=self.id, item=self.item, unit=self.unit)
        submission = one_table(SUBMISSION, given, id=self.id, item=self.item)
        return sheet_format(reference, submission, check=self.check)

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        for name, kind in self.kinds.items() if not problems else ():
            own = Problems(ReferenceFileError)
            kind.check(self.alone(name, answers), table, own)
            for problem in own.kept:
                problems.add(problem.code, table.file, f"{name}: {problem.message}")

    def alone(self, name: str, answers: Answers) -> Answers:
        """The answers to one question, in the columns that its kind reads in a reference and in a submission."""
        kind = self.kinds[name]
        columns = dict.fromkeys((kind.truth, kind.answer), answers[name])
        return Answers(answers.items, columns, answers.texts)

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        counts, averaged = {}, []
        share = np.full(len(reference.items), 1 / len(reference.items))
        for name, part in self.parts.items():
            own = part.count(self.alone(name, reference), self.alone(name, submission))
            counts.update({self.key(name, of): rows for of, rows in own.items()})
            if name in self.averaged:
                averaged.append(GroupCounts(share, part.part(part.primary, own)))
        return {OVERALL: side_by_side(averaged), **counts}

    def key(self, name: str, key: str) -> str:
        """The key of a question's score or counts: platforms accept small letters, digits and underscores."""
        usual = re.fullmatch("[a-z][a-z0-9_]*", name.lower())
        return f"{usual[0] if usual else f'question{[*self.questions].index(name) + 1}'}_{key}"

    def all_scores(self) -> tuple[Score, ...]:
        base, names = self.parts[self.averaged[0]].primary, some_of(self.averaged)
        mean = base._replace(
            key=f"{MEAN}_{base.key}",
            title=f"Mean {base.title}",
            formula=partial(mean_of_groups, score=base._replace(percent=False), drawn=False),
            description=f"mean over {names}: {base.description}",
            of=OVERALL,
            **OF_WHOLE,
        )
        scores: list[list[Score]] = [[], []]
        for name, part in self.parts.items():
            for place, score in enumerate(part.scores):
                own = score._replace(
                    key=self.key(name, score.key),
                    title=f"{name} {score.title}",
                    description=f"{name}: {score.description}",
                    of=self.key(name, score.of or PREDICTIONS),
                    remark=None,
                )
                scores[min(place, 1)].append(own)
        return (mean, *scores[0], *scores[1])

    def beside(self) -> list[str]:
        return [self.key(name, part.primary.key) for name, part in self.parts.items()]

    def right(self, rows: Mapping[str, Any]) -> Any:
        """The mean over the questions of how right the answers are."""
        each = []
        for name, part in self.parts.items():
            start = self.key(name, "")
            own = {of[len(start) :]: counts for of, counts in rows.items() if of.startswith(start)}
            each.append(part.right(own))
        return np.mean(each, axis=0)

    def labels(self, reference: Answers) -> list[tuple[Any, ...]]:
        return list(zip(*(part.labels(self.alone(name, reference)) for name, part in self.parts.items())))

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        def answers(items: Items, place: int) -> Answers:
            given = {name: [*part.trivial.values()][place](items) for name, part in self.parts.items()}
            return Answers(items, {name: given[name][kind.answer] for name, kind in self.kinds.items()})

        return {
            f"the same answers for every {self.item}": partial(answers, place=0),
            "answers at random": partial(answers, place=-1),
        }
