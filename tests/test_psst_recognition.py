"""PSST Task A end to end: its programs, its readers' refusals, its built bundle."""

import random
import shutil
import subprocess
import sys
import zipfile

import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import psst as sample
from spokeneval.metrics.phoneme_recognition import FILLERS, arpabet_features
from spokeneval.submissions import psst_recognition as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files

TASK = "psst_recognition"
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
    return run_score(TASK, tmp_path, {"utterances.tsv": reference}, {"transcripts.tsv": submission})


# What was said, what was recognised, PER and FER as the challenge's own tool gives them (pssteval 0.0.1 on
# phonologic, system hayes-arpabet), as fractions of whole numbers.
WORKED = [
    ("V AE N", "F AE N", (1, 3), (1, 72)),
    ("V AE N", "K AE N", (1, 3), (7, 72)),
    ("K AE T", "K AE T S", (1, 3), (21.5, 72)),
    ("K AE T", "AE T", (1, 3), (21, 72)),
    ("K AE T", "", (3, 3), (64, 72)),
    ("HH AW S", "HH AA S", (1, 3), (1.5, 72)),
    ("T UW TH B R AH SH", "T UH TH B AH SH", (2, 7), (22, 168)),
    ("CH", "T SH", (2, 1), (22.5, 24)),
    ("B ER D", "B AH R D", (2, 3), (23, 72)),
    ("K <spn> T", "K AE T", (1, 2), (21.5, 48)),
]


@pytest.mark.parametrize(("said", "heard", "per", "fer"), WORKED)
def test_worked_examples(tmp_path, said, heard, per, fer):
    run = score(tmp_path, gold(said), answers(heard))
    assert run.status == 0, run.stderr
    assert run.scores["per"] == pytest.approx(100 * per[0] / per[1], rel=0, abs=1e-12)
    assert run.scores["fer"] == pytest.approx(100 * fer[0] / fer[1], rel=0, abs=1e-12)
    assert run.scores["substitutions"] + run.scores["insertions"] + run.scores["deletions"] == per[0]


def test_rates_are_pooled_over_utterances(tmp_path):
    run = score(tmp_path, gold(*(row[0] for row in WORKED)), answers(*(row[1] for row in WORKED)))
    phones = sum(row[2][1] for row in WORKED)  # 31
    assert run.scores["per"] == pytest.approx(
        100 * sum(row[2][0] for row in WORKED) / phones, rel=0, abs=1e-12
    )
    cost = sum(row[3][0] for row in WORKED)  # 205
    assert run.scores["fer"] == pytest.approx(100 * cost / (24 * phones), rel=0, abs=1e-12)


def test_an_empty_reference_transcript_adds_its_insertions(tmp_path):
    # K AE T right, then nothing but a filler where AH M (22 and 21.5 features) is recognised.
    run = score(tmp_path, gold("K AE T", "<spn>"), answers("K AE T", "AH M"))
    assert run.scores["per"] == pytest.approx(200 / 3, rel=0, abs=1e-12)
    inserted = (
        arpabet_features().indel_costs()[[arpabet_features().phones.index(p) for p in ("AH", "M")]].sum()
    )
    assert run.scores["fer"] == pytest.approx(100 * inserted / 72, rel=0, abs=1e-12)
    assert (run.scores["substitutions"], run.scores["insertions"], run.scores["deletions"]) == (0, 2, 0)


def test_nothing_recognised_anywhere_is_a_score(tmp_path):
    run = score(tmp_path, gold("K AE T", "HH AW S"), answers("", "<sil> <unk>"))
    assert (run.status, run.scores["per"], run.scores["deletions"]) == (0, 100, 6)


@pytest.mark.parametrize(
    "sheet",
    [
        gold("K AE T", "<sil> HH AW S", ""),
        gold("K AE T", "<sil> HH AW S", "")
        .replace("utterance_id", "id")
        .replace("transcript", "transcript_arpabet")
        .replace("correctness", "is_correct"),
        "utterance_id\ttranscript\nu1\tK  AE T \nu2\t<sil> HH AW S\nu3\t\n",
        "\ufeff" + gold("K AE T", "<sil> HH AW S", "").replace("\n", "\r\n"),
    ],
    ids=["official", "older names", "two columns", "BOM and CRLF"],
)
def test_official_files_of_both_editions_drop_in_unchanged(tmp_path, sheet):
    write_files(tmp_path, {"utterances.tsv": sheet})
    reference = reader.read_reference(tmp_path)
    assert reference.items.ids == ("u1", "u2", "u3")
    assert reference.transcripts == [["K", "AE", "T"], ["<sil>", "HH", "AW", "S"], []]


def test_the_public_list_tells_nothing_and_is_in_the_order_of_the_ids(tmp_path):
    rows = gold("K AE T", "HH AW S", "D AO G").splitlines()
    write_files(tmp_path / "ref", {"utterances.tsv": "\n".join([rows[0], *rows[:0:-1]])})
    reference = reader.read_reference(tmp_path / "ref")
    assert reference.items.ids == ("u3", "u2", "u1")
    public = reader.public_items(reference, {})
    header, *lines = public["utterance_list.tsv"].decode().splitlines()
    assert header.split("\t") == ["utterance_id", "session", "test", "prompt", "duration_frames", "filename"]
    assert [line.split("\t")[0] for line in lines] == ["u1", "u2", "u3"]
    assert "AE" not in "".join(lines)
    assert "71.5" not in "".join(lines)
    assert reader.read_items(write_files(tmp_path / "input", public)).ids == ("u1", "u2", "u3")


SMALL = answers("K AE T", "HH AW S", "D AO G")
IDS = ("u1", "u2", "u3")

# Every refusal of a file: code, line, item and what the message must say.
BAD_FILES = {
    "stress digit": (SMALL.replace("AE", "AE0"), "unknown_phone", 2, "u1", "'AE0' is not one of the 40 phones"),
    "lower case": (SMALL.replace("AW", "aw"), "unknown_phone", 3, "u2", "'aw' is not one of the 40 phones; write AW,"),
    "stressed, lower case": (SMALL.replace("AW", "aw1"), "unknown_phone", 3, "u2", "write AW"),
    "IPA": (SMALL.replace("AE", "æ"), "unknown_phone", 2, "u1", "'æ'"),
    "IPA affricate": (SMALL.replace("AE", "tʃ"), "unknown_phone", 2, "u1", "'tʃ'"),
    "run together": (SMALL.replace("D AO G", "DAOG"), "unknown_phone", 4, "u3", "'DAOG'"),
    "joined": (SMALL.replace("D AO G", "D-AO-G"), "unknown_phone", 4, "u3", "write D AO G"),
    "filler in capitals": (SMALL.replace("D AO", "<SIL> AO"), "unknown_phone", 4, "u3", "write <sil>"),
    "filler without brackets": (SMALL.replace("D AO", "spn AO"), "unknown_phone", 4, "u3", "write <spn>"),
    "unknown symbol": (SMALL.replace("D AO", "QX AO"), "unknown_phone", 4, "u3", "'QX'"),
    "terminal escape": (SMALL.replace("D AO", "\x1b[31mD AO"), "unknown_phone", 4, "u3", "'\\x1b[31mD'"),
    "a kilometre": (SMALL.replace("D AO", "D" * 9999 + " AO"), "unknown_phone", 4, "u3", "D'..."),
    "missing": (SMALL.replace("u2\tHH AW S\n", ""), "missing_item", None, "u2", "3 utterances expected, 2 found"),
    "header only": (SMALL.split("\n")[0], "missing_item", None, "u1", "3 utterances expected, 0 found"),
    "extra": (SMALL + "u4\tK\n", "unknown_item", 5, "u4", "u4"),
    "duplicate": (SMALL + "u1\tK AE T\n", "duplicate_item", 5, "u1", "first on line 2"),
    "blanks": (SMALL.replace("u2", " u2"), "unknown_item", 3, " u2", "blanks around it"),
    "no transcript column": (SMALL.replace("asr_transcript", "text"), "missing_column", 1, None, "asr_transcript"),
    "the reference's column": (SMALL.replace("asr_", ""), "missing_column", 1, None, "asr_transcript"),
    "no header": (SMALL.split("\n", 1)[1], "missing_column", 1, None, "utterance_id"),
    "commas": (SMALL.replace("\t", ","), "missing_column", 1, None, "commas; expected tabs"),
    "column twice": ("asr_transcript\t" + SMALL, "duplicate_column", 1, None, "asr_transcript"),
    "tab for blank": (SMALL.replace("K AE", "K\tAE"), "wrong_field_count", 2, None, "3 fields"),
    "empty transcript without its tab": (SMALL.replace("u2\tHH AW S", "u2"), "wrong_field_count", 3, None, "1 field"),
    "open quote": (SMALL.replace("K AE", '"K AE'), "unclosed_quote", 2, None, "quotation mark"),
    "empty": ("", "empty_file", None, None, "is empty"),
    "UTF-16": (SMALL.encode("utf-16"), "not_utf8", None, None, "UTF-16"),
    "Latin-1": (SMALL.replace("AE", "æ").encode("latin-1"), "not_utf8", 2, None, "UTF-8"),
    "NUL": (SMALL.replace("AE", "A\0E"), "nul_byte", 2, None, "NUL"),
    "CR line ends": (SMALL.replace("\n", "\r"), "carriage_return", 1, None, "carriage return"),
    "far too large": (SMALL + "u1\tK AE T\n" * 200000, "file_too_large", None, None, "larger than"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_id_and_token(tmp_path, case):
    content, code, line, item, words = BAD_FILES[case]
    write_files(tmp_path, {"transcripts.tsv": content})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    problem = refusal.value.problems[0]
    assert (problem.file, problem.code, problem.line, problem.item) == ("transcripts.tsv", code, line, item)
    assert words in problem.message
    assert problem.message.isprintable()


def test_all_bad_tokens_are_told_at_once(tmp_path):
    run = score(
        tmp_path,
        gold("K AE T", "HH AW S", "D AO G", "K AE T"),
        answers("K AE0 T AE0", "hh aw S", "<SIL> d", "K AE T").replace("u4", "u5"),
    )
    assert (run.status, run.scores) == (1, None)
    assert "transcripts.tsv: 7 problems" in run.stderr
    for line, item, token in (
        (2, "u1", "AE0"),
        (3, "u2", "hh"),
        (3, "u2", "aw"),
        (4, "u3", "<SIL>"),
        (4, "u3", "d"),
    ):
        assert f"line {line}    utterance_id {item}: '{token}' is not one of the 40 phones" in run.stderr
    assert "u5 is not one of the 4 utterances" in run.stderr
    assert "u4: 4 utterances expected, 3 found" in run.stderr
    assert "does not count against your daily limit" in run.stderr


def test_a_perfect_file_with_one_row_missing_does_not_score(tmp_path):
    files = sample.submissions(TASK, "evaluation")["perfect"]
    lines = files["transcripts.tsv"].splitlines(keepends=True)
    reference = (ROOT / f"reference_data/{TASK}/evaluation/utterances.tsv").read_bytes()
    run = score(tmp_path, reference, b"".join(lines[:-1]))
    assert (run.status, run.scores) == (1, None)
    assert "652 utterances expected, 651 found" in run.stderr
    run = score(tmp_path, reference, b"".join(lines))
    assert (run.status, set(run.scores.values())) == (0, {0})


BAD_FOLDERS = {
    "nothing": ({}, "missing_file", "the submission is empty"),
    "another name": ({"asr.tsv": SMALL}, "missing_file", "is missing"),
    "another ending": ({"transcripts.csv": SMALL}, "missing_file", "rename it"),
    "a file more": ({"transcripts.tsv": SMALL, "notes.txt": "x"}, "unexpected_file", "notes.txt"),
    "both tasks": ({"transcripts.tsv": SMALL, "correctness.tsv": "x"}, "unexpected_file", "correctness.tsv"),
    "two folders": ({"a/transcripts.tsv": SMALL, "b/x": ""}, "nested_folder", "2 folders"),
    "metadata": ({"transcripts.tsv": SMALL, "metadata": "command: x\n"}, "metadata_file", "remove it"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_submission_is_refused_by_both_programs(tmp_path, case):
    files, code, words = BAD_FOLDERS[case]
    write_files(tmp_path / "input/res", files)
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path / "input/res"), reader.Items(IDS))
    assert refusal.value.problems[0].code == code
    run = run_score(TASK, tmp_path, {"utterances.tsv": gold("K AE T", "HH AW S", "D AO G")}, files)
    assert (run.status, run.scores) == (1, None)
    public = reader.public_items(reader.read_reference(tmp_path / "input/ref"), {})
    write_files(tmp_path / "items", public)
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "items", tmp_path / "input/res", tmp_path / "ingested")
    assert done.returncode == 1
    for text in (run.stderr, done.stderr, (tmp_path / "ingested/ingestion_report.txt").read_text()):
        assert words in text
        assert "Traceback" not in text


def test_ingestion_refuses_a_wrong_token_in_the_words_of_scoring(tmp_path):
    bad = SMALL.replace("AE", "AE0")
    run = score(tmp_path, gold("K AE T", "HH AW S", "D AO G"), bad)
    public = reader.public_items(reader.read_reference(tmp_path / "input/ref"), {})
    write_files(tmp_path / "items", public)
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "items", tmp_path / "input/res", tmp_path / "ingested")
    assert (run.status, done.returncode) == (1, 1)
    assert done.stderr == run.stderr
    write_files(tmp_path / "input/res", {"transcripts.tsv": SMALL})
    done = run_program(ingest, tmp_path / "items", tmp_path / "input/res", tmp_path / "ingested")
    assert (done.returncode, done.stdout) == (0, f"{TASK}: structure accepted, 3 items checked.\n")


GOOD_FILES = {
    "another order, quoted, another column": 'x\tASR_TRANSCRIPT\tUtterance_ID\n1\t"D AO G"\tu3\n'
    "2\tHH AW S\tu2\n3\tK AE D\tu1\n",
    "BOM, CRLF, no final newline": "\ufeff" + answers("K AE D", "HH AW S", "D AO G").replace("\n", "\r\n").rstrip(),
    "fillers and blanks": answers("  K <sil>   AE D ", "<spn> HH AW S", "D AO G <unk>"),
}  # fmt: skip


@pytest.mark.parametrize("case", GOOD_FILES)
def test_harmless_variations_score_the_same(tmp_path, case):
    run = score(tmp_path, gold("K AE T", "HH AW S", "D AO G"), GOOD_FILES[case])
    assert run.status == 0, run.stderr
    # T taken for D differs in voice alone: 1 of 9 phones, 1 of 9 * 24 features.
    assert run.scores["per"] == pytest.approx(100 / 9, rel=0, abs=1e-12)
    assert run.scores["fer"] == pytest.approx(100 / 216, rel=0, abs=1e-12)


BAD_REFERENCES = {
    "a phone outside the table": (gold("K AE T", "K AX T"), "unknown_phone", 3, "'AX'"),
    "no phone at all": (gold("", "<spn>"), "no_phones", None, "not one phone"),
    "an id twice": (gold("K", "T").replace("u2\t", "u1\t"), "duplicate_item", 3, "first on line 2"),
    "an empty id": (gold("K", "T").replace("u2\t", "\t"), "empty_item", 3, "empty"),
    "no transcripts": (gold("K").replace("transcript", "text"), "missing_column", 1, "transcript"),
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
    run = score(tmp_path, content, answers("K", "T"))
    assert (run.status, run.scores) == (1, None)
    assert words not in run.stderr
    assert "tell the organisers" in run.stderr


def test_no_text_makes_the_reader_do_anything_but_accept_or_refuse(tmp_path):
    """Random tokens near the inventory: accepted if each is a phone or filler, else refused with each named."""
    rng = random.Random(7)
    known = [*arpabet_features().phones, *sorted(FILLERS)]
    for _ in range(300):
        tokens = []
        for _ in range(rng.randrange(4)):
            token = rng.choice(known)
            if rng.random() < 0.3:
                token = rng.choice(
                    [str.lower, str.title, lambda t: t + "1", lambda t: t * 3, lambda t: "ʃ" + t]
                )(token)
            tokens.append(token)
        write_files(tmp_path, {"transcripts.tsv": answers(" ".join(tokens))})
        wrong = {token for token in tokens if token not in known}
        if not wrong:
            assert reader.read_submission(list_files(tmp_path), reader.Items(("u1",))).transcripts == [tokens]
            continue
        with pytest.raises(SubmissionError) as refusal:
            reader.read_submission(list_files(tmp_path), reader.Items(("u1",)))
        problems = refusal.value.problems
        assert len(problems) == len(wrong)
        assert all(any(repr(token) in problem.message for problem in problems) for token in wrong)


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
            scored[name] = float(done.scores["fer"])
        assert built.bundle.columns[0].direction == "lower"
        assert sorted(scored, key=scored.__getitem__) == ["perfect", "baseline", "random"]
        assert scored["perfect"] == 0
        # Published for the test split: FER 0.121.
        assert scored["baseline"] == pytest.approx(12.1, rel=0, abs=0.6)


def test_an_organisers_own_feature_table_holds_everywhere(tmp_path):
    """Three phones of two features in place of the vendored table: references, submissions, scores and kit."""
    root = tmp_path / "series"
    ignored = shutil.ignore_patterns(".*", "dist", "__pycache__", "tests", "benchmarks")
    shutil.copytree(ROOT, root, ignore=ignored)
    table = root / "spokeneval/metrics/arpabet_features.tsv"
    table.write_text("# ours\nphone\tvoice\tlong\na\t+\t-\ni\t+\t+\nt\t-\t0\n")

    def build():
        own = [f"--reference={TASK}/{name}={tmp_path}/{name}.tsv" for name in ("development", "evaluation")]
        command = [sys.executable, "build_bundle.py", "build", TASK, "--out", str(tmp_path / "dist"), *own]
        return subprocess.run(command, cwd=root, capture_output=True, text=True)

    (tmp_path / "development.tsv").write_text(gold("t a"))
    (tmp_path / "evaluation.tsv").write_text(gold("t a t", "i <sil>"))
    built = build()
    assert built.returncode == 0, built.stderr
    assert (
        "no baseline solution for the evaluation set" in built.stderr
    )  # the sample's recogniser knows other ids
    for platform in ("codabench", "codalab"):
        (tmp_path / "submission.zip").write_bytes(make_zip({"transcripts.tsv": answers("t a", "a").encode()}))
        done = rehearse(tmp_path / "dist" / platform / f"{TASK}.zip", tmp_path / "submission.zip")
        assert done.status == "Finished", str(done)
        # t left out: 1 + 1/2; a for i: |-1 - 1| / 2 = 1; 4 phones of 2 features.
        assert float(done.scores["fer"]) == pytest.approx(100 * 2.5 / 8, rel=0, abs=1e-12)
        assert float(done.scores["per"]) == pytest.approx(100 * 2 / 4, rel=0, abs=1e-12)
        (tmp_path / "submission.zip").write_bytes(
            make_zip({"transcripts.tsv": answers("T AE", "a").encode()})
        )
        done = rehearse(tmp_path / "dist" / platform / f"{TASK}.zip", tmp_path / "submission.zip")
        assert done.status == "Failed"
        assert "'AE' is not one of the 3 phones" in str(done)
    with zipfile.ZipFile(tmp_path / "dist/codabench" / f"{TASK}.zip") as bundle:
        (tmp_path / "kit.zip").write_bytes(bundle.read("starting_kit.zip"))
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        assert kit.read("spokeneval/metrics/arpabet_features.tsv") == table.read_bytes()

    table.write_text("phone\tvoice\tlong\na\t+\t-\ni\t+\n")
    built = build()
    assert built.returncode == 1
    assert "phone 'i' has 1 values for 2 features" in built.stderr
