"""The defects that auto-codabench seeds to measure its validator, in a bundle of another form than ours.

They are the seventeen of its deterministic tier that a bundle can have without the facts file, which only that
validator reads (ihsaan-ullah/auto-codabench@a7056db8). The bundle has folders in place of zips, no `task.json`, and two
scores in `scores.json`.
"""

import copy
import re

import pytest
import yaml

from speechbundles.bundle.check import practice
from speechbundles.bundle.check.check import check_bundle
from speechbundles.model.zips import make_zip
from tests.samples.programs import ROOT

SCRIPT = b"""import json, sys
json.dump({"balanced_accuracy": 0.5, "n": 2}, open(sys.argv[2] + "/scores.json", "w"))
"""
FOREIGN = {
    "version": 2,
    "title": "Texts by machines",
    "image": "logo.png",
    "terms": "pages/terms.md",
    "docker_image": "codalab/codalab-legacy:py312",
    "pages": [{"title": "Overview", "file": "pages/overview.md"}],
    "tasks": [
        {"index": index, "name": name, "scoring_program": "scoring_program", "reference_data": f"reference_{name}",
         "input_data": f"input_{name}"}
        for index, name in enumerate(("train", "test"))
    ],
    "phases": [
        {"index": 0, "name": "Development", "tasks": [0], "start": "2027-01-01 00:00:00", "end": "2027-02-28 00:00:00",
         "max_submissions_per_day": 5, "max_submissions": 100, "starting_kit": "starting_kit"},
        {"index": 1, "name": "Final", "tasks": [1], "start": "2027-03-01 00:00:00", "end": "2027-03-10 00:00:00",
         "max_submissions_per_day": 3, "max_submissions": 3},
    ],
    "leaderboards": [{"title": "Results", "key": "main", "submission_rule": "Force_Last", "columns": [
        {"title": "Balanced accuracy", "key": "balanced_accuracy", "index": 0, "sorting": "desc", "precision": 4},
        {"title": "Items", "key": "n", "index": 1, "sorting": "desc", "precision": 0},
    ]}],
}  # fmt: skip
LABELS = "0110100110010110"


@pytest.fixture
def files():
    def rows(name, labels):
        return "".join(f"{name}{at},{label}\n" for at, label in enumerate(labels)).encode()

    page = "# Texts\n\n## How to submit\n\nUpload a zip with predictions.csv. The data are CC BY 4.0.\n"
    return {
        "competition.yaml": copy.deepcopy(FOREIGN),
        "logo.png": (ROOT / "pages/logo.png").read_bytes(),
        "pages/terms.md": b"Be fair.\n",
        "pages/overview.md": page.encode(),
        "scoring_program/score.py": SCRIPT,
        "scoring_program/metadata.yaml": b"command: python3 /app/program/score.py /app/input /app/output\n",
        "reference_train/labels.csv": b"id,label\n" + rows("a", LABELS),
        "reference_test/labels.csv": b"id,label\n" + rows("b", LABELS[::-1] + "01"),
        "input_train/texts.csv": b"id,text\n" + rows("a", "x" * 16),
        "input_test/texts.csv": b"id,text\n" + rows("b", "x" * 18),
        "starting_kit/README.md": b"Write predictions.csv.\n",
    }


def column(files):
    return files["competition.yaml"]["leaderboards"][0]["columns"][0]


def phase(files, number):
    return files["competition.yaml"]["phases"][number]


def pages(files, change):
    for name in ("pages/terms.md", "pages/overview.md"):
        files[name] = change(files[name])


def rename_score(files):
    files["scoring_program/score.py"] = SCRIPT.replace(b"balanced_accuracy", b"bal_acc")


def remove_kit(files):
    del files["starting_kit/README.md"], phase(files, 0)["starting_kit"]


def leak(files):
    files["input_test/labels.csv"] = files["reference_test/labels.csv"]


def without(data, *words):
    for word in words:
        data = data.replace(word.encode(), b"entry").replace(word.capitalize().encode(), b"Entry")
    return data


SEEDED = {
    "missing-page": ("file-missing", lambda files: files.pop("pages/overview.md")),
    "unwritten-leaderboard-key": ("score-not-written", rename_score),
    "no-daily-cap": ("daily-default", lambda files: phase(files, 0).pop("max_submissions_per_day")),
    "short-dev-phase": ("development-short", lambda files: phase(files, 0).update(end="2027-01-11 00:00:00")),
    "no-sorting": ("sorting-default", lambda files: column(files).pop("sorting")),
    "final-unlimited": ("deciding-submissions", lambda files: phase(files, 1).update(max_submissions=50)),
    "kit-missing": ("kit-missing", remove_kit),
    "single-phase": ("single-phase", lambda files: files["competition.yaml"].update(phases=[phase(files, 1)])),
    "docker-unpinned": ("docker-missing", lambda files: files["competition.yaml"].pop("docker_image")),
    "docker-latest-tag": ("docker-unpinned", lambda files: files["competition.yaml"].update(
        docker_image="codalab/codalab-legacy:latest")),
    "metric-sorting-inverted": ("sorting-", lambda files: column(files).update(sorting="asc")),
    "leaderboard-key-collision": ("column-duplicate", lambda files: files["competition.yaml"]["leaderboards"][0][
        "columns"].append({**column(files), "index": 9})),
    "reference-leaked-to-input": ("leak-file", leak),
    "phase-dates-inverted": ("phase-overlap", lambda files: phase(files, 1).update(start="2020-01-01 00:00:00")),
    "final-phase-open-ended": ("review-window", lambda files: phase(files, 1).pop("end")),
    "data-license-stripped": ("licence-missing", lambda files: pages(
        files, lambda data: re.sub(rb"(?i)licence|CC BY 4.0", b"terms", data))),
    "submission-mode-unstated": ("submission-undescribed", lambda files: pages(
        files, lambda data: without(data, "submission", "submitted", "submit", "upload"))),
}  # fmt: skip


def check(files, folder):
    content = yaml.safe_dump(files["competition.yaml"], sort_keys=False).encode()
    data = make_zip({**files, "competition.yaml": content}, first="competition.yaml")
    (folder / "bundle.zip").write_bytes(data)
    return {finding.code: finding for finding in check_bundle(folder / "bundle.zip")}


FORM = {"file-directory", "scores-undeclared"}
"""Findings in the form itself."""


def test_without_a_defect_there_is_no_finding(files, tmp_path):
    assert check(files, tmp_path).keys() <= FORM


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_defect_is_found(files, tmp_path, name):
    code, seed = SEEDED[name]
    before = check(files, tmp_path).keys()
    seed(files)
    found = [finding for key, finding in check(files, tmp_path).items() if key not in before]
    assert any(finding.code.startswith(code) for finding in found), [finding.code for finding in found]
    assert all(finding.what and finding.platform and finding.remedy for finding in found)


@pytest.mark.parametrize(
    "line",
    [
        "Sie dürfen die Daten im Rahmen ihrer Lizenz nutzen. {}",
        "Pueden utilizar los datos conforme a su licencia. {}",
        "Vous pouvez utiliser les données dans les limites de leur licence. {}",
        "您可以在许可协议允许的范围内使用数据。{}",
    ],
)
def test_a_page_in_another_language_names_the_licence_of_the_data(line):
    assert practice._LICENCE.search(line.format("CC0"))
    assert not practice._LICENCE.search(line.format(""))
