"""Rehearsals: a submission is run on this computer as the platform would run it. Other rooms import from here only."""

from speechbundles.bundle.rehearse.bubblewrap import BubblewrapEngine
from speechbundles.bundle.rehearse.containers import ContainerEngine
from speechbundles.bundle.rehearse.engine import Engine, Program
from speechbundles.bundle.rehearse.engines import ENGINES, choose_engine
from speechbundles.bundle.rehearse.many import (
    Result,
    lost_result,
    read_result,
    rehearse_all,
    write_result,
)
from speechbundles.bundle.rehearse.process import ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import (
    FAILED,
    FINISHED,
    Rehearsal,
    rehearse,
    rehearse_phase,
    rehearse_solutions,
    with_reference,
)
from speechbundles.bundle.rehearse.run import extracted_name
from speechbundles.bundle.rehearse.sandbox import Limits

__all__ = [
    "ENGINES",
    "FAILED",
    "FINISHED",
    "BubblewrapEngine",
    "ContainerEngine",
    "Engine",
    "Limits",
    "ProcessEngine",
    "Program",
    "Rehearsal",
    "Result",
    "choose_engine",
    "extracted_name",
    "lost_result",
    "read_result",
    "rehearse",
    "rehearse_all",
    "rehearse_phase",
    "rehearse_solutions",
    "with_reference",
    "write_result",
]
