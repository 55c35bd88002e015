"""Mutation testing: its lists name what there is, and a change of a message's words is told from others."""

import pytest
import yaml

from mutation.mutant import Mutant, only_words
from tests.samples.programs import ROOT


def test_every_module_has_its_tests():
    tests = yaml.safe_load((ROOT / "mutation" / "tests.yaml").read_text())
    named = [path.removeprefix("--deselect=").partition("::") for paths in tests.values() for path in paths]
    for path, _, function in [(module, "", "") for module in tests] + named:
        assert f"def {function}" in (ROOT / path).read_text(), (path, function)


def test_every_equivalent_mutant_is_in_its_module_with_a_reason():
    for entry in yaml.safe_load((ROOT / "mutation" / "equivalents.yaml").read_text()):
        assert set(entry) == {"in", "from", "to", "why"}
        module = next(path for path in _modules(entry["in"]) if path.is_file())
        assert " ".join(entry["from"].split()) in " ".join(module.read_text(encoding="utf-8").split())


def _modules(function: str):
    parts = function.split(".")
    return (ROOT.joinpath(*parts[:end]).with_suffix(".py") for end in range(len(parts), 0, -1))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('raise ValueError("no unit is there")', 'raise ValueError("XXno unit is thereXX")', True),
        ('raise ValueError("no unit is there")', 'raise ValueError("NO UNIT IS THERE")', True),
        ('raise ValueError("no unit is there")', "raise ValueError(None)", False),
        ('line.split(" ")', 'line.split("XX XX")', False),
        ('dtype.kind in "biu"', 'dtype.kind in "XXbiuXX"', False),
        ('f(1, "a rate of it")', 'f(2, "a rate of it")', False),
    ],
)
def test_a_change_of_words_is_one_inside_a_text_of_several(before, after, words):
    assert only_words(Mutant("module.function", before, after)) is words
