"""Phones that an inventory lacks."""

from __future__ import annotations

from functools import partial

import pytest

from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from tests.samples import kinds

make = partial(kinds.make, "transcripts")


@pytest.mark.parametrize(
    ("token", "advice"),
    [
        ("TSH", "the nearest is tsh"),
        ("ba:", "write b a:, with spaces between the phones"),
        ("tsx", "the nearest are ts, tsh"),
        ("sil", "the nearest is <sil>"),
        ("ʘ", "expected one of b, a:, ts, tsh"),
        ("x" * 1000, "expected one of b, a:, ts, tsh"),
    ],
)
def test_an_unknown_phone_is_refused_with_the_nearest_ones(token: str, advice: str) -> None:
    task = make(units="phones", phones=["b", "a:", "ts", "tsh"])
    sides = ({"transcripts.csv": f"id,transcript\nu1,b {last}\n".encode()} for last in ("", token))
    with pytest.raises(SubmissionError) as refused:
        kinds.read(task, *sides)
    assert str(refused.value.problems[0].message).endswith(f" is not one of the 4 phones; {advice}")
    assert refused.value.total == 1


def test_the_nearest_phones_are_searched_for_a_thousand_unknown_ones_only() -> None:
    """A submission of 1 MB can have hundreds of thousands, and the search takes a millisecond each."""
    task = make(units="phones", phones=["b", "tsh"])
    content = "id,transcript\n" + "".join(f"u{n},tsh{n}\n" for n in range(1001))
    with pytest.raises(ReferenceFileError) as refused:
        task.format.read_reference({"transcripts.csv": content.encode()})
    first, *_, last = (problem.message for problem in refused.value.problems)
    assert (first[-20:], last[-22:]) == ("; the nearest is tsh", "expected one of b, tsh")
