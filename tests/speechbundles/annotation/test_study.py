"""Tables of listening tests: what is read, left out, refused and written."""

import csv
import itertools
import json

import pytest

import build_bundle
from sample_data import listening
from tests.samples.programs import write_files

ACR = [("listener", "item", "system", "value")] + [
    (f"l{listener}", f"i{item}", system, str(base + (listener + item) % 2))
    for listener in range(6)
    for item in range(6)
    for system, base in (("low", 1), ("middle", 3), ("high", 4))
]


def ranked(folder, rows, *options, separator=","):
    text = "\n".join([*map(separator.join, rows), ""])
    write_files(folder, {"study.csv": text.encode()})
    status = build_bundle.main(
        ["listening", str(folder / "study.csv"), *options, "--out", str(folder / "out")]
    )
    return status, {path.stem: path for path in (folder / "out").glob("*")}


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_ratings_become_a_ranking_and_a_reference_of_predictions(tmp_path):
    status, files = ranked(tmp_path, [*ACR, ("l8", "i1", "high", "")], "--test", "acr", separator=";")
    assert status == 0
    systems = rows_of(files["systems"])
    assert [(row["system"], row["rank"], row["score"]) for row in systems] == [
        ("high", "1", "4.5"),
        ("middle", "2", "3.5"),
        ("low", "3", "1.5"),
    ]
    assert [(row["listeners"], row["items"], row["judgements"]) for row in systems] == [("6", "6", "36")] * 3
    assert "left_out" not in files
    assert len(rows_of(files["scores"])) == 18
    assert files["ranking"].read_text(encoding="utf-8").count(">4.50<") == 2  # in the table and on the plot
    assert json.loads(files["data"].read_text())["task"]["level"] == "system"


def test_judgements_that_cannot_be_used_are_refused_together(tmp_path, capsys):
    wrong = [
        ("l1", "i1", "low", "6"),
        ("l2", "i2", "low", "1"),
        ("", "i3", "low", "2"),
        ("l3", "i9", "low", "good"),
    ]
    status, files = ranked(tmp_path, [*ACR, *wrong], "--test", "acr")
    error = capsys.readouterr().err
    assert (status, files) == (1, {})
    for line, message in (
        (110, "value '6'; expected a number from 1 to 5"),
        (111, "the judgement of l2, i2, low already appears on line 44"),
        (112, "listener, item or system is empty"),
        (113, "value 'good'"),
    ):
        assert any(f"line {line} " in each and message in each for each in error.splitlines())


def mushra(below=(), above=(), listeners=8, items=20):
    """Grades of 90 for the reference and the middle anchor, but 89.9 and 90.1 by so many items of some listeners."""
    rows = [("listener", "item", "system", "value")]
    for listener, item in itertools.product(range(listeners), range(items)):
        reference, middle = (item < dict(each).get(listener, 0) for each in (below, above))
        grades = {"hidden": 90 - 0.1 * reference, "middle": 90 + 0.1 * middle, "low": 20}
        grades |= {"x": 60 + item, "y": 70 + listener}
        rows += [(f"l{listener}", f"i{item}", name, str(grade)) for name, grade in grades.items()]
    return rows


ANCHORED = ["--test", "mushra", "--reference", "hidden", "--anchor", "low", "--anchor", "middle"]


@pytest.mark.parametrize(
    ("below", "above", "rules"),
    [
        ({1: 3, 2: 4}, {}, {"l2": "hidden below 90 in 4 of 20 items"}),  # 15 and 20 %
        (
            {},
            {1: 3, 2: 4},
            {"l2": "middle above 90 in 4 of 20 items"},
        ),  # by two of eight listeners, a quarter
        ({}, {1: 4, 2: 4, 3: 1}, {}),  # one item by three of eight
    ],
)
def test_listeners_are_left_out_by_post_screening(tmp_path, below, above, rules):
    """ITU-R BS.1534-3, section 4.1.2."""
    status, files = ranked(tmp_path, mushra(below, above), *ANCHORED)
    assert status == 0
    assert {row["listener"]: row["rule"].split(" (")[0] for row in rows_of(files["left_out"])} == rules
    places = {row["system"]: (row["rank"], row["listeners"]) for row in rows_of(files["systems"])}
    used = str(8 - len(rules))
    assert places == {name: ({"x": "2", "y": "1"}.get(name, ""), used) for name in places}


def test_a_study_of_which_all_listeners_are_left_out_is_refused_with_the_rules(tmp_path, capsys):
    status, _ = ranked(tmp_path, mushra(dict.fromkeys(range(8), 20)), *ANCHORED)
    error = capsys.readouterr().err
    assert status == 1
    assert "l7 is left out: hidden below 90 in 20 of 20 items" in error
    assert "0 judgements can be used" in error


def test_a_listener_without_grades_of_the_reference_is_left_out(tmp_path):
    rows = [row for row in mushra() if row[:3:2] != ("l5", "hidden")]
    _, files = ranked(tmp_path, rows, *ANCHORED)
    assert rows_of(files["left_out"]) == [{"listener": "l5", "rule": "no grade of the hidden reference"}]


@pytest.mark.parametrize("options", [[], ["--reference", "hiden"]])
def test_mushra_needs_its_hidden_reference(tmp_path, capsys, options):
    status, _ = ranked(tmp_path, mushra(), "--test", "mushra", *options)
    assert status == 1
    assert "its systems are hidden, low, middle, x, y" in capsys.readouterr().err


def test_a_listener_with_one_value_or_one_judgement_is_not_left_out(tmp_path, capsys):
    same = [("l7", f"i{item}", system, "3") for item in range(5) for system in ("low", "high")]
    _, files = ranked(tmp_path, [*ACR, *same, ("l8", "i1", "high", "2")], "--test", "acr")
    assert "the same value in 10 judgements or more, but not left out: l7\n" in capsys.readouterr().out
    assert {row["system"]: row["listeners"] for row in rows_of(files["systems"])} == {
        "high": "8",
        "middle": "6",
        "low": "7",
    }


PREFERENCES = [("listener", "item", "system_a", "system_b", "value")] + [
    (f"l{listener}", f"i{item}", "x", "y", "tie" if item == listener else "b" if item == 2 else "A")
    for listener in range(6)
    for item in range(6)
]


def test_preferences_become_abilities(tmp_path):
    status, files = ranked(tmp_path, PREFERENCES, "--test", "preference")
    assert status == 0
    assert "scores" not in files
    better, worse = rows_of(files["systems"])
    # 25 times x, 5 times y, 6 ties: the ties are between equals, so the odds are 28 : 8 with halves, as in Davidson.
    assert (better["system"], float(better["score"])) == ("x", pytest.approx(-float(worse["score"])))
    assert float(better["score"]) == pytest.approx(0.5 * 1.6094379, abs=1e-6)  # ln(25 / 5) / 2


def test_both_orders_of_a_pair_are_two_judgements(tmp_path):
    """A listener who always chooses what comes first has no preference."""
    order = [(*row[:2], *pair, "a") for row in PREFERENCES[1:] for pair in ("xy", "yx")]
    status, files = ranked(tmp_path, [PREFERENCES[0], *order], "--test", "preference")
    assert status == 0
    assert [float(row["score"]) for row in rows_of(files["systems"])] == pytest.approx([0, 0], abs=1e-9)


def test_a_pair_is_judged_once_in_an_order_and_not_with_itself(tmp_path, capsys):
    wrong = [("l1", "i2", "x", "y", "a"), ("l1", "i8", "x", "x", "a"), ("l1", "i9", "x", "y", "c")]
    status, _ = ranked(tmp_path, [*PREFERENCES, *wrong], "--test", "preference")
    error = capsys.readouterr().err
    assert status == 1
    for message in ("already appears on line 10", "x is compared with itself", "expected one of a, b, tie"):
        assert message in error


def test_a_system_that_always_wins_is_refused(tmp_path, capsys):
    rows = [row if row[0] == "listener" else (*row[:4], "a") for row in PREFERENCES]
    assert ranked(tmp_path, rows, "--test", "preference")[0] == 1
    assert "never worse" in capsys.readouterr().err


def test_sheets_that_assign_wrote_are_ranked(tmp_path):
    """Sheets show neither the system nor the item."""
    items = [("id", "item", "System")] + [(f"u{n:02}", f"s{n // 3}", "xyz"[n % 3]) for n in range(24)]
    write_files(tmp_path, {"items.csv": "\n".join([*map(",".join, items), ""]).encode()})
    people = [f"p{letter}" for letter in "abcdef"]
    options = [
        "--annotators",
        ",".join(people),
        "--each",
        "3",
        "--ask",
        "value=1..5",
        "--format",
        "csv",
        "--repeated",
        "2",
    ]
    folder = tmp_path / "round"
    assert build_bundle.main(["assign", str(tmp_path / "items.csv"), *options, "--out", str(folder)]) == 0
    quality = {row[0]: 1 + "xyz".index(row[2]) for row in items[1:]}
    for person in people:
        header, *lines = (folder / f"{person}.csv").read_text(encoding="utf-8").splitlines()
        ids = [line.split(",")[0] for line in lines]
        assert header.split(",")[:2] == ["id", "value"]
        given = {each: quality[each] + place % 2 for place, each in enumerate(ids)}
        rows = [f"{each},{given[each]}," for each in ids]
        (folder / f"{person}.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    assert build_bundle.main(["listening", str(folder), "--test", "acr", "--out", str(tmp_path / "out")]) == 0
    found = {row["system"]: (row["rank"], row["judgements"]) for row in rows_of(tmp_path / "out/systems.csv")}
    assert found == {"z": ("1", "24"), "y": ("2", "24"), "x": ("3", "24")}


def test_the_synthetic_listening_tests_rank_the_systems_by_their_quality(tmp_path):
    listening.write(tmp_path / "study")
    options = {
        "acr": [],
        "mushra": ["--reference", "natural", "--anchor", "low", "--anchor", "middle"],
        "preferences": [],
    }
    for name, words in options.items():
        out = tmp_path / name
        kind = name.removesuffix("s")
        words = ["listening", str(tmp_path / f"study/{name}.csv"), "--test", kind, *words, "--out", str(out)]
        assert build_bundle.main(words) == 0
        ranked = [row["system"] for row in rows_of(out / "systems.csv") if row["rank"]]
        assert ranked == [system for system in listening.SYSTEMS if name != "mushra" or system != "natural"]
    assert listening.CARELESS in [row["listener"] for row in rows_of(tmp_path / "mushra/left_out.csv")]
