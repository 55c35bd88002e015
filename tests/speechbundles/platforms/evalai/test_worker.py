"""What EvalAI does with scores; the rest of its worker is in test_evaluation."""

from decimal import Decimal

import pytest

from speechbundles.bundle.rehearse.run import RunFailed
from speechbundles.leaderboard.season import Attempt, placed, ranked
from speechbundles.model.bundle import read_built_bundle
from speechbundles.platforms.evalai import worker
from spokeneval.task import Column
from tests.samples.bundle_defects import EVERY
from tests.samples.seasons import season_of

COLUMNS = (Column("accuracy", "Accuracy", "higher", 2),)


def test_scores_are_stored_as_they_are_and_shown_with_commas():
    """The database has JSON; the page has the filter `number` of AngularJS."""
    stored = worker.store_scores({"accuracy": 12345.678901234567}, COLUMNS, [])
    assert stored == {"accuracy": Decimal("12345.678901234567")}
    assert worker.show_score(stored["accuracy"], 2) == "12,345.68"
    assert worker.store_scores({}, COLUMNS, []) == {}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.5", None, [1]])
def test_a_score_that_cannot_be_stored_or_sorted_fails_the_run(value):
    with pytest.raises(RunFailed, match="accuracy is"):
        worker.store_scores({"accuracy": value}, COLUMNS, [])


@pytest.mark.parametrize(
    "text", [None, "{}", '{"result": []}', '{"result": [{}]}', '{"result": [{"phase1": 1}]}', "[" * 5000]
)
def test_a_return_value_without_scores_fails_the_run(tmp_path, text):
    if text is not None:
        (tmp_path / worker.RESULT).write_text(text)
    with pytest.raises(RunFailed, match="evaluate returned"):
        worker.read_scores(tmp_path)


def test_of_equal_scores_the_later_submission_is_first(tmp_path):
    """`order_by("-created_at")`, then Python's stable sort, reversed: `calculate_distinct_sorted_leaderboard_data`."""
    (tmp_path / "bundle.zip").write_bytes(EVERY["evalai"]().build())
    bundle = read_built_bundle(tmp_path / "bundle.zip")
    phase = bundle.phase("Development")
    assert (phase.number, phase.per_day, bundle.primary.key) == ("phase1", 3, "accuracy")
    times = ("2027-01-12", "2027-01-13", "2027-01-14", "2027-01-15")
    teams = zip("abca", times, (0.5, 0.5, 0.4, 0.5), strict=True)
    submissions, run = season_of(*teams)
    finished = [Attempt(each, phase, run(each, phase)) for each in submissions]
    entries = ranked(bundle, phase, placed(bundle, phase, finished))
    assert [(entry.rank, entry.name, entry.upload) for entry in entries] == [
        (1, "a", "3.zip"),
        (2, "b", "1.zip"),
        (3, "c", "2.zip"),
    ]
