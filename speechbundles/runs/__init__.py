"""Programs of participants, run on recordings that stay at home. Other packages import only from this module."""

from speechbundles.runs.job import ENGINES as ENGINES
from speechbundles.runs.job import Job as Job
from speechbundles.runs.job import engine_of as engine_of
from speechbundles.runs.job import environment_of as environment_of
from speechbundles.runs.job import layers as layers
from speechbundles.runs.job import make_job as make_job
from speechbundles.runs.outcomes import OF_HIDDEN_RUNS as OF_HIDDEN_RUNS
from speechbundles.runs.uploads import STATE as STATE
from speechbundles.runs.uploads import Taken as Taken
from speechbundles.runs.uploads import answers_below as answers_below
from speechbundles.runs.uploads import run_uploads as run_uploads
from speechbundles.runs.uploads import shown_runs as shown_runs
