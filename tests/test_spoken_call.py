"""Spoken CALL end to end: its programs, its readers' refusals, its built bundle, its starting kit."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import spoken_call as sample
from spokeneval.submissions import spoken_call as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files
from tests.test_accept_reject import COLUMNS, TABLE_1, decided

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"
LABEL = {True: "correct", False: "incorrect"}


def gold(correct, meaningful):
    rows = [
        f"{i}\tFrag: Wasser\t{i}.wav\twater\twater\t{LABEL[bool(c)]}\t{LABEL[bool(m)]}\n"
        for i, (c, m) in enumerate(zip(correct, meaningful, strict=True), 1)
    ]
    return HEADER + "".join(rows)


def results(accepted):
    return "Id\tAccept\n" + "".join(
        f"{i}\t{'accept' if a else 'reject'}\n" for i, a in enumerate(accepted, 1)
    )


SMALL_GOLD = gold([1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0])
SMALL = results([1, 1, 0, 0, 0, 1])


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Spoken CALL with an organiser's own gold standard, 740 and 260, built for both platforms."""
    folder = tmp_path_factory.mktemp("spoken_call")
    correct, meaningful, _ = decided(TABLE_1["JJJ"][0])
    (folder / "gold.csv").write_text(gold(correct, meaningful))
    planned = plan(ROOT, ["spoken_call"], {("spoken_call", "evaluation"): folder / "gold.csv"})
    return {
        built.platform: built for built in write(ROOT, planned, ["codabench", "codalab"], folder / "dist")
    }


@pytest.mark.parametrize("row", TABLE_1)
def test_the_built_bundle_gives_every_row_of_table_1(bundles, tmp_path, row):
    counts, published = TABLE_1[row]
    # The gold standard has JJJ's 95 gross errors among its incorrect responses; another row's decisions are laid
    # over a gold standard with its own, so that its counts come out.
    correct, meaningful, accepted = decided(counts)
    (tmp_path / "gold.csv").write_text(gold(correct, meaningful))
    planned = plan(ROOT, ["spoken_call"], {("spoken_call", "evaluation"): tmp_path / "gold.csv"})
    (built,) = write(ROOT, planned, ["codabench"], tmp_path)
    submission = tmp_path / "submission.zip"
    submission.write_bytes(make_zip({"results.csv": results(accepted).encode()}))
    done = rehearse(built.path, submission)
    assert done.status == "Finished", str(done)
    scores = dict(done.scores)
    if row == "JJJ":
        assert (scores["eligible"], scores["d_full"]) == (0, 0)
        scores["d_full"] = scores["d_full_raw"]
    assert " ".join(f"{scores[key]:.3f}" for key in COLUMNS) == published
    assert [scores[key] for key in ("ca", "fr", "cr", "pfa", "gfa")] == list(counts)


def test_perfect_baseline_and_random_rank_in_that_order_on_both_platforms(tmp_path):
    planned = plan(ROOT, ["spoken_call"], {})
    for built in write(ROOT, planned, ["codabench", "codalab"], tmp_path):
        assert built.findings == ()
        files = sample.submissions("evaluation")
        files["baseline"] = planned.parts["spoken_call"].solutions["evaluation"]
        scored = {}
        for name, content in files.items():
            submission = tmp_path / "submission.zip"
            submission.write_bytes(make_zip(content))
            done = rehearse(built.path, submission)
            scored[name] = done.scores["d_full"]
        ranked = sorted(scored, key=lambda name: -scored[name])
        assert ranked == ["perfect", "baseline", "random", "breaks the 50 % rule"]
        # Table 1's Baseline, which the sample set is arranged to give: 4.090.
        assert f"{scored['baseline']:.3f}" == "4.090"


def test_the_sample_grammar_on_transcriptions_gives_the_perfect_recognition_baseline():
    # Table 1, BaselinePerfectRec: CA 671, FR 69, CR 250, PFA 7, GFA 3.
    good, lenient = sample._grammar()
    counts = dict.fromkeys(("ca", "fr", "cr", "pfa", "gfa"), 0)
    for row in sample.make_sheet("evaluation"):
        accept = row["Transcription"] in good[row["Prompt"]] + lenient.get(row["Prompt"], [])
        if row["language"] == "correct":
            counts["ca" if accept else "fr"] += 1
        elif not accept:
            counts["cr"] += 1
        else:
            counts["pfa" if row["meaning"] == "correct" else "gfa"] += 1
    assert counts == {"ca": 671, "fr": 69, "cr": 250, "pfa": 7, "gfa": 3}


def test_the_samples_in_the_repository_are_what_the_generator_writes():
    for name in sample.SETS:
        path = ROOT / "reference_data" / "spoken_call" / name / "reference.csv"
        assert path.read_text(encoding="utf-8") == sample.sheet_text(sample.make_sheet(name))
    assert (ROOT / "starting_kit/spoken_call/data/grammar.xml").read_text(
        encoding="utf-8"
    ) == sample.grammar_text()


def test_the_policy_reject_fails_a_run_that_breaks_the_rule(tmp_path):
    correct, meaningful, accepted = decided(TABLE_1["JJJ"][0])
    options = {"options": {"fifty_percent_rule": "reject"}}
    run = run_score(
        "spoken_call",
        tmp_path,
        {"reference.csv": gold(correct, meaningful)},
        {"results.csv": results(accepted)},
        options,
    )
    assert (run.status, run.scores) == (1, None)
    assert "breaks the 50 % rule" in run.stderr
    assert "90.0" not in run.stderr  # the labels are hidden: the rates are not told
    assert "40.8" not in run.stderr


def test_on_public_labels_the_exact_rates_are_told(tmp_path):
    from spokeneval.results.options import fingerprint

    correct, meaningful, accepted = decided(TABLE_1["JJJ"][0])
    reference = {"reference.csv": gold(correct, meaningful)}
    known = fingerprint({name: text.encode() for name, text in reference.items()})
    options = {"options": {"fifty_percent_rule": "reject"}, "public_references": [known]}
    run = run_score("spoken_call", tmp_path, reference, {"results.csv": results(accepted)}, options)
    assert run.status == 1
    assert "found 90.0 % and 40.8 %" in run.stderr  # 666 / 740 and 106 / 260


def test_everything_accepted_is_flagged_and_never_infinite(tmp_path):
    run = run_score("spoken_call", tmp_path, {"reference.csv": SMALL_GOLD}, {"results.csv": results([1] * 6)})
    assert run.status == 0
    assert (run.scores["eligible"], run.scores["d_full"], run.scores["d_full_raw"]) == (0, 0, 0)
    assert run.scores["precision"] == 3 / (3 + 1 + 3 * 2)


def test_nothing_accepted_has_precision_0(tmp_path):
    run = run_score("spoken_call", tmp_path, {"reference.csv": SMALL_GOLD}, {"results.csv": results([0] * 6)})
    assert (run.status, run.scores["precision"], run.scores["f_measure"], run.scores["eligible"]) == (
        0,
        0,
        0,
        0,
    )


def test_known_class_sizes_refuse_a_number_of_accepts_that_cannot_meet_the_rule(tmp_path):
    items = reader.Items(tuple("123456"), class_sizes=(3, 3))
    for accepted, code in (([1] * 5 + [0], "rule_out_of_reach"), ([1] + [0] * 5, "rule_out_of_reach")):
        write_files(tmp_path, {"results.csv": results(accepted)})
        with pytest.raises(SubmissionError) as refusal:
            reader.read_submission(list_files(tmp_path), items)
        assert refusal.value.problems[0].code == code
    write_files(tmp_path, {"results.csv": results([1, 1, 0, 0, 0, 0])})
    reader.read_submission(list_files(tmp_path), items)


# Every refusal: the file, the code, the line and the item that it must name.
BAD_FILES = {
    "empty file": ("", "empty_file", None, None),
    "header only": ("Id\tAccept\n", "missing_item", None, "1"),
    "missing": (SMALL.replace("3\treject\n", ""), "missing_item", None, "3"),
    "extra": (SMALL + "7\taccept\n", "unknown_item", 8, "7"),
    "duplicate": (SMALL + "1\taccept\n", "duplicate_item", 8, "1"),
    "unknown word": (SMALL.replace("3\treject", "3\tacept"), "unknown_value", 4, "3"),
    "capital": (SMALL.replace("3\treject", "3\tReject"), "unknown_value", 4, "3"),
    "no word": (SMALL.replace("3\treject", "3\t"), "unknown_value", 4, "3"),
    "commas": (SMALL.replace("\t", ","), "missing_column", 1, None),
    "no header": (SMALL.split("\n", 1)[1], "missing_column", 1, None),
    "column twice": (SMALL.replace("Id\tAccept", "Accept\tAccept\tId"), "duplicate_column", 1, None),
    "three fields": (SMALL.replace("2\taccept", "2\taccept\tsure"), "wrong_field_count", 3, None),
    "open quote": (SMALL.replace("2\taccept", '"2\taccept'), "unclosed_quote", 3, None),
    "blanks": (SMALL.replace("2\t", " 2\t"), "unknown_item", 3, " 2"),
    "spreadsheet id": (SMALL.replace("2\t", "2.0\t"), "unknown_item", 3, "2.0"),
    "UTF-16": (SMALL.encode("utf-16"), "not_utf8", None, None),
    "Latin-1": (SMALL.replace("2\t", "ä2\t").encode("latin-1"), "not_utf8", 3, None),
    "NUL": (SMALL.replace("2\taccept", "2\tacc\0ept"), "nul_byte", 3, None),
    "CR line ends": (SMALL.replace("\n", "\r"), "carriage_return", 1, None),
    "one CR": (SMALL.replace("3\treject", "3\rreject"), "carriage_return", 4, None),
    "ten million lines": ("1\taccept\n" * 500000, "file_too_large", None, None),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_and_item(tmp_path, case):
    content, code, line, item = BAD_FILES[case]
    write_files(tmp_path, {"results.csv": content})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(tuple("123456")))
    problem = refusal.value.problems[0]
    assert (problem.code, problem.line, problem.item) == (code, line, item)
    assert problem.file == "results.csv"


BAD_FOLDERS = {
    "nothing": ({}, "missing_file"),
    "another name": ({"result.csv": SMALL}, "missing_file"),
    "two folders": ({"a/results.csv": SMALL, "b/results.csv": SMALL}, "nested_folder"),
    "a folder beside": ({"results.csv": SMALL, "code/x.py": ""}, "nested_folder"),
    "a folder in a folder": ({"a/b/results.csv": SMALL}, "nested_folder"),
    "a file more": ({"results.csv": SMALL, "notes.txt": "hello"}, "unexpected_file"),
    "a zip inside": ({"results.csv": SMALL, "results.zip": b"PK"}, "unexpected_file"),
    "metadata": ({"results.csv": SMALL, "metadata": "command: python3 x.py\n"}, "metadata_file"),
    "metadata.yaml": ({"results.csv": SMALL, "metadata.yaml": "command: x\n"}, "metadata_file"),
    "planted report": ({"results.csv": SMALL, "ingestion_report.txt": "accepted"}, "unexpected_file"),
    "planted scores": ({"results.csv": SMALL, "scores.json": "{}"}, "unexpected_file"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_submission_is_refused_by_both_programs(tmp_path, case):
    files, code = BAD_FOLDERS[case]
    write_files(tmp_path / "res", files)
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path / "res"), reader.Items(tuple("123456")))
    assert refusal.value.problems[0].code == code

    write_files(tmp_path / "ref", {"reference.csv": SMALL_GOLD})
    done = run_program(ROOT / "scoring_program/spoken_call/score.py", tmp_path, tmp_path / "output")
    assert done.returncode == 1
    assert not list((tmp_path / "output").iterdir())
    assert "Nothing was scored" in done.stderr
    assert "Traceback" not in done.stderr

    reference = reader.read_reference(tmp_path / "ref")
    write_files(tmp_path / "input", reader.public_items(reference, {}))
    ingest = ROOT / "ingestion_program/spoken_call/ingest.py"
    done = run_program(ingest, tmp_path / "input", tmp_path / "res", tmp_path / "ingested")
    assert done.returncode == 1
    assert "refused" in (tmp_path / "ingested" / "ingestion_report.txt").read_text()


GOOD_FOLDERS = {
    "as it is": {"results.csv": SMALL},
    "in one folder": {"mine/results.csv": SMALL},
    "with a computer's own files": {"results.csv": SMALL, "__MACOSX/._results.csv": "x", ".DS_Store": "x"},
    "in a folder, with them": {
        "mine/results.csv": SMALL,
        "__MACOSX/mine/._results.csv": "x",
        "mine/.DS_Store": "",
    },
    "with the platform's files": {
        "results.csv": SMALL,
        "metadata": "elapsedTime: 0.2\nexitCode: null\ningestionElapsedTime: 0.2\ningestionExitCode: 0\n",
        "ingestion_report.txt": "spoken_call: structure accepted, 6 items checked.\n",
    },
    "BOM and CRLF": {"results.csv": b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode()},
    "no final newline": {"results.csv": SMALL.rstrip("\n")},
    "another order, quoted, more columns": {
        "results.csv": "ACCEPT\tid\tPrompt\n"
        + "".join(
            f'"{line.split(chr(9))[1]}"\t"{line.split(chr(9))[0]}"\tx\n' for line in SMALL.split("\n")[6:0:-1]
        )
    },
}


@pytest.mark.parametrize("case", GOOD_FOLDERS)
def test_harmless_variations_score_the_same(tmp_path, case):
    run = run_score("spoken_call", tmp_path, {"reference.csv": SMALL_GOLD}, GOOD_FOLDERS[case])
    assert run.status == 0, run.stderr
    # CA 2, FR 1, CR 2, PFA 0, GFA 1: sqrt(2 * 2 / (3 * 1)).
    assert run.scores["d_full"] == pytest.approx((4 / 3) ** 0.5, rel=0, abs=1e-12)
    assert [run.scores[key] for key in ("ca", "fr", "cr", "pfa", "gfa")] == [2, 1, 2, 0, 1]


def test_a_link_is_refused(tmp_path):
    write_files(tmp_path / "ref", {"reference.csv": SMALL_GOLD})
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "results.csv").symlink_to(tmp_path / "ref" / "reference.csv")
    done = run_program(ROOT / "scoring_program/spoken_call/score.py", tmp_path, tmp_path / "output")
    assert done.returncode == 1
    assert "is a link" in done.stderr


REFERENCES = {
    "stray header": (SMALL_GOLD.replace("3\t", HEADER + "3\t", 1), "stray_header", 4),
    "correct but meaningless": (
        SMALL_GOLD.replace("correct\tcorrect", "correct\tincorrect", 1),
        "contradictory_labels",
        2,
    ),
    "another label": (SMALL_GOLD.replace("correct\tcorrect", "right\tcorrect", 1), "unknown_value", 2),
    "an id twice": (SMALL_GOLD.replace("3\tFrag", "2\tFrag", 1), "duplicate_item", 4),
    "an empty id": (SMALL_GOLD.replace("3\tFrag", "\tFrag", 1), "empty_item", 4),
    "one kind": (gold([1, 1], [1, 1]), "one_class", None),
    "no label column": (SMALL_GOLD.replace("language", "tongue", 1), "missing_column", 1),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_is_refused_with_its_row(tmp_path, case):
    content, code, line = REFERENCES[case]
    write_files(tmp_path, {"reference.csv": content})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path)
    assert (refusal.value.problems[0].code, refusal.value.problems[0].line) == (code, line)


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_on_the_server_tells_participants_no_label(tmp_path, case):
    run = run_score("spoken_call", tmp_path, {"reference.csv": REFERENCES[case][0]}, {"results.csv": SMALL})
    assert (run.status, run.scores) == (1, None)
    assert "tell the organisers" in run.stderr
    assert "correct" not in run.stderr
    assert "Frag" not in run.stderr


@pytest.mark.parametrize(
    "sheet",
    [
        SMALL_GOLD,
        "".join(SMALL_GOLD.partition("\n")[2:]),
        SMALL_GOLD.replace("Id\tPrompt", "ID\tprompt").replace("language\tmeaning", "Language\tMeaning"),
        "".join(
            "\t".join(f'"{field}"' for field in line.split("\t")) + "\n" for line in SMALL_GOLD.splitlines()
        ),
        "\n".join(
            "\t".join(np.array(line.split("\t"))[[0, 1, 2, 4, 5, 6]]) for line in SMALL_GOLD.splitlines()[1:]
        ),
        "\ufeff" + SMALL_GOLD.replace("\n", "\r\n"),
    ],
    ids=["as it is", "no header", "other case", "quoted", "first edition, no header", "BOM and CRLF"],
)
def test_sheets_of_every_edition_drop_in_unchanged(tmp_path, sheet):
    write_files(tmp_path, {"reference.csv": sheet})
    reference = reader.read_reference(tmp_path)
    assert reference.items.ids == tuple("123456")
    assert reference.correct.tolist() == [True] * 3 + [False] * 3
    assert reference.meaningful.tolist() == [True] * 4 + [False] * 2


def test_the_public_sheet_has_no_label_and_no_order_that_tells_one(tmp_path):
    rows = SMALL_GOLD.splitlines()
    write_files(tmp_path, {"reference.csv": "\n".join([rows[0], *rows[:3:-1], *rows[3:0:-1]])})
    reference = reader.read_reference(tmp_path)
    public = reader.public_items(reference, {"class_sizes": "hidden"})
    assert list(public) == ["test_sheet.csv"]
    sheet = public["test_sheet.csv"].decode()
    assert sheet.splitlines()[0] == "Id\tPrompt\tWavfile\tRecResult"
    assert [line.split("\t")[0] for line in sheet.splitlines()[1:]] == list("123456")
    told = reader.public_items(reference, {"class_sizes": "public"})
    assert json.loads(told["class_sizes.json"]) == {"correct": 3, "incorrect": 3}


def test_the_baseline_reads_a_grammar_in_which_a_prompt_occurs_twice(tmp_path):
    unit = "<prompt_unit><prompt>{}</prompt><response>{}</response></prompt_unit>"
    grammar = (
        "<g>" + unit.format("Frag: Wasser", "Water  please") + unit.format("Frag: Wasser", "water") + "</g>"
    )
    kit = write_files(
        tmp_path / "kit",
        {
            "baseline.py": (ROOT / "starting_kit/spoken_call/baseline.py").read_bytes(),
            "data/grammar.xml": grammar,
            "development/input/test_sheet.csv": "Id\tPrompt\tRecResult\n1\tFrag: Wasser\tWATER\n"
            "2\tFrag: Wasser\twater please\n3\tFrag: Wasser\tbeer\n4\tFrag: Bier\twater\n",
        },
    )
    subprocess.run([sys.executable, "baseline.py", "development", "out"], cwd=kit, check=True)
    assert (kit / "out/results.csv").read_text() == "Id\tAccept\n1\taccept\n2\taccept\n3\treject\n4\treject\n"


def test_the_kit_scores_with_the_very_files_of_the_server(bundles, tmp_path):
    for built in bundles.values():
        with zipfile.ZipFile(built.path) as bundle:
            inner = {}
            for name in ("starting_kit.zip", "scoring_program.zip", "ingestion_program.zip"):
                if name in bundle.namelist():
                    path = tmp_path / name
                    path.write_bytes(bundle.read(name))
                    with zipfile.ZipFile(path) as archive:
                        inner[name] = {entry: archive.read(entry) for entry in archive.namelist()}
        kit = inner.pop("starting_kit.zip")
        for files in inner.values():
            for name, content in files.items():
                if not name.startswith("metadata"):
                    assert kit[name] == content, name


def test_a_participant_tries_a_submission_and_gets_a_zip(bundles, tmp_path):
    with zipfile.ZipFile(bundles["codabench"].path) as bundle:
        (tmp_path / "kit.zip").write_bytes(bundle.read("starting_kit.zip"))
    kit = tmp_path / "kit"
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        archive.extractall(kit)

    def run(*command):
        return subprocess.run([sys.executable, *command], cwd=kit, capture_output=True, text=True)

    assert run("baseline.py", "development", "out").returncode == 0
    for submission in ("out", "out/results.csv", "submission.zip"):
        done = run("try_submission.py", submission)
        assert done.returncode == 0, done.stderr
        assert "d_full                 3.95" in done.stdout
        assert zipfile.ZipFile(kit / "submission.zip").namelist() == ["results.csv"]

    Path(kit / "out/results.csv").write_text("Id\tAccept\n")
    done = run("try_submission.py", "out")
    assert done.returncode == 1
    assert "1000 responses expected, 0 found" in done.stderr
    assert run("try_submission.py", "--set", "evaluation", "submission.zip").returncode == 1
    assert "No set tomorrow" in run("try_submission.py", "--set", "tomorrow", "out").stderr
