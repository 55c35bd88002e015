"""Codabench's workers and scores; expected results follow the source code.

compute_worker/compute_worker.py (`Run`) and src/apps/api/views/submissions.py (`upload_submission_scores`). The
reworked worker is that of develop, commit a32cdcb5 (`_copy_submission_to_input_res`, `start`).
"""

import json
from types import SimpleNamespace

import pytest

from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.bundle.rehearse.scores import leaderboard_row, read_scores, store_scores
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench import worker
from spokeneval.task import Column
from tests.samples.small_bundles import (
    CODALAB_SCORE,
    COLUMNS,
    codabench_bundle,
    codalab_run,
    run,
    submission_zip,
    tree,
    writes,
)
from tests.samples.tables import table

LOWER = (Column("accuracy", "Accuracy", "lower", 4), COLUMNS[1])
A_B_C = tuple(Column(key, key, "higher", 4) for key in "abc")


def scored(tmp_path, text, columns=COLUMNS, name="scores.json"):
    """Return what the server stores and shows of a file of scores, and the warnings."""
    (tmp_path / name).write_text(text)
    bundle = BuiltBundle("codabench", "Title", "image", (), columns, columns[0], False)
    warnings = []
    scores = read_scores(tmp_path, worker, warnings)
    row = leaderboard_row(bundle, worker, store_scores(scores, bundle, worker, warnings))
    stored = [None if cell.stored is None else str(cell.stored) for cell in row]
    shown = [cell.shown for cell in row]
    return SimpleNamespace(scores=scores, stored=stored, shown=shown, warnings=warnings)


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_nan_and_infinity_lose_all_scores_of_a_finished_run(tmp_path, bad):
    result = scored(tmp_path, f'{{"accuracy": 0.5, "items": {bad}}}')
    assert (result.stored, result.shown) == ([None, None], ["n/a", "n/a"])
    assert "the worker crashes because items is" in result.warnings[0]
    assert any("ranks first" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("computation", "shown"),
    [("max", "0.75"), ("min", "0.5"), ("sum", "1.25"), ("avg", "0.625"), ("?", "n/a")],
)
def test_a_column_that_the_server_computes_has_its_score(tmp_path, computation, shown):
    """The example of Codabench's documentation, Leaderboard-Functionality.md; there with `max`."""
    keys = {
        "accuracy_1": {},
        "accuracy_2": {},
        "best": {"computation": computation, "computation_indexes": [0, 1]},
    }
    columns = [
        {"title": key, "key": key, "index": index, "sorting": "desc", "precision": 4, **more}
        for index, (key, more) in enumerate(keys.items())
    ]
    result = run(tmp_path, score=writes('{"accuracy_1": 0.5, "accuracy_2": 0.75}'), columns=columns)
    assert [cell.shown for cell in result.row] == ["0.5", "0.75", shown]
    assert bool(result.warnings) == (computation == "?")


NOT_STORED = ["null", '"good"', '"nan"', "[1]", "{}", "1e10", "-1e10", "9999999999.99999999999"]


@pytest.mark.parametrize("bad", NOT_STORED)
def test_what_the_database_refuses_loses_it_and_all_that_follows(tmp_path, bad):
    """1e10 with ten decimal places has 21 digits, more than the column's max_digits=20."""
    result = scored(tmp_path, f'{{"a": 1, "b": {bad}, "c": 3}}', A_B_C)
    assert result.stored == ["1.0000000000", None, None]
    assert "keeps a, loses b and all keys after it" in result.warnings[0]


@pytest.mark.parametrize(("accuracy", "items", "stored", "shown"), table("platform_cases")["stored scores"])
def test_scores_are_stored_with_ten_places_and_shown_with_the_columns(
    tmp_path, accuracy, items, stored, shown
):
    result = scored(tmp_path, f'{{"accuracy": {accuracy}, "items": {items}}}')
    assert result.stored == stored
    assert shown in (None, result.shown)


@pytest.mark.parametrize(
    ("text", "columns", "warnings"),
    [
        ('{"items": 3}', COLUMNS, ["columns without a score: accuracy",
                                "without accuracy, the primary score, this entry ranks first"]),
        ('{"items": 3}', LOWER, ["columns without a score: accuracy"]),
        ('{"accuracy": 0.5, "acuracy": 1, "items": 3, "extra": null}', COLUMNS,
         ["scores without a column, dropped by the platform without notice: acuracy, extra"]),
        ('{"accuracy": 1e-12, "items": 3}', COLUMNS, ["accuracy: 1e-12 is stored as 0 (10 decimal places)"]),
    ],
)  # fmt: skip
def test_scores_that_the_platform_treats_otherwise_than_expected_are_reported(
    tmp_path, text, columns, warnings
):
    assert scored(tmp_path, text, columns).warnings == warnings


def test_a_precision_that_hides_differences_is_reported(tmp_path):
    """0.8549 shown as 0.85 is more than half a percent off."""
    for precision, value, warned in ((2, 0.8549, 1), (4, 0.8549, 0), (0, 3, 0), (3, 0.0001, 1)):
        columns = (Column("accuracy", "Accuracy", "higher", precision),)
        warnings = scored(tmp_path, json.dumps({"accuracy": value}), columns).warnings
        assert ["precision" in warning for warning in warnings] == [True] * warned


def test_scores_txt_is_read_as_yaml_where_there_is_no_scores_json(tmp_path):
    text = "accuracy: 0.5\nitems: 3\n"
    assert scored(tmp_path, text, name="scores.txt").scores == {"accuracy": 0.5, "items": 3}
    assert scored(tmp_path, '{"accuracy": 0.9}').scores == {"accuracy": 0.9}


@pytest.mark.parametrize(
    ("scores", "name"), [("[0.5]", "scores.json"), ("0.5", "scores.txt"), ("a: b: c", "scores.txt")]
)
def test_scores_that_are_no_mapping_are_lost(tmp_path, scores, name):
    result = scored(tmp_path, scores, name=name)
    assert result.scores == {}
    assert result.warnings[0].startswith("the run is Finished, but no score is stored")


def test_detailed_results_enabled_and_written_go_together(tmp_path):
    (tmp_path / "written").mkdir()
    (tmp_path / "written/detailed_results.html").write_text("x")
    for enabled, folder in ((True, tmp_path), (False, tmp_path / "written")):
        assert worker.page_warnings(folder, enabled)
        assert not worker.page_warnings(folder, not enabled)


def both(tmp_path, files=None, **options):
    """Return the rehearsals with the worker of version 1.25 and with the reworked one."""
    bundle, submission = codabench_bundle(tmp_path, **options), submission_zip(tmp_path, files)
    return [
        rehearse(bundle, submission, keep=tmp_path / str(reworked), reworked=reworked)
        for reworked in (False, True)
    ]


def test_a_submission_ends_alike_in_both_workers(tmp_path):
    old, new = both(tmp_path)
    assert (old.status, old.row, old.warnings) == (new.status, new.row, new.warnings)
    results, inner = "scoring/app/input/res", "scoring/app"
    assert tree(tmp_path / "False" / results) == tree(tmp_path / "True" / results)
    assert tree(tmp_path / "True/prediction/app/output") == ["checked.txt", "metadata"]
    assert tree(tmp_path / "True" / inner / "ingested_program") == ["answer.txt"]
    assert not (tmp_path / "False" / inner / "ingested_program").exists()


def test_the_older_worker_scores_the_file_of_ingestion_and_the_reworked_one_that_of_the_submission(tmp_path):
    ingest = "import sys\nopen(sys.argv[3] + '/answer.txt', 'w').write('42')\n"
    old, new = both(tmp_path, {"answer.txt": "41"}, ingest=ingest)
    assert (old.scores["accuracy"], new.scores["accuracy"]) == (0.87654321, 0.25)


def test_a_folder_where_ingestion_wrote_a_file_is_reported(tmp_path):
    ingest = "import sys\nopen(sys.argv[3] + '/notes', 'w').write('42')\n"
    _, new = both(tmp_path, {"answer.txt": "42", "notes/a.txt": "1"}, ingest=ingest)
    assert any("cannot copy the whole submission" in warning for warning in new.warnings)


def test_codalab_has_one_worker(tmp_path):
    codalab_run(tmp_path, CODALAB_SCORE)
    with pytest.raises(OrganiserError, match="codalab has only one worker"):
        rehearse(tmp_path / "bundle.zip", tmp_path / "submission.zip", reworked=True)
