"""Labels with times in milliseconds. Overlaps with the other language are computed if their column is missing."""

from speechbundles.competition.intake.complete import mark_overlaps
from speechbundles.competition.intake.layouts import Notation

NOTATIONS = {"labels.csv": Notation(per_second=1000, completed=(mark_overlaps,))}
