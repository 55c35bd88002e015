"""What the plans and papers of the five challenges ask: the item, the command, and the number that it gives."""

import re

import pytest

import build_bundle
from spokeneval.__main__ import main as spokeneval
from tests.samples.programs import ROOT, run_program, write_files
from tests.samples.tables import table

PLANS = table("published_plans")


@pytest.mark.parametrize("item", PLANS)
def test_a_plan_s_item_is_done_by_a_command(item, tmp_path, capsys, monkeypatch):
    row = PLANS[item]
    write_files(tmp_path, {name: text.encode() for name, text in row.get("files", {}).items()})
    monkeypatch.chdir(tmp_path)
    program, *arguments = row["command"].split()
    if program == "check_description":
        done = run_program(ROOT / "starting_kit/merlion/check_description.py", *arguments, cwd=tmp_path)
        printed = done.stdout + done.stderr
    else:
        main = {"spokeneval": spokeneval, "speech-bundles": build_bundle.main}[program]
        assert main(arguments) == 0
        printed = "".join(capsys.readouterr())
    assert [words for words in row.get("prints", ()) if words not in " ".join(printed.split())] == []
    for file, counts in row.get("writes", {}).items():
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert {pattern: len(re.findall(pattern, text)) for pattern in counts} == counts
