"""Publish a bundle on a server that can make mistakes (`tests.samples.codabench_server`)."""

import copy
import shlex
from datetime import datetime
from decimal import Decimal

import pytest

import build_bundle
from speechbundles.bundle.rehearse.rehearsal import rehearse_phase
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import OrganiserError, Unreachable
from speechbundles.model.text import PROGRAM
from speechbundles.server.publish import publish
from tests.samples.bundle_defects import codabench
from tests.samples.codabench_server import CSRF, ORGANISER, PASSWORD, SESSION, TOKEN, Mishap
from tests.samples.live_bundle import COMPETITION, EVALUATION, live_bundle, upload

AGAIN = "publish it"
NOW = datetime(2027, 3, 2, 9)
"""The second of two phases is open."""
both = pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return live_bundle(tmp_path_factory.mktemp("bundle") / "synthetic.zip")


@pytest.fixture
def one_phase(tmp_path):
    """A bundle with a single phase, which is open."""
    phases = copy.deepcopy(codabench().spec["phases"])
    return live_bundle(tmp_path / "one.zip", phases=[{**phases[1], "index": 0}])


def two_phases(tmp_path, **changes):
    """A bundle with a baseline for both phases."""
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"] = phases[1]["tasks"]
    return live_bundle(tmp_path / "two.zip", phases=phases, **changes)


@pytest.fixture(autouse=True)
def _quick(unchecked, monkeypatch, rehearsals):
    """Rehearse each baseline only once, and skip checks."""

    def rehearse_once(bundle, phase, submission):
        if phase.name not in rehearsals:
            rehearsals[phase.name] = rehearse_phase(bundle, phase, submission)
        return rehearsals[phase.name]

    monkeypatch.setattr("speechbundles.server.baselines.rehearse_phase", rehearse_once)


@pytest.fixture(scope="module")
def rehearsals():
    return {}


@pytest.fixture
def steps(connection, bundle):
    """Return a function that publishes: the successful steps, and the error that ended them."""

    def run(path=bundle, **options):
        done = []
        try:
            done.extend(publish(connection, path, **{"again": AGAIN, "now": NOW, **options}))
        except OrganiserError as error:
            return done, str(error)
        return done, None

    return run


def test_a_bundle_is_uploaded_compared_and_tried(steps, server, bundle):
    bytes_done = []
    done, error = steps(progress=lambda sent, size: bytes_done.append((sent, size)))
    assert error is None
    assert bytes_done[-1] == (bundle.stat().st_size, bundle.stat().st_size)
    assert [step.partition(":")[0] for step in done] == [
        *(f"uploaded {bundle}", "imported as competition 7", "read back", "read back"),
        *("Development", "Evaluation", "Evaluation"),
        *["measured on 2027-03-02, competition not listed"] * 2,
        *("note", "not public yet; to open it"),
    ]
    assert done[-1].endswith(f": {AGAIN} --competition 7 --open")
    assert done[4] == "Development: no test submission, because the bundle has no baseline for it"
    assert "same scores as in the rehearsal, to the last digit" in done[6]
    # The baseline is right for three in four. Codabench shows no zeros at the end.
    assert "Accuracy 0.75  Error 0.25" in done[6]
    assert server.called("API POST /api/competitions/7/toggle_publish") == []


def measured(lines):
    """Return the answers, `fact -> yes, no or not measured`."""
    rows = [line.split(": ", 2)[1:] for line in lines if line.startswith("measured on 2027-03-02, ")]
    return {fact: answer for answer, facts in rows for fact in facts.split("; ")}


PARTS = ("ingestion program", "input data", "reference data", "scoring program")


@both
def test_what_others_can_read_is_measured(steps, server):
    done, error = steps()
    assert error is None
    old = "no" if server.today else "yes"
    assert measured(done) == {
        "phases refuse submissions outside their dates": "not measured",  # only an open one has a baseline
        "a token opens programs and data": old,
        "scores of hidden columns are returned": "not measured",  # there is no such column
        **{f"others can read {part}": old for part in PARTS},
        "others can read the list of runs": old,
        "others can read the uploads and logs of runs": old,
    }
    (note,) = (step for step in done if step.startswith("note"))
    can = "could not" if server.today else "can"
    assert note.startswith(
        f"note: reference_data.zip: others {can} read these hidden labels; use labels: home"
    )
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


LATER = datetime(2027, 2, 20)


@pytest.mark.parametrize(
    ("now", "left", "when"),
    [
        (NOW, "Development", "it ended on 2027-03-01 00:00 UTC"),
        (LATER, "Evaluation", f"it opens on 2027-03-01 00:00 UTC; test it then: {AGAIN} --competition 7"),
    ],
)
@both
def test_a_phase_that_refuses_its_baseline_is_left_out_and_the_rest_opened(
    steps, server, tmp_path, now, left, when
):
    server.now = now
    done, error = steps(two_phases(tmp_path), opening=True, now=now)
    assert (done[-1], error) == ("published", None)
    assert server.competitions[COMPETITION]["published"]
    tested = [step.partition(":")[0] for step in done if "same scores as in the rehearsal" in step]
    assert tested == [name for name in ("Development", "Evaluation") if name != left or not server.today]
    assert [step for step in done if "left out" in step] == [
        f"{left}: left out, because the server refuses the baseline (POST /api/submissions/: HTTP 400: "
        f"This phase is not active.); {when}"
    ] * server.today


@pytest.mark.parametrize("status", [401, 404, 500])
def test_only_a_phase_that_is_not_open_is_left_out(steps, server, tmp_path, status):
    """Nothing is opened because the server has another reason to refuse a submission."""
    server.now = LATER
    server.mishaps = [Mishap("API GET /api/can_make_submission/701/", status, times=7)]
    done, error = steps(two_phases(tmp_path), opening=True, now=LATER)
    assert error.startswith("Evaluation: the server refuses the baseline: ")
    assert not any("left out" in step for step in done)
    assert not server.competitions[COMPETITION]["published"]


@both
def test_a_run_of_the_baseline_is_used_again(steps, server):
    """The limit is three a day."""
    for _ in range(5):
        done, error = steps(competition=COMPETITION if server.competitions else None)
        assert error is None
    assert done[3] == "Evaluation: solutions/baseline.zip is run 1, submitted on 2027-03-02 09:00 UTC"
    assert len(server.submissions) == 1
    server.submissions[1]["scores"]["accuracy"] = Decimal("0.5")  # of other labels: it proves nothing now
    assert steps(competition=COMPETITION)[1] is None
    assert len(server.submissions) == 2


@both
@pytest.mark.parametrize(
    "begins", ["API POST /api/datasets/", "API POST /api/submissions/", "API GET /api/submissions/?"]
)
def test_publishing_that_was_killed_is_continued_with_the_same_run(steps, connection, server, bundle, begins):
    steps()
    server.submissions.clear()
    server.mishaps = [Mishap(begins, "act-and-drop", times=7, after=2 if "GET" in begins else 0)]
    with pytest.raises(Unreachable):
        list(publish(connection, bundle, competition=COMPETITION, again=AGAIN, now=NOW))
    server.mishaps = []
    assert steps(competition=COMPETITION)[1] is None
    assert len(server.submissions) == 1


@both
def test_a_limit_that_is_used_up_is_reported_in_the_servers_words(steps, server):
    steps()
    server.submissions.clear()
    for _ in range(3):
        server.enter(EVALUATION, ORGANISER, upload(0))
    _, error = steps(competition=COMPETITION)
    assert "baseline: Reached maximum allowed submissions for today for this phase." in error


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


def test_scores_of_hidden_columns_that_are_not_returned_are_not_waited_for(steps, server, tmp_path):
    """Newer servers return none; an organiser in a group with a queue gets a copy of the run."""
    server.returns_hidden, server.queues = False, {ORGANISER: 1}
    done, error = steps(live_bundle(tmp_path / "one.zip", hidden="error"))
    assert error is None
    assert any("same scores as in the rehearsal, to the last digit" in step for step in done)
    right = server.score
    server.score = lambda parts, file: {**right(parts, file), "accuracy": 0.5}
    _, error = steps(live_bundle(tmp_path / "two.zip", hidden="error"))
    assert "accuracy: 0.75 here, 0.5 on the server" in error


def test_runs_that_wait_are_started(steps, server, tmp_path):
    assert steps(live_bundle(tmp_path / "held.zip", auto_run=False))[1] is None
    assert len(server.called("API POST /api/submissions/1/run_submission/")) == 1


def test_a_phase_with_several_tasks_is_refused_before_anything_is_done(steps, server, tmp_path):
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"].append(phases[1]["tasks"][0])
    done, error = steps(live_bundle(tmp_path / "several.zip", phases=phases))
    assert (done, server.requests) == ([], [])
    assert "phases with several tasks: Development; only phases with one task" in error


# What differs


def test_a_competition_that_differs_is_reported_and_gets_no_submission(steps, server):
    server.change = lambda served: (
        served["phases"][0].update(end=None),
        served["leaderboards"][0].update(submission_rule="Add"),
    )
    done, error = steps()
    assert error.splitlines() == [
        "competition 7 differs from the bundle:",
        "",
        "  phases[0].end: 2027-02-28 23:59:59 in the bundle, None on the server",
        "  leaderboards[0].submission_rule: 'Force_Best' in the bundle, 'Add' on the server",
    ]
    assert done[-1].startswith("imported")
    assert server.called("API POST /api/submissions/") == []
    del server.competitions[COMPETITION]["pages"]
    assert steps(competition=COMPETITION)[1] == (
        "competition 7 cannot be compared with the bundle: KeyError('pages')"
    )


def test_a_file_that_differs_on_the_server_is_reported(steps, server):
    steps()
    key = server.tasks[server.competitions[COMPETITION]["phases"][1]["tasks"][0]["id"]]["parts"][
        "reference_data"
    ]
    server.files[server.datasets[key]["path"]] += b"more"
    _, error = steps(competition=COMPETITION)
    assert error == "Evaluation: these files on the server differ from the bundle: reference_data"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (None, "run 1 is Failed on the server, but Finished in the rehearsal"),
        ({"accuracy": 0.75}, "error: 0.25 here, - on the"),
        (
            {"accuracy": 0.75 + 1e-10, "error": 0.25},
            "Evaluation: the scores of run 1 differ from the rehearsal:\n\n"
            "accuracy: 0.75 here, 0.7500000001 on the server",
        ),
    ],
)
def test_a_run_that_ends_otherwise_than_in_the_rehearsal_is_reported(steps, server, scores, expected):
    server.score = lambda parts, upload: scores
    _, error = steps(opening=True)
    assert expected in error
    assert not server.competitions[COMPETITION]["published"]


def test_a_run_that_does_not_end(steps, server, monkeypatch):
    monkeypatch.setattr("speechbundles.server.wait.PATIENCE", 12)
    server.stuck = True
    _, error = steps()
    assert "nothing has changed for 2 minutes" in error
    assert "1 (Submitting)" in error


# Bad days


def test_a_full_quota_is_reported_in_the_servers_words(steps, server):
    server.quota = 100
    done, error = steps()
    assert done == []
    assert "synthetic.zip was rejected" in error
    assert "Insufficient space" in error


def test_an_import_that_fails(steps, server):
    server.change = lambda served: served["none"]
    assert steps()[1] == "the import failed: 'none'"


@pytest.mark.parametrize(
    "begins", ["API POST /api/datasets/", "STORE PUT", "API GET /api/competitions/3/", "API GET /api/tasks/"]
)
def test_requests_that_can_be_repeated_are_retried(steps, server, begins):
    server.mishaps = [Mishap(begins, kind) for kind in ("drop", 502, 429, "act-and-drop")]
    assert steps()[1] is None
    assert not any(mishap.times for mishap in server.mishaps)
    assert list(server.competitions) == [COMPETITION]


@pytest.mark.parametrize(
    "begins",
    ["API PUT /api/datasets/completed/", "API POST /api/submissions/", "API POST /api/competitions/"],
)
@pytest.mark.parametrize("kind", ["act-and-drop", 500, 502])
def test_requests_that_must_not_be_repeated_are_not_retried(connection, server, one_phase, begins, kind):
    server.mishaps = [Mishap(begins, kind)]
    with pytest.raises(Unreachable, match="The server may have carried out the request"):
        list(publish(connection, one_phase, opening=True, again=AGAIN))
    assert len(server.called(begins)) == 1
    server.mishaps = [Mishap(begins, 429)]  # the server has not started
    assert list(publish(connection, one_phase, opening=True, again=AGAIN))[-1] == "published"


# The command


def test_the_command(server, login, bundle, command, monkeypatch):
    status, out, err = command("publish", bundle, *login)
    assert status == 0
    assert f"imported as competition 7: {server.address}/competitions/7/" in out
    assert not [secret for secret in (TOKEN, PASSWORD, CSRF, SESSION) if secret in out + err]
    status, out, _ = command("publish", bundle, "--competition", 7)
    assert (status, "not compared: programs and data" in out) == (4 if server.today else 0, server.today)
    monkeypatch.setenv(TOKEN_VARIABLE, "f" * 40)
    status, _, err = command("publish", bundle)
    assert (status, "does not accept this token" in err) == (1, True)


@pytest.mark.parametrize("with_file", [True, False])
def test_the_printed_command_opens_the_competition(
    with_file, server, login, command, one_phase, tmp_path, monkeypatch
):
    (tmp_path / "my bundles").mkdir()
    bundle = one_phase.rename(tmp_path / "my bundles/one.zip")
    if with_file:
        monkeypatch.delenv(TOKEN_VARIABLE)
        token = tmp_path / "my token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        login = [*login, "--token-file", token]
    status, out, _ = command("publish", bundle, *login)
    assert status == 0
    program, words = shlex.split(PROGRAM), shlex.split(out.splitlines()[-1].partition("to open it: ")[2])
    assert words[: len(program)] == program
    assert not server.competitions[COMPETITION]["published"]
    assert build_bundle.main(words[len(program) :]) == 0
    assert server.competitions[COMPETITION]["published"]
