"""Outputs of systems in Spoken CALL, and boards made from them or by hand."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np

from speechbundles.leaderboard.about import Description
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.format import Answers, Items
from spokeneval.ranking.leaderboard import Entry, Pair, TextTable
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Interval, score_submission

SIGNATURE = "spoken_call|class_sizes:public|fifty_percent_rule:flag|items:0123456789ab|spokeneval:0.1.0"

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "=cmd|' '!A0",
    "$\\frac{1}$ *b* [l](x) `c`",
    "a|b_c",
    "\u202egnp.exe",
]

NAMES = [
    "Université de Montréal, laboratoire RALI, système un",
    "Université de Montréal, laboratoire RALI, système deux",
    "清华大学语音与语言技术中心第一系统",
    "清华大学语音与语言技术中心第二系统",
    "جامعة القاهرة",
    "Московский государственный университет имени Ломоносова",
    *HOSTILE,
]


def scored(decisions, ids=None):
    """Return scores and statistics of decisions (correct, meaningful, accepted), as the scoring program writes them."""
    correct, meaningful, accept = (np.asarray(labels).astype(np.int64) for labels in decisions)
    items = Items(tuple(ids or [f"{number}" for number in range(len(correct))]))
    reference = Answers(items, {"language": correct, "meaning": meaningful})
    options = Settings(choose_options(TASK, {}), False, Signature(TASK.name, items="0123456789ab"))
    found = score_submission(TASK, reference, Answers(items, {"Accept": accept}), options)
    return found.scores, found.statistics


def write_output(folder, scores, statistics=None, *, signature=SIGNATURE, **changes):
    folder.mkdir(parents=True)
    (folder / "scores.json").write_text(json.dumps(scores))
    (folder / "signature.txt").write_text(signature + "\n")
    if statistics is not None:
        content = {
            "task": signature.split("|")[0],
            "signature": signature,
            "unit": statistics.unit,
            "columns": list(statistics.columns),
            "units": list(statistics.units),
            "values": statistics.values.tolist(),
        }
        (folder / "statistics.json").write_text(json.dumps({**content, **changes}))
    return folder


def noisy_systems(folder, systems=5, responses=300, names=None):
    """Write outputs of systems with more and more wrong decisions, and of one that copies the first."""
    state = np.random.RandomState(7)
    correct = np.arange(responses) < responses * 0.74
    meaningful = correct | (state.rand(responses) < 0.7)
    hardness = state.randn(responses)
    names = names or [f"system{number}" for number in range(systems)]
    decisions = [
        correct ^ (hardness + state.randn(responses) > 1.9 - 0.3 * place) for place in range(systems)
    ]
    decisions[-1] = decisions[0]
    for name, accept in zip(names, decisions, strict=True):
        write_output(folder / name, *scored((correct, meaningful, accept)))
    return sorted(folder.iterdir())


def pair(first, second, *, p=1.0, adjusted=1.0, low=-1.0, high=1.0):
    return Pair(first, second, 0.5, Interval(low, high, 0.1), p, adjusted)


def rows(*ranges, clusters=None, interval=(0.0, 1.0)):
    """Rows of systems `s1`, `s2`, … with their ranges of ranks."""
    clusters = clusters or [1] * len(ranges)
    return [
        Entry(place, False, f"s{place}", 9.0 - place, interval, ends, cluster, {}, {})
        for place, (ends, cluster) in enumerate(zip(ranges, clusters, strict=True), 1)
    ]


def large(small, systems):
    """A board of so many systems, with every kind of name, and a wide table."""
    model = small.rows[0]
    names = [f"{NAMES[place % len(NAMES)]} {place}" for place in range(systems)]
    placed = [
        replace(model, rank=place + 1, tied=False, name=name, ranks=(1, systems), cluster=1 + place // 4)
        for place, name in enumerate(names)
    ]
    pairs = [
        pair(*both, p=0.001, adjusted=0.01 if both[1] > both[0] + 9 else 0.5)
        for both in combinations(range(systems), 2)
    ]
    ranks = np.random.RandomState(1).randint(1, systems + 1, size=(2000, systems))
    kinds = [f"condition{number} (40)" for number in range(60)]
    wide = TextTable("By condition", ["System", *kinds], [[name, *["12.3456"] * 60] for name in names])
    systems_csv = {name: Description("A" * 200, "B" * 200, "open", "C" * 200) for name in names}
    tables = [*small.tables, wide]
    return replace(
        small, rows=placed, pairs=pairs, resampled_ranks=ranks, tables=tables, descriptions=systems_csv
    )
