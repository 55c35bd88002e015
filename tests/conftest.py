"""What holds for all tests."""

from datetime import datetime

import pytest


@pytest.fixture(autouse=True)
def _before_the_seasons(monkeypatch):
    """`check` tells dates that are past: the samples' seasons are to come, whenever the tests run."""
    monkeypatch.setattr("bundling.check.check.now", lambda: datetime(2026, 12, 1))
