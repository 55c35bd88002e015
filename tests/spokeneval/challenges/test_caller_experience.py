"""Tests of Caller Experience: a hand calculation, an independent library, messages, and the baseline's limits."""

import numpy as np
import pytest

from spokeneval.challenges.caller_experience import TASK
from tests.samples.programs import ROOT, encoded, run_program, run_score, write_files

EXACT = {"rtol": 0, "atol": 1e-12}


def gold(*listeners):
    rows = [
        f"C{i},{','.join(map(str, ratings))}\n" for i, ratings in enumerate(zip(*listeners, strict=True), 1)
    ]
    return {"reference.csv": "call_id,human1,human2,human3\n" + "".join(rows)}


def score(folder, listeners, ratings):
    rows = "".join(f"C{i},{rating}\n" for i, rating in enumerate(ratings, 1))
    run = run_score(TASK.name, folder, gold(*listeners), {"ratings.csv": "call_id,rating\n" + rows})
    assert run.status == 0, run.stderr
    return run.scores


# Ten calls on which nobody uses 3; kappa 1 - (5/10)/(158/100) = 54/79 by hand (see test_agreement.py).
# Differences of A and B: 1 0 1 1 0 2 0 0 0 0.
A = [1, 5, 2, 5, 4, 4, 2, 4, 1, 2]
B = [2, 5, 1, 4, 4, 2, 2, 4, 1, 2]


def test_worked_case_through_the_program(tmp_path):
    kappa = 54 / 79
    expected = {
        "kappa_mean": (2 * kappa + 1) / 3,
        "kappa_human1": kappa,
        "kappa_human2": kappa,
        "kappa_human3": 1,
        "human_kappa_mean": (1 + 2 * kappa) / 3,
        "parity": 0,
        "exact": 100 * (6 + 6 + 10) / 30,
        "within_one": 100 * (9 + 9 + 10) / 30,
    }
    scores = score(tmp_path, (A, A, B), B)
    np.testing.assert_allclose([scores[key] for key in expected], list(expected.values()), **EXACT)


def test_ids_with_the_delimiter_in_them_are_listed_and_read_back():
    files = gold([1, 2, 3], [1, 2, 3], [1, 2, 3])
    reference = encoded({name: text.replace("C1", '"Z, 9"') for name, text in files.items()})
    public = TASK.format.public_files(TASK.format.read_reference(reference), {})
    assert public == {"calls.csv": b'call_id\nC2\nC3\n"Z, 9"\n'}
    assert TASK.format.read_items(encoded(public)).ids == ("C2", "C3", "Z, 9")


def test_the_baseline_names_the_calls_of_which_it_has_no_features(tmp_path):
    pytest.importorskip("sklearn")
    source = ROOT / "starting_kit/caller_experience"
    names = ("baseline.py", "data/training_calls.csv")
    files = {name: (source / name).read_bytes() for name in names}
    lists = {
        "evaluation/input/calls.csv": "call_id\nE1\nE2\nE3\n",
        "data/evaluation_calls.csv": "call_id\nE1\n",
    }
    kit = write_files(tmp_path, {**files, **lists})
    done = run_program("baseline.py", "evaluation", "out", cwd=kit)
    assert done.returncode == 1
    assert done.stderr == "data/evaluation_calls.csv lacks features for 2 calls, for example E2\n"
