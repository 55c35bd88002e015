"""Facts about files and names that predict hidden labels."""

from __future__ import annotations

import io
import random
import struct
import wave
import zipfile

import pytest

from speechbundles.bundle.check.file_facts import read_sound
from speechbundles.bundle.check.inspection import BuiltTask, Contents
from speechbundles.bundle.check.leaks import check_leaks
from speechbundles.model.archive import Archive, Room, open_archive
from speechbundles.model.finding import Report, format_findings
from tests.samples.programs import ROOT, packed

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
    facts = f"sample_count -i {samples}\nsample_rate -i {rate}\nchannel_count -i 1\nend_head\n"
    return f"NIST_1A\n   1024\n{facts}".encode().ljust(1024, b"\n") + bytes(2 * samples)


def zipped(name, files, times):
    times = times or [(2027, 1, 1, 0, 0, 0)] * len(files)
    dated = [zipfile.ZipInfo(*each) for each in zip(files, times, strict=True)]
    return open_archive(Report(), name, packed(zip(dated, files.values(), strict=True)), Room())


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
    found = findings(joined, {"label": LABELS}, in_order(joined))
    check_planted(found, "leak-facts", "the last three digits")


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
    found = findings(NAMES, {"score": scores})
    check_planted(found, "leak-facts", "'score'", "the order of", "a correlation of 1.00")


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
    found = findings(NAMES, {"label": LABELS}, in_order(NAMES), recordings(sounds))
    check_planted(found, "leak-facts", words)


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
        at_site = {"whale": 44100, "noise": 16000}
        rates = [at_site[label] if site else own[at // 8] for at, label in enumerate(labels)]
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
    few = [
        (f"wav/{name}.wav", wav(4000 if whale else 400))
        for name, whale in zip(NAMES[:70], WHALE[:70], strict=True)
    ]
    assert findings(NAMES, {"label": LABELS}, in_order(NAMES), dict(few)) == []


def test_headers_are_read():
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setparams((2, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(4 * 4000))
    for data, expected in (
        (buffer.getvalue(), (0.5, 4000, 32000, 44)),
        (flac(48000), (3, 48000, 8000, 4 + 4 + 34 + 4 + 9)),
        (sphere(4000), (0.5, 4000, 16000, 1024)),
    ):
        found = read_sound(data)
        assert (found.seconds, found.samples, round(found.rate), found.besides) == expected


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
