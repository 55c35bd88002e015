"""The section of transcripts: which words are wrong."""

import jiwer
import numpy as np

from spokeneval.kinds.sections import transcripts
from tests.samples.report_pages import section, tables


def test_the_words_with_the_most_errors():
    said = [[["the", "cat", "sat"]], [["the", "dog"], ["a", "dog"]], [["the", "cat"]]]
    heard = [["a", "cat"], ["a", "dog", "ran"], ["the", "cat"]]
    markup = section({"kind": "transcripts"}, {"transcript": said}, {"transcript": heard})
    found = tables(markup)
    assert found["Words of the reference that are most often wrong or missing"][1:] == [
        ["sat", "1", "1", "100.0 %"],
        ["the", "1", "2", "50.0 %"],  # the second item is compared with "a dog"
    ]
    assert found["Most frequent errors"][1:] == [["– → ran", "1"], ["sat → –", "1"], ["the → a", "1"]]


def test_a_word_for_what_could_not_be_understood_is_no_error():
    said, heard = [[["the", "unk", "sat"]]], [["the", "cat", "sad"]]
    markup = section({"kind": "transcripts", "unk": "unk"}, {"transcript": said}, {"transcript": heard})
    assert tables(markup)["Most frequent errors"][1:] == [["sat → sad", "1"]]


def test_compounds_are_no_errors_and_are_shown_as_in_the_reference():
    said = [[["the", "ice", "cream", "van"]], [["white", "paper"]]]
    task = {"kind": "transcripts", "compounds": "merged"}
    markup = section(task, {"transcript": said}, {"transcript": [["a", "icecream", "van"], ["whitepaper"]]})
    assert tables(markup)["Most frequent errors"][1:] == [["the → a", "1"]]
    aligned = transcripts._aligned(said[0][0], ["a", "icecream", "van"], merge_compounds=True)
    assert list(aligned) == [("the", "a"), ("ice", "ice"), ("cream", "cream"), ("van", "van")]


def test_the_errors_of_words_add_up_to_those_of_jiwer():
    draw = np.random.default_rng(2)
    said = [list(draw.choice(list("abcd"), draw.integers(1, 9))) for _ in range(40)]
    heard = [list(draw.choice(list("abcd"), draw.integers(1, 9))) for _ in range(40)]
    pairs = [pair for sides in zip(said, heard, strict=True) for pair in transcripts._aligned(*sides)]
    expected = jiwer.process_words(list(map(" ".join, said)), list(map(" ".join, heard)))
    wrong = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(wrong) == expected.substitutions + expected.insertions + expected.deletions


def test_of_alignments_with_the_fewest_errors_the_one_with_most_substitutions_counts():
    # Two errors both ways: two substitutions, or a deletion and an insertion.
    assert list(transcripts._aligned(["a", "b"], ["b", "a"])) == [("a", "b"), ("b", "a")]


def test_items_that_are_too_long_are_counted_and_not_aligned(monkeypatch):
    monkeypatch.setattr(transcripts, "LARGEST", 10)
    said, heard = [[["a", "b"]], [["a"] * 9]], [["a", "c"], ["b"] * 9]
    markup = section({"kind": "transcripts"}, {"transcript": said}, {"transcript": heard})
    assert "Of the 2 items with errors, 1 are counted here; the others are too long." in markup
    assert tables(markup)["Most frequent errors"][1:] == [["b → c", "1"]]
