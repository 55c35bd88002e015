"""Amendments that are abandoned: the earlier files are restored."""

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.server import api
from speechbundles.server.abandon import abandon
from speechbundles.server.amend import carry_out
from speechbundles.server.amendment import STATE
from tests.samples.codabench_server import Mishap
from tests.samples.live_bundle import COMPETITION, board
from tests.samples.live_season import AS_PREDICTED, CORRECTED, season, state_of

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_the_page_of_board_stays(planned, connection, server, tmp_path, ending):
    new = season(server, tmp_path, page=b"More.\n")
    pages = server.competitions[COMPETITION]["pages"]
    first = [page["content"] for page in pages]
    text = f"Old.\n\n{api.BOARD_MARK}"
    pages.append({"id": 99, "title": api.BOARD_TITLE, "content": text, "index": len(pages)})
    steps = carry_out(planned(new))
    assert any("pages" in step for step in steps)
    live = api.read_competition(connection, COMPETITION)
    api.change_board_page(connection, live, f"New.\n\n{api.BOARD_MARK}")
    assert list(abandon(connection, COMPETITION, tmp_path / "live") if ending == "abandon" else steps)
    *others, page = server.competitions[COMPETITION]["pages"]
    assert (page["id"], page["content"].split()[0]) == (99, "New.")
    assert ([other["content"] for other in others] == first) is (ending == "abandon")
    if ending == "continue":
        assert planned(new).empty


@pytest.mark.parametrize("server", ["today"], indirect=True)
@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        ("API POST /api/datasets/", "drop"),
        ("API PATCH /api/tasks/", "drop"),
        ("API PATCH /api/tasks/", "act-and-drop"),
        ("API POST /api/submissions/2/re_run", "act-and-drop"),
    ],
)
@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_an_amendment_from_an_earlier_bundle_is_continued_or_abandoned(
    planned_without_files, tokens_only, interrupted, server, new, tmp_path, begins, kind, ending
):
    planned = planned_without_files
    before = state_of(server)
    interrupted(planned(new, earlier=tmp_path / "old.zip"), begins, kind, at=tokens_only)
    if ending == "abandon":
        said = list(abandon(tokens_only, COMPETITION, tmp_path / "live"))
        assert said[0].startswith(f"not compared: {server.address} does not provide this file to a token")
        assert said[1].endswith("compared them by their keys")
        assert state_of(server) == before
        return
    # The files are known by their keys.
    assert list(carry_out(planned(new)))[-1].startswith(AS_PREDICTED)
    assert board(server) == CORRECTED


def test_an_abandoned_amendment_restores_the_earlier_files(
    planned, interrupted, connection, server, tmp_path
):
    new = season(server, tmp_path, page=b"24 correct.\n")
    before = state_of(server)
    lost = server.tasks[32]["parts"]["reference_data"]

    def go_back():
        return list(abandon(connection, COMPETITION, tmp_path / "live"))

    with pytest.raises(OrganiserError, match="no amendment is in progress"):
        go_back()
    interrupted(planned(new), "API POST /api/submissions/4/re_run")
    assert state_of(server) != before
    runs = set(server.submissions)
    content = server.files.pop(server.datasets[lost]["path"])
    with pytest.raises(OrganiserError) as error:
        go_back()
    assert str(error.value).splitlines() == [
        *("competition 7 is not as it was before:", "", "  task 32: reference data is not the earlier file")
    ]
    server.files[server.datasets[lost]["path"]] = content
    said = go_back()
    assert said[0].startswith("restored the earlier programs, data, kits, pages and terms")
    assert said[1].startswith("3 runs since then, which may have scores of the abandoned bundle")
    assert state_of(server) == before
    assert set(server.submissions) == runs
    assert not (tmp_path / "live" / STATE).exists()


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
