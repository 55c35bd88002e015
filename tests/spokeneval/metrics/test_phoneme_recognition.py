"""Tests of FER and of tables of features, against the challenge's own tool and examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spokeneval.metrics import alignment, transcript_errors
from spokeneval.metrics.counts import total
from spokeneval.metrics.phoneme_recognition import (
    FeatureTable,
    arpabet_features,
    contains_pronunciation,
    drop_fillers,
    errors_per_utterance,
    feature_error_rate,
    fer,
    read_feature_table,
)
from spokeneval.metrics.transcript_errors import error_rate

TABLE = arpabet_features()

# From the system hayes-arpabet of phonologic 0.3.1: the cost of inserting or deleting each phone.
INDEL_COSTS = {
    19.5: "M",
    20: "B F HH P V",
    20.5: "NG",
    21: "DX ER G K L N R",
    21.5: "AA AE AW AY CH D DH JH S SH T TH Z ZH",
    22: "AH AO EH EY IH IY OW OY UH UW W Y",
}


def frozen_pairs() -> tuple[list[list[str]], list[list[str]], np.ndarray, np.ndarray]:
    """Random pairs and their results by pssteval 0.0.1 on phonologic 0.3.1; see the head of the file."""
    lines = Path(__file__).with_name("psst_pairs.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    reference, hypothesis, errors, costs = zip(*rows)
    return (
        [phones.split() for phones in reference],
        [phones.split() for phones in hypothesis],
        np.array(errors, dtype=int),
        np.array(costs, dtype=float),
    )


def test_random_pairs_as_pssteval_scores_them():
    reference, hypothesis, edit_distances, feature_costs = frozen_pairs()
    rows = errors_per_utterance(reference, hypothesis)
    assert len(edit_distances) == 200
    np.testing.assert_allclose(rows.feature_cost, feature_costs, rtol=0, atol=1e-12)
    phones = transcript_errors.errors_per_utterance(
        *(list(map(drop_fillers, s)) for s in (reference, hypothesis))
    )
    np.testing.assert_array_equal(transcript_errors.errors(phones), edit_distances)
    # The tool's own pooled figures for the 200 pairs.
    np.testing.assert_allclose(error_rate(total(phones)), 0.6591099916036943, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fer(total(rows)), 0.3621519031626085, rtol=0, atol=1e-12)


def test_small_batches_score_as_large_ones(monkeypatch):
    reference, hypothesis, *_ = frozen_pairs()
    reference[7], hypothesis[9] = ["AA"] * 500, ["K", "AE"] * 300
    expected = errors_per_utterance(reference, hypothesis).feature_cost
    monkeypatch.setattr(alignment, "_BATCH_CELLS", 16)
    np.testing.assert_array_equal(errors_per_utterance(reference, hypothesis).feature_cost, expected)


def test_an_empty_reference_still_adds_its_insertions():
    counted = total(errors_per_utterance([["<spn>"], ["K"]], [["AE"], ["K"]]))
    assert (counted.feature_cost, counted.reference_features) == (21.5, 24)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "message"),
    [
        ([], [], "0 utterances"),
        ([["K"]], [], "1 reference and 0 recognised"),
        ([["K"], ["T"]], [["K"], ["T", "t"]], "hypothesis 1: 't' is not a phone"),
        ([["K"], ["AE1"]], [["K"], ["T"]], "reference 1: 'AE1' is not a phone"),
        ([["K", 3]], [["K"]], "reference 0: 3 is not a phone"),
        ([["K", ["T"]]], [["K"]], r"reference 0: \['T'\] is not a phone"),
        ([["K"]], [[float("nan")]], "hypothesis 0: nan is not a phone"),
        ([["K"]], ["K"], "hypothesis 0 is the string 'K'"),
        ("K", [["K"]], "reference 0 is the string 'K'"),
        ([["<sil>"], []], [["K"], []], "FER of a reference without phones is undefined"),
    ],
)
def test_bad_input_is_refused_by_name(reference, hypothesis, message):
    with pytest.raises(ValueError, match=message):
        feature_error_rate(reference, hypothesis)


def test_table_is_the_published_one():
    assert len(TABLE.phones) == 40
    assert len(TABLE.features) == 24
    expected = {phone: cost for cost, names in INDEL_COSTS.items() for phone in names.split()}
    assert dict(zip(TABLE.phones, TABLE.indel_costs())) == expected
    costs = TABLE.substitution_costs()
    np.testing.assert_array_equal(costs, costs.T)
    assert (costs[~np.eye(40, dtype=bool)] > 0).all()  # no two phones have the same features
    assert (np.diag(costs) == 0).all()
    assert arpabet_features() is TABLE


def test_an_organisers_own_table(tmp_path):
    # Two features; A and C alike: free to mistake in FER, an error in PER. A -> B: |1 - 0| / 2 + |-1 + 1/2| / 2.
    file = tmp_path / "table.tsv"
    file.write_bytes(b"\xef\xbb\xbf# a note\r\nphone\thigh\tlow\r\nA\t+\t-\r\nB\t0\t-+\r\nC\t+\t-\r\n")
    table = read_feature_table(file)
    assert table == FeatureTable(("A", "B", "C"), ("high", "low"), (("+", "-"), ("0", "-+"), ("+", "-")))
    rows = errors_per_utterance([["A", "A"], ["B"]], [["C", "B"], []], table=table)
    assert (rows.feature_cost.tolist(), rows.reference_features.tolist()) == ([0.75, 1.5], [4, 2])
    with pytest.raises(ValueError, match="'K' is not a phone"):
        feature_error_rate([["K"]], [["A"]], table=table)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'phone'"),
        ("phones\thigh\nA\t+\n", "expected 'phone'"),
        ("phone\thigh\n", "at least one phone"),
        ("phone\nA\n", "at least one feature"),
        ("phone\thigh\nA\t+\nA\t-\n", "phone 'A' occurs 2 times"),
        ("phone\thigh\thigh\nA\t+\t-\n", "feature 'high' occurs 2 times"),
        ("phone\tmaX\nA\t1\n", "phone 'A', maX: '1'"),
        ("phone\thigh\nA\t+\t\n", "phone 'A' has 2 values for 1 features"),
        ("phone\thigh\nA\t+\t-\n", "phone 'A' has 2 values for 1 features"),
        ("phone\thigh\nA\n", "phone 'A' has 0 values"),
        ("phone\thigh\n<sil>\t+\n", "phone '<sil>': expected one word"),
        ("phone\thigh\nA B\t+\n", "phone 'A B': expected one word"),
        ("phone\thigh\n\t+\n", "phone '': expected one word"),
    ],
)
def test_a_broken_table_is_refused(tmp_path, text, message):
    file = tmp_path / "table.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_feature_table(file)


def test_pronunciation_is_a_run_of_whole_phones():
    accepted = [["S", "P", "UW", "N"], ["T", "IY"]]
    assert contains_pronunciation(["AH", "S", "P", "UW", "N"], accepted)
    assert contains_pronunciation(["T", "IY", "S"], accepted)
    assert contains_pronunciation(["S", "<sil>", "P", "UW", "<spn>", "N"], accepted)
    assert not contains_pronunciation(["S", "P", "UW"], accepted)
    assert not contains_pronunciation(["S", "P", "UW", "AH", "N"], accepted)
    assert not contains_pronunciation([], accepted)
    # Whole phones: "AE" is no "A", and "CH" no "H", though the letters are there.
    assert not contains_pronunciation(["CH", "AE"], [["H", "AE"]])
    assert not contains_pronunciation(["T", "IYX"], accepted)


@pytest.mark.parametrize(
    ("phones", "accepted", "message"),
    [
        (["K"], [], "0 accepted pronunciations"),
        (["K"], [["K"], []], "has no phones"),
        ("K", [["K"]], "'K' is a string"),
        (["K"], ["K AE"], "'K AE' is a string"),
    ],
)
def test_bad_pronunciations_are_refused(phones, accepted, message):
    with pytest.raises(ValueError, match=message):
        contains_pronunciation(phones, accepted)


def test_rows_and_phones_must_agree():
    with pytest.raises(ValueError, match="1 rows of features for 2 phones"):
        FeatureTable(("A", "B"), ("high",), (("+",),))
