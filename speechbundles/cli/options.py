"""The class of all commands, and arguments and options that several commands share."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.exceptions import Exit

from speechbundles.cli.terminal import JSON, describe, refuse
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import hint, say

PATH = click.Path(readable=False, path_type=Path)
"""A path, not checked here: the command itself reports a path that it cannot use."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What adds an option to a command."""

COUNT = click.IntRange(min=1)

_OPTION = re.compile("--?[a-zA-Z]")


NOTHING = "\n\nNothing was written."


class Command(click.Command):
    """A command that shows its usage with every usage error, and prints an error that the organiser can fix.

    An option is refused as the value of another option, as in `--keep --json`.

    Attributes
    ----------
    failed, ending: the exit status after an error that the organiser can fix, and what is printed below it.
    kept: what has become of the submissions whose results are kept after Ctrl-C; empty if it keeps none.
    windows: whether it runs on Windows, where no program is rehearsed.
    """

    def __init__(
        self,
        *args: Any,
        failed: int = 1,
        ending: str = "",
        kept: str = "",
        windows: bool = True,
        **others: Any,
    ) -> None:
        super().__init__(*args, **others)
        self.failed, self.ending, self.kept, self.windows = failed, ending, kept, windows

    def invoke(self, ctx: click.Context) -> Any:
        if sys.platform == "win32" and not self.windows:
            refuse("Programs are not rehearsed on Windows; run this in WSL, on Linux or on macOS.", 1)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            if not self.kept:
                raise
            say(
                f"Stopped. Submissions {self.kept} so far are kept. Run the same command to continue.",
                error=True,
            )
            raise Exit(130) from None
        except (
            OrganiserError,
            OSError,
            UnicodeEncodeError,
        ) as error:  # the last: a file name that is not UTF-8
            printing = getattr(error, "filename", None) == "standard output"  # of what is done
            refuse(describe(error) + self.ending * (not printing), self.failed)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            if error.ctx is None:  # then click shows no usage
                raise click.UsageError(error.format_message(), ctx) from None
            raise
        if not ctx.resilient_parsing:
            for option in self.params:
                value = ctx.params[str(option.name)]
                values = value if isinstance(value, tuple) else (value,)
                if isinstance(option, click.Option) and any(map(_OPTION.match, map(str, values))):
                    raise click.UsageError(f"Option {option.opts[0]!r} requires an argument.", ctx)
        ctx.meta[JSON] = ctx.params.pop(JSON, False)
        return rest


class Choice(click.Choice[str]):
    """A choice that suggests the value that is closest to a misspelt one."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + hint(value, self.choices)


def option(name: str, metavar: str | None, text: str | None, *variable: str, **kind: Any) -> Decorator:
    """Return an option with a value; `variable` is its parameter, if not as the option."""
    return click.option(name, *variable, metavar=metavar, help=text, **kind)


def path_option(name: str, metavar: str, text: str, *variable: str, **kind: Any) -> Decorator:
    """Return an option whose value is a path."""
    return option(name, metavar, text, *variable, type=PATH, **kind)


def flag(name: str, text: str, *variable: str) -> Decorator:
    """Return an option without a value."""
    return click.option(name, *variable, is_flag=True, help=text)


bundle_file = click.argument("bundle", type=PATH, metavar="BUNDLE.zip")
own_folder = path_option("--competition", "DIR", "your competition folder, as created by init")
phase = option(
    "--phase", "PHASE", "name or number of a phase (default: the first phase that scores the evaluation set)"
)
reference = path_option(
    "--reference",
    "DIR",
    "score against the labels in this folder: `sealed` or `all` in the build's folder sealed/TASK/SET",
)
jobs = option("--jobs", "N", "runs at the same time (default: one for each processor)", type=COUNT)
json_option = flag("--json", "print the result, or the error, as JSON", JSON)
