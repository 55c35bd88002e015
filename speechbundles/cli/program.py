"""The program: its list of commands, and how a command is found and run."""

import errno
import io
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from spokeneval.version import __version__

COMMANDS = (
    *("assign", "merge", "listening", "split", "describe"),
    *("init", "adopt", "build", "check", "rehearse", "score", "rank", "season"),
    *("publish", "fetch", "board", "run", "watch", "amend", "new"),
)
"""In the order in which organisers need them. Each is a module of this package with a click command named `command`."""


CLONE = Path(__file__).parents[2].joinpath("build_bundle.py").is_file()
"""Whether the program runs in a clone of the repository, to which alone `new` can add a challenge."""

OF_CHALLENGES = ("publish", "fetch", "watch", "amend")
"""Commands that run for each bundle of a challenge if they are given its name."""


class _Program(click.Group):
    """Lists each command by the first line of its module, and imports a module only when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and import_module(f"speechbundles.cli.{name}").command, rest

    def invoke(self, ctx: click.Context) -> Any:
        from speechbundles.model.temporary import sweep

        sweep()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            from speechbundles.model.text import say

            say("\nStopped.", error=True)
            return 130


def run(arguments: Sequence[str]) -> int:
    """Run a command and return the exit status."""
    if len(arguments) > 1 and arguments[0] in OF_CHALLENGES:
        from speechbundles.cli.challenge import for_each_bundle
        from speechbundles.cli.terminal import describe
        from speechbundles.model.errors import OrganiserError

        try:
            calls = for_each_bundle(arguments[0], arguments[1:])
        except (OrganiserError, OSError) as error:
            return _refused(describe(error), describe(error), 1, arguments)
        if calls:
            return _run_each(calls, as_json="--json" in arguments and {"-h", "--help"}.isdisjoint(arguments))
    listed = {
        name: click.Command(name, short_help=_summary(name), hidden=name == "new" and not CLONE)
        for name in COMMANDS
    }
    program = _Program(
        commands=listed,
        help="Build, check and rehearse speech challenges as bundles for Codabench and CodaLab.",
        epilog="Exit status: 0 success, 1 refused or failed, 2 wrong usage.",
        subcommand_metavar="COMMAND ...",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    program = click.version_option(__version__, message="%(prog)s %(version)s")(program)
    try:
        status: int = program.main([*arguments] or ["--help"], standalone_mode=False) or 0
    except click.ClickException as error:
        message = io.StringIO()
        error.show(message)
        return _refused(message.getvalue().rstrip("\n"), error.format_message(), error.exit_code, arguments)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return _refused(f"{error.filename or 'standard output'}: {error.strerror}", str(error), 1, arguments)
    return status


def _refused(shown: str, message: str, status: int, arguments: Sequence[str]) -> int:
    """Print why no command is run, with `--json` also as JSON; return the exit status."""
    from speechbundles.cli.terminal import answer_json, warn

    warn(shown)
    if "--json" in arguments:
        answer_json({"error": message})
    return status


def _run_each(calls: Mapping[str, Sequence[str]], *, as_json: bool) -> int:
    """Run a command for each bundle until Ctrl-C; with `--json`, print one object with the results by bundle."""
    from speechbundles.cli.terminal import answer_json

    statuses, results = [0], {}
    for bundle, arguments in calls.items():
        if statuses[-1] != 130:
            printed = io.StringIO()
            with redirect_stdout(printed if as_json else sys.stdout):
                statuses.append(run(arguments))
            results[bundle] = json.loads(printed.getvalue() or "null")
    if as_json:
        answer_json(results)
    return max(statuses)


def _summary(command: str) -> str:
    """Return the first line of a command's module, without importing the module."""
    with Path(__file__).with_name(f"{command}.py").open(encoding="utf-8") as lines:
        return lines.readline().strip('"\n')
