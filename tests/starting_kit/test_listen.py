"""The audio baselines as programs, on tones; the guide runs them through all stages (`tests/test_guides.py`)."""

import shutil
import wave

import numpy as np
import pytest

from sample_data.tones import converse, say, write_wav
from spokeneval import score
from tests.samples.programs import ROOT, run_program, write_files

KIT = ROOT / "starting_kit"
PHONES = ("AE", "B", "EH", "IY", "K", "S", "UW")


def program(tmp_path, task):
    """The folder of a task's program, and functions that run it."""
    shutil.copytree(KIT / "code/listen", tmp_path / "listen")
    shutil.copy(KIT / task / "listen.py", tmp_path / "listen/main.py")
    (tmp_path / "out").mkdir()

    def run(*words):
        done = run_program("listen/main.py", *words, cwd=tmp_path)
        return done.returncode, done.stderr.strip().rpartition("\n")[2]

    return run


def test_phones_are_learnt_and_heard_and_missing_recordings_are_left_empty(tmp_path):
    rng, run = np.random.default_rng(3), program(tmp_path, "psst_recognition")
    rows = [[f"u{n}", " ".join(rng.choice(PHONES, 5))] for n in range(40)]
    said = "".join(f"{item}\t<spn> {text}\n" for item, text in rows)
    table = f"utterance_id\ttranscript\n{said}"
    items = "\n".join(["utterance_id", *(item for item, _ in rows)])
    write_files(tmp_path, {"set/reference/utterances.tsv": table, "set/input/utterance_list.tsv": items})
    write_files(
        tmp_path,
        {"in/utterance_list.tsv": items + "\nlost\n", "reference/utterances.tsv": table + "lost\t\n"},
    )
    for place in ("set/sound", "in/sound/deep"):
        for item, text in rows:
            sound = say(rng, ["<sil>", "<spn>", *text.split(), "<sil>"], rng.uniform(0.9, 1.1))
            write_wav(rng, tmp_path / place / f"{item}.wav", sound)
    write_wav(rng, tmp_path / "others/x.wav", np.zeros(9))
    assert run("train", "set", "others")[1].startswith("No recording has labels in SET_DIR")
    assert run("in", "out") == (1, "model.npz is missing; first run main.py train SET_DIR SOUND_DIR")
    assert run("train", "set", "set/sound") == run("in", "out") == (0, "")
    result = score("psst_recognition", reference=tmp_path / "reference", submission=tmp_path / "out")
    assert result.scores["per"] < 20
    assert (tmp_path / "out/transcripts.tsv").read_text().endswith("lost\t\n")


@pytest.mark.default_cases("merlion_identification-15")
@pytest.mark.parametrize(("task", "highest"), [("merlion_identification", 15), ("merlion_diarization", 25)])
def test_two_languages_are_told_apart(tmp_path, task, highest):
    """The same answer for all has an EER of 50 % and a DER of 50 % or more here."""
    rng, run = np.random.default_rng(4), program(tmp_path, task)
    for name in ("set/reference", "reference"):
        labels, regions = [], []
        for recording in range(4):
            now = 300
            for number in range(12):
                end = now + int(rng.integers(900, 2000))
                tag = ("English", "Mandarin")[number // 3 % 2]
                labels.append(
                    {"audio_name": f"r{recording}.wav", "utt_id": f"a{number}", "language_tag": tag}
                )
                labels[-1] |= {"start": f"{now}", "end": f"{end}", "overlap_diff_lang": "False"}
                now = end + int(rng.integers(100, 900))
            regions.append(f"r{recording}.wav,0,{now}")
            spoken = [row for row in labels if row["audio_name"] == f"r{recording}.wav"]
            folder = "set" if name.startswith("set") else "in"
            sound = converse(rng, spoken, now / 1000)
            write_wav(rng, tmp_path / folder / "sound" / f"r{recording}.wav", sound)
        lines = [",".join(row.values()) for row in labels]
        text = "\n".join([",".join(labels[0]), *lines, ""])
        write_files(
            tmp_path / name,
            {"labels.csv": text, "regions.csv": "\n".join(["audio_name,start,end", *regions])},
        )
    write_wav(rng, tmp_path / "others/x.wav", np.zeros(9))
    assert run("train", "set", "others")[1].startswith("No recording has labels in SET_DIR")
    recordings = "\n".join(["audio_name", *(f"r{n}.wav" for n in range(4)), ""])
    write_files(tmp_path / "in", {"segments.csv": text, "recordings.csv": recordings})
    assert run("train", "set", "set/sound") == run("in", "out") == (0, "")
    assert score(task, reference=tmp_path / "reference", submission=tmp_path / "out").score < highest


@pytest.mark.parametrize(("width", "channels"), [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2)])
def test_wav_files_of_all_widths_are_read(tmp_path, monkeypatch, width, channels):
    monkeypatch.syspath_prepend(KIT / "code/listen")
    from sound import read_wav

    values = [0.0, 0.5, -0.5, -1.0]
    whole = [
        round(value * 2 ** (8 * width - 1)) + 128 * (width == 1) for value in values for _ in range(channels)
    ]
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((channels, width, 8000, 0, "NONE", ""))
        file.writeframes(b"".join(each.to_bytes(width, "little", signed=width > 1) for each in whole))
    samples, rate = read_wav(tmp_path / "a.wav")
    assert (samples.tolist(), rate) == (values, 8000)
    cut = width * (channels - 1) or width - 1
    if cut:
        (tmp_path / "a.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:-cut])
        with pytest.raises(SystemExit, match="the last sample is incomplete; expected a WAV file"):
            read_wav(tmp_path / "a.wav")
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(SystemExit, match="expected a WAV file of integers"):
        read_wav(tmp_path / "a.wav")
