"""Publish, fetch, watch and amend a competition on a server. Other packages import only from this module."""

from speechbundles.model.submissions import INDEX
from speechbundles.server.abandon import abandon as abandon_amendment
from speechbundles.server.account import read_account, read_server, read_token
from speechbundles.server.amend import carry_out as carry_out_amendment
from speechbundles.server.amendment import is_amending
from speechbundles.server.amendment import to_text as amendment_to_text
from speechbundles.server.board import make_home_board
from speechbundles.server.board_files import write_home_board, write_home_page
from speechbundles.server.compared import NOT_COMPARED
from speechbundles.server.connection import Connection
from speechbundles.server.fetch import JOBS
from speechbundles.server.fetch import fetch as fetch_competition
from speechbundles.server.plan import plan as plan_amendment
from speechbundles.server.private import private_folder
from speechbundles.server.publish import publish as publish_bundle
from speechbundles.server.watch import watch as watch_competition

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
