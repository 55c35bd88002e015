"""Splits: groups stay whole, imbalance against brute force, strata, draws, sounds."""

import io
import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from speechbundles.annotation.split import Wanted, groups_of, split, split_source, strata_of
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import write_files


def corpus(seed, speakers, items):
    rng = np.random.default_rng(seed)
    of = rng.integers(0, speakers, items)
    return pd.DataFrame(
        {
            "speaker": [f"s{each}" for each in of],
            "site": [f"c{each % 7}" for each in of],
            "label": rng.choice(list("abc"), items, p=[0.6, 0.3, 0.1]),
            "sex": np.array(list("mf"))[of % 2],
            "duration": rng.gamma(2, 1, items).round(3).astype(str),
        }
    )


def imbalance(of, strata, shares):
    """The definition, by loops."""
    return sum(
        abs(sum(row[column] for row, own in zip(rows, of, strict=True) if own == place) - share * total)
        for place, share in enumerate(shares)
        for rows in [strata.to_dict("records")]
        for column, total in strata.sum().items()
    )


@pytest.mark.default_cases("20-")
@pytest.mark.parametrize("corpora", [range(20), range(20, 200)], ids=["20-first", "180-more"])
def test_random_corpora_are_split_without_a_speaker_in_two_sets(corpora):
    rng = np.random.default_rng(corpora.start)
    for seed in corpora:
        items = corpus(seed, int(rng.integers(16, 60)), int(rng.integers(100, 400)))
        shares = rng.dirichlet(np.full(int(rng.integers(2, 4)), 5.0)).tolist()
        strata = strata_of(items, ["label", "sex"])
        of, _ = split(groups_of(items, ["speaker"]), strata, shares, seed)
        assert (items.assign(set=of).groupby("speaker")["set"].nunique() == 1).all()
        largest = items["speaker"].value_counts().max()
        sizes = np.bincount(of, minlength=len(shares))
        assert (np.abs(sizes - np.array(shares) * len(items)) <= largest).all()


@pytest.mark.parametrize("exact", [True, False])
def test_the_imbalance_of_few_groups_is_the_smallest_possible(exact, monkeypatch):
    """By brute force over all splits; the search alone is within one item."""
    if not exact:
        monkeypatch.setattr("speechbundles.annotation.split.MOST_EXACT", 0)
    for seed in range(12):
        items, shares = corpus(seed, 7, 40), [0.5, 0.5] if seed % 2 else [0.2, 0.3, 0.5]
        groups, strata = groups_of(items, ["speaker"]), strata_of(items, ["label", "sex"])
        of, proved = split(groups, strata, shares, seed)
        counts = strata.groupby(groups).sum().to_numpy()
        target = np.outer(shares, counts.sum(axis=0))
        sets = np.array(list(product(range(len(shares)), repeat=len(counts))))
        sums = (sets[:, :, np.newaxis] == np.arange(len(shares))).transpose(0, 2, 1) @ counts
        best = np.abs(sums - target).sum(axis=(1, 2)).min()
        assert proved == exact
        assert imbalance(of, strata, shares) <= best + (1e-6 if exact else 1)


def test_groups_that_share_a_site_or_a_family_are_joined():
    columns = {"speaker": list("abcde"), "site": ["x", "x", "y", "", ""], "family": ["", "1", "1", "", "2"]}
    items = pd.DataFrame(columns)
    joined = groups_of(items, ["speaker", "site", "family"])
    assert len(set(joined[:3])) == 1
    assert len(set(joined)) == 3
    assert len(set(groups_of(items, []))) == 5


def test_many_groups_are_split_near_the_targets():
    """1,000 speakers of 50 items, of whom each has one sex: even the best split is off by multiples of 50 there."""
    items = corpus(1, 1000, 50_000)
    strata = strata_of(items, ["label", "sex", "duration"])
    of, proved = split(groups_of(items, ["speaker"]), strata, [0.3, 0.7], 0)
    off = np.abs(strata[of == 0].sum() - 0.3 * strata.sum())
    assert not proved
    assert off.max() <= 5
    assert strata.columns[-4:].str.startswith("duration ").all()
    assert (strata.iloc[:, -4:].sum(axis=1) == 1).all()
    again, _ = split(groups_of(items, ["speaker"]), strata, [0.3, 0.7], 0)
    other, _ = split(groups_of(items, ["speaker"]), strata, [0.3, 0.7], 1)
    assert (of == again).all()
    assert (of != other).any()


def test_a_table_is_split_into_folders(tmp_path):
    items = corpus(3, 30, 300)
    items.insert(0, "id", [f"i{n}" for n in range(300)])
    items["text"] = [f"words {n % 290}" for n in range(300)]
    items["sound"] = [f"{n}.wav" for n in range(300)]
    sounds = write_files(tmp_path / "sounds", {f"{n}.wav": f"sound {n % 299}".encode() for n in range(300)})
    write_files(tmp_path, {"all.csv": items.to_csv(index=False).encode()})
    draw = {("test", "sex"): {"m": 30, "f": 40}}
    wanted = Wanted({"dev": 60, "test": 0.5}, strata=["label"], draw=draw, sealed=0.4)
    files, lines, texts = split_source(tmp_path / "all.csv", "", wanted, sounds)
    sets = pd.read_csv(io.BytesIO(files["split.csv"]), keep_default_na=False).set_index("id")["set"]
    dev, test = (pd.read_csv(io.BytesIO(files[f"{name}/all.csv"])) for name in ("dev", "test"))
    assert (sets == "dev").sum() == len(dev)
    assert abs(len(dev) - 60) <= 2
    assert test["sex"].value_counts().to_dict() == {"f": 40, "m": 30}
    assert not set(dev["speaker"]) & set(test["speaker"])
    assert "sealed" not in dev.columns
    assert test.groupby("speaker")["sealed"].nunique().max() == 1
    assert 0.2 < (test["sealed"] == "yes").mean() < 0.6
    first, last = (items.set_index("id").loc[each, "speaker"] for each in ("i0", "i299"))  # one sound
    whole = {name: set(own["speaker"]) for name, own in (("dev", dev), ("test", test))}
    assert all((first in own) == (last in own) or first == last for own in whole.values()) or "" in set(sets)
    assert texts["dev"].keys() == set(dev["id"])
    assert lines[-1].startswith("imbalance ")
    assert "groups by speaker, sound_hash" in lines[0]
    for number in (3, 7):
        (sounds / f"{number}.wav").unlink()
    with pytest.raises(OrganiserError, match=r"sounds: there is no file 3\.wav, 7\.wav"):
        split_source(tmp_path / "all.csv", "", wanted, sounds)


def test_a_further_table_goes_with_the_items_of_the_first(tmp_path):
    """Words of sentences: each is in the set of its sentence, in the order of the table."""
    items = corpus(3, 12, 60)
    items.insert(0, "Satz", [f"s{n}" for n in range(60)])
    words = [("Satz", "Wort", "Note"), *((f"s{n % 60}", f"w{n}", n % 5) for n in range(150))]
    text = "\n".join(";".join(map(str, row)) for row in words)
    write_files(tmp_path, {"saetze.csv": items.to_csv(index=False).encode(), "woerter.csv": text.encode()})

    def divided(further):
        wanted = Wanted({"a": 0.5, "b": 0.5}, also=[tmp_path / further])
        return split_source(tmp_path / "saetze.csv", "", wanted, None)

    files, _, _ = divided("woerter.csv")
    parts = [
        pd.read_csv(io.BytesIO(files[f"{name}/{file}.csv"]))
        for file in ("saetze", "woerter")
        for name in "ab"
    ]
    assert [set(part["Satz"]) for part in parts[2:]] == [set(part["Satz"]) for part in parts[:2]]
    assert sorted(int(word[1:]) for part in parts[2:] for word in part["Wort"]) == [*range(150)]
    assert [part["Wort"].tolist() for part in parts[2:]] == [
        [word for sentence, word, _ in words[1:] if sentence in set(part["Satz"])] for part in parts[2:]
    ]
    write_files(tmp_path, {"woerter.csv": f"{text}\ns99;w;1\n".encode()})
    again, lines, _ = divided("woerter.csv")
    assert again == files
    assert lines[-1] == "woerter.csv: 1 row left out, of items that are not in saetze.csv: s99"
    with pytest.raises(OrganiserError, match="two tables of one name"):
        divided("saetze.csv")


def test_a_draw_by_one_value_keeps_the_items_with_others(tmp_path):
    rows = [f"i{n},{'correct' if n < 40 else 'incorrect'}" for n in range(65)]
    write_files(tmp_path, {"all.csv": "\n".join(["id,language", *rows]).encode()})
    for drawn, left in (({}, {"correct": 20, "incorrect": 25}), ({"incorrect": 0}, {"correct": 20})):
        wanted = Wanted({"test": 1.0}, draw={("test", "language"): {"correct": 20, **drawn}})
        files, _, _ = split_source(tmp_path / "all.csv", "", wanted, None)
        assert pd.read_csv(io.BytesIO(files["test/all.csv"]))["language"].value_counts().to_dict() == left


@pytest.mark.parametrize(
    ("wanted", "refused"),
    [
        ({"sets": {"a": 0.7, "b": 0.5}}, "the sets have 1.2 of the items"),
        ({"sets": {"a": 0.7, "b": 0.0}}, "expected shares above 0"),
        (
            {"sets": {"": 0.7, "../x": 0.5, "b c": 1, "ü_1-2": 0.1}, "sealed": math.nan},
            "(?s)the sets '', ../x, 'b c': expected names of .*the sets have 2.3 of the items.*nan of the last set",
        ),
        ({"sets": {"a": math.nan, "b": 0.5}}, "the sets have nan of the items"),
        ({"sets": {"a": 0.99, "b": 0.001}, "sealed": 0.5}, "no items for b; expected larger shares"),
        ({"sets": {"a": 0.7}, "by": ["family"]}, "no column family"),
        ({"sets": {"a": 1.0}, "strata": ["speaker"]}, "speaker has 30 values; expected 20 at most, or numbers"),
        ({"sets": {"a": 1.0}, "draw": {("a", "sex"): {"m": 9999}}}, r"too few items to draw by sex: \d+ of 9999 m"),
        ({"sets": {"a": 1.0}, "draw": {("a", "sex"): {"f": 0, "F": 0}}}, "too few items to draw by sex: 0 of any F"),
    ],
)  # fmt: skip
def test_sets_that_cannot_be_made_are_refused(tmp_path, wanted, refused):
    items = corpus(3, 30, 300)
    items.insert(0, "id", [f"i{n}" for n in range(300)])
    write_files(tmp_path, {"all.csv": items.to_csv(index=False).encode()})
    with pytest.raises(OrganiserError, match=refused):
        split_source(tmp_path / "all.csv", "", Wanted(**wanted), None)
    write_files(tmp_path, {"all.csv": b"id,speaker,sex,family\n"})
    with pytest.raises(OrganiserError, match="no items below its header"):
        split_source(tmp_path / "all.csv", "", Wanted(**wanted), None)


def test_the_unit_that_merge_knows_stays_together(tmp_path):
    items = corpus(3, 12, 60).rename(columns={"speaker": "child"})
    items.insert(0, "id", [f"i{n}" for n in range(60)])
    known = {
        "id": "id",
        "items": "labels.csv",
        "files": ["labels.csv"],
        "task": {"unit": "child"},
        "questions": {},
        "sealed": 0,
    }
    texts = {"labels.csv": items.to_csv(index=False), "data.json": json.dumps(known)}
    write_files(tmp_path, texts)
    files, lines, _ = split_source(tmp_path, "", Wanted({"a": 0.5, "b": 0.5}), None)
    children = [set(pd.read_csv(io.BytesIO(files[f"{name}/labels.csv"]))["child"]) for name in "ab"]
    assert not children[0] & children[1]
    _, lines, _ = split_source(tmp_path / "labels.csv", "", Wanted({"a": 0.5, "b": 0.5}), None)
    assert "of one item each; --by names columns whose items stay together" in lines[0]
