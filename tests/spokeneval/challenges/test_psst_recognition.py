"""Tests of PSST Task A: hand calculations, the sheets of all editions, unknown phones, other feature tables."""

import io
import shutil
import zipfile

import pytest

from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.zips import make_zip
from spokeneval.challenges.psst_recognition import TASK
from spokeneval.formats.problems import ReferenceFileError
from tests.samples.programs import ROOT, encoded, run_program, run_score

FORMAT = TASK.format
HEADER = "utterance_id\tsession\ttest\tprompt\ttranscript\tcorrectness\taq_index\tduration_frames\tfilename\n"


def gold(*transcripts):
    return HEADER + "".join(
        f"u{i}\ts\tBNT\tcat\t{transcript}\tTRUE\t71.5\t16000\tu{i}.wav\n"
        for i, transcript in enumerate(transcripts, 1)
    )


def answers(*transcripts):
    rows = "".join(f"u{i}\t{transcript}\n" for i, transcript in enumerate(transcripts, 1))
    return "utterance_id\tasr_transcript\n" + rows


def score(tmp_path, reference, submission):
    return run_score(TASK.name, tmp_path, {"utterances.tsv": reference}, {"transcripts.tsv": submission})


def test_rates_are_pooled_over_utterances(tmp_path):
    # As the challenge's own tool counts them (pssteval 0.0.1 on phonologic, system hayes-arpabet): 1, 2 and 1 errors in
    # 3, 7 and 2 phones, 21.5, 22 and 21.5 of their features.
    said = ("K AE T", "T UW TH B R AH SH", "K <spn> T")
    run = score(tmp_path, gold(*said), answers("K AE T S", "T UH TH B AH SH", "K AE T"))
    assert run.status == 0, run.stderr
    assert run.scores["per"] == pytest.approx(100 * 4 / 12, rel=0, abs=1e-12)
    assert run.scores["fer"] == pytest.approx(100 * 65 / (24 * 12), rel=0, abs=1e-12)
    assert [run.scores[key] for key in ("substitutions", "insertions", "deletions")] == [1, 2, 1]


SHEETS = {
    "official": gold("K AE T", "<sil> HH AW S", ""),
    "older names": gold("K AE T", "<sil> HH AW S", "")
    .replace("utterance_id", "id")
    .replace("transcript", "transcript_arpabet")
    .replace("correctness", "is_correct"),
    "two columns": "utterance_id\ttranscript\nu1\tK  AE T \nu2\t<sil> HH AW S\nu3\t\n",
    "BOM and CRLF": "\ufeff" + gold("K AE T", "<sil> HH AW S", "").replace("\n", "\r\n"),
}


@pytest.mark.parametrize("sheet", SHEETS)
def test_official_files_of_both_editions_drop_in_unchanged(sheet):
    reference = FORMAT.read_reference(encoded({"utterances.tsv": SHEETS[sheet]}))
    assert reference.items.ids == ("u1", "u2", "u3")
    assert reference["transcript"].tolist() == [["K", "AE", "T"], ["<sil>", "HH", "AW", "S"], []]


def test_a_reference_has_a_phone_in_a_thousand_transcripts():
    assert len(FORMAT.read_reference(encoded({"utterances.tsv": gold("K", *[""] * 999)})).items) == 1000
    with pytest.raises(ReferenceFileError, match="  1 phone in 1001 transcripts;"):
        FORMAT.read_reference(encoded({"utterances.tsv": gold("K", *[""] * 1000)}))


@pytest.mark.thorough
def test_an_organisers_own_feature_table_holds_everywhere(tmp_path):
    """With a table of three phones and two features: references, submissions, scores and kit."""
    root = tmp_path / "series"
    ignored = shutil.ignore_patterns(".*", "dist", "__pycache__", "tests", "benchmarks")
    shutil.copytree(ROOT, root, ignore=ignored)
    series = root / "competition.yaml"  # two utterances have no standard error to make steps of
    series.write_text(series.read_text().replace("feedback: coarse", "feedback: exact"))
    table = root / "spokeneval/metrics/arpabet_features.tsv"
    table.write_text("# ours\nphone\tvoice\tlong\na\t+\t-\ni\t+\t+\nt\t-\t0\n")

    def build():
        own = [
            f"--reference={TASK.name}/{name}={tmp_path}/{name}.tsv" for name in ("development", "evaluation")
        ]
        both = ("--platform", "codabench", "--platform", "codalab")
        words = ("build", TASK.name, *both, "--out", tmp_path / "dist", *own, "--leave-out=baseline")
        return run_program("build_bundle.py", *words, cwd=root)

    (tmp_path / "development.tsv").write_text(gold("t a"))
    (tmp_path / "evaluation.tsv").write_text(gold("t a t", "i <sil>"))
    built = build()
    assert built.returncode == 0, built.stderr
    submission = tmp_path / "submission.zip"
    for platform in ("codabench", "codalab"):
        bundle = tmp_path / "dist" / platform / f"{TASK.name}.zip"
        submission.write_bytes(make_zip({"transcripts.tsv": answers("t a", "a").encode()}))
        done = rehearse(bundle, submission)
        assert done.status == "Finished", str(done)
        # t left out: 1 + 1/2; a for i: |-1 - 1| / 2 = 1; 4 phones of 2 features.
        assert float(done.scores["fer"]) == pytest.approx(100 * 2.5 / 8, rel=0, abs=1e-12)
        assert float(done.scores["per"]) == pytest.approx(100 * 2 / 4, rel=0, abs=1e-12)
        submission.write_bytes(make_zip({"transcripts.tsv": answers("T AE", "a").encode()}))
        done = rehearse(bundle, submission)
        assert done.status == "Failed"
        assert "'AE' is not one of the 3 phones" in str(done)
    with zipfile.ZipFile(tmp_path / "dist/codabench" / f"{TASK.name}.zip") as bundle:
        kit = zipfile.ZipFile(io.BytesIO(bundle.read("starting_kit.zip")))
        assert kit.read("spokeneval/metrics/arpabet_features.tsv") == table.read_bytes()

    table.write_text("phone\tvoice\tlong\na\t+\t-\ni\t+\n")
    built = build()
    assert built.returncode == 1
    assert "phone 'i' has 1 values for 2 features" in built.stderr
