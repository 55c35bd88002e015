"""Spoken CALL: accepted and rejected responses, the ratios of D and D_A, and errors by prompt and by response."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...challenges.spoken_call import CORRECT, RULE, SHARE, TRANSCRIPTION
from ...formats.sheets import Answers
from ...metrics import accept_reject as metrics
from ...metrics.counts import by_group
from ...run.scoring import Scored
from ..largest import Errors
from ..page import Html, figure, long_table, paragraph, section, table
from ..plots import BLUE, WRONG, plot

_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
"""A box that keeps text legible on hatching."""

_KINDS = ("correct", "incorrect in language only", "incorrect in language and meaning")


_TITLES = {"Prompt": "Prompt", "RecResult": "Recognised", TRANSCRIPTION: "Transcription"}
_MISJUDGED = 150


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    rows, counts = scored.rows["decisions"], scored.totals["decisions"]
    return [
        _decisions(reference, rows),
        _ratios(counts),
        _prompts(reference, rows),
        _responses(reference, rows),
    ]


def errors(reference: Answers, submission: Answers, scored: Scored) -> Errors:
    """Return the wrong decisions, gross false accepts with their weight."""
    decisions = scored.rows["decisions"]
    wrong = decisions.false_rejects + metrics.false_accepts(decisions)
    language, meaning = reference["language"] == CORRECT, reference["meaning"] == CORRECT
    kinds = np.where(language, _KINDS[0], np.where(meaning, _KINDS[1], _KINDS[2])).tolist()
    groupings = {"Responses": kinds}
    if "Prompt" in reference.texts:
        groupings["Prompt"] = reference.texts["Prompt"]
    called = f"the errors (FR + PFA + {metrics.GROSS_WEIGHT} GFA)", "the responses"
    return Errors(np.asarray(wrong, dtype=float), np.ones(len(kinds)), called, groupings)


def broken_rule(scored: Scored) -> str:
    """Return the 50 % rule with the share that breaks it; empty if the submission meets the rule."""
    counts = scored.totals["decisions"]
    if metrics.meets_fifty_percent_rule(counts):
        return ""
    rejected, accepted = counts.false_rejects, counts.plain_false_accepts + counts.gross_false_accepts
    shares = (
        (rejected, rejected + counts.correct_accepts, "correct responses rejected"),
        (accepted, accepted + counts.correct_rejects, "incorrect responses accepted"),
    )
    found = [
        f"{100 * part / whole:.1f} % of the {words} ({part:g} of {whole:g})"
        for part, whole, words in shares
        if whole and not metrics.is_required_share(whole - part, whole)
    ]
    return f"{RULE}: {' and '.join(found) or 'a class has no responses'}, at most {SHARE} allowed"


def _decisions(reference: Answers, decisions: metrics.Decisions) -> Html:
    """Return a table and a plot of accepted and rejected responses of each kind."""
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
            sides = ((no, 0, "rejected"), (yes, 100 * no / total, "accepted"))
            for part, left, word in sides:
                right = (word == "accepted") == (row == 0)
                axes.barh(
                    row,
                    100 * part / total,
                    left=left,
                    color=BLUE if right else WRONG,
                    hatch="" if right else "//",
                    edgecolor="white",
                    linewidth=1,
                )
                if part / total > 0.12:
                    place = left + 50 * part / total
                    axes.text(
                        place,
                        row,
                        word,
                        ha="center",
                        va="center",
                        fontsize=9,
                        color="white" if right else None,
                        bbox=None if right else _BOX,
                    )
        for right, word in ((True, "correct decision"), (False, "wrong decision")):
            axes.barh(
                9,
                1,
                color=BLUE if right else WRONG,
                hatch="" if right else "//",
                edgecolor="white",
                label=word,
            )
        axes.set_yticks(range(3))
        axes.set_yticklabels(["correct", "incorrect in\nlanguage only", "incorrect in\nmeaning too"])
        axes.set(ylim=(2.5, -0.5), xlim=(0, 100))
        canvas.legend(loc="lower center", bbox_to_anchor=(0.6, -0.02), ncol=2)
        axes.set_xlabel("% of the responses of each kind")

    caption = "Shares of rejected and accepted responses of each kind; wrong decisions are hatched"
    spoken = "; ".join(f"{row[0]}: {row[3]} rejected" for row in rows[:3])
    return section(
        "Accepted and rejected",
        table("Responses", ["Kind", "Accepted", "Rejected", "Share rejected"], rows),
        figure(caption, f"{caption}: {spoken}.", plot("decisions", draw, width=5.2, height=2.4)),
        paragraph(
            "CA: correct accepts; FR: false rejects; CR: correct rejects; PFA: plain false accepts; GFA: gross false "
            f"accepts. FA = PFA + {metrics.GROSS_WEIGHT} GFA.",
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
        table(
            "Ratios from which Dfull is computed",
            ["Ratio", "Value"],
            [[name, f"{rate:.4f}"] for name, rate in rates],
        ),
        paragraph(
            f"The submission {rule} {RULE}: it rejects {100 * metrics.reject_rate_incorrect(counts):.1f} % of the "
            f"incorrect responses and accepts {100 * metrics.accept_rate_correct(counts):.1f} % of the correct ones. "
            f"The rule requires at least {SHARE} of each."
        ),
    )


def _prompts(reference: Answers, decisions: metrics.Decisions) -> Html:
    """Return the errors of each prompt, the most costly first; of each response if there are no prompts."""
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
    return section(f"{column}s, worst first", long_table(f"Errors of each {column.lower()}", header, rows))


def _responses(reference: Answers, decisions: metrics.Decisions) -> Html:
    """Return the misjudged responses, the most costly first, with their texts from the sheet."""
    gross, plain, rejected = (
        np.asarray(kind) > 0
        for kind in (decisions.gross_false_accepts, decisions.plain_false_accepts, decisions.false_rejects)
    )
    kinds = (
        (gross, "accepted", _KINDS[2]),
        (plain, "accepted", _KINDS[1]),
        (rejected, "rejected", _KINDS[0]),
    )
    known = [column for column in ("Prompt", "RecResult", TRANSCRIPTION) if column in reference.texts]
    rows = [
        [reference.items.ids[row], decision, gold, *(reference.texts[column][row] for column in known)]
        for wrong, decision, gold in kinds
        for row in np.flatnonzero(wrong).tolist()
    ]
    header = ["Id", "Decision", "Correct label", *(_TITLES[column] for column in known)]
    parts = long_table(
        "Gross false accepts, plain false accepts, and false rejects", header, rows, shown=_MISJUDGED
    )
    return section("Misjudged responses", parts if rows else paragraph("There are no misjudged responses."))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
