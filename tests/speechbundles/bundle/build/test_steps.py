"""Coarse feedback on a hidden set, from competition.yaml to the platform: one score, in steps, with a floor."""

import csv
import json
import math
import random
import re
from dataclasses import replace

import pytest
import yaml

import spokeneval
from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.gold_answers import error_of, half_right
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.build.small_sets import warn_of_size
from speechbundles.bundle.build.steps import BASELINE, set_feedback
from speechbundles.bundle.rehearse.process import ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.competition.seal import seal
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.new.examples import EXAMPLES, example_files
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.text import read_folder
from spokeneval.kinds.declared import declared_task
from spokeneval.programs.score import HIDDEN_STATISTICS
from spokeneval.scoring.options import (
    RELATIVE,
    Settings,
    Signature,
    choose_options,
    choose_step,
    coarse_scores,
    on_grid,
)
from spokeneval.scoring.reference import items_fingerprint
from spokeneval.scoring.scored import resampled_error, score_submission
from spokeneval.task import HIGHER
from tests.samples.cases import CASES
from tests.samples.declared_tasks import TASKS
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, encoded, unzipped, write_files
from tests.samples.repeated import REPEATED
from tests.samples.valence import TASK as VALENCE

TASK = find_task("psst_correctness")
PLACE = ROOT / "reference_data" / TASK.name


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A bundle built with the default settings, and its baseline's submission for the hidden set."""
    planned = plan(Sources(ROOT), [TASK.name], {})
    (built,) = write(planned, tmp_path_factory.mktemp("dist"))
    assert built.findings == ()
    return built.path, planned.parts[TASK.name].solutions["evaluation"]


@pytest.mark.default_cases("merlion_identification", "spoofing")
@pytest.mark.parametrize("name", [*task_names(), *EXAMPLES])
def test_the_baseline_of_a_sample_is_better_than_all_trivial_ones(name, tmp_path):
    """In the sample, and in the examples of `init`."""
    sources = Sources(ROOT)
    if name in EXAMPLES:
        sources = Sources(ROOT, write_files(tmp_path, example_files(name)))
    competitions = {
        each.task: each for each in read_competitions(sources) if name in (each.task, each.challenge)
    }
    planned = plan(sources, [each.name for each in competitions.values()], {})
    for task, competition in competitions.items():
        parts = planned.parts[task]
        files = (parts.references["evaluation"], parts.solutions["evaluation"])
        known = dict(set_feedback(competition.definition, *files, hidden=False).known)
        better = max if competition.definition.primary.direction == HIGHER else min
        assert better(known, key=lambda system: known[system]) == BASELINE
        assert list(known.values()).count(known[BASELINE]) == 1


def feedback_of(path):
    """Return the feedback on the hidden set in the options of a built bundle."""
    options = json.loads(unzipped(unzipped(path.read_bytes())["scoring_program.zip"])["options.json"])
    ids = TASK.format.read_reference(read_folder(PLACE / "evaluation")).items.ids
    return options["sets"][items_fingerprint(ids)]


def test_with_statistics_at_home_hidden_sets_are_exact_too(bundle, tmp_path):
    path, baseline = bundle
    folder = write_files(tmp_path, {"submission.zip": make_zip(baseline)})
    engine = ProcessEngine({HIDDEN_STATISTICS: "write"})
    done = rehearse(path, folder / "submission.zip", keep=folder / "kept", engine=engine)
    (output,) = read_outputs([folder / "kept"])
    assert not output.signature.coarse
    assert done.row[0].bound == ""  # exact, and equal to the baseline's score
    assert output.trivial == feedback_of(path)["trivial"]
    submitted = folder / "submission.zip"
    exact = spokeneval.score(TASK.name, reference=PLACE / "evaluation", submission=submitted).scores
    assert {key: done.scores[key] for key in exact} == exact == {key: output.scores[key] for key in exact}


def test_the_page_explains_the_leaderboard_and_lists_trivial_baselines(bundle):
    page = unzipped(bundle[0].read_bytes())["pages/evaluation.md"].decode()
    assert "rounded to steps of about one standard" in page
    trivial = feedback_of(bundle[0])["trivial"]
    assert list(trivial) == list(TASK.trivial)
    for answer, known in trivial.items():
        assert re.search(rf"^\| {answer} \|.*about {known:g} \|$", page, re.MULTILINE)
    # F1 = 2 tp / (2 tp + fp + fn), here with all responses predicted correct.
    table = (PLACE / "development/utterances.tsv").read_text().splitlines()
    rows = [*csv.DictReader(table, delimiter="\t")]
    correct = sum(row["correctness"].lower() == "true" for row in rows)
    assert f"| everything correct | {2 * correct / (len(rows) + correct):.4f} | " in page


# Feedback on small sets. In the PSST set every other response is correct, one of two in each session.


def test_trivial_baselines_raise_the_floor():
    # "Always English" has a pooled EER equal to the share of Mandarin, 19.69 %: below the EER of this baseline.
    task = find_task("merlion_identification").ranked_by("eer")
    reference = load_reference(task, "evaluation", ROOT / "reference_data" / task.name / "evaluation", {})
    lines = [f"{item} 0 1\n{item} 1 1\n" for item in reference.items]
    feedback = set_feedback(task, reference, {"prediction.txt": "".join(lines).encode()}, hidden=True)
    assert feedback.of_set.steps == {"eer": choose_step(feedback.of_set.steps["eer"])}
    assert abs(feedback.of_set.floor["eer"] - 19.69) <= feedback.of_set.steps["eer"] / 2
    assert feedback.of_set.best_system == f"the trivial baseline “{feedback.of_set.best}”"
    assert feedback.of_set.best in task.trivial


def small(task, folder, files=None):
    return load_reference(find_task(task), "evaluation", write_files(folder, files or REPEATED[task]), {})


def scored(task, folder, answers):
    """Score answers on a small set: the files of a submission, or a trivial baseline."""
    reference = task.format.read_reference(read_folder(folder))
    if isinstance(answers, dict):
        answers = task.format.read_submission(encoded(answers), reference.items)
    else:
        answers = answers(reference.items)
    options = Settings(choose_options(task, {}), False, Signature(task.name))
    return score_submission(task, reference, answers, options)


def test_the_step_comes_from_the_baselines_error_and_the_floor_is_the_best_score(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    reference = small(TASK.name, tmp_path)
    right = encoded(near_misses(TASK.name, tmp_path))
    baseline = scored(TASK, tmp_path, right)
    step = choose_step(baseline.intervals["f1"].standard_error)
    for hidden in (False, True):
        found = set_feedback(TASK, reference, right, hidden=hidden)
        without = set_feedback(TASK, reference, None, hidden=hidden)
        assert found.of_set.steps == {"f1": step} != without.of_set.steps
        assert found.of_set.floor == coarse_scores(baseline.scores, {"f1": step})
        assert found.unit == "session"
        assert list(found.known) == ["the kit's baseline", *TASK.trivial]
        assert list(found.of_set.trivial) == list(TASK.trivial)
        for what, answers in (("the kit's baseline", right), *TASK.trivial.items()):
            exact = scored(TASK, tmp_path, answers).scores["f1"]
            assert found.known[what] == (on_grid(exact, step) if hidden else exact)
    assert list((tmp_path / "here").iterdir()) == []


def test_feedback_on_a_part_uses_its_own_labels(tmp_path):
    files = dict(REPEATED["psst_correctness"])
    whole = small(TASK.name, tmp_path / "whole", files)
    part = seal(whole, 0.5, None)
    known = set_feedback(TASK, part, None, hidden=False)
    write_files(tmp_path / "part", {"utterances.tsv": part.files["utterances.tsv"]})
    expected = scored(TASK, tmp_path / "part", TASK.trivial["everything correct"])
    assert known.known["everything correct"] == expected.scores["f1"]
    of_all = set_feedback(TASK, whole, None, hidden=False).known
    assert known.known["correct at random"] != of_all["correct at random"]


@pytest.mark.parametrize(
    ("name", "further"),
    [
        (TASK.name, {"recall": 0}),
        ("psst_recognition", {"per": 0}),  # a share of what was said
        ("spoken_call", {"d": RELATIVE, "rfr": 0}),
        ("content_accuracy", {"quadratic_kappa": 0, "rmse": RELATIVE}),
    ],
)
def test_further_scores_have_steps_of_four_standard_errors_or_of_25_per_cent(name, further, tmp_path):
    task, reference = find_task(name), small(name, tmp_path)
    solution = encoded(near_misses(name, tmp_path))
    found = set_feedback(task, reference, solution, hidden=True, further=[*further]).of_set
    line = scored(task, tmp_path, solution)
    for key, step in further.items():
        assert found.steps[key] == (step or choose_step(4 * line.intervals[key].standard_error))
    best = line if not found.best else scored(task, tmp_path, task.trivial[found.best])
    assert found.floor == coarse_scores(best.scores, found.steps)
    assert list(found.steps) == [task.primary.key, *further]


def test_a_baseline_without_an_error_takes_the_largest_of_the_others(tmp_path):
    reference = small(TASK.name, tmp_path)
    every = re.sub(rb"\t[^\n]*", b"\ttrue", reference.public["utterance_list.tsv"])
    answers = {"correctness.tsv": every.replace(b"utterance_id\ttrue", b"utterance_id\tprediction", 1)}
    assert scored(TASK, tmp_path, answers).intervals["f1"].standard_error == 0
    random = scored(TASK, tmp_path, TASK.trivial["correct at random"])
    found = set_feedback(TASK, reference, answers, hidden=True)
    assert found.of_set.steps == {"f1": choose_step(random.intervals["f1"].standard_error)}


@pytest.mark.parametrize("level", [0, 0.02])
@pytest.mark.parametrize("seed", range(6))
def test_the_small_error_of_a_score_near_its_bound_is_no_step(seed, level, tmp_path):
    """On the hull no EER is above 50 %, so that of random scores hardly varies: steps would be 0.5 or 1.

    A system that is right about half of the items, and has one score for the others, has an EER of about 25 %: half of
    a chance of one half for the others. Its error is 25 % / sqrt(50) = 3.5 % for 50 others, less if labels are unequal.
    """
    draw = random.Random(seed)
    rows = [(f"r{n}", draw.choice(["spoof", "bonafide", "bonafide"]), f"s{n % 13}") for n in range(100)]
    content = "".join(",".join(row) + "\n" for row in [("id", "label", "speaker"), *rows])
    (tmp_path / "labels.csv").write_text(content)
    task = declared_task("x", {"kind": "identification", "target": "spoof"})
    reference = load_reference(task, "evaluation", tmp_path / "labels.csv", {})
    scores = "".join(f"{item},{draw.random() < level:d}\n" for item, *_ in rows)
    for solution in (None, {"scores.csv": f"id,score\n{scores}".encode()}):
        assert set_feedback(task, reference, solution, hidden=True).of_set.steps["eer"] in (2, 5)


def test_where_the_jackknife_error_is_0_the_bootstrap_gives_the_step(tmp_path):
    """In Spoken CALL no trivial baseline meets the rule, so all score 0 whichever unit is left out."""
    task = find_task("spoken_call")
    reference = small(task.name, tmp_path)
    lines = [scored(task, tmp_path, answers) for answers in task.trivial.values()]
    assert not any(line.intervals["d_full"].standard_error for line in lines)
    errors = [resampled_error(task.primary, line.statistics.parts["decisions"]) for line in lines]
    found = set_feedback(task, reference, None, hidden=True)
    assert max(errors) > 0
    assert found.of_set.steps == {"d_full": RELATIVE}
    assert set(found.known.values()) == set(found.of_set.floor.values()) == {0}


PRIMARIES = {
    # A false alarm costs 10 * 0.95 / 0.05 = 190 misses.
    "minimum DCF": ("target", {"priors": 0.05, "costs": {"c_fa": 10}, "primary": "minimum_dcf"}),
    "Cllr of probabilities": (
        "posteriors",
        {"primary": "cllr"},
    ),  # a certain system has an error of thousands of bits
    "insertions": ("words", {"primary": "insertions"}),
    "false rejections": ("pronunciations", {"primary": "false_rejection"}),
}
"""Primary scores of declared tasks that are not the default ones."""


@pytest.mark.parametrize("name", [*TASKS, *PRIMARIES])
def test_answers_that_are_half_right_have_an_error_for_every_kind(name, tmp_path):
    kind, parameters = PRIMARIES.get(name, (name, {}))
    declaration, make = TASKS[kind]
    task = declared_task("aufgabe", {**yaml.safe_load(declaration), **parameters})
    files = write_files(tmp_path, make("evaluation", random.Random(name)))
    reference = load_reference(task, "evaluation", files, {})
    task = replace(task, trivial={answer: task.trivial[answer] for answer in [*task.trivial][:1]})
    found = set_feedback(task, reference, None, hidden=True)
    (step,) = found.of_set.steps.values()
    assert 0 < step < (100 if task.primary.percent else 1) / 4


@pytest.mark.parametrize("name", REPEATED)
def test_every_challenge_has_an_answer_that_is_half_right(name, tmp_path):
    task = find_task(name)
    gold = small(name, tmp_path).parsed
    half = half_right(task, gold, Settings(choose_options(task, {}), False, Signature(name)))
    assert error_of(task.primary, half) > 0


LABELLED = "id,label,valence\n" + "".join(
    f"i{n:02d},{'spoof' if n % 3 else 'bonafide'},{n * n % 17 / 8 - 1}\n" for n in range(40)
)


def test_a_metric_in_python_takes_its_step_from_damaged_labels(tmp_path):
    """A correlation of 0.5 in 40 items has the standard error (1 - 0.25) / sqrt(40) = 0.12, which rounds to 0.1."""
    reference = load_reference(VALENCE, "evaluation", write_files(tmp_path, {"labels.csv": LABELLED}), {})
    constant = VALENCE.trivial["0 for every clip"](reference.parsed.items)
    settings = Settings({}, False, Signature(VALENCE.name))
    line = score_submission(VALENCE, reference.parsed.labels, constant, settings)
    assert resampled_error(VALENCE.primary, line.statistics.parts["sums"]) == 0
    assert set_feedback(VALENCE, reference, None, hidden=True).of_set.steps == {VALENCE.primary.key: 0.1}


# Exact ends of 0 errors in m observations, 1 - 0.025^(1/m) or -log(0.025) / m: of 6 speakers for Pearson's r, which is
# from -1 to 1; of 4 items for F1 = 2 J / (1 + J); of 11.2 s in recordings of 4.4, 1.2, 4.4 and 1.2 s, correlated by a
# tenth, for DER.
HALF = 0.025 ** (1 / 4)
RECORDINGS = 11.2**2 / (2 * 4.4**2 + 2 * 1.2**2)
OF_TIME = -100 * math.log(0.025) / 11200 * (1 + (11200 / RECORDINGS - 1) / 10)


@pytest.mark.parametrize(
    ("name", "units", "enough", "ends"),
    [
        ("content_accuracy", 4, 6, (1 - 2 * (1 - 0.025 ** (1 / 6)), 1)),
        ("psst_correctness", 2, 4, (2 * HALF / (1 + HALF), 1)),
        ("merlion_diarization", 2, 4, (0, OF_TIME)),
    ],
)
def test_a_set_is_too_small_if_a_perfect_system_could_have_half_of_the_range(
    name, units, enough, ends, tmp_path
):
    warning = warn_of_size(small(name, tmp_path / "small", CASES[name].reference))
    assert re.search(rf"only {units} \w+s: .* With {enough} \w+s it is ", warning)
    found = re.search(r"it is (\S+) to (\S+)$", warning).groups()
    assert [*map(float, found)] == pytest.approx(ends, rel=5e-3)
    assert warn_of_size(small(name, tmp_path / "large")) == ""


def test_the_rounding_of_sums_does_not_widen_the_interval_of_a_perfect_system(tmp_path):
    rows, warnings = LABELLED.splitlines(keepends=True), []
    for size in (41, 6):
        files = write_files(tmp_path / str(size), {"labels.csv": "".join(rows[:size])})
        warnings.append(warn_of_size(load_reference(VALENCE, "evaluation", files, {})))
    # Five clips: low = 1 - 2 (1 - 0.025^(1/5)).
    assert warnings[0] == ""
    assert "is -0.0436 to 1 even if all answers are right. With 6 clips" in warnings[1]


def test_where_nothing_has_an_error_there_is_no_step_and_no_floor(tmp_path):
    files = {"utterances.tsv": "utterance_id\tsession\tcorrectness\na\ts\tTRUE\nb\ts\tFALSE\n"}
    one = small(TASK.name, tmp_path, files)
    found = set_feedback(TASK, one, None, hidden=True)
    assert (found.of_set.steps, found.of_set.floor, found.unit) == ({}, {}, "session")
    assert found.known["everything correct"] == 2 / 3
