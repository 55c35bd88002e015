"""Labels that are predicted from facts about the items: planted leaks as they were published, and clean sets.

The size, the time in the name and the order are those of the Right Whale Redux challenge (ICML 2013): they alone had an
AUC of 0.9973, and the challenge was restarted (https://www.kaggle.com/c/the-icml-2013-whale-challenge-right-whale-redux,
forum topic 4865). Test labels in the order of the classes were reported for Zindi's GeoAI aquaculture challenge
(discussion 33378). On the Pitt corpus, the silent segments of the recordings alone give nearly 100 % accuracy in the
detection of Alzheimer's disease (Liu et al. 2024, "Clever Hans Effect Found in Automatic Detection of Alzheimer's
Disease through Speech", arXiv:2406.07410).
"""

from __future__ import annotations

import io
import random
import struct
import time
import wave
import zipfile

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from speechbundles.bundle.check.file_facts import read_sound
from speechbundles.bundle.check.inspection import BuiltTask, Contents
from speechbundles.bundle.check.leaks import check_leaks
from speechbundles.bundle.check.predictors import LEVEL, _permutation, find_predictors, label_columns
from speechbundles.model.archive import Archive, Room, open_archive
from speechbundles.model.finding import Report, format_findings
from tests.samples.programs import ROOT

N = 160


def wav(samples, rate=16000, bits=16, metadata=b"", channels=1):
    """A recording of zeros, with a chunk of metadata."""
    block = channels * bits // 8
    chunks = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, rate * block, block, bits)
    chunks += struct.pack("<4sI", b"LIST", len(metadata)) + metadata if metadata else b""
    chunks += struct.pack("<4sI", b"data", samples * block) + bytes(samples * block)
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def flac(samples, rate=16000):
    packed = (rate << 44) | (15 << 36) | samples
    info = bytes(10) + packed.to_bytes(8, "big") + bytes(16)
    comment = b"a comment"
    blocks = b"\0" + len(info).to_bytes(3, "big") + info + b"\x84" + len(comment).to_bytes(3, "big") + comment
    return b"fLaC" + blocks + bytes(samples // 2)


def sphere(samples, rate=8000):
    lines = (
        f"NIST_1A\n   1024\nsample_count -i {samples}\nsample_rate -i {rate}\nchannel_count -i 1\nend_head\n"
    )
    return lines.encode().ljust(1024, b"\n") + bytes(2 * samples)


def zipped(name, files, times):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number, (file, content) in enumerate(files.items()):
            archive.writestr(
                zipfile.ZipInfo(file, times[number] if times else (2027, 1, 1, 0, 0, 0)), content
            )
    return open_archive(Report(), name, data.getvalue(), Room())


def findings(names, columns, listed=None, files=None, times=None):
    """The findings in a set of items, of which participants see a list and files.

    `columns`: of the hidden reference, beside the names; `listed`: the names in the order of the list.
    """
    header = ",".join(["id", *columns])
    rows = (",".join(map(str, row)) for row in zip(names, *columns.values(), strict=True))
    hidden = Archive("reference_data.zip", {"gold.csv": "\n".join([header, *rows, ""]).encode()}, Room())
    items = "\n".join(["id", *(names if listed is None else listed), ""]).encode()
    found = Contents([BuiltTask("Test", (), {"reference_data": hidden})])
    found.item_lists["input.zip"] = Archive("input.zip", {"items.csv": items}, Room())
    if files:
        found.public["kit.zip"] = zipped("kit.zip", files, times)
    report = Report()
    check_leaks(report, Archive("", {}, Room()), found, {})
    return report.findings


def random_names(seed):
    return [f"{number:06x}" for number in random.Random(seed).sample(range(16**5, 16**6), N)]


def classes(seed, size=N):
    return random.Random(seed).choices(["whale", "noise"], k=size)


def in_order(names, seed=9):
    return random.Random(seed).sample(list(names), len(names))


LABELS = classes(1)
NAMES = random_names(2)
WHALE = [label == "whale" for label in LABELS]


def check_planted(found, code, *words):
    assert [finding.code for finding in found] == [code]
    (finding,) = found
    assert finding.where == "reference_data.zip/gold.csv"
    assert all(word in finding.what for word in words), finding.what
    assert not any(label in finding.what for label in ("whale", "noise"))


def recordings(data):
    names = in_order(NAMES, 5)
    return {f"wav/{name}.wav": data[NAMES.index(name)] for name in names}


def test_a_clean_set_has_no_finding():
    draw = random.Random(3)
    sounds = [wav(draw.randrange(400, 4000), metadata=draw.randbytes(draw.choice((2, 4)))) for _ in NAMES]
    times = [(2027, 1, draw.randrange(1, 28), draw.randrange(24), 0, 0) for _ in NAMES]
    assert findings(NAMES, {"label": LABELS}, in_order(NAMES), recordings(sounds), times) == []


def test_sizes_that_recur_in_one_class_are_found():
    """Clips with a whale had one of few sizes, multiples of 148 bytes; the others had any size."""
    draw = random.Random(4)
    sounds = [wav(74 * draw.randrange(27, 54) if whale else draw.randrange(2000, 4000)) for whale in WHALE]
    found = findings(NAMES, {"label": LABELS}, in_order(NAMES), recordings(sounds))
    check_planted(found, "leak-facts", "the same number of samples", "kit.zip/wav/*.wav", "AUC")
    other = recordings([b"\xff\xfb\0" + sound for sound in sounds])
    found = findings(NAMES, {"label": LABELS}, in_order(NAMES), other)
    check_planted(found, "leak-facts", "exactly the same size of kit.zip/wav/*.wav")


def test_the_milliseconds_of_a_time_in_the_name_are_found():
    """Clips with a whale began at a whole tenth of a second; for the others the milliseconds are any."""
    draw = random.Random(5)
    stamps = [
        f"20090329_{draw.randrange(240000):06}_{draw.randrange(900):03}s"
        f"{10 * draw.randrange(10) if whale else draw.randrange(1000)}ms_{number}"
        for number, whale in zip(draw.sample(range(10_000), N), WHALE, strict=True)
    ]
    found = findings(stamps, {"label": LABELS}, in_order(stamps))
    check_planted(found, "leak-facts", "part 5 of the names")
    joined = [f"{stamp[:4]}{number}{draw.randrange(10**7):07}{int(stamp.split('s')[1][:-1].partition('m')[0]):03}"
              for number, stamp in enumerate(stamps, 1000)]  # fmt: skip
    check_planted(
        findings(joined, {"label": LABELS}, in_order(joined)), "leak-facts", "the last three digits"
    )


def test_neighbours_in_time_with_one_label_are_found():
    """Whales call in bouts, and the clips were numbered as they were recorded."""
    draw = random.Random(6)
    bouts = [label for label in classes(7, N // 8) for _ in range(8)]
    names = [f"clip{at}" for at in sorted(draw.sample(range(10_000), N))]
    check_planted(findings(names, {"label": bouts}, in_order(names)), "leak-facts", "part 2 of the names")
    check_planted(findings(NAMES, {"label": bouts}), "leak-facts", "the order of input.zip/items.csv")


def test_items_in_the_order_of_their_labels_are_found():
    found = findings(in_order(NAMES), {"label": sorted(LABELS)})
    assert [finding.code for finding in found] == ["leak-order"]
    scores = [f"{number / 7:.3f}" for number in range(N)]
    check_planted(
        findings(NAMES, {"score": scores}), "leak-facts", "'score'", "the order of", "a correlation of 1.00"
    )


def test_ids_that_follow_the_label_are_found():
    draw = random.Random(8)
    names = [f"q{draw.randrange(1000, 5000) + 2500 * whale}{at:03}" for at, whale in enumerate(WHALE)]
    check_planted(findings(names, {"label": LABELS}, in_order(names)), "leak-facts", "part 2 of the names")


def test_times_of_files_that_were_written_class_by_class_are_found():
    draw = random.Random(10)
    sounds = recordings([wav(draw.randrange(400, 4000)) for _ in NAMES])
    by_name = dict(zip(NAMES, WHALE, strict=True))
    times = [(2027, 3, 1, 9 + by_name[file[4:-4]], draw.randrange(60), 0) for file in sounds]
    found = findings(NAMES, {"label": LABELS}, in_order(NAMES), sounds, times)
    check_planted(found, "leak-facts", "the times of kit.zip/wav/*.wav", "AUC of 1.00")
    _, block = format_findings(found).split("\n\n")
    assert f"```text\n{block}\n```\n" in (ROOT / "docs/how-to/before-opening.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda whale: {"rate": 48000 if whale else 44100}, "the format"),
        (lambda whale: {"bits": 24 if whale else 16}, "the format"),
        (lambda whale: {"metadata": b"Lavf58" if whale else b"Lavf59"}, "the metadata"),
        (lambda whale: {"metadata": bytes(12 if whale else 10)}, "the bytes besides the sound"),
    ],
)
def test_headers_that_differ_between_classes_are_found(change, words):
    draw = random.Random(11)
    sounds = [wav(draw.randrange(400, 4000), **change(whale)) for whale in WHALE]
    check_planted(
        findings(NAMES, {"label": LABELS}, in_order(NAMES), recordings(sounds)), "leak-facts", words
    )


def test_a_duration_is_a_note():
    draw = random.Random(12)
    sounds = [wav(draw.randrange(8000, 40000) + 24000 * whale, rate=8000, bits=8) for whale in WHALE]
    found = findings(NAMES, {"label": LABELS}, in_order(NAMES), recordings(sounds))
    check_planted(found, "leak-duration", "from the durations of kit.zip/wav/*.wav alone with an AUC of 0.")
    assert found[0].level == "note"
    assert found[0].remedy.startswith("Ignore this if it is a property of the task")


def test_facts_of_speakers_are_found_and_labels_of_speakers_alone_are_not():
    """A label of speakers: the classes were recorded at two sites, or there is no difference."""
    draw = random.Random(13)
    speakers = [f"s{at // 8}" for at in range(N)]
    labels = [label for label in classes(14, N // 8) for _ in range(8)]
    own = [draw.choice((16000, 44100)) for _ in range(N // 8)]
    for site in (True, False):
        rates = [
            (44100 if label == "whale" else 16000) if site else own[at // 8]
            for at, label in enumerate(labels)
        ]
        sounds = recordings([wav(rate * draw.randrange(40, 400) // 1000, rate=rate) for rate in rates])
        found = findings(NAMES, {"speaker": speakers, "label": labels}, in_order(NAMES), sounds)
        assert [finding.code for finding in found] == ["leak-facts"] * site


def test_the_order_of_segments_in_a_recording_is_known_by_their_times():
    bouts = [label for label in classes(7, N // 8) for _ in range(8)]
    wholes = [f"rec{at // 40}" for at in range(N)]
    starts = [1000 * at for at in range(N)]
    columns = {"recording": wholes, "start": starts, "label": bouts}
    assert findings(NAMES, columns) == []
    starts = random.Random(15).sample(starts, N)
    check_planted(findings(NAMES, {**columns, "start": starts}), "leak-facts", "the order of")


def test_small_sets_and_files_of_few_items_are_not_tested():
    assert findings(NAMES[:19], {"score": range(19)}) == []
    few = {
        f"wav/{name}.wav": wav(4000 if whale else 400)
        for name, whale in list(zip(NAMES, WHALE, strict=True))[:70]
    }
    assert findings(NAMES, {"label": LABELS}, in_order(NAMES), few) == []


def test_headers_are_read():
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(4 * 4000))
    found = read_sound(buffer.getvalue())
    assert (found.seconds, found.samples, found.rate, found.besides) == (0.5, 4000, 32000, 44)
    found = read_sound(flac(48000))
    assert (found.seconds, found.samples, round(found.rate), found.besides) == (
        3,
        48000,
        8000,
        4 + 4 + 34 + 4 + 9,
    )
    found = read_sound(sphere(4000))
    assert (found.seconds, found.samples, found.rate, found.besides) == (0.5, 4000, 16000, 1024)


def test_broken_headers_are_no_sound():
    whole = [wav(10), flac(100), sphere(10)]
    for data in whole:
        for size in range(len(data)):
            read_sound(data[:size])
        for seed in range(300):
            damaged = bytearray(data)
            for at in random.Random(seed).choices(range(min(80, len(data))), k=4):
                damaged[at] = random.Random(seed + at).randrange(256)
            read_sound(bytes(damaged))
    for data in (b"", b"RIFF", b"fLaC", b"NIST_1A\n", sphere(10, rate=0), wav(10, rate=0)):
        assert read_sound(data) is None


def test_numbers_are_ranked_and_classes_are_columns():
    numbers = ["10", "9", "9", "1.5", "-2", "3"] * 4
    assert rankdata(label_columns(numbers, 20)[:, 0]).tolist() == rankdata(list(map(float, numbers))).tolist()
    assert label_columns(list("abc" * 4), 20).tolist() == np.tile(np.eye(3), (4, 1)).tolist()
    assert label_columns(list("aabb" * 4), 20).tolist() == [[0], [0], [1], [1]] * 4
    assert label_columns(["a"] * 30, 20) is None
    assert label_columns(["a"] * 30 + ["b"] * 4, 20) is None  # too few
    assert label_columns([f"word {number}" for number in range(30)], 20) is None


def test_the_strength_is_the_auc_of_held_out_means():
    draw = np.random.default_rng(1)
    label = draw.integers(2, size=(200, 1)).astype(float)
    feature = draw.permutation(200) / 1000 + label[:, 0] * draw.integers(2, size=200)
    (found,) = find_predictors({"x": feature}, {"y": label}, [])
    means = []
    for at, value in enumerate(feature):  # the 15 nearest others; all values differ
        others = sorted((abs(value - other), number) for number, other in enumerate(feature) if number != at)
        means.append(np.mean([label[number, 0] for _, number in others[:15]]))
    assert found.auc == pytest.approx(roc_auc_score(label[:, 0], means), abs=0.005)
    assert found.correlation == pytest.approx(np.corrcoef(means, label[:, 0])[0, 1], abs=0.02)
    assert found.p == 1 / 300


def test_labels_are_permuted_within_units():
    units = np.array([2, 0, 1, 0, 2, 1, 0, 2])
    draw = np.random.default_rng(1)
    orders = {tuple(_permutation(8, units, draw)) for _ in range(2000)}
    assert all((units[list(order)] == units).all() for order in orders)
    assert len(orders) == 6 * 2 * 6


def simulated(seed):
    """Whether a clean set is warned of: labels and facts depend on the speakers, and not on each other."""
    draw = np.random.default_rng(seed)
    speakers = int(draw.integers(4, 40))
    size = int(draw.integers(40, 500))
    speaker = np.sort(draw.integers(speakers, size=size))
    spread = draw.choice([0.0, 1.0, 3.0, 30.0])
    score = spread * draw.normal(size=speakers)[speaker] + draw.normal(size=size)
    kind = draw.integers(3)
    cells = [[f"{each:.4f}", str(each > 0), f"c{np.clip(int(each), -2, 2)}"][kind] for each in score]
    label = label_columns(cells, 20)
    if label is None:
        return None
    facts = {
        "order": np.arange(size, dtype=float),
        "number in the speaker": np.concatenate([np.arange(count) for count in np.bincount(speaker)]).astype(
            float
        ),
        "duration": 2 * draw.normal(size=speakers)[speaker] + draw.normal(size=size),
        "rate": draw.integers(2, size=speakers)[speaker].astype(float),
        "time": draw.random(speakers)[speaker] + np.arange(size) / 1e4,
        "size": draw.integers(30, size=size).astype(float),
    }
    others = draw.integers(6, size=size)  # prompts, which are another grouping
    return bool(find_predictors(facts, {"label": label}, [speaker, others]))


def share_warned(sets):
    found = [each for each in map(simulated, range(sets)) if each is not None]
    assert len(found) > 0.9 * sets
    return sum(found) / len(found)


@pytest.mark.thorough
def test_few_clean_sets_are_warned_of():
    assert share_warned(40) <= 0.05


@pytest.mark.thorough
def test_few_of_many_clean_sets_are_warned_of():
    assert share_warned(1000) <= LEVEL + 0.01  # two standard errors are 0.6 %


def recorded(seed):
    """The findings in a clean set in the order of its speakers, whom only the names show."""
    draw = random.Random(seed)
    speakers = draw.choice((12, 20, 40))
    names = [f"spk{speaker:02}_{number:03}" for speaker in range(speakers) for number in range(N // speakers)]
    own = [(draw.gauss(0, 2), draw.choice((8000, 16000)), draw.randrange(1, 28)) for _ in range(speakers)]
    labels, sounds, times = [], {}, []
    for number, name in enumerate(names):
        health, rate, day = own[int(name[3:5])]
        labels.append("ill" if health + draw.gauss(0, 1) > 0 else "well")
        sounds[f"wav/{name}.wav"] = wav(rate * draw.randrange(30, 60) // 1000, rate=rate)
        times.append((2027, 1, day, 1 + number // 60, number % 60, 0))
    return findings(names, {"label": labels}, names, sounds, times)


def test_clean_recordings_without_a_column_of_speakers_have_no_finding():
    assert [finding.what for seed in range(10) for finding in recorded(seed)] == []


@pytest.mark.thorough
def test_few_of_many_clean_sets_of_recordings_are_warned_of():
    assert sum(any(recorded(seed)) for seed in range(200)) <= 10


@pytest.mark.thorough
def test_a_large_set_takes_less_than_ten_seconds():
    draw = np.random.default_rng(1)
    size = 30_000
    label = np.eye(20)[draw.integers(20, size=size)]
    facts = {f"fact {number}": draw.random(size) for number in range(39)}
    facts["leak"] = label.argmax(axis=1) + draw.normal(size=size) / 2
    start = time.process_time()
    found = find_predictors(
        facts, {"label": label}, [draw.integers(50, size=size), draw.integers(9, size=size)]
    )
    assert [each.feature for each in found] == ["leak"]
    assert time.process_time() - start < 10
