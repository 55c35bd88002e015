"""Answers that are too large or too slow, pauses, and redirects."""

import socket
import threading
import time
import tracemalloc
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from speechbundles.model.errors import OrganiserError, Unreachable
from speechbundles.platforms.codabench.client.connection import Connection
from tests.samples.codabench_server import TOKEN, Mishap

COMPETITIONS = "/api/competitions/7/"


def test_the_pause_that_a_server_asks_for_is_kept(connection, server, phase, pauses):
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=90), usegmt=True)
    asked = ["33", date, "soon"]
    server.mishaps = [Mishap("API GET", 503, headers={"Retry-After": pause}) for pause in asked]
    connection.call("GET", COMPETITIONS)
    assert (pauses[0], 80 < pauses[1] <= 90, pauses[2:]) == (33, True, [4])
    server.mishaps = [Mishap("API GET", 429, headers={"Retry-After": "7200"})]
    with pytest.raises(Unreachable, match="a pause of 120 minutes"):
        connection.call("GET", COMPETITIONS)


def test_an_answer_takes_a_limited_amount_of_memory(connection, server):
    """As lists in a list, this answer would take 800 MB."""
    body = b"[" + b"[]," * 12_000_000 + b"[]]"
    server.mishaps = [Mishap("API GET", 200, body=body)]
    tracemalloc.start()
    try:
        with pytest.raises(OrganiserError, match="the answer has more than 4000000 values"):
            connection.call("GET", COMPETITIONS)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(body)  # the server's copies count too
    finally:
        tracemalloc.stop()


def test_an_answer_that_arrives_too_slowly_is_left(monkeypatch):
    """One byte at a time: each arrives before the limit for a single byte."""
    monkeypatch.setattr("speechbundles.platforms.codabench.client.connection.LONGEST_ANSWER", 0.3)

    def drip(listening):
        with listening.accept()[0] as peer:
            peer.recv(10_000)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            with suppress(OSError):
                while True:
                    peer.sendall(b"1")
                    time.sleep(0.01)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=drip, args=[listening], daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(OrganiserError, match="the answer is not complete after 0 minutes"):
            Connection(address, TOKEN).call("GET", "/")


@pytest.mark.parametrize("address", ["https://[", "//[::1", "http://x:port", "https://[v1.x]/"])
def test_a_redirect_to_no_valid_address_is_refused(connection, server, tmp_path, address):
    """Neither the server's nor the storage's redirect is followed."""
    target = tmp_path / "file"
    requests = {
        "API GET /api/": lambda: connection.call("GET", "/api/competitions/"),
        "API GET /datasets/": lambda: connection.download(lambda: connection.location("/datasets/x/"), target),
        "STORE GET": lambda: connection.download(lambda: f"{server.storage}/x", target),
        "STORE PUT": lambda: connection.upload(f"{server.storage}/x", b"a"),
    }  # fmt: skip
    server.mishaps = [Mishap(begins, 302, times=100, headers={"Location": address}) for begins in requests]
    for request in requests.values():
        with pytest.raises(OrganiserError):
            request()
    assert not target.exists()
