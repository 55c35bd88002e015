"""The names of folders in a fetched competition."""

import hashlib
import itertools

from speechbundles.model.fetched import folded, folders_of, safe_name


def test_different_names_stay_different():
    names = ["a/b", "a_b", "a\\b", "a:b", "a_b ", " a_b", ".a", "_a", "x" * 100, "x" * 101]
    assert len({safe_name(name) for name in names}) == len(names)
    assert safe_name("Team-1_b@x") == "Team-1_b@x"


def test_no_owner_takes_the_folder_of_another():
    """On a file system that ignores case, two owners would share a folder; the first one keeps the plain name."""
    assert folders_of(["anna", "Anna"]) == {"anna": "anna", "Anna": "Anna-bf4fcc"}
    digest = hashlib.sha256(b"Bob").hexdigest()[:6]
    owners = [f"BOB-{digest}", "Bob", "BOB", "bob", "straße", "STRASSE", "e\u0301", "\u00c9"]
    names = ["a", "A", *(f"{a}-{hashlib.sha256(b).hexdigest()[:6]}" for a, b in (("a", b"A"), ("A", b"a")))]
    for order in (owners, *itertools.permutations(names)):
        assert len({folded(folder) for folder in folders_of(order).values()}) == len(order)
