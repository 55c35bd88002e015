"""Rehearsals: a submission is run on this computer as the platform would run it. Other rooms import from here only."""

from speechbundles.bundle.rehearse import sandbox as sandbox
from speechbundles.bundle.rehearse.bubblewrap import DEVICES as DEVICES
from speechbundles.bundle.rehearse.bubblewrap import SYSTEM as SYSTEM
from speechbundles.bundle.rehearse.bubblewrap import WALLS as WALLS
from speechbundles.bundle.rehearse.bubblewrap import BubblewrapEngine as BubblewrapEngine
from speechbundles.bundle.rehearse.bubblewrap import find_python as find_python
from speechbundles.bundle.rehearse.containers import ContainerEngine as ContainerEngine
from speechbundles.bundle.rehearse.engine import Engine as Engine
from speechbundles.bundle.rehearse.engine import Program as Program
from speechbundles.bundle.rehearse.engines import ENGINES as ENGINES
from speechbundles.bundle.rehearse.engines import choose_engine as choose_engine
from speechbundles.bundle.rehearse.many import Result as Result
from speechbundles.bundle.rehearse.many import lost_result as lost_result
from speechbundles.bundle.rehearse.many import read_result as read_result
from speechbundles.bundle.rehearse.many import rehearse_all as rehearse_all
from speechbundles.bundle.rehearse.process import ProcessEngine as ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import FAILED as FAILED
from speechbundles.bundle.rehearse.rehearsal import FINISHED as FINISHED
from speechbundles.bundle.rehearse.rehearsal import Rehearsal as Rehearsal
from speechbundles.bundle.rehearse.rehearsal import rehearse as rehearse
from speechbundles.bundle.rehearse.rehearsal import rehearse_phase as rehearse_phase
from speechbundles.bundle.rehearse.rehearsal import rehearse_solutions as rehearse_solutions
from speechbundles.bundle.rehearse.rehearsal import with_reference as with_reference
from speechbundles.bundle.rehearse.run import extracted_name as extracted_name
from speechbundles.bundle.rehearse.sandbox import Limits as Limits
from speechbundles.bundle.rehearse.sandbox import Outcome as Outcome
