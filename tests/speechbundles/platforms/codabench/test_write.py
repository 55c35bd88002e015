"""Settings of phases in Codabench's bundle, beside those of CodaLab's."""

import yaml

from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from tests.samples.damaged_copy import rewrite
from tests.samples.programs import unzipped


def test_hidden_scores_hide_the_board_the_output_and_the_report(copy):
    evaluation = "        reference: evaluation\n"
    rewrite(copy, (evaluation, f"{evaluation}        hide_scores: true\n"))
    planned = plan(Sources(copy), ["spoken_call"], {}, platforms=list(platforms()))
    built = {one.platform: one for one in write(planned, copy / "dist")}
    competitions = {}
    for platform, one in built.items():
        assert [finding for finding in one.findings if finding.level == "error"] == []
        competitions[platform] = yaml.safe_load(unzipped(one.path.read_bytes())["competition.yaml"])
    assert competitions["codabench"]["phases"][1]["hide_output"] is True
    assert competitions["codabench"]["leaderboards"][0]["hidden"] is True
    assert competitions["codabench"]["enable_detailed_results"] is False
    assert competitions["codalab"]["phases"][2]["leaderboard_management_mode"] == "hide_results"
    submission = copy / "submission.zip"
    submission.write_bytes(make_zip(planned.parts["spoken_call"].solutions["evaluation"]))
    assert [rehearse(one.path, submission).status for one in built.values()] == ["Finished"] * 2
