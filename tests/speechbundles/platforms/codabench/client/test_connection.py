"""Requests to an unreliable server: retries, whole files, and secrets that stay with the server."""

import socket

import pytest

from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable
from speechbundles.platforms.codabench.client.account import Account
from speechbundles.platforms.codabench.client.connection import PAUSES, Connection
from tests.samples.codabench_server import CSRF, ORGANISER, TOKEN, CodabenchServer, Mishap
from tests.samples.live_bundle import score
from tests.samples.tables import table

COMPETITIONS = "/api/competitions/7/"


def test_a_request_that_was_never_sent_is_retried_even_if_not_repeatable(pauses):
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unreachable, match=r"POST 127.*: no connection$"):
        Connection(address, TOKEN, sleep=pauses.append).call("POST", "/", {}, repeatable=False)
    assert pauses == [*PAUSES]


def test_an_incomplete_file_does_not_get_its_name(connection, server, tmp_path):
    server.files["/x"] = b"content"
    for kind, error in (("cut", Unreachable), (403, Gone)):
        server.mishaps = [Mishap("STORE GET", kind, times=100)]
        with pytest.raises(error):
            connection.download(lambda: server._sign("/x"), tmp_path / "file.zip")
        assert list(tmp_path.iterdir()) == []


# Secrets


def test_no_redirect_carries_the_token_away(connection, server):
    server.mishaps = [Mishap("API GET", 302, headers={"Location": f"{server.storage}/stolen"})]
    with pytest.raises(Refused, match="redirects to 127"):
        connection.call("GET", COMPETITIONS)
    assert server.called("STORE") == []


def test_a_message_never_has_the_token_or_a_signature(server, tmp_path):
    logged = []
    connection = Connection(server.address, TOKEN, lambda seconds: None, logged.append)
    server.mishaps = [Mishap("API GET", 400, body=f'{{"detail": "{TOKEN}"}}'.encode())]
    with pytest.raises(Refused) as refusal:
        connection.call("GET", COMPETITIONS)
    assert TOKEN not in str(refusal.value)
    assert "(the token)" in str(refusal.value)
    server.mishaps = [Mishap("STORE GET", "drop", times=100)]
    with pytest.raises(Unreachable) as lost:
        connection.download(lambda: server._sign("/x"), tmp_path / "file")
    assert logged
    assert not any("signature" in text for text in [*logged, str(lost.value)])


@pytest.mark.parametrize(("address", "reason"), table("platform_cases")["addresses"])
def test_files_must_have_encrypted_addresses(tmp_path, address, reason):
    with pytest.raises(OrganiserError, match=reason) as refusal:
        Connection("https://codabench.example", TOKEN).download(lambda: address, tmp_path / "file")
    assert "secret" not in str(refusal.value)


# Signing in


@pytest.fixture
def path(server):
    """The path of a file that today's server gives to no token."""
    return f"/datasets/download/{server._dataset('input_data', 'a.zip', 0)}/"


today = pytest.mark.parametrize("server", ["today"], indirect=True)


@today
def test_an_account_signs_in_once_and_again_when_its_session_has_expired(server, connection, path):
    for expected in (1, 1, 2):
        server.mishaps = [Mishap("API GET /datasets/", 404)] * (expected > 1)
        assert "signature=" in connection.location(path)
        assert len(server.called("API POST /accounts/login/")) == expected


@today
def test_without_the_right_password_no_file_is_given(server, path):
    with pytest.raises(Refused, match=r"to a token; newer .* an account that signs in: add --login-file"):
        Connection(server.address, TOKEN).location(path)
    wrong = Connection(server.address, TOKEN, account=Account(ORGANISER, "wr0ng"))
    with pytest.raises(OrganiserError, match="does not accept this name and password") as error:
        wrong.location(path)
    assert not isinstance(error.value, Refused)  # no command continues, and tries the password again
    assert "wr0ng" not in f"{error.value} {wrong!r}"


@today
def test_a_cookie_that_is_set_for_two_paths(server, connection, path):
    cookies = {"Set-Cookie": f"csrftoken={CSRF}; Path=/", "set-cookie": "csrftoken=other; Path=/accounts/"}
    server.mishaps = [Mishap("API GET /accounts/login/", 200, headers=cookies)]
    assert "signature=" in connection.location(path)


@today
@pytest.mark.parametrize("moment", [0, 1])
def test_the_password_follows_no_redirect(server, connection, path, moment):
    """`moment`: of the two requests to the sign-in form, the one that is redirected."""
    with CodabenchServer(score) as elsewhere:
        headers = {"Location": f"{elsewhere.address}/accounts/login/"}
        server.mishaps = [Mishap("API", 302, after=1 + moment, headers=headers)]
        with pytest.raises(OrganiserError):
            connection.location(path)
        assert elsewhere.requests == []
