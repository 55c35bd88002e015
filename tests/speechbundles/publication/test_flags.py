"""Flags that explain difficulty: published bands of the sample, analysis of variance, agreement, refused tables."""

import csv
import io
import json
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

import build_bundle
from sample_data import spoken_call_systems as sample
from sample_data.spoken_call import make_sheet
from speechbundles.model.errors import OrganiserError
from speechbundles.publication.flags import (
    Flags,
    bands_table,
    explain_flags,
    explain_variance,
    read_flags,
    systems_wrong,
)
from speechbundles.publication.render import table_to_csv
from spokeneval.challenges.spoken_call import TASK
from spokeneval.metrics.accept_reject import ranked_d_full
from spokeneval.metrics.agreement import cohen_kappa
from spokeneval.run.signature import Signature
from spokeneval.run.statistics import write_statistics
from tests.samples.own_competition import begun_folder
from tests.samples.programs import write_files

# Overview of the third edition (2019), Table 2: correct, then incorrect responses by the number of wrong systems, with
# Incom, Pron, Stutt, xTalk, SNSN, Faint in per cent.
PUBLISHED = """
0–2 605 1.16 0.00 3.64 0.83 2.98 2.31
3–9 65 7.69 0.00 9.23 13.85 3.08 4.62
10–18 70 7.14 0.00 8.57 8.57 17.14 5.71
0–18 740 2.30 0.00 4.59 2.70 4.32 2.84
0–2 184 21.74 11.41 9.78 2.17 3.26 4.89
3–9 31 16.13 6.45 9.68 3.23 6.45 0.00
10–18 45 26.67 0.00 2.22 0.00 2.22 4.44
0–18 260 21.92 8.85 8.46 1.92 3.46 4.23
"""
# Light's kappa: fair (0.2 to 0.4), moderate, substantial (from 0.6 on).
AGREEMENT = {"Incom": 0.2, "Pron": 0.4, "xTalk": 0.4, "SNSN": 0.4, "Stutt": 0.6}


def test_the_samples_flags_are_those_of_the_paper(tmp_path):
    rows = make_sheet("evaluation")
    wrong = sample.wrong_systems(rows)
    (tmp_path / "flags.csv").write_text(sample.flags_text(rows, sample.annotate(rows, wrong)))
    statistics = sample.statistics(rows, wrong)
    for name, system in statistics.items():
        total = system.total("decisions")
        found = (total.false_rejects, total.plain_false_accepts, total.gross_false_accepts)
        assert tuple(map(int, found)) == sample.WRONG[name]
    systems = list(statistics.values())
    ids = [row["Id"] for row in rows]
    number, marked = (
        systems_wrong(TASK, systems),
        read_flags(tmp_path / "flags.csv", ids, known=ids).by_majority(),
    )
    correct = np.array([row["language"] == "correct" for row in rows])
    found = []
    for within in (correct, ~correct):
        chosen = {flag: holds[within] for flag, holds in marked.items()}
        found += [list(row) for row in bands_table(number[within], chosen, 18).rows]
    assert found == [line.split() for line in PUBLISHED.strip().splitlines()]
    (_, variance, agreement), items = explain_flags(tmp_path / "flags.csv", ids, TASK, systems)
    kappas = {flag: float(kappa) for flag, kappa in agreement.rows}
    for flag, least in AGREEMENT.items():
        assert least < kappas[flag] < least + 0.2, flag
    assert float(variance.rows[-1][4]) == pytest.approx(sum(float(row[3]) for row in variance.rows), abs=0.3)
    listed = list(csv.DictReader(io.StringIO(table_to_csv(items))))
    assert [row["band"] for row in listed] == ["hard"] * 115 + ["medium"] * 96 + ["easy"] * 789
    assert [int(row["systems_wrong"]) for row in listed] == sorted(number, reverse=True)
    assert {row["Incom"] for row in listed} == {"0", "1"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("Id,annotator\n1,a\n", "expected a header with the item, 'annotator' if there are several"),
        ("Id,Faint,Faint\n1,1,1\n", "no column name twice"),
        ("Id,Faint\n1,1,1\n", "the same number of cells in every row"),
        ("Id,Faint\n", "no row"),
        ("Id,Faint\n1,maybe\n2,0\n3,\n", "cells that are neither 1/yes/true nor 0/no/false: "),
        ("Id,annotator,Faint\n1,a,1\n2,a,1\n3,a,1\n1,b,0\n", "missing rows: '2 b', '3 b'"),
        ("Id,Faint\n1,1\n2,1\n3,0\n3,0\n", "rows that appear twice: 3"),
        ("Id,Faint\n1,1\n2,1\n3,0\n9,0\n", "items that are not of this set: 9"),
        ("Id,Faint\n1,\xe4\n", "not UTF-8"),
        ("", "expected a header"),
    ],
)
def test_flags_that_do_not_fit_are_refused(tmp_path, flags, words):
    (tmp_path / "flags.csv").write_bytes(flags.encode("latin-1"))
    with pytest.raises(OrganiserError) as refused:
        read_flags(tmp_path / "flags.csv", ["1", "2", "3"], known=["1", "2", "3", "4"])
    assert words in str(refused.value)


def test_factors_are_tested_beside_all_others_and_shares_add_up():
    rng = np.random.default_rng(5)
    factors = {"noise": rng.normal(size=60), "strong": rng.normal(size=60), "flag": rng.random(60) < 0.3}
    factors["weak"] = factors["strong"] + rng.normal(size=60)
    outcome = 2 * factors["strong"] + factors["flag"] + rng.normal(size=60)

    def residual(names):
        columns = np.column_stack([np.ones(60), *(factors[name] for name in names)]).astype(float)
        return np.linalg.lstsq(columns, outcome, rcond=None)[1][0]

    found = explain_variance(outcome, {**factors, "constant": np.ones(60)})
    assert [factor.name for factor in found][:2] == ["strong", "flag"]
    assert len(found) == 4
    entered = []
    left = np.sum((outcome - outcome.mean()) ** 2)
    for factor in found:
        f = (residual(set(factors) - {factor.name}) / residual(factors) - 1) * (60 - 5)
        assert factor.f == pytest.approx(f)
        assert factor.p == pytest.approx(scipy.stats.f.sf(f, 1, 55))
        before = residual(entered) if entered else left
        entered.append(factor.name)
        assert factor.adds == pytest.approx((before - residual(entered)) / left)
    assert len(explain_variance(outcome, {**factors, "twice": 2 * factors["noise"]})) == 4
    assert explain_variance(np.ones(5), {"a": np.arange(5)}) == []


def test_lights_kappa_is_the_mean_over_pairs():
    marked = np.random.default_rng(1).random((3, 40)) < [[0.3], [0.4], [0.5]]
    flags = Flags("abc", {"some": marked, "none": np.zeros((3, 40), dtype=bool)})
    pairs = [cohen_kappa(*pair, scale=(0, 1)) for pair in combinations(marked.astype(int), 2)]
    assert flags.agreement()["some"] == pytest.approx(np.mean(pairs))
    assert np.isnan(flags.agreement()["none"])
    assert flags.by_majority()["some"].tolist() == (marked.sum(axis=0) >= 2).tolist()


def test_the_command_shows_the_flags_of_a_share_of_the_set(tmp_path):
    begun_folder(tmp_path / "mine", ["spoken_call"])
    labels = [f"{n}\tp{n % 2}\t{'in' * (n % 2)}correct\tcorrect\tS{n % 3}" for n in range(6)]
    sheet = "\n".join(["Id\tPrompt\tlanguage\tmeaning\tspeaker", *labels, ""])
    write_files(tmp_path / "mine/reference_data/spoken_call/evaluation", {"reference.csv": sheet})
    flags = "".join(f"{n},{who},{'yes' if n % 2 else 'no'}\n" for n in range(6) for who in "ab")
    (tmp_path / "flags.csv").write_text("Id,Annotator,Faint\n" + flags)
    rows = list(csv.DictReader(io.StringIO(sheet), delimiter="\t"))[:5]
    signature = Signature("spoken_call", items="0123456789ab")
    wrong = np.arange(18) < np.array([[0], [4], [18], [0], [18]])
    for name, statistics in list(sample.statistics(rows, wrong).items())[:3]:
        scores = {"d_full": float(ranked_d_full(statistics.total("decisions")))}
        files = {"scores.json": json.dumps(scores), "signature.txt": str(signature)}
        write_statistics(write_files(tmp_path / "outputs" / name, files), signature, statistics, {})
    outputs = [str(place) for place in (tmp_path / "outputs").iterdir()]
    choices = {"--competition": "mine", "--flags": "flags.csv", "--out": "board"}
    said = [word for choice, place in choices.items() for word in (choice, str(tmp_path / place))]
    assert build_bundle.main(["rank", *outputs, *said, "--by", "PROMPT"]) == 0
    text = (tmp_path / "board/board.md").read_text(encoding="utf-8")
    for title in ("Flags of hard items", "Agreement of the 2 annotators", "Dfull by PROMPT"):
        assert title in text
    written = (tmp_path / "board/indicators.csv").read_text().splitlines()
    assert (written[0], len(written)) == ("item,band,systems_wrong,Faint", 6)
