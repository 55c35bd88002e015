"""Tests of results, intervals, pages and the programs on old and new versions of Python."""
