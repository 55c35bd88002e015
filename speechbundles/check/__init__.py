"""What a platform would refuse in a built zip, or get wrong. Other rooms import from this module alone."""

from speechbundles.check.check import check_bundle
from speechbundles.check.label_match import MOST_CLASSES, NAMES, NO_CHANCE, Table, read_table, surprise
from speechbundles.check.practice import MOST_SUBMISSIONS

__all__ = [
    "MOST_CLASSES",
    "MOST_SUBMISSIONS",
    "NAMES",
    "NO_CHANCE",
    "Table",
    "check_bundle",
    "read_table",
    "surprise",
]
