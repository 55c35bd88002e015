"""Checks a built zip for everything that a platform would refuse or get wrong. Other rooms import only this module."""

from speechbundles.bundle.check.check import check_bundle as check_bundle
from speechbundles.bundle.check.label_match import MOST_CLASSES as MOST_CLASSES
from speechbundles.bundle.check.label_match import NAMES as NAMES
from speechbundles.bundle.check.label_match import NO_CHANCE as NO_CHANCE
from speechbundles.bundle.check.label_match import Table as Table
from speechbundles.bundle.check.label_match import in_words as in_words
from speechbundles.bundle.check.label_match import read_table as read_table
from speechbundles.bundle.check.label_match import surprise as surprise
from speechbundles.bundle.check.practice import MOST_SUBMISSIONS as MOST_SUBMISSIONS
from speechbundles.bundle.check.seal import UNPROTECTED as UNPROTECTED
from speechbundles.bundle.check.seal import hidden_references as hidden_references
from speechbundles.bundle.check.seal import unprotected_labels as unprotected_labels
