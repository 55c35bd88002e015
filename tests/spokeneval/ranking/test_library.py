"""Tests that `spokeneval.compare` gives what `rank` gives, byte for byte, and what it refuses."""

from __future__ import annotations

import json
import shutil

import pytest

import spokeneval
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.leaderboard.write import write_board
from speechbundles.model.sources import Sources
from spokeneval.ranking.library import FILES
from spokeneval.scoring.reference import fingerprint
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_score, write_files

TASK = "psst_correctness"
LABELS = ROOT / "reference_data" / TASK / "development"


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """Three systems, each worse than the one before, as files, and as outputs of the scoring program."""
    folder = tmp_path_factory.mktemp("systems")
    reference = {"utterances.tsv": (LABELS / "utterances.tsv").read_bytes()}
    header, *rows = near_misses(TASK, LABELS)["correctness.tsv"].splitlines(keepends=True)
    for place, name in enumerate(("good", "fair", "=poor")):
        wrong = len(rows) * place // 10
        swapped = [
            row.replace("true", "X").replace("false", "true").replace("X", "false") for row in rows[:wrong]
        ]
        files = {"correctness.tsv": "".join([header, *swapped, *rows[wrong:]])}
        write_files(folder / "files" / name, files)
        done = run_score(
            TASK, folder / "runs" / name, reference, files, {"public_references": [fingerprint(reference)]}
        )
        assert done.status == 0
        shutil.copytree(folder / "runs" / name / "output", folder / "outputs" / name)
    return folder


def _outputs(systems):
    return [systems / "outputs" / name for name in ("fair", "good", "=poor")]


@pytest.mark.thorough
def test_the_tables_are_those_of_rank_byte_for_byte(systems, tmp_path):
    files = {path.name: path for path in (systems / "files").iterdir()}
    found = spokeneval.compare(TASK, LABELS, files)
    found.write(tmp_path / "compared")
    board = make_board(Sources(ROOT), read_outputs(_outputs(systems)))
    write_board(board, tmp_path / "board")
    for file in FILES:
        assert (tmp_path / "compared" / file).read_bytes() == (tmp_path / "board" / file).read_bytes()
    assert found.names == ["good", "fair", "=poor"]
    assert [row.intervals for row in found.rows] == [row.intervals for row in board.rows]
    assert list(found.pairs) == list(board.pairs)
    assert set(found.notes) <= set(board.notes)
    assert spokeneval.plan(TASK, LABELS, files, 0.1, table=True).table in board.tables
    assert found.signature == board.signature


def test_other_forms_of_a_comparison(systems):
    files = {path.name: path for path in (systems / "files").iterdir()}
    found = spokeneval.compare(TASK, LABELS, files)
    content = json.loads(json.dumps(found.to_dict()))
    assert [system["name"] for system in content["systems"]] == found.names
    assert [pair["p"] for pair in content["pairs"]] == [pair.p for pair in found.pairs]
    number = int(content["units"].split()[0])
    assert content["unseen"] == pytest.approx(1 - 0.05 ** (1 / number))
    assert f"fewer than {100 * content['unseen']:.2g} % of" in " ".join(found.notes)
    frame = found.to_frame()
    assert frame["f1"].tolist() == [row.score for row in found.rows]
    assert list(zip(frame["best_rank"], frame["worst_rank"], strict=True)) == [
        row.ranks for row in found.rows
    ]
    printed = str(found)
    for words in (
        "good",
        "fair",
        "Ranks (95 %)",
        "p, Holm",
        found.signature,
        "Clusters:",
    ):
        assert words in printed
    alone = spokeneval.score(TASK, LABELS, files["fair"])
    assert found.rows[1].scores == alone.scores
    assert found.rows[1].intervals == alone.intervals


WER = {"kind": "transcripts"}


@pytest.mark.parametrize(
    ("submissions", "error", "words"),
    [
        ([["a"], ["b"]], TypeError, "expected a mapping from names of systems"),
        ({"A": ["a", "b"]}, ValueError, "1 submission; expected those of two systems or more"),
        ({1: ["a", "b"], "1": ["a", "a"]}, ValueError, "two systems have the same name; found 1, 1"),
        ({"A": ["a", "b"], "B": None}, TypeError, "the submission B is None; expected a path"),
        ({"A": ["a", None], "B": ["a"]}, ValueError, "2 problems in 2 files"),
        ({"A": ["a", None], "B": ["a"]}, ValueError, " A/submission\n  row 1     transcript is None"),
        ({"A": ["a", None], "B": ["a"]}, ValueError, " B/submission\n  1 value; the reference has 2 items"),
    ],
)
def test_bad_arguments_get_one_error(submissions, error, words):
    with pytest.raises(error) as refused:
        spokeneval.compare(WER, ["a", "b"], submissions)
    assert words in str(refused.value)


def test_latex_has_the_chosen_scores_label_caption_and_decimals():
    said = ["a b", "c d", "e f", "g h"]
    found = spokeneval.compare({"kind": "transcripts"}, said, {"x": said, "y": ["a", "c d", "e f", "g"]})
    latex = found.to_latex(["wer", "cer"], label="tab:wer", caption="Systems of 100 % effort", digits=1)
    assert r"\caption[]{Systems of 100 \% effort}\label{tab:wer}" in latex
    (row,) = (line for line in latex.splitlines() if line.startswith("y & "))
    low, high = found.rows[1].intervals["cer"]
    assert row.split(" & ")[2] == "25.0"
    assert row.split(" & ")[4:6] == ["33.3", f"{low:.1f} -- {high:.1f}"]
    assert found.to_latex(["wer"]) == found.to_latex()
    for wrong in ({"scores": ["wer", "f1"]}, {"label": "a}b"}):
        with pytest.raises(ValueError, match="expected"):
            found.to_latex(**wrong)
