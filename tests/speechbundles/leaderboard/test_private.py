"""What a private folder keeps: anonymous names, and corrections of labels."""

import csv

import pytest

from speechbundles.leaderboard.home_page import write_home_board
from speechbundles.leaderboard.private import PRIVATE, anonymous_names
from speechbundles.model.errors import OrganiserError
from tests.samples.home_boards import LABELS, OTHER, ROWS, begin, board, bundle_of, f1, fetched, placed


@pytest.mark.thorough
def test_anonymous_names_stay_the_same_and_nothing_published_names_an_owner(exact, tmp_path):
    runs = [("anna-w", "2027-03-01T09:00", 20), ("bob-k", "2027-03-02T09:00", 9)]
    folder = fetched(tmp_path / "fetched", *runs)
    first = board(exact, folder, anonymous=True)
    fetched(folder, *runs, ("eva", "2027-03-02T09:00", 1))
    second = board(exact, folder, anonymous=True)
    assert [name for _, name in placed(second)][1:] == [name for _, name in placed(first)]
    site = tmp_path / "site"
    published = b"".join(path.read_bytes() for path in write_home_board(second, site))
    for secret in (b"anna-w", b"bob-k", b"2027-03-01", b"2027-03-02 09"):
        assert secret not in published
    names = (folder / PRIVATE / "names.csv").read_text("utf-8")
    assert "anna-w" in names
    assert placed(first)[0][1] in names
    assert (folder / PRIVATE / "key").stat().st_mode & 0o077 == 0
    other = fetched(tmp_path / "other", *runs)
    assert placed(board(exact, other, anonymous=True)) != placed(first)


def test_names_that_were_published_stay_in_the_list(tmp_path):
    first, second = (anonymous_names(tmp_path, owners) for owners in ({"Team, A", "=b"}, {"=b", "anna"}))
    owners = {**first, **second}
    rows = sorted([name, "'=b" if owner == "=b" else owner] for owner, name in owners.items())
    for _ in range(2):
        with open(tmp_path / "names.csv", encoding="utf-8", newline="") as file:
            assert [*csv.reader(file)] == [["name", "owner"], *rows]
        anonymous_names(tmp_path, {"anna"})
    (tmp_path / "names.csv").write_bytes(b"name,owner\n1,\xe9\n")
    with pytest.raises(OrganiserError, match=r"names\.csv: not UTF-8; save it as UTF-8; it has the owners"):
        anonymous_names(tmp_path, {"anna"})


@pytest.mark.thorough
def test_a_corrected_label_gives_the_right_board_and_is_reported(exact, tmp_path):
    folder = fetched(tmp_path / "fetched", ("anna", "2027-03-01T09:00", 20))
    assert board(exact, folder).changes == ()
    assert board(exact, folder).changes == ()
    rows = [[*row] for row in ROWS]
    rows[50][1] = OTHER[rows[50][1]]
    corrected = "\n".join(["id,label,speaker", *map(",".join, rows), ""])
    mine = begin(tmp_path / "mine", "  feedback: exact\n", **{LABELS: corrected})
    made = board(bundle_of(mine, tmp_path), folder)
    assert float(made.phases[0].rows[0].scores["f1"]) == pytest.approx(f1(20, rows), abs=1e-10)
    assert f1(20, rows) != f1(20)
    assert made.changes == (
        ("2027-03-10", "Evaluation: labels were corrected; all scores are computed again."),
    )
    again = board(bundle_of(mine, tmp_path), folder)
    assert again == made
    page, *_ = (path.read_text("utf-8") for path in write_home_board(again, tmp_path / "site"))
    assert "2027-03-10: Evaluation: labels were corrected" in page
