"""Publish a bundle on a server that can make mistakes (`tests.samples.codabench_server`)."""

import copy
from functools import partial

import pytest

from speechbundles.model.errors import Unreachable
from speechbundles.server.publish import publish_bundle
from tests.samples.bundle_defects import codabench
from tests.samples.codabench_server import Mishap
from tests.samples.killed import kill, killed_seasons
from tests.samples.live_bundle import AGAIN, COMPETITION, OPEN, live_bundle, two_phases


def test_a_bundle_is_uploaded_compared_and_tried(steps, server, bundle):
    bytes_done = []
    done, error = steps(progress=lambda *sent: bytes_done.append(sent))
    assert (error, bytes_done[-1]) == (None, (bundle.stat().st_size,) * 2)
    assert [step.partition(":")[0] for step in done] == [
        *(f"uploaded {bundle}", "imported as competition 7", "read back", "read back"),
        *("Development", "Evaluation", "Evaluation"),
        *["measured on 2027-03-02, competition not listed"] * 2,
        *("note", "not public yet; to open it"),
    ]
    assert done[-1].endswith(f": {AGAIN} --competition 7 --open")
    assert done[4].startswith("Development: no test submission, because")
    assert "same scores as in the rehearsal, to the last digit" in done[6]
    # The baseline is right for three in four. Codabench shows no zeros at the end.
    assert "Accuracy 0.75  Error 0.25" in done[6]
    assert server.called("API POST /api/competitions/7/toggle_publish") == []


def test_it_is_opened_after_test_submissions_to_all_phases(steps, server, one_phase, bundle):
    for number in (None, COMPETITION):  # the API has a toggle: it must not be switched back
        done, error = steps(one_phase, opening=True, competition=number)
        assert (done[-1], error) == ("published", None)
        assert server.competitions[COMPETITION]["published"]
    done, error = steps(one_phase, competition=COMPETITION)  # to test a phase that has opened since
    assert (done[-1], error) == ("competition 7 is listed publicly", None)
    _, error = steps(bundle, opening=True)
    assert error == "not opened: no test submission to Development; make one, then publish it in the browser"
    assert not server.competitions[COMPETITION + 1]["published"]


def test_a_phase_with_several_tasks_is_refused_before_anything_is_done(steps, server, tmp_path):
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"].append(phases[1]["tasks"][0])
    done, error = steps(live_bundle(tmp_path / "several.zip", phases=phases))
    assert (done, server.requests) == ([], [])
    assert "phases with several tasks: Development; only phases with one task" in error


def test_a_full_quota_is_reported_in_the_servers_words(steps, server):
    server.quota = 100
    done, error = steps()
    assert (done, "Insufficient space" in error) == ([], True)


@pytest.mark.parametrize(
    "begins", ["API POST /api/datasets/", "STORE PUT", "API GET /api/competitions/3/", "API GET /api/tasks/"]
)
def test_requests_that_can_be_repeated_are_retried(steps, server, begins):
    server.mishaps = [Mishap(begins, kind) for kind in ("drop", 502, 429, "act-and-drop")]
    assert steps()[1] is None
    assert not any(mishap.times for mishap in server.mishaps)
    assert list(server.competitions) == [COMPETITION]


@pytest.mark.default_cases("act-and-drop-API POST /api/submissions/")
@pytest.mark.parametrize(
    "begins",
    ["API PUT /api/datasets/completed/", "API POST /api/submissions/", "API POST /api/competitions/"],
)
@pytest.mark.parametrize("kind", ["act-and-drop", 500, 502])
def test_requests_that_must_not_be_repeated_are_not_retried(connection, server, one_phase, begins, kind):
    server.mishaps = [Mishap(begins, kind)]
    with pytest.raises(Unreachable, match="The server may have carried out the request"):
        list(publish_bundle(connection, one_phase, opening=True, again=AGAIN))
    assert len(server.called(begins)) == 1
    server.mishaps = [Mishap(begins, 429)]  # the server has not started
    assert list(publish_bundle(connection, one_phase, opening=True, again=AGAIN))[-1] == "published"


@killed_seasons
def test_a_published_baseline_is_submitted_once(
    connection, server, bundle, steps, page, teams, kills, monkeypatch
):
    server.page_size, server.validates = page, True
    steps(bundle)
    server.submissions.clear()
    publish = partial(publish_bundle, connection, bundle, competition=COMPETITION, again=AGAIN, now=OPEN)
    for number in range(kills):
        kill(monkeypatch, lambda: list(publish()), number % 2, number // 2 % 5)
    said, error = steps(competition=COMPETITION)
    assert (error, len(server.submissions)) == (None, 1)
    why = "Finished with scores, but the team has no entry on the leaderboard"
    assert f"warning: Evaluation: run {max(server.submissions)} of organiser is {why}" in said


# What a server lets others read is measured, not assumed.

both = pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
READABLE = ("ingestion program", "input data", "reference data", "scoring program")


def measured(lines):
    """Return the answers, `fact -> yes, no or not measured`."""
    rows = [line.split(": ", 2)[1:] for line in lines if line.startswith("measured on 2027-03-02, ")]
    return {fact: answer for answer, facts in rows for fact in facts.split("; ")}


@both
def test_what_others_can_read_is_measured(steps, server):
    done, error = steps()
    assert error is None
    old = "no" if server.today else "yes"
    assert measured(done) == {
        "phases refuse submissions outside their dates": "not measured",  # only an open one has a baseline
        "a token opens programs and data": old,
        "scores of hidden columns are returned": "not measured",  # there is no such column
        **{f"others can read {part}": old for part in READABLE},
        "others can read the list of runs": old,
        "others can read the uploads and logs of runs": old,
    }
    (note,) = (step for step in done if step.startswith("note"))
    assert f"reference_data.zip: others {'could not' if server.today else 'can'} read" in note
    anonymous = {what for what, _, token in server.requests if what.startswith("API") and token is None}
    assert anonymous == {"API GET", *["API POST"] * server.today}  # POST: the sign-in form
    keys = {key for task in server.tasks.values() for key in task["parts"].values()}
    assert not any(key in step for key in keys for step in done)


@both
def test_hidden_columns_and_the_dates_of_phases_are_measured(steps, server, tmp_path):
    server.returns_hidden = not server.today
    done, error = steps(two_phases(tmp_path, hidden="error"))
    assert error is None
    found = measured(done)
    assert found["scores of hidden columns are returned"] == ("no" if server.today else "yes")
    assert found["phases refuse submissions outside their dates"] == ("yes" if server.today else "no")
