"""Kinds of task: from a few parameters to a whole `Task`, with its files, its counts and its scores.

A kind is declared once, in a module of its own, with the parameters that an organiser may set. `read_parameters` checks
what an organiser wrote, `Kind.make` builds the task.
"""

from __future__ import annotations

from .decisions import DECISIONS
from .kind import Kind, Parameter, ParameterError, read_parameters
from .transcripts import TRANSCRIPTS

KINDS: dict[str, Kind] = {kind.name: kind for kind in (DECISIONS, TRANSCRIPTS)}

__all__ = ["KINDS", "Kind", "Parameter", "ParameterError", "read_parameters"]
