"""Of two commands on one folder of a competition, one waits."""

import pytest

from speechbundles.model.disk import locked
from speechbundles.model.fetched import LOCK
from speechbundles.server.amend import carry_out_amendment

pytestmark = pytest.mark.usefixtures("quick")


def test_beside_another_command_in_the_folder_nothing_is_amended(server, command, new, tmp_path):
    folder = tmp_path / "live"
    folder.mkdir()
    with locked(folder / LOCK, folder, "fetch"):
        for more in (["--yes"], ["--abandon"], []):
            status, _, err = command("amend", new, 7, "--dir", folder, *more)
            assert (status, err.startswith(f"{folder}: fetch is using this folder; wait until")) == (1, True)
    assert [request for request in server.requests if request[0] != "API GET"] == []


def test_beside_an_amendment_nothing_is_fetched_into_its_folder(login, command, new, tmp_path, monkeypatch):
    folder = tmp_path / "live"
    commands = [["fetch", 7, folder], ["watch", new, 7, "--dir", folder, "--fetch", *login]]
    refusals = []

    def carry_out_beside(*arguments, **options):
        for step in carry_out_amendment(*arguments, **options):
            refusals.extend(command(*words)[::2] for words in commands)
            yield step

    monkeypatch.setattr("speechbundles.cli.amend.carry_out_amendment", carry_out_beside)
    assert command("amend", new, 7, "--dir", folder, *login, "--yes")[0] == 0
    refusal = f"{folder}: amend is using this folder; wait until it ends, or choose another folder"
    assert {(status, err.splitlines()[0]) for status, err in refusals} == {(1, refusal)}
    assert len(refusals) == 2 * 3  # the exchange, the runs, the comparison
    assert [command(*words)[0] for words in commands] == [0, 0]
