"""Imports and runs that fail or do not end."""


def test_a_run_that_does_not_end(steps, server, monkeypatch):
    monkeypatch.setattr("speechbundles.server.wait.PATIENCE", 12)
    server.stuck = True
    _, error = steps()
    assert "nothing has changed for 2 minutes" in error
    assert "1 (Submitting)" in error


def test_an_import_that_fails(steps, server):
    server.change = lambda served: served["none"]
    assert steps()[1] == "the import failed: 'none'"


def test_a_run_that_nobody_validates(steps, server, monkeypatch):
    monkeypatch.setattr("speechbundles.server.wait.PATIENCE", 12)
    server.validates, server.approves = True, lambda run: False
    _, error = steps()
    assert "1 (Awaiting validation). Check that a compute worker is running, or approve each on the" in error
