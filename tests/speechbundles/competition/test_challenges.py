"""The joint ranking of a challenge in `competition.yaml`: what is read, and what is refused, with its line."""

import pytest

from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.ranking.joint_rule import JointRule
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table

SETTINGS = (ROOT / "tests/samples/several_tasks.yaml").read_text("utf-8")
BOTH = "bundles: [process_decisions, process_scores]"


def read(tmp_path, *lines, names=()):
    joint = "\n".join(f"      {line}" for line in lines)
    write_files(tmp_path / "own", {"competition.yaml": SETTINGS.replace("JOINT", joint)})
    return read_competitions(Sources(ROOT, tmp_path / "own"), names)


def test_the_bundles_of_a_challenge_have_its_rule_and_its_name(tmp_path):
    lines = (BOTH, "rule: normalised_sum", "missing: zero", "compulsory: [process_scores]")
    classes, scores, alone, other = read(tmp_path, *lines)
    assert alone.joint is other.joint is None
    assert classes.joint == scores.joint
    assert {name: each["title"] for name, each in scores.joint.bundles.items()} == {
        "process_decisions": "Classes",
        "process_scores": "Scores",
    }
    assert (scores.joint.name, scores.joint.files) == ("process", ["decisions.csv", "scores.csv"])
    assert scores.joint.other_files(scores) == ["decisions.csv"]
    assert scores.joint.rule == JointRule("normalised_sum", "zero", ["process_scores"])
    chosen = read(tmp_path, *lines, names=["process", "caller_experience"])
    assert [each.name for each in chosen] == ["process_decisions", "process_scores", "caller_experience"]
    assert len(chosen[0].joint.bundles) == 2
    assert {each.joint.compulsory for each in read(tmp_path, *lines, names=["process"])} == {
        ("process_scores",)
    }
    assert read(tmp_path, BOTH, "rule: none", "compulsory: [process_scores]")[0].joint.rule is None


@pytest.mark.parametrize(("lines", "said"), table("refused_settings")["joint"])
def test_a_joint_ranking_that_cannot_be_made_is_refused_with_its_line(tmp_path, lines, said):
    with pytest.raises(OrganiserError) as refusal:
        read(tmp_path, *lines)
    assert said in str(refusal.value)
    assert "  line " in str(refusal.value)


def test_a_challenge_cannot_have_the_name_of_a_bundle(tmp_path):
    text = SETTINGS.replace("JOINT", f"      {BOTH}\n      rule: mean_rank")
    text += "  process: {task: process_r, title: The name of the challenge}\n"
    write_files(tmp_path / "own", {"competition.yaml": text})
    with pytest.raises(OrganiserError, match=r"challenges\.process: process is also a bundle"):
        read_competitions(Sources(ROOT, tmp_path / "own"))
