"""Wrong calls: unknown options, options without their values, and numbers below zero."""

import pytest

import build_bundle
from tests.samples.tables import table


@pytest.mark.parametrize(("arguments", "usage", "reason"), table("wrong_calls")["options"])
def test_a_wrong_call_gets_the_usage_and_the_reason(capsys, arguments, usage, reason):
    assert build_bundle.main(arguments.split()) == 2
    printed = capsys.readouterr()
    assert (printed.out != "") == ("--json" in arguments)
    first, hint, blank, error = printed.err.splitlines()
    assert first.startswith("Usage: ")
    assert usage in first
    assert hint.startswith("Try ")
    assert (blank, error.startswith("Error: "), reason in error) == ("", True, True)


def test_a_number_below_zero_is_a_value(capsys, tmp_path):
    assert build_bundle.main(["fetch", "7", str(tmp_path), "--jobs", "-1"]) == 2
    assert "Invalid value for '--jobs': -1 is not in the range x>=1." in capsys.readouterr().err
