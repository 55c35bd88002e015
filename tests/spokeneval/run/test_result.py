"""A result in other forms, and where it has no intervals."""

from __future__ import annotations

import sys

import pytest

import spokeneval
from spokeneval.kinds.declared import declared_task

WER = {"kind": "transcripts"}
SAID, HEARD = ["good morning", "yes", "no"], ["good evening", "yes", ""]


def test_a_result_in_other_forms():
    result = spokeneval.score(WER, 2 * SAID, 2 * HEARD)
    frame = result.to_frame()
    assert list(frame.index) == list(result.scores)
    assert frame.loc["wer"].tolist() == ["WER (%)", 50.0, *result.intervals["wer"]]
    assert result.to_dict()["scores"] == result.scores
    assert result.to_dict()["intervals"]["wer"] == list(result.intervals["wer"])
    figure = result.plot()
    assert [axes.get_yticklabels()[0].get_text() for axes in figure.axes] == [
        score.heading for score in declared_task("transcripts", WER).scores
    ]


@pytest.mark.parametrize(("method", "package"), [("to_frame", "pandas"), ("plot", "matplotlib.pyplot")])
def test_a_missing_package_is_named(method, package, monkeypatch):
    result = spokeneval.score(WER, SAID, HEARD)
    monkeypatch.setitem(sys.modules, package, None)
    name = package.partition(".")[0]
    with pytest.raises(ImportError, match=rf"{method}\(\) needs {name}; install it with pip install {name}"):
        getattr(result, method)()


def test_three_units_are_too_few_for_intervals():
    said = ["good morning", "how are you", "see you soon", "bye"]
    three, four = (
        spokeneval.score(
            {"kind": "transcripts"}, said[:number], ["good morning", "how you", "see you", "bye"][:number]
        )
        for number in (3, 4)
    )
    assert (three.intervals, set(three.to_dict()["intervals"].values())) == ({}, {None})
    assert "no intervals over 3 items (4 needed)" in str(three)
    low, high = four.intervals["wer"]
    assert low < four.scores["wer"] < high < 20 * four.scores["wer"]
    board = spokeneval.compare(
        {"kind": "transcripts"}, said[:3], {"a": said[:3], "b": ["hello", "how are", "bye"]}
    )
    assert all(row.interval is None for row in board.rows)
