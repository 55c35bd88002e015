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

from speechbundles.server.api.answers import is_answered, read_time
from speechbundles.server.api.competitions import (
    BOARD_MARK,
    BOARD_TITLE,
    KITS,
    PARTS,
    LivePhase,
    change_board_page,
    change_kit,
    change_parts,
    change_texts,
    dataset_link,
    finish_upload,
    import_bundle,
    imported,
    is_board_page,
    organisers_of,
    page_of,
    phases_of,
    publish,
    read_competition,
    read_kits,
    read_parts,
    read_texts,
    upload_file,
)
from speechbundles.server.api.runs import (
    FINAL,
    WAITING,
    Links,
    LiveRun,
    delete_run,
    is_detailed,
    is_listed,
    list_runs,
    pick,
    read_board,
    read_links,
    returned,
    run_again,
    start,
    submit,
    upload_identity,
)

__all__ = ["BOARD_MARK", "BOARD_TITLE", "FINAL", "KITS", "PARTS", "Links", "LivePhase", "LiveRun"]
__all__ += ["WAITING", "change_board_page", "change_kit", "change_parts", "change_texts"]
__all__ += ["dataset_link", "delete_run", "finish_upload", "import_bundle", "imported"]
__all__ += ["is_answered", "is_board_page", "is_detailed", "is_listed", "list_runs"]
__all__ += ["organisers_of", "page_of", "phases_of", "pick", "publish", "read_board"]
__all__ += ["read_competition", "read_kits", "read_links", "read_parts", "read_texts", "read_time"]
__all__ += ["returned", "run_again", "start", "submit", "upload_file", "upload_identity"]
