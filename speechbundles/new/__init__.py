"""Writes the files that an organiser starts from: a competition folder, or a new challenge that builds as it is.

Other rooms import only this module.
"""

from speechbundles.new.challenge import what_to_edit, write_challenge
from speechbundles.new.competition_folder import (
    what_goes_where,
    what_is_there,
    write_example,
    write_folder,
    write_own_task,
)
from speechbundles.new.examples import EXAMPLES

__all__ = [
    "EXAMPLES",
    "what_goes_where",
    "what_is_there",
    "what_to_edit",
    "write_challenge",
    "write_example",
    "write_folder",
    "write_own_task",
]
