"""The command `build`: what it prints, refuses and writes."""

import re

import pytest

import build_bundle
from speechbundles.bundle.build.plan import plan
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import Sources
from tests.samples.damaged_copy import ALONE, GOLD, HEADER, build, rewrite
from tests.samples.programs import ROOT, unzipped


def test_own_labels_replace_the_samples_and_invalid_ones_stop_the_build_with_their_rows_named(tmp_path):
    before = (ROOT / "reference_data/spoken_call/evaluation/reference.csv").read_bytes()
    rows = GOLD.splitlines(keepends=True)
    broken = "".join([*rows[:2], HEADER, *rows[2:], "41\tp\tw\tr\tt\tcorrect\tincorrect\n"])
    (tmp_path / "gold.csv").write_text(broken)
    argument = f"spoken_call/evaluation={tmp_path / 'gold.csv'}"
    done = build(tmp_path / "dist", "--reference", argument, *ALONE)
    assert done.returncode == 1
    assert "line 3    a header row in mid-file" in done.stderr
    assert "line 43   Id 41: language is correct but meaning incorrect" in done.stderr
    assert not (tmp_path / "dist").exists()

    done = build(tmp_path / "dist", "--reference", argument, "--drop-invalid-reference-rows", *ALONE)
    assert done.returncode == 0, done.stderr
    assert "spoken_call/evaluation: left out gold.csv line 3: a header row in mid-file" in done.stderr
    assert "left out gold.csv line 43: Id 41: language is correct" in " ".join(done.stderr.split())
    bundle = unzipped((tmp_path / "dist/codabench/spoken_call.zip").read_bytes())
    kept = unzipped(bundle["reference_data.zip"])["reference.csv"].decode()
    assert [line for line in kept.splitlines() if line] == GOLD.splitlines()
    assert (ROOT / "reference_data/spoken_call/evaluation/reference.csv").read_bytes() == before
    public = unzipped(bundle["input_data.zip"])
    assert b"correct" not in public["test_sheet.csv"]
    assert list(public) == ["class_sizes.json", "test_sheet.csv"]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("spoken_call", "expected TASK=PATH"),
        ("spoken_cal=gold.csv", "no bundle to build has this set; the sets are spoken_call/evaluation"),
        ("spoken_call/test=gold.csv", "no bundle to build has this set"),
        ("spoken_call=nowhere.csv", "expected a file or a folder"),
        ("spoken_call=gold.csv spoken_call/evaluation=gold.csv", "names the same set twice"),
    ],
)
def test_an_invalid_reference_argument_is_refused(tmp_path, argument, said):
    arguments = [word for each in argument.split() for word in ("--reference", each)]
    done = build(tmp_path / "dist", *arguments, *ALONE)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())


def test_the_command_lists_what_it_built_and_checks_it(tmp_path, capsys):
    out = tmp_path / "dist"
    both = ("--platform", "codabench", "--platform", "codalab")
    assert build_bundle.main(["build", "spoken_call", *both, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    row = r"  spoken_call\.zip  \d+ kB  ok  sha256 [0-9a-f]{12}\n"
    folders = [re.escape(f"{out / platform}\n") for platform in ("codabench", "codalab")]
    assert re.fullmatch("".join(f"{folder}{row}" for folder in folders), printed.out)
    assert printed.err.endswith(" s: 2 passed the check\n")
    (tmp_path / "taken").touch()
    assert build_bundle.main(["build", "spoken_call", "--out", str(tmp_path / "taken/x")]) == 1
    assert f"{tmp_path}/taken/x/codabench: Not a directory" in "".join(capsys.readouterr().err.split("\n"))
    assert build_bundle.main(["check", *map(str, sorted(out.glob("*/*.zip")))]) == 0
    line = "spoken_call.zip: ok"
    assert capsys.readouterr().out.splitlines() == [f"{out}/codabench", line, f"{out}/codalab", line]


def test_a_public_set_that_does_not_exist_is_refused(copy):
    rewrite(copy, ("public_sets: [development]", "public_sets: [developement]"))
    with pytest.raises(BadReference, match=r"missing; .*\n\n  reference_data/spoken_call/developement/\n"):
        plan(Sources(copy), ["spoken_call"], {})


def test_a_bundle_that_leaks_is_refused_and_deleted(tmp_path, copy, monkeypatch, capsys):
    sheet = (copy / "reference_data/spoken_call/evaluation/reference.csv").read_text(encoding="utf-8")
    rows = ["\t".join(reversed(row.split("\t"))) for row in sheet.splitlines()[:500]]
    (tmp_path / "development.csv").write_text("\n\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr("speechbundles.cli.build.ROOT", copy)
    (tmp_path / "development.csv").replace(copy / "reference_data/spoken_call/development/reference.csv")
    arguments = ["build", "spoken_call", "--out", str(tmp_path / "dist")]
    assert build_bundle.main(arguments) == 1
    printed = capsys.readouterr().err
    shared = "hidden set spoken_call/evaluation shares 499 rows"
    assert shared in " ".join(printed.split())
    advice = printed[printed.index("  accepted_overlaps:") : printed.index("\n\nNothing was built")]
    rewrite(copy, ("  options: {}", f"  options: {{}}\n{advice}"))
    assert build_bundle.main(arguments) == 1
    done = capsys.readouterr()
    assert f"warning: spoken_call: accepted_overlaps: {shared}" in " ".join(done.err.split())
    assert "leak-column" in done.err
    assert done.out.count("not written") == 1
    assert not list((tmp_path / "dist").rglob("*.zip"))
