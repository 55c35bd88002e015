"""Settings of phases in Codabench's bundle, beside those of the other platforms'; all give the same scores."""

import pytest
import yaml

from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from tests.samples.damaged_copy import rewrite
from tests.samples.programs import unzipped


@pytest.mark.thorough
def test_hidden_scores_hide_the_board_the_output_and_the_report(copy):
    evaluation = "        reference: evaluation\n"
    rewrite(copy, (evaluation, f"{evaluation}        hide_scores: true\n"))
    planned = plan(Sources(copy), ["spoken_call"], {}, platforms=list(platforms()))
    built = {one.platform: one for one in write(planned, copy / "dist")}
    competitions = {}
    for platform, one in built.items():
        assert [finding for finding in one.findings if finding.level == "error"] == []
        competitions[platform] = yaml.safe_load(unzipped(one.path.read_bytes())[platforms()[platform].file])
    assert competitions["codabench"]["phases"][1]["hide_output"] is True
    assert competitions["codabench"]["leaderboards"][0]["hidden"] is True
    assert competitions["codabench"]["enable_detailed_results"] is False
    assert competitions["codalab"]["phases"][2]["leaderboard_management_mode"] == "hide_results"
    evalai = competitions["evalai"]
    assert [split["visibility"] for split in evalai["challenge_phase_splits"]] == [3, 1]
    assert [phase["disable_logs"] for phase in evalai["challenge_phases"]] == [False, True]
    submission = copy / "submission.zip"
    submission.write_bytes(make_zip(planned.parts["spoken_call"].solutions["evaluation"]))
    results = [rehearse(one.path, submission, phase="Evaluation") for one in built.values()]
    assert [result.status for result in results] == ["Finished"] * 3
    rows = [{cell.key: cell.stored for cell in result.row} for result in results]
    assert rows[0] == rows[1] == rows[2]
