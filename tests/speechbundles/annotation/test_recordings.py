"""Turns of several annotators: recoding by MERLIon's Figure 6, merging by hand, gamma as pygamma-agreement has it."""

import numpy as np
import pandas as pd
import pytest

from speechbundles.annotation.recordings import Recordings, disorders, merge_turns, recoded, turn_agreement
from speechbundles.annotation.tables import refusing
from speechbundles.model.errors import OrganiserError
from tests.samples.tables import table

FIGURE_6 = {
    "English": "English",
    "Mandarin": "Mandarin",
    "Hokkien": "Non-Evaluated-Speech",
    "Vocal Sounds": "Non-Speech",
    "Red Dot": "neighbour: English, Mandarin",
    "Languageless": "neighbour: English, Mandarin",
    "Discourse marker": "preceding",
    "Redacted": "",
    "Pause": "silence",
}


def frame(*utterances, who="anna", recording="rec"):
    """Turns on one tier: utterances of `label length` parts that touch, one second apart."""
    rows, time = [], 0.0
    for number, parts in enumerate(utterances):
        for part in parts:
            label, length = part.rsplit(" ", 1)
            end, line = time + float(length), len(rows) + 1
            rows.append((recording, time, end, label, "Mother", number, who, "f.eaf", line))
            time += float(length)
        time += 1
    columns = ["recording", "start", "end", "label", "tier", "utterance", "annotator", "file", "line"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(("utterance", "expected"), table("annotation_cases")["recoded"])
def test_labels_are_recoded_as_in_figure_6(utterance, expected):
    turns = frame(["English 20"], ["Mandarin 9"], utterance)
    with refusing() as problems:
        found = recoded(turns, FIGURE_6, problems)
    found = found[found["utterance"] == 2]
    assert [f"{row.label} {row.end - row.start:.3g}" for row in found.itertuples()] == expected
    with (
        pytest.raises(
            OrganiserError, match=r"(?s)f\.eaf.*line 1 +label English is not in the recoding table"
        ),
        refusing() as problems,
    ):
        recoded(turns, {"Mandarin": "M"}, problems)


def by_three(*spans):
    rows = [
        ("rec", start, end, label, "t", n, who, "f", n) for n, (who, start, end, label) in enumerate(spans)
    ]
    return pd.DataFrame(rows, columns=frame().columns)


def test_turns_are_merged_by_time():
    """At 0-1 all say E; 1-2 two say E, one nothing; 2-3 one says E, one M, one nothing; 4-5 E and M by all."""
    turns = by_three(
        *(("a", 0, 3, "E"), ("b", 0, 2, "E"), ("c", 0, 1, "E"), ("b", 2, 3, "M")),
        *((who, 4, 5, label) for who in "abc" for label in "EM"),
    )
    recordings = Recordings(
        turns, {"rec": ["a", "b", "c"], "silent": ["a", "b"]}, {"rec": 6.0, "silent": 2.0}
    )
    found, regions = merge_turns(recordings, "majority")
    assert found.to_numpy().tolist() == [["rec", 0, 2, "E"], ["rec", 4, 5, "E"], ["rec", 4, 5, "M"]]
    assert regions.to_numpy().tolist() == [["rec", 0, 6], ["silent", 0, 2]]
    found, regions = merge_turns(recordings, "unanimous")
    assert found.to_numpy().tolist() == [["rec", 0, 1, "E"], ["rec", 4, 5, "E"], ["rec", 4, 5, "M"]]
    assert regions.to_numpy().tolist() == [["rec", 0, 1], ["rec", 3, 6], ["silent", 0, 2]]


def test_redacted_speech_is_cut_out_of_the_evaluated_regions():
    """The plan scores "the entirety of the utterance minus the region of redaction": here 0-1 and 2-4, without 1-2.

    Anna redacts 1-2, which ben, cara or a child on another tier speak in; her own recording has only her turns.
    """
    spans = [("anna", 0, 1, "E"), ("anna", 1, 2, ""), ("anna", 2, 3, "E")]
    alone = by_three(*spans, ("anna", 1, 2, "M"))
    shared = by_three(*spans, ("ben", 0, 3, "E"), ("cara", 0, 3, "E"))
    for turns, people in ((alone, ["anna"]), (shared, ["anna", "ben", "cara"])):
        for rule in ("majority", "unanimous"):
            recordings = Recordings(turns, {"rec": people}, {"rec": 4.0})
            found, regions = merge_turns(recordings, rule)
            assert regions.to_numpy().tolist() == [["rec", 0, 1], ["rec", 2, 4]]
            assert [1.0, 2.0, ""] not in found[["start", "end", "label"]].to_numpy().tolist()
    assert found.to_numpy().tolist() == [["rec", 0, 1, "E"], ["rec", 2, 3, "E"]]
    values = turn_agreement(recordings, {}).set_index("annotators")["value"]
    assert values["ben, cara"] == 1


def test_a_recording_with_one_annotator_keeps_its_turns():
    turns = frame(["E 1", "E 1"])
    found, regions = merge_turns(Recordings(turns, {"rec": ["anna"]}, {}), "unanimous")
    assert found.to_numpy().tolist() == [["rec", 0, 1, "E"], ["rec", 1, 2, "E"]]
    assert regions.to_numpy().tolist() == [["rec", 0, 2]]


# Disorder and gamma of pygamma-agreement 0.5.9: CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1) and
# ShuffleContinuumSampler("float_pivot") with 300 samples, for the continua that `continuum` draws.
PYGAMMA = {
    (40, 0.1, 0.1, 0.1): (0.06359932, 0.924),
    (60, 0.4, 0.2, 0.3): (0.48890173, 0.487),
    (30, 1.0, 0.3, 0.5): (0.8321266, 0.224),
}


def continuum(turns, jitter, lost, flipped, seed=3):
    rng, time, one, other = np.random.default_rng(seed), 0.0, [], []
    for _ in range(turns):
        start = time + rng.uniform(0.1, 1.5)
        time = start + rng.uniform(0.3, 3)
        label, shifts, draws = "EM"[rng.integers(2)], rng.normal(0, jitter, 2), rng.random(3)
        one.append((start, time, label))
        end = max(time + shifts[1] + 0.05, start + shifts[0] + 0.01)
        if draws[0] > lost:
            other.append((start + shifts[0], end, label if draws[1] > flipped else "EM"[int(2 * draws[2])]))
    return [pd.DataFrame(rows, columns=["start", "end", "label"]) for rows in (one, other)]


@pytest.mark.parametrize("case", PYGAMMA)
def test_gamma_is_that_of_pygamma_agreement(case):
    pair = continuum(*case)
    observed, expected = disorders(pair, 300, np.random.default_rng(0))
    disorder, gamma = PYGAMMA[case]
    assert 2 * observed / sum(map(len, pair)) == pytest.approx(disorder, abs=1e-6)
    assert 1 - observed / expected == pytest.approx(gamma, abs=0.015)


def test_gamma_of_annotators_is_pooled_over_recordings_with_an_interval_over_speakers():
    turns, people, units = [], {}, {}
    for number in range(12):
        for who, own in zip("ab", continuum(25, 0.2, 0.1, 0.2, seed=number), strict=True):
            turns.append(
                own.assign(recording=f"r{number}", annotator=who, tier="", utterance=0, file="f", line=1)
            )
        people[f"r{number}"], units[f"r{number}"] = ["a", "b"], f"s{number % 6}"
    (row,) = turn_agreement(Recordings(pd.concat(turns, ignore_index=True), people, {}), units).itertuples()
    assert (row.measure, row.annotators, row.units, row.items) == ("gamma", "a, b", 6, 12)
    assert 0.5 < row.low < row.value < row.high < 0.9
    same = pd.concat([turns[0], turns[0].assign(annotator="b")], ignore_index=True)
    assert turn_agreement(Recordings(same, {"r0": ["a", "b"]}, {}), {})["value"].tolist() == [1.0]
    assert turn_agreement(Recordings(same, {"r0": ["a"]}, {}), {}).empty
