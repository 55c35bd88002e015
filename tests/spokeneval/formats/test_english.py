"""The normalisers of Whisper and CHiME-8 against the published modules, by a hash of their results."""

from __future__ import annotations

import hashlib
import time

import pytest

from spokeneval.formats import english
from tests.samples.sentences import sentences

# SHA-256 of the words, one sentence in a line, of the published modules: whisper-normalizer 0.1.15, which has the code
# of openai/whisper, and chime-utils at commit d9be4d2.
PUBLISHED = {
    "whisper_english": ("43c3530666490aa5", "a29b8211d38822ab"),
    "whisper_basic": ("0db239631ab55b0b", "45b432cbd95ab9a9"),
    "chime8": ("0ca441656b535b36", "c59e231ee5fef900"),
}


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("number", [2000, pytest.param(20_000, marks=pytest.mark.thorough)])
def test_results_are_those_of_the_published_modules(name: str, number: int) -> None:
    normalise = getattr(english, name)
    lines = [" ".join(normalise(sentence).split()) for sentence in sentences(number)]
    found = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    assert found == PUBLISHED[name][number > 2000]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("whisper_english", "Twenty five hundred and a half dollars", "$2500.5"),
        ("whisper_english", "the nineteen sixties, one oh one", "the 1960s 101"),
        ("whisper_english", "$2 and seven cents", "$2.07"),
        ("whisper_english", "fifty percent, minus three; negative", "50% -3 negative"),
        ("whisper_english", "9" * 400 + " million", "9" * 400 + " 1000000"),
        ("chime8", "We've 70 000 (well) or 100% of 365 Mmm", "we have seventy thousand or hundred percent of three "
         "hundred sixty five"),
        ("chime8", "1" * 400, "1" * 400),
    ],
)  # fmt: skip
def test_numbers(name: str, text: str, words: str) -> None:
    assert getattr(english, name)(text).split() == words.split()


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("text", ["<", "(", " ", "1", "and ", "a.b", "one ", "hundred "], ids=repr)
def test_the_time_is_linear(name: str, text: str) -> None:
    began = time.process_time()
    getattr(english, name)(text * (60_000 // len(text)))
    assert time.process_time() - began < 2
