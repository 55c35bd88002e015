"""The final ranking of a fetched competition: `score --fetched`, and `rank` after it."""

from datetime import datetime
from pathlib import Path

import pytest

from speechbundles.bundle.rehearse import many
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.score import score_all, scores_to_text
from speechbundles.model.bundle import read_built_bundle
from speechbundles.server.fetch import fetch_competition
from tests.samples.live_bundle import COMPETITION, EVALUATION, live_bundle, upload
from tests.samples.programs import write_files
from tests.samples.seasons import played
from tests.samples.tables import table


@pytest.fixture
def live(connection, server, tmp_path):
    """Return a function that fetches into a folder, and the bundle of the competition."""

    def start(*uploads, rule="Force_Best"):
        bundle = live_bundle(tmp_path / "bundle.zip", rule=rule)
        server.offer(bundle.read_bytes())
        server.now = read_built_bundle(bundle).phases[1].opens
        for team, *mistakes in uploads:
            server.enter(EVALUATION, team, upload(*mistakes))
        return bundle

    return start


def ranked(bundle, connection, tmp_path):
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    scores = score_all(bundle, tmp_path / "live", tmp_path / "out", phase="Evaluation", fetched=True, jobs=2)
    return scores, [line.split() for line in scores_to_text(scores, Path()).split("\n\n")[0].splitlines()[1:]]


def test_the_leaderboards_entries_are_ranked_exactly(connection, server, live, tmp_path, monkeypatch):
    bundle = live(("anna", 0), ("anna", 0, 1), ("bob", 5), ("carol", 1, 2, 3), ("Bob",))
    server.enter(EVALUATION, "dora", b"no zip")
    server.enter(700, "erik", upload())
    same = server.enter(EVALUATION, "frida", upload(0))  # anna's bytes
    started = []
    warm = many.rehearse_phase
    monkeypatch.setattr(many, "rehearse_phase", lambda *a, **k: started.append(a[2]) or warm(*a, **k))
    scores, rows = ranked(bundle, connection, tmp_path)
    tied = [["2=", team, "0.975"] for team in ("anna", "bob", "frida")]
    assert rows == [["1", "Bob-cd9fb1", "1"], *tied, ["5", "carol", "0.925"], ["6", "dora", "-"]]
    assert len(started) == 5
    assert (scores.new, scores.refused, scores.notes) == (6, 1, ())
    outputs = read_outputs(sorted(path for path in (tmp_path / "out").glob("*") if path.name[0] != "."))
    found = {output.name: output.scores.get("accuracy") for output in outputs}
    assert found == {row[1]: None if row[2] == "-" else float(row[2]) for row in rows}
    scores, again = ranked(bundle, connection, tmp_path)
    assert (again, scores.new, len(started)) == (rows, 0, 5)
    server.delete_upload(same)
    scores, again = ranked(bundle, connection, tmp_path)
    assert [row[1] for row in again] == ["Bob-cd9fb1", "anna", "bob", "carol", "dora"]
    assert not (tmp_path / "out/frida").exists()  # `rank` would rank it


def test_runs_outside_the_phases_dates_do_not_count(connection, server, live, tmp_path):
    bundle = live(("anna", 0, 1), ("anna", 0, 1, 2), ("bob", 0, 1, 2))
    phase = read_built_bundle(bundle).phases[1]
    server.now = datetime(2020, 1, 1)
    early = server.enter(EVALUATION, "early", upload())
    server.now = phase.closes
    late = server.enter(EVALUATION, "anna", upload())
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    data = server.submissions.pop(3)["data"]
    again = server._submit(EVALUATION, "bob", data)  # as `amend` runs an upload again
    for _ in range(8):
        server._go_on()
    assert [run["id"] for run in server.submissions.values() if run["leaderboard"]] == [early, late, again]
    scores, rows = ranked(bundle, connection, tmp_path)
    assert rows == [["1", "anna", "0.95"], ["2", "bob", "0.925"]]
    assert scores.notes == (
        f"early: run {early} does not count: uploaded at 2020-01-01 00:00:01, but the phase opened at {phase.opens}",
        f"anna: run {late} does not count: uploaded at {phase.closes.replace(second=1)}, after {phase.closes}",
        "anna: not on the server's leaderboard; ranked by its runs that count",
        "early: not ranked, without a run that counts on the leaderboard",
    )


def test_runs_that_await_validation_do_not_count(connection, server, live, tmp_path):
    bundle = live(("anna", 0, 1), ("bob", 0, 1, 2))
    server.validates, server.approves = True, lambda run: False
    runs = [server.enter(EVALUATION, owner, upload()) for owner in ("anna", "dora")]
    scores, rows = ranked(bundle, connection, tmp_path)
    assert rows == [["1", "anna", "0.95"], ["2", "bob", "0.925"]]
    why = "does not count: it awaits validation"
    assert scores.notes == tuple(
        f"{owner}: run {run} {why}" for owner, run in zip(("anna", "dora"), runs, strict=True)
    )


@pytest.mark.parametrize(("rule", "expected"), table("leaderboard_cases")["entries"])
def test_the_entries_are_those_of_the_rule(connection, server, live, tmp_path, rule, expected):
    bundle = live(("anna", 0), ("anna", 0, 1), ("bob", 0, 1, 2), rule=rule)
    if rule == "Add":
        server.submissions[2]["leaderboard"] = True
    assert ranked(bundle, connection, tmp_path)[1] == expected


def test_a_score_that_differs_in_kind_and_a_lost_upload_are_noted(connection, server, live, tmp_path):
    bundle = live(("anna", 0), ("bob", 1))
    server.submissions[1].update(status="Failed", leaderboard=False)
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    next((tmp_path / "live/submissions/bob").iterdir()).unlink()
    scores = score_all(bundle, tmp_path / "live", tmp_path / "out", phase="Evaluation", fetched=True)
    assert [*scores.results, *scores.failed] == ["anna", "bob", "bob"]
    assert scores.notes == (
        "anna: run 1 is Failed on the server, but Finished here",
        "bob: run 2 is Finished on the server, but Failed here",
    )


def test_a_season_has_each_submission_in_the_phase_that_it_was_made_to(connection, server, live, tmp_path):
    """By its time alone, the early submission would be in the development phase."""
    bundle = live()
    server.now = datetime(2027, 2, 1)
    server.enter(EVALUATION, "early", upload())
    server.now = datetime(2027, 3, 2)
    server.enter(EVALUATION, "anna", upload(0))
    server.enter(700, "late", upload())
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    write_files(tmp_path / "live/submissions/by hand", {"2027-03-02T0915.zip": upload()})
    for folder in (tmp_path / "live", tmp_path / "live/submissions"):
        season = played(bundle, folder, work=tmp_path / "work")
        found = {
            one.submission.team: (one.phase and one.phase.name, *one.result.reasons)
            for one in season.attempts
        }
        assert found == {
            **dict.fromkeys(["anna", "by hand"], ("Evaluation",)),
            "early": (None, "submitted to Evaluation: Evaluation opens at 2027-03-01 00:00"),
            "late": (None, "submitted to Development: Development closed at 2027-03-01 00:00"),
        }
