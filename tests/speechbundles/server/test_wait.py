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
