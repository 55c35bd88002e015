"""Caller Experience: kappas, agreement matrices and differences as in the paper, and the calls, worst first.

Source: the Caller Experience paper, Tables 1 and 2, Figures 1 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...challenges.caller_experience import LISTENERS, PAIRS, SCALE, kappas
from ...formats.sheets import Answers
from ...metrics import agreement
from ...run.scoring import Scored
from ..largest import Errors
from ..page import Html, figure, folded, long_table, section, table
from ..plots import BLUE, GREEN, ORANGE, cells, mean_difference, plot

_NAMES = dict(zip((*LISTENERS, "auto"), ("listener 1", "listener 2", "listener 3", "submission")))
_RATINGS = range(SCALE[0], SCALE[1] + 1)
_HATCHES = ("", "//", "..")


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    cells = scored.totals["pairs"].cells
    names = [f"{_NAMES[first]}, {_NAMES[second]}" for first, second in PAIRS]
    shares = agreement.difference_counts(scored.totals["pairs"]) / len(reference.items)
    rows = [
        [name, f"{kappa:.4f}", *(f"{100 * share:.1f} %" for share in of_pair)]
        for name, kappa, of_pair in zip(names, kappas(scored.totals["pairs"]), shares)
    ]
    automatic, humans = slice(0, 3), slice(3, 6)  # places in PAIRS
    return [
        section(
            "Agreement of listeners and submission",
            _pairs(
                "Differences between the listeners and the submission", names[automatic], shares[automatic]
            ),
            _pairs("Differences among the listeners", names[humans], shares[humans]),
            table(
                "Kappa, and share of calls by the difference between the two ratings",
                ["Raters", "κ", *(f"difference {n}" for n in range(len(_RATINGS)))],
                rows[humans] + rows[automatic],
            ),
        ),
        _matrices(names[automatic], cells[automatic]),
        _differences(reference, submission["rating"]),
        _calls(reference, submission["rating"]),
    ]


def errors(reference: Answers, submission: Answers, scored: Scored) -> Errors:
    """Return the mean difference from the listeners' ratings of each call."""
    listeners = np.stack([reference[listener] for listener in LISTENERS])
    apart = np.abs(listeners - submission["rating"]).mean(axis=0)
    means = [f"{mean:.0f}" for mean in np.rint(listeners.mean(axis=0)).tolist()]
    called = "the difference from the listeners", "the calls"
    return Errors(apart, np.ones(len(apart)), called, {"Calls with a mean rating of about": means})


def _pairs(caption: str, names: Sequence[str], shares: np.ndarray) -> Html | None:
    """Return bars: for each pair of raters, the share of calls by the difference between their ratings."""

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.32, 0.84, 0.64])
        for index, name in enumerate(names):
            axes.bar(
                np.arange(len(_RATINGS)) + 0.27 * (index - 1),
                [100 * share for share in shares[index]],
                0.25,
                color=(BLUE, ORANGE, GREEN)[index],
                hatch=_HATCHES[index],
                edgecolor="white",
                linewidth=0,
                label=name.replace(", submission", "").replace(", listener", " and"),
            )
        axes.set_xticks(range(len(_RATINGS)))
        axes.set(ylim=(0, 100), xlabel="Difference between the two ratings", ylabel="% of all calls")
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
        for name, found in zip(names, shares)
    )
    plot_name = "humans" if "among" in caption else "automatic"
    return figure(caption, f"{caption}. {spoken}.", plot(plot_name, draw, width=5.4, height=3))


def _matrices(names: Sequence[str], matrices: np.ndarray) -> Html:
    def draw(canvas: Any) -> None:
        for index, (name, joint) in enumerate(zip(names, matrices)):
            axes = canvas.add_axes([0.07 + 0.32 * index, 0.17, 0.27, 0.7])
            cells(axes, joint, [[str(count) for count in row] for row in joint], largest=joint.max())
            axes.set_xticklabels(_RATINGS)
            axes.set_yticklabels(_RATINGS)
            axes.set_title(name.partition(",")[0])
            axes.set_xlabel("Submission")
            axes.set_ylabel("Listener" if index == 0 else "")

    caption = "Number of calls by the listener's and the submission's rating"
    spoken = "; ".join(
        f"{name}: {int(np.trace(joint))} of {joint.sum()} equal" for name, joint in zip(names, matrices)
    )
    svg = plot("matrices", draw, width=7.6, height=3, narrowest=6.6)
    tables = [
        table(
            f"Calls, {name}",
            ["Listener", *(f"submission {rating}" for rating in _RATINGS)],
            [[str(rating), *row.tolist()] for rating, row in zip(_RATINGS, joint)],
        )
        for name, joint in zip(names, matrices)
    ]
    return section(
        "Agreement matrices",
        figure(caption, f"{caption}. {spoken}.", svg),
        folded("The same numbers as tables", *tables),
    )


def _differences(reference: Answers, ratings: np.ndarray) -> Html:
    """Return a plot of the system's ratings against the mean of the listeners' ratings."""
    listeners = np.mean([reference[listener] for listener in LISTENERS], axis=0)
    apart = ratings - listeners

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.12, 0.16, 0.79, 0.8])
        mean_difference(axes, (ratings + listeners) / 2, apart)
        axes.set(xlabel="Mean of the submission and the listeners' mean", ylabel="Submission minus listeners")

    caption = "Difference against mean; lines at the mean difference and the limits of agreement (1.96 SD)"
    spoken = f"{caption}: mean difference {apart.mean():+.2f}, standard deviation {apart.std():.2f}."
    svg = plot("differences", draw, width=5.4, height=3.4)
    return section("Shift of the ratings", figure(caption, spoken, svg))


def _calls(reference: Answers, ratings: np.ndarray) -> Html:
    listeners = np.stack([reference[listener] for listener in LISTENERS])
    distances = np.abs(listeners - ratings).sum(axis=0)
    ids = reference.items.ids
    order = sorted(range(len(distances)), key=lambda row: (-distances[row], ids[row]))
    rows = [
        [
            ids[row],
            int(ratings[row]),
            *listeners[:, row].tolist(),
            f"{distances[row] / len(LISTENERS):.2f}",
        ]
        for row in order
    ]
    header = [
        "Call",
        "Submission",
        *(_NAMES[listener].capitalize() for listener in LISTENERS),
        "Mean difference",
    ]
    return section("Calls, worst first", long_table("Ratings of each call", header, rows))
