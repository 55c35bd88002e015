"""Content accuracy end to end: its programs, its readers' refusals, its built bundle, its starting kit."""

import math
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from benchmarks.paper_tables import CORRELATIONS, REGRESSIONS, content_tables
from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import content_accuracy as sample
from spokeneval.submissions import content_accuracy as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files

TASK = "content_accuracy"
KEYS = ("pearson_r", "quadratic_kappa", "partial_r", "exact", "adjacent", "rmse")
EXACT = {"rtol": 0, "atol": 1e-12}


def gold(scores, words):
    rows = [f"R{i},P1,S{i},{s},{w}\n" for i, (s, w) in enumerate(zip(scores, words, strict=True), 1)]
    return {"reference.csv": "response_id,prompt_id,speaker_id,human_score,words\n" + "".join(rows)}


def predicted(scores):
    return {
        "predictions.csv": "response_id,score\n"
        + "".join(f"R{i},{score}\n" for i, score in enumerate(scores, 1))
    }


def scored(tmp_path, reference, predictions):
    run = run_score(TASK, tmp_path, reference, predictions)
    assert run.status == 0, run.stderr
    return [run.scores[key] for key in KEYS]


WORDS = [10, 20, 10, 20]


def test_worked_case_in_which_nobody_gives_a_3(tmp_path):
    # Human 1 1 4 4, predicted 1 2 4 2: squared differences 0 1 0 4, mean 5/4. Over all 16 pairs of a human and a
    # predicted score they add up to 2 (0 + 1 + 9 + 1) + 2 (9 + 4 + 0 + 4) = 56, mean 7/2: kappa = 1 - (5/4)/(7/2).
    # About the means 5/2 and 9/4 the products add up to 9/2, the squares to 9 and 19/4: r = (9/2)/sqrt(9 * 19/4).
    # Words are uncorrelated with the human scores (0) and correlate with the predictions at -5/sqrt(100 * 19/4).
    r = 4.5 / math.sqrt(9 * 4.75)
    expected = [r, 9 / 14, r / math.sqrt(1 - 25 / 475), 50, 75, math.sqrt(5 / 4)]
    found = scored(tmp_path, gold([1, 1, 4, 4], WORDS), predicted([1, 2, 4, 2]))
    np.testing.assert_allclose(found, expected, **EXACT)
    metrics = pytest.importorskip("sklearn.metrics")
    # A library that numbers the ratings that occur (1, 2, 4 -> 0, 1, 2) finds another: 1 - (2/4)/(24/16) = 2/3.
    between_indexes = metrics.cohen_kappa_score([1, 1, 4, 4], [1, 2, 4, 2], weights="quadratic")
    np.testing.assert_allclose(between_indexes, 2 / 3, **EXACT)


def test_predictions_are_trimmed_and_rounded_for_kappa_and_agreement_alone(tmp_path):
    human, rounded = [1, 2, 2, 4, 4, 1], [1, 2, 2, 4, 4, 1]
    raw = [0.5, 1.5, 2.5, 3.5, 9, -1000]
    _, kappa, _, exact, _, rmse = scored(tmp_path, gold(human, [1, 2, 3, 4, 5, 7]), predicted(raw))
    assert rounded == human  # halves go to the even integer, what lies outside to the nearest end
    assert (kappa, exact) == (1, 100)
    squares = [(h - p) ** 2 for h, p in zip(human, raw, strict=True)]
    np.testing.assert_allclose(rmse, math.sqrt(sum(squares) / 6), **EXACT)


def test_scores_equal_scipy_scikit_learn_and_the_closed_form(tmp_path):
    stats, metrics = pytest.importorskip("scipy.stats"), pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    human, words = rng.integers(1, 5, size=80), rng.integers(5, 150, size=80)
    raw = np.round(0.4 * human + 0.01 * words + rng.normal(size=80), 3)
    rounded = np.clip(np.rint(np.clip(raw, 0.5002, 4.4998)), 1, 4).astype(int)
    xy, xz, yz = np.corrcoef([human, raw, words])[[0, 0, 1], [1, 2, 2]]
    expected = [
        stats.pearsonr(human, raw).statistic,
        metrics.cohen_kappa_score(human, rounded, labels=[1, 2, 3, 4], weights="quadratic"),
        (xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2)),
        100 * np.mean(human == rounded),
        100 * np.mean(np.abs(human - rounded) <= 1),
        math.sqrt(np.mean((human - raw) ** 2)),
    ]
    np.testing.assert_allclose(scored(tmp_path, gold(human, words), predicted(raw)), expected, **EXACT)


def test_a_constant_prediction_scores_0_correlation(tmp_path):
    r, kappa, partial, exact, adjacent, rmse = scored(
        tmp_path, gold([1, 2, 4, 2], WORDS), predicted([2.25] * 4)
    )
    assert (r, partial) == (0, 0)
    assert (exact, adjacent) == (50, 75)
    np.testing.assert_allclose(kappa, 0, **EXACT)
    np.testing.assert_allclose(rmse, math.sqrt((1.25**2 + 0.25**2 + 1.75**2 + 0.25**2) / 4), **EXACT)


@pytest.mark.parametrize("of_words", ["{}", "0.{}", "-{}e-2"])
def test_predictions_that_only_count_words_have_partial_correlation_0(tmp_path, of_words):
    words = [17, 23, 31, 58, 64]
    predictions = predicted([of_words.format(count) for count in words])
    r, _, partial, *_ = scored(tmp_path, gold([1, 3, 2, 4, 3], words), predictions)
    assert abs(r) > 0.5
    assert partial == 0


@pytest.mark.parametrize(
    "reference", [gold([1, 2, 4], [30] * 3), gold([1, 2, 4], [10, 20, 40])], ids=["constant", "linear"]
)
def test_partial_correlation_is_0_where_the_lengths_leave_nothing_to_correlate(tmp_path, reference):
    r, _, partial, *_ = scored(tmp_path, reference, predicted([1, 3, 2]))
    assert (partial, r > 0) == (0, True)


IDS = ("R1", "R2", "R3")
SMALL = predicted([2.5, 3, 1.25])["predictions.csv"]

# Every refusal: the file, the code, the line and the item that it must name.
BAD_FILES = {
    "nan": (SMALL.replace("R2,3", "R2,nan"), "not_a_number", 3, "R2"),
    "inf": (SMALL.replace("R2,3", "R2,inf"), "not_a_number", 3, "R2"),
    "-Infinity": (SMALL.replace("R2,3", "R2,-Infinity"), "not_a_number", 3, "R2"),
    "1e999": (SMALL.replace("R2,3", "R2,1e999"), "not_a_number", 3, "R2"),
    "hexadecimal": (SMALL.replace("R2,3", "R2,0x3"), "not_a_number", 3, "R2"),
    "underscore": (SMALL.replace("R2,3", "R2,1_0"), "not_a_number", 3, "R2"),
    "three": (SMALL.replace("R2,3", "R2,three"), "not_a_number", 3, "R2"),
    "locale comma": (SMALL.replace("R2,3", 'R2,"2,71"'), "not_a_number", 3, "R2"),
    "no score": (SMALL.replace("R2,3", "R2,"), "not_a_number", 3, "R2"),
    "blank": (SMALL.replace("R2,3", "R2, 3"), "not_a_number", 3, "R2"),
    "1e200": (SMALL.replace("R2,3", "R2,1e200"), "out_of_bounds", 3, "R2"),
    "-1000.1": (SMALL.replace("R2,3", "R2,-1000.1"), "out_of_bounds", 3, "R2"),
    "empty file": ("", "empty_file", None, None),
    "header only": ("response_id,score\n", "missing_item", None, "R1"),
    "missing": (SMALL.replace("R3,1.25\n", ""), "missing_item", None, "R3"),
    "extra": (SMALL + "R4,1\n", "unknown_item", 5, "R4"),
    "duplicate": (SMALL + "R1,4\n", "duplicate_item", 5, "R1"),
    "semicolons": (SMALL.replace(",", ";"), "missing_column", 1, None),
    "no header": (SMALL.split("\n", 1)[1], "missing_column", 1, None),
    "column twice": (SMALL.replace("response_id,", "score,score,response_id,"), "duplicate_column", 1, None),
    "a locale comma unquoted": (SMALL.replace("R2,3", "R2,2,71"), "wrong_field_count", 3, None),
    "open quote": (SMALL.replace("R2,3", '"R2,3'), "unclosed_quote", 3, None),
    "too large": ("R1,1\n" * 300000, "file_too_large", None, None),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_and_item(tmp_path, case):
    content, code, line, item = BAD_FILES[case]
    write_files(tmp_path, {"predictions.csv": content})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    problem = refusal.value.problems[0]
    assert (problem.code, problem.line, problem.item, problem.file) == (code, line, item, "predictions.csv")


def test_all_problems_are_told_at_once_in_words_for_people(tmp_path):
    write_files(tmp_path, {"predictions.csv": 'response_id,score\nR1,nan\nR2,"2,71"\nR3,1e200\nR4,\n'})
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    assert str(refusal.value).splitlines() == [
        "predictions.csv: 5 problems",
        "",
        "  line 2    response_id R1: score 'nan'; expected a finite decimal number",
        "  line 3    response_id R2: score '2,71'; expected a finite decimal number (a decimal point, not a comma)",
        "  line 4    response_id R3: score '1e200'; expected a number on the scale 1-4, in any case -1000 to 1000",
        "  line 5    response_id R4 is not one of the 3 responses",
        "  line 5    response_id R4: score nothing; expected a finite decimal number",
    ]


BAD_FOLDERS = {
    "nothing": ({}, "missing_file"),
    "another name": ({"prediction.csv": SMALL}, "missing_file"),
    "a file more": ({"predictions.csv": SMALL, "notes.txt": "hello"}, "unexpected_file"),
    "two folders": ({"a/predictions.csv": SMALL, "b/predictions.csv": SMALL}, "nested_folder"),
    "not a number": ({"predictions.csv": SMALL.replace("R2,3", "R2,nan")}, "not_a_number"),
    "a row missing": ({"predictions.csv": SMALL.replace("R3,1.25\n", "")}, "missing_item"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_submission_is_refused_by_both_programs(tmp_path, case):
    files, code = BAD_FOLDERS[case]
    run = run_score(TASK, tmp_path, gold([4, 3, 1], [9, 7, 8]), files)
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
        'Score,model,response_id\n1.25,x,R3\n25e-1,"a, b",R1\n"+3.",,"R2"\n\n',
    ],
    ids=["CRLF", "BOM", "no final newline", "another order, quoted, more columns"],
)
def test_harmless_variations_are_read_the_same(tmp_path, text):
    write_files(tmp_path, {"predictions.csv": text})
    submission = reader.read_submission(list_files(tmp_path), reader.Items(IDS))
    assert submission.scores.tolist() == [2.5, 3, 1.25]


GOLD = gold([4, 3, 1], [9, 7, 8])["reference.csv"]
REFERENCES = {
    "a score off the scale": (GOLD.replace("S2,3", "S2,5"), "off_scale", 3),
    "a score of 0": (GOLD.replace("S2,3", "S2,0"), "off_scale", 3),
    "a score with a decimal point": (GOLD.replace("S2,3", "S2,3.5"), "off_scale", 3),
    "no score": (GOLD.replace("S2,3", "S2,"), "off_scale", 3),
    "no words": (GOLD.replace(",7\n", ",0\n"), "bad_word_count", 3),
    "negative words": (GOLD.replace(",7\n", ",-7\n"), "bad_word_count", 3),
    "half a word": (GOLD.replace(",7\n", ",7.5\n"), "bad_word_count", 3),
    "words missing": (GOLD.replace(",7\n", ",\n"), "bad_word_count", 3),
    "an id twice": (GOLD.replace("R2,", "R1,"), "duplicate_item", 3),
    "an empty id": (GOLD.replace("R2,", ","), "empty_item", 3),
    "no column of words": (GOLD.replace("words", "length"), "missing_column", 1),
    "two responses": (GOLD.replace("R2,P1,S2,3,7\n", ""), "too_few_items", None),
    "one score throughout": (gold([2, 2, 2], [9, 7, 8])["reference.csv"], "constant_scores", None),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_is_refused_with_its_row_and_tells_participants_nothing(tmp_path, case):
    content, code, line = REFERENCES[case]
    run = run_score(TASK, tmp_path, {"reference.csv": content}, {"predictions.csv": SMALL})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path / "input/ref")
    assert (refusal.value.problems[0].code, refusal.value.problems[0].line) == (code, line)
    assert (run.status, run.scores) == (1, None)
    assert "tell the organisers" in run.stderr
    assert "score" not in run.stderr.replace("Nothing was scored", "")


def test_the_public_list_has_neither_scores_nor_lengths_nor_an_order_that_tells_them(tmp_path):
    lines = gold([1, 2, 3], [9, 7, 8])["reference.csv"].splitlines()
    write_files(tmp_path, {"reference.csv": "\n".join([lines[0], *lines[:0:-1]])})
    public = reader.public_items(reader.read_reference(tmp_path), {})
    assert public == {
        "responses.csv": b"response_id,prompt_id,speaker_id\nR1,P1,S1\nR2,P1,S2\nR3,P1,S3\n",
    }
    write_files(tmp_path, public)
    assert reader.read_items(tmp_path).ids == IDS


# The built bundle


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    planned = plan(ROOT, [TASK], {})
    assert planned.warnings == []
    folder = tmp_path_factory.mktemp(TASK)
    zips = {one.platform: one for one in write(ROOT, planned, ["codabench", "codalab"], folder)}
    return planned.parts[TASK], zips


@pytest.fixture(scope="module")
def kit(built, tmp_path_factory):
    """The starting kit, unpacked as a participant would."""
    folder = tmp_path_factory.mktemp("kit")
    with zipfile.ZipFile(built[1]["codabench"].path) as bundle:
        (folder / "kit.zip").write_bytes(bundle.read("starting_kit.zip"))
    with zipfile.ZipFile(folder / "kit.zip") as archive:
        archive.extractall(folder / "kit")
    return folder / "kit"


def run_in(kit, *command):
    return subprocess.run([sys.executable, *command], cwd=kit, capture_output=True, text=True)


@pytest.fixture(scope="module")
def models(kit):
    """What each of the three published models submits for the evaluation set."""
    files = {}
    for model in ("cva", "base_rouge", "new_rouge"):
        done = run_in(kit, "baseline.py", "evaluation", model, "--model", model)
        assert done.returncode == 0, done.stderr
        files[model] = {"predictions.csv": (kit / model / "predictions.csv").read_bytes()}
    return files


@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_perfect_the_three_models_and_random_rank_in_that_order(built, models, tmp_path, platform):
    parts, zips = built
    assert zips[platform].findings == ()
    assert parts.solutions["evaluation"] == models["new_rouge"]
    rows = {}
    for name, content in {**models, **sample.submissions("evaluation")}.items():
        (tmp_path / "submission.zip").write_bytes(make_zip(content))
        rows[name] = rehearse(zips[platform].path, tmp_path / "submission.zip")
        assert rows[name].status == "Finished", str(rows[name])
    sorting = rows["cva"].row[0].sorting
    ranked = sorted(rows, key=lambda name: rows[name].row[0].stored, reverse=sorting == "desc")
    assert ranked == ["perfect", "new_rouge", "base_rouge", "cva", "random"]
    partial = {name: row.scores["partial_r"] for name, row in rows.items()}
    assert partial["new_rouge"] > partial["cva"] > partial["base_rouge"]
    assert all(partial[name] < rows[name].scores["pearson_r"] for name in models)


def test_a_participant_tries_a_submission_and_gets_a_zip(kit):
    r = {}
    for model in ("cva", "base_rouge", "new_rouge"):
        assert run_in(kit, "baseline.py", "development", "out", "--model", model).returncode == 0
        done = run_in(kit, "try_submission.py", "out")
        assert done.returncode == 0, done.stderr
        assert zipfile.ZipFile(kit / "submission.zip").namelist() == ["predictions.csv"]
        r[model] = float(done.stdout.partition("pearson_r")[2].split()[0])
    readme = (kit / "README.md").read_text()
    assert all(f"| {value:.3f} |" in readme for value in r.values())
    assert not (kit / "evaluation/reference").exists()
    assert (
        "unknown_model" in run_in(kit, "baseline.py", "development", "x", "--model", "unknown_model").stderr
    )


def test_the_posters_tables_at_full_size():
    # The synthetic responses imitate the published statistics; they keep the order of the models.
    regressions, correlations = content_tables(*sample.full_size())
    for model in REGRESSIONS:
        np.testing.assert_allclose(regressions[model], REGRESSIONS[model], rtol=0, atol=0.07)
        np.testing.assert_allclose(correlations[model], CORRELATIONS[model], rtol=0, atol=0.07)
    for column in range(4):
        values = [row[column] for row in regressions.values()]
        assert values == sorted(values)
