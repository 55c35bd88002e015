"""The command line itself: help, wrong calls, completion, how commands end, and what is missing on this machine."""

import ast
import os
import re
import runpy
import signal
import subprocess
import sys

import pytest

import build_bundle
from speechbundles.cli.program import COMMANDS
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import ROOT

PROGRAM = [sys.executable, str(ROOT / "build_bundle.py")]


def test_the_program_lists_each_command_with_the_first_line_of_its_help(capsys):
    assert build_bundle.main(["--help"]) == 0
    commands = capsys.readouterr().out.partition("Commands:")[2]
    listed = dict(re.findall(r"^  (\w+) +(\S.*)$", commands, re.MULTILINE))
    assert tuple(name for name in listed if name in COMMANDS) == COMMANDS
    for name in COMMANDS:
        assert build_bundle.main([name, "-h"]) == 0
        help_text = capsys.readouterr().out
        assert help_text.startswith("Usage: ")
        assert listed[name] in help_text


def test_the_help_of_the_program_imports_no_command():
    code = "import sys; from speechbundles.cli import main; main(['-h']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = done.stdout.rpartition("\n\n")[2].split()
    assert "click" in modules
    commands = {f"speechbundles.cli.{name}" for name in COMMANDS}
    assert {"numpy", "rich", "yaml", "speechbundles.model", *commands}.isdisjoint(modules)


def test_a_wrong_call_cannot_send_anything_to_the_terminal(capsys):
    assert build_bundle.main(["rank", "x", "--\x1b[2J"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_without_a_command_the_script_builds_all_bundles(monkeypatch, capsys):
    def refuse(sources, names, given, **options):
        raise OrganiserError(f"{sources.root} {list(names)} {given} {sources.own}")

    monkeypatch.setattr("speechbundles.cli.build.plan_bundles", refuse)
    monkeypatch.setattr("sys.argv", ["build_bundle.py"])
    monkeypatch.setattr("speechbundles.cli._handle_signals", lambda: None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "build_bundle.py"), run_name="__main__")
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"{ROOT} [] {{}} None\n\nNothing was built.\n"


@pytest.mark.default_cases("rank", "check")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("re", "plain,rehearse"),
        ("rank --an", "plain,--anonymous"),
        ("build --platform codal", "plain,codalab"),
        ("check dist", "file,dist"),
    ],
)
def test_a_shell_completes_commands_options_and_values(words, expected):
    asked = {
        "_BUILD_BUNDLE_PY_COMPLETE": "bash_complete",
        "COMP_WORDS": f"build_bundle.py {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    done = subprocess.run(PROGRAM, env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert done.stdout == f"{expected}\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [("--example chldren_asr", "children_asr"), ("--new own --kind transcript", "transcripts")],
)
def test_a_misspelt_choice_is_suggested(capsys, tmp_path, arguments, expected):
    assert build_bundle.main(["init", str(tmp_path / "new"), *arguments.split()]) == 2
    assert capsys.readouterr().err.rstrip().endswith(f"; did you mean {expected!r}?")


def stopped(*_, **__):
    raise KeyboardInterrupt


def test_ctrl_c_ends_a_command_in_a_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("speechbundles.cli.check.check_bundle", stopped)
    assert build_bundle.main(["check", "x.zip"]) == 130
    assert capsys.readouterr().err == "\nStopped.\n"
    monkeypatch.setattr("speechbundles.cli.score.score_all", stopped)
    assert build_bundle.main(["score", "x.zip", "dir"]) == 130
    assert capsys.readouterr().err.startswith("Stopped. Submissions scored so far are kept.")


@pytest.mark.skipif(os.name != "posix", reason="such signals are POSIX's")
@pytest.mark.default_cases("SIGTERM", "SIGPIPE")
@pytest.mark.parametrize(
    ("name", "status"), [("SIGTERM", 130), ("SIGHUP", 130), ("SIGPIPE", -signal.SIGPIPE)]
)
def test_a_signal_ends_the_program_with_the_usual_status(name, status):
    code = (
        f"import signal, sys; signal.signal(signal.{name}, signal.SIG_DFL); sys.argv[1:] = ['check', 'x.zip']\n"
        "import speechbundles.cli.check as check\n"
        f"check.check_bundle = lambda *given: signal.raise_signal(signal.{name})\n"
        "import build_bundle; sys.exit(build_bundle.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, "\nStopped.\n" if status > 0 else "")


def test_an_old_python_gets_one_line_that_names_the_version_needed(monkeypatch):
    for path in ("build_bundle.py", "speechbundles/__init__.py", "speechbundles/cli/__init__.py"):
        ast.parse((ROOT / path).read_text(encoding="utf-8"), feature_version=(3, 9))
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit, match=r"^The organiser's commands need Python 3\.10 or newer\. .*$"):
        build_bundle.main([])


def test_a_missing_package_gets_one_line_with_the_command_that_installs_it():
    """A Python without any package."""
    line = 'This command needs the package click: pip install ".[organiser]" in a clone\n'
    done = subprocess.run([sys.executable, "-E", "-S", *PROGRAM[1:]], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [("rank", "rich", "organiser"), ("split", "scipy", "annotation"), ("merge", "pympi", "annotation")],
)
def test_a_missing_package_of_an_extra_names_that_extra(monkeypatch, command, package, extra):
    def run(arguments):
        raise ModuleNotFoundError(name=f"{package}.part")

    monkeypatch.setattr("speechbundles.cli.program.run", run)
    with pytest.raises(SystemExit, match=rf'package {package}: pip install "\.\[{extra}\]" in a clone'):
        build_bundle.main([command, "x"])


def test_a_missing_module_of_this_project_is_not_reported_as_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "speechbundles.cli.check", None)
    with pytest.raises(ModuleNotFoundError):
        build_bundle.main(["check"])


@pytest.mark.parametrize(
    ("path", "name"),
    [("/usr/bin/speech-bundles", "speech-bundles"), ("pytest", "python build_bundle.py")],
)
def test_messages_name_the_program_that_runs(path, name):
    code = "import sys; sys.argv[0] = sys.argv[1]; from speechbundles.model import text; print(text.PROGRAM)"
    done = subprocess.run([sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"{name}\n"
