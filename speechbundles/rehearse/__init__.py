"""Rehearsals: a submission is run on this computer as the platform would run it. Other rooms import from here only."""

from speechbundles.rehearse.containers import ContainerEngine
from speechbundles.rehearse.engine import LocalEngine
from speechbundles.rehearse.left_behind import temporary_place
from speechbundles.rehearse.many import (
    Result,
    lost_result,
    read_result,
    rehearse_all,
    result_of,
    write_result,
)
from speechbundles.rehearse.rehearsal import (
    FAILED,
    FINISHED,
    Rehearsal,
    rehearse,
    rehearse_phase,
    with_reference,
)
from speechbundles.rehearse.run import Engine, extracted_name
from speechbundles.rehearse.sandbox import Limits
from speechbundles.rehearse.warm import WarmEngine, own_programs

__all__ = [
    "FAILED",
    "FINISHED",
    "ContainerEngine",
    "Engine",
    "Limits",
    "LocalEngine",
    "Rehearsal",
    "Result",
    "WarmEngine",
    "extracted_name",
    "lost_result",
    "own_programs",
    "read_result",
    "rehearse",
    "rehearse_all",
    "rehearse_phase",
    "result_of",
    "temporary_place",
    "with_reference",
    "write_result",
]
