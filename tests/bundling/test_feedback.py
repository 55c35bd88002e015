"""`feedback: coarse`, from competition.yaml to what a platform shows: the primary score in steps, with a floor."""

import io
import json
import re
import shutil
import zipfile

import pytest

from bundling.build.plan import plan
from bundling.build.write import write
from bundling.competition.competition import CompetitionError
from bundling.competition.feedback import set_feedback
from bundling.competition.read import read_competitions
from bundling.competition.references import load_reference
from bundling.rehearse.rehearse import rehearse
from bundling.zips import make_zip
from spokeneval.run.feedback import choose_step
from spokeneval.tasks import find_task
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT

TASK = find_task("psst_correctness")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A bundle built with coarse feedback, and its baseline's submission for the hidden set."""
    place = tmp_path_factory.mktemp("coarse")
    series = place / "series"
    shutil.copytree(
        ROOT, series, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist", "tests", "benchmarks")
    )
    text = (series / "competition.yaml").read_text()
    assert text.count("feedback: exact") == 1
    (series / "competition.yaml").write_text(text.replace("feedback: exact", "feedback: coarse"))
    planned = plan(series, [TASK.name], {})
    (built,) = write(series, planned, ["codabench"], place / "dist")
    assert built.findings == ()
    return built.path, planned.parts[TASK.name].solutions["evaluation"]


def options_of(path):
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(io.BytesIO(archive.read("scoring_program.zip"))) as program,
    ):
        return json.loads(program.read("options.json"))


def show(path, folder, files, phase=None):
    """What a rehearsal writes of a submission."""
    (folder / "submission.zip").write_bytes(
        make_zip({name: bytes(content) for name, content in files.items()})
    )
    done = rehearse(path, folder / "submission.zip", phase=phase)
    assert done.status == "Finished", str(done)
    return done.scores


def test_a_hidden_set_shows_the_first_column_alone_in_steps(bundle, tmp_path):
    path, baseline = bundle
    (steps,) = options_of(path)["steps"].values()
    assert list(steps) == ["f1"]
    line = show(path, tmp_path, baseline)
    assert list(line) == ["f1", "f1_low", "f1_high"]
    for value in line.values():
        assert value / steps["f1"] == pytest.approx(round(value / steps["f1"]), abs=1e-9)
    reference = ROOT / "reference_data" / TASK.name / "evaluation"
    better = show(
        path, tmp_path, {name: text.encode() for name, text in near_misses(TASK.name, reference).items()}
    )
    assert better["f1"] >= line["f1"]


def test_whoever_is_no_better_than_the_baseline_gets_its_line(bundle, tmp_path):
    path, baseline = bundle
    (floor,) = options_of(path)["floors"].values()
    assert show(path, tmp_path, baseline) == floor
    worse = {name: re.sub(rb"\t(true|false)", rb"\tfalse", content) for name, content in baseline.items()}
    one_worse = {name: content.replace(b"\ttrue", b"\tfalse", 1) for name, content in baseline.items()}
    assert show(path, tmp_path, worse) == show(path, tmp_path, one_worse) == floor


def test_the_development_set_stays_exact(bundle, tmp_path):
    path, _ = bundle
    reference = ROOT / "reference_data" / TASK.name / "development"
    near = {name: text.encode() for name, text in near_misses(TASK.name, reference).items()}
    scores = show(path, tmp_path, near, phase="Development")
    assert list(scores) == [column.key for column in TASK.columns]
    assert scores["f1"] not in (round(scores["f1"], 2), round(scores["f1"], 1))


def test_the_page_says_what_the_board_tells(bundle):
    with zipfile.ZipFile(bundle[0]) as archive:
        page = archive.read("pages/evaluation.md").decode()
    assert "in steps of about one standard error" in page


def test_answers_that_know_nothing_raise_the_floor(tmp_path):
    # Always English has a pooled EER of the share of Mandarin, 19.69 %, below what the language's baseline gets here.
    task = find_task("merlion_identification")
    reference = load_reference(
        task.name, "evaluation", ROOT / "reference_data" / task.name / "evaluation", {}
    )
    lines = [f"{item} 0 1\n{item} 1 1\n" for item in reference.items]
    feedback = set_feedback(task, reference, {"prediction.txt": "".join(lines).encode()}, {})
    assert feedback.steps == {"eer": choose_step(feedback.steps["eer"])}
    assert abs(feedback.floor["eer"] - 19.69) <= feedback.steps["eer"] / 2


def test_another_word_for_feedback_is_refused_with_its_line(tmp_path):
    for name in ("competition.schema.json", "pages", "spokeneval"):
        (tmp_path / name).symlink_to(ROOT / name)
    text = (ROOT / "competition.yaml").read_text().replace("feedback: exact", "feedback: rough")
    (tmp_path / "competition.yaml").write_text(text)
    with pytest.raises(CompetitionError, match="'rough'; expected one of exact, coarse"):
        read_competitions(tmp_path / "competition.yaml")
