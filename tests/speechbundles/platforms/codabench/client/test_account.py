"""The token, the password, and the addresses that may get them."""

import os
import re
import shutil
import subprocess

import pytest

from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench.client.account import Account, read_account, read_server, read_token
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN
from tests.samples.programs import ROOT


def test_a_servers_address():
    assert read_server("https://www.codabench.org/") == "https://www.codabench.org"
    assert read_server("http://localhost:8000") == "http://localhost:8000"
    for address in (
        "http://www.codabench.org",
        "www.codabench.org",
        "https://x.org/competitions/7/",
        "https://",
    ):
        with pytest.raises(OrganiserError):
            read_server(address)


@pytest.fixture
def file(tmp_path):
    """A file that only its owner can read."""
    path = tmp_path / "secret"
    path.touch(mode=0o600)
    return path


def test_the_token_comes_from_a_file_or_the_environment(file, monkeypatch):
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    with pytest.raises(OrganiserError, match="no token"):
        read_token(None)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert read_token(None) == TOKEN
    file.write_text(f"{TOKEN}\n")
    assert read_token(file) == TOKEN
    file.write_text("two words")
    with pytest.raises(OrganiserError, match="this is not a token"):
        read_token(file)
    with pytest.raises(OrganiserError, match="No such file"):
        read_token(file.with_name("none"))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
@pytest.mark.parametrize("read", [read_token, read_account])
def test_a_secret_that_other_users_can_read_is_refused(file, mode, read):
    file.write_text(TOKEN)
    file.chmod(mode)
    with pytest.raises(OrganiserError, match=r"other users can read this .*chmod 600"):
        read(file)


def test_files_with_an_account(file):
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "utf-8")
    assert read_account(file) == Account(ORGANISER, PASSWORD)
    file.write_text(f"{ORGANISER}\r\n{PASSWORD}\r\n", "utf-8-sig")  # as editors on Windows save it
    assert read_account(file) == Account(ORGANISER, PASSWORD)
    file.write_text(f"{ORGANISER}\n{PASSWORD} \n", "utf-8")  # a password may end in a space
    assert read_account(file) == Account(ORGANISER, f"{PASSWORD} ")
    for content in ("", "name\n", "name\nword\nmore\n", " \nword\n"):
        file.write_text(content)
        with pytest.raises(OrganiserError, match="expected two lines"):
            read_account(file)
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "latin-1")
    with pytest.raises(OrganiserError, match="not UTF-8"):
        read_account(file)


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl")
def test_the_guides_recipe_gets_a_token(server, tmp_path):
    guide = (ROOT / "docs/how-to/live-season.md").read_text(encoding="utf-8")
    recipe = re.search(r"^\(umask 077;.*?\)\n(?=```)", guide, re.MULTILINE | re.DOTALL)[0]
    recipe = recipe.replace("https://www.codabench.org", server.address)
    file = tmp_path / ".codabench-token"
    for password in ("wrong", PASSWORD):
        words = f"{ORGANISER}\n{password}\n".encode()
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        subprocess.run(["bash", "-c", recipe], input=words, env=environment, check=True)
        assert file.stat().st_mode & 0o777 == 0o600
        if password == "wrong":
            with pytest.raises(OrganiserError, match="not a token"):
                read_token(file)
    assert read_token(file) == TOKEN
