"""A competition, its files and its scores that differ from the bundle are reported."""

import copy
import functools
from types import SimpleNamespace

import pytest

from speechbundles.server.compared import served_differences
from tests.samples.bundle_defects import codabench
from tests.samples.codabench import Codabench
from tests.samples.codabench_server import ORGANISER
from tests.samples.live_bundle import COMPETITION, live_bundle, score
from tests.samples.programs import unzipped
from tests.samples.tables import table


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
    del server.competitions[COMPETITION]["docker_image"]
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


def differences(draft, served):
    return served_differences(SimpleNamespace(files=unzipped(draft.build())), served)


@pytest.mark.parametrize(("place", "value", "bundles", "servers"), table("served_changes"))
def test_differences_after_the_import_are_reported(imported, place, value, bundles, servers):
    path = [int(part) if part.isdigit() else part for part in place.split("/")]
    draft, served = copy.deepcopy(imported)
    assert differences(draft, served) == []
    holder = functools.reduce(lambda holder, part: holder[part], path[:-1], served)
    holder.__delitem__(path[-1]) if value == "(removed)" else holder.__setitem__(path[-1], value)
    (found,) = differences(draft, served)
    assert found.startswith(f"{bundles} in the bundle, {servers} on the server" if servers else bundles)


@pytest.fixture(scope="module")
def imported():
    """A bundle, and the competition that a server imports from it."""
    draft, server = codabench(), Codabench(score)
    return draft, server.competitions[server.offer(draft.build())]


def test_no_limit_is_0_or_null(imported):
    """The server treats both as no limit (`Phase.can_user_make_submissions`)."""
    draft, served = copy.deepcopy(imported)
    draft.spec["phases"][0]["max_submissions"] = 0
    served["phases"][0]["max_submissions_per_person"] = None
    assert differences(draft, served) == []
