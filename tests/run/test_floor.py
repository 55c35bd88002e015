"""Coarse feedback with a floor: a submission that is no better than the baseline gets the baseline's line."""

import json

import pytest

from spokeneval.run.feedback import coarse_scores, floored_scores
from spokeneval.run.options import items_fingerprint, read_options
from spokeneval.task import HIGHER, LOWER, Score
from spokeneval.tasks import find_task
from tests.samples.programs import ROOT, run_score

STEPS = {"f1": 0.01, "recall": 0.02}
FLOOR = {"f1": 0.89, "recall": 0.86, "f1_low": 0.87, "f1_high": 0.92}
F1 = Score("f1", "F1", HIGHER, abs, "", interval=True)


@pytest.mark.parametrize("f1", [0.0, 0.5, 0.88, 0.89, 0.894])
def test_no_better_than_the_baseline_gets_the_baselines_line(f1):
    scores = {"f1": f1, "recall": 1.0, "f1_low": 0.1, "f1_high": 0.99}
    assert floored_scores(scores, STEPS, FLOOR, F1) == FLOOR


def test_better_by_half_a_step_gets_its_own_scores_and_an_interval_of_the_baselines_width():
    scores = {"f1": 0.896, "recall": 0.75, "precision": 0.5, "f1_low": 0.1, "f1_high": 0.99}
    assert floored_scores(scores, STEPS, FLOOR, F1) == {
        "f1": 0.9,
        "recall": 0.76,
        "f1_low": 0.88,  # as far below as the floor's: 0.02
        "f1_high": 0.93,
    }


def test_where_lower_is_better_the_floor_is_above():
    error = Score("der", "DER", LOWER, abs, "")
    for der, shown in ((31.0, 30.0), (30.0, 30.0), (29.4, 29.0)):
        assert floored_scores({"der": der}, {"der": 1.0}, {"der": 30.0}, error) == {"der": shown}


@pytest.mark.parametrize(("steps", "floor"), [({"recall": 0.02}, FLOOR), (STEPS, {"recall": 0.86})])
def test_without_a_primary_score_there_is_no_floor(steps, floor):
    scores = {"f1": 0.5, "recall": 0.75}
    assert floored_scores(scores, steps, floor, F1) == coarse_scores(scores, steps)


REFERENCE = ROOT / "reference_data/psst_correctness/development"


def settings():
    task = find_task("psst_correctness")
    items = items_fingerprint(task.format.read_reference(REFERENCE).items.ids)
    return {"feedback": "coarse", "sets": {items: {"steps": STEPS, "floor": FLOOR}}}


def test_the_program_writes_the_floor(tmp_path):
    reference = (REFERENCE / "utterances.tsv").read_text()
    ids = [line.split("\t")[0] for line in reference.splitlines()[1:]]
    guess = "".join(["utterance_id\tprediction\n", *(f"{item}\ttrue\n" for item in ids)])
    run = run_score(
        "psst_correctness", tmp_path, {"utterances.tsv": reference}, {"correctness.tsv": guess}, settings()
    )
    assert run.status == 0, run.stderr
    assert run.scores == FLOOR


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        ({"feedback": "exact"}, None),
        ({"sets": {}}, {}),
        ({"sets": {"one": {"steps": {"f1": 0.01}}, "other": {"steps": {"f1": 0.02}}}}, {"f1": 0.02}),
    ],
)
def test_a_set_that_the_bundle_was_built_without_has_no_floor_and_the_largest_step(tmp_path, changes, steps):
    path = tmp_path / "options.json"
    path.write_text(json.dumps({**settings(), **changes}))
    task = find_task("psst_correctness")
    items = task.format.read_reference(REFERENCE).items.ids
    options = read_options(path, task, REFERENCE, items)
    assert options.steps == steps
    assert options.floor == (FLOOR if steps is None else None)
