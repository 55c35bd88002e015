"""New competition folders: what `init` writes, and what it refuses."""

import json
import re

import pytest

import build_bundle
from speechbundles.competition.read import read_competitions
from speechbundles.model.sources import Sources
from spokeneval.kinds.declared import KINDS
from tests.samples.own_competition import DATES, own_folder
from tests.samples.programs import ROOT


def test_every_line_that_is_not_filled_in_is_refused_by_name(tmp_path, capsys):
    folder = tmp_path / "own"
    assert build_bundle.main(["init", str(folder), "spoken_call", "merlion_diarization"]) == 0
    lines = (folder / "competition.yaml").read_text().splitlines()
    # At most three in all for every phase that scores the deciding set.
    assert {line.strip() for line in lines if "max_submissions: " in line} == {
        "max_submissions: 500",
        "max_submissions: 3",
        "max_submissions: 1",  # after the evaluation, where both tracks of Task 2 reveal the same labels
    }
    # The MERLIon CCS plan: 3 a day from 16 to 28 February, 13 days. Spoken CALL's sample has 14 days.
    comments = [line.strip() for line in lines if "would be" in line]
    assert comments == [
        f"# 3 a day until the end of the sample's phase would be {most}." for most in (14 * 3, 13 * 3)
    ]
    waiting = {number for number, line in enumerate(lines, 1) if "FILL IN" in line and line[0] != "#"}
    # The defaults; dates of two challenges; the titles of three bundles.
    assert len(waiting) == 3 + 4 + 3 + 3
    capsys.readouterr()
    assert build_bundle.main(["build", "--competition", str(folder)]) == 1
    printed = " ".join(capsys.readouterr().err.split())
    assert {
        int(number) for number in re.findall(r"line (\d+) \S+: still FILL IN; write in its place: ", printed)
    } == waiting
    assert printed.startswith(f"competition.yaml: {len(waiting)} problems line ")
    assert (
        "defaults.contact_email: still FILL IN; write in its place: an e-mail address for participants"
        in printed
    )


def test_init_accepts_tasks_and_bundles(tmp_path, capsys):
    assert build_bundle.main(["init", str(tmp_path / "own"), "spoken_cal"]) == 1
    assert "no task, bundle or challenge spoken_cal; did you mean spoken_call?" in capsys.readouterr().err
    own_folder(tmp_path / "task", ["merlion_diarization"])
    assert build_bundle.main(["init", str(tmp_path / "track"), "merlion_diarization_open"]) == 0
    for name, tracks in (("task", ["closed", "open"]), ("track", ["open"])):
        bundles = (tmp_path / name / "competition.yaml").read_text().split("\nbundles:")[1]
        assert re.findall(r"^  merlion_diarization_(\w+):$", bundles, re.M) == tracks


def fill(path, examples):
    """Fill in a new `competition.yaml`, and set all parameters that have an example."""
    dates, lines = iter(DATES), []
    for line in path.read_text().splitlines():
        name = line.strip("# ").partition(":")[0]
        if "FILL IN" in line and name in examples:
            line = f"        {name}: {json.dumps(examples[name])}"
        elif "FILL IN: YYYY" in line:
            line = line.partition('"')[0] + f'"{next(dates)}"'
        elif line.startswith("        # ") and name in examples:
            line = line.replace("# ", "", 1)
        line = line.replace("FILL IN: an e-mail address for participants", "a@example.org")
        lines.append(line.replace("FILL IN", ""))
    path.write_text("\n".join(lines))


def test_init_writes_the_joint_ranking_of_several_tasks(tmp_path):
    assert build_bundle.main(["init", str(tmp_path / "psst"), "psst"]) == 0
    text = (tmp_path / "psst" / "competition.yaml").read_text()
    assert "    #   bundles: [psst_recognition, psst_correctness]\n" in text
    assert build_bundle.main(["init", str(tmp_path / "one"), "psst_recognition"]) == 0
    assert "joint" not in (tmp_path / "one" / "competition.yaml").read_text()
    new = ("init", str(tmp_path / "new"), "--new", "process", "--kind", "decisions", "--kind", "scores")
    assert build_bundle.main([*new, "--kind", "scores"]) == 0
    fill(tmp_path / "new" / "competition.yaml", {"classes": ["HC", "MCI", "AD"], "scale": [0, 30]})
    found = read_competitions(Sources(ROOT, tmp_path / "new"))
    names = ["process_decisions", "process_scores1", "process_scores2"]
    assert [(each.name, each.challenge) for each in found] == [(name, "process") for name in names]
    assert [*found[0].joint.bundles] == names


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_init_explains_every_parameter_of_a_kind(kind, tmp_path, capsys):
    folder = tmp_path / "own"
    assert build_bundle.main(["init", str(folder), "--new", "meine_aufgabe", "--kind", kind]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "score2" not in listed  # a column that only some settings need
    assert ("Kaldi text" in listed) == (kind == "transcripts")
    text = (folder / "competition.yaml").read_text()
    assert all(f" {parameter.name}: " in text for parameter in KINDS[kind].parameters())
    assert max(map(len, text.splitlines())) <= 120
    assert build_bundle.main(["build", "--competition", str(folder)]) == 1
    first = re.findall("still FILL IN; write in its place: (.)", capsys.readouterr().err)
    assert first
    assert all(re.match(r"[\[\w]", sign) for sign in first)
    examples = {parameter.name: parameter.example for parameter in KINDS[kind].parameters()}
    fill(folder / "competition.yaml", examples)
    (competition,) = read_competitions(Sources(ROOT, folder))
    assert competition.definition.declaration["kind"] == kind
    assert len(competition.columns) > 3
    assert [phase.name for phase in competition.phases] == ["Development", "Evaluation"]
