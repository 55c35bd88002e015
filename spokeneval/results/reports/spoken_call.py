"""Spoken CALL: what was accepted and rejected, how D and D_A come about, the prompts that cost most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...metrics import accept_reject as metrics
from ...submissions.spoken_call import Reference, Submission
from ..page import Html, figure, paragraph, section, table
from ..plots import BLUE, ORANGE, plot
from ..scores import Score

TITLE = "Spoken CALL"

_KINDS = ("correct", "incorrect in language only", "incorrect in language and meaning")


def sections(reference: Reference, submission: Submission, scores: Mapping[str, Score]) -> list[Html]:
    counts = metrics.count_decisions(reference.correct, reference.meaningful, submission.accept)
    return [_decisions(reference, submission), _ratios(counts), _prompts(reference, submission)]


def _decisions(reference: Reference, submission: Submission) -> Html:
    """The table of responses accepted and rejected, and what share of each kind was."""
    correct, meaningful, accept = reference.correct, reference.meaningful, submission.accept
    kinds = (correct, ~correct & meaningful, ~correct & ~meaningful)
    accepted = [int((kind & accept).sum()) for kind in kinds]
    rejected = [int((kind & ~accept).sum()) for kind in kinds]
    names = (("CA", "FR"), ("PFA", "CR"), ("GFA", "CR"))
    rows = [
        [kind, f"{yes} ({called[0]})", f"{no} ({called[1]})", _share(no, yes + no)]
        for kind, yes, no, called in zip(_KINDS, accepted, rejected, names)
    ]
    rows.append(["all", f"{sum(accepted)}", f"{sum(rejected)}", _share(sum(rejected), len(accept))])

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.27, 0.3, 0.69, 0.66])
        for row, (yes, no) in enumerate(zip(accepted, rejected)):
            total = max(1, yes + no)
            axes.barh(row, 100 * no / total, color=BLUE, label="rejected" if row == 0 else None)
            axes.barh(
                row,
                100 * yes / total,
                left=100 * no / total,
                color=ORANGE,
                hatch="//",
                edgecolor="white",
                linewidth=0,
                label="accepted" if row == 0 else None,
            )
        axes.set_yticks(range(3))
        axes.set_yticklabels(["correct", "incorrect in\nlanguage only", "incorrect in\nmeaning too"])
        axes.set(ylim=(2.5, -0.5), xlim=(0, 100))
        canvas.legend(loc="lower center", bbox_to_anchor=(0.6, -0.02), ncol=2)
        axes.set_xlabel("% of the responses of a kind")

    caption = "Share of each kind of response that was rejected and accepted"
    spoken = "; ".join(f"{row[0]}: {row[3]} rejected" for row in rows[:3])
    return section(
        "Accepted and rejected",
        table("Responses", ["Kind", "Accepted", "Rejected", "Share rejected"], rows),
        figure(caption, f"{caption}: {spoken}.", plot("decisions", draw, width=5.2, height=2.4)),
        paragraph(
            "CA correct accepts, FR false rejects, CR correct rejects, PFA plain and GFA gross false accepts; "
            f"FA = PFA + {metrics.GROSS_WEIGHT} GFA.",
            kind="note",
        ),
    )


def _ratios(counts: metrics.Decisions) -> Html:
    rates = [
        ("RCR = CR / (CR + FA)", metrics.relative_correct_reject_rate(counts)),
        ("RFR = FR / (FR + CA)", metrics.relative_false_reject_rate(counts)),
        ("D = RCR / RFR", metrics.d(counts)),
        ("RCA = CA / (CA + FR)", metrics.recall(counts)),
        ("RFA = FA / (FA + CR)", metrics.relative_false_accept_rate(counts)),
        ("D_A = RCA / RFA", metrics.d_a(counts)),
        ("Dfull = √(D · D_A)", metrics.d_full(counts)),
    ]
    rule = "meets" if metrics.meets_fifty_percent_rule(counts) else "breaks"
    return section(
        "D and D_A",
        table("How Dfull comes about", ["Ratio", "Value"], [[name, f"{rate:.4f}"] for name, rate in rates]),
        paragraph(
            f"The submission {rule} the 50 % rule: {100 * metrics.reject_rate_incorrect(counts):.1f} % of the "
            f"incorrect responses rejected, {100 * metrics.accept_rate_correct(counts):.1f} % of the correct ones "
            "accepted, at least 50 % of each asked for."
        ),
    )


def _prompts(reference: Reference, submission: Submission) -> Html:
    """What each prompt's responses cost, the dearest first; each response is its own where no prompts are known."""
    column = "Prompt" if "Prompt" in reference.sheet else "Id"
    named = reference.sheet.get("Prompt", list(reference.items.ids))
    prompts, place = np.unique(np.array(named, dtype=object).astype(str), return_inverse=True)
    false_reject = reference.correct & ~submission.accept
    false_accept = ~reference.correct & submission.accept
    gross = false_accept & ~reference.meaningful
    responses, rejects, plain, grosses = (
        np.bincount(place[chosen], minlength=len(prompts)).tolist()
        for chosen in (np.ones(len(place), dtype=bool), false_reject, false_accept & ~gross, gross)
    )
    cost = [r + p + metrics.GROSS_WEIGHT * g for r, p, g in zip(rejects, plain, grosses)]
    order = sorted(range(len(prompts)), key=lambda row: (-cost[row], str(prompts[row])))
    rows = [
        [str(prompts[row]), responses[row], rejects[row], plain[row], grosses[row], cost[row]]
        for row in order
    ]
    header = [column, "Responses", "FR", "PFA", "GFA", f"FR + PFA + {metrics.GROSS_WEIGHT} GFA"]
    return section(f"{column}s, worst first", table(f"Errors of each {column.lower()}", header, rows))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
