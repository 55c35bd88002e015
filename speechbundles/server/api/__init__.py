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

from speechbundles.server.api.answers import is_answered as is_answered
from speechbundles.server.api.answers import read_time as read_time
from speechbundles.server.api.competitions import BOARD_MARK as BOARD_MARK
from speechbundles.server.api.competitions import BOARD_TITLE as BOARD_TITLE
from speechbundles.server.api.competitions import KITS as KITS
from speechbundles.server.api.competitions import PARTS as PARTS
from speechbundles.server.api.competitions import LivePhase as LivePhase
from speechbundles.server.api.competitions import change_board_page as change_board_page
from speechbundles.server.api.competitions import change_kit as change_kit
from speechbundles.server.api.competitions import change_parts as change_parts
from speechbundles.server.api.competitions import change_texts as change_texts
from speechbundles.server.api.competitions import dataset_link as dataset_link
from speechbundles.server.api.competitions import finish_upload as finish_upload
from speechbundles.server.api.competitions import import_bundle as import_bundle
from speechbundles.server.api.competitions import imported as imported
from speechbundles.server.api.competitions import is_board_page as is_board_page
from speechbundles.server.api.competitions import is_published as is_published
from speechbundles.server.api.competitions import organisers_of as organisers_of
from speechbundles.server.api.competitions import page_of as page_of
from speechbundles.server.api.competitions import phases_of as phases_of
from speechbundles.server.api.competitions import publish as publish
from speechbundles.server.api.competitions import read_competition as read_competition
from speechbundles.server.api.competitions import read_kits as read_kits
from speechbundles.server.api.competitions import read_parts as read_parts
from speechbundles.server.api.competitions import read_settings as read_settings
from speechbundles.server.api.competitions import read_texts as read_texts
from speechbundles.server.api.competitions import shows_reports as shows_reports
from speechbundles.server.api.competitions import upload_file as upload_file
from speechbundles.server.api.runs import LOG as LOG
from speechbundles.server.api.runs import NOT_OPEN as NOT_OPEN
from speechbundles.server.api.runs import OUTPUT as OUTPUT
from speechbundles.server.api.runs import OVER_LIMIT as OVER_LIMIT
from speechbundles.server.api.runs import PAGE as PAGE
from speechbundles.server.api.runs import PREDICTION as PREDICTION
from speechbundles.server.api.runs import UPLOAD as UPLOAD
from speechbundles.server.api.runs import LiveRun as LiveRun
from speechbundles.server.api.runs import delete_run as delete_run
from speechbundles.server.api.runs import is_detailed as is_detailed
from speechbundles.server.api.runs import is_listed as is_listed
from speechbundles.server.api.runs import list_runs as list_runs
from speechbundles.server.api.runs import pick as pick
from speechbundles.server.api.runs import read_board as read_board
from speechbundles.server.api.runs import read_links as read_links
from speechbundles.server.api.runs import returned as returned
from speechbundles.server.api.runs import run_again as run_again
from speechbundles.server.api.runs import start as start
from speechbundles.server.api.runs import submit as submit
from speechbundles.server.api.runs import upload_identity as upload_identity
