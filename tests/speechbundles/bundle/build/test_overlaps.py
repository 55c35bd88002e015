"""Items of a hidden set in a public set: which evidence reports them, and which is coincidence."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from speechbundles.bundle.build.overlaps import (
    Overlap,
    find_overlap,
    is_accepted,
    refusal,
    same_texts,
    shared_units,
)
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.references import ReferenceSet, load_reference
from speechbundles.competition.set_facts import SetFacts
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import Sources
from speechbundles.new.examples import example_files
from spokeneval.challenges import find_task
from spokeneval.kinds.declared import declared_task
from spokeneval.scoring.reference import Reference
from tests.samples.damaged_copy import HEADER
from tests.samples.programs import ROOT, repository_with, write_files

FACTS = SetFacts.__new__(SetFacts)


def sheet(**columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""])


def reference(name, files):
    files = {"gold.csv": files} if isinstance(files, str) else files
    content = {file: text.encode() for file, text in files.items()}
    return ReferenceSet("t", name, content, {}, (), Path(), FACTS, parsed=None, definition=None)


def overlap(public, hidden):
    """Return the number of shared rows, and the evidence."""
    found = find_overlap(reference("development", public), reference("evaluation", hidden))
    return found and (found.rows, *(line.split(";")[0] for line in found.evidence))


def names(count, first=0):
    return [f"n{number * number}" for number in range(first, first + count)]


def texts(count, first=0):
    return [f"said {number}" for number in range(first, first + count)]


def kinds(agree):
    """Return forty labels, two classes in turn, of which the given number are right."""
    return [*"xy" * 20][:agree] + [*"yx" * 20][agree:]


SAID = texts(40)


def test_shared_rows_are_reported_once_for_each_id_column():
    public = sheet(id=names(20), wavfile=names(20, 40), text=texts(20))
    lines = sheet(id=names(20, 100), wavfile=names(20, 80), text=texts(20, 100)).splitlines()
    lines[4:7] = public.splitlines()[10:13]
    hidden = "\ufeff\n" + "\n".join([*lines[:3], "", *lines[3:]])
    found = find_overlap(reference("development", public), reference("evaluation", hidden))
    assert (found.rows, found.evidence) == (
        3,
        (
            "3 rows with the same id; first pair: 'n81', "
            "line 7 of evaluation/gold.csv, line 11 of development/gold.csv",
        ),
    )
    assert str(found).startswith("hidden set t/evaluation shares 3 rows with public set t/development")
    lines[5] = "zz" + lines[5]
    lines[8:10] = ["zz" + line for line in public.splitlines()[2:4]]
    assert overlap(public, "\n".join(lines)) == (5, "2 rows with the same id", "3 rows with the same wavfile")


@pytest.mark.parametrize(("size", "shared", "found"), [(20, 1, None), (20, 2, 2), (999, 1, 1)])
def test_two_rows_with_the_same_id_and_text_are_no_coincidence(size, shared, found):
    """One row is enough where its probability is one in a thousand."""
    public = sheet(id=names(20), text=texts(20))
    said = texts(shared, 20 - shared) + texts(size - shared, 2000)
    hidden = sheet(id=names(shared, 20 - shared) + names(size - shared, 100), text=said)
    rows = "row" if found == 1 else "rows"
    assert overlap(public, hidden) == (found and (found, f"{found} {rows} with the same id"))


@pytest.mark.parametrize(
    ("public", "hidden", "rows"),
    [
        ({"a": SAID, "b": SAID, "c": SAID}, {"a": SAID, "b": SAID, "c": texts(40, 90)}, 40),
        ({"a": SAID, "b": SAID}, {"a": SAID, "b": texts(40, 90)}, None),  # half of the texts
        ({"a": SAID}, {"a": texts(30) + texts(10, 90)}, 30),
        ({"a": SAID}, {"a": texts(40, 90)}, None),
        ({"a": SAID, "b": kinds(40)}, {"a": SAID, "b": kinds(30)}, 40),  # half-way from chance
        ({"a": SAID, "b": kinds(40)}, {"a": SAID, "b": kinds(29)}, None),
        ({"b": kinds(40)}, {"b": kinds(30)}, None),
        ({"b": kinds(40)}, {"b": kinds(36)}, 40),
        ({"a": SAID}, {"b": SAID}, None),
        ({"a": SAID}, {"a": ["x"] * 40}, None),
    ],
)
def test_rows_with_the_same_id_must_agree_in_most_texts_and_in_labels(public, hidden, rows):
    for key in ({"id": names(40)}, {"session": list("abcd") * 10, "item": sorted([*range(10)] * 4)}):
        found = overlap(sheet(**key, **public), sheet(**key, **hidden))
        assert found == (rows and (rows, f"{rows} rows with the same {', '.join(key)}"))


def test_columns_with_many_repeated_values_are_not_ids():
    public = sheet(id=[*names(18), *names(2)], text=[*texts(18), *texts(2)])
    often = sheet(id=[*names(17), *names(3)], text=[*texts(17), *texts(3)])
    hidden = sheet(id=names(20), text=[*texts(3), *texts(17, 100)])
    assert overlap(public, hidden) == (3, "3 rows with the same id")
    assert overlap(often, hidden) is overlap(hidden, often) is None
    # So is a content that occurs three times.
    public = sheet(id=names(20), text=[*texts(11), *texts(9, 100)])
    hidden = sheet(id=names(20, 50), text=[*texts(11), "said 0", *texts(8, 200)])
    assert overlap(public, hidden) is overlap(hidden, public) is None


# Two rows with the same content are in different sets with probability 20/39; for eleven pairs: 1/1500.
@pytest.mark.parametrize(
    ("rows", "fewest", "twice"), [((20, 20), 11, 0), ((20, 20), 15, 1), ((10, 30), 8, 0)]
)
@pytest.mark.parametrize("where", [0, 1])
def test_rows_with_new_ids_are_compared_with_rows_repeated_within_a_set(rows, fewest, twice, where):
    for alike, expected in ((fewest - 1, None), (fewest, (fewest, f"{fewest} rows with the same text"))):
        sheets = []
        for number, size in enumerate(rows):
            repeated = texts(twice, 700) * 2 if number == where else []
            rest = texts(size - alike - len(repeated), 100 * (number + 1))
            sheets.append(sheet(id=names(size, 50 * number), text=[*texts(alike), *repeated, *rest]))
        assert overlap(*sheets) == overlap(*reversed(sheets)) == expected


def test_prompts_that_fix_texts_are_no_overlap_unless_labels_agree_too():
    for agree, found in ((30, 30), (29, None)):
        public, hidden = (sheet(text=SAID, label=kinds(each)) for each in (40, agree))
        assert overlap(public, hidden) == (found and (found, f"{found} rows with the same text, label"))


def test_every_file_of_both_sets_is_searched():
    def files(first, **others):
        tables = {"b.csv": texts(20), "c.csv": texts(20, 100)}
        sheets = {name: sheet(id=names(20, first), text=said) for name, said in tables.items()}
        return {"a.csv": sheet(**others), "too large.csv": "a,b\n" * 500_001, **sheets}

    public = reference("development", files(0, x=range(3), a=range(3)))
    found = find_overlap(public, reference("evaluation", files(20, x=range(3), b=range(3))))
    assert (found.rows, len(found.evidence)) == (40, 2)
    for file, line in zip("bc", found.evidence, strict=True):
        places = f"line 2 of evaluation/{file}.csv, line 2 of development/{file}.csv"
        assert (
            line
            == f"20 rows with the same text; first pair: 'said {'0' if file == 'b' else '100'}', {places}"
        )


def test_large_sets_with_the_same_few_labels_are_compared_in_no_time():
    """Half of the 120 million pairs of rows have the same label: listed, they would take gigabytes."""
    sizes = {0: 6_000, 6_000: 20_000}
    public, hidden = (sheet(id=names(n, first), label=["x", "y"] * (n // 2)) for first, n in sizes.items())
    assert overlap(public, hidden) is None


def test_an_overlap_that_is_not_accepted_is_refused_with_its_remedies():
    shown, hidden = reference("development", ""), reference("evaluation", "")
    shared = Overlap(shown, hidden, 20, ("20 rows with the same id",))
    entry = {"hidden": "t/evaluation", "public": "t/development", "rows": 20}
    assert is_accepted(shared, [{**entry, "rows": 1}, entry])
    for other in ({"rows": 19}, {"hidden": "t/other"}, {"public": "other/development"}):
        assert not is_accepted(shared, [{**entry, **other}])
    text = refusal([shared, shared])
    assert text.count(str(shared)) == 2
    assert yaml.safe_load(text[text.index("  accepted_overlaps:") :]) == {"accepted_overlaps": [entry] * 2}


def test_a_part_of_the_hidden_set_in_a_public_one_is_refused(tmp_path):
    hidden = ROOT / "reference_data/psst_correctness/evaluation/utterances.tsv"
    public = ROOT / "reference_data/psst_correctness/development/utterances.tsv"
    last = hidden.read_text(encoding="utf-8").splitlines(keepends=True)[-20:]
    joined = "".join([public.read_text(encoding="utf-8"), *last])
    for task in ("psst_correctness", "psst_recognition"):  # either task's public set reveals them
        changed = {f"reference_data/{task}/development/utterances.tsv": joined}
        root = repository_with(tmp_path / task, changed)
        with pytest.raises(BadReference, match=r"^hidden set psst_.*/evaluation shares 20 rows"):
            plan(Sources(root), ["psst_correctness", "psst_recognition"], {})


def of_task(declared, name, **columns):
    """Return a set of a declared task."""
    task = declared_task("t", declared)
    content = {task.format.layouts[0].file: sheet(**columns).encode()}
    labels = task.format.read_reference(content)
    gold = Reference(labels, labels.items, files=content)
    return ReferenceSet("t", name, content, {}, labels.items.ids, Path(), FACTS, parsed=gold, definition=task)


HEALTH = {"kind": "decisions", "classes": ["no", "yes"], "positive": "yes"}
WHO = [f"S{number % 8}" for number in range(40)]
ILL = [("no", "no", "yes")[number % 8 % 3] for number in range(40)]


def shared(public, hidden, declared=HEALTH):
    sets = of_task(declared, "development", **public), of_task(declared, "evaluation", **hidden)
    return [(each.what, each.known, each.evidence[0]) for each in shared_units(*sets)]


def test_speakers_in_both_sets_reveal_labels_that_belong_to_speakers():
    """Every speaker has one label: all 40 hidden ones follow from the public set, whatever the spelling of names."""
    public = {"id": names(40), "label": ILL, "speaker": WHO}
    hidden = {**public, "id": names(40, 50)}
    which = "8 of its 8: 'S0', 'S1', 'S2' (and 5 more)"
    assert shared(public, hidden) == [("8 speakers", True, which)]
    spelt = [name.replace("S", "s0") for name in WHO]
    assert shared({**public, "speaker": spelt}, hidden) == [("8 speakers", True, which)]
    assert shared({**public, "speaker": [f"T{name}" for name in WHO]}, hidden) == []
    one = [*WHO[:8], *(f"T{name}" for name in WHO[8:])]
    assert shared(public, {**hidden, "speaker": one}) == [
        ("8 speakers", True, which.replace("of its 8", "of its 16"))
    ]


def test_speakers_whose_labels_differ_are_reported_but_reveal_none():
    draw = random.Random(0)
    public, hidden = (
        {"id": names(40, first), "label": [draw.choice(("no", "yes")) for _ in range(40)], "speaker": WHO}
        for first in (0, 50)
    )
    assert [known for _, known, _ in shared(public, hidden)] == [False]
    said = {"id": names(40), "transcript": texts(40), "speaker": WHO}
    heard = {**said, "id": names(40, 50), "transcript": texts(40, 50)}
    assert [known for _, known, _ in shared(said, heard, {"kind": "transcripts"})] == [False]


def test_both_sides_of_trials_are_compared():
    task = {"kind": "identification", "target": "same", "id": ["enrolment", "test"], "unit": "enrolment"}
    task["other_unit"] = "test"
    sides = {"enrolment": WHO, "label": ["same", "other"] * 20}
    public = {**sides, "test": [f"t{number}" for number in range(40)]}
    assert (
        sorted(shared(public, {**public, "enrolment": [f"T{name}" for name in WHO]}, task))[0][0]
        == "40 tests"
    )


def test_the_build_refuses_speakers_of_known_labels_and_warns_of_others(tmp_path):
    write_files(tmp_path, example_files("health"))
    place = tmp_path / "reference_data/health/evaluation/labels.csv"
    label_of = {}  # both sets have the speakers D000 to D059
    for row in (tmp_path / "reference_data/health/development/labels.csv").read_text().splitlines():
        _, label, who = row.split(",")
        label_of[who] = label
    rows = [f"e{number:03d},{label_of[f'D{number % 60:03d}']},D{number % 60:03d}" for number in range(120)]
    place.write_text("\n".join(["id,label,speaker", *rows]))
    with pytest.raises(
        BadReference, match=r"^hidden set health/evaluation shares 60 speakers with public set"
    ) as refused:
        plan(Sources(ROOT, tmp_path), ["health"], {})
    assert "120 of their 120 hidden labels are those of the same speaker there" in str(refused.value)
    settings = tmp_path / "competition.yaml"
    accepted = (
        "defaults:\n  accepted_overlaps: [{hidden: health/evaluation, public: health/development, rows: 120}]"
    )
    settings.write_text(settings.read_text().replace("defaults:", accepted, 1))
    found = plan(Sources(ROOT, tmp_path), ["health"], {}).warnings
    assert any(
        "health: accepted_overlaps: hidden set health/evaluation shares 60 speakers" in each for each in found
    )


PROMPTS = ("Frag: Zimmer", "Sag: ja", "Frag: Kaffee", "Sag: nein")


def shared_rows(tmp_path, public, hidden):
    """Return the overlap of two Spoken CALL sheets."""
    sets = {}
    for name, text in (("development", public), ("evaluation", hidden)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        sets[name] = load_reference(find_task("spoken_call"), name, tmp_path / f"{name}.csv", {})
    return find_overlap(sets["development"], sets["evaluation"])


def prompted(seed, first, rows, prompts=PROMPTS, answers=("{}", "{} please")):
    """Return a sheet numbered from `first` with few prompts in turn, and so few different answers."""
    generator = random.Random(seed)
    lines = []
    for number in range(first, first + rows):
        prompt = prompts[number % len(prompts)]
        answer = generator.choice(answers).format(prompt[5:])
        labels = generator.choice(["correct\tcorrect"] * 3 + ["incorrect\tcorrect", "incorrect\tincorrect"])
        lines.append(f"{number}\t{prompt}\t{number}.wav\t{answer}\t{answer}\t{labels}\n")
    return HEADER + "".join(lines)


@pytest.mark.parametrize("rows", [20, 100, 1000])
@pytest.mark.parametrize("first", [(1, 1), (1, 5001), (5001, 5001)])
def test_fixed_prompts_and_numbers_from_one_are_no_overlap(tmp_path, rows, first):
    assert shared_rows(tmp_path, prompted(1, first[0], rows), prompted(2, first[1], rows)) is None


def test_texts_of_another_set_are_found_in_any_case_and_punctuation():
    sets = {
        "development": {"d1": "Good morning!", "d2": "", "d3": "see you"},
        "evaluation": {"e1": "good  morning", "e2": "", "e3": "see you soon", "e4": "Good, morning"},
    }
    expected = [("evaluation", "e1", "development", "d1"), ("evaluation", "e4", "development", "d1")]
    assert same_texts(sets) == expected
