"""The width of everything that commands print: at most 80 columns, also with long and with wide names."""

import shutil
import sys

import pytest
from click.exceptions import Exit
from rich.cells import cell_len

import build_bundle
from sample_data import demo
from speechbundles.cli.terminal import reporting
from speechbundles.competition.read import read_competitions
from speechbundles.model.console import WIDTH, fitted_table, shorten, wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import make_zip
from tests.samples.programs import write_files

TEAM = "音声認識チーム " + "a very long name of a team, " * 2
BUNDLE = "dist/codabench/spoken_call.zip"


def test_lines_are_wrapped_with_their_indentation():
    assert wrap("short\n  also short") == "short\n  also short"
    lines = wrap("  word" + " more words" * 10).splitlines()
    assert lines == ["  word" + " more words" * 6 + " more", "    words" + " more words" * 3]
    assert wrap("x" * 100) == "x" * 100  # a path can be copied
    assert [cell_len(line) for line in wrap("声" * 60).splitlines()] == [80, 42]


@pytest.mark.parametrize("terminal", [True, False])
def test_errors_are_wrapped_on_a_terminal(monkeypatch, capsys, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with pytest.raises(Exit), reporting():
        raise OrganiserError("a word " * 20)
    assert len(capsys.readouterr().err.splitlines()) == 1 + terminal


def test_long_names_keep_both_ends():
    assert shorten("team/first_submission_v2", 16) == "team/fir…sion_v2"
    assert shorten("声声声声声声", 7) == "声声…声"
    assert shorten("short", 16) == "short"


def test_wide_tables_are_narrowed_then_printed_in_blocks():
    header = ["System", *(f"a long heading {number}" for number in range(12))]
    lines = fitted_table([header, ["name" * 30, *["0.1234"] * 12]], left={0})
    assert max(map(cell_len, lines)) <= WIDTH
    assert "".join(lines).count("0.1234") == 12
    assert lines.count("") == 2  # three blocks, each with the name
    assert sum("name" in line for line in lines) == 3


@pytest.mark.thorough
def test_no_command_prints_more_than_eighty_columns(tmp_path, monkeypatch, capfd):
    spoken_call = read_competitions(demo.Sources(demo.ROOT), ["spoken_call"])
    monkeypatch.setattr(demo, "read_competitions", lambda sources: spoken_call)
    monkeypatch.chdir(tmp_path)
    outputs = []

    def run(*arguments, status=0):
        assert (build_bundle.main(list(arguments)) if arguments else demo.main()) == status, arguments
        captured = capfd.readouterr()
        outputs.append(captured.out + captured.err)
        return captured.out

    assert "Dfull [95 % interval]" in run()
    made = {name: make_zip(files) for name, files in demo.submissions("spoken_call").items()}
    times = ("2027-03-01T0915_first_submission_of_the_team.zip", "2027-03-02T0915_second_submission.zip")
    teams = {"alpha": made["perfect"], TEAM: made["random"]}
    uploads = {f"{team}/{time}": upload for team, upload in teams.items() for time in times}
    write_files(tmp_path / "season", {**uploads, f"{TEAM}/2027-03-03T0915_broken.zip": b"no zip"})
    alpha = f"season/alpha/{times[0]}"
    assert "Dfull" in run("rehearse", BUNDLE, alpha)
    run("rehearse", BUNDLE, f"season/{TEAM}/2027-03-03T0915_broken.zip", status=1)
    run("score", BUNDLE, "season", "--out", "scored", status=1)
    run("season", BUNDLE, "season")
    shutil.copytree(f"scored/{TEAM}/{times[0][:-4]}", "scored/copy")
    systems = [f"scored/alpha/{times[0][:-4]}", f"scored/{TEAM}/{times[0][:-4]}", "scored/copy"]
    assert "[95 % interval]" in run("rank", *systems, "--out", "board", "--by", "Prompt")
    wide = [line for output in outputs for line in output.splitlines() if cell_len(line) > WIDTH]
    assert not wide, "\n".join(wide)
