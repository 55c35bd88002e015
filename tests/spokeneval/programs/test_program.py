"""Messages for errors, and Ctrl-C."""

import errno
from pathlib import Path

import pytest

from spokeneval.programs.program import describe_error, run
from spokeneval.scoring.output import INTERRUPTED


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left"), "file: No space left\nNothing was scored."),
        (OSError(errno.EIO, "Broken", "/a/b c"), "'b c': Broken\nNothing was scored."),
    ],
)
def test_the_message_of_an_error_contains_no_label(error, words):
    assert describe_error(error) == words


def test_a_failure_is_reported_with_its_last_four_frames():
    def deeper(levels):
        return deeper(levels - 1) if levels else int("a label")

    try:
        deeper(5)
    except ValueError as error:
        words = describe_error(error)
    line = deeper.__code__.co_firstlineno + 1
    place = f"  {Path(__file__).name} line {line} in deeper\n"
    assert words == (
        f"The program failed (ValueError). Please send these lines to the organisers:\n{4 * place}Nothing was scored."
    )


def test_ctrl_c_ends_a_program_without_a_word(capsys):
    def interrupted():
        raise KeyboardInterrupt

    assert run(interrupted) == INTERRUPTED == 130
    assert tuple(capsys.readouterr()) == ("", "")
