"""The command `publish`."""

import shlex

import pytest

import build_bundle
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.text import PROGRAM
from tests.samples.codabench_server import CSRF, PASSWORD, SESSION, TOKEN
from tests.samples.live_bundle import COMPETITION

pytestmark = pytest.mark.usefixtures("unchecked")


def test_the_command(server, login, small_bundle, command, tmp_path, monkeypatch):
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(small_bundle)
    status, out, err = command("publish", bundle, *login)
    assert status == 0
    assert f"imported as competition 7: {server.address}/competitions/7/" in out
    assert not [secret for secret in (TOKEN, PASSWORD, CSRF, SESSION) if secret in out + err]
    status, out, _ = command("publish", bundle, "--competition", 7)
    assert (status, "not compared: programs and data" in out) == (4 if server.today else 0, server.today)
    monkeypatch.setenv(TOKEN_VARIABLE, "f" * 40)
    status, _, err = command("publish", bundle)
    assert (status, "does not accept this token" in err) == (1, True)


@pytest.mark.parametrize("with_file", [True, False])
def test_the_printed_command_opens_the_competition(
    with_file, server, login, command, one_phase, tmp_path, monkeypatch
):
    (tmp_path / "my bundles").mkdir()
    bundle = one_phase.rename(tmp_path / "my bundles/one.zip")
    if with_file:
        monkeypatch.delenv(TOKEN_VARIABLE)
        token = tmp_path / "my token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        login = [*login, "--token-file", token]
    status, out, _ = command("publish", bundle, *login)
    assert status == 0
    program, words = shlex.split(PROGRAM), shlex.split(out.splitlines()[-1].partition("to open it: ")[2])
    assert words[: len(program)] == program
    assert not server.competitions[COMPETITION]["published"]
    assert build_bundle.main(words[len(program) :]) == 0
    assert server.competitions[COMPETITION]["published"]
