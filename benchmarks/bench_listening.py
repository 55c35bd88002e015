"""Listening tests beside peers; coverage of their 95 % intervals and ranges of ranks, over listeners and items.

    python -m benchmarks bench_listening [REPETITIONS]      (0: only the peers)

Peers, if they are installed: abilities are those of choix, the means and their standard errors those of a mixed model
of statsmodels with crossed listeners and items. It has one standard error for all systems; ours is the mean of theirs.

Four systems, two of them equal. Listeners and items are drawn anew; each has an effect on all systems and a smaller one
on each. Of ratings, every listener judges every item of every system (`complete`), or each item of one system
(`square`). Of preferences, every listener compares one pair of systems on each item, and a quarter to a third are ties.
The true abilities are those of 150 listeners and 400 items. Seed: 20.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.listening import (
    Estimates,
    abilities,
    crossed_covariance,
    intervals_and_ranks,
    system_means,
)

SYSTEMS = np.array([0.0, 0.5, 0.5, 1.2])
SIZES = ((8, 8), (12, 20), (30, 30), (60, 12))
REPETITIONS = 500


def utilities(rng: np.random.Generator, listeners: int, items: int) -> np.ndarray:
    """Return what each listener thinks of each item of each system, shape (listeners, items, systems)."""
    of_listeners = rng.normal(0, 0.5, (listeners, 1, 1)) + rng.normal(0, 0.3, (listeners, 1, len(SYSTEMS)))
    of_items = rng.normal(0, 0.3, (1, items, 1)) + rng.normal(0, 0.2, (1, items, len(SYSTEMS)))
    return np.asarray(SYSTEMS + of_listeners + of_items)


def drawn(
    rng: np.random.Generator, design: str, listeners: int, items: int
) -> tuple[Estimates, np.ndarray, np.ndarray]:
    """Return the scores of a study, and the listener and the item of each judgement."""
    every = utilities(rng, listeners, items)
    listener, item = np.divmod(np.arange(listeners * items), items)
    if design == "preference":
        pairs = np.argsort(rng.random((len(item), len(SYSTEMS))), axis=1)[:, :2]
        ahead = np.diff(every[listener[:, np.newaxis], item[:, np.newaxis], pairs])[:, 0]
        ahead = ahead + rng.logistic(size=len(ahead))
        outcomes = np.where(abs(ahead) < 0.6, 2, ahead > 0)
        return abilities(*pairs.T, outcomes), listener, item
    systems = (listener + item) % len(SYSTEMS)
    if design == "complete":
        listener, item = (np.tile(each, len(SYSTEMS)) for each in (listener, item))
        systems = np.repeat(np.arange(len(SYSTEMS)), listeners * items)
    values = every[listener, item, systems] + rng.normal(0, 0.8, len(item))
    return system_means(values, systems), listener, item


def timed(compute: Callable[[], Any]) -> tuple[Any, str]:
    start = time.process_time()
    result = compute()
    return result, f"{time.process_time() - start:.2f} s"


def beside_choix() -> None:
    import choix

    rng = np.random.default_rng(20)
    pairs = np.argsort(rng.random((10_000, 6)), axis=1)[:, :2]
    lost = np.linspace(0, 2, 6)[pairs] @ [1, -1] + rng.logistic(size=len(pairs)) < 0
    ours, our_time = timed(lambda: abilities(*pairs.T, lost.astype(int)).scores)
    won = np.where(lost[:, np.newaxis], pairs[:, ::-1], pairs).tolist()
    theirs, their_time = timed(lambda: choix.ilsr_pairwise(6, won))
    difference = abs(ours - theirs + theirs.mean()).max()
    print(f"choix: abilities of 6 systems from 10,000 preferences differ by {difference:.0e} at most")
    print(f"       {our_time}, choix {their_time}")


def beside_statsmodels() -> None:
    from statsmodels.regression.mixed_linear_model import MixedLM

    rng = np.random.default_rng(20)
    table = utilities(rng, 12, 20)
    listener, item, systems = (each.ravel() for each in np.indices(table.shape))
    values = table.ravel() + rng.normal(0, 0.8, table.size)
    data = pd.DataFrame({"value": values, "listener": listener, "item": item, "system": systems})
    sides = {each: f"0 + C({each})" for each in ("listener", "item")}
    sides |= {f"{each} and system": f"{text}:C(system)" for each, text in sides.items()}

    def ours() -> tuple[np.ndarray, np.ndarray]:
        found = system_means(values, systems)
        return found.scores, np.sqrt(np.diag(crossed_covariance(found.influence, listener, item)[0]))

    def theirs() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tries several optimisers
            form = "value ~ 0 + C(system)"
            return MixedLM.from_formula(form, data, groups=np.ones(len(data)), vc_formula=sides).fit()

    (means, errors), our_time = timed(ours)
    model, their_time = timed(theirs)
    difference = abs(means - model.fe_params.to_numpy()).max()
    print(f"statsmodels: means of 4 systems by 12 listeners on 20 items differ by {difference:.0e} at most")
    print(f"       standard error {errors.mean():.3f}, statsmodels {model.bse_fe.iloc[0]:.3f}")
    print(f"       {our_time}, statsmodels {their_time}")


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    for compare in (beside_choix, beside_statsmodels):
        try:
            compare()
        except ImportError as error:
            print(f"{error.name} is not installed; skipped")
    if repetitions:
        coverage(repetitions)


def coverage(repetitions: int) -> None:
    print(f"{'design':12s}{'listeners x items':>18s}{'covered':>10s}{'width':>8s}{'ranks':>8s}{'range':>8s}")
    truths = dict.fromkeys(("complete", "square"), SYSTEMS)
    truths["preference"] = drawn(np.random.default_rng(99), "preference", 150, 400)[0].scores
    first, last = np.array([4, 2, 2, 1]), np.array([4, 3, 3, 1])  # any rank of equal systems is true
    for design, truth in truths.items():
        for sizes in SIZES:
            rng, covered, widths, ranks, ranges = np.random.default_rng(20), 0.0, 0.0, 0, 0.0
            for _ in range(repetitions):
                low, high, found = intervals_and_ranks(*drawn(rng, design, *sizes))
                best, worst = np.array(found).T
                covered += float(((low <= truth) & (truth <= high)).mean())
                widths += float((high - low).mean())
                ranks += bool(((best <= first) & (worst >= last)).all())
                ranges += float((worst - best + 1).mean())
            shares = f"{100 * covered / repetitions:10.1f}{widths / repetitions:8.2f}"
            rank = f"{100 * ranks / repetitions:8.1f}{ranges / repetitions:8.2f}"
            print(
                f"{design:12s}{sizes[0]:>8d} x {sizes[1]:<7d}{shares}{rank}",
                flush=True,
            )


if __name__ == "__main__":
    main()
