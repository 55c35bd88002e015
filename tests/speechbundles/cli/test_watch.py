"""The command `watch`."""

import pytest

from tests.samples.live_bundle import COMPETITION

pytestmark = pytest.mark.usefixtures("quick")


def test_the_command(server, login, command, phase, small_bundle, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(small_bundle)
    arguments = ["watch", bundle, COMPETITION, *login]
    status, out, _ = command(*arguments, "--fetch")
    first, *others = out.splitlines()
    assert (status, first) == (0, "competition 7 is as in the bundle")
    assert {line.partition(" ")[0] for line in others} == {"measured", "note:"}
    assert (tmp_path / "fetched/7/index.csv").is_file()
    server.competitions[COMPETITION]["phases"][1]["max_submissions_per_day"] = 99
    status, out, _ = command(*arguments)
    line = "phases[1].max_submissions_per_day: 3 in the bundle, 99 on the server"
    assert (status, out.splitlines()[0]) == (3, line)
    status, _, err = command("watch", bundle, COMPETITION + 1)
    assert (status, len(err.splitlines())) == (1, 1)
