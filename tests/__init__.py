"""Tests; a package, so that no library with tests of its own is taken for it."""
