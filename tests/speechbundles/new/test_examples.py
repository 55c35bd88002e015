"""The example folders of `init`: each is built, tried, scored and ranked as it is.

The example with several tasks is in `tests/speechbundles/cli/test_joint.py`.
"""

import csv
import io
import re

import pytest

import build_bundle
from speechbundles.new.examples import EXAMPLES, SYSTEMS, example_files

MOST_LINES = 25
"""Lines of settings besides comments and blank lines."""


@pytest.mark.default_cases("health")
@pytest.mark.parametrize("name", sorted(name for name in EXAMPLES if not EXAMPLES[name].joint))
def test_an_example_from_its_folder_to_its_leaderboard(name, tmp_path, capsys):
    own = tmp_path / "own"
    assert build_bundle.main(["init", str(own), "--example", name]) == 0
    shown = capsys.readouterr().out
    commands = [line.split() for line in re.findall(r"(?m)^  python build_bundle.py (.*)", shown)]
    assert [words[0] for words in commands] == ["build", "rehearse", "score", "rank"]
    for words in commands[:3]:
        assert build_bundle.main(words) == 0
        said = capsys.readouterr()
        assert not re.search("(?<!without )warning", said.err)
        assert "WARN" not in said.out
    outputs = sorted(str(path) for path in (own / "scored").glob("[!.]*") if path.is_dir())
    assert build_bundle.main(["rank", *outputs, "--out", str(tmp_path / "board")]) == 0
    with open(tmp_path / "board" / "board.csv", encoding="utf-8-sig", newline="") as file:
        assert [row["system"] for row in csv.DictReader(file)] == list(SYSTEMS)
    settings = (own / "competition.yaml").read_text()
    assert len([line for line in settings.splitlines() if re.match(r"\s*[^#\s]", line)]) <= MOST_LINES


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_speaker_of_an_example_is_in_two_sets(name):
    speakers = {"development": set(), "evaluation": set()}
    for path, content in example_files(name).items():
        part = path.split("/")[-2] if path.startswith("reference_data/") else ""
        for row in csv.DictReader(io.StringIO(content.decode())) if path.endswith(".csv") and part else ():
            speakers[part].update(row[column] for column in ("speaker", "system") if column in row)
        for line in content.decode().splitlines() if path.endswith(".rttm") and part else ():
            speakers[part].add(line.split()[7])
    assert all(speakers.values())
    assert speakers["development"].isdisjoint(speakers["evaluation"])
