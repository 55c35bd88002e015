"""Tests of PSST Task A: hand calculations, the smallest sheet, and references without phones."""

import pytest

from spokeneval.challenges.psst_recognition import TASK
from spokeneval.formats.problems import ReferenceFileError
from tests.samples.programs import encoded, run_score

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


def test_a_sheet_of_two_columns_is_a_reference():
    sheet = "utterance_id\ttranscript\nu1\tK  AE T \nu2\t<sil> HH AW S\nu3\t\n"
    reference = FORMAT.read_reference(encoded({"utterances.tsv": sheet}))
    assert reference["transcript"].tolist() == [["K", "AE", "T"], ["<sil>", "HH", "AW", "S"], []]


def test_a_reference_has_a_phone_in_a_thousand_transcripts():
    assert len(FORMAT.read_reference(encoded({"utterances.tsv": gold("K", *[""] * 999)})).items) == 1000
    with pytest.raises(ReferenceFileError, match="  1 phone in 1001 transcripts;"):
        FORMAT.read_reference(encoded({"utterances.tsv": gold("K", *[""] * 1000)}))
