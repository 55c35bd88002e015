"""`detailed_results.html`: the results of a submission on one page.

For public labels, the page begins with a verdict, the primary score between the baselines, and the largest sources of
error; then come all scores with their intervals, the items with the worst answers, and the sections of the task's kind
(`kinds/sections/`). For hidden labels it shows only the content of `scores.json` and its distance from the floor,
because participants can download the page and could read labels from anything else.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Optional

from ..formats.problems import (
    FREE_ATTEMPT,
    Problem,
    Problems,
    SubmissionError,
    count_of,
    name,
    plural_of,
)
from ..formats.speakers import independence_note, unseen_note
from ..formats.text import Files, open_file
from ..metrics.jackknife import FEWEST_UNITS
from ..scoring.options import Settings, as_shown, step_text
from ..scoring.reference import Reference
from ..scoring.scored import Scored
from ..task import ENDS, Number, Task
from .largest import largest_section
from .page import (
    UNFOLDED,
    Content,
    Html,
    code,
    facts,
    figure,
    folded,
    headline,
    listing,
    page,
    paragraph,
    section,
    strong,
    table,
    text,
    verdict,
)
from .plots import BLUE, GREEN, ORANGE, Mark, scale
from .sections import errors, sections
from .verdict import TIE, hidden_verdict, public_verdict


def scored_page(
    task: Task,
    settings: Settings,
    scores: Mapping[str, Number],
    scored: Scored,
    reference: Reference,
    submission: Any,
    files: Files = MappingProxyType({}),
) -> str:
    """Return the page of a submission that was scored.

    Parameters
    ----------
    scores: the scores as written to `scores.json`.
    files: the submission's files; empty if they are not known.
    """
    public = settings.labels_public
    settings = scored.settings if public else settings
    if not scored.shown_intervals:
        scores, known = _without_ends(scores), _without_ends(settings.baseline)
        settings = replace(settings, baseline=known)
    if public:
        found = public_verdict(task, scored, settings, task.view.broken(scored.totals))
        answers = reference.labels, submission, scored
        parts = sections(task, *answers)
        largest = largest_section(errors(task, *answers), task.units(reference.labels))
    else:
        found, largest, parts = hidden_verdict(task, scores, settings), None, []
    # Those of the items of a part of the set would reveal which these are
    doubts = () if reference.part else task.doubts(submission, reference.items)
    return page(
        f"{settings.competition or task.title}: results",
        verdict(*found),
        _headline(task, scores, settings),
        _standing(task, scores, settings) if public else paragraph(_hidden_note(settings), kind="note"),
        _facts(task, settings, scored, reference, files),
        largest,
        _score_section(task, scores, scored, settings),
        *(paragraph(remark, kind="note") for remark in (*task.remarks(submission), *doubts)),
        *parts,
        _check_section(task, len(reference.items), [*files]),
    )


def _without_ends(scores: Mapping[str, Number]) -> dict[str, Number]:
    """Return the scores without the ends of their intervals."""
    return {key: score for key, score in scores.items() if not key.endswith(ENDS)}


_COMPARABLE = "Compare two scores only if their signatures are the same."


def received_page(task: Task, reference: Reference, files: Sequence[str]) -> str:
    """Return the page of a submission that the organisers score at home."""
    return page(
        f"{task.title}: received",
        paragraph("Accepted. The organisers compute the scores on their own computer."),
        _check_section(task, len(reference.items), files),
    )


def _facts(task: Task, settings: Settings, scored: Scored, reference: Reference, files: Files) -> Html:
    """Return what the page is a report of. It has no date, so that the same submission gives the same page."""
    about, labels = settings.about, "public" if settings.labels_public else "hidden"
    size, statistics = count_of(len(reference.items), "item"), scored.statistics
    if statistics.items and not reference.part:
        size += f", {count_of(len(statistics.units), statistics.unit)}"
    pairs: list[tuple[str, Content]] = [
        ("Task", task.title if settings.competition else ""),
        ("Set", f"{about.set}, {labels} labels" if about.set else f"{labels} labels"),
        (f"Phase{'s' * (len(about.phases) > 1)}", ", ".join(about.phases)),
        ("Submission", f"{_named([*files])}, SHA-256 {_digest(files)}…" if files else ""),
        ("Size", size),
        ("Signature", code(str(settings.signature))),
    ]
    return facts([(each, value) for each, value in pairs if value])


def _digest(files: Files) -> str:
    """Return the first digits of the SHA-256 of a single file, or of the names and hashes of several."""
    hashes = {}
    for file in files:
        known = hashlib.sha256()
        with open_file(files, file, sys.maxsize, Problems()) as stream:
            for block in iter(lambda: stream.read(1 << 20), b""):
                known.update(block)
        hashes[file] = known.hexdigest()
    if len(hashes) == 1:
        return next(iter(hashes.values()))[:_DIGITS]
    lines = "".join(f"{known}  {file}\n" for file, known in sorted(hashes.items()))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]


_DIGITS = 12


def _headline(task: Task, scores: Mapping[str, Number], settings: Settings) -> Html:
    primary = task.primary
    number = _shown(primary.key, scores[primary.key], settings)
    if settings.coarse:
        step = f"shown in steps of {step_text(settings.feedback.steps[primary.key])}"
        bound = settings.feedback.bound(scores, primary.key, primary.direction)
        about = f"{number} on the leaderboard, {step}" if bound else step
        return headline(primary.heading, bound or number, f"{about}; {primary.direction} is better")
    about = f"{primary.direction} is better"
    if primary.key + ENDS[0] in scores:
        interval = _interval(primary.key, [scores[primary.key + end] for end in ENDS], settings)
        about = f"95 % interval {interval}; {about}"
    return headline(primary.heading, number, about)


def _hidden_note(settings: Settings) -> str:
    """Return what a participant needs to read a page on hidden labels."""
    if not settings.coarse:
        return "The labels of this set are hidden, so this page shows only scores and nothing about single items."
    return (
        "The labels of this set are hidden, so this page shows what the leaderboard shows. Scores are rounded to steps "
        "and have no interval, because exact scores and intervals would reveal labels. The step of the first score is "
        "about one standard error of the baseline's score, and that of further scores four, or 25 % for scores without "
        f"an upper bound. Treat scores fewer than {TIE} steps apart as a tie."
    )


def refused_page(task: Task, words: str, refusal: Optional[BaseException] = None) -> str:
    """Return the page of a submission that was not scored: every problem with its file and line.

    Parameters
    ----------
    words: the text of standard error, shown if the submission is not the cause.
    """
    title = f"{task.title}: not scored"
    if not isinstance(refusal, SubmissionError):
        return page(title, *[paragraph(line.strip(), kind="refused") for line in words.split("\n") if line])
    rows = [(strong(_place(problem)), problem.message) for problem in _by_file(refusal.summarised)]
    return page(
        title,
        paragraph(f"Refused: {count_of(refusal.total, 'problem')}.", FREE_ATTEMPT, kind="refused"),
        section("What to fix", listing(rows)),
    )


def _place(problem: Problem) -> str:
    """Return the file and line of a problem."""
    file = name(problem.file) if problem.file else "submission"
    line = "missing" if problem.code == "missing_item" else f"line {problem.line}" if problem.line else ""
    return f"{file}, {line}" if line else file


def _by_file(problems: Sequence[Problem]) -> list[Problem]:
    files = list(dict.fromkeys(problem.file for problem in problems))
    return sorted(
        problems,
        key=lambda problem: (files.index(problem.file), problem.line is None, problem.line or 0),
    )


def _score_section(task: Task, scores: Mapping[str, Number], scored: Scored, settings: Settings) -> Html:
    baseline, steps = settings.baseline, settings.feedback.steps if settings.coarse else None
    rows: list[list[Any]] = []
    for score in (score for score in task.scores if score.key in scores):
        key = score.key
        ends = [scores[key + end] for end in ENDS if key + end in scores]
        if settings.labels_public and key in scored.shown_intervals:
            ends = [*scored.shown_intervals[key][:2]]
        row: list[Any] = [score.heading, _with_ends(key, scores[key], ends, settings)]
        if steps is not None and score is task.primary:
            bound = settings.feedback.bound(scores, key, score.direction)
            row[1] += f" ({bound})" if bound else ""
        if baseline:
            known = [baseline[key + end] for end in ENDS if key + end in baseline]
            row.append(_with_ends(key, baseline[key], known, settings))
        if steps is not None:
            row.append(step_text(steps[key]))
        rows.append([*row, score.direction, score.description])
    rest = rows[UNFOLDED:]
    submission: Content = "This submission"
    if scored.shown_intervals and steps is None:
        submission = Html(f'{text(submission)} <span class="whole">{text("(95 % interval)")}</span>')
    header: list[Content] = ["Score", submission, *(["Baseline"] if baseline else [])]
    header += [*(["Step"] if steps is not None else []), "Better", "Meaning"]
    notes = [*([_interval_note(task, scored, settings)] if steps is None else []), _COMPARABLE]
    if settings.labels_public:
        parts = scored.statistics.parts
        remarks = (
            score.remark(task.part(score, parts))
            for score in task.scores
            if score.remark is not None and score.key in scores
        )
        notes += filter(None, remarks)
    if steps is None and settings.competition:
        notes.append("scores.json contains every score at full precision.")
    return section(
        "Scores",
        table("Main scores", header, rows[:UNFOLDED]),
        folded(count_of(len(rest), "more score"), table("More scores", header, rest, shown=200))
        if rest
        else None,
        paragraph(*notes, kind="note"),
    )


def _interval_note(task: Task, scored: Scored, settings: Settings) -> str:
    unit, units = scored.statistics.unit, scored.statistics.units
    drawn = count_of(len(units), unit) if settings.labels_public else plural_of(unit)
    if not scored.shown_intervals:
        return f"There are no intervals over {drawn} ({FEWEST_UNITS} needed)."
    notes = [f"Intervals are computed over {drawn}.", independence_note(unit, task.declaration)]
    notes += [unseen_note(len(units), unit)] if settings.labels_public else []
    return " ".join(filter(None, notes))


def _with_ends(key: str, number: Number, ends: Sequence[Number], settings: Settings) -> str:
    """Format a score with its interval, if it has one."""
    shown = _shown(key, number, settings)
    return f"{shown} ({_interval(key, ends, settings)})" if ends else shown


def _standing(task: Task, scores: Mapping[str, Number], settings: Settings) -> Optional[Html]:
    """Return a plot of the score beside the trivial baselines, the baseline and the best possible score."""
    primary = task.primary
    marks = [_mark("This submission", primary.key, scores, settings, BLUE)]
    if settings.baseline:
        marks.append(_mark("Baseline", primary.key, settings.baseline, settings, ORANGE))
    for answer, score in settings.feedback.trivial.items():
        marks.append(Mark(answer, float(score), _shown(primary.key, score, settings)))
    if primary.best is not None and settings.feedback.trivial:
        best = float(primary.best)
        marks.append(Mark("Best possible", best, _shown(primary.key, best, settings), colour=GREEN))
    if len(marks) == 1:
        return None
    spoken = "; ".join(f"{mark.label} {mark.shown}" for mark in marks)
    caption = f"{primary.heading} compared with baselines; {primary.direction} is better"
    if any(mark.interval for mark in marks):
        caption += "; lines are 95 % intervals"
    return figure(caption, f"{caption}: {spoken}.", scale(marks))


def _mark(label: str, key: str, scores: Mapping[str, Number], settings: Settings, colour: str) -> Mark:
    """Return a score with its interval, if the interval is shown."""
    ends = [scores[key + end] for end in ENDS if key + end in scores]
    interval = (float(ends[0]), float(ends[1])) if len(ends) == 2 else None
    return Mark(label, float(scores[key]), _shown(key, scores[key], settings), interval, colour)


def _named(files: Sequence[str]) -> str:
    """Return the name of the only file, or the number of files."""
    return name(files[0]) if len(files) == 1 else count_of(len(files), "file") if files else "Submission"


def _check_section(task: Task, items: int, files: Sequence[str]) -> Html:
    which = f"Each of the {items} items of the set appears exactly once, and there are no others."
    if not task.view.every_item:
        which = f"All rows are of the {items} items of the set."
    return section("Check of the submission", paragraph(f"{_named(files)}: no problems found. {which}"))


def _shown(key: str, number: Number, settings: Settings) -> str:
    """Format a score with the decimals of its column; a multiple of a step as a leaderboard shows it."""
    if settings.coarse:
        return as_shown(number)
    return str(number) if isinstance(number, int) else f"{number:.{settings.decimals.get(key, 4)}f}"


def _interval(key: str, ends: Sequence[Number], settings: Settings) -> str:
    return " to ".join(_shown(key, end, settings) for end in ends)
