"""Spoken CALL: what was accepted and rejected, how D and D_A come about, the prompts that cost most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....formats.sheets import Answers
from ....metrics import accept_reject as metrics
from ....metrics.counts import by_group
from ....tasks.spoken_call import CORRECT, RULE, SHARE
from ...scoring import Scored
from ..page import Html, figure, paragraph, section, table
from ..plots import BLUE, ORANGE, plot

_KINDS = ("correct", "incorrect in language only", "incorrect in language and meaning")


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    rows, counts = scored.rows["decisions"], scored.totals["decisions"]
    return [_decisions(reference, rows), _ratios(counts), _prompts(reference, rows)]


def _decisions(reference: Answers, decisions: metrics.Decisions) -> Html:
    """The table of responses accepted and rejected, and what share of each kind was."""
    meaningful = reference["meaning"] == CORRECT
    accepted, rejected = (
        [int(np.sum(kind)) for kind in kinds]
        for kinds in (
            (decisions.correct_accepts, decisions.plain_false_accepts, decisions.gross_false_accepts),
            (
                decisions.false_rejects,
                decisions.correct_rejects * meaningful,
                decisions.correct_rejects * ~meaningful,
            ),
        )
    )
    names = (("CA", "FR"), ("PFA", "CR"), ("GFA", "CR"))
    rows = [
        [kind, f"{yes} ({called[0]})", f"{no} ({called[1]})", _share(no, yes + no)]
        for kind, yes, no, called in zip(_KINDS, accepted, rejected, names)
    ]
    rows.append(["all", f"{sum(accepted)}", f"{sum(rejected)}", _share(sum(rejected), len(reference.items))])

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
            f"The submission {rule} {RULE}: {100 * metrics.reject_rate_incorrect(counts):.1f} % of the "
            f"incorrect responses rejected, {100 * metrics.accept_rate_correct(counts):.1f} % of the correct ones "
            f"accepted, at least {SHARE} of each asked for."
        ),
    )


def _prompts(reference: Answers, decisions: metrics.Decisions) -> Html:
    """What each prompt's responses cost, the dearest first; each response is its own where no prompts are known."""
    column = "Prompt" if "Prompt" in reference.texts else "Id"
    prompts, place = np.unique(np.array(reference.texts[column], dtype=str), return_inverse=True)
    by_prompt = by_group(decisions, place, len(prompts))
    costs = by_prompt.false_rejects + metrics.false_accepts(by_prompt)
    rows = [
        [prompt, *map(int, numbers)]
        for prompt, *numbers in zip(
            prompts.tolist(),
            np.bincount(place),
            by_prompt.false_rejects,
            by_prompt.plain_false_accepts,
            by_prompt.gross_false_accepts,
            costs,
        )
    ]
    rows.sort(key=lambda row: (-row[-1], row[0]))
    header = [column, "Responses", "FR", "PFA", "GFA", f"FR + PFA + {metrics.GROSS_WEIGHT} GFA"]
    return section(f"{column}s, worst first", table(f"Errors of each {column.lower()}", header, rows))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
