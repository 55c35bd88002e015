"""The command `amend`."""

import pytest

from speechbundles.model.fetched import LOCK, locked
from speechbundles.server.amend import carry_out
from tests.samples.codabench_server import Mishap

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
        for step in carry_out(*arguments, **options):
            refusals.extend(command(*words)[::2] for words in commands)
            yield step

    monkeypatch.setattr("speechbundles.cli.amend.carry_out_amendment", carry_out_beside)
    assert command("amend", new, 7, "--dir", folder, *login, "--yes")[0] == 0
    refusal = f"{folder}: amend is using this folder; wait until it ends, or choose another folder"
    assert {(status, err.splitlines()[0]) for status, err in refusals} == {(1, refusal)}
    assert len(refusals) == 2 * 3  # the exchange, the runs, the comparison
    assert [command(*words)[0] for words in commands] == [0, 0]


def test_the_command(login, command, new, tmp_path):
    arguments = ["amend", new, 7, "--dir", tmp_path / "live", *login]
    status, out, err = command(*arguments)
    assert (status, "     2    3  carol     0.975  0.925   +0.05" in out) == (0, True)
    assert "Nothing was changed. Add --yes" in err
    for expected in ("the leaderboard is as predicted: 3 entries", "there is nothing to amend"):
        status, out, _ = command(*arguments, "--yes")
        assert (status, expected in out) == (0, True)
    status, _, err = command(*arguments, "--abandon")
    assert (status, "no amendment is in progress; to go back, amend with the old bundle" in err) == (1, True)
    assert "continue" not in err  # there is nothing to continue


@pytest.mark.parametrize("server", ["today"], indirect=True)
@pytest.mark.parametrize("signs_in", [True, False])
def test_what_the_command_could_not_compare_when_it_goes_back(
    server, login, command, new, signs_in, tmp_path
):
    arguments = ["amend", new, 7, "--dir", tmp_path / "live", *login * signs_in]
    server.mishaps = [Mishap("API PATCH /api/tasks/", 400)]
    status, _, err = command(*arguments, "--from", tmp_path / "old.zip", "--yes")
    assert (status, err.endswith("\n\nRun the same command again to continue.\n")) == (1, True)
    status, out, _ = command(*arguments, "--abandon")
    assert (status, out.startswith("not compared: ")) == (0 if signs_in else 4, not signs_in)
