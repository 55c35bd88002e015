"""Publish, fetch, watch and amend a competition on a server. Other packages import only from this module."""

from speechbundles.model.submissions import INDEX as INDEX
from speechbundles.server.abandon import abandon_amendment as abandon_amendment
from speechbundles.server.amend import carry_out_amendment as carry_out_amendment
from speechbundles.server.amendment import amendment_to_text as amendment_to_text
from speechbundles.server.amendment import is_amending as is_amending
from speechbundles.server.api import Connection as Connection
from speechbundles.server.api import read_account as read_account
from speechbundles.server.api import read_server as read_server
from speechbundles.server.api import read_token as read_token
from speechbundles.server.compared import NOT_COMPARED as NOT_COMPARED
from speechbundles.server.fetch import JOBS as JOBS
from speechbundles.server.fetch import fetch_competition as fetch_competition
from speechbundles.server.plan import plan_amendment as plan_amendment
from speechbundles.server.publish import publish_bundle as publish_bundle
from speechbundles.server.publish import write_home_page as write_home_page
from speechbundles.server.watch import watch_competition as watch_competition
