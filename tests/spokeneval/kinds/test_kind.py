"""The parameters of every kind: those that no task can have are refused by their name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from spokeneval.formats.problems import count_of
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import ParameterError
from spokeneval.scoring.options import sign_public
from spokeneval.scoring.reference import Reference

REFUSED = yaml.safe_load(Path(__file__).with_name("refused_declarations.yaml").read_text(encoding="utf-8"))
REFUSED["ratings"] += [
    ({"raters": [f"r{n}" for n in range(10_001)], "scale": [1, 5]}, "raters: 10001 raters; expected")
]
REFUSED["scores"] += [({"scale": [0, 10**400]}, "scale: a number of 401 digits")]
REFUSED["transcripts"] += [
    ({"units": "phones", "phones": [f"p{n}" for n in range(501)]}, "phones: 501 phones")
]


@pytest.mark.parametrize(
    ("kind", "declared", "message"), [(kind, *row) for kind in KINDS for row in REFUSED[kind]]
)
def test_bad_parameters_are_refused_by_their_name(kind: str, declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as refused:
        declared_task("own", {"kind": kind, **declared})
    assert "\n" not in str(refused.value)


def test_the_plural_of_a_unit_is_said_and_not_signed():
    declaration = {"kind": "decisions", "classes": ["ja", "nein"], "positive": "ja", "unit": "Sprecherin"}
    plain = declared_task("own", declaration)
    own = declared_task("own", {**declaration, "unit_plural": "Sprecherinnen"})
    files = {"labels.csv": b"id,label,Sprecherin\na,ja,S1\nb,nein,S2\nc,ja,S2\n"}
    labels = own.format.read_reference(files)
    assert count_of(2, own.units(labels).called) == "2 Sprecherinnen"
    assert count_of(2, plain.units(labels).called) == "2 Sprecherins"
    reference = Reference(labels, labels.items, files=files)
    assert sign_public(own, {}, reference) == sign_public(plain, {}, reference)
    with pytest.raises(ParameterError, match="unit_plural"):
        declared_task("own", {**declaration, "unit_plural": 3})
