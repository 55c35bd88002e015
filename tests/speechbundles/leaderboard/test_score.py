"""Scoring of many submissions: scores, kept results, and the effect of one bad zip."""

import csv
import json
import shutil
from pathlib import Path

import pytest

import build_bundle
from speechbundles.leaderboard import score
from speechbundles.leaderboard.about import read_scored
from speechbundles.leaderboard.score import score_all
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.submission_zip import MAX_BYTES
from tests.samples.programs import unzipped, write_files
from tests.samples.small_bundles import codabench_bundle, zipped


@pytest.fixture
def downloads(tmp_path):
    answers = {"alpha/first.zip": "42\n", "beta/Second.ZIP": "41\n"}
    files = {name: zipped({"answer.txt": answer}) for name, answer in answers.items()}
    other = dict.fromkeys(["beta/broken.zip", "beta/.hidden.zip", "notes.txt"], "no zip")
    return write_files(tmp_path / "downloads", {**files, **other})


def table(out):
    with open(out / "scores.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_is_scored_best_first_and_a_bad_one_is_listed(tmp_path, downloads, capsys):
    out = tmp_path / "out"
    arguments = ["score", codabench_bundle(tmp_path), downloads, "--out", out]
    assert build_bundle.main([*map(str, arguments)]) == 1
    said, warned = capsys.readouterr()
    words = "Not scored, because they are no zips: notes.txt: zip the files of each submission."
    assert words in warned.splitlines()
    assert said.index("alpha/first") < said.index("beta/Second") < said.index("Not scored: 1 submission")
    assert "beta/broken: submission: 1 problem" in said
    rows = table(out)
    assert [(row["submission"], row["status"], row["accuracy"]) for row in rows] == [
        ("alpha/first", "Finished", "0.8765432100"),
        ("beta/Second", "Finished", "0.2500000000"),
        ("beta/broken", "Failed", ""),
    ]
    assert "is not a readable zip" in rows[2]["reason"]
    assert output_of(out / "alpha/first")["accuracy"] == 0.87654321
    assert not (out / "beta/broken").exists()
    assert read_scored(out) == ("Synthetic", "Evaluation")


def output_of(folder):
    """Return the scores in the only file of an output."""
    (packed,) = folder.iterdir()
    return json.loads(unzipped(packed.read_bytes())["scores.json"])


def test_a_second_run_does_only_what_is_new(tmp_path, downloads):
    bundle, out = codabench_bundle(tmp_path), tmp_path / "out"
    assert score_all(bundle, downloads, out).new == 3
    before = (out / "scores.csv").read_bytes()
    assert score_all(bundle, downloads, out).new == 0
    assert (out / "scores.csv").read_bytes() == before
    (downloads / "beta/broken.zip").write_bytes(zipped({"answer.txt": "42\n"}))
    shutil.rmtree(out / "alpha/first")
    packed = (out / "beta/Second/scoring_output.zip").read_bytes()
    (
        out / "beta/Second/scoring_output.zip"
    ).unlink()  # as if the run had been killed before its output was packed
    write_files(out / "beta/Second", {n: f for n, f in unzipped(packed).items() if n != "labels.hmac"})
    (out / "beta/broken").mkdir()
    assert score_all(bundle, downloads, out).new == 2
    assert (out / "beta/Second/scoring_output.zip").read_bytes() == packed
    assert output_of(out / "alpha/first")["accuracy"] == 0.87654321
    assert [row["status"] for row in table(out)] == ["Finished"] * 3
    assert score_all(bundle, downloads, out, phase="Development").new == 3
    assert table(out)[0]["submission"] == "beta/Second"


def test_an_entry_that_is_gone_leaves_no_output_for_rank(tmp_path, downloads):
    entries = {"a": downloads / "alpha/first.zip", "b": downloads / "beta/Second.ZIP"}
    bundle, out = codabench_bundle(tmp_path), tmp_path / "out"
    for own in (entries, {"b": entries["b"]}):
        assert score_all(bundle, own, out).failed == {}
        assert {path.name for path in out.iterdir() if path.is_dir()} - {".runs"} == own.keys()


def test_of_many_submissions_the_first_are_printed_and_the_table_has_all(tmp_path, downloads, monkeypatch):
    monkeypatch.setattr(score, "MOST", 1)
    out = tmp_path / "out"
    (downloads / "beta/worse.zip").write_bytes((downloads / "beta/broken.zip").read_bytes())
    said = score.scores_to_text(score_all(codabench_bundle(tmp_path), downloads, out), out).splitlines()
    more = [line for line in said if line.startswith("...")]
    assert more == [f"... and 1 more, in {out / 'scores.csv'}"] * 2
    assert sum("Second" in line or "first" in line for line in said) == 1
    assert "Not scored: 2 submissions" in said
    assert len(table(out)) == 4


def test_a_zip_that_is_too_large_is_one_submissions_refusal(tmp_path, downloads, capsys):
    bundle, out = codabench_bundle(tmp_path), tmp_path / "out"
    score_all(bundle, downloads, out)
    with (downloads / "alpha/first.zip").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)  # a sparse file, which takes no space on disk
    assert build_bundle.main(["score", str(bundle), str(downloads), "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert "alpha/first: submission: the zip is larger than 537 MB" in " ".join(said.split())
    assert [(row["submission"], row["status"]) for row in table(out)] == [
        ("beta/Second", "Finished"),
        ("alpha/first", "Failed"),
        ("beta/broken", "Failed"),
    ]
    assert not (out / "alpha/first").exists()


def test_an_output_is_that_of_the_run_whose_score_is_told(tmp_path, downloads):
    """The kept result of a run is not used for an output that another run has replaced."""
    bundle, out = codabench_bundle(tmp_path), tmp_path / "out"
    gold = write_files(tmp_path / "all", {"gold.txt": "41\n"})
    for reference, best in ((None, "alpha/first"), (gold, "beta/Second"), (None, "alpha/first")):
        scores = score_all(bundle, downloads, out, reference=reference)
        assert (scores.new, next(iter(scores.results))) == (3, best)
        for name in scores.results.keys() - scores.failed.keys():
            written = output_of(out / name)
            assert written["accuracy"] == pytest.approx(float(scores.results[name].scores["accuracy"]))


def test_of_two_runs_at_once_one_is_refused(tmp_path, downloads):
    bundle, out = codabench_bundle(tmp_path), tmp_path / "out"

    def meanwhile(done, of):
        with pytest.raises(OrganiserError, match="score is using this folder"):
            score_all(bundle, downloads, out)

    assert score_all(bundle, downloads, out, progress=meanwhile).new == 3
    assert score_all(bundle, downloads, out).new == 0


@pytest.mark.thorough
def test_outputs_are_passed_over_wherever_they_are(tmp_path, downloads, monkeypatch):
    bundle = codabench_bundle(tmp_path)
    monkeypatch.chdir(downloads)
    write_files(downloads, {"out/kept.zip": zipped({"answer.txt": "40\n"})})
    for folder, out, more in (
        (".", downloads / "out", set()),
        (downloads, "out", set()),
        (downloads, tmp_path, {"out/kept"}),
        (".", ".", {"out/kept"}),
    ):
        scores = score_all(bundle, Path(folder), Path(out))
        names = {*scores.results}
        assert names == {"alpha/first", "beta/Second", "beta/broken", *more}


def test_what_cannot_be_begun_is_refused(tmp_path, downloads):
    bundle = codabench_bundle(tmp_path)
    with pytest.raises(OrganiserError, match="expected a folder"):
        score_all(bundle, tmp_path / "nowhere", tmp_path / "out")
    none = "no zip in this folder or in a folder below it"
    found = f"{none}; found a/results.csv, b.rar: zip the files of each submission"
    given = ["a/b.md"], ["a/results.csv", "b.rar"], ["index.csv", "a/log.txt"]
    for files, words in zip(given, (none, found, none), strict=True):
        folder = write_files(tmp_path / files[0].replace("/", ""), dict.fromkeys(files, ""))
        with pytest.raises(OrganiserError, match=rf": {words}$"):
            score_all(bundle, folder, tmp_path / "out")
    for twice, words in (
        ("alpha/first.Zip", "alpha/first appears twice"),
        ("alpha.zip", "same name as alpha.zip"),
    ):
        write_files(downloads, {twice: ""})
        with pytest.raises(OrganiserError, match=words):
            score_all(bundle, downloads, tmp_path / "out")
        (downloads / twice).unlink()
