"""Tests of the PSST starting kits: a recogniser for both tasks, and the analysis of its errors."""

import csv
import json
import re
import zipfile

import pytest

from sample_data import psst as sample
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task
from spokeneval.metrics.phoneme_recognition import drop_fillers, feature_error_rate
from spokeneval.metrics.transcript_errors import count_errors, error_rate
from tests.samples.programs import ROOT, run_program, write_files

FILES = {"psst_recognition": "transcripts.tsv", "psst_correctness": "correctness.tsv"}
TASKS = tuple(FILES)


@pytest.fixture(scope="module")
def kits(tmp_path_factory):
    """Each task's kit, unpacked."""
    folder = tmp_path_factory.mktemp("psst")
    planned = plan(Sources(ROOT), TASKS, {})
    return {task: write_files(folder / task, planned.parts[task].starting_kit) for task in TASKS}


def run(kit, *command):
    return run_program(*command, cwd=kit)


def numbers(text):
    """The scores that a kit's table prints, by their headings."""
    rows = re.findall(r"^  (\S.*?)  +([0-9.]+)(?:   .*)?$", text, re.MULTILINE)
    return {heading: float(value) for heading, value in rows}


@pytest.mark.thorough
def test_both_kits_score_both_tasks_from_one_file_of_transcripts(kits, tmp_path):
    utterances, recognised = sample.sample("development")
    words = []
    for task, kit in kits.items():
        out = tmp_path / task
        done = run(kit, "both.py", "development", kit / "data/development_transcripts.tsv", out)
        assert done.returncode == 0, done.stderr
        words.append(done.stdout.replace(str(out), "OUT"))
        scores = numbers(done.stdout)
        texts = [u.transcript for u in utterances], recognised
        sides = [[drop_fillers(text.split()) for text in side] for side in texts]
        per, fer = error_rate(count_errors(*sides)), feature_error_rate(*sides)
        assert scores["PER (%)"] == pytest.approx(100 * per, rel=0, abs=1e-4)
        assert scores["FER (%)"] == pytest.approx(100 * fer, rel=0, abs=1e-4)
        # The numbers of the baseline, computed in another way.
        run(kit, "baseline.py", "development", out)
        tried = run(kit, "try_submission.py", out / FILES[task])
        assert numbers(tried.stdout).items() <= scores.items()
        assert set(numbers(tried.stdout)) == {score.heading for score in find_task(task).scores}
        for name, file in FILES.items():
            assert zipfile.ZipFile(out / f"{name}.zip").namelist() == [file]
    assert words[0] == words[1]


@pytest.mark.thorough
def test_evaluation_transcripts_are_checked_and_zipped_but_not_scored(kits, tmp_path):
    kit = kits["psst_recognition"]
    done = run(kit, "both.py", "evaluation", "data/evaluation_transcripts.tsv", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("hidden: the submission was checked but not scored") == 2
    assert numbers(done.stdout) == {}
    assert {path.name for path in tmp_path.iterdir()} == {f"{task}.zip" for task in TASKS}


@pytest.mark.thorough
def test_ones_own_transcripts_go_into_both_baselines(kits, tmp_path):
    """Empty transcripts except for one, an accepted pronunciation of its prompt after a false start."""
    utterances, _ = sample.sample("development")
    first = utterances[0]
    said = f"K <sil> {sample.PROMPTS[first.prompt][1][1]}"
    mine = tmp_path / "mine.tsv"
    sample.write_transcripts(
        mine, [u.utterance_id for u in utterances], [said] + [""] * (len(utterances) - 1)
    )
    for task, column, one, others in (
        ("psst_recognition", "asr_transcript", said, ""),
        ("psst_correctness", "prediction", "true", "false"),
    ):
        done = run(kits[task], "baseline.py", "development", tmp_path / task, "--transcripts", mine)
        assert done.returncode == 0, done.stderr
        with (tmp_path / task / FILES[task]).open(encoding="utf-8") as rows:
            values = {row["utterance_id"]: row[column] for row in csv.DictReader(rows, delimiter="\t")}
        assert values.pop(first.utterance_id) == one
        assert set(values.values()) == {others}
        assert len(values) == 340


def test_transcripts_that_do_not_fit_are_refused_by_every_program(kits, tmp_path):
    kit = kits["psst_correctness"]
    mine = tmp_path / "mine.tsv"
    text = (kit / "data/development_transcripts.tsv").read_text()
    mine.write_text(text.replace("F EH DH ER", "F EH1 DH ER", 1))
    for command in (
        ("both.py", "development", mine, tmp_path / "out"),
        ("baseline.py", "development", tmp_path / "out", "--transcripts", mine),
        ("align.py", mine),
    ):
        done = run(kit, *command)
        assert done.returncode == 1
        assert f"{mine} does not match the development set" in done.stderr
        assert "line 3    utterance_id SYN01a-BNT02-feather: 'EH1' is not one of the 40 phones" in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
    assert "is missing" in run(kit, "both.py", "development", tmp_path / "none.tsv", tmp_path / "out").stderr
    assert "The kit has no set tomorrow" in run(kit, "baseline.py", "tomorrow", tmp_path / "out").stderr


def test_a_prompt_without_pronunciations_is_reported(kits, tmp_path):
    kit = kits["psst_correctness"]
    file = kit / "data/accepted_pronunciations.json"
    accepted = file.read_text()
    try:
        file.write_text(json.dumps({"house": ["HH AW S"]}))
        done = run(kit, "baseline.py", "development", tmp_path / "out")
    finally:
        file.write_text(accepted)
    assert done.returncode == 1
    assert "no pronunciation of 'candle'" in done.stderr


def test_the_trace_shows_which_phone_was_taken_for_which_the_worst_first(kits, tmp_path):
    """HH AW S for HH AA S (1.5 features) among utterances that are correct except for one cheaper error."""
    kit = kits["psst_recognition"]
    reference = kit / "development/reference/utterances.tsv"
    original = reference.read_text()
    header, *rows = original.splitlines()
    try:
        said = ["HH AW S", "V AE N", "K <spn> T", "K AE T"]
        lines = [row.split("\t") for row in rows[:4]]
        for line, transcript in zip(lines, said, strict=True):
            line[4] = transcript
        reference.write_text("\n".join([header, *("\t".join(line) for line in lines)]) + "\n")
        ids = [line[0] for line in lines]
        sample.write_transcripts(tmp_path / "t.tsv", ids, ["HH AA S", "F AE N", "K AE T", "K AE T"])
        done = run(kit, "align.py", tmp_path / "t.tsv")
        first = run(kit, "align.py", "--first", "1", tmp_path / "t.tsv")
    finally:
        reference.write_text(original)
    assert done.returncode == 0, done.stderr
    # FER (21.5 + 1.5 + 1) / (24 * 11), PER 3 / 11. AW's features move where AA's stay (round, high, low, back).
    assert done.stdout == (
        f"{ids[2]}   21.5 of 48 features\n  said   K -  T\n  heard  K AE T\n    AE inserted   21.5\n\n"
        f"{ids[0]}   1.5 of 72 features\n  said   HH AW S\n  heard  HH AA S\n    AW -> AA   1.5   "
        "round -+ (towards +) to -, high -+ (towards +) to -, low +- (towards -) to +, back -+ (towards +) to +\n\n"
        f"{ids[1]}   1 of 72 features\n  said   V AE N\n  heard  F AE N\n    V -> F   1   voice + to -\n\n"
        "4 utterances, 1 without an error; FER 9.0909 %, PER 27.2727 %\n"
    )
    assert first.stdout.count("\n\n") == 1
    assert first.stdout.startswith(ids[2])
