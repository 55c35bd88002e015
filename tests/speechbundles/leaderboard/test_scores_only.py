"""Rankings by the scores that a program of others wrote."""

import json

import pytest

import build_bundle
from speechbundles.leaderboard.scores_only import rank_scores
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import write_files
from tests.samples.small_bundles import codabench_bundle, zipped

OUTPUTS = {
    "b/scoring_output.zip": zipped({"scores.json": '{"accuracy": 0.5, "items": 3}'}),
    "a/scores.txt": "accuracy: 0.75\nitems: 2\n",
    "c/scores.json": '{"accuracy": 0.50, "more": [1]}',
    "nan/scores.json": '{"accuracy": NaN}',
    "text/scores.json": "[1]",
    "none/other.txt": "",
}
"""Outputs of a bundle with the columns accuracy (higher is better) and items, which is hidden."""


def test_outputs_are_ranked_by_the_primary_column_and_ties_share_a_rank(tmp_path):
    bundle = read_built_bundle(codabench_bundle(tmp_path))
    outputs = sorted(path for path in write_files(tmp_path / "out", OUTPUTS).iterdir())
    table = rank_scores(bundle, outputs)
    assert table.header == ["rank", "system", "Accuracy", "Items"]
    assert table.rows[:3] == [["1", "a", "0.75", "2"], ["2=", "b", "0.5", "3"], ["2=", "c", "0.5", "-"]]
    assert [row[:3] for row in table.rows[3:]] == [["-", name, "-"] for name in ("nan", "none", "text")]
    with pytest.raises(
        OrganiserError, match=r"no output has a score accuracy in scores\.json or scores\.txt"
    ):
        rank_scores(bundle, [tmp_path / "out" / "none"])


def test_the_command_writes_the_table(tmp_path, capsys):
    bundle = codabench_bundle(tmp_path)
    write_files(tmp_path / "out", OUTPUTS)
    words = [str(tmp_path / "out" / name) for name in ("a", "b")]
    board = tmp_path / "board"
    command = ["rank", "--scores-only", str(bundle), *words, "--out", str(board), "--json"]
    assert build_bundle.main(command) == 0
    assert [each["system"] for each in json.loads(capsys.readouterr().out)["systems"]] == ["a", "b"]
    assert (board / "board.csv").read_text().splitlines()[1] == "1,a,0.75,2"
    assert build_bundle.main([*command, "--baseline", "a"]) == 2
