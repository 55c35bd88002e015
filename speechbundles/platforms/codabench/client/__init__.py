"""Codabench's HTTP API, as far as an organiser needs it (`src/apps/api`): addresses, keys, behaviour.

- A file is uploaded in three steps: create a dataset, send the bytes to the signed address in the answer, and confirm
  that the upload is complete. For a bundle, the confirmation starts the import.
- A submission is a run. Running it again creates a new submission of the same upload, with the current time, which
  counts towards its owner's limits. Deleting a run keeps the upload while another run uses it.
- A run is *Finished* before its scores are stored and its output is uploaded; both follow a moment later. Until then
  the output is an empty file.
- In newer versions (pull requests 2393 and 2526; see docs/explanation/codabench.md), participants can be in groups with
  a queue each. Their submission is then a run without scores and output (a parent), with a copy for each queue
  (children), and the leaderboard has the children's ids. Scores of hidden columns are not returned.
- A change of a task removes every program or data set that the request leaves out.
"""

from speechbundles.platforms.codabench.client.abilities import measure as measure
from speechbundles.platforms.codabench.client.account import read_account as read_account
from speechbundles.platforms.codabench.client.account import read_server as read_server
from speechbundles.platforms.codabench.client.account import read_token as read_token
from speechbundles.platforms.codabench.client.competitions import BOARD_MARK as BOARD_MARK
from speechbundles.platforms.codabench.client.competitions import BOARD_TITLE as BOARD_TITLE
from speechbundles.platforms.codabench.client.competitions import KITS as KITS
from speechbundles.platforms.codabench.client.competitions import PARTS as PARTS
from speechbundles.platforms.codabench.client.competitions import LivePhase as LivePhase
from speechbundles.platforms.codabench.client.competitions import change_board_page as change_board_page
from speechbundles.platforms.codabench.client.competitions import change_kit as change_kit
from speechbundles.platforms.codabench.client.competitions import change_parts as change_parts
from speechbundles.platforms.codabench.client.competitions import change_texts as change_texts
from speechbundles.platforms.codabench.client.competitions import dataset_link as dataset_link
from speechbundles.platforms.codabench.client.competitions import finish_upload as finish_upload
from speechbundles.platforms.codabench.client.competitions import import_bundle as import_bundle
from speechbundles.platforms.codabench.client.competitions import imported as imported
from speechbundles.platforms.codabench.client.competitions import is_board_page as is_board_page
from speechbundles.platforms.codabench.client.competitions import is_published as is_published
from speechbundles.platforms.codabench.client.competitions import organisers_of as organisers_of
from speechbundles.platforms.codabench.client.competitions import page_of as page_of
from speechbundles.platforms.codabench.client.competitions import phases_of as phases_of
from speechbundles.platforms.codabench.client.competitions import publish as publish
from speechbundles.platforms.codabench.client.competitions import read_competition as read_competition
from speechbundles.platforms.codabench.client.competitions import read_kits as read_kits
from speechbundles.platforms.codabench.client.competitions import read_parts as read_parts
from speechbundles.platforms.codabench.client.competitions import read_settings as read_settings
from speechbundles.platforms.codabench.client.competitions import read_texts as read_texts
from speechbundles.platforms.codabench.client.competitions import shows_reports as shows_reports
from speechbundles.platforms.codabench.client.competitions import upload_file as upload_file
from speechbundles.platforms.codabench.client.connection import LARGEST_FILE as LARGEST_FILE
from speechbundles.platforms.codabench.client.connection import Connection as Connection
from speechbundles.platforms.codabench.client.runs import LOG as LOG
from speechbundles.platforms.codabench.client.runs import NOT_OPEN as NOT_OPEN
from speechbundles.platforms.codabench.client.runs import OUTPUT as OUTPUT
from speechbundles.platforms.codabench.client.runs import OVER_LIMIT as OVER_LIMIT
from speechbundles.platforms.codabench.client.runs import PAGE as PAGE
from speechbundles.platforms.codabench.client.runs import PREDICTION as PREDICTION
from speechbundles.platforms.codabench.client.runs import UPLOAD as UPLOAD
from speechbundles.platforms.codabench.client.runs import LiveRun as LiveRun
from speechbundles.platforms.codabench.client.runs import delete_run as delete_run
from speechbundles.platforms.codabench.client.runs import is_detailed as is_detailed
from speechbundles.platforms.codabench.client.runs import is_listed as is_listed
from speechbundles.platforms.codabench.client.runs import list_runs as list_runs
from speechbundles.platforms.codabench.client.runs import pick as pick
from speechbundles.platforms.codabench.client.runs import read_board as read_board
from speechbundles.platforms.codabench.client.runs import read_links as read_links
from speechbundles.platforms.codabench.client.runs import returned as returned
from speechbundles.platforms.codabench.client.runs import run_again as run_again
from speechbundles.platforms.codabench.client.runs import start as start
from speechbundles.platforms.codabench.client.runs import submit as submit
from speechbundles.platforms.codabench.client.runs import upload_identity as upload_identity
from speechbundles.platforms.codabench.client.values import is_answered as is_answered
from speechbundles.platforms.codabench.client.values import read_time as read_time
