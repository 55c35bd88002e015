"""Files that the parameters of a kind name: spelling tables and tables of features."""

from pathlib import Path

import pytest

from speechbundles.competition.kind_files import LARGEST_TABLE, resolve_files
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.transcripts import TranscriptsKind
from spokeneval.metrics.phoneme_recognition import arpabet_features
from tests.samples.programs import ROOT


def test_a_spelling_table_becomes_pairs(tmp_path: Path) -> None:
    table = '\ufeffcolour,color\r\n\r\nwanna , want to\r\n"uh",""\r\n'
    (tmp_path / "spelling.csv").write_bytes(table.encode())
    declared = {"normalise": ["casefold", {"spelling": "spelling.csv"}, {"drop": ["um"]}], "clip": 1}
    resolved = resolve_files(declared, tmp_path)
    pairs = [["colour", "color"], ["wanna", "want to"], ["uh", ""]]
    assert resolved == {"normalise": ["casefold", {"spelling": pairs}, {"drop": ["um"]}], "clip": 1}
    normaliser = TranscriptsKind.read(resolved).normalise
    assert normaliser.words(["Colour uh wanna um"]) == [["color", "want", "to"]]
    assert declared["normalise"][1] == {"spelling": "spelling.csv"}


def test_a_table_of_features_becomes_rows() -> None:
    resolved = resolve_files({"features": "arpabet_features.tsv"}, ROOT / "spokeneval/metrics")
    declared = {"units": "phones", **resolved}
    assert TranscriptsKind.read(declared).features == arpabet_features()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n\na,c\n", "  line 3    a already appears on line 1; keep only one"),
        (b"a,b\nc\n", "  line 2    1 column; expected 2 (a word and its replacement)"),
        (b"a\tb\nc,d\n", "  line 2    1 column; expected 2"),
        (b"a,b\nc,d,e\n", "  line 2    3 columns; expected 2"),
        (b"want to,wanna\n", "  line 1    'want to' in the first column; expected one word"),
        (b",wanna\n", "  line 1    '' in the first column; expected one word"),
        (b"colour,caf\xe9\n", "  not UTF-8"),
        (b'"a,b\n', "  line 1: unexpected end of data"),
        (b"\n \n", "  has no rows"),
        (b"a,b\n" * (LARGEST_TABLE // 4 + 1), "  is larger than 78 kB"),
    ],
)
def test_a_spelling_table_that_cannot_be_used_is_refused(tmp_path, content, message):
    (tmp_path / "words.csv").write_bytes(content)
    with pytest.raises(ReferenceFileError) as refused:
        resolve_files({"normalise": [{"spelling": "words.csv"}]}, tmp_path)
    assert str(refused.value).startswith("words.csv: 1 problem\n")
    assert message in str(refused.value)


def test_all_problems_of_all_files_are_in_one_refusal(tmp_path: Path) -> None:
    (tmp_path / "features.tsv").write_text("# ours\nphone\tvoice\np\t-\np\t+\nb\n")
    with pytest.raises(ReferenceFileError) as refused:
        resolve_files({"normalise": [{"spelling": "absent.csv"}], "features": "features.tsv"}, tmp_path)
    found = [(problem.file, problem.line, problem.message) for problem in refused.value.problems]
    assert found == [
        ("features.tsv", 4, "p already appears on line 3; keep only one"),
        ("features.tsv", 5, "1 column; expected 2"),
        ("absent.csv", None, "No such file or directory"),
    ]


@pytest.mark.parametrize("file", ["", ".", "../absent", "a\0b"])
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, file: str) -> None:
    with pytest.raises(ReferenceFileError):
        resolve_files({"features": file}, tmp_path)
