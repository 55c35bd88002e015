"""Caller Experience end to end: its programs, its readers' refusals, its built bundle, its starting kit."""

import subprocess
import sys
import zipfile

import numpy as np
import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import caller_experience as sample
from spokeneval.submissions import caller_experience as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files

TASK = "caller_experience"
EXACT = {"rtol": 0, "atol": 1e-12}


def gold(*listeners):
    rows = [
        f"C{i},{','.join(map(str, ratings))}\n" for i, ratings in enumerate(zip(*listeners, strict=True), 1)
    ]
    return {"reference.csv": "call_id,human1,human2,human3\n" + "".join(rows)}


def rated(ratings):
    return {
        "ratings.csv": "call_id,rating\n" + "".join(f"C{i},{rating}\n" for i, rating in enumerate(ratings, 1))
    }


# Ten calls on which nobody uses 3; kappa 1 - (5/10)/(158/100) = 54/79 by hand (tests/test_agreement.py). Differences
# of A and B: 1 0 1 1 0 2 0 0 0 0.
A = [1, 5, 2, 5, 4, 4, 2, 4, 1, 2]
B = [2, 5, 1, 4, 4, 2, 2, 4, 1, 2]


def test_worked_case_through_the_program(tmp_path):
    run = run_score(TASK, tmp_path, gold(A, A, B), rated(B))
    assert run.status == 0, run.stderr
    kappa = 54 / 79
    expected = {
        "kappa_mean": (2 * kappa + 1) / 3,
        "kappa_human1": kappa,
        "kappa_human2": kappa,
        "kappa_human3": 1,
        "human_kappa_mean": (1 + 2 * kappa) / 3,
        "parity": 0,
        "exact": 100 * (6 + 6 + 10) / 30,
        "within_one": 100 * (9 + 9 + 10) / 30,
    }
    assert [key for key in run.scores if key in expected] == list(expected)
    np.testing.assert_allclose([run.scores[key] for key in expected], list(expected.values()), **EXACT)


def test_scores_equal_scikit_learn_with_the_scale_given(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    listeners = rng.integers(1, 6, size=(3, 40))
    ratings = rng.choice([1, 2, 5], size=40)
    run = run_score(TASK, tmp_path, gold(*listeners), rated(ratings))

    def kappa(a, b):
        return metrics.cohen_kappa_score(a, b, labels=[1, 2, 3, 4, 5], weights="linear")

    found = [run.scores[f"kappa_human{i}"] for i in (1, 2, 3)]
    np.testing.assert_allclose(found, [kappa(listener, ratings) for listener in listeners], **EXACT)
    np.testing.assert_allclose(run.scores["kappa_mean"], np.mean(found), **EXACT)
    between = [kappa(listeners[i], listeners[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(run.scores["human_kappa_mean"], np.mean(between), **EXACT)
    np.testing.assert_allclose(run.scores["parity"], np.mean(found) - np.mean(between), **EXACT)
    np.testing.assert_allclose(run.scores["exact"], 100 * np.mean(listeners == ratings), **EXACT)
    near = np.abs(listeners - ratings) <= 1
    np.testing.assert_allclose(run.scores["within_one"], 100 * near.mean(), **EXACT)


@pytest.mark.parametrize(
    ("ratings", "kappa", "exact"), [([4] * 5, 1, 100), ([3] * 5, 0, 0), ([4, 4, 4, 4, 1], 0, 80)]
)
def test_listeners_who_give_one_rating_throughout(tmp_path, ratings, kappa, exact):
    # Kappa is 1 by convention for a system that does the same. For any other, agreement is what chance gives: 0.
    run = run_score(TASK, tmp_path, gold([4] * 5, [4] * 5, [4] * 5), rated(ratings))
    assert run.status == 0
    np.testing.assert_allclose([run.scores[f"kappa_human{i}"] for i in (1, 2, 3)], kappa, **EXACT)
    assert run.scores["human_kappa_mean"] == 1
    np.testing.assert_allclose([run.scores["parity"], run.scores["exact"]], [kappa - 1, exact], **EXACT)


IDS = ("C1", "C2", "C3")
SMALL = rated([4, 3, 1])["ratings.csv"]

# Every refusal: the file, the code, the line and the item that it must name.
BAD_FILES = {
    "rating 0": (SMALL.replace("C2,3", "C2,0"), "off_scale", 3, "C2"),
    "rating 6": (SMALL.replace("C2,3", "C2,6"), "off_scale", 3, "C2"),
    "rating -1": (SMALL.replace("C2,3", "C2,-1"), "off_scale", 3, "C2"),
    "rating 3.0": (SMALL.replace("C2,3", "C2,3.0"), "off_scale", 3, "C2"),
    "rating +3": (SMALL.replace("C2,3", "C2,+3"), "off_scale", 3, "C2"),
    "rating three": (SMALL.replace("C2,3", "C2,three"), "off_scale", 3, "C2"),
    "rating nan": (SMALL.replace("C2,3", "C2,nan"), "off_scale", 3, "C2"),
    "rating blank": (SMALL.replace("C2,3", "C2, "), "off_scale", 3, "C2"),
    "no rating": (SMALL.replace("C2,3", "C2,"), "off_scale", 3, "C2"),
    "blank before": (SMALL.replace("C2,3", "C2, 3"), "off_scale", 3, "C2"),
    "empty file": ("", "empty_file", None, None),
    "header only": ("call_id,rating\n", "missing_item", None, "C1"),
    "missing": (SMALL.replace("C3,1\n", ""), "missing_item", None, "C3"),
    "extra": (SMALL + "C4,1\n", "unknown_item", 5, "C4"),
    "duplicate": (SMALL + "C1,4\n", "duplicate_item", 5, "C1"),
    "tabs": (SMALL.replace(",", "\t"), "missing_column", 1, None),
    "semicolons": (SMALL.replace(",", ";"), "missing_column", 1, None),
    "no header": (SMALL.split("\n", 1)[1], "missing_column", 1, None),
    "column twice": (SMALL.replace("call_id,rating", "rating,rating,call_id"), "duplicate_column", 1, None),
    "three fields": (SMALL.replace("C2,3", "C2,3,x"), "wrong_field_count", 3, None),
    "open quote": (SMALL.replace("C2,3", '"C2,3'), "unclosed_quote", 3, None),
    "UTF-16": (SMALL.encode("utf-16"), "not_utf8", None, None),
    "too large": ("C1,1\n" * 300000, "file_too_large", None, None),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_and_item(tmp_path, case):
    content, code, line, item = BAD_FILES[case]
    write_files(tmp_path, {"ratings.csv": content})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    problem = refusal.value.problems[0]
    assert (problem.code, problem.line, problem.item, problem.file) == (code, line, item, "ratings.csv")


def test_all_problems_are_told_at_once_in_words_for_people(tmp_path):
    text = "call_id,rating\nC1,3.0\nC2,three\nC2,\nC9,6\n"
    write_files(tmp_path, {"ratings.csv": text})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    assert str(refusal.value).splitlines() == [
        "ratings.csv: 7 problems",
        "",
        "  line 2    call_id C1: rating '3.0'; expected an integer from 1 to 5, without a decimal point",
        "  line 3    call_id C2: rating 'three'; expected an integer from 1 to 5",
        "  line 4    call_id C2 again; first on line 3",
        "  line 4    call_id C2: rating nothing; expected an integer from 1 to 5",
        "  line 5    call_id C9 is not one of the 3 calls",
        "  line 5    call_id C9: rating '6'; expected an integer from 1 to 5",
        "  missing   call_id C3: 3 calls expected, 2 found",
    ]


BAD_FOLDERS = {
    "nothing": ({}, "missing_file"),
    "another name": ({"rating.csv": SMALL}, "missing_file"),
    "a file more": ({"ratings.csv": SMALL, "notes.txt": "hello"}, "unexpected_file"),
    "two folders": ({"a/ratings.csv": SMALL, "b/ratings.csv": SMALL}, "nested_folder"),
    "a bad rating": ({"ratings.csv": SMALL.replace("C2,3", "C2,3.0")}, "off_scale"),
    "a row missing": ({"ratings.csv": SMALL.replace("C3,1\n", "")}, "missing_item"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_submission_is_refused_by_both_programs(tmp_path, case):
    files, code = BAD_FOLDERS[case]
    reference = gold([4, 3, 1], [4, 3, 2], [5, 3, 1])
    run = run_score(TASK, tmp_path, reference, files)
    assert (run.status, run.scores) == (1, None)
    assert "Nothing was scored" in run.stderr
    assert not list((tmp_path / "output").iterdir())

    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path / "input/res"), reader.Items(IDS))
    assert refusal.value.problems[0].code == code

    public = reader.public_items(reader.read_reference(tmp_path / "input/ref"), {})
    write_files(tmp_path / "public", public)
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "public", tmp_path / "input/res", tmp_path / "ingested")
    assert done.returncode == 1
    assert done.stderr == run.stderr
    assert "refused" in (tmp_path / "ingested/ingestion_report.txt").read_text()


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("\n", "\r\n"),
        "\ufeff" + SMALL,
        SMALL.rstrip("\n"),
        "rating,comment,CALL_ID\n" + "1,x,C3\n" + '4,"fine, really",C1\n' + '"3",,"C2"\n\n',
    ],
    ids=["CRLF", "BOM", "no final newline", "another order, quoted, more columns"],
)
def test_harmless_variations_are_read_the_same(tmp_path, text):
    write_files(tmp_path, {"ratings.csv": text})
    submission = reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    assert submission.ratings.tolist() == [4, 3, 1]


GOLD = gold([4, 3, 1], [4, 3, 2], [5, 3, 1])["reference.csv"]
REFERENCES = {
    "a rating off the scale": (GOLD.replace("C2,3,3,3", "C2,3,6,3"), "off_scale", 3),
    "a listener's rating missing": (GOLD.replace("C2,3,3,3", "C2,3,3,"), "off_scale", 3),
    "a rating with a decimal point": (GOLD.replace("C2,3,3,3", "C2,3,3,3.0"), "off_scale", 3),
    "two listeners": (GOLD.replace("human3", "comment"), "missing_column", 1),
    "two ratings": (GOLD.replace("C2,3,3,3", "C2,3,3"), "wrong_field_count", 3),
    "an id twice": (GOLD.replace("C2,", "C1,"), "duplicate_item", 3),
    "an empty id": (GOLD.replace("C2,", ","), "empty_item", 3),
    "no call": (GOLD.split("\n")[0] + "\n", "no_items", None),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_is_refused_with_its_row_and_tells_participants_nothing(tmp_path, case):
    content, code, line = REFERENCES[case]
    run = run_score(TASK, tmp_path, {"reference.csv": content}, {"ratings.csv": SMALL})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path / "input/ref")
    assert (refusal.value.problems[0].code, refusal.value.problems[0].line) == (code, line)
    assert (run.status, run.scores) == (1, None)
    assert "tell the organisers" in run.stderr
    assert "human" not in run.stderr
    assert "C2" not in run.stderr


def test_the_public_list_has_ids_alone_in_an_order_that_tells_nothing(tmp_path):
    write_files(tmp_path, gold([1, 2, 3], [1, 2, 3], [1, 2, 3]))
    text = (tmp_path / "reference.csv").read_text().replace("C1", "Z, 9").replace("Z, 9", '"Z, 9"')
    (tmp_path / "reference.csv").write_text(text)
    public = reader.public_items(reader.read_reference(tmp_path), {})
    assert public == {"calls.csv": b'call_id\nC2\nC3\n"Z, 9"\n'}
    write_files(tmp_path, public)
    assert reader.read_items(tmp_path).ids == ("C2", "C3", "Z, 9")


# The built bundle


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    planned = plan(ROOT, [TASK], {})
    assert planned.warnings == []
    folder = tmp_path_factory.mktemp(TASK)
    zips = {one.platform: one for one in write(ROOT, planned, ["codabench", "codalab"], folder)}
    return planned.parts[TASK], zips


@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_median_of_the_listeners_baseline_and_random_rank_in_that_order(built, tmp_path, platform):
    parts, zips = built
    assert zips[platform].findings == ()
    files = {"baseline": parts.solutions["evaluation"], **sample.submissions("evaluation")}
    rows = {}
    for name, content in files.items():
        (tmp_path / "submission.zip").write_bytes(make_zip(content))
        rows[name] = rehearse(zips[platform].path, tmp_path / "submission.zip")
        assert rows[name].status == "Finished", str(rows[name])
    sorting = rows["baseline"].row[0].sorting
    ranked = sorted(rows, key=lambda name: rows[name].row[0].stored, reverse=sorting == "desc")
    assert ranked == ["listeners' median", "baseline", "random"]
    # As in the paper, the tree agrees with the listeners (0.80) as well as they do with one another (0.78).
    assert round(rows["baseline"].scores["kappa_mean"], 2) == 0.80
    assert round(rows["baseline"].scores["human_kappa_mean"], 2) == 0.78
    assert abs(rows["random"].scores["kappa_mean"]) < 0.1


def test_a_participant_tries_a_submission_and_gets_a_zip(built, tmp_path):
    with zipfile.ZipFile(built[1]["codabench"].path) as bundle:
        (tmp_path / "kit.zip").write_bytes(bundle.read("starting_kit.zip"))
    kit = tmp_path / "kit"
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        archive.extractall(kit)

    def run(*command):
        return subprocess.run([sys.executable, *command], cwd=kit, capture_output=True, text=True)

    for called in ("development", "evaluation"):
        assert run("baseline.py", called, called + "_out").returncode == 0
        done = run("try_submission.py", "--set", called, called + "_out")
        assert done.returncode == 0, done.stderr
        assert zipfile.ZipFile(kit / "submission.zip").namelist() == ["ratings.csv"]
        assert ("kappa_mean " in done.stdout) == (called == "development")
    assert not (kit / "evaluation/reference").exists()

    (kit / "data/evaluation_calls.csv").write_text("call_id\nE0001\n")
    done = run("baseline.py", "evaluation", "again")
    assert done.returncode == 1
    assert done.stderr == "data/evaluation_calls.csv has no features for 201 calls, E0002 among them\n"
