"""`detailed_results.html`: the results of a submission on one page.

For public labels, the page shows the scores with their intervals beside the baseline's, the usual plots of the field,
and a table of the items, worst first (`tasks/<task>.py`). For hidden labels it shows only the content of `scores.json`
beside the trivial baselines, because participants can download the page and could read labels from a curve of their
own scores.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from ..formats.problems import FREE_ATTEMPT, Problem, SubmissionError, count_of, name
from ..formats.speakers import independence_note
from ..run.options import Settings
from ..run.reference import Reference
from ..run.scoring import Scored
from ..task import ENDS, Number, Task
from . import declared
from .page import Html, code, figure, page, paragraph, section, table
from .plots import BLUE, GREEN, ORANGE, Mark, scale


def scored_page(
    task: Task,
    settings: Settings,
    scores: Mapping[str, Number],
    scored: Scored,
    reference: Reference,
    submission: Any,
    files: Iterable[str],
) -> str:
    """Return the page of a submission that was scored.

    Parameters
    ----------
    scores: the scores as written to `scores.json`.
    files: the names of the submission's files.
    """
    parts: list[Html] = []
    if not settings.labels_public:
        note = "The labels of this set are hidden, so this page shows only scores and nothing about single items."
        if settings.coarse:
            note += (
                " Scores are shown in steps of about one standard error, because exact scores would reveal the labels. "
                "Treat scores less than two steps apart as a tie."
            )
            if settings.floor is not None:
                worst = _shown(task.primary.key, settings.floor[task.primary.key], settings)
                note += f" The worst score shown is {worst}, the best score of the baseline and the trivial baselines."
        parts.append(paragraph(note, kind="note"))
    else:
        parts += _task_sections(task, reference.labels, submission, scored)
    primary = task.primary.key
    ends = {primary: [scores[primary + end] for end in ENDS]}
    if settings.labels_public:
        ends = {key: [interval.low, interval.high] for key, interval in scored.intervals.items()}
    return page(
        f"{task.title}: results",
        paragraph(_verdict(task, scores, settings), kind="verdict"),
        paragraph("Signature:", code(str(settings.signature)), Html("<br>"), _COMPARABLE, kind="note"),
        _score_section(task, scores, ends, scored, settings),
        *(paragraph(remark, kind="note") for remark in task.remarks(submission)),
        *parts,
        _check_section(len(reference.items), list(files)),
    )


_COMPARABLE = "Compare two scores only if their signatures are the same."


def refused_page(task: Task, words: str, refusal: Optional[Exception] = None) -> str:
    """Return the page of a submission that was not scored: every problem with its file and line.

    Parameters
    ----------
    words: the text of standard error, shown if the submission is not the cause.
    """
    title = f"{task.title}: not scored"
    if not isinstance(refusal, SubmissionError):
        return page(title, *[paragraph(line.strip(), kind="refused") for line in words.split("\n") if line])
    rows = [
        (
            name(problem.file) if problem.file else "submission",
            "missing" if problem.code == "missing_item" else problem.line or "",
            problem.message,
        )
        for problem in _by_file(refusal.summarised)
    ]
    return page(
        title,
        paragraph(f"Refused: {count_of(refusal.total, 'problem')}.", FREE_ATTEMPT, kind="refused"),
        section("Problems", table("What to fix", ["File", "Line", "Problem"], rows)),
    )


def _by_file(problems: Sequence[Problem]) -> list[Problem]:
    files = list(dict.fromkeys(problem.file for problem in problems))
    return sorted(
        problems,
        key=lambda problem: (files.index(problem.file), problem.line is None, problem.line or 0),
    )


def _task_sections(task: Task, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the task's own sections, from the module in `tasks` with its name, if there is one; else general ones."""
    if task.declaration or task.code:
        return declared.sections(task, scored)
    module = f"{__package__}.tasks.{task.name}"
    if importlib.util.find_spec(module) is None:
        return []
    sections: list[Html] = importlib.import_module(module).sections(reference, submission, scored)
    return sections


def _verdict(task: Task, scores: Mapping[str, Number], settings: Settings) -> str:
    primary = task.primary.key
    words = f"Scored: {task.primary.heading} {_shown(primary, scores[primary], settings)}"
    words += f" (95 % confidence interval {_interval(primary, scores, settings)}); {task.primary.direction} is better."
    if primary in settings.baseline:
        words += f" The baseline has {_shown(primary, settings.baseline[primary], settings)}."
    if settings.trivial:
        known = [f"{answer} {_shown(primary, score, settings)}" for answer, score in settings.trivial.items()]
        words += f" Trivial baselines: {', '.join(known)}."
    return words


def _score_section(
    task: Task,
    scores: Mapping[str, Number],
    ends: Mapping[str, Sequence[Number]],
    scored: Scored,
    settings: Settings,
) -> Html:
    baseline, steps = settings.baseline, settings.steps if settings.coarse else None
    rows: list[list[Any]] = []
    for score in (score for score in task.scores if score.key in scores):
        key = score.key
        interval = " to ".join(_shown(key, end, settings) for end in ends.get(key, ()))
        row: list[Any] = [score.heading, _shown(key, scores[key], settings), interval]
        if baseline:
            known = _shown(key, baseline[key], settings)
            row.append(f"{known} ({_interval(key, baseline, settings)})" if score is task.primary else known)
        if steps is not None:
            row.append(f"{steps[key]:g}")
        rows.append([*row, score.direction, score.description])
    header = ["Score", "This submission", "95 % interval", *(["Baseline"] if baseline else [])]
    header += [*(["Step"] if steps is not None else []), "Better", "Meaning"]
    unit, units = scored.statistics.unit, scored.statistics.units
    drawn = count_of(len(units), unit) if settings.labels_public else f"{unit}s"
    warning = independence_note(unit, task.declaration)
    notes = [f"Intervals are computed by the jackknife over {drawn}. {warning}".rstrip()]
    if settings.labels_public:
        parts = scored.statistics.parts
        remarks = (
            score.remark(task.part(score, parts))
            for score in task.scores
            if score.remark is not None and score.key in scores
        )
        notes += filter(None, remarks)
    notes += ["scores.json contains every score at full precision."] if steps is None else []
    return section(
        "Scores",
        _standing(task, scores, settings),
        table("All scores", header, rows, shown=200),
        *(paragraph(note, kind="note") for note in notes),
    )


def _standing(task: Task, scores: Mapping[str, Number], settings: Settings) -> Optional[Html]:
    """Return a plot of the score beside the trivial baselines, the baseline and the best possible score."""
    primary = task.primary
    marks = [_mark("This submission", primary.key, scores, settings, BLUE)]
    if settings.baseline:
        marks.append(_mark("Baseline", primary.key, settings.baseline, settings, ORANGE))
    elif settings.coarse and settings.floor is not None:
        marks.append(_mark("Worst score shown", primary.key, settings.floor, settings, ORANGE))
    for answer, score in settings.trivial.items():
        marks.append(Mark(answer, float(score), _shown(primary.key, score, settings)))
    if primary.best is not None and settings.trivial:
        marks.append(Mark("Best possible", primary.best, f"{primary.best:g}", colour=GREEN))
    if len(marks) == 1:
        return None
    spoken = "; ".join(f"{mark.label} {mark.shown}" for mark in marks)
    caption = (
        f"{primary.heading} compared with baselines; {primary.direction} is better; lines are 95 % intervals"
    )
    return figure(caption, f"{caption}: {spoken}.", scale(marks, primary.heading))


def _mark(label: str, key: str, scores: Mapping[str, Number], settings: Settings, colour: str) -> Mark:
    """Return a score with its interval, if the interval is shown."""
    ends = [scores[key + end] for end in ENDS if key + end in scores]
    interval = (float(ends[0]), float(ends[1])) if len(ends) == 2 else None
    return Mark(label, float(scores[key]), _shown(key, scores[key], settings), interval, colour)


def _check_section(items: int, files: list[str]) -> Html:
    named = name(files[0]) if len(files) == 1 else f"{len(files)} files"
    return section(
        "Check of the submission",
        paragraph(
            f"{named}: no problems found. Each of the {items} items of the set appears exactly once, "
            "and there are no others."
        ),
    )


def _shown(key: str, number: Number, settings: Settings) -> str:
    """Format a score with the decimals of its column; a multiple of a step has only the digits it needs."""
    if settings.coarse:
        return f"{number:g}"
    return str(number) if isinstance(number, int) else f"{number:.{settings.decimals.get(key, 4)}f}"


def _interval(key: str, scores: Mapping[str, Number], settings: Settings) -> str:
    return " to ".join(_shown(key, scores[key + end], settings) for end in ENDS)
