"""The texts that teams of a season get by mail."""

from speechbundles.leaderboard.mail import mail_texts
from tests.samples.seasons import codabench, season_at


def test_each_team_gets_the_state_of_its_submissions_and_what_it_has_left(tmp_path):
    season = season_at(
        codabench(tmp_path, per_day=1, total=3),
        *[("Équipe \x1b[2J", f"2027-01-0{day} 10:00:00", score) for day, score in ((1, 0.7), (2, None))],
        *[("Équipe \x1b[2J", f"2027-01-0{day} 11:00:00", 0.8) for day in (1, 3)],
        ("late", "2027-09-01 09:00:00", 0.9),
    )
    texts = mail_texts("Défi", [season], {"late": "a1b2"})
    assert texts["late.txt"].splitlines()[-5:] == [
        "2027-09-01 09:00  4.zip",
        "  not scored",
        "    no phase is open: Evaluation closed at 2027-02-20 12:00",
        "",
        "On the leaderboard, your name is a1b2.",
    ]
    (first,) = (text for name, text in texts.items() if name != "late.txt")
    assert (
        first
        == """\
Subject: Défi: your submissions

Dear Équipe \\x1b[2J,

this is the state of your submissions. Times are in UTC; scores are as on the leaderboard.

2027-01-01 10:00  0.zip
  Development: accepted, Accuracy 0.7
2027-01-01 11:00  1.zip
  Development: not scored
    already 1 submission on 2027-01-01 (UTC); Development allows 1 a day
2027-01-02 10:00  2.zip
  Development: refused; it does not count as a submission
    results.csv: 1 problem
2027-01-03 11:00  3.zip
  Development: accepted, Accuracy 0.8

Development: 2 of 3 submissions used, at most 1 a day; open until 2027-02-01 00:00.
"""
    )
    assert "accuracy" not in "".join(mail_texts("Défi", [season], {}, scored=False).values()).lower()
