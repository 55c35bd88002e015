"""README.md and docs/start/researcher.md: their examples in Python, and the command that compares systems."""

import contextlib
import csv
import io
import re
import shlex

import pytest

from spokeneval.__main__ import main
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, write_files

PAGE = (ROOT / "docs/start/researcher.md").read_text(encoding="utf-8")
LABELS = ROOT / "reference_data/psst_correctness/evaluation"


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files that the page names: labels, and the outputs of two systems."""
    text = near_misses("psst_correctness", LABELS)["correctness.tsv"]
    header, *rows = text.splitlines(keepends=True)
    swapped = {"true": "false", "false": "true"}
    worse = [re.sub("true|false", lambda found: swapped[found[0]], row) for row in rows[: len(rows) // 4]]
    files = {
        "utterances.tsv": (LABELS / "utterances.tsv").read_bytes(),
        "correctness.tsv": text,
        "systems/first.tsv": text,
        "systems/second.tsv": "".join([header, *worse, *rows[len(worse) :]]),
    }
    monkeypatch.chdir(write_files(tmp_path, files))


@pytest.mark.usefixtures("example")
def test_the_python_examples_of_the_page_run():
    minute, scoring, metric, comparing = blocks("python")
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(minute, names)
    assert printed.getvalue().startswith("Transcripts: 6 items")
    # By hand: of 16 words two are replaced (who, eight) and three are missing (thank, you, please).
    assert f"# {names['wer'].scores['wer']}\n" in minute
    assert names["wer"].scores["wer"] == 100 * 5 / 16
    exec(scoring, names)
    assert set(names["result"].scores) >= {"f1", "precision", "recall"}
    call = metric.partition("  # ")[0]
    assert eval(call, names) == 1 / 72
    exec(comparing, names)
    assert names["found"].names == ["first", "second"]


def test_the_python_example_of_the_readme_runs():
    (example,) = blocks("python", (ROOT / "README.md").read_text(encoding="utf-8"))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(example, {})
    assert "WER (%)" in printed.getvalue()
    assert "A – B" in printed.getvalue()


@pytest.mark.usefixtures("example")
def test_the_command_compares_two_systems(tmp_path, capsys):
    (block,) = (block for block in blocks("sh") if "spokeneval compare" in block)
    program, *arguments = shlex.split(block.replace("\\\n", "").removeprefix("python -m "))
    assert program == "spokeneval"
    assert main(arguments) == 0, capsys.readouterr().err
    with open("board/board.csv", encoding="utf-8", newline="") as file:
        ranks = {row["system"]: row["rank"] for row in csv.DictReader(file)}
    assert ranks == {"first": "1", "second": "2"}
    cells = re.findall(r"^\| (`board.*|`pairs.*) \|.*\|$", PAGE, re.MULTILINE)
    written = set(re.findall(r"`(\S+)`", " ".join(cells)))
    assert written == {path.name for path in (tmp_path / "board").iterdir()}
