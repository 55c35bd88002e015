"""MERLion CCS, Task 2, end to end: worked scores, every refusal, the built bundles, the starting kit."""

import importlib.util
import io
import random
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.references import load_reference
from bundling.rehearsal import rehearse
from sample_data import merlion as sample
from spokeneval.submissions import merlion_diarization as reader
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from tests.support import ROOT, run_program, run_score, write_files

TASK = "merlion_diarization"
KEYS = [
    "der",
    "english_error",
    "mandarin_error",
    "miss",
    "false_alarm",
    "language_error",
    "lder_script",
    "english_error_script",
    "mandarin_error_script",
]


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
GAPPED = "x_1.wav,500,4600\nx_1.wav,5200,10000\n"


def score(folder, gold, regions, submission):
    return run_score(TASK, folder, {"labels.csv": gold, "regions.csv": regions}, submission)


def read(folder, files, ids=("x_1",)):
    write_files(folder, files)
    return reader.read_submission(list_files(folder), reader.Items(ids))


def test_the_worked_example(tmp_path):
    run = score(tmp_path, GOLD, WHOLE, {"x_1.txt": TURNS})
    assert run.status == 0, run.stderr
    # Of 6.5 s: miss 1.7, false alarm .4, language error .5. English misses 1.4 of 4.0, Mandarin .8 of 2.5 (published);
    # in the script's sense, English also claims 3000-3200 and 8000-8500, Mandarin 9000-9200: 2.1 of 4.0, 1.0 of 2.5.
    expected = [40, 35, 32, 170 / 6.5, 40 / 6.5, 50 / 6.5, 310 / 6.5, 52.5, 40]
    assert list(run.scores)[: len(KEYS)] == KEYS
    np.testing.assert_allclose([run.scores[key] for key in KEYS], expected, rtol=0, atol=1e-12)


def test_the_worked_example_with_two_regions(tmp_path):
    run = score(tmp_path, GOLD, GAPPED, {"x_1.txt": TURNS})
    # Without 4600-5200 there is 1.0 s less of reference (English .6, Mandarin .4), and .4 s less of miss (4600-5000,
    # where the hypothesis has one language of two): (2.6 - .4) / 5.5.
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
    assert [run.scores[key] for key in KEYS] == [100, 100, 100, 100, 0, 0, 100, 100, 100]
    # y: 1 s right, 500 ms in the other language not scored, 500 ms of noise and 1 s of silence falsely claimed; z has
    # no label, so that its 250 ms are a false alarm: (6.5 + 1.5 + .25) / 7.5.
    run = score(
        tmp_path, gold, regions, {"x_1.txt": "", "y_1.txt": "0 9999 English", "z_1.txt": "0 250 Mandarin"}
    )
    assert run.scores["der"] == pytest.approx(100 * 8.25 / 7.5, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "turns",
    [
        "".join(reversed(TURNS.splitlines(keepends=True))),
        TURNS.replace(" ", "\t"),
        "\ufeff" + TURNS.replace("\n", "\r\n").rstrip(),
        TURNS.replace("8000 8500", "8000.0 +8.5e3"),
        TURNS + "\n \n8000 8500 English\n8100 8200 English\n",
        TURNS.replace(
            "1200 3200 English", "1200 2000 English\n2000 2000.0001 English\n2000.0001 3200 English"
        ),
        TURNS.replace("1200 3200 English", "1200 2500 English\n1500 3200 English"),
    ],
    ids=[
        "unsorted",
        "tabs",
        "BOM, CRLF",
        "decimals",
        "twice",
        "touching, under a millisecond",
        "overlapping",
    ],
)
def test_harmless_variations_score_the_same(tmp_path, turns):
    run = score(tmp_path, GOLD, WHOLE, {"x_1.txt": turns})
    assert run.status == 0, run.stderr
    assert run.scores["der"] == pytest.approx(40, rel=0, abs=1e-9)


def frames(spans, length):
    """Whether a language is spoken in each millisecond."""
    spoken = np.zeros(length, bool)
    for start, end in spans:
        spoken[start:end] = True
    return spoken


def test_random_files_against_millisecond_frames(tmp_path):
    # A plain count over frames of 1 ms, independent of any interval arithmetic, from the files to the rates.
    spec = importlib.util.spec_from_file_location("score", ROOT / "scoring_program" / TASK / "score.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    rng = random.Random(3)
    compared = 0
    for case in range(150):
        folder = tmp_path / str(case)
        gold, regions, totals = labels("none"), "", np.zeros(4)
        spoken = np.zeros(2)
        for name in ("b_1", "a_2", "c.d_3")[: rng.choice([1, 2, 3])]:
            segments = []
            for _ in range(rng.randint(2, 7)):
                start = rng.randrange(90)
                tag = rng.choice(["English", "Mandarin", "Non-Speech", "Non-Evaluated-Speech"])
                segments.append((start, start + rng.randint(1, 30), tag))
            segments += [(10, 20, "English"), (12, 24, "Mandarin")]
            gold += label_rows(name, *segments)
            cut = rng.randint(25, 60)
            spans = [(rng.randrange(10), cut), (cut + rng.randrange(9), 100)][: rng.choice([1, 2])]
            regions += "".join(f"{name}.wav,{start},{end}\n" for start, end in spans)
            turns = [
                (start, start + rng.randint(1, 40), rng.choice(reader.LANGUAGES))
                for start in (rng.randrange(100) for _ in range(rng.randint(0, 6)))
            ]
            write_files(folder / "res", {f"{name}.txt": "".join(f"{s} {e} {t}\n" for s, e, t in turns)})
            scored = frames(spans, 150) & ~frames(
                [s[:2] for s in segments if s[2] == "Non-Evaluated-Speech"], 150
            )
            r, h = (
                np.array(
                    [frames([s[:2] for s in side if s[2] == tag], 150) & scored for tag in reader.LANGUAGES]
                )
                for side in (segments, turns)
            )
            n_r, n_h, common = r.sum(axis=0), h.sum(axis=0), (r & h).sum(axis=0)
            totals += [
                np.maximum(0, n_r - n_h).sum(),
                np.maximum(0, n_h - n_r).sum(),
                (np.minimum(n_r, n_h) - common).sum(),
                (r != h).sum(),
            ]
            spoken += r.sum(axis=1)
        if not spoken.all():
            continue
        write_files(folder / "ref", {"labels.csv": gold, "regions.csv": regions})
        reference = reader.read_reference(folder / "ref")
        submission = reader.read_submission(list_files(folder / "res"), reference.items)
        scores = program.evaluate(reference, submission, None)
        rates = 100 * totals / spoken.sum()
        compared += 1
        found = [scores[key] for key in ("miss", "false_alarm", "language_error", "lder_script", "der")]
        np.testing.assert_allclose(found, [*rates, rates[:3].sum()], rtol=0, atol=1e-9)
    assert compared > 100


# Every refusal: the file, the code of the first problem, its line, words of its message.
BAD_FILES = {
    "unknown language": (
        "1 2 English\n3 4 Malay\n",
        "unknown_language",
        2,
        "'Malay'; expected 'English' or 'Mandarin'",
    ),
    "small letters": ("1 2 english\n", "unknown_language", 1, "'english'"),
    "end before start": ("5 4 English\n", "empty_span", 1, "end 4 is not after start 5"),
    "no length": ("5 5.0 English\n", "empty_span", 1, "end 5.0 is not after start 5"),
    "negative": ("-1 5 English\n", "negative_time", 1, "start -1"),
    "absurd": ("1 1000000000.5 English\n", "absurd_time", 1, "eleven days; expected milliseconds"),
    "infinite": ("1 inf English\n", "bad_time", 1, "end 'inf'; expected a finite decimal number"),
    "not a number": ("nan 5 English\n", "bad_time", 1, "start 'nan'"),
    "comma": ("1,5 5 English\n", "bad_time", 1, "a decimal point, not a comma"),
    "overflow": ("1 1e999 English\n", "bad_time", 1, "'1e999'"),
    "two fields": ("1 2 English\n1 English\n", "wrong_field_count", 2, "2 fields; expected 3"),
    "rttm": (
        "SPEAKER x 1 0.5 2.0 <NA> <NA> English <NA> <NA>\n",
        "wrong_field_count",
        1,
        "start, end, language",
    ),
    "swapped fields": ("English 1 2\n", "bad_time", 1, "start 'English'"),
    "Latin-1": ("1 2 English \xe9\n".encode("latin-1"), "not_utf8", 1, "0xe9"),
    "NUL": ("1 2 English\n\0", "nul_byte", 2, "NUL"),
    "far too large": ("1 2 English\n" * 200_000, "file_too_large", None, "larger than"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_its_line(tmp_path, case):
    content, code, line, words = BAD_FILES[case]
    with pytest.raises(SubmissionError) as refusal:
        read(tmp_path, {"x_1.txt": content})
    problem = refusal.value.problems[0]
    assert (problem.code, problem.file, problem.line) == (code, "x_1.txt", line)
    assert words in problem.message


def test_all_problems_of_all_files_are_told_at_once(tmp_path):
    with pytest.raises(SubmissionError) as refusal:
        read(
            tmp_path,
            {"x_1.txt": "2 1 English\n1 2 3 4\n-1 2 Hokkien\n", "y_1.txt": "a b Mandarin\n"},
            ("x_1", "y_1", "z_1"),
        )
    found = sorted((problem.file, problem.line or 0, problem.code) for problem in refusal.value.problems)
    assert found == [
        ("x_1.txt", 1, "empty_span"),
        ("x_1.txt", 2, "wrong_field_count"),
        ("x_1.txt", 3, "negative_time"),
        ("x_1.txt", 3, "unknown_language"),
        ("y_1.txt", 1, "bad_time"),
        ("y_1.txt", 1, "bad_time"),
        ("z_1.txt", 0, "missing_file"),
    ]


BAD_FOLDERS = {
    "a recording missing": ({"x_1.txt": TURNS}, "missing_file", "y_1.txt", "is missing"),
    "a recording more": (
        {"x_1.txt": TURNS, "y_1.txt": "", "z_1.txt": ""},
        "unexpected_file",
        "z_1.txt",
        "2 files expected",
    ),
    "wav.txt": (
        {"x_1.txt": TURNS, "y_1.wav.txt": ""},
        "missing_file",
        "y_1.txt",
        "y_1.wav.txt is there: rename it",
    ),
    "rttm": (
        {"x_1.txt": TURNS, "y_1.rttm": ""},
        "missing_file",
        "y_1.txt",
        "y_1.rttm is there: write its turns",
    ),
    "capital": ({"x_1.txt": TURNS, "Y_1.TXT": ""}, "missing_file", "y_1.txt", "Y_1.TXT is there: rename it"),
    "nothing": ({}, "missing_file", "x_1.txt", "the submission is empty"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_a_bad_folder_is_refused_by_both_programs(tmp_path, case):
    files, code, file, words = BAD_FOLDERS[case]
    gold = GOLD + label_rows("y_1", (0, 1000, "English"))
    run = score(tmp_path, gold, WHOLE + "y_1.wav,0,2000\n", files)
    assert (run.status, run.scores) == (1, None)
    assert words in run.stderr
    with pytest.raises(SubmissionError) as refusal:
        read(tmp_path / "input/res", {}, ("x_1", "y_1"))
    assert (refusal.value.problems[0].code, refusal.value.problems[0].file) == (code, file)
    write_files(tmp_path / "public", reader.public_items(reader.read_reference(tmp_path / "input/ref"), {}))
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "public", tmp_path / "input/res", tmp_path / "ingested")
    assert (done.returncode, done.stderr) == (1, run.stderr)


# What stops the build: labels, regions, the code, its file and line.
REFERENCES = {
    "no region": (
        GOLD + label_rows("y_1", (0, 1000, "English")),
        WHOLE,
        "no_region",
        "labels.csv",
        7,
    ),
    "overlapping regions": (GOLD, WHOLE + "x_1.wav,9000,12000\n", "overlapping_regions", "regions.csv", 3),
    "a region in a region": (
        GOLD,
        "x_1.wav,2000,3000\n" + WHOLE.splitlines()[1],
        "overlapping_regions",
        "regions.csv",
        1,
    ),
    "a region twice": (GOLD, GAPPED + GAPPED, "overlapping_regions", "regions.csv", 3),
    "a region's end before its start": (
        GOLD,
        WHOLE.replace("500,10000", "10000,500"),
        "empty_span",
        "regions.csv",
        2,
    ),
    "a region's time": (GOLD, WHOLE.replace("500", "half"), "bad_time", "regions.csv", 2),
    "a region without name": (GOLD, WHOLE.replace("x_1.wav", ""), "unusable_name", "regions.csv", 2),
    "another header": (GOLD, WHOLE.replace("start", "from"), "missing_column", "regions.csv", 1),
    "no regions": (GOLD, "", "empty_file", "regions.csv", None),
    "an unknown tag": (GOLD.replace("Mandarin", "Malay", 1), WHOLE, "unknown_value", "labels.csv", 3),
    "an utterance twice": (GOLD.replace(",a2,", ",a1,"), WHOLE, "duplicate_utterance", "labels.csv", 3),
    "only English is evaluated": (GOLD, "x_1.wav,500,3400\n", "one_language", "labels.csv", None),
    "Mandarin under another language": (
        GOLD + "x_1.wav,a9,3000,9500,6500,Non-Evaluated-Speech\n",
        WHOLE,
        "one_language",
        "labels.csv",
        None,
    ),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_is_refused_with_its_row(tmp_path, case):
    gold, regions, code, file, line = REFERENCES[case]
    write_files(tmp_path, {"labels.csv": gold, "regions.csv": regions})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path)
    problem = refusal.value.problems[0]
    assert (problem.code, problem.file, problem.line) == (code, file, line)


@pytest.mark.parametrize(
    "regions",
    [
        GAPPED,
        "audio_name,start,end\n" + GAPPED,
        "\ufeffAudio_Name,Start,End\r\n" + GAPPED.replace("\n", "\r\n"),
        GAPPED.replace(".wav", "").replace("500", "500.0"),
    ],
    ids=["no header", "header", "BOM, CRLF, capitals", "no extension, decimals"],
)
def test_regions_drop_in_unchanged(tmp_path, regions):
    write_files(tmp_path, {"labels.csv": GOLD, "regions.csv": regions})
    reference = reader.read_reference(tmp_path)
    assert [spans.tolist() for spans in reference.regions] == [[[500, 4600], [5200, 10000]]]


@pytest.mark.parametrize("header", [False, True])
def test_regions_as_the_official_excel_sheet(tmp_path, header):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [["audio_name", "start", "end"]] * header + [
        ["x_1.wav", 500, 4600],
        ["x_1.wav", 5200.0, 10000],
    ]:
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    write_files(tmp_path, {"labels.csv": GOLD, "regions.xlsx": content.getvalue()})
    loaded = load_reference(TASK, "evaluation", tmp_path, {})
    write_files(tmp_path / "loaded", loaded.files)
    reference = reader.read_reference(tmp_path / "loaded")
    assert [spans.tolist() for spans in reference.regions] == [[[500, 4600], [5200, 10000]]]


def test_the_public_list_has_names_and_nothing_else(tmp_path):
    gold = GOLD.replace("x_1", "y_1") + label_rows("x_1", (0, 1000, "English"))
    write_files(tmp_path, {"labels.csv": gold, "regions.csv": "y_1,0,9999\nx_1,0,5\nw_1.wav,0,7\n"})
    reference = reader.read_reference(tmp_path)
    assert reader.public_items(reference, {}) == {
        "recordings.csv": b"audio_name\nw_1.wav\nx_1.wav\ny_1.wav\n"
    }
    write_files(tmp_path / "input", reader.public_items(reference, {}))
    assert reader.read_items(tmp_path / "input") == reference.items == reader.Items(("w_1", "x_1", "y_1"))
    assert reference.turns[0].english.shape == (0, 2)
    assert reference.turns[2].mandarin.tolist() == [[3500, 5000], [8000, 9000]]


BUNDLES = ["merlion_diarization_closed", "merlion_diarization_open"]


@pytest.fixture(scope="module")
def planned():
    return plan(ROOT, BUNDLES, {})


def test_perfect_baseline_and_random_rank_in_that_order_on_both_platforms(tmp_path, planned):
    parts = planned.parts[TASK]
    tables = sample.generate("small", "evaluation", 2302)
    submissions = {"baseline": parts.solutions["evaluation"]}
    for quality in ("perfect", "random"):
        sample.write_diarization(tables, sample.diarization_turns(tables, quality, 1), tmp_path / quality)
        submissions[quality] = {path.name: path.read_bytes() for path in (tmp_path / quality).iterdir()}
    for built in write(ROOT, planned, ["codabench", "codalab"], tmp_path):
        assert built.findings == ()
        assert built.bundle.columns[0].direction == "lower"
        if built.bundle.name.endswith("open") == (built.platform == "codabench"):
            continue  # tracks do not differ in scoring: one on each platform is rehearsed
        der = {}
        for name, files in submissions.items():
            (tmp_path / "submission.zip").write_bytes(make_zip(files))
            done = rehearse(built.path, tmp_path / "submission.zip")
            assert done.status == "Finished", str(done)
            der[name] = done.scores["der"]
        assert sorted(der, key=der.__getitem__) == ["perfect", "baseline", "random"]
        assert der["perfect"] == 0


def test_a_participant_tries_a_submission_and_gets_a_zip(tmp_path, planned):
    kit = write_files(tmp_path / "kit", planned.parts[TASK].starting_kit)

    def run(*command):
        return subprocess.run([sys.executable, *command], cwd=kit, capture_output=True, text=True)

    assert run("baseline.py", "development", "out").returncode == 0
    done = run("try_submission.py", "out")
    assert done.returncode == 0, done.stderr
    assert "der " in done.stdout
    assert len(zipfile.ZipFile(kit / "submission.zip").namelist()) == 8
    done = run("try_submission.py", "--set", "evaluation", "out")
    assert done.returncode == 1
    assert "is missing" in done.stderr
