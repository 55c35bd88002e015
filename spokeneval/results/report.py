"""`detailed_results.html`: what became of a submission, on one page.

Where the labels are public, the scores with their interval beside the baseline's, the plots that people of the field
look at, and a table of the items, worst first (`reports/<task>.py`). Where they are hidden, what is in `scores.json`
and nothing else: the page is anybody's to fetch, and a curve of one's own scores would spell the labels out.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Optional

from ..submissions.problems import FREE_ATTEMPT, FileProblems, SubmissionError, count_of, name
from .options import Options
from .page import Html, code, figure, page, paragraph, section, table
from .plots import BLUE, GREY, plot
from .scores import Score

_ENDS = ("_low", "_high")


def scored_page(
    task: str,
    chosen: Options,
    scores: Mapping[str, Score],
    reference: Any,
    submission: Any,
    files: Iterable[str],
) -> str:
    """The page of a submission that was scored.

    Parameters
    ----------
    scores: as they were written, the primary one first.
    files: names of the submission's files.
    """
    primary = next(iter(scores))
    report = _report(task)
    parts: list[Html] = []
    if not chosen.labels_public:
        note = "The labels of this set are hidden: this page holds the scores and nothing about single items."
        parts.append(paragraph(note, kind="note"))
    elif report is not None:
        parts += report.sections(reference, submission, scores)
    return page(
        f"{_title(task, report)}: results",
        paragraph(_verdict(primary, scores, chosen), kind="verdict"),
        paragraph("Signature:", code(chosen.signature(task)), Html("<br>"), _COMPARABLE, kind="note"),
        _score_section(primary, scores, chosen),
        *parts,
        _check_section(len(reference.items), list(files)),
    )


_COMPARABLE = "Two scores may be compared only if their signatures are the same."


def refused_page(task: str, words: str, refusal: Optional[Exception] = None) -> str:
    """The page of a submission that was not scored: every problem in its file and line.

    Parameters
    ----------
    words: what standard error says; it stands on the page where the problems are not the submission's.
    """
    title = f"{_title(task, _report(task))}: not scored"
    if not isinstance(refusal, SubmissionError):
        return page(title, *[paragraph(line.strip(), kind="refused") for line in words.split("\n") if line])
    rows = [
        (
            name(problem.file) if problem.file else "submission",
            "missing" if problem.code == "missing_item" else problem.line or "",
            problem.message,
        )
        for problem in _by_file(refusal)
    ]
    rest = refusal.total - len(rows)
    return page(
        title,
        paragraph(f"Refused: {count_of(refusal.total, 'problem')}.", FREE_ATTEMPT, kind="refused"),
        section(
            "Problems",
            table("What to mend", ["File", "Line", "Problem"], rows),
            paragraph(f"... and {rest} more.") if rest else None,
        ),
    )


def _by_file(refusal: FileProblems) -> list[Any]:
    files = list(dict.fromkeys(problem.file for problem in refusal.problems))
    return sorted(
        refusal.problems,
        key=lambda problem: (files.index(problem.file), problem.line is None, problem.line or 0),
    )


def _report(task: str) -> Optional[ModuleType]:
    """The task's own part of the page, `reports/<task>.py`, if it has one."""
    module = f"{__package__}.reports.{task}"
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def _title(task: str, report: Optional[ModuleType]) -> str:
    return task if report is None else report.TITLE


def _verdict(primary: str, scores: Mapping[str, Score], chosen: Options) -> str:
    words = f"Scored: {_name(primary, chosen)} {_shown(primary, scores[primary], chosen)}"
    if primary + "_low" in scores:
        words += f", with 95 % confidence {_interval(primary, scores, chosen)}"
    direction = chosen.columns.get(primary, {}).get("direction")
    words += f"; {direction} is better." if direction else "."
    if primary in chosen.baseline:
        words += f" The baseline has {_shown(primary, chosen.baseline[primary], chosen)}."
    return words


def _score_section(primary: str, scores: Mapping[str, Score], chosen: Options) -> Html:
    baseline = chosen.baseline
    rows: list[list[Any]] = []
    for key, score in scores.items():
        if key in (primary + "_low", primary + "_high"):
            continue
        row = [_name(key, chosen), _shown(key, score, chosen)]
        if baseline:
            row.append(_shown(key, baseline[key], chosen) if key in baseline else "")
        if chosen.columns:
            column = chosen.columns.get(key, {})
            row += [column.get("direction", ""), column.get("description", "")]
        rows.append(row)
        if key == primary and primary + "_low" in scores:
            ends = ["95 % interval", _interval(primary, scores, chosen)]
            if baseline:
                ends.append(_interval(primary, baseline, chosen) if primary + "_low" in baseline else "")
            rows.append([*ends, "", "bootstrap over units, 2,000 resamples"] if chosen.columns else ends)
    header = ["Score", "This submission", *(["Baseline"] if baseline else [])]
    header += ["Better is", "What it is"] if chosen.columns else []
    compared = None
    if baseline and primary + "_low" in scores:
        compared = _interval_figure(primary, scores, chosen)
    note = "Every score at full precision is in scores.json."
    return section(
        "Scores", compared, table("Every score", header, rows, shown=200), paragraph(note, kind="note")
    )


def _interval_figure(primary: str, scores: Mapping[str, Score], chosen: Options) -> Optional[Html]:
    """The submission's score and the baseline's, each with its interval."""
    named: Sequence[tuple[str, Mapping[str, Score], str]] = (
        ("This submission", scores, BLUE),
        ("Baseline", chosen.baseline, GREY),
    )

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.28, 0.36, 0.68, 0.6])
        for row, (_, found, colour) in enumerate(named):
            ends = [found.get(primary + end, found[primary]) for end in _ENDS]
            axes.plot(ends, [row, row], color=colour, linewidth=3, solid_capstyle="butt")
            axes.plot([found[primary]], [row], "o" if row == 0 else "s", color=colour, markersize=8)
        axes.set_yticks([0, 1])
        axes.set_yticklabels([label for label, _, _ in named])
        axes.set_ylim(1.6, -0.6)
        axes.set_xlabel(_name(primary, chosen))
        axes.margins(x=0.08)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)

    spoken = "; ".join(
        f"{label} {_shown(primary, found[primary], chosen)}"
        + (f", interval {_interval(primary, found, chosen)}" if primary + "_low" in found else "")
        for label, found, _ in named
    )
    caption = f"{_name(primary, chosen)} with its 95 % interval, beside the baseline's"
    return figure(caption, f"{caption}: {spoken}.", plot("intervals", draw, width=5.2, height=1.4))


def _check_section(items: int, files: list[str]) -> Html:
    named = name(files[0]) if len(files) == 1 else f"{len(files)} files"
    return section(
        "Check of the submission",
        paragraph(
            f"{named}: no problem found; the {items} items of the set are there, each once, and nothing else is."
        ),
    )


def _name(key: str, chosen: Options) -> str:
    return str(chosen.columns.get(key, {}).get("title", key))


def _shown(key: str, score: Score, chosen: Options) -> str:
    """To the decimals of its column."""
    if isinstance(score, int):
        return str(score)
    return f"{score:.{chosen.columns.get(key, {}).get('precision', 4)}f}"


def _interval(key: str, scores: Mapping[str, Score], chosen: Options) -> str:
    return " to ".join(_shown(key, scores[key + end], chosen) for end in _ENDS)
