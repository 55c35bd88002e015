"""The canonical form of answers, and outputs that are none."""

import io
import tarfile
import tracemalloc

import pytest

from speechbundles.runs import answers
from speechbundles.runs.answers import WrittenArchive, canonical, read_written
from spokeneval.challenges import find_task
from spokeneval.formats.format import Items
from spokeneval.formats.problems import SubmissionError
from spokeneval.kinds.declared import declared_task
from tests.samples import kinds
from tests.samples.cases import CASES
from tests.samples.harmless import harmless
from tests.samples.programs import encoded
from tests.samples.tables import table

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
    found = canonical(SCORES, {"predictions.csv": SAME[channel].encode()}, ITEMS)
    assert found == {"predictions.csv": b"response_id,score\na,0.25\nb,0.125\nc,0.5\n"}


def test_six_digits_are_kept_and_whole_numbers_stay():
    content = b"id,score\na,0.123456789\nb,1234567\nc,1234567.8\n"
    assert canonical(kinds.make("identification", target="yes"), {"scores.csv": content}, ITEMS) == {
        "scores.csv": b"id,score\na,0.123457\nb,1234567\nc,1234570\n"
    }
    content = b"response_id,score\na,0.123456789\nb,2\nc,-0.0\n"
    assert canonical(SCORES, {"predictions.csv": content}, ITEMS) == {
        "predictions.csv": b"response_id,score\na,0.123457\nb,2\nc,0\n"
    }
    ratings = b"call_id,rating\nb,3\na,5\nc,1\n"
    assert canonical(CALLS, {"ratings.csv": ratings}, ITEMS) == {
        "ratings.csv": b"call_id,rating\na,5\nb,3\nc,1\n"
    }


def test_turns_are_sorted_and_comments_left_out():
    one = b";; hello\nSPEAKER a 1 1.000 2.0 <NA> <NA> x <NA> <NA>\nSPKR-INFO a 1 <NA> <NA> <NA> unknown x <NA> <NA>\n"
    two = b"SPEAKER b 1 1234.567 0.250 <NA>  <NA> y <NA> <NA>\n"
    none = b"SPEAKER c 1 7.5 0 <NA> <NA> z <NA> <NA>\n"
    single = {"a.rttm": one, "b.rttm": two, "c.rttm": b""}
    given = [{"turns.rttm": one + two + none}, {"turns.rttm": none + two + one}, single]
    lines = (b"SPEAKER a 1 1 2 <NA> <NA> x <NA> <NA>", b"SPEAKER b 1 1234.567 0.250 <NA> <NA> y <NA> <NA>")
    empty = b"SPEAKER c 1 0 0 <NA> <NA> x <NA> <NA>"
    for files in given:
        assert canonical(TURNS, files, ITEMS) == {"turns.rttm": b"\n".join([*lines, empty])}
    silent = {f"{item}.rttm": b"" for item in ITEMS.ids}
    assert canonical(TURNS, silent, ITEMS)["turns.rttm"].count(b" 0 0 <NA> <NA> nobody ") == 3


SUBMITTED = table("written_answers")


@pytest.mark.parametrize(
    ("name", "file"), [(name, file) for name, each in SUBMITTED.items() for file in each["answers"]]
)
def test_scores_of_the_canonical_form_are_those_of_the_answers(name, file):
    parameters, reference, files = SUBMITTED[name].values()
    task, truth = kinds.make(name.split()[0], **parameters), encoded(reference)
    items, given = task.format.read_reference(truth).items, {file: files[file].encode()}
    found = canonical(task, given, items)
    assert kinds.scores_of(task, truth, found) == kinds.scores_of(task, truth, given)
    assert canonical(task, found, items) == found
    assert b"secret" not in b"".join(found.values())
    names = {task.format.submission_file, *task.format.other_submissions}
    assert " " in name or names <= {*files}  # of each kind, every format


@pytest.mark.parametrize("name", CASES)
def test_scores_of_the_sample_s_tasks_in_canonical_form(name):
    task, truth = find_task(name), encoded(CASES[name].reference)
    items = task.format.read_reference(truth).items
    others = ("/", ".DS_Store", "metadata")  # what `read_written` refuses, or a platform adds
    for files in harmless(name).values():
        if any(other in " ".join(files) for other in others):
            continue
        given = encoded(files)
        found = canonical(task, given, items)
        assert kinds.scores_of(task, truth, found) == kinds.scores_of(task, truth, given)
        assert canonical(task, found, items) == found


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
    "names for names": (2000 * tar(("x", tarfile.GNUTYPE_LONGNAME, b"y"))[:1024], "could not be read"),
}


def written(place, content):
    (place / "tar").write_bytes(content)
    with WrittenArchive(place / "tar") as archive:
        return read_written(archive, place / "files")


@pytest.mark.parametrize("what", OUTPUTS)
def test_outputs_that_are_not_ordinary_files_are_refused(tmp_path, what):
    content, said = OUTPUTS[what]
    with pytest.raises(SubmissionError, match=said):
        written(tmp_path, content)


def test_ordinary_files_are_read(tmp_path):
    files = written(tmp_path, tar((".", tarfile.DIRTYPE, b""), ("./x", FILE, b"1"), ("y", FILE, b"2")))
    assert {name: path.read_bytes() for name, path in files.items()} == {"x": b"1", "y": b"2"}


@pytest.mark.parametrize("what", ["one large file", "a large header", "many links"])
def test_reading_outputs_takes_little_memory(tmp_path, monkeypatch, what):
    """Of 16 MB in one file, or in the name of a file, and of links, of which there are too many."""
    monkeypatch.setattr(answers, "MAX_FILES", 100)
    links = [(f"l{number}", tarfile.SYMTYPE, b"") for number in range(20_000)]
    large = [("./x", {"a large header": tarfile.GNUTYPE_LONGNAME}.get(what, FILE), b"x" * (16 << 20))]
    content = tar(*(links if what == "many links" else large))
    tracemalloc.start()
    try:
        if what == "one large file":
            assert written(tmp_path, content)["x"].stat().st_size == 16 << 20
        else:
            with pytest.raises(SubmissionError, match=r"more than 100 files|could not be read"):
                written(tmp_path, content)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
