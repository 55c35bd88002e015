"""Publish, fetch, watch and amend a competition on a server. Other packages import only from this module."""

from speechbundles.live.abandon import abandon as abandon_amendment
from speechbundles.live.account import read_account, read_server, read_token
from speechbundles.live.amend import carry_out as carry_out_amendment
from speechbundles.live.amend import plan as plan_amendment
from speechbundles.live.amendment import is_amending
from speechbundles.live.amendment import to_text as amendment_to_text
from speechbundles.live.board import make_home_board, private_folder
from speechbundles.live.board_files import write_home_board, write_home_page
from speechbundles.live.compared import NOT_COMPARED
from speechbundles.live.connection import Connection
from speechbundles.live.fetch import JOBS
from speechbundles.live.fetch import fetch as fetch_competition
from speechbundles.live.publish import publish as publish_bundle
from speechbundles.live.watch import watch as watch_competition
from speechbundles.model.fetched import INDEX

__all__ = [
    "INDEX",
    "JOBS",
    "NOT_COMPARED",
    "Connection",
    "abandon_amendment",
    "amendment_to_text",
    "carry_out_amendment",
    "fetch_competition",
    "is_amending",
    "make_home_board",
    "plan_amendment",
    "private_folder",
    "publish_bundle",
    "read_account",
    "read_server",
    "read_token",
    "watch_competition",
    "write_home_board",
    "write_home_page",
]
