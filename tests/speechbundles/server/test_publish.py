"""Publish a bundle on a server that can make mistakes (`tests.samples.codabench_server`)."""

import copy
import functools
import shlex
from datetime import datetime
from decimal import Decimal

import pytest

import build_bundle
from speechbundles.bundle.rehearse.rehearsal import rehearse_phase
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import OrganiserError, Unreachable
from speechbundles.model.text import PROGRAM
from speechbundles.server.compared import NOT_COMPARED
from speechbundles.server.publish import publish
from speechbundles.server.served import differences
from tests.samples.bundle_defects import codabench
from tests.samples.codabench_server import CSRF, ORGANISER, PASSWORD, SESSION, TOKEN, CodabenchServer, Mishap
from tests.samples.live_bundle import live_bundle, score, upload

AGAIN = "publish it"
NOW = datetime(2027, 3, 2, 9)
"""The second of two phases is open."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return live_bundle(tmp_path_factory.mktemp("bundle") / "synthetic.zip")


@pytest.fixture(autouse=True)
def _quick(monkeypatch, rehearsals):
    """Rehearse each baseline only once, and skip checks, which `test_check` covers."""

    def rehearse_once(bundle, phase, submission):
        if phase.name not in rehearsals:
            rehearsals[phase.name] = rehearse_phase(bundle, phase, submission)
        return rehearsals[phase.name]

    monkeypatch.setattr("speechbundles.server.compared.check_bundle", lambda path: [])
    monkeypatch.setattr("speechbundles.server.baselines.rehearse_phase", rehearse_once)


@pytest.fixture(scope="module")
def rehearsals():
    return {}


def steps(connection, bundle, **options):
    """Return the successful steps, and the error that ended them."""
    done = []
    try:
        for step in publish(connection, bundle, **{"again": AGAIN, "now": NOW, **options}):
            done.append(step)
    except OrganiserError as error:
        return done, str(error)
    return done, None


def test_a_bundle_is_uploaded_compared_and_tried(connection, server, bundle):
    bytes_done = []
    done, error = steps(connection, bundle, progress=lambda sent, size: bytes_done.append((sent, size)))
    assert error is None
    size = bundle.stat().st_size
    assert bytes_done[-1] == (size, size)
    assert [step.partition(":")[0] for step in done] == [
        f"uploaded {bundle}",
        "imported as competition 7",
        "read back",
        "read back",
        "Development",
        "Evaluation",
        "Evaluation",
        *["measured on 2027-03-02, competition not listed"] * 2,
        "note",
        "not public yet; to open it",
    ]
    assert done[-1].endswith(f": {AGAIN} --competition 7 --open")
    assert done[4] == "Development: no test submission, because the bundle has no baseline for it"
    assert "same scores as in the rehearsal, to the last digit" in done[6]
    # The baseline is right for three in four. Codabench shows no zeros at the end.
    assert "Accuracy 0.75  Error 0.25" in done[6]
    assert not server.competitions[7]["published"]
    assert server.called("API POST /api/competitions/7/toggle_publish") == []


def measured(lines):
    """Return the answers, `fact -> yes, no or not measured`."""
    rows = [line.split(": ", 2)[1:] for line in lines if line.startswith("measured on 2027-03-02, ")]
    return {fact: answer for answer, facts in rows for fact in facts.split("; ")}


PARTS = ("ingestion program", "input data", "reference data", "scoring program")


@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
def test_what_others_can_read_is_measured(connection, server, bundle):
    done, error = steps(connection, bundle)
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
    anonymous = [what for what, _, token in server.requests if what.startswith("API") and token is None]
    assert set(anonymous) == (
        {"API GET", "API POST"} if server.today else {"API GET"}
    )  # POST: the sign-in form
    keys = {key for task in server.tasks.values() for key in task["parts"].values()}
    assert not any(key in step for key in keys for step in done)


@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
def test_hidden_columns_and_the_dates_of_phases_are_measured(connection, server, tmp_path):
    server.returns_hidden = not server.today
    bundle = two_phases(tmp_path, hidden="error")
    done, error = steps(connection, bundle)
    assert error is None
    found = measured(done)
    assert found["scores of hidden columns are returned"] == ("no" if server.today else "yes")
    assert found["phases refuse submissions outside their dates"] == ("yes" if server.today else "no")


def two_phases(tmp_path, **changes):
    """A bundle with a baseline for both phases."""
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"] = phases[1]["tasks"]
    return live_bundle(tmp_path / "two.zip", phases=phases, **changes)


OPEN, LATER = datetime(2027, 3, 2, 9), datetime(2027, 2, 20)


@pytest.mark.parametrize(
    ("now", "left", "when"),
    [
        (OPEN, "Development", "it ended on 2027-03-01 00:00 UTC"),
        (LATER, "Evaluation", f"it opens on 2027-03-01 00:00 UTC; test it then: {AGAIN} --competition 7"),
    ],
)
@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
def test_a_phase_that_refuses_its_baseline_is_left_out_and_the_rest_opened(
    connection, server, tmp_path, now, left, when
):
    server.now = now
    bundle = two_phases(tmp_path)
    done, error = steps(connection, bundle, opening=True, now=now)
    assert (done[-1], error) == ("published", None)
    assert server.competitions[7]["published"]
    tested = [step.partition(":")[0] for step in done if "same scores as in the rehearsal" in step]
    assert tested == ([name for name in ("Development", "Evaluation") if name != left or not server.today])
    assert [step for step in done if "left out" in step] == [
        f"{left}: left out, because the server refuses the baseline (POST /api/submissions/: HTTP 400: "
        f"This phase is not active.); {when}"
    ] * server.today


@pytest.mark.parametrize("status", [401, 404, 500])
def test_only_a_phase_that_is_not_open_is_left_out(connection, server, tmp_path, status):
    """Nothing is opened because the server has another reason to refuse a submission."""
    server.now = LATER
    server.mishaps = [Mishap("API GET /api/can_make_submission/701/", status, times=7)]
    done, error = steps(connection, two_phases(tmp_path), opening=True, now=LATER)
    assert error.startswith("Evaluation: the server refuses the baseline: ")
    assert not any("left out" in step for step in done)
    assert not server.competitions[7]["published"]


@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
def test_a_run_of_the_baseline_is_used_again(connection, server, bundle):
    """The limit is three a day."""
    for _ in range(5):
        done, error = steps(connection, bundle, competition=7 if server.competitions else None)
        assert error is None
    assert done[3] == "Evaluation: solutions/baseline.zip is run 1, submitted on 2027-03-02 09:00 UTC"
    assert len(server.submissions) == 1
    server.submissions[1]["scores"]["accuracy"] = Decimal("0.5")  # of other labels: it proves nothing now
    assert steps(connection, bundle, competition=7)[1] is None
    assert len(server.submissions) == 2


@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
@pytest.mark.parametrize(
    "begins", ["API POST /api/datasets/", "API POST /api/submissions/", "API GET /api/submissions/?"]
)
def test_publishing_that_was_killed_is_continued_with_the_same_run(connection, server, bundle, begins):
    steps(connection, bundle)
    server.submissions.clear()
    server.mishaps = [Mishap(begins, "act-and-drop", times=7, after=2 if "GET" in begins else 0)]
    with pytest.raises(Unreachable):
        list(publish(connection, bundle, competition=7, again=AGAIN, now=NOW))
    server.mishaps = []
    assert steps(connection, bundle, competition=7)[1] is None
    assert len(server.submissions) == 1


@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
def test_a_limit_that_is_used_up_is_reported_in_the_servers_words(connection, server, bundle):
    steps(connection, bundle)
    server.submissions.clear()
    for _ in range(3):
        server.enter(701, ORGANISER, upload(0))
    _, error = steps(connection, bundle, competition=7)
    assert error.startswith(
        "Evaluation: the server refuses the baseline: Reached maximum allowed submissions for today for this phase."
    )


def test_it_is_opened_after_test_submissions_to_all_phases(connection, server, tmp_path):
    phases = copy.deepcopy(codabench().spec["phases"])
    bundle = live_bundle(tmp_path / "one.zip", phases=[{**phases[1], "index": 0}])
    done, error = steps(connection, bundle, opening=True)
    assert (done[-1], error) == ("published", None)
    assert server.competitions[7]["published"]
    done, error = steps(
        connection, bundle, opening=True, competition=7
    )  # the API has a toggle: it must not be switched back
    assert (done[-1], error) == ("published", None)
    assert server.competitions[7]["published"]
    done, error = steps(connection, bundle, competition=7)  # to test a phase that has opened since
    assert (done[-1], error) == ("competition 7 is listed publicly", None)


def test_it_is_not_opened_without_a_test_submission_to_each_phase(connection, server, bundle):
    _, error = steps(connection, bundle, opening=True)
    assert error == "not opened: no test submission to Development; make one, then publish it in the browser"
    assert not server.competitions[7]["published"]


def test_scores_of_hidden_columns_that_are_not_returned_are_not_waited_for(connection, server, tmp_path):
    """Newer servers return none; an organiser in a group with a queue gets a copy of the run."""
    server.returns_hidden, server.queues = False, {ORGANISER: 1}
    done, error = steps(connection, live_bundle(tmp_path / "one.zip", hidden="error"))
    assert error is None
    assert any("same scores as in the rehearsal, to the last digit" in step for step in done)
    right = server.score
    server.score = lambda parts, file: {**right(parts, file), "accuracy": 0.5}
    _, error = steps(connection, live_bundle(tmp_path / "two.zip", hidden="error"))
    assert "accuracy: 0.75 here, 0.5 on the server" in error


def test_runs_that_wait_are_started(connection, server, tmp_path):
    bundle = live_bundle(tmp_path / "held.zip", auto_run=False)
    _, error = steps(connection, bundle)
    assert error is None
    assert len(server.called("API POST /api/submissions/1/run_submission/")) == 1


def test_a_phase_with_several_tasks_is_refused_before_anything_is_done(connection, server, tmp_path):
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"].append(phases[1]["tasks"][0])
    done, error = steps(connection, live_bundle(tmp_path / "several.zip", phases=phases))
    assert (done, server.requests) == ([], [])
    assert "phases with several tasks: Development; only phases with one task" in error


PHASE, BOARD = ("phases", 1), ("leaderboards", 0)
TASKS = [{"name": "Practice (development)"}]
# A place in the server's copy, its new value (`...`: removed), and the reported values of bundle and server.
CHANGES = (
    (("phases", 0, "start"), "2027-01-11T01:00:00Z", "phases[0].start: 2027-01-11 00:00:00", "2027-01-11 01:00:00"),
    ((*PHASE, "end"), None, "phases[1].end: 2027-03-14 23:59:59", "None"),
    ((*PHASE, "max_submissions_per_day"), 5, "phases[1].max_submissions_per_day: 3", "5"),
    ((*PHASE, "max_submissions_per_person"), None, "phases[1].max_submissions: 3", "0"),
    ((*PHASE, "has_max_submissions"), False, "phases[1].has_max_submissions: the server does not apply", ""),
    (("phases", 0, "execution_time_limit"), 600, "phases[0].execution_time_limit: 300", "600"),
    ((*PHASE, "tasks"), TASKS, "phases[1].tasks: Test", "Practice (development)"),
    (("phases", 1), ..., "number of phases: 2", "1"),
    ((*BOARD, "submission_rule"), "Add", "leaderboards[0].submission_rule: 'Force_Best'", "'Add'"),
    ((*BOARD, "primary_index"), 1, "leaderboards[0].primary_index: 0", "1"),
    ((*BOARD, "columns", 0, "precision"), 2, "column accuracy.precision: 4", "2"),
    ((*BOARD, "columns", 1, "sorting"), "desc", "column error.sorting: 'asc'", "'desc'"),
    ((*BOARD, "columns", 1), ..., "columns: accuracy, error", "accuracy"),
    (("docker_image",), "a/b:py37", "docker_image: 'codalab/codalab-legacy:py312'", "'a/b:py37'"),
    (("auto_run_submissions",), False, "auto_run_submissions: True", "False"),
    (("queue",), {"vhost": "7d9f"}, "queue: None", "'7d9f'"),
    (("pages", 0, "content"), "# Overview", "page 'Overview'", ""),
    (("terms",), "None.", "terms: ", ""),
    (("fact_sheet",), None, "fact_sheet: ", ""),
)  # fmt: skip


@pytest.mark.parametrize(("path", "value", "bundles", "servers"), CHANGES)
def test_differences_after_the_import_are_reported(imported, path, value, bundles, servers):
    draft, served = copy.deepcopy(imported)
    assert differences(draft.spec, draft.files, served) == []
    holder = functools.reduce(lambda place, part: place[part], path[:-1], served)
    holder.__delitem__(path[-1]) if value is ... else holder.__setitem__(path[-1], value)
    (found,) = differences(draft.spec, draft.files, served)
    assert found.startswith(f"{bundles} in the bundle, {servers} on the server" if servers else bundles)


@pytest.fixture(scope="module")
def imported():
    """A bundle, and the competition that a server imports from it."""
    draft, server = codabench(), CodabenchServer(score)
    server.storage = ""
    key = server._dataset("competition_bundle", "b.zip", 0)
    server.files[server.datasets[key]["path"]] = draft.build()
    return draft, server.competitions[server._import(key)]


def test_no_limit_is_0_or_null(imported):
    """The server treats both as no limit (`Phase.can_user_make_submissions`)."""
    draft, served = copy.deepcopy(imported)
    draft.spec["phases"][0]["max_submissions"] = 0
    served["phases"][0]["max_submissions_per_person"] = None
    assert differences(draft.spec, draft.files, served) == []


def test_a_competition_that_differs_is_reported_and_gets_no_submission(connection, server, bundle):
    server.change = lambda served: (
        served["phases"][0].update(end=None),
        served["leaderboards"][0].update(submission_rule="Add"),
    )
    done, error = steps(connection, bundle)
    assert error.splitlines() == [
        "competition 7 differs from the bundle:",
        "",
        "  phases[0].end: 2027-02-28 23:59:59 in the bundle, None on the server",
        "  leaderboards[0].submission_rule: 'Force_Best' in the bundle, 'Add' on the server",
    ]
    assert done[-1].startswith("imported")
    assert server.called("API POST /api/submissions/") == []
    del server.competitions[7]["pages"]
    _, error = steps(connection, bundle, competition=7)
    assert error == "competition 7 cannot be compared with the bundle: KeyError('pages')"


def test_a_file_that_differs_on_the_server_is_reported(connection, server, bundle):
    steps(connection, bundle)
    task = server.competitions[7]["phases"][1]["tasks"][0]["id"]
    key = server.tasks[task]["parts"]["reference_data"]
    server.files[server.datasets[key]["path"]] += b"more"
    _, error = steps(connection, bundle, competition=7)
    assert error == "Evaluation: these files on the server differ from the bundle: reference_data"


def test_a_server_that_does_not_return_files(connection, server, bundle):
    server.gives_datasets = False
    done, error = steps(connection, bundle)
    assert error is None
    assert done[3].startswith(f"{NOT_COMPARED}programs and data: ")


def test_a_score_that_differs_from_the_rehearsal_is_reported(connection, server, bundle):
    server.score = lambda parts, upload: {"accuracy": 0.75 + 1e-10, "error": 0.25}
    _, error = steps(connection, bundle, opening=True)
    assert error.splitlines() == [
        "Evaluation: the scores of run 1 differ from the rehearsal:",
        "",
        "accuracy: 0.75 here, 0.7500000001 on the server",
    ]
    assert not server.competitions[7]["published"]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (None, "is Failed on the server, but Finished in the rehearsal"),
        ({"accuracy": 0.75}, "error: 0.25 here, - on the"),
    ],
)
def test_a_run_that_fails_or_loses_a_score_on_the_server(connection, server, bundle, scores, expected):
    server.score = lambda parts, upload: scores
    _, error = steps(connection, bundle)
    assert expected in error


def test_a_run_that_does_not_end(connection, server, bundle, monkeypatch):
    monkeypatch.setattr("speechbundles.server.wait.PATIENCE", 12)
    server.stuck = True
    _, error = steps(connection, bundle)
    assert "nothing has changed for 2 minutes" in error
    assert "1 (Submitting)" in error


# Bad days


def test_a_full_quota_is_reported_in_the_servers_words(connection, server, bundle):
    server.quota = 100
    done, error = steps(connection, bundle)
    assert done == []
    assert "synthetic.zip was rejected" in error
    assert "Insufficient space" in error


def test_an_import_that_fails(connection, server, bundle, tmp_path):
    server.change = lambda served: served["none"]
    _, error = steps(connection, bundle)
    assert error == "the import failed: 'none'"


@pytest.mark.parametrize(
    "begins", ["API POST /api/datasets/", "STORE PUT", "API GET /api/competitions/3/", "API GET /api/tasks/"]
)
def test_requests_that_can_be_repeated_are_retried(connection, server, bundle, begins):
    server.mishaps = [Mishap(begins, kind) for kind in ("drop", 502, 429, "act-and-drop")]
    _, error = steps(connection, bundle)
    assert error is None
    assert not any(mishap.times for mishap in server.mishaps)
    assert list(server.competitions) == [7]


@pytest.mark.parametrize(
    "begins",
    ["API PUT /api/datasets/completed/", "API POST /api/submissions/", "API POST /api/competitions/"],
)
@pytest.mark.parametrize("kind", ["act-and-drop", 500, 502])
def test_requests_that_must_not_be_repeated_are_not_retried(connection, server, tmp_path, begins, kind):
    phases = copy.deepcopy(codabench().spec["phases"])
    bundle = live_bundle(tmp_path / "one.zip", phases=[{**phases[1], "index": 0}])
    server.mishaps = [Mishap(begins, kind)]
    with pytest.raises(Unreachable, match="The server may have carried out the request"):
        list(publish(connection, bundle, opening=True, again=AGAIN))
    assert len(server.called(begins)) == 1
    server.mishaps = [Mishap(begins, 429)]  # the server has not started
    assert list(publish(connection, bundle, opening=True, again=AGAIN))[-1] == "published"


# The command


def test_the_command(server, login, bundle, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    arguments = ["publish", str(bundle), "--server", server.address]
    assert build_bundle.main([*arguments, *login]) == 0
    out, err = capsys.readouterr()
    assert f"imported as competition 7: {server.address}/competitions/7/" in out
    assert not [secret for secret in (TOKEN, PASSWORD, CSRF, SESSION) if secret in out + err]
    assert build_bundle.main([*arguments, "--competition", "7"]) == (4 if server.today else 0)
    assert ("not compared: programs and data" in capsys.readouterr().out) == server.today
    assert build_bundle.main(["fetch", "7", str(tmp_path), "--server", server.address]) == 0
    assert "1 run, 1 fetched now" in capsys.readouterr().err
    monkeypatch.setenv(TOKEN_VARIABLE, "f" * 40)
    assert build_bundle.main(["publish", str(bundle), "--server", server.address]) == 1
    assert "does not accept this token" in capsys.readouterr().err
    assert build_bundle.main(["publish", str(bundle), "--server", "http://codabench.example"]) == 1
    assert "only https is allowed" in capsys.readouterr().err


@pytest.mark.parametrize("with_file", [True, False])
def test_the_printed_command_opens_the_competition(with_file, server, login, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    phases = copy.deepcopy(codabench().spec["phases"])
    (tmp_path / "my bundles").mkdir()
    bundle = live_bundle(tmp_path / "my bundles/one.zip", phases=[{**phases[1], "index": 0}])
    options = ["--server", server.address, *login]
    if with_file:
        token = tmp_path / "my token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        options += ["--token-file", str(token)]
    else:
        monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert build_bundle.main(["publish", str(bundle), *options]) == 0
    printed = capsys.readouterr().out.splitlines()[-1].partition("to open it: ")[2]
    program, words = shlex.split(PROGRAM), shlex.split(printed)
    assert words[: len(program)] == program
    assert not server.competitions[7]["published"]
    assert build_bundle.main(words[len(program) :]) == 0
    assert server.competitions[7]["published"]
