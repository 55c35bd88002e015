"""Caller Experience: kappas, agreement matrices and differences as in the paper's tables and figures, worst calls.

Source: the Caller Experience paper, Tables 1 and 2, Figures 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from ...metrics import agreement as metrics
from ...submissions.caller_experience import LISTENERS, SCALE, Reference, Submission
from ..page import Html, figure, section, table
from ..plots import BLUE, GREEN, ORANGE, cells, plot
from ..scores import Score

TITLE = "Caller Experience"

_RATINGS = range(SCALE[0], SCALE[1] + 1)
_HATCHES = ("", "//", "..")


def sections(reference: Reference, submission: Submission, scores: Mapping[str, Score]) -> list[Html]:
    raters = dict(zip(LISTENERS, reference.listeners))
    humans = [(f"{a} vs. {b}", raters[a], raters[b]) for a, b in combinations(LISTENERS, 2)]
    automatic = [(f"{name} vs. auto", ratings, submission.ratings) for name, ratings in raters.items()]
    return [
        section(
            "Agreement of listeners and submission",
            _pairs("Figure 2 of the paper: differences between human and automatic raters", automatic),
            _pairs("Figure 1 of the paper: differences among human raters", humans),
            table(
                "Kappa, and the share of calls by the difference of their two ratings",
                ["Compared", "κ", *(f"difference {n}" for n in range(len(_RATINGS)))],
                [_row(*pair) for pair in humans + automatic],
            ),
        ),
        _matrices(automatic),
        _calls(reference, submission),
    ]


def _row(name: str, first: np.ndarray, second: np.ndarray) -> list[str]:
    kappa = metrics.cohen_kappa(first, second, weights="linear", scale=SCALE)
    shares = metrics.differences(first, second, scale=SCALE).shares
    return [name, f"{kappa:.4f}", *(f"{100 * share:.1f} %" for share in shares)]


def _pairs(caption: str, pairs: list[tuple[str, np.ndarray, np.ndarray]]) -> Html | None:
    """Bars: for each pair of raters, the share of calls by the difference of their ratings."""
    shares = [metrics.differences(first, second, scale=SCALE).shares for _, first, second in pairs]

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.32, 0.84, 0.64])
        for index, (name, *_) in enumerate(pairs):
            axes.bar(
                np.arange(len(_RATINGS)) + 0.27 * (index - 1),
                [100 * share for share in shares[index]],
                0.25,
                color=(BLUE, ORANGE, GREEN)[index],
                hatch=_HATCHES[index],
                edgecolor="white",
                linewidth=0,
                label=name,
            )
        axes.set_xticks(range(len(_RATINGS)))
        axes.set(ylim=(0, 100), xlabel="Difference of the two ratings", ylabel="% of total calls")
        axes.grid(axis="y")
        canvas.legend(
            loc="lower center",
            bbox_to_anchor=(0.52, -0.02),
            ncol=3,
            fontsize=8.5,
            columnspacing=1,
            handlelength=1.4,
        )

    spoken = "; ".join(
        f"{name}: {100 * found[0]:.1f} % equal, {100 * sum(found[:2]):.1f} % within one"
        for (name, *_), found in zip(pairs, shares)
    )
    name = "humans" if "among" in caption else "automatic"
    return figure(caption, f"{caption}. {spoken}.", plot(name, draw, width=5.4, height=3))


def _matrices(pairs: list[tuple[str, np.ndarray, np.ndarray]]) -> Html:
    matrices = []
    for _, human, automatic in pairs:
        joint = np.zeros((len(_RATINGS), len(_RATINGS)), dtype=np.int64)
        np.add.at(joint, (human - SCALE[0], automatic - SCALE[0]), 1)
        matrices.append(joint)

    def draw(canvas: Any) -> None:
        for index, ((name, *_), joint) in enumerate(zip(pairs, matrices)):
            axes = canvas.add_axes([0.07 + 0.32 * index, 0.17, 0.27, 0.7])
            cells(axes, joint, [[str(count) for count in row] for row in joint], largest=joint.max())
            axes.set_xticklabels(_RATINGS)
            axes.set_yticklabels(_RATINGS)
            axes.set_title(name)
            axes.set_xlabel("auto")
            axes.set_ylabel("human" if index == 0 else "")

    caption = "Calls by the listener's rating and the submission's"
    spoken = "; ".join(
        f"{name}: {int(np.trace(joint))} of {joint.sum()} equal" for (name, *_), joint in zip(pairs, matrices)
    )
    svg = plot("matrices", draw, width=7.6, height=3, narrowest=6.6)
    tables = [
        table(
            f"Calls, {name}",
            ["human", *(f"auto {rating}" for rating in _RATINGS)],
            [[str(rating), *row.tolist()] for rating, row in zip(_RATINGS, joint)],
        )
        for (name, *_), joint in zip(pairs, matrices)
    ]
    return section("Agreement matrices", figure(caption, f"{caption}. {spoken}.", svg), *tables)


def _calls(reference: Reference, submission: Submission) -> Html:
    distances = np.abs(reference.listeners - submission.ratings).sum(axis=0)
    order = sorted(range(len(distances)), key=lambda row: (-distances[row], reference.items.ids[row]))
    rows = [
        [
            reference.items.ids[row],
            int(submission.ratings[row]),
            *reference.listeners[:, row].tolist(),
            f"{distances[row] / len(LISTENERS):.2f}",
        ]
        for row in order
    ]
    header = ["Call", "Submission", *LISTENERS, "Mean difference"]
    return section("Calls, worst first", table("Ratings of each call", header, rows))
