"""Pages of a competition: the page that `board` writes stays as it is."""

import pytest

from speechbundles.server import api
from speechbundles.server.abandon import abandon_amendment
from speechbundles.server.amend import carry_out_amendment
from tests.samples.live_bundle import COMPETITION
from tests.samples.live_season import season

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_the_page_of_board_stays(planned, connection, server, tmp_path, ending):
    new = season(server, tmp_path, page=b"More.\n")
    pages = server.competitions[COMPETITION]["pages"]
    first = [page["content"] for page in pages]
    text = f"Old.\n\n{api.BOARD_MARK}"
    pages.append({"id": 99, "title": api.BOARD_TITLE, "content": text, "index": len(pages)})
    steps = carry_out_amendment(planned(new))
    assert any("pages" in step for step in steps)
    live = api.read_competition(connection, COMPETITION)
    api.change_board_page(connection, live, f"New.\n\n{api.BOARD_MARK}")
    abandoned = abandon_amendment(connection, COMPETITION, tmp_path / "live")
    assert list(abandoned if ending == "abandon" else steps)
    *others, page = server.competitions[COMPETITION]["pages"]
    assert (page["id"], page["content"].split()[0]) == (99, "New.")
    assert ([other["content"] for other in others] == first) is (ending == "abandon")
    if ending == "continue":
        assert planned(new).empty
