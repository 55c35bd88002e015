"""The search for sealed labels."""

from __future__ import annotations

from speechbundles.bundle.check.inspection import CheckedTask
from speechbundles.bundle.check.seal import check_sealed_rows, is_part, sealed_sets, without_items
from speechbundles.model.finding import Report
from speechbundles.model.zips import make_zip
from tests.samples.leaky_contents import (
    DECLARED,
    GOLD,
    ITEMS,
    KIND,
    OPEN,
    ROWS,
    archive,
    contents,
    leaks,
    listed,
    sealed,
    unsearched,
)
from tests.samples.programs import encoded, write_files

HALF = {"reference.csv": "".join([ROWS[0], *ROWS[9:]])}


def at_home(folder, name="evaluation", task="synthetic", whole=GOLD, half=HALF):
    """The path of a bundle, beside which a build has written the sealed labels."""
    home = folder / "dist" / "sealed" / task / name
    write_files(home / "all", whole)
    write_files(home / "sealed", {**half, "part.txt": "sealed\n", "items/items.csv": ITEMS["items.csv"]})
    return folder / "dist" / "codabench" / "bundle.zip"


def test_sealed_labels_are_found_beside_the_bundle(tmp_path):
    for set_name, name in (("evaluation", "reference_data.zip"), ("final", "reference_data_final.zip")):
        found, findings = sealed(at_home(tmp_path, set_name), name=name)
        assert (list(found), findings) == ([name], [])
        kept = found[name]
        assert kept.uploaded.files == encoded(OPEN)
        assert (kept.whole.name, kept.whole.files) == (f"sealed/synthetic/{set_name}/all", encoded(GOLD))
        assert kept.whole.room.left == kept.sealed.room.left > 0
        assert (kept.sealed.name, kept.sealed.files) == (f"sealed/synthetic/{set_name}/sealed", encoded(HALF))
    assert sealed(tmp_path, reference=GOLD) == ({}, [])
    unnamed = at_home(tmp_path / "unnamed", "evaluation", "")
    for declared in (None, {**DECLARED, "task": ""}, {"scores": DECLARED["scores"], "options": {}}):
        assert sealed(unnamed, declared=declared)[1] == []
    whole, _ = sealed(at_home(tmp_path), reference={**OPEN, **GOLD})  # the rows then show it
    assert list(whole) == ["reference_data.zip"]


def test_the_sealed_labels_of_each_of_several_sets_are_found(tmp_path):
    several = contents(OPEN)
    public = CheckedTask("Practice", (), {**several.tasks[0].parts, "reference_data": archive("a.zip", GOLD)})
    several.tasks[:0] = [CheckedTask("no data", (), {}), public]
    assert list(sealed_sets(Report(), several, at_home(tmp_path))) == ["reference_data.zip"]
    several.programs.clear()
    report = Report()
    assert sealed_sets(report, several, at_home(tmp_path)) == {}
    assert listed(report)[0][2].endswith(f" are not in {tmp_path / 'dist' / 'sealed'}")


def test_sealed_labels_that_are_not_beside_the_bundle_are_reported(tmp_path):
    headless = {"reference.csv": "".join(ROWS[1:])}
    other_file = {**GOLD, "more.csv": ROWS[1]}
    places = {
        "name": at_home(tmp_path / "name", "final"),
        "task": at_home(tmp_path / "task", task="other"),
        "labels": at_home(tmp_path / "labels", whole=headless),
        "file": at_home(tmp_path / "file", whole={"more.csv": ROWS[1]}, half={}),
    }
    for folder, bundle in places.items():
        home = tmp_path / folder / "dist" / "sealed" / "synthetic"
        what = f"a share of the set is sealed, but its labels are not in {home}"
        assert sealed(bundle) == ({}, [("sealed-missing", "reference_data.zip", what)])
    assert sealed(at_home(tmp_path / "both", whole=other_file))[1] == []
    assert sealed(at_home(tmp_path / "more"), reference={**OPEN, "more.csv": "z"})[1] == []


def test_a_sealed_row_is_found_anywhere_in_the_bundle(tmp_path):
    found, _ = sealed(at_home(tmp_path))

    def rows(files):
        report = Report()
        check_sealed_rows(report, encoded(files), found.values())
        return listed(report)

    two = b"Such as\n \t" + ROWS[9].encode() + b"\r\n" + ROWS[12].strip().encode()
    assert rows({"kit.zip/a.txt": two, "b.zip": two, "c": ROWS[0] + ROWS[1], "d": "\n\n"}) == [
        ("sealed-uploaded", "kit.zip/a.txt", "2 rows of sealed/synthetic/evaluation/sealed/reference.csv")
    ]
    blanks = {"reference.csv": ROWS[0] + "item09 b,x,y\n", "more.csv": "more\nrows"}
    whole = {**GOLD, "reference.csv": GOLD["reference.csv"] + blanks["reference.csv"]}
    found, _ = sealed(at_home(tmp_path / "blanks", whole=whole, half=blanks))
    found_rows = rows({"a": "item09\nb,x,y", "b": "item09 b,x,y", "c": "more"})
    assert [where for _, where, _ in found_rows] == ["b", "c"]
    headless = {name: text.partition("\n")[2] for name, text in OPEN.items() if name == "reference.csv"}
    bundle = at_home(tmp_path / "headless", whole=GOLD, half={"reference.csv": "".join(ROWS[9:])})
    found, _ = sealed(bundle, reference={**OPEN, **headless})
    assert len(rows({"a": ROWS[9]})) == 1


def test_all_labels_of_a_sealed_set_are_searched_for(tmp_path):
    kept, _ = sealed(at_home(tmp_path))
    row = {"a.zip": make_zip({"b.zip": make_zip({"notes": ROWS[9].encode()})}), **ITEMS}
    ((code, where, _),) = leaks(row, kept, reference=OPEN, item_lists={"a.zip": ITEMS})
    assert (code, where) == ("sealed-uploaded", "a.zip/b.zip/notes")
    # As deep as a zip in a participant's kit. A deeper or unreadable zip is reported.
    deep = {"a.zip": make_zip({"b.zip": make_zip({"c.zip": make_zip({}), "d.zip": b"x"})}), "e.zip": b"x"}
    places = "a.zip/b.zip/c.zip", "a.zip/b.zip/d.zip", "e.zip"
    assert leaks(deep, kept, reference=OPEN, item_lists={"a.zip": ITEMS}) == [*map(unsearched, places)]
    words = "'label' of sealed/synthetic/evaluation/all/reference.csv beside 16 items"
    found = leaks(sealed=kept, reference=OPEN, item_lists={"a.zip": ITEMS}, public={"k.zip": {"b.csv": KIND}})
    assert found == [("leak-column", "k.zip/b.csv", words)]
    # Without them only the open part is searched for, and its public items are not labels.
    assert leaks(reference=OPEN, item_lists={"a.zip": ITEMS}) == []
    assert is_part(archive("a", OPEN))
    part = archive("a", OPEN)
    plain = without_items(part)
    assert plain.room is part.room
    assert (plain.name, sorted(plain.files)) == ("a", ["part.txt", "reference.csv"])
    assert not is_part(archive("a", GOLD))
