"""The leaderboard of a competition whose labels stay at home: order, ranges, and what is left out."""

import csv
from datetime import datetime

import pytest

from speechbundles.bundle.rehearse import rehearse_phase
from speechbundles.leaderboard.home import compare_steps
from speechbundles.leaderboard.home_page import to_html, write_home_board
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.leaderboard.score import score_all
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.server.fetch import DELETED, REPLACED, VANISHED
from spokeneval.ranking.leaderboard import Entry, Leaderboard
from spokeneval.scoring.options import RELATIVE
from spokeneval.task import Column
from tests.samples.home_boards import (
    answers,
    begin,
    board,
    f1,
    fetched,
    placed,
)
from tests.samples.programs import ROOT, write_files


@pytest.mark.thorough
def test_the_best_run_of_each_owner_is_ranked_by_exact_scores(exact, tmp_path):
    folder = fetched(
        tmp_path,
        *[("anna", "2027-03-01T09:00", 20), ("anna", "2027-03-02T09:00", 30)],
        *[("bob", "2027-03-02T09:00", 9), ("eva", "2027-03-03T09:00", 20)],
    )
    made = board(exact, folder)
    assert placed(made) == [(1, "bob"), (2, "anna"), (2, "eva")]
    assert [entry.tied for entry in made.phases[0].rows] == [False, True, True]
    for entry, wrong in zip(made.phases[0].rows, (9, 20, 20), strict=True):
        assert float(entry.scores["f1"]) == pytest.approx(f1(wrong), abs=1e-10)
    assert [phase.phase for phase in made.phases] == ["Evaluation"]
    assert not made.left_out


@pytest.mark.thorough
def test_a_coarse_board_shows_what_a_platform_with_the_labels_would_show(coarse, tmp_path):
    made = board(coarse, fetched(tmp_path, ("anna", "2027-03-01T09:00", 20), ("bob", "2027-03-02T09:00", 70)))
    bundle = read_built_bundle(coarse.path)
    assert [column.key for column in made.columns] == ["f1"]
    assert "(≤ baseline)" in to_html(made)
    for entry, wrong in zip(made.phases[0].rows, (20, 70), strict=True):
        upload = write_files(tmp_path, {"one.zip": answers(wrong)}) / "one.zip"
        done = rehearse_phase(bundle, bundle.phase("Evaluation"), upload)
        assert entry.scores == {cell.key: cell.stored for cell in done.row}
        assert entry.shown["f1"] == done.row[0].fixed()
        assert entry.shown["f1"].endswith(" (≤ baseline)") == (wrong == 70)
        assert float(entry.scores["f1"]) != f1(wrong)


@pytest.mark.thorough
def test_exact_ranks_have_the_ranges_of_rank(exact, tmp_path):
    folder = fetched(
        tmp_path / "fetched",
        *[(name, "2027-03-01T09:00", wrong) for name, wrong in (("anna", 10), ("bob", 14), ("eva", 60))],
    )
    made = board(exact, folder)
    scores = score_all(exact.path, folder / "submissions", tmp_path / "scored", jobs=2)
    outputs = read_outputs([tmp_path / "scored" / name for name in scores.results])
    ranking = make_board(Sources(ROOT, begin(tmp_path / "mine")), outputs)
    ranges = [entry.ranks for entry in made.phases[0].rows]
    assert ranges == [row.ranks for row in ranking.rows]
    assert [entry.cluster for entry in made.phases[0].rows] == [row.cluster for row in ranking.rows]
    assert ranges[0][1] > 1  # two systems that cannot be separated
    assert ranges[2] == (3, 3)
    page, table, _ = (path.read_text("utf-8") for path in write_home_board(made, tmp_path / "site"))
    assert "1–2</td>" in page
    assert "Statistical power by test-set size" in page
    assert "with 95 % confidence" in page
    shown = [(int(row["best_rank"]), int(row["worst_rank"])) for row in csv.DictReader(table.splitlines())]
    assert shown == ranges
    alone = board(exact, fetched(tmp_path / "one", ("anna", "2027-03-01T09:00", 9)))
    assert [entry.ranks for entry in alone.phases[0].rows] == [None]


@pytest.mark.thorough
def test_coarse_ranks_have_ranges_from_the_scores_that_are_shown(coarse, tmp_path):
    (step,) = coarse.rules.sets.values()
    wrong = [10, 12, 20, 26, 70]
    made = board(coarse, fetched(tmp_path, *[(f"t{n:02d}", "2027-03-01T09:00", n) for n in wrong]))
    entries = made.phases[0].rows
    shown = [entry.scores["f1"] for entry in entries]
    for entry, score in zip(entries, shown, strict=True):
        better = sum(round(float(other - score) / step) >= 2 for other in shown)
        worse = sum(round(float(score - other) / step) >= 2 for other in shown)
        assert entry.ranks == (1 + better, len(shown) - worse)
        assert entry.ranks[0] <= entry.rank <= entry.ranks[1]
    assert len({entry.ranks for entry in entries}) > 2
    assert made.phases[0].tables == ()


def test_ranges_of_scores_in_steps_of_25_per_cent():
    """12.5 is three steps above 6.3, which is one above 5 and two above 4."""
    column = Column("d_full", "Dfull", "higher", 4)
    scores = [12.5, 6.3, 5.0, 4.0]
    rows = [Entry(1, False, f"{score}", score, scores={"d_full": score}) for score in scores]
    board = compare_steps(Leaderboard(column, rows), RELATIVE)
    assert [entry.ranks for entry in board.rows] == [(1, 1), (2, 3), (2, 4), (3, 4)]


@pytest.mark.thorough
def test_what_is_late_early_withdrawn_cancelled_or_over_the_limit_is_left_out(exact, tmp_path):
    folder = fetched(
        tmp_path,
        ("late", "2027-03-15T00:00:01.234567", 0),
        ("early", "2027-02-01T09:00", 0),
        ("gone", "2027-03-01T09:00", 0, {"note": DELETED}),
        ("vanished", "2027-03-01T09:00", 0, {"note": VANISHED}),
        ("cancelled", "2027-03-01T09:00", 0, {"status": "Cancelled"}),
        ("lost", "2027-03-01T09:00", 0, {"submission": "", "note": DELETED}),
        *[("many", f"2027-03-0{day}T09:00", 50 - day, {"note": DELETED}) for day in (1, 2)],
        *[("many", f"2027-03-0{day}T09:00", 50 - day) for day in (3, 4)],
    )
    made = board(exact, folder, now=datetime(2027, 4, 1))
    assert placed(made) == [(1, "many")]
    # the fourth is one too many
    assert float(made.phases[0].rows[0].scores["f1"]) == pytest.approx(f1(47))
    reasons = {line.split()[1]: line for line in made.left_out}
    withdrawn, closed = dict.fromkeys(["gone", "vanished"], "withdrawn"), "was not open at 20"
    expected = {"late": closed, "early": closed, "lost": "", "many": "allows 3 in total", **withdrawn}
    assert reasons.keys() == expected.keys()
    assert [team for team, words in expected.items() if words not in reasons[team]] == []


@pytest.mark.default_cases("notes3")
@pytest.mark.parametrize("notes", [(REPLACED, ""), (DELETED, ""), ("", DELETED), ("", VANISHED)])
def test_a_run_made_again_has_the_time_of_the_first_and_counts_once(exact, tmp_path, notes):
    """An upload is withdrawn only if all of its runs are."""
    runs = zip(("2027-03-14T23:00", "2027-03-20T09:00"), notes, strict=True)
    folder = fetched(tmp_path, *[("anna", time, 20, {"upload": "same", "note": note}) for time, note in runs])
    made = board(exact, folder, now=datetime(2027, 4, 1))
    assert [entry.time for entry in made.phases[0].rows] == [datetime(2027, 3, 14, 23)]
    assert made.following is None


@pytest.mark.thorough
def test_runs_that_await_validation_are_left_out_and_count_as_attempts(exact, tmp_path):
    """The phase allows three submissions in total."""
    awaiting, cancelled = {"status": "Awaiting validation"}, {"status": "Cancelled"}
    folder = fetched(
        tmp_path,
        ("anna", "2027-03-01T09:00", 0, awaiting),
        *[("anna", f"2027-03-0{day}T09:00", 20 + day) for day in (2, 3, 4)],
        ("bob", "2027-03-02T09:00", 40, {"upload": "bobs"}),
        ("carol", "2027-03-02T09:00", 50, {"upload": "carols"}),
        ("bob", "2027-03-03T09:00", 40, {"upload": "bobs", **awaiting}),  # run again
        ("carol", "2027-03-03T09:00", 50, {"upload": "carols", **cancelled}),
    )
    made = board(exact, folder)
    assert placed(made) == [(1, "anna"), (2, "bob"), (3, "carol")]
    assert float(made.phases[0].rows[0].scores["f1"]) == pytest.approx(f1(22))
    assert made.left_out[0] == "Evaluation  anna  1  awaits validation"
    assert [line.split()[1:3] for line in made.left_out[1:]] == [["anna", "4"]]  # one too many


@pytest.mark.thorough
def test_runs_to_a_phase_that_has_ended_use_up_no_attempts_of_the_next_one(exact, tmp_path):
    late = [("anna", f"2027-03-01T0{hour}:00", 50, {"phase": "Development"}) for hour in range(3)]
    made = board(exact, fetched(tmp_path, *late, ("anna", "2027-03-02T09:00", 20)))
    assert placed(made) == [(1, "anna")]
    assert [line.split()[0] for line in made.left_out] == ["Development"] * 3


def test_a_refused_run_is_left_out_with_its_problems_in_a_line(exact, tmp_path):
    folder = fetched(tmp_path, ("anna", "2027-03-02T09:00", 20))
    write_files(folder, {"submissions/anna/1.zip": make_zip({"decisions.csv": b"id,label\n"})})
    (line,) = board(exact, folder).left_out
    assert line == (
        "Evaluation  anna  1  Failed: decisions.csv: 1 problem; missing id e000, e001, e002 (and 117 more): "
        "120 recordings expected, 0 found"
    )


@pytest.mark.thorough
def test_an_upload_that_migrated_to_the_next_phase_counts_there(exact, tmp_path):
    """The platform's copy is a run of the same upload, made when the next phase opens."""
    folder = fetched(
        tmp_path,
        ("anna", "2027-02-20T09:00", 20, {"upload": "same", "phase": "Development"}),
        ("anna", "2027-03-01T00:00:05", 20, {"upload": "same"}),
    )
    made = board(exact, folder)
    assert placed(made) == [(1, "anna")]
    assert made.phases[0].rows[0].time == datetime(2027, 3, 1, 0, 0, 5)


@pytest.mark.thorough
def test_a_daily_board_ends_with_the_last_day_and_is_the_same_at_any_hour(exact, tmp_path):
    folder = fetched(tmp_path, ("anna", "2027-03-09T23:59:59", 20), ("bob", "2027-03-10T00:00:00", 9))
    made = board(exact, folder)
    assert placed(made) == [(1, "anna")]
    assert (made.until, made.following) == (datetime(2027, 3, 10), datetime(2027, 3, 11))
    assert (made.waiting, made.left_out) == (1, ())
    sites = [tmp_path / "site", tmp_path / "again"]
    for site, hour in zip(sites, (1, 23), strict=True):
        write_home_board(board(exact, folder, now=datetime(2027, 3, 10, hour)), site)
    for file in sites[0].iterdir():
        assert file.read_bytes() == (sites[1] / file.name).read_bytes()
    assert placed(board(exact, folder, daily=False)) == [(1, "bob"), (2, "anna")]
