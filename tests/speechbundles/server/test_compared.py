"""A competition, its files and its scores that differ from the bundle are reported."""

import pytest

from tests.samples.codabench_server import ORGANISER
from tests.samples.live_bundle import COMPETITION, live_bundle


def test_scores_of_hidden_columns_that_are_not_returned_are_not_waited_for(steps, server, tmp_path):
    """Newer servers return none; an organiser in a group with a queue gets a copy of the run."""
    server.returns_hidden, server.queues = False, {ORGANISER: 1}
    assert steps(live_bundle(tmp_path / "one.zip", hidden="error"))[1] is None
    right = server.score
    server.score = lambda parts, file: {**right(parts, file), "accuracy": 0.5}
    _, error = steps(live_bundle(tmp_path / "two.zip", hidden="error"))
    assert "accuracy: 0.75 here, 0.5 on the server" in error


def test_a_competition_that_differs_is_reported_and_gets_no_submission(steps, server):
    server.change = lambda served: (
        served["phases"][0].update(end=None),
        served["leaderboards"][0].update(submission_rule="Add"),
    )
    done, error = steps()
    _, _, *differences = error.splitlines()
    assert [line.split(":")[0] for line in differences] == [
        "  phases[0].end",
        "  leaderboards[0].submission_rule",
    ]
    assert done[-1].startswith("imported")
    assert server.called("API POST /api/submissions/") == []
    del server.competitions[COMPETITION]["pages"]
    assert "cannot be compared with the bundle" in steps(competition=COMPETITION)[1]


def test_a_file_that_differs_on_the_server_is_reported(steps, server):
    steps()
    server.files[server.datasets[server.tasks[32]["parts"]["reference_data"]]["path"]] += b"more"
    _, error = steps(competition=COMPETITION)
    assert error == "Evaluation: these files on the server differ from the bundle: reference_data"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (None, "run 1 is Failed on the server, but Finished in the rehearsal"),
        ({"accuracy": 0.75}, "error: 0.25 here, - on the"),
        ({"accuracy": 0.75 + 1e-10, "error": 0.25}, "accuracy: 0.75 here, 0.7500000001 on the server"),
    ],
)
def test_a_run_that_ends_otherwise_than_in_the_rehearsal_is_reported(steps, server, scores, expected):
    server.score = lambda parts, upload: scores
    _, error = steps(opening=True)
    assert expected in error
    assert not server.competitions[COMPETITION]["published"]
