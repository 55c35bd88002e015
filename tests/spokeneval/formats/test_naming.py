"""Tests of the sheets of naming responses: their columns in all editions, and whose they are."""

from __future__ import annotations

import pytest

from spokeneval.formats.format import Answers, Items
from spokeneval.formats.naming import naming_format, naming_reference, naming_submission, naming_units
from spokeneval.formats.speakers import Units
from spokeneval.formats.tables import words
from tests.samples.programs import encoded

TRUTH = words({"no": 0, "yes": 1})


NAMES = ("utterance_id transcript correctness", "id transcript_arpabet is_correct")


RESPONSES = """\
{} session test prompt {} {} aq_index duration_frames filename user
u2 s BNT cat no yes 70.5 16000 u2.wav P
u1 t VNT dog no yes 9 8000 u1.wav Q
"""


@pytest.mark.parametrize("names", NAMES)
def test_what_of_naming_responses_is_public(names):
    text = RESPONSES.format(*names.split()).replace(" ", "\t")
    for column, label in (("transcript", "no"), ("correctness", "yes")):
        reference = naming_reference(column, TRUTH)
        submission = naming_submission("mine.tsv", "guess", TRUTH)
        made = naming_format(reference, submission, lambda answers, table, problems: None)
        answers = made.read_reference(encoded({"utterances.tsv": text}))
        assert answers[column].tolist() == [["no", "yes"].index(label)] * 2
        assert answers.texts["aq_index"] == ["70.5", "9"]
        assert made.public_files(answers, {}) == {
            "utterance_list.tsv": b"utterance_id\tsession\ttest\tprompt\tduration_frames\tfilename\n"
            b"u1\tt\tVNT\tdog\t8000\tu1.wav\nu2\ts\tBNT\tcat\t16000\tu2.wav\n"
        }


def test_naming_responses_are_drawn_by_speaker_or_session():
    items = Items(("u1", "u2"))
    texts = {"speaker": ["A", "B"], "session": ["s", "t"]}
    assert naming_units(Answers(items, {}, texts)) == Units("speaker", {"u1": "A", "u2": "B"})
    assert naming_units(Answers(items, {}, {"session": ["s", "t"]})) == Units(
        "session", {"u1": "s", "u2": "t"}
    )
    assert naming_units(Answers(items, {})) == Units("utterance", {"u1": "u1", "u2": "u2"})
