"""Tests of content accuracy: hand calculations, messages, other scales, the models of the kit."""

import math
import re

import numpy as np
import pytest

import spokeneval
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from spokeneval.challenges.content_accuracy import TASK
from spokeneval.formats.format import Items
from spokeneval.formats.speakers import Units
from tests.samples.programs import ROOT, encoded, repository_with, run_program, run_score, write_files

KEYS = ("pearson_r", "quadratic_kappa", "partial_r", "exact", "adjacent", "rmse")
FIELD_KEYS = ("spearman_r", "smd", "within_half", "within_one")
EXACT = {"rtol": 0, "atol": 1e-12}


def gold(scores, words):
    rows = [f"R{i},P1,S{i},{s},{w}\n" for i, (s, w) in enumerate(zip(scores, words, strict=True), 1)]
    return {"reference.csv": "response_id,prompt_id,speaker_id,human_score,words\n" + "".join(rows)}


def predicted(scores):
    return {
        "predictions.csv": "response_id,score\n"
        + "".join(f"R{i},{score}\n" for i, score in enumerate(scores, 1))
    }


def scored(tmp_path, reference, predictions, keys=KEYS):
    run = run_score(TASK.name, tmp_path, reference, predictions)
    assert run.status == 0, run.stderr
    return [run.scores[key] for key in keys]


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
    # Ranks 3/2 3/2 7/2 7/2 and 1 5/2 4 5/2: 3 / sqrt(4 * 9/2). Mean error -1/4, human standard deviation sqrt(9 / 3).
    more = scored(tmp_path, gold([1, 1, 4, 4], WORDS), predicted([1, 2, 4, 2]), keys=FIELD_KEYS)
    np.testing.assert_allclose(more, [3 / math.sqrt(18), 0.25 / math.sqrt(3), 50, 75], **EXACT)
    # A library that numbers the ratings that occur (1, 2, 4 -> 0, 1, 2) finds another kappa: 1 - (2/4)/(24/16) = 2/3.


def test_predictions_are_used_unchanged_and_halves_round_to_even_for_kappa(tmp_path):
    # 2.5004 is nearest 3; 1.5 and 2.5 are halves and become 2, 3.5 becomes 4: rounded 3 2 2 4, differences 0 0 0 0.
    human, given = [3, 2, 2, 4], [2.5004, 1.5, 2.5, 3.5]
    found = scored(
        tmp_path, gold(human, WORDS), predicted(given), keys=("quadratic_kappa", "exact", "pearson_r")
    )
    np.testing.assert_allclose(found, [1, 100, np.corrcoef(human, given)[0, 1]], **EXACT)
    assert "halves to the even step" in next(s.description for s in TASK.scores if s.key == "quadratic_kappa")


@pytest.mark.parametrize("of_words", ["{}e-1", "0.{}", "-{}e-2"])
def test_predictions_that_only_count_words_have_partial_correlation_0(tmp_path, of_words):
    words = [17, 23, 31, 58, 64]
    predictions = predicted([of_words.format(count) for count in words])
    r, _, partial, *_ = scored(tmp_path, gold([1, 3, 2, 4, 3], words), predictions)
    assert abs(r) > 0.5
    assert partial == 0


@pytest.mark.thorough
def test_the_kit_runs_each_of_the_three_models_and_names_another(tmp_path):
    """Their order is tested in `tests/sample_data`."""
    planned = plan(Sources(ROOT), [TASK.name], {})
    kit = write_files(tmp_path / "kit", planned.parts[TASK.name].starting_kit)
    made = {}
    for model in ("new_rouge", "base_rouge", "cva"):
        done = run_program("baseline.py", "development", model, "--model", model, cwd=kit)
        assert done.returncode == 0, done.stderr
        made[model] = (kit / model / "predictions.csv").read_bytes()
    assert len(set(made.values())) == 3
    assert made["new_rouge"] == planned.parts[TASK.name].solutions["development"]["predictions.csv"]
    done = run_program("baseline.py", "development", "x", "--model", "unknown_model", cwd=kit)
    assert "unknown_model" in done.stderr


def test_speakers_and_a_second_score_may_be_named_and_items_are_listed_by_id():
    text = (
        "response_id,prompt_id,user,human_score,words,human_score2\nb,p,S2,1,9,\na,q,S1,2,9,4\nc,p,S2,1,9,\n"
    )
    task = TASK.with_options({})
    reference = task.format.read_reference(encoded({"reference.csv": text}))
    assert reference.texts["human_score2"] == ["", "4", ""]
    assert task.units(reference) == Units("speaker", {"b": "S2", "a": "S1", "c": "S2"})
    public = task.format.public_files(reference, {})
    assert public == {"responses.csv": b"response_id,prompt_id,speaker_id\na,q,S1\nb,p,S2\nc,p,S2\n"}
    assert task.format.read_items(encoded(public)).ids == ("a", "b", "c")
    nobody = encoded({"reference.csv": re.sub(r"S\d", "", text).replace("user", "speaker")})
    units = task.units(task.format.read_reference(nobody))
    assert units == Units("response", {item: item for item in "bac"})


# Another scale

FROM_0_TO_5 = {"options": {"scale": "0-5"}}


def test_a_rubric_of_another_scale(tmp_path):
    # Human 0 5 5 0, predicted -2 5 4 8: trimmed and rounded 0 5 4 5. Squared differences 0 0 1 25, mean 13/2; over all
    # pairs 2 (0 + 25 + 16 + 25) + 2 (25 + 0 + 1 + 0) = 184, mean 23/2: kappa = 1 - (13/2)/(23/2) = 10/23.
    run = run_score(TASK.name, tmp_path, gold([0, 5, 5, 0], WORDS), predicted([-2, 5, 4, 8]), FROM_0_TO_5)
    assert run.status == 0, run.stderr
    assert "|scale:0-5|" in run.stdout
    found = [run.scores[key] for key in ("quadratic_kappa", "exact", "adjacent")]
    np.testing.assert_allclose(found, [10 / 23, 50, 75], **EXACT)
    files = {"ref": gold([0, 5, 5, 0], WORDS), "res": predicted([-2, 5, 4, 8])}
    paths = {name: write_files(tmp_path / name, content) for name, content in files.items()}
    at_home = spokeneval.score(
        TASK.name, reference=paths["ref"], submission=paths["res"], options={"scale": "0-5"}
    )
    assert dict(at_home.scores) == {key: run.scores[key] for key in (*KEYS, *FIELD_KEYS)}


@pytest.mark.parametrize(
    ("options", "scores", "predictions", "said"),
    [
        (FROM_0_TO_5, [0, 5, 5, 6], [1, 2, 3, 4], "reference data cannot be used"),
        (FROM_0_TO_5, [0, 5, 5, 0], [1, 2, 3, 11], "score '11'; expected a number from -5 to 10"),
        (None, [1, 4, 4, 1], [1, 2, 3, 8], "score '8'; expected a number from -2 to 7"),
        ({"options": {"scale": "1-40"}}, [1, 2, 3, 4], [1, 2, 3, 4], "failed (ValueError)"),
    ],
)
def test_what_is_beyond_the_scale_is_refused(tmp_path, options, scores, predictions, said):
    run = run_score(TASK.name, tmp_path, gold(scores, WORDS), predicted(predictions), options)
    assert run.status == 1
    assert said in run.stderr


def test_every_scale_is_one_that_the_task_can_have():
    (option,) = TASK.options
    assert option.values[0] == "1-4"
    for scale in option.values:
        low, high = map(int, scale.split("-"))
        varied = TASK.with_options({"scale": scale})
        answers = varied.trivial["scores at random"](Items(tuple(map(str, range(500)))))
        assert set(answers["score"].tolist()) == set(range(low, high + 1))


def test_a_bundle_of_another_scale_checks_and_scores_by_it(tmp_path):
    """The ingestion program also uses the chosen scale."""
    text = (ROOT / "competition.yaml").read_text(encoding="utf-8")
    task = "      content_accuracy:\n"
    files = {"competition.yaml": text.replace(task, f'{task}        options: {{scale: "0-3"}}\n', 1)}
    for called in ("development", "evaluation"):
        path = f"reference_data/{TASK.name}/{called}/reference.csv"
        header, *lines = (ROOT / path).read_text().splitlines()
        rows = [line.rsplit(",", 2) for line in lines]
        lowered = [f"{head},{int(score) - 1},{words}" for head, score, words in rows]
        files[path] = "\n".join([header, *lowered, ""])
    parts = plan(Sources(repository_with(tmp_path, files)), [TASK.name], {}).parts[TASK.name]
    assert parts.failures == ()
    assert set(parts.solutions) == {"development", "evaluation"}
    assert "1.5 for every response" in parts.feedback["evaluation"].known
