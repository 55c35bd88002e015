"""The command `amend`."""

import pytest

from tests.samples.codabench_server import Mishap

pytestmark = pytest.mark.usefixtures("quick")


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
