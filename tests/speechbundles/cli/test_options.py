"""Wrong calls: unknown options, options without their values, and numbers below zero."""

import pytest

import build_bundle


@pytest.mark.parametrize(
    ("arguments", "usage", "reason"),
    [
        ("bild", "COMMAND", "No such command 'bild'. Did you mean 'build'?"),
        ("--versoin", "COMMAND", "No such option '--versoin'. Did you mean '--version'?"),
        ("--platform codalab", "COMMAND", "No such option '--platform'."),
        ("rank x --anonymos", "rank", "No such option '--anonymos'. Did you mean '--anonymous'?"),
        ("rank", "rank", "Missing argument 'OUTPUT...'."),
        (
            "init mine",
            "init",
            "Give the names of tasks, or --new NAME with --kind KIND, or --example EXAMPLE.",
        ),
        ("season b.zip dir more", "season", "Got unexpected extra argument (more)"),
        ("build --platform codalb", "build", "'codalb' is not one of 'codabench', 'codalab'."),
        ("fetch seven dir", "fetch", "Invalid value for 'COMPETITION': 'seven' is not a valid integer."),
        ("score b.zip dir --jobs", "score", "Option '--jobs' requires an argument."),
        *(
            (f"run --limit {hours}", "run", f"Invalid value for '--limit': {hours} is not in the range x>0.")
            for hours in ("nan", "-1", "0")
        ),
        ("rehearse b.zip s.zip --keep --json", "rehearse", "Option '--keep' requires an argument."),
        ("build --leave-out a --leave-out --out x", "build", "Option '--leave-out' requires an argument."),
    ],
)
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
