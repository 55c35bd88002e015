"""Progress where standard error is no terminal, as of `cron` or in a pipe."""

import pytest

from speechbundles.cli import progress


@pytest.fixture
def clock(monkeypatch):
    times = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: times[0])
    return times


def test_a_line_a_minute_says_how_much_is_done_and_how_long_the_rest_takes(clock, capsys):
    with progress.counting("scoring") as report:
        for seconds, done in ((0, 100), (30, 130), (61, 161), (90, 190), (122, 222)):
            clock[0] = seconds
            report(done, 1000)
    assert capsys.readouterr() == (
        "",
        "scoring: 161 of 1,000, about 14 min left\n"  # 61 in 61 s, 839 left
        "scoring: 222 of 1,000, about 13 min left\n",  # 122 in 122 s, 778 left
    )


def test_the_present_step_is_printed_once_a_minute(clock, capsys):
    with progress.steps() as report:
        for seconds, step in ((1, "first"), (61, "second"), (62, "third")):
            clock[0] = seconds
            report(step)
    assert capsys.readouterr().err == "second\n"
