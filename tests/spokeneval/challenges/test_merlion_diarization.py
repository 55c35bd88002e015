"""Tests of MERLIon CCS, Task 2: scores by hand, random files against frames, and formats of regions and turns."""

import numpy as np
import pytest

from speechbundles.competition.references import load_reference
from spokeneval.challenges.merlion_diarization import TASK
from spokeneval.formats.problems import ReferenceFileError
from tests.samples.own_tables import book
from tests.samples.programs import encoded, run_score, write_files

FORMAT = TASK.format
KEYS = [score.key for score in TASK.scores]


def labels(recording, *segments):
    text = "audio_name,utt_id,start,end,length,language_tag\n"
    return text + label_rows(recording, *segments)


def label_rows(recording, *segments):
    return "".join(
        f"{recording}.wav,a{number},{start},{end},{end - start},{tag}\n"
        for number, (start, end, tag) in enumerate(segments, 1)
    )


GOLD = labels(
    "x_1",
    (1000, 3000, "English"),
    (3500, 5000, "Mandarin"),
    (4500, 6000, "English"),
    (8000, 9000, "Mandarin"),
    (9500, 10500, "English"),
)
TURNS = """\
1200 3200 English
3500 4700 Mandarin
4700 5500 English
8000 8500 English
8500 9200 Mandarin
11000 12000 English
"""
WHOLE = "audio_name,start,end\nx_1.wav,500,10000\n"


def score(folder, gold, regions, submission):
    return run_score(TASK.name, folder, {"labels.csv": gold, "regions.csv": regions}, submission)


def test_the_worked_example(tmp_path):
    run = score(tmp_path, GOLD, WHOLE, {"x_1.txt": TURNS})
    assert run.status == 0, run.stderr
    # Of 6.5 s: miss 1.7, false alarm .4, language error .5. English misses 1.4 of 4.0, Mandarin .8 of 2.5 (published);
    # in the script's sense, English also claims 3000-3200 and 8000-8500, Mandarin 9000-9200: 2.1 of 4.0, 1.0 of 2.5.
    # Jaccard: 2.1 of the 4.7 s that are English on either side, 1.0 of the 2.7 that are Mandarin.
    jaccard = 50 * (2.1 / 4.7 + 1.0 / 2.7)
    expected = [40, 35, 32, 170 / 6.5, 40 / 6.5, 50 / 6.5, 310 / 6.5, 52.5, 40, jaccard]
    np.testing.assert_allclose([run.scores[key] for key in KEYS], expected, rtol=0, atol=1e-12)
    # Without 4600-5200, English loses 600 and Mandarin 400; of the miss, 400 go: (1300 + 400 + 500) / 5500 (published).
    two = "audio_name,start,end\nx_1.wav,500,4600\nx_1.wav,5200,10000\n"
    run = score(tmp_path / "two", GOLD, two, {"x_1.txt": TURNS})
    assert run.scores["der"] == pytest.approx(40, rel=0, abs=1e-12)


def test_languages_are_identities_and_never_mapped(tmp_path):
    perfect = "".join("{2} {3} {5}\n".format(*line.split(",")) for line in GOLD.splitlines()[1:])
    assert score(tmp_path, GOLD, WHOLE, {"x_1.txt": perfect}).scores["der"] == 0
    other = {"English": "Mandarin", "Mandarin": "English"}
    rows = [line.split() for line in perfect.splitlines()]
    mirrored = "".join(f"{start} {end} {other[tag]}\n" for start, end, tag in rows)
    run = score(tmp_path, GOLD, WHOLE, {"x_1.txt": mirrored})
    # 6.5 s of reference, .5 s of it twice in the overlap, which is right either way.
    assert run.scores["der"] == pytest.approx(100 * 5.5 / 6.5, rel=0, abs=1e-12)


def test_empty_files_miss_everything_and_recordings_are_pooled(tmp_path):
    gold = GOLD + label_rows(
        "y_1", (0, 1000, "English"), (1000, 1500, "Non-Evaluated-Speech"), (1500, 2000, "NON_SPEECH")
    )
    regions = WHOLE + "y_1.wav,0,3000\nz_1.wav,0,1000\n"
    run = score(tmp_path, gold, regions, {"x_1.txt": "", "y_1.txt": "\n", "z_1.txt": ""})
    assert [run.scores[key] for key in KEYS] == [100, 100, 100, 100, 0, 0, 100, 100, 100, 100]
    # y: 1 s right, 500 ms in the other language not scored, 500 ms of noise and 1 s of silence falsely claimed; z has
    # no label, so that its 250 ms are a false alarm: (6.5 + 1.5 + .25) / 7.5.
    run = score(
        tmp_path, gold, regions, {"x_1.txt": "", "y_1.txt": "0 9999 English", "z_1.txt": "0 250 Mandarin"}
    )
    assert run.scores["der"] == pytest.approx(100 * 8.25 / 7.5, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("english", "mandarin", "accepted"),
    [((2, 0), (9, 9), False), ((1.5, 1.5), (9, 9), True), ((9, 9), (1, 1), False), ((9, 9), (1, 1.5), True)],
)
def test_both_languages_have_more_than_a_millionth_of_the_evaluated_time(english, mandarin, accepted):
    """Two recordings, a million ms of each evaluated: more than 2 ms of either language, beside what is left out."""
    gold, regions = labels("none"), ""
    for recording, e, m in zip("xy", english, mandarin, strict=True):
        regions += f"{recording}.wav,500000,1500000\n"
        spans = [(600_000, 600_000 + e, "English"), (700_000, 700_000 + m, "Mandarin")]
        gold += label_rows(recording, *[span for span in spans if span[0] < span[1]])
        gold += f"{recording}.wav,b1,800000,800009,9,English,\n{recording}.wav,b2,800000,800009,9,Mandarin,\n"
        gold += f"{recording}.wav,b3,800000,800009,9,Non-Evaluated-Speech,\n"
    gold = gold.replace(",\n", "\n")
    files = encoded({"labels.csv": gold, "regions.csv": regions})
    if accepted:
        assert FORMAT.read_reference(files).items.ids == ("x", "y")
        return
    with pytest.raises(ReferenceFileError) as refusal:
        FORMAT.read_reference(files)
    (problem,) = refusal.value.problems
    assert problem.message.endswith("expected more than 2 ms of each")


@pytest.mark.parametrize("header", [False, True])
def test_regions_as_the_official_excel_sheet(tmp_path, header):
    rows = [["audio_name", "start", "end"], ["x_1.wav", 500, 4600], ["x_1.wav", 5200.0, 10000]]
    write_files(tmp_path, {"labels.csv": GOLD, "regions.xlsx": book(one=rows[not header :])})
    loaded = load_reference(TASK, "evaluation", tmp_path, {})
    regions = FORMAT.read_reference(loaded.files).regions
    assert [spans.tolist() for spans in loaded.parsed.labels.regions] == [spans.tolist() for spans in regions]
    assert [spans.tolist() for spans in regions] == [[[500, 4600], [5200, 10000]]]
