"""A signature is one line, and read back from it."""

import pytest

from spokeneval.scoring.options import Signature

LINES = {
    "t": Signature("t", version=""),
    "t|a:b|c:d|reference:0|spokeneval:1": Signature("t", ("a:b", "c:d"), False, "0", version="1"),
    "t|feedback:coarse|items:0|part:open|spokeneval:1": Signature("t", (), True, "", "0", "open", "1"),
    "t|new|other:x": Signature("t", ("new", "other:x"), version=""),
}


@pytest.mark.parametrize("line", LINES)
def test_a_signature_is_its_line(line):
    assert Signature.parse(line) == LINES[line]
    assert str(LINES[line]) == line
