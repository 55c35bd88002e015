"""What participants can see does not depend on the hidden labels, except for the aggregate scores.

Each test shuffles the labels of a hidden reference, while its items, sizes and public files stay the same, and compares
everything that is published, printed and written. All data are synthetic.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import random
import re
import tempfile
from pathlib import Path
from unittest import mock

import pytest

from speechbundles.bundle.build import kit
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from speechbundles.new.examples import EXAMPLES, example_files
from speechbundles.platforms.codabench import write
from spokeneval.challenges import find_task
from spokeneval.report.results import scored_page
from spokeneval.scoring.options import Options, SetFeedback
from spokeneval.scoring.reference import items_fingerprint, parse_reference, read_submission
from spokeneval.scoring.scored import score_submission
from spokeneval.task import ENDS, HIGHER
from tests.samples.cases import CASES, IDS, OWN, SHEETS
from tests.samples.merlion_identification import IDS as SEGMENTS
from tests.samples.programs import ROOT, encoded, repository_with, run_here, unzipped, write_files
from tests.samples.shown import seen

TASKS = tuple(CASES)

LABELS = {
    "spoken_call": ("language", "meaning", "Transcription"),
    "caller_experience": ("human1", "human2", "human3"),
    "psst_recognition": ("transcript", "correctness", "aq_index"),
    "psst_correctness": ("transcript", "correctness", "aq_index"),
    "merlion_identification": ("language_tag",),
    "merlion_diarization": ("language_tag",),
    "content_accuracy": ("human_score", "words"),
    **{name: (own.LABEL,) for name, own in OWN.items()},
}
"""The columns that participants never see."""

SPOKEN = ("English", "Mandarin")


def dealt_anew(rows: list[list[str]], columns: list[int], seed: int, *, sizes: bool) -> None:
    """Shuffle the labels of rows, which are in these columns; without `sizes`, draw them with replacement."""
    labels = [[row[column] for column in columns] for row in rows]
    draw = random.Random(seed)
    labels = draw.sample(labels, len(labels)) if sizes else draw.choices(labels, k=len(labels))
    for row, values in zip(rows, labels, strict=True):
        for column, value in zip(columns, values, strict=True):
            row[column] = value


def relabelled(task: str, files: dict[str, str], seed: int, *, sizes: bool = True) -> dict[str, str]:
    """Return the reference with shuffled labels; without `sizes`, some occur more or less often than before.

    Labels of segments are shuffled only among English and Mandarin segments, because it is public which segments are
    scored.
    """
    name = next(iter(files))
    delimiter = "\t" if "\t" in files[name] else ","
    header, *rows = csv.reader(io.StringIO(files[name]), delimiter=delimiter)
    columns = [header.index(column) for column in LABELS[task] if column in header]
    dealt = [row for row in rows if "language_tag" not in header or row[columns[0]] in SPOKEN]
    if "overlap_diff_lang" in header:
        dealt = [row for row in dealt if row[header.index("overlap_diff_lang")].lower() == "false"]
    dealt_anew(dealt, columns, seed, sizes=sizes)
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return {**files, name: text.getvalue()}


# The bundles: hidden labels shuffled, everything else unchanged


def with_labels_at_home(settings: str) -> str:
    """Return the repository's `competition.yaml` with settings that keep all hidden labels at home."""
    for old, new in (("labels: platform", "labels: home"), ("class_sizes: public", "class_sizes: hidden")):
        assert settings.count(old) == 1
        settings = settings.replace(old, new)
    return settings


@functools.cache
def built(task: str, platform: str, seed: int | None, *, at_home: bool = False) -> dict[str, bytes]:
    """Return a task's bundle, `name -> content`; with a seed, the hidden labels are shuffled."""
    source = ROOT / "reference_data" / task / "evaluation"
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(source.iterdir())}
    if seed is not None:
        dealt = relabelled(task, files, seed, sizes=not at_home)
        assert dealt != files
        files = dealt
    (name, *_) = (b.name for b in read_competitions(Sources(ROOT), []) if b.task == task)
    with tempfile.TemporaryDirectory() as folder:
        hidden = {f"reference_data/{task}/evaluation/{name}": text for name, text in files.items()}
        if at_home:
            hidden["competition.yaml"] = with_labels_at_home((ROOT / "competition.yaml").read_text("utf-8"))
        root = repository_with(Path(folder, "series"), hidden)
        with mock.patch.object(kit, "read_tree", lambda path: repository(ROOT / path.relative_to(root))):
            planned = plan(Sources(root), [name], {}, platforms=[platform])
        assert not planned.warnings
        (bundle,) = planned.competitions
        return (
            platforms()[platform]
            .part("write")
            .render(bundle, planned.parts[task], planned.pages[name, platform])
        )


repository = functools.cache(kit.read_tree)
"""Both builds use the repository's files as read by the first build."""


def without_told(name: str, content: bytes) -> object:
    """Return a bundle's entry without the public, rounded scores, and the name of the best, in options and pages."""
    if name in ("scoring_program.zip", "starting_kit.zip"):
        return {inner: without_told(inner, data) for inner, data in unzipped(content).items()}
    if name.endswith("options.json"):
        options = json.loads(content)
        for told in options["sets"].values():
            told.pop("best", None)
            told.update({key: list(part) for key, part in told.items()})
        return options
    if re.fullmatch(r".*(overview|evaluation)\.(md|html)", name):
        return re.sub(rb"about -?[\d.]+", b"about", content)
    return content


def told_of_hidden_sets(program: dict[str, bytes]) -> dict[str, dict[str, float]]:
    """Return the scores that a scoring program's options contain for the last set, which is hidden."""
    return list(json.loads(program["options.json"])["sets"].values())[-1]


def is_on_grid(score: float, step: float | str) -> bool:
    """Whether a score is a multiple of its step or, in steps of 25 %, 0 or a number of ISO 3's series R10."""
    if step == "25 %":
        return score == 0 or float(f"{score:.2e}"[:4]) in (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)
    return score / step == pytest.approx(round(score / step), abs=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("platform", ["codabench", "codalab"])
@pytest.mark.parametrize("task", TASKS)
def test_every_part_of_a_bundle_but_the_reference_is_the_same_but_for_scores_in_steps(task, platform):
    plain, dealt = (built(task, platform, seed) for seed in (None, 1))
    assert list(plain) == list(dealt)
    assert any(name.startswith("solutions/") for name in plain) or platform == "codalab"
    different = {name for name in plain if without_told(name, plain[name]) != without_told(name, dealt[name])}
    assert different == {"reference_data.zip"}, different
    for told in (told_of_hidden_sets(unzipped(bundle["scoring_program.zip"])) for bundle in (plain, dealt)):
        assert told["floor"].keys() == told["steps"].keys()
        primary = find_task(task).primary.key
        shown = [*told["floor"].items(), *((primary, score) for score in told["trivial"].values())]
        assert all(is_on_grid(score, told["steps"][key]) for key, score in shown), shown


@pytest.mark.default_cases("spoken_call-codabench", "diarization-codalab")
@pytest.mark.parametrize("platform", ["codabench", "codalab"])
@pytest.mark.parametrize("task", TASKS)
def test_every_byte_of_a_bundle_is_the_same_whatever_labels_stay_at_home(task, platform):
    plain, dealt = (built(task, platform, seed, at_home=True) for seed in (None, 1))
    assert plain == dealt
    reference = unzipped(plain["reference_data.zip"])
    inputs = {f"items/{name}": content for name, content in unzipped(plain["input_data.zip"]).items()}
    assert reference == {**inputs, "part.txt": b"home\n"}


KEPT = ("id", "recording", "speaker")
"""The columns of an example that are no labels."""


def declared_bundles(name: str, folder: Path, *, deal: bool, at_home: bool = False) -> dict[str, bytes]:
    """Return the bundles of an example, `bundle/path -> content`; `deal`: with its hidden labels dealt anew."""
    files = example_files(name)
    if at_home:
        settings = files["competition.yaml"].replace(b"\ndefaults:\n", b"\ndefaults:\n  labels: home\n")
        files["competition.yaml"] = settings
    for path in [
        path
        for path in files
        if deal and "/evaluation/" in path and not path.endswith((".uem", "/regions.csv"))
    ]:
        separator = " " if path.endswith(".rttm") else ","
        rows = [line.split(separator) for line in files[path].decode().splitlines()]
        header = [] if path.endswith(".rttm") else [rows.pop(0)]
        labels = [n for n, key in enumerate(header[0]) if key not in KEPT] if header else [7]
        dealt_anew(rows, labels, 1, sizes=not at_home)
        text = "".join(f"{separator.join(row)}\n" for row in [*header, *rows]).encode()
        assert text != files[path]
        files[path] = text
    planned = plan(Sources(ROOT, write_files(folder, files)), [name], {})
    return {
        f"{bundle.name}/{path}": content
        for bundle, pages in zip(planned.competitions, planned.pages.values(), strict=True)
        for path, content in write.render(bundle, planned.parts[bundle.task], pages).items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("at_home", [False, True])
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_declared_tasks_bundle_is_the_same_but_for_scores_in_steps(name, at_home, tmp_path):
    """If the labels stay at home, every byte is the same."""
    plain, dealt = (
        declared_bundles(name, tmp_path / str(deal), deal=deal, at_home=at_home) for deal in (False, True)
    )
    assert list(plain) == list(dealt)
    told = {entry for entry in plain if plain[entry] != dealt[entry]}
    labels = set()
    for path in told:
        entry = path.partition("/")[2]
        labels |= {entry} if without_told(entry, plain[path]) != without_told(entry, dealt[path]) else set()
    assert labels == (set() if at_home else {"reference_data.zip"})
    assert not (at_home and told)


@pytest.mark.default_cases("spoken_call")
@pytest.mark.parametrize("task", TASKS)
def test_a_run_shows_the_same_but_for_its_scores(task, tmp_path):
    """Run the baseline's submission through the bundle's own programs with the organiser's options."""
    shown, scores, floors = {}, {}, {}
    for seed in (None, 1):
        bundle = built(task, "codabench", seed)
        folder = tmp_path / str(seed)
        programs = {}
        for part in ("scoring_program", "ingestion_program"):
            programs[part] = write_files(folder / part, unzipped(bundle[f"{part}.zip"]))
        write_files(folder / "input" / "ref", unzipped(bundle["reference_data.zip"]))
        solution = unzipped(bundle["solutions/baseline_evaluation.zip"])
        results = write_files(folder / "input" / "res", solution)
        submitted = write_files(folder / "submitted", solution)
        items = write_files(folder / "items", unzipped(bundle["input_data.zip"]))
        ingested = run_here(programs["ingestion_program"] / "ingest.py", items, submitted, results)
        output = folder / "output"
        scored = run_here(programs["scoring_program"] / "score.py", folder / "input", output)
        shown[seed] = [seen(results, *ingested), seen(output, *scored)]
        assert (ingested[0], scored[0], scored[2]) == (0, 0, "")
        assert "statistics.json" not in shown[seed][1]
        scores[seed] = json.loads((output / "scores.json").read_text())
        floors[seed] = told_of_hidden_sets(unzipped(bundle["scoring_program.zip"]))["floor"]
    assert shown[None] == shown[1]
    assert scores[None] != scores[1] or floors[None] == floors[1]


# No oracle: whether a run fails does not depend on a label


def extremes(task: str) -> list[dict[str, str]]:
    """Return submissions with extreme but valid values."""
    if task in SHEETS:
        sheet = SHEETS[task]
        values = {
            "spoken_call": ("accept", "reject"),
            "caller_experience": ("1", "5"),
            "psst_recognition": ("", "<sil>", "K AE T", "D " * 300),
            "psst_correctness": ("true", "false"),
            "content_accuracy": ("0", "-2", "7", "2.5", "1e-320"),
        }.get(task, sheet.values)
        constant = [sheet.text([(item, value) for item in IDS]) for value in values]
        mixed = [
            sheet.text([(item, values[place in chosen]) for place, item in enumerate(IDS)])
            for chosen in ((0,), (3,), (0, 1), (1, 2, 3))
        ]
        return [{sheet.file: text} for text in [*constant, *mixed, sheet.text()]]
    if task == "merlion_identification":
        scores = ("0 0", "1 0", "0 1", "1e308 -1e308", "-1e308 1e308", "5e-324 0")
        return [{"prediction.txt": "".join(f"{item} {pair}\n" for item in SEGMENTS)} for pair in scores]
    turns = ("", "0 1e9 English", "0 1e9 Mandarin", "0 1e9 English\n0 1e9 Mandarin", "0 0.001 English")
    return [{"x_1.txt": one, "y_1.txt": other} for one in turns for other in ("", one)]


@pytest.mark.default_cases("spoken_call", "psst_recognition", "diarization")
@pytest.mark.parametrize("task", TASKS)
def test_whether_a_run_fails_and_all_that_it_says_does_not_depend_on_a_label(task, tmp_path):
    score = ROOT / "scoring_program" / task / "score.py"
    references = [dict(CASES[task].reference), dict(CASES[task].relabelled)]
    references += [relabelled(task, references[0], seed) for seed in range(2)]
    items = set()
    for number, reference in enumerate(references):
        write_files(tmp_path / str(number) / "ref", reference)
        items.add(find_task(task).format.read_reference(encoded(reference)).items.ids)
    assert len(items) == 1
    for place, submission in enumerate(extremes(task)):
        shown = []
        for number in range(len(references)):
            folder = tmp_path / str(number)
            results = {f"res/{name}": text for name, text in submission.items()}
            inputs = write_files(folder / str(place), results)
            (inputs / "ref").symlink_to(folder / "ref")
            shown.append(seen(inputs / "out", *run_here(score, inputs, inputs / "out")))
        assert shown[0]["status"] == 0, (submission, shown[0])
        assert "statistics.json" not in shown[0]
        assert all(other == shown[0] for other in shown), submission


@pytest.mark.parametrize("task", TASKS)
def test_a_page_on_hidden_labels_follows_from_the_figures_of_the_leaderboard(task):
    """With the same scores and answers, the page is the same for any labels, in each of its sentences."""
    found = find_task(task)
    key, sign = found.primary.key, 1 if found.primary.direction == HIGHER else -1
    floor = {key: 5.0}
    labellings = [dict(CASES[task].reference), dict(CASES[task].relabelled)]
    known = [parse_reference(found, encoded(files)) for files in labellings]
    told = {items_fingerprint(known[0].items.ids): SetFeedback({key: 0.5}, floor, {"known": 2.0})}
    verdicts = set()
    for feedback, sets in (("coarse", told), ("coarse", {}), ("exact", {})):
        settings = Options({}, (), feedback, sets, True).settings(found, known[0])
        for steps in (0, 1, 3):
            shown = {name: value + sign * 0.5 * steps for name, value in floor.items()}
            if not settings.feedback.steps and settings.coarse:
                continue  # no score has a step, so none is written
            if not settings.coarse:
                shown.update({key + end: shown[key] for end in ENDS})
            for answers in extremes(task)[:2]:
                pages = set()
                submission = encoded(answers)
                for reference in known:
                    answered = read_submission(found, submission, reference)
                    scored = score_submission(found, reference.labels, answered, settings)
                    markup = scored_page(found, settings, shown, scored, reference, answered, submission)
                    pages.add(re.sub("SHA-256 [0-9a-f]{12}", "SHA-256", markup))
                (page,) = pages
            verdicts.add(re.search('<div class="verdict.*?</div>', page, flags=re.DOTALL)[0])
            assert "known" not in page
            assert "Largest sources" not in page
            assert "<svg" not in page
    assert len(verdicts) == 4  # at the floor, one step and three steps from it, and scored without a floor
