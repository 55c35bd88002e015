"""Labels with times in milliseconds, and regions without a header."""

from collections.abc import Mapping

from speechbundles.competition.intake.layouts import Notation
from spokeneval.formats.text import decimal


def _are_times(cells: Mapping[str, str]) -> bool:
    return decimal(cells["start"]) is not None and decimal(cells["end"]) is not None


NOTATIONS = {
    "labels.csv": Notation(per_second=1000),
    "regions.csv": Notation(headerless=(("audio_name", "start", "end"),), is_row=_are_times, per_second=1000),
}
