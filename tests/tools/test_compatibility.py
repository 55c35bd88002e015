"""The test for real servers, on the stand-in (`make live`)."""

import pytest

from speechbundles.model import dates
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN, CodabenchServer
from tests.samples.live_bundle import score
from tests.tools.compatibility import run, table


@pytest.mark.thorough
@pytest.mark.parametrize("login", [True, False])
@pytest.mark.parametrize("today", [False, True])
def test_every_command_runs_on_both_versions(today, login, tmp_path, monkeypatch):
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    files = {"--token-file": TOKEN, "--login-file": f"{ORGANISER}\n{PASSWORD}\n"}
    options = []
    for option, content in list(files.items())[: 1 + login]:
        file = tmp_path / option.strip("-")
        file.write_text(content, "utf-8")
        file.chmod(0o600)
        options += [option, str(file)]
    with CodabenchServer(score, today=today) as server:
        server.now = dates.now()
        rows = list(run(["--server", server.address, *options], tmp_path))
        assert len(server.submissions) == 2 - today  # one a phase; today's server refuses the other
    compared = 0 if login or not today else 4
    statuses = [(row.command.split()[0], row.status) for row in rows]
    assert statuses == [
        *[("publish", compared)] * 2,
        ("fetch", 0),
        ("watch", compared),
        *[("amend", compared)] * 2,
        ("watch", compared),
    ], [row.lines for row in rows]
    text = table(server.address, rows)
    refused = "yes" if today else "no"
    assert f"competition not listed: {refused}: phases refuse submissions outside their dates" in text
    assert TOKEN not in text
