"""Rehearsals: a submission is run on this computer as the platform would run it. Other rooms import from here only."""

from speechbundles.bundle.rehearse.containers import ContainerEngine
from speechbundles.bundle.rehearse.engine import LocalEngine
from speechbundles.bundle.rehearse.left_behind import temporary_place
from speechbundles.bundle.rehearse.many import (
    Result,
    lost_result,
    read_result,
    rehearse_all,
    result_of,
    write_result,
)
from speechbundles.bundle.rehearse.rehearsal import (
    FAILED,
    FINISHED,
    Rehearsal,
    rehearse,
    rehearse_phase,
    with_reference,
)
from speechbundles.bundle.rehearse.run import Engine, extracted_name
from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.bundle.rehearse.warm import WarmEngine, own_programs

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
