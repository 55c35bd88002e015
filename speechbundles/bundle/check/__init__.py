"""Checks a built zip for everything that a platform would refuse or get wrong. Other rooms import only this module."""

from speechbundles.bundle.check.check import check_bundle
from speechbundles.bundle.check.label_match import (
    MOST_CLASSES,
    NAMES,
    NO_CHANCE,
    Table,
    in_words,
    read_table,
    surprise,
)
from speechbundles.bundle.check.practice import MOST_SUBMISSIONS
from speechbundles.bundle.check.seal import UNPROTECTED, hidden_references, unprotected_labels

__all__ = [
    "MOST_CLASSES",
    "MOST_SUBMISSIONS",
    "NAMES",
    "NO_CHANCE",
    "UNPROTECTED",
    "Table",
    "check_bundle",
    "hidden_references",
    "in_words",
    "read_table",
    "surprise",
    "unprotected_labels",
]
