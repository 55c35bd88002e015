"""Descriptions of data: MERLIon's Table 1 on the sample, by loops; what participants see; text and power."""

import csv
from statistics import mean, median, stdev

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from speechbundles.annotation.data_page import data_page
from speechbundles.annotation.describe import power, raters_agreement, rows_of, see, sentences, table_of
from speechbundles.bundle.build.gold_answers import scored_answers
from speechbundles.competition.references import load_reference
from spokeneval.challenges import find_task
from spokeneval.kinds.declared import declared_task
from tests.samples.programs import ROOT, write_files

TASK = "merlion_diarization"
SETS = ("development", "evaluation")


def loaded(name, task=TASK):
    return load_reference(find_task(task), name, ROOT / "reference_data" / task / name, {})


@pytest.fixture(scope="module")
def table():
    return table_of([see(loaded(name), public=False) for name in SETS], "recording")


@pytest.mark.parametrize("name", SETS)
def test_table_1_of_merlion_is_that_of_the_samples_labels(table, name):
    with open(ROOT / "reference_data" / TASK / name / "labels.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lengths, held = {}, {}
    for row in rows:
        seconds = (int(row["end"]) - int(row["start"])) / 1000
        lengths.setdefault(row["language_tag"], []).append(seconds)
        own = held.setdefault(row["audio_name"], {"English": 0.0, "Mandarin": 0.0})
        if row["language_tag"] in own:
            own[row["language_tag"]] += seconds
    both = [own for own in held.values() if all(own.values())]
    found = table[name].to_dict()
    assert found["All items", "", "recordings"] == len(held)
    for language in ("English", "Mandarin", "NON_SPEECH", "Non-Evaluated-Speech"):
        own = {key[2]: value for key, value in found.items() if key[:2] == ("language_tag", language)}
        assert own["items"] == len(lengths[language])
        assert own["length, total"] == pytest.approx(sum(lengths[language]), abs=1e-6)
        assert own["length, median (s)"] == pytest.approx(median(lengths[language]), abs=1e-6)
        assert own["length, mean (s)"] == pytest.approx(mean(lengths[language]), abs=1e-6)
        assert own["length, standard deviation (s)"] == pytest.approx(stdev(lengths[language]), abs=1e-6)
    several = {key[2]: value for key, value in found.items() if key[:2] == ("language_tag", "")}
    assert several["recordings with one of these"] == len(held) - len(both)
    assert several["recordings with more than one"] == len(both)
    ratio = mean(own["Mandarin"] / own["English"] for own in both)
    assert several["mean Mandarin : English where both are"] == pytest.approx(ratio, abs=1e-6)


def test_numbers_of_words_have_a_mean_and_a_spread():
    # The poster on content accuracy has 72 words on average, with a standard deviation of 29; the sample is similar.
    with (ROOT / "reference_data/content_accuracy/evaluation/reference.csv").open(encoding="utf-8") as file:
        words = [int(row["words"]) for row in csv.DictReader(file)]
    found = table_of([see(loaded("evaluation", "content_accuracy"), public=False)], "response")["evaluation"]
    assert found["All items", "", "words, mean"] == pytest.approx(mean(words))
    assert found["All items", "", "words, standard deviation"] == pytest.approx(stdev(words), abs=1e-6)


def test_the_text_has_each_set_with_its_classes(table):
    first, second = sentences(table, None)
    assert first.startswith("The development set: items 665; length, total 0:14:21;")
    assert ". language_tag English: items 471; length, total 0:11:15; length, median (s) 1.125;" in second
    agreement = pd.DataFrame(
        [("q", "kappa", "a, b", 0.5, 0.4, 0.6, 9, 99), ("q", "equal", "a, b", 0.9, 0.8, 1.0, 9, 99)],
        columns=["question", "measure", "annotators", "value", "low", "high", "units", "items"],
    )
    assert sentences(table, agreement)[-1] == (
        "Agreement of annotators, with 95 % intervals: kappa of q (a, b) 0.50 (0.40 to 0.60)."
    )


def test_several_references_are_one_item(tmp_path):
    rows = ["id,transcript,speaker", "a,yes,S1", "a,yep,S1", "b,no,S1", "c,no,S2"]
    folder = write_files(tmp_path, {"transcripts.csv": "\n".join([*rows, ""]).encode()})
    seen = see(
        load_reference(declared_task("x", {"kind": "transcripts"}), "evaluation", folder, {}), public=False
    )
    found = table_of([seen], "speaker")["evaluation"].to_dict()
    measures = ("items", "speakers", "items per speaker, max")
    assert [found["All items", "", measure] for measure in measures] == [3, 2, 2]


@pytest.mark.parametrize("public", [True, False])
def test_names_and_texts_of_a_small_set_are_no_classes(public, tmp_path):
    """With 20 rows or fewer, no column has more values than a column of classes may have."""
    rows = [f"u{n},wir gehen {n},r{n % 9},{'mf'[n % 2]},S{n % 3}" for n in range(18)]
    text = "\n".join(["id,transcript,recording,sex,speaker", *rows])
    files = write_files(tmp_path, {"transcripts.csv": text})
    reference = load_reference(declared_task("t", {"kind": "transcripts"}), "development", files, {})
    assert see(reference, public=public).columns == ([] if public else ["sex"])


def test_a_page_of_few_recordings_has_its_plots(tmp_path):
    """Lengths are arrays of pandas, which are read-only."""
    turns = [
        f"SPEAKER r{n % 4} 1 {n}.5 0.{1 + n % 3}5 <NA> <NA> {'AB'[n % 2]} <NA> <NA>\n" for n in range(24)
    ]
    regions = [f"r{n} 1 0 40\n" for n in range(4)]
    files = write_files(tmp_path, {"turns.rttm": "".join(turns), "regions.uem": "".join(regions)})
    reference = load_reference(declared_task("t", {"kind": "turns"}), "development", files, {})
    seen = [see(reference, public=False)]
    page = data_page("T", "N", seen, table_of(seen, "recording"), None, [])
    assert page.count("<figure") == 3


def test_raters_who_left_items_out_bring_agreement_and_power(tmp_path):
    given = [(n % 5 + 1, (n + n // 7) % 5 + 1 if n % 9 else "") for n in range(60)]
    rows = ["id,A,B,speaker", *(f"i{n},{a},{b},s{n % 6}" for n, (a, b) in enumerate(given))]
    folder = write_files(tmp_path, {"ratings.csv": "\n".join([*rows, ""]).encode()})
    task = declared_task("x", {"kind": "ratings", "raters": ["B", "A"], "scale": [1, 5]})
    reference = load_reference(task, "evaluation", folder, {})
    first, second = zip(*(pair for pair in given if pair[1]), strict=True)
    kappa = raters_agreement([reference]).iloc[0]
    assert kappa["value"] == pytest.approx(cohen_kappa_score(first, second, weights="linear"))
    assert (kappa["question"], kappa["units"], kappa["items"]) == ("the evaluation set", 6, 53)
    text, table = power(reference, scored_answers, 0.25)
    assert (
        "to find a difference of 0.25 in Mean κ between two systems with a probability of 80 %; the 6 "
        in text
    )
    assert "as much as the differences between 80 % right and 70 % right." in table.note
    assert power(reference, lambda *_: iter(())) is None


TASKS = (
    "spoken_call",
    "psst_correctness",
    "merlion_identification",
    "caller_experience",
    "content_accuracy",
    TASK,
)


@pytest.mark.parametrize("task", TASKS)
def test_of_a_hidden_set_only_the_public_list_is_described(task, tmp_path):
    """Other labels leave what the public sees unchanged, and change what the organiser sees."""
    reference = loaded("evaluation", task)
    labels = [
        column
        for column in see(reference, public=False).columns
        if column in reference.definition.format.layouts[0].required
    ]
    assert labels or task == "content_accuracy"
    public = see(reference, public=True)
    assert not {*public.rows.columns} & {*labels, "human_score"} - {"prompt_id"}
    assert public.rows.shape[0] in (len(reference.items), 28)
    numbers = table_of([public], "unit")["evaluation"].to_dict()
    assert numbers["All items", "", "items"] == len(public.rows)
    assert not any("mean" in measure and "length" not in measure for *_, measure in numbers)
    assert rows_of(table_of([see(reference, public=False)], "unit"))["All items"][0] == [
        "all",
        "items",
        str(len(see(reference, public=False).rows)),
    ]


def test_speakers_missing_values_and_durations_of_a_declared_task(tmp_path):
    rows = ["id,label,speaker,severity,duration", "a,yes,S1,mild,1.5", "b,no,S1,,2", "c,yes,S2,severe,2.5"]
    folder = write_files(tmp_path, {"labels.csv": "\n".join([*rows, ""]).encode()})
    task = declared_task("x", {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"})
    seen = see(load_reference(task, "evaluation", folder, {}), public=False)
    table = table_of([seen], "speaker")
    found = table["evaluation"]
    expected = {"items": 3, "speakers": 2, "length, total": 6, "without severity": 1, "length, median (s)": 2}
    assert {measure: found["All items", "", measure] for measure in expected} == expected
    assert found["label", "yes", "items"] == 2
    assert sentences(table, None)[0].count("items per speaker, median 1.5;") == 1  # 2 and 1, not 1.500
    assert ("speaker", "S1", "items") not in found
    assert found["label", "yes", "mean share per speaker"] == pytest.approx((1.5 / 3.5 + 1) / 2, abs=1e-6)
