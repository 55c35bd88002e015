"""Reading of outputs: where they are found, and which may not be compared."""

import json
import stat
from dataclasses import fields
from pathlib import Path

import pytest

import build_bundle
from speechbundles.bundle.rehearse import ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard.outputs import read_outputs, unique_names
from speechbundles.leaderboard.write import write_board
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.metrics.accept_reject import Decisions, ranked_d_full
from spokeneval.programs.score import HIDDEN_STATISTICS
from tests.samples.boards import noisy_systems, scored, write_output
from tests.samples.programs import ROOT, unzipped, write_files
from tests.samples.small_bundles import zipped
from tests.samples.spoken_call import decided

COUNTS = [f"decisions.{field.name}" for field in fields(Decisions)]


def test_zips_wrapped_folders_and_kept_rehearsals_are_read(tmp_path):
    plain, *_ = noisy_systems(tmp_path / "made", systems=1)
    files = {file.name: file.read_bytes() for file in plain.iterdir()} | {"metadata": b"exitCode: 0\n"}
    places = {"flat.zip": "", "wrapped.zip": "output of a team/", "folder": "output/"}
    places |= {"codabench": "scoring/app/output/", "codalab": "scoring/run/output/"}
    for name, inside in places.items():
        inner = {inside + file: content for file, content in files.items()}
        if name.endswith(".zip"):
            write_files(tmp_path, {name: zipped(inner)})
        else:
            write_files(tmp_path / name, {**inner, "prediction/a.txt" if "scoring" in inside else "a": b""})
    outputs = read_outputs([tmp_path / name for name in places])
    assert [output.name for output in outputs] == ["flat", "wrapped", "folder", "codabench", "codalab"]
    assert len({json.dumps(dict(output.scores)) for output in outputs}) == 1
    assert all(output.statistics is not None for output in outputs)


def test_folders_of_several_outputs_are_refused_all_at_once(tmp_path):
    for team in ("Team A", "Team B"):
        noisy_systems(tmp_path / team, systems=3)
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    write_files(tmp_path, {"both.zip": zipped(dict.fromkeys(["a/scores.json", "b/scores.json"], "{}"))})
    paths = [tmp_path / name for name in ("Team A", "Team B", "both.zip")]
    head, _, team_a, team_b, both = refusal([good, *paths]).splitlines()
    assert "3 problems" in head
    for line, team in ((team_a, "Team A"), (team_b, "Team B")):
        assert line.startswith(f"  {team}: contains 3 outputs; ")
        assert line.endswith(f" {tmp_path / team / 'system0'}")
    assert both.startswith("  both: contains 2 outputs; ")
    assert len(read_outputs([good, *sorted((tmp_path / "Team A").iterdir())])) == 4


def test_a_folder_of_an_output_and_failed_ones_is_no_refusal(tmp_path):
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    noisy_systems(tmp_path / "team", systems=1)
    for failed in ("empty", "unscored"):
        (tmp_path / "team" / failed).mkdir()
    (tmp_path / "team/unscored/ingestion.txt").write_text("refused\n")
    outputs = read_outputs([good, tmp_path / "team"])
    assert [(output.name, bool(output.scores)) for output in outputs] == [("system0", True), ("team", True)]


def test_the_list_that_score_writes_beside_the_outputs_is_none_of_them(tmp_path):
    outputs = read_outputs(noisy_systems(tmp_path, systems=2))
    (tmp_path / "scores.csv").write_text("submission,d_full\n")
    names = [output.name for output in read_outputs(sorted(tmp_path.iterdir()))]
    assert names == [output.name for output in outputs]


def test_names_are_as_short_as_tells_them_apart(tmp_path):
    paths = [tmp_path / name for name in ("a/run.zip", "b/run.zip", "c.zip", "c", "v1.2")]
    assert unique_names(paths)[:3] == ["a/run.zip", "b/run.zip", "c.zip"]
    assert len(set(unique_names(paths))) == 5
    assert unique_names([tmp_path / "x.zip", tmp_path / "a\x1b[31m"]) == ["x", "a\\x1b[31m"]


def refusal(paths):
    with pytest.raises(OrganiserError) as refused:
        read_outputs(paths)
    return str(refused.value)


def test_every_problem_of_all_outputs_is_told_at_once(tmp_path):
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    scores, statistics = scored(decided((6, 2, 5, 1, 1)))
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("not a zip")
    write_output(tmp_path / "list", [1])
    write_output(tmp_path / "torn", scores)
    (tmp_path / "torn/scores.json").write_text('{"d_full": 1')
    write_output(tmp_path / "unsigned", scores)
    (tmp_path / "unsigned/signature.txt").unlink()
    write_output(tmp_path / "ragged", scores, statistics, values=[[1, 2], [3]])
    columns = [column.replace("decisions.", "choices.") for column in COUNTS]
    write_output(tmp_path / "other", scores, statistics, columns=columns)
    same = zipped({file.name: file.read_bytes() for file in sorted(good.iterdir())})
    write_files(tmp_path, {"run.zip": same, "run (1).zip": same})
    names = ("empty", "text.zip", "list", "torn", "unsigned", "ragged", "absent", "other")
    paths = [tmp_path / name for name in (*names, "run.zip", "run (1).zip")]
    told = refusal([good, good, *paths])
    assert told.startswith("No leaderboard: 10 problems\n")
    for words in (
        f"{good}: the same output as {good}",
        "empty: no scores.json; expected",
        "text: expected a folder or a readable zip",
        "list: scores.json has no scores",
        "torn: scores.json is not JSON (line 1)",
        "unsigned: no signature.txt",
        "ragged: statistics.json is damaged",
        "absent: No such file or directory",
        "other: statistics.json is damaged: its columns are not those of spoken_call",
        f"run (1).zip: the same output as {tmp_path / 'run.zip'}",
    ):
        assert words in told


def test_where_all_submissions_were_refused_each_is_named_with_the_reason(tmp_path):
    table = (
        "submission,status,f1,reason\nteam1,Failed,,labels.csv: 40 items are missing\nteam2,Finished,0.5,\n"
    )
    write_files(tmp_path, {"scores.csv": table, "systems.csv": "team,name\na,b\n"})
    head, _, *lines = refusal([tmp_path / "scores.csv", tmp_path / "systems.csv"]).splitlines()
    assert (head, lines[0]) == ("No leaderboard: 2 problems", "  team1: labels.csv: 40 items are missing")
    assert lines[1] == "  team2: no output beside scores.csv"
    assert "1 problem\n\n  no outputs; give the folders" in refusal([tmp_path / "systems.csv"])
    (tmp_path / "scores.csv").write_bytes(table.encode("utf-16"))
    assert refusal([tmp_path / "scores.csv"]).endswith("scores.csv: not UTF-8; save it as UTF-8")


FULL = "spoken_call|class_sizes:public|feedback:coarse|reference:01|items:02|part:open|spokeneval:0.1.0"


@pytest.mark.parametrize("part", FULL.split("|"))
def test_another_part_of_a_signature_is_refused_in_outputs_and_in_statistics(tmp_path, part):
    """Another reference or version gives other scores; statistics of another run are not those of the scores."""
    made = scored(decided((6, 2, 5, 1, 1)))
    other = FULL.replace(part, part[:-1] + "x")
    paths = [write_output(tmp_path / name, *made, signature=FULL) for name in "ab"]
    paths.append(write_output(tmp_path / "c", *made, signature=other))
    lacks = "no such setting" if part == "feedback:coarse" else part[:-1] + "x"
    expected = f"c: computed differently: {lacks}; a has {part}"
    refused = refusal(paths)
    assert ("c: the task is" if part == "spoken_call" else expected) in refused
    assert (" score BUNDLE.zip DIR` on" in refused) == part.startswith("spokeneval:")
    (paths[2] / "signature.txt").write_text(FULL)
    assert f"statistics.json belongs to another result: its signature is {other}" in refusal(paths[2:])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "prompt"}, "the unit is prompt instead of response"),
        (
            {"columns": [*COUNTS[:3], COUNTS[4], COUNTS[3]]},
            f"the columns are {', '.join(COUNTS[:3])}, {COUNTS[4]}",
        ),
        ({"units": [*map(str, range(14)), "x"]}, "2 units are in only one of the two, first 14"),
        ({"units": [*map(str, range(14, -1, -1))]}, "the units are in a different order"),
        ({"items": ["i", "x"]}, "2 items are in only one of the two, first j"),
        ({"items": ["j", "i"]}, "the items are in a different order"),
    ],
)
def test_statistics_that_cannot_be_paired_are_refused(tmp_path, changes, words):
    made = scored(decided((6, 2, 5, 1, 1)))
    items = {"items": ["i", "j"], "item_values": made[1].values[:2].tolist()}
    each = {"a": items, "b": {**items, **changes}}
    paths = [write_output(tmp_path / name, *made, **content) for name, content in each.items()]
    assert f"b: its statistics cannot be paired with those of a: {words}" in refusal(paths)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A bundle with hidden labels, and a folder with its baseline's submission."""
    folder = tmp_path_factory.mktemp("built")
    assert build_bundle.main(["build", "spoken_call", "--platform", "codabench", "--out", str(folder)]) == 0
    bundle = folder / "codabench/spoken_call.zip"
    solution = unzipped(bundle.read_bytes())["solutions/baseline_evaluation.zip"]
    write_files(folder, {"first/baseline.zip": solution})
    return bundle, folder / "first"


@pytest.mark.thorough
def test_a_rehearsal_keeps_hidden_statistics_only_when_asked(built, tmp_path, capsys):
    bundle, baseline = built[0], built[1] / "baseline.zip"
    arguments = ["rehearse", str(bundle), str(baseline)]
    assert build_bundle.main([*arguments, "--statistics"]) == 2
    assert "--keep" in capsys.readouterr().err
    rehearse(bundle, baseline, keep=tmp_path / "quiet")
    assert build_bundle.main([*arguments, "--statistics", "--keep", str(tmp_path / "told")]) == 0
    # scores in steps cannot be compared with exact ones
    with pytest.raises(OrganiserError, match="told: computed differently"):
        read_outputs([tmp_path / "quiet", tmp_path / "told"])
    found = {name: read_outputs([tmp_path / name])[0].statistics for name in ("quiet", "told")}
    assert found["quiet"] is None
    # The sample's baseline is Table 1's: CA 635, FR 105, CR 213, PFA 32, GFA 15.
    decisions = found["told"].total("decisions")
    assert list(vars(decisions).values()) == [635, 105, 213, 32, 15]
    assert not (Path(tmp_path) / "quiet/scoring/app/output/statistics.json").exists()
    assert ranked_d_full(decisions) == pytest.approx(4.0901, abs=5e-5)


def corrected(bundle, folder):
    """Return a folder with the reference data of a bundle after a correction of five labels."""
    files = unzipped(unzipped(bundle.read_bytes())["reference_data.zip"])
    old, new = b'"correct"\t"correct"', b'"incorrect"\t"correct"'
    return write_files(folder, {**files, "reference.csv": files["reference.csv"].replace(old, new, 5)})


def score_into(out, built, *more):
    bundle, submissions = built
    arguments = ["score", str(bundle), str(submissions), "--out", str(out), *map(str, more)]
    assert build_bundle.main(arguments) == 0
    return out / "baseline"


@pytest.mark.thorough
def test_outputs_of_different_gold_standards_are_refused(built, tmp_path):
    gold = corrected(built[0], tmp_path / "gold")
    old, new = score_into(tmp_path / "old", built), score_into(tmp_path / "new", built, "--reference", gold)
    files, others = (unzipped((output / "scoring_output.zip").read_bytes()) for output in (old, new))
    assert files["signature.txt"] == others["signature.txt"]
    assert files["scores.json"] != others["scores.json"]
    assert "new/baseline: scored with other labels than old/baseline. Score again" in refusal([old, new])
    writing = ProcessEngine({HIDDEN_STATISTICS: "write"})
    rehearse(built[0], built[1] / "baseline.zip", reference=gold, keep=tmp_path / "kept", engine=writing)
    assert "scored with other labels" in refusal([old, tmp_path / "kept"])

    def unchecked(outputs):
        notes = ranking.make_board(Sources(ROOT), read_outputs(outputs)).notes
        return [note for note in notes if "was not checked" in note]

    assert unchecked([new, tmp_path / "kept"]) == []
    others["labels.hmac"] = ("0" * 8 + ":" + "0" * 32 + "\n").encode()  # the key of another user
    (new / "scoring_output.zip").write_bytes(zipped(others))
    (note,) = unchecked([old, new])
    assert "several users or on several computers" in note
    del others["labels.hmac"]  # where no key can be kept
    (new / "scoring_output.zip").write_bytes(zipped(others))
    (note,) = unchecked([old, new])
    assert "labels.hmac is missing in new/baseline" in note


def test_nothing_of_the_tag_of_labels_is_in_another_file(built, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    output = score_into(tmp_path / "out", built)
    write_board(ranking.make_board(Sources(ROOT), read_outputs([output])), tmp_path / "out" / "board")
    written = unzipped((output / "scoring_output.zip").read_bytes())
    name, tag = written.pop("labels.hmac").decode().strip().split(":")
    key = (tmp_path / "state/speech-bundles/labels.key").read_bytes()
    assert stat.S_IMODE((tmp_path / "state/speech-bundles/labels.key").stat().st_mode) == 0o600
    files = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    del files[output / "scoring_output.zip"]
    files |= written
    for entry, content in unzipped(built[0].read_bytes()).items():
        inside = unzipped(content) if content[:2] == b"PK" else {}
        files |= {entry: content, **{f"{entry}/{one}": inner for one, inner in inside.items()}}
    files["printed"] = "".join(capfd.readouterr()).encode()
    for secret in (name.encode(), tag.encode(), key, key.hex().encode(), b"labels.hmac"):
        assert [str(place) for place, content in files.items() if secret in content] == []
