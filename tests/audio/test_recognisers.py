"""Tests of the kits' recognisers, and of each task from a little synthetic speech to a result table."""

import shutil
from math import log10

import numpy as np
import pytest

pytest.importorskip("pocketsphinx", reason="the extra [audio] is not installed")
pytest.importorskip("espeakng_loader", reason="the extra [audio] is not installed")
pytest.importorskip("soundfile", reason="the extra [audio] is not installed")
pytest.importorskip("torch", reason="the extra [audio] is not installed")

import ctc
import pocketsphinx
from decode import greedy
from phones import to_arpabet
from words import bigram_model

from sample_data.audio import content_accuracy, psst, spoken_call


def test_flap_stands_between_vowels():
    said = ["SIL", "L", "AE", "D", "ER", "T", "IY", "+NSN+", "T", "EH", "S", "T", "SIL"]
    assert to_arpabet(said) == ["L", "AE", "DX", "ER", "DX", "IY", "T", "EH", "S", "T"]


def test_bigram_model_is_witten_and_bells(tmp_path):
    text = bigram_model([["a", "b"], ["a"]])
    lines = {line.split("\t")[1]: line.split("\t") for line in text.splitlines() if "\t" in line}
    # Bigrams: <s> a, a b, b </s>; <s> a, a </s>. Unigrams, of 5: a 2, b 1, </s> 2. After a: 2 words of 2 types.
    assert float(lines["a"][0]) == pytest.approx(log10(2 / 5), rel=0, abs=1e-4)
    assert float(lines["a b"][0]) == pytest.approx(log10(1 / 4), rel=0, abs=1e-4)
    assert float(lines["<s> a"][0]) == pytest.approx(log10(2 / 3), rel=0, abs=1e-4)
    # Half of the probability after a is for words not seen there, which have 2/5 of the unigrams: b and </s> were seen.
    assert float(lines["a"][2]) == pytest.approx(log10(2 / 4 / (2 / 5)), rel=0, abs=1e-4)
    (tmp_path / "model.arpa").write_text(text)
    model = pocketsphinx.NGramModel.readfile(str(tmp_path / "model.arpa"))
    assert model.size() == 2


@pytest.mark.skipif(not shutil.which("flite"), reason="flite is not installed")
@pytest.mark.default_cases("psst")
@pytest.mark.parametrize(
    ("challenge", "sizes", "systems"),
    [
        (psst, {"development": 16, "evaluation": 32}, [{"all-phone decoding"}, {"likelihood ratio"}]),
        (spoken_call, {"development": 200, "evaluation": 24}, [{"pocketsphinx, grammar"}]),
        (content_accuracy, {"training": 6, "development": 8, "evaluation": 6}, [{"new ROUGE, pocketsphinx"}]),
    ],
)
def test_speech_becomes_a_board(challenge, sizes, systems, tmp_path, monkeypatch):
    monkeypatch.setattr(challenge, "SIZES", sizes)
    for step in challenge.PART.steps:
        step.run(tmp_path, 1)
    boards = challenge.PART.boards(tmp_path)
    for board, listening in zip(boards, systems, strict=True):
        assert listening <= {line.system for line in board.lines}
        assert all(line.data.startswith(("synthetic", "published")) for line in board.lines)
        assert all(set(line.scores) & set(board.shown) for line in board.lines)


def test_a_ctc_model_learns_phones_from_an_encoders_frames(tmp_path):
    """Each phone has frames of its own, so the phones of utterances held out are all found."""
    rng = np.random.default_rng(1)
    said = [list(rng.choice(["K", "AE", "T", "S"], size=4)) for _ in range(60)]
    heard = [ctc.torch.from_numpy(frames_of(rng, phones)) for phones in said]
    model = ctc.train(heard, said, epochs=40, seed=1)
    found = [greedy(ctc.log_probabilities(model, each), ctc.PHONES) for each in heard]
    assert sum(a == b for a, b in zip(found, said, strict=True)) > 50


def frames_of(rng, phones):
    """Return two frames of noise, three of each phone with one frame of silence after it, and two of noise."""
    rows = [[0.0] * 8] * 2
    for phone in phones:
        rows += [np.eye(8)[ctc.PHONES.index(phone) % 8]] * 3 + [[0.0] * 8]
    return (3 * np.array(rows) + 0.1 * rng.standard_normal((len(rows), 8))).astype(np.float32)
