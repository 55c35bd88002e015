"""The comparison of the platforms' sources, in a small repository of its own."""

import json
import subprocess

from speechbundles.platforms.codabench.facts import TABLES
from tests.tools import platform_facts

BEFORE = """class Unpacker:
    def dates(self):
        return 1

    def folders(self):
        return 2
"""


def commit(folder, text):
    """Commit a file, and return the commit."""
    (folder / "unpacker.py").write_text(text)

    def git(*words):
        author = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(
            ["git", *author, *words], cwd=folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    return git("rev-parse", "HEAD")


def test_functions_that_differ_or_are_gone_are_listed_with_their_facts(tmp_path, monkeypatch, capsys):
    repository = tmp_path / "platform"
    repository.mkdir()
    recorded = commit(repository, BEFORE)
    facts = {name: [f"unpacker.py: Unpacker.{name}"] for name in ("dates", "folders")}
    (tmp_path / "sources.json").write_text(json.dumps({"x/y": {"commit": recorded, "facts": facts}}))
    monkeypatch.setattr(platform_facts, "SOURCES", tmp_path / "sources.json")
    assert platform_facts.main([str(repository)]) == 0
    later = commit(repository, BEFORE.replace("return 1", "return 3").replace("folders", "files"))
    assert platform_facts.main([str(repository), later]) == 1
    printed = capsys.readouterr().out
    assert "dates: unpacker.py: Unpacker.dates\n" in printed
    assert "-        return 1\n+        return 3\n" in printed
    assert "folders: unpacker.py: Unpacker.folders is gone" in printed


def test_each_table_of_codabench_has_its_source():
    known = json.loads(platform_facts.SOURCES.read_text(encoding="utf-8"))["codalab/codabench"]
    assert {f"codabench/keys.json, {name}" for name in TABLES} <= known["facts"].keys()
    assert len(known["commit"]) == 40
