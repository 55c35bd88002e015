"""Columns that follow from others: numbers of words, names of segments, overlaps, times in another unit."""

import random

import pytest

from spokeneval.challenges import find_task
from tests.samples.own_tables import load, refused


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("content_accuracy", "response_id,prompt_id,speaker_id,human_score,words,transcript\n"
         "a,p,s,1,9,ja\nb,p,s,2,8,nein danke\nc,p,s,2,7,gut\n"),
        ("merlion_identification", "audio_name,utt_id,start,end,language_tag\na.wav,1,0,900,English\n"
         "a.wav,2,900,1500,Mandarin\n"),
    ],
    ids=["words are given", "no overlaps"],
)  # fmt: skip
def test_a_column_that_is_given_or_not_needed_is_not_computed(tmp_path, task, text):
    (file,) = find_task(task).format.reference_files[:1]
    assert load(tmp_path, {file: text}, task)[0].files == {file: text.encode()}


HINDI_LABELS = """audio_name,start_s,end_s,language_tag
अ.wav,0.25,1.5,English
अ.wav,1.25,2.125,Mandarin
अ.wav,2.125,3,English
ब.wav,0,1.0005,Mandarin
ब.wav,1.0005,2,Non-Speech
"""


@pytest.mark.parametrize("times", ["start_s,end_s", "tmin,tmax", "Start (sec),End (sec)"])
def test_seconds_are_converted_segments_numbered_and_overlaps_computed(tmp_path, times):
    text = HINDI_LABELS.replace("start_s,end_s", times)
    reference, logged = load(tmp_path, {"labels.csv": text}, "merlion_identification")
    assert reference.files["labels.csv"].decode().splitlines() == [
        "audio_name,utt_id,start,end,language_tag,overlap_diff_lang",
        "अ.wav,a1,250,1500,English,True",
        "अ.wav,a2,1250,2125,Mandarin,True",
        "अ.wav,a3,2125,3000,English,False",
        "ब.wav,a4,0,1000.5,Mandarin,False",
        "ब.wav,a5,1000.5,2000,Non-Speech,False",
    ]
    assert reference.items == ("अ_a3_2125_3000", "ब_a4_0_1000.5")
    assert f"{times.replace(',', ' and ')} converted to milliseconds" in logged
    assert "utt_id numbered by row" in logged
    assert "overlap_diff_lang computed from the times: 2 segments, not scored" in logged


def test_computed_overlaps_are_those_of_every_pair(tmp_path):
    draw = random.Random(27)
    rows = []
    for number in range(300):
        start = draw.randrange(0, 20_000)
        tag = draw.choice(["English", "Mandarin", "Non-Evaluated-Speech", "Non-Speech"])
        rows.append((f"r{number % 4}.wav", f"u{number}", start, start + draw.randrange(1, 300), tag))
    header = "audio_name,utt_id,start,end,language_tag\n"
    text = header + "".join(",".join(map(str, row)) + "\n" for row in rows)
    reference, _ = load(tmp_path, {"labels.csv": text}, "merlion_identification")
    spoken = {"English", "Mandarin"}

    def meet(one, other):
        return one[0] == other[0] and one[2] < other[3] and other[2] < one[3]

    expected = [any({one[4], other[4]} == spoken and meet(one, other) for other in rows) for one in rows]
    lines = reference.files["labels.csv"].decode().splitlines()[1:]
    assert [line.rpartition(",")[2] for line in lines] == list(map(str, expected))
    assert 20 < sum(expected) < 280


def test_a_bad_time_in_seconds_is_refused_in_the_organisers_words(tmp_path):
    text = HINDI_LABELS.replace("2.125,3,", "2.125,2,").replace("0.25,1.5", "0,x")
    said = refused(tmp_path, {"labels.csv": text}, "merlion_identification")
    assert "line 2    end_s (in milliseconds) 'x'; expected a finite decimal number" in said
    assert "line 4    end_s (in milliseconds) 2000 is not after start_s (in milliseconds) 2125" in said
