"""The canonical form of answers, and outputs that are none."""

import io
import tarfile

import pytest

from speechbundles.runs.answers import canonical, read_written
from spokeneval.challenges import find_task
from spokeneval.formats.files import Files
from spokeneval.formats.format import Items
from spokeneval.formats.problems import SubmissionError
from spokeneval.kinds.declared import declared_task

SCORES = find_task("content_accuracy")
CALLS = find_task("caller_experience")
TURNS = declared_task("who", {"kind": "turns", "item": "meeting", "unit": "meeting"})
ITEMS = Items(("a", "b", "c"))

SAME = {
    "order": "response_id,score\nc,0.5\na,0.25\nb,0.125\n",
    "padding and last digits": "response_id,score\na,0.2500000001\nb,0.12500000000000\nc,+0.5\n",
    "further columns, quotes, blank lines": 'score,response_id,note\n"0.25","a",x\n\n0.125,b,y\n5e-1,c,z\n',
    "byte-order mark and Windows lines": "\ufeffresponse_id,score\r\na,.25\r\nb,0.125\r\nc,.5\r\n",
}


@pytest.mark.parametrize("channel", SAME)
def test_what_no_score_needs_is_not_kept(channel):
    found = canonical(SCORES, Files({"predictions.csv": SAME[channel].encode()}), ITEMS)
    assert found == {"predictions.csv": b"response_id,score\na,0.25\nb,0.125\nc,0.5\n"}


def test_six_digits_are_kept_and_whole_numbers_stay():
    content = b"response_id,score\na,0.123456789\nb,2\nc,-0.0\n"
    assert canonical(SCORES, Files({"predictions.csv": content}), ITEMS) == {
        "predictions.csv": b"response_id,score\na,0.123457\nb,2\nc,0\n"
    }
    ratings = b"call_id,rating\nb,3\na,5\nc,1\n"
    assert canonical(CALLS, Files({"ratings.csv": ratings}), ITEMS) == {
        "ratings.csv": b"call_id,rating\na,5\nb,3\nc,1\n"
    }


def test_turns_are_sorted_and_comments_left_out():
    one = b";; hello\nSPEAKER a 1 1.000 2.0 <NA> <NA> x <NA> <NA>\nSPKR-INFO a 1 <NA> <NA> <NA> unknown x <NA> <NA>\n"
    two = b"SPEAKER b 1 1234.567 0.250 <NA>  <NA> y <NA> <NA>\n"
    made = [
        canonical(TURNS, Files({"turns.rttm": each}), ITEMS)["turns.rttm"] for each in (one + two, two + one)
    ]
    expected = b"SPEAKER a 1 1 2 <NA> <NA> x <NA> <NA>\nSPEAKER b 1 1234.567 0.25 <NA> <NA> y <NA> <NA>\n"
    assert made == [expected, expected]


def tar(*members):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, kind, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(data)
            member.linkname = "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


FILE = tarfile.REGTYPE
OUTPUTS = {
    "nothing": (b"", "no file was written"),
    "no tar": (b"x" * 2000, "could not be read|no file was written"),
    "an empty folder": (tar((".", tarfile.DIRTYPE, b"")), "no file was written"),
    "a link": (tar(("./x", tarfile.SYMTYPE, b"")), "is not an ordinary file"),
    "a hard link": (tar(("./x", tarfile.LNKTYPE, b"")), "is not an ordinary file"),
    "a pipe": (tar(("./x", tarfile.FIFOTYPE, b"")), "is not an ordinary file"),
    "a device": (tar(("./x", tarfile.CHRTYPE, b"")), "is not an ordinary file"),
    "a folder": (tar(("./x", tarfile.DIRTYPE, b""), ("./x/y", FILE, b"1")), "is not an ordinary file"),
    "a path": (tar(("../x", FILE, b"1")), "is in a folder"),
    "a file twice": (tar(("./x", FILE, b"1"), ("x", FILE, b"2")), "appears twice"),
    "a tar that ends early": (tar(("./x", FILE, b"1" * 5000))[:2000], "could not be read"),
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_outputs_that_are_not_ordinary_files_are_refused(what):
    content, said = OUTPUTS[what]
    with pytest.raises(SubmissionError, match=said):
        read_written(content)


def test_ordinary_files_are_read():
    assert read_written(tar((".", tarfile.DIRTYPE, b""), ("./x", FILE, b"1"))).sources == {"x": b"1"}
