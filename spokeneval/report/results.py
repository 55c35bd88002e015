"""`detailed_results.html`: what became of a submission, on one page.

Where the labels are public, the scores with their interval beside the baseline's, the plots that people of the field
look at, and a table of the items, worst first (`tasks/<task>.py`). Where they are hidden, what is in `scores.json`
and nothing else, beside what everybody can submit: the page is anybody's to fetch, and a curve of one's own scores
would spell the labels out.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from ..formats.problems import FREE_ATTEMPT, Problem, SubmissionError, count_of, name
from ..formats.speakers import independence_note
from ..run.options import Options
from ..run.reference import Reference
from ..run.scoring import Scored
from ..task import ENDS, Number, Task
from .page import Html, code, figure, page, paragraph, section, table
from .plots import BLUE, GREEN, ORANGE, Mark, scale


def scored_page(
    task: Task,
    options: Options,
    scores: Mapping[str, Number],
    scored: Scored,
    reference: Reference,
    submission: Any,
    files: Iterable[str],
) -> str:
    """The page of a submission that was scored.

    Parameters
    ----------
    scores: as they were written.
    files: names of the submission's files.
    """
    parts: list[Html] = []
    if not options.labels_public:
        note = "The labels of this set are hidden: this page holds the scores and nothing about single items."
        if options.coarse:
            note += (
                " They are told in steps of about one standard error, because exact scores would give the labels away: "
                "two submissions less than two steps apart are not shown to differ."
            )
            if options.floor is not None:
                worst = _shown(task.primary.key, options.floor[task.primary.key], options)
                note += f" Nothing worse than {worst} is shown: the best of the baseline and answers that know nothing."
        parts.append(paragraph(note, kind="note"))
    else:
        parts += _task_sections(task, reference.labels, submission, scored)
    primary = task.primary.key
    ends = {primary: [scores[primary + end] for end in ENDS]}
    if options.labels_public:
        ends = {key: [interval.low, interval.high] for key, interval in scored.intervals.items()}
    return page(
        f"{task.title}: results",
        paragraph(_verdict(task, scores, options), kind="verdict"),
        paragraph("Signature:", code(str(options.signature(task))), Html("<br>"), _COMPARABLE, kind="note"),
        _score_section(task, scores, ends, scored, options),
        *parts,
        _check_section(len(reference.items), list(files)),
    )


_COMPARABLE = "Two scores may be compared only if their signatures are the same."


def refused_page(task: Task, words: str, refusal: Optional[Exception] = None) -> str:
    """The page of a submission that was not scored: every problem in its file and line.

    Parameters
    ----------
    words: what standard error says; it stands on the page where the problems are not the submission's.
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
        for problem in _by_file(refusal.told)
    ]
    return page(
        title,
        paragraph(f"Refused: {count_of(refusal.total, 'problem')}.", FREE_ATTEMPT, kind="refused"),
        section("Problems", table("What to mend", ["File", "Line", "Problem"], rows)),
    )


def _by_file(problems: Sequence[Problem]) -> list[Problem]:
    files = list(dict.fromkeys(problem.file for problem in problems))
    return sorted(
        problems,
        key=lambda problem: (files.index(problem.file), problem.line is None, problem.line or 0),
    )


def _task_sections(task: Task, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """The task's own part of the page, by the module in `tasks` that has its name, if there is one."""
    module = f"{__package__}.tasks.{task.name}"
    if importlib.util.find_spec(module) is None:
        return []
    sections: list[Html] = importlib.import_module(module).sections(reference, submission, scored)
    return sections


def _verdict(task: Task, scores: Mapping[str, Number], options: Options) -> str:
    primary = task.primary.key
    words = f"Scored: {task.primary.heading} {_shown(primary, scores[primary], options)}"
    words += (
        f", with 95 % confidence {_interval(primary, scores, options)}; {task.primary.direction} is better."
    )
    if primary in options.baseline:
        words += f" The baseline has {_shown(primary, options.baseline[primary], options)}."
    if options.trivial:
        known = [f"{answer} {_shown(primary, score, options)}" for answer, score in options.trivial.items()]
        words += f" Answers that know nothing: {', '.join(known)}."
    return words


def _score_section(
    task: Task,
    scores: Mapping[str, Number],
    ends: Mapping[str, Sequence[Number]],
    scored: Scored,
    options: Options,
) -> Html:
    baseline, steps = options.baseline, options.steps if options.coarse else None
    rows: list[list[Any]] = []
    for score in (score for score in task.scores if score.key in scores):
        key = score.key
        interval = " to ".join(_shown(key, end, options) for end in ends.get(key, ()))
        row: list[Any] = [score.heading, _shown(key, scores[key], options), interval]
        if baseline:
            known = _shown(key, baseline[key], options)
            row.append(f"{known} ({_interval(key, baseline, options)})" if score is task.primary else known)
        if steps is not None:
            row.append(f"{steps[key]:g}")
        rows.append([*row, score.direction, score.description])
    header = ["Score", "This submission", "95 % interval", *(["Baseline"] if baseline else [])]
    header += [*(["Step"] if steps is not None else []), "Better is", "What it is"]
    unit, units = scored.statistics.unit, scored.statistics.units
    drawn = count_of(len(units), unit) if options.labels_public else f"{unit}s"
    notes = [f"Intervals: by the jackknife over {drawn}. {independence_note(unit)}".rstrip()]
    notes += ["Every score at full precision is in scores.json."] if steps is None else []
    return section(
        "Scores",
        _standing(task, scores, options),
        table("Every score", header, rows, shown=200),
        *(paragraph(note, kind="note") for note in notes),
    )


def _standing(task: Task, scores: Mapping[str, Number], options: Options) -> Optional[Html]:
    """Where the submission stands between what knows nothing, the baseline and the best possible score."""
    primary = task.primary
    marks = [_mark("This submission", primary.key, scores, options, BLUE)]
    if options.baseline:
        marks.append(_mark("Baseline", primary.key, options.baseline, options, ORANGE))
    elif options.coarse and options.floor is not None:
        marks.append(_mark("The least that is shown", primary.key, options.floor, options, ORANGE))
    for answer, score in options.trivial.items():
        marks.append(Mark(answer, float(score), _shown(primary.key, score, options)))
    if primary.best is not None and options.trivial:
        marks.append(Mark("Best possible", primary.best, f"{primary.best:g}", colour=GREEN))
    if len(marks) == 1:
        return None
    spoken = "; ".join(f"{mark.label} {mark.shown}" for mark in marks)
    caption = (
        f"{primary.heading} beside what is known; {primary.direction} is better; lines are 95 % intervals"
    )
    return figure(caption, f"{caption}: {spoken}.", scale(marks, primary.heading))


def _mark(label: str, key: str, scores: Mapping[str, Number], options: Options, colour: str) -> Mark:
    """A score with its interval, if it is told."""
    ends = [scores[key + end] for end in ENDS if key + end in scores]
    interval = (float(ends[0]), float(ends[1])) if len(ends) == 2 else None
    return Mark(label, float(scores[key]), _shown(key, scores[key], options), interval, colour)


def _check_section(items: int, files: list[str]) -> Html:
    named = name(files[0]) if len(files) == 1 else f"{len(files)} files"
    return section(
        "Check of the submission",
        paragraph(
            f"{named}: no problem found; the {items} items of the set are there, each once, and nothing else is."
        ),
    )


def _shown(key: str, number: Number, options: Options) -> str:
    """To the decimals of its column; a multiple of a step has no more digits than it needs."""
    if options.coarse:
        return f"{number:g}"
    return str(number) if isinstance(number, int) else f"{number:.{options.decimals.get(key, 4)}f}"


def _interval(key: str, scores: Mapping[str, Number], options: Options) -> str:
    return " to ".join(_shown(key, scores[key + end], options) for end in ENDS)
