"""Items of a hidden set in a public one: what tells them, to the last row, and what is chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from speechbundles.assemble import overlaps
from speechbundles.assemble.overlaps import Overlap, find_overlap, is_accepted, refusal
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.set_facts import SetFacts

FACTS = SetFacts.__new__(SetFacts)


def sheet(**columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""])


def reference(name, files):
    files = {"gold.csv": files} if isinstance(files, str) else files
    content = {file: text.encode() for file, text in files.items()}
    return ReferenceSet("t", name, content, {}, (), Path(), FACTS, gold=None)


def overlap(public, hidden):
    """The rows, and what tells them."""
    found = find_overlap(reference("development", public), reference("evaluation", hidden))
    return found and (found.rows, *(line.split(";")[0] for line in found.evidence))


def letters(count, first=0):
    """Names that count nothing."""
    places = (676, 26, 1)
    return [
        "".join(chr(97 + number // place % 26) for place in places) for number in range(first, first + count)
    ]


def texts(count, first=0):
    return [f"said {number}" for number in range(first, first + count)]


# Names


def test_two_rows_of_one_name_and_text_are_no_chance_and_one_is():
    """That two others agree as often is one in a thousand from 17 rows on: (1/33)**2, where 16 give (1/31)**2; that
    one does, from 1000 rows on."""
    cases = ((17, 2, 2), (16, 2, None), (17, 1, None), (999, 1, None), (1000, 1, 1), (16, 3, 3))
    for size, shared, found in cases:
        public = sheet(id=letters(20), text=texts(20))
        names = letters(shared, 20 - shared) + letters(size - shared, 100)
        hidden = sheet(id=names, text=texts(shared, 20 - shared) + texts(size - shared, 2000))
        rows = "row" if found == 1 else "rows"
        assert overlap(public, hidden) == (found and (found, f"{found} {rows} with the same id"))


def test_where_they_stand_and_what_they_are_is_told():
    public = sheet(id=letters(20), wavfile=letters(20, 40), text=texts(20))
    lines = sheet(id=letters(20, 100), wavfile=letters(20, 80), text=texts(20, 100)).splitlines()
    lines[4:7] = public.splitlines()[10:13]
    hidden = "\ufeff\n" + "\n".join([*lines[:3], "", *lines[3:]])
    found = find_overlap(reference("development", public), reference("evaluation", hidden))
    assert str(found) == (
        "3 rows of the hidden set evaluation of t also in the public set development of t, whose labels participants "
        "have\n  3 rows with the same id; the first: line 7 of evaluation/gold.csv, line 11 of development/gold.csv"
    )
    lines[5] = lines[5].replace(lines[5][:3], "zzz")
    lines[4] = lines[4].replace(lines[4][:3], "zzy")
    lines[12] = "zzx" + public.splitlines()[9][3:]
    lines[7] = public.splitlines()[13]
    assert overlap(public, "\n".join(lines)) == (5, "2 rows with the same id", "3 rows with the same wavfile")


def test_a_row_that_stands_twice_is_one_and_the_first_is_told():
    public = sheet(id=[*letters(18), *letters(2)], text=[*texts(18), *texts(2)])
    found = find_overlap(
        reference("development", public),
        reference("evaluation", sheet(id=letters(20), text=[*texts(3), *texts(17, 100)])),
    )
    assert (found.rows, found.evidence) == (
        3,
        (
            "3 rows with the same id; the first: line 2 of evaluation/gold.csv, line 2 of development/gold.csv",
        ),
    )
    often = sheet(id=[*letters(17), *letters(3)], text=[*texts(17), *texts(3)])  # these name no items
    hidden = sheet(id=letters(20), text=[*texts(5), *texts(15, 100)])
    assert (overlap(public, hidden), overlap(often, hidden), overlap(hidden, often)) == (
        (5, "5 rows with the same id"),
        None,
        None,
    )


def test_most_of_what_is_said_of_a_row_must_agree():
    def rows(first, columns):
        said = {f"text{column}": texts(20, 100 * column + first) for column in range(columns)}
        same = {f"text{column}": texts(20, 100 * column) for column in range(columns, 4)}
        return sheet(id=letters(20), **said, **same)

    assert overlap(rows(0, 4), rows(1000, 1)) == (20, "20 rows with the same id")
    assert overlap(rows(0, 4), rows(1000, 2)) is None
    assert (
        overlap(sheet(id=letters(20), text=texts(20)), sheet(id=letters(20, 50), text=texts(20, 50))) is None
    )


def test_half_way_from_what_any_two_rows_have_in_common_to_all():
    bits = {f"bit{place}": [row >> place & 1 for row in range(16)] for place in range(4)}
    public = sheet(id=letters(16), **bits)
    one_other = {**bits, "bit3": [1 - bit for bit in bits["bit3"]]}  # three of four, where chance gives two
    assert overlap(public, sheet(id=letters(16), **one_other)) == (16, "16 rows with the same id")
    two_bits = {name: bits[name] for name in ("bit0", "bit1")}
    said = texts(16)
    moved = sheet(
        id=letters(16), **two_bits, text=said[1:] + said[:1]
    )  # two of three, where chance gives 1.06
    assert overlap(sheet(id=letters(16), **two_bits, text=said), moved) is None


def test_names_whose_rows_agree_less_than_others_tell_nothing():
    kinds = list("xy" * 10)
    changed = kinds[:8] + list("yx" * 6)
    assert overlap(sheet(id=letters(20), kind=kinds), sheet(id=letters(20), kind=changed)) is None


@pytest.mark.parametrize(("comparisons", "found"), [(5, 10), (20, 10), (30, None)])
def test_of_many_rows_the_next_ones_are_compared(monkeypatch, comparisons, found):
    """Of ten named rows with two kinds in turn the next is another's, the one after that of the same."""
    monkeypatch.setattr(overlaps, "COMPARISONS", comparisons)
    kinds = list("xy" * 10)
    hidden = sheet(id=[*letters(10), *letters(10, 50)], kind=kinds)
    expected = found and (found, f"{found} rows with the same id")
    assert overlap(sheet(id=letters(20), kind=kinds), hidden) == expected


def test_what_every_next_row_says_too_tells_nothing(monkeypatch):
    monkeypatch.setattr(overlaps, "COMPARISONS", 5)
    said = [text for text in texts(10) for _ in range(2)]
    names = [name for pair in zip(letters(10), letters(10, 50), strict=True) for name in pair]
    public = sheet(id=letters(20), text=[*texts(10), *texts(10, 100)])
    assert overlap(public, sheet(id=names, text=said)) is None


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (letters(20), "id"),
        (range(1, 21), "text"),
        (range(101, 121), "text"),
        ([f"item{number:03}" for number in range(20)], "text"),
        ([f"item{number:03}" for number in range(19)] + ["other19"], "id"),
        (["item", *(f"item{number}" for number in range(1, 20))], "id"),
        ([*range(19), 39], "text"),
        ([*range(19), 40], "id"),
        ([f"a{number}" for number in range(999_999_980, 1_000_000_000)], "text"),
        ([f"a{number}" for number in range(1_000_000_000, 1_000_000_020)], "id"),
    ],
)
def test_where_rows_are_numbered_nearly_all_must_agree(names, what):
    """15 of 20 agree: more than chance, but two sets that are numbered from 1 share numbers."""
    hidden = sheet(id=names, text=[*texts(15), *texts(5, 100)])
    assert overlap(sheet(id=names, text=texts(20)), hidden) == (15, f"15 rows with the same {what}")


@pytest.mark.parametrize("different", [2, 3])
def test_of_numbered_rows_a_twentieth_of_the_cells_may_differ(different):
    first, second = list("xy" * 10), list("xyz" * 6 + "xy")
    changed = ["q"] * different + second[different:]
    public, hidden = (sheet(id=range(20), a=first, b=values) for values in (second, changed))
    assert overlap(public, hidden) == ((20, "20 rows with the same id") if different == 2 else None)


# What rows hold


@pytest.mark.parametrize(
    ("rows", "alike", "twice", "found"),
    [
        # Two of a content are in different sets with probability 20/39: that eleven are is one in 1500.
        ((20, 20), 10, 0, False),
        ((20, 20), 11, 0, True),
        ((20, 20), 14, 1, False),
        ((20, 20), 15, 1, True),
        ((10, 30), 7, 0, False),
        ((10, 30), 8, 0, True),
        ((30, 10), 7, 0, False),
        ((30, 10), 8, 0, True),
    ],
)
@pytest.mark.parametrize("where", [0, 1])
def test_rows_of_the_same_content_are_held_against_those_that_stand_twice_in_a_set(
    rows, alike, twice, found, where
):
    sheets = []
    for number, size in enumerate(rows):
        repeated = texts(twice, 700) * 2 if number == where else []
        rest = texts(size - alike - len(repeated), 100 * (number + 1))
        sheets.append(sheet(id=letters(size, 50 * number), text=[*texts(alike), *repeated, *rest]))
    assert overlap(*sheets) == ((alike, f"{alike} rows with the same text") if found else None)


def test_a_content_that_stands_three_times_tells_nothing():
    said = texts(11), [*texts(11), "said 0"]
    public, hidden = (
        sheet(id=letters(20, 50 * place), text=[*same, *texts(20 - len(same), 100 * (place + 1))])
        for place, same in enumerate(said)
    )
    assert overlap(public, hidden) is overlap(hidden, public) is None


def test_where_names_tell_rows_no_others_are_looked_for():
    public = sheet(id=letters(30), text=texts(30))
    hidden = sheet(id=[*letters(10), *letters(20, 50)], text=texts(30))
    assert overlap(public, hidden) == (10, "10 rows with the same id")


def test_prompts_that_fix_texts_are_no_overlap_unless_labels_agree_too():
    """A text a row, the same in both sets; a label of two, of which chance gives half: three quarters must agree."""
    for size, agree, found in ((24, 18, 18), (24, 17, None), (20, 11, 11), (21, 12, None)):
        labels = list("xy" * size)[:size]
        others = [*labels[:agree], *("y" if label == "x" else "x" for label in labels[agree:])]
        public, hidden = (sheet(text=texts(size), label=values) for values in (labels, others))
        assert overlap(public, hidden) == (found and (found, f"{found} rows with the same text, label"))


def test_what_tells_nothing_is_not_looked_at():
    same = sheet(text=texts(20), session=letters(20), speaker_id=letters(20))
    assert overlap(same, same) == (20, "20 rows with the same session")

    def alone(first, **columns):
        return sheet(id=letters(20, first), **columns)

    said = alone(0, text=texts(20))
    assert overlap(said, alone(20, text=texts(20), session=letters(20))) == (20, "20 rows with the same text")
    for other in ({"other": texts(20)}, {"text": ["x"] * 20}, {"session": texts(20)}):
        assert overlap(said, alone(20, **other)) is overlap(alone(20, **other), said) is None
    kinds = [{"text": texts(20), "kind": ["x"] * count + ["y"] * (20 - count)} for count in (20, 1)]
    for one, other in (kinds, kinds[::-1]):
        assert overlap(alone(0, **one), alone(20, **other)) == (20, "20 rows with the same text")


def test_every_file_of_both_sets_is_looked_at():
    def files(first, **others):
        tables = {"b.csv": texts(20), "c.csv": texts(20, 100)}
        sheets = {name: sheet(id=letters(20, first), text=said) for name, said in tables.items()}
        return {"a.csv": sheet(**others), "too large.csv": "a,b\n" * 500_001, **sheets}

    sets = (
        ("development", files(0, x=range(3), a=range(3))),
        ("evaluation", files(20, x=range(3), b=range(3))),
    )
    found = find_overlap(*(reference(*each) for each in sets))
    assert (found.rows, len(found.evidence)) == (40, 2)
    for file, line in zip("bc", found.evidence, strict=True):
        places = f"line 2 of evaluation/{file}.csv, line 2 of development/{file}.csv"
        assert line == f"20 rows with the same text; the first: {places}"


def test_what_nobody_has_accepted_is_refused_with_what_to_do():
    shown, hidden = reference("development", ""), reference("evaluation", "")
    shared = Overlap(shown, hidden, 20, ("20 rows with the same id",))
    entry = {"hidden": "t/evaluation", "public": "t/development", "rows": 20}
    assert is_accepted(shared, [{**entry, "rows": 1}, entry])
    for other in ({"rows": 19}, {"hidden": "t/other"}, {"public": "other/development"}):
        assert not is_accepted(shared, [{**entry, **other}])
    assert refusal([shared, shared]).split("\n") == [
        *str(shared).split("\n") * 2,
        "",
        "Take these rows out of the public set. If they are other items that only look alike (names that start",
        "again, texts that prompts make the same), say so in competition.yaml, in defaults, a challenge or a task:",
        "",
        "  accepted_overlaps:",
        *["    - {hidden: t/evaluation, public: t/development, rows: 20}"] * 2,
    ]
