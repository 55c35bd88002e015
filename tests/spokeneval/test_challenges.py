"""Tests for every task: the small sample of `cases` in both programs, and the programs' descriptions."""

import json
import math
from collections import Counter

import pytest

from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import FREE_ATTEMPT, ReferenceFileError
from spokeneval.programs.program import accepted_report
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Number, score_submission
from tests.samples.cases import CASES, SHEETS
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.harmless import harmless
from tests.samples.programs import ROOT, encoded, run_here, write_files
from tests.samples.refusals import items_of, refusals

every_task = pytest.mark.parametrize("task", task_names())


def score(task, folder, submission, reference=None, options=None):
    """Score a submission's files, and return exit status, both streams, and the folder with the output."""
    write_files(folder / "input" / "ref", CASES[task].reference if reference is None else reference)
    write_files(folder / "input" / "res", submission)
    program = (ROOT / "scoring_program" / task / "score.py").read_bytes()
    files = {"score.py": program, **({"options.json": json.dumps(options)} if options else {})}
    write_files(folder / "program", files)
    return (*run_here(folder / "program/score.py", folder / "input", folder / "output"), folder / "output")


def check(task, folder, submission):
    """Run the ingestion program on a submission's files, and return exit status, both streams, and its report."""
    files = find_task(task).format
    reference = files.read_reference(encoded(CASES[task].reference))
    write_files(folder / "items", files.public_files(reference, {}))
    write_files(folder / "submitted", submission)
    ingest = ROOT / "ingestion_program" / task / "ingest.py"
    done = run_here(ingest, folder / "items", folder / "submitted", folder / "ingested")
    return (*done, (folder / "ingested" / "ingestion_report.txt").read_text())


@every_task
def test_a_good_submission_gets_every_score_in_order(task, tmp_path):
    status, stdout, stderr, output = score(task, tmp_path, CASES[task].submission)
    assert (status, stderr) == (0, "")
    assert stdout.startswith(f"{task}: {len(items_of(task))} items scored.\n{task}|")
    scores: dict[str, Number] = json.loads((output / "scores.json").read_text())
    assert list(scores) == [column.key for column in find_task(task).columns]
    assert all(math.isfinite(value) for value in scores.values())
    assert all(each.whole == isinstance(scores[each.key], int) for each in find_task(task).scores)
    lines = [line.split(": ") for line in (output / "scores.txt").read_text().splitlines()]
    assert {key: float(value) for key, value in lines} == scores
    for key in scores:
        if key.endswith("_low"):
            primary = key[: -len("_low")]
            assert scores[key] <= scores[primary] <= scores[f"{primary}_high"]


@every_task
def test_ingestion_accepts_what_scoring_accepts(task, tmp_path):
    accepted = accepted_report(task, len(items_of(task)))
    status, printed, errors, written = check(task, tmp_path, CASES[task].submission)
    assert (status, errors, written) == (0, "", accepted)
    doubts = printed.removeprefix(accepted).splitlines()
    assert [doubt[:9] for doubt in doubts] == ["Warning: "] * (
        task == "merlion_diarization"
    )  # no turns for y_1


@every_task
def test_harmless_variations_score_the_same(task, tmp_path):
    def written(name, files):
        status, stdout, stderr, output = score(task, tmp_path / name, files)
        assert (status, stderr) == (0, ""), name
        return stdout, {path.name: path.read_bytes() for path in output.iterdir()}

    plain = written("plain", CASES[task].submission)
    for name, files in harmless(task).items():
        assert written(name, files) == plain, name


@every_task
def test_both_programs_refuse_in_the_same_words_whatever_the_labels_and_leave_nothing(task, tmp_path):
    """The words follow from the public items: `refusals` reads with them, `score.py` has the same with other labels."""
    for name in (
        "an open quotation mark",
        "a row doubled",
        "a recording left out",
        "easy segment twice",
        "no file",
    ):
        mutation = next((each for each in SUBMISSIONS[task] if each.name.endswith(name)), None)
        if mutation is None:
            continue
        folder = tmp_path / name
        refusal = str(refusals(task)[mutation.name].error)
        write_files(folder / "output", dict.fromkeys(("scores.json", "scores.txt", "statistics.json"), "old"))
        status, stdout, stderr, output = score(task, folder, mutation.files, CASES[task].relabelled)
        assert (status, stdout, stderr) == (1, "", f"{refusal}\n\n{FREE_ATTEMPT}\n")
        assert not list(output.iterdir())
        checked = check(task, folder, mutation.files)
        assert checked == (1, "", stderr, f"{task}: refused.\n\n{refusal}\n")


@every_task
def test_neither_the_public_list_nor_its_order_reveals_a_label(task):
    files, case = find_task(task).format, CASES[task]
    reference = files.read_reference(encoded(case.reference))
    public = files.public_files(reference, {})
    assert next(iter(public.values())).decode().splitlines()[0] == case.public_header
    relabelled = files.read_reference(encoded(case.relabelled))
    assert files.public_files(relabelled, {}) == public
    items = files.read_items(encoded(public))
    assert sorted(items.ids) == sorted(reference.items.ids)
    if task in SHEETS:
        ((file, text),) = case.reference.items()
        header, *rows = text.splitlines()
        other = files.read_reference(encoded({file: "\n".join([header, *rows[::-1]])}))
        assert other.items.ids == reference.items.ids[::-1]
        assert files.public_files(other, {}) == public
    else:
        assert items == reference.items  # segments are scored in this order, recordings are sorted


def reads(task, option, value):
    """Whether the task in small can be read under an option: its scores are on one scale."""
    task_format = find_task(task).with_options({option: value}).format
    try:
        return task_format.read_reference(encoded(CASES[task].reference)) is not None
    except ReferenceFileError:
        return False


@every_task
def test_the_signature_contains_the_options_of_the_task(task, tmp_path):
    options = find_task(task).options
    defaults = [f"{option.name}:{option.values[0]}" for option in sorted(options, key=lambda each: each.name)]
    chosen = [
        (option.name, value)
        for option in options
        for value in option.values
        if reads(task, option.name, value)
    ]
    for number, (name, value) in enumerate([(None, None), *chosen]):
        settings = {"options": {name: value} if name else {}}
        status, stdout, _, _ = score(task, tmp_path / str(number), CASES[task].submission, options=settings)
        expected = [f"{name}:{value}" if each.split(":")[0] == name else each for each in defaults]
        assert status == 0
        assert stdout.splitlines()[1].split("|")[1 : len(defaults) + 1] == expected
    for number, settings in enumerate([{"unknown": "on"}, *({option.name: "on"} for option in options)]):
        done = score(task, tmp_path / f"bad{number}", CASES[task].submission, options={"options": settings})
        assert done[0] == 1
        assert "The program failed (ValueError). Please send these lines to the organisers:" in done[2]
        assert not (done[3] / "scores.json").exists()


# For the small sample: how correct each row of the counts is, how often each label occurs, and the scores of the
# trivial baselines that are not random. By hand: two of three listeners agree with the first two ratings; 2 of 4.4
# seconds of one recording are missed, and all of the other; two of two and two of three segments are identified
# correctly; half of the responses are correct, so precision is 1/2 and recall 1; D AO G and HH are not recognised, and
# the empty transcript counts as correct. The differences of a trivial baseline are all equal, so its EER is 1/2.
READ = {
    "caller_experience": ([2 / 3, 2 / 3, 1, 1], [2, 1, 2, 4, 3], {"3 for every call": 0}),
    "content_accuracy": ([0, 1, 0, 1], [1, 1, 1, 1], {"2.5 for every response": 0}),
    "merlion_diarization": ([1 - 2 / 4.4, 0], [3, 2], {"nothing spoken": 100}),
    "merlion_identification": ([1, 2 / 3], [3, 2], {"always English": 50, "always Mandarin": 50}),
    "psst_correctness": ([1, 1, 1, 1], [2, 2], {"everything correct": 2 / 3, "everything incorrect": 0}),
    "psst_recognition": ([1, 0, 1, 0], [1] * 8, {}),
    "spoken_call": ([1, 0, 1, 0], [1, 1, 2], {"everything accepted": 0, "everything rejected": 0}),
}


@pytest.mark.parametrize("name", READ)
def test_what_difficulty_budgets_and_floors_read_of_a_task(name):
    task = find_task(name).with_options({})
    reference = task.format.read_reference(encoded(CASES[name].reference))
    files = encoded(CASES[name].submission)
    rows = task.count(reference, task.format.read_submission(files, reference.items))
    right, labels, known = READ[name]
    assert task.right(rows) == pytest.approx(right, abs=1e-12)
    assert [count for _, count in sorted(Counter(task.labels(reference)).items())] == labels
    options = Settings(choose_options(task, {}), True, Signature(task.name))
    for answer, value in known.items():
        scored = score_submission(task, reference, task.trivial[answer](reference.items), options)
        assert scored.scores[task.primary.key] == pytest.approx(value, abs=1e-12)
