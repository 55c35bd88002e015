"""PSST Task B end to end: its programs, its readers' refusals, its built bundle."""

import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import psst as sample
from spokeneval.submissions import psst_correctness as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files

TASK = "psst_correctness"
HEADER = "utterance_id\tsession\ttest\tprompt\ttranscript\tcorrectness\taq_index\tduration_frames\tfilename\n"


def gold(*correct):
    return HEADER + "".join(
        f"u{i}\ts\tBNT\tcat\tK AE T\t{str(bool(c)).upper()}\t71.5\t16000\tu{i}.wav\n"
        for i, c in enumerate(correct, 1)
    )


def answers(*predictions):
    rows = "".join(f"u{i}\t{'true' if p else 'false'}\n" for i, p in enumerate(predictions, 1))
    return "utterance_id\tprediction\n" + rows


def score(tmp_path, reference, submission):
    return run_score(TASK, tmp_path, {"utterances.tsv": reference}, {"correctness.tsv": submission})


# By hand: of the correct u1-u4, u1-u3 are predicted true (tp 3, fn 1); of the incorrect u5-u10, u5 and u6 (fp 2, tn 4).
GOLD = gold(*[1] * 4, *[0] * 6)
SOME = answers(1, 1, 1, 0, 1, 1, 0, 0, 0, 0)
EXPECTED = {
    "f1": 6 / (6 + 2 + 1),
    "precision": 3 / 5,
    "recall": 3 / 4,
    "accuracy": 7 / 10,
    "balanced_accuracy": (3 / 4 + 4 / 6) / 2,
    "f1_low": 2 / 3,  # one session: how speakers differ is not known
    "f1_high": 2 / 3,
}


def test_scores_of_a_hand_calculation(tmp_path):
    run = score(tmp_path, GOLD, SOME)
    assert run.status == 0, run.stderr
    assert list(run.scores) == list(EXPECTED)
    assert run.scores == pytest.approx(EXPECTED, rel=0, abs=1e-12)


def test_everything_predicted_incorrect_scores_0_and_does_not_fail(tmp_path):
    run = score(tmp_path, GOLD, answers(*[0] * 10))
    assert run.status == 0, run.stderr
    # No true positive: F1 0; nothing predicted correct: precision 0; the six incorrect ones are right.
    assert run.scores == {
        "f1": 0,
        "precision": 0,
        "recall": 0,
        "accuracy": 0.6,
        "balanced_accuracy": 0.5,
        "f1_low": 0,
        "f1_high": 0,
    }


def test_everything_predicted_correct_is_an_ordinary_score(tmp_path):
    run = score(tmp_path, GOLD, answers(*[1] * 10))
    assert run.scores["f1"] == pytest.approx(8 / (8 + 6), rel=0, abs=1e-12)
    assert (run.scores["recall"], run.scores["balanced_accuracy"]) == (1, 0.5)


def test_a_perfect_file_with_one_row_missing_does_not_score(tmp_path):
    files = sample.submissions(TASK, "evaluation")["perfect"]
    lines = files["correctness.tsv"].splitlines(keepends=True)
    reference = (ROOT / f"reference_data/{TASK}/evaluation/utterances.tsv").read_bytes()
    run = score(tmp_path, reference, b"".join([*lines[:1], *lines[2:]]))
    assert (run.status, run.scores) == (1, None)
    assert "SYN31a-BNT01-candle: 652 utterances expected, 651 found" in run.stderr
    run = score(tmp_path, reference, b"".join(lines[:2]))  # the challenge's own tool gives such a file F1 = 1
    assert (run.status, run.scores) == (1, None)
    run = score(tmp_path, reference, b"".join(lines))
    assert (run.status, set(run.scores.values())) == (0, {1})


@pytest.mark.parametrize(
    "sheet",
    [
        gold(1, 0, 0),
        gold(1, 0, 0)
        .replace("utterance_id", "id")
        .replace("transcript", "transcript_arpabet")
        .replace("correctness", "is_correct"),
        "utterance_id\tcorrectness\nu1\ttrue\nu2\tFalse\nu3\tFALSE\n",
        gold(1, 0, 0).replace("K AE T", "not a phone"),
    ],
    ids=["official", "older names", "two columns", "transcripts are not looked at"],
)
def test_official_files_of_both_editions_drop_in_unchanged(tmp_path, sheet):
    write_files(tmp_path, {"utterances.tsv": sheet})
    reference = reader.read_reference(tmp_path)
    assert reference.items.ids == ("u1", "u2", "u3")
    assert reference.correct.tolist() == [True, False, False]


def test_the_public_list_tells_nothing_and_is_in_the_order_of_the_ids(tmp_path):
    rows = gold(0, 0, 1, 1).splitlines()
    write_files(tmp_path / "ref", {"utterances.tsv": "\n".join([rows[0], *rows[:0:-1]])})
    public = reader.public_items(reader.read_reference(tmp_path / "ref"), {})
    text = public["utterance_list.tsv"].decode()
    assert text == "utterance_id\tsession\ttest\tprompt\tduration_frames\tfilename\n" + "".join(
        f"u{i}\ts\tBNT\tcat\t16000\tu{i}.wav\n" for i in range(1, 5)
    )
    assert reader.read_items(write_files(tmp_path / "input", public)).ids == ("u1", "u2", "u3", "u4")


SMALL = answers(1, 0, 1)
IDS = ("u1", "u2", "u3")

BAD_FILES = {
    "a misspelt word": (SMALL.replace("false", "flase"), "unknown_value", 3, "u2", "'flase'; expected 'true' or"),
    "yes": (SMALL.replace("false", "Yes"), "unknown_value", 3, "u2", "'Yes'"),
    "a number": (SMALL.replace("false", "0"), "unknown_value", 3, "u2", "'0'"),
    "a probability": (SMALL.replace("false", "0.25"), "unknown_value", 3, "u2", "'0.25'"),
    "nothing": (SMALL.replace("false", ""), "unknown_value", 3, "u2", "nothing"),
    "blanks around": (SMALL.replace("false", " false"), "unknown_value", 3, "u2", "' false'"),
    "a transcript": (SMALL.replace("false", "K AE T"), "unknown_value", 3, "u2", "'K AE T'"),
    "missing": (SMALL.replace("u2\tfalse\n", ""), "missing_item", None, "u2", "3 utterances expected, 2 found"),
    "header only": (SMALL.split("\n")[0], "missing_item", None, "u1", "3 utterances expected, 0 found"),
    "extra": (SMALL + "u4\ttrue\n", "unknown_item", 5, "u4", "u4"),
    "duplicate": (SMALL + "u1\tfalse\n", "duplicate_item", 5, "u1", "first on line 2"),
    "no prediction column": (SMALL.replace("prediction", "correct"), "missing_column", 1, None, "prediction"),
    "no header": (SMALL.split("\n", 1)[1], "missing_column", 1, None, "utterance_id"),
    "commas": (SMALL.replace("\t", ","), "missing_column", 1, None, "commas; expected tabs"),
    "column twice": ("prediction\t" + SMALL, "duplicate_column", 1, None, "prediction"),
    "a field more": (SMALL.replace("false", "false\tsure"), "wrong_field_count", 3, None, "3 fields"),
    "open quote": (SMALL.replace("false", '"false'), "unclosed_quote", 3, None, "quotation mark"),
    "empty": ("", "empty_file", None, None, "is empty"),
    "UTF-16": (SMALL.encode("utf-16"), "not_utf8", None, None, "UTF-16"),
    "NUL": (SMALL.replace("false", "fal\0se"), "nul_byte", 3, None, "NUL"),
    "CR line ends": (SMALL.replace("\n", "\r"), "carriage_return", 1, None, "carriage return"),
    "far too large": (SMALL + "u1\ttrue\n" * 200000, "file_too_large", None, None, "larger than"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_and_item(tmp_path, case):
    content, code, line, item, words = BAD_FILES[case]
    write_files(tmp_path, {"correctness.tsv": content})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    problem = refusal.value.problems[0]
    assert (problem.file, problem.code, problem.line, problem.item) == ("correctness.tsv", code, line, item)
    assert words in problem.message


BAD_FOLDERS = {
    "nothing": ({}, "missing_file", "the submission is empty"),
    "the other task's file": ({"transcripts.tsv": "x"}, "missing_file", "correctness.tsv"),
    "another ending": ({"correctness.csv": SMALL}, "missing_file", "rename it"),
    "a file more": ({"correctness.tsv": SMALL, "notes.txt": "x"}, "unexpected_file", "notes.txt"),
    "two folders": ({"a/correctness.tsv": SMALL, "b/x": ""}, "nested_folder", "2 folders"),
    "metadata": ({"correctness.tsv": SMALL, "metadata": "command: x\n"}, "metadata_file", "remove it"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_submission_is_refused_by_both_programs(tmp_path, case):
    files, code, words = BAD_FOLDERS[case]
    write_files(tmp_path / "input/res", files)
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path / "input/res"), reader.Items(IDS))
    assert refusal.value.problems[0].code == code
    run = run_score(TASK, tmp_path, {"utterances.tsv": gold(1, 0, 1)}, files)
    assert (run.status, run.scores) == (1, None)
    public = reader.public_items(reader.read_reference(tmp_path / "input/ref"), {})
    write_files(tmp_path / "items", public)
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "items", tmp_path / "input/res", tmp_path / "ingested")
    assert done.returncode == 1
    for text in (run.stderr, done.stderr, (tmp_path / "ingested/ingestion_report.txt").read_text()):
        assert words in text
        assert "Traceback" not in text


def test_ingestion_says_what_scoring_says_and_neither_depends_on_a_label(tmp_path):
    bad = SMALL.replace("false", "flase") + "u9\ttrue\n"
    words = set()
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    for labels in ((1, 0, 1), (0, 1, 0)):
        run = score(tmp_path, gold(*labels), bad)
        public = reader.public_items(reader.read_reference(tmp_path / "input/ref"), {})
        write_files(tmp_path / "items", public)
        done = run_program(ingest, tmp_path / "items", tmp_path / "input/res", tmp_path / "ingested")
        assert (run.status, run.scores, done.returncode) == (1, None, 1)
        words |= {run.stderr, done.stderr}
        good = score(tmp_path, gold(*labels), SMALL)
        words.add(good.stdout)
    assert len(words) == 2


GOOD_FILES = {
    "any case": SOME.replace("true", "True", 2).replace("false", "FALSE", 3).replace("true", "tRUE", 1),
    "another order, quoted, another column": "x\tPREDICTION\tutterance_id\n"
    + "".join(f'1\t"{row.split()[1]}"\t{row.split()[0]}\n' for row in SOME.splitlines()[:0:-1]),
    "BOM, CRLF, no final newline": "\ufeff" + SOME.replace("\n", "\r\n").rstrip(),
}


@pytest.mark.parametrize("case", GOOD_FILES)
def test_harmless_variations_score_the_same(tmp_path, case):
    run = score(tmp_path, GOLD, GOOD_FILES[case])
    assert run.status == 0, run.stderr
    assert run.scores == pytest.approx(EXPECTED, rel=0, abs=1e-12)


BAD_REFERENCES = {
    "another label": (GOLD.replace("FALSE", "WRONG", 1), "unknown_value", 6, "'WRONG'"),
    "no label": (GOLD.replace("FALSE", "", 1), "unknown_value", 6, "nothing"),
    "one class": (gold(1, 1, 1), "one_class", None, "only one kind"),
    "an id twice": (GOLD.replace("u2\t", "u1\t", 1), "duplicate_item", 3, "first on line 2"),
    "an empty id": (GOLD.replace("u2\t", "\t", 1), "empty_item", 3, "empty"),
    "no label column": (GOLD.replace("correctness", "quality"), "missing_column", 1, "correctness"),
}


@pytest.mark.parametrize("case", BAD_REFERENCES)
def test_a_broken_reference_is_told_to_the_organiser_and_not_to_participants(tmp_path, case):
    content, code, line, words = BAD_REFERENCES[case]
    write_files(tmp_path / "own", {"utterances.tsv": content})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path / "own")
    problem = refusal.value.problems[0]
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message
    run = score(tmp_path, content, SOME)
    assert (run.status, run.scores) == (1, None)
    assert words not in run.stderr
    assert "tell the organisers" in run.stderr


def test_perfect_baseline_and_random_rank_in_that_order_on_both_platforms(tmp_path):
    planned = plan(ROOT, [TASK], {})
    assert planned.warnings == []
    for built in write(ROOT, planned, ["codabench", "codalab"], tmp_path):
        assert built.findings == ()
        scored = {}
        files = sample.submissions(TASK, "evaluation")
        files["baseline"] = planned.parts[TASK].solutions["evaluation"]
        for name, content in files.items():
            (tmp_path / "submission.zip").write_bytes(make_zip(content))
            done = rehearse(built.path, tmp_path / "submission.zip")
            assert done.status == "Finished", str(done)
            scored[name] = float(done.scores["f1"])
        assert built.bundle.columns[0].direction == "higher"
        assert sorted(scored, key=scored.__getitem__, reverse=True) == ["perfect", "baseline", "random"]
        assert scored["perfect"] == 1
        # Published for the test split: F1 0.892.
        assert scored["baseline"] == pytest.approx(0.892, rel=0, abs=0.02)
