"""Arguments and options of commands that use a server, and the connection to it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import option, path_option
from speechbundles.cli.terminal import answer_json, as_json, report_steps
from speechbundles.model.disk import locked
from speechbundles.model.environment import TOKEN_VARIABLE, hide_memory
from speechbundles.model.fetched import LOCK
from speechbundles.model.text import say
from speechbundles.server import NOT_COMPARED, Connection, read_account, read_server, read_token

SERVER = "https://www.codabench.org"
UNCOMPARED = 4
"""The exit status if nothing differs, but something could not be compared."""

competition_number = click.argument("competition", type=int, metavar="COMPETITION")
fetched_folder = path_option(
    "--dir", "DIR", "the folder for the fetched submissions (default: fetched/COMPETITION)", "folder"
)


@contextmanager
def using(folder: Path) -> Iterator[None]:
    """Make a folder for fetched submissions, and lock it for the command that is running; see `locked`."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / LOCK, folder, str(click.get_current_context().info_name)):
        yield


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    address = option("--server", "URL", f"the server's address (default: {SERVER})", default=SERVER)
    token = path_option(
        "--token-file",
        "FILE",
        "a file of mode 0600 with your token, which the server gives for your name and password: the guide "
        f"docs/how-to/live-season.md has the command (default: the environment variable {TOKEN_VARIABLE})",
    )
    return address(token(command))


login_option = path_option(
    "--login-file",
    "FILE",
    "a file of mode 0600 with your name and your password, on a line each, for servers that do not give "
    "programs and data to a token",
)


def given(server: str, token_file: Path | None, login_file: Path | None) -> list[str]:
    """Return the words of the `server_options` that differ from the defaults, for a command that continues this one."""
    address = ["--server", server] if server != SERVER else []
    files = {"--token-file": token_file, "--login-file": login_file}
    return address + [word for name, file in files.items() if file for word in (name, str(file))]


def connect(server: str, token_file: Path | None, login_file: Path | None = None) -> Connection:
    """Return a connection; from now on, the programs that a command runs cannot read the token and
    the password in this process."""
    hide_memory()
    account = read_account(login_file) if login_file else None
    return Connection(
        read_server(server), read_token(token_file), log=lambda text: say(text, error=True), account=account
    )


def report_all(steps: Iterable[str]) -> int:
    """Print each step when it is done, with `--json` all of them as JSON; return the exit status."""
    done = report_steps(steps)
    if as_json():
        answer_json({"steps": done})
    return UNCOMPARED if any(step.startswith(NOT_COMPARED) for step in done) else 0
