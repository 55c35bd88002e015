"""docs/start/researcher.md: its examples in Python, and its commands that compare systems."""

import csv
import re
import shlex

import build_bundle
from speechbundles.model.zips import make_zip
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, write_files

PAGE = (ROOT / "docs/start/researcher.md").read_text(encoding="utf-8")
LABELS = ROOT / "reference_data/psst_correctness/evaluation"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def write_example(folder):
    """The files that the page names: labels, and the outputs of two systems."""
    text = near_misses("psst_correctness", LABELS)["correctness.tsv"]
    header, *rows = text.splitlines(keepends=True)
    swapped = {"true": "false", "false": "true"}
    worse = [re.sub("true|false", lambda found: swapped[found[0]], row) for row in rows[: len(rows) // 4]]
    worse_text = "".join([header, *worse, *rows[len(worse) :]])
    files = {"utterances.tsv": (LABELS / "utterances.tsv").read_bytes(), "correctness.tsv": text}
    for name, answers in (("first", text), ("second", worse_text)):
        files[f"systems/{name}.zip"] = make_zip({"correctness.tsv": answers.encode()})
    write_files(folder, files)


def test_the_python_examples_run(tmp_path, monkeypatch):
    write_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    first, second = blocks("python")
    names: dict = {}
    exec(first, names)
    assert set(names["result"].scores) >= {"f1", "precision", "recall"}
    exec(second, names)
    call = re.search(r"^feature_error_rate\(.*\)(?=  #)", second, re.MULTILINE)
    assert eval(call[0], names) == 1 / 72


def test_the_commands_compare_two_systems(tmp_path, monkeypatch, capsys):
    write_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    (block,) = (block for block in blocks("sh") if "speech-bundles rank" in block)
    install, *commands = block.replace("\\\n", "").splitlines()
    assert install == 'pip install ".[organiser]"'
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "speech-bundles"
        assert build_bundle.main(arguments) == 0, capsys.readouterr().err
    with open("board/board.csv", encoding="utf-8", newline="") as file:
        ranks = {row["system"]: row["rank"] for row in csv.DictReader(file)}
    assert ranks == {"first": "1", "second": "2"}
    cells = re.findall(r"^\| (`board.*|`pairs.*) \|.*\|$", PAGE, re.MULTILINE)
    written = set(re.findall(r"`(\S+)`", " ".join(cells)))
    assert written == {path.name for path in (tmp_path / "board").iterdir()}
