"""Tests of ROUGE-N and content vectors: hand calculations, brute force on random texts, tf-idf of scikit-learn."""

from __future__ import annotations

import doctest
import math
from collections import Counter

import numpy as np
import pytest

from starting_kit.content_accuracy import content
from starting_kit.content_accuracy.content import content_vector, rouge, tokens

EXACT = {"rtol": 0, "atol": 1e-12}

REFERENCES = [
    "the dog ran to the park",  # 6 tokens, 5 types
    "a dog ran",  # 3, 3
    "the park the park the park",  # 6, 2
    "dogs run",  # 2, 2
]
RESPONSE = "the dog the dog and the park"
# Tokens, with counts clipped by the reference's: the 2 + dog 1 + park 1 = 4; dog 1; the 3 + park 1 = 4; 0.
# Types: the, dog, park = 3; dog = 1; the, park = 2; 0.
TOKENS = [4 / 6, 1 / 3, 4 / 6, 0 / 2]
TYPES = [3 / 5, 1 / 3, 2 / 2, 0 / 2]
POOLED_TOKENS = (4 + 1 + 4 + 0) / (6 + 3 + 6 + 2)
POOLED_TYPES = (3 + 1 + 2 + 0) / (5 + 3 + 2 + 2)


def one(references, response, **options):
    return rouge({"p": references}, ["p"], [response], **options)[0]


@pytest.mark.parametrize(
    ("unit", "each", "pooled"), [("tokens", TOKENS, POOLED_TOKENS), ("types", TYPES, POOLED_TYPES)]
)
def test_rouge_pools_over_references(unit, each, pooled):
    np.testing.assert_allclose([one([r], RESPONSE, unit=unit) for r in REFERENCES], each, **EXACT)
    found = one(REFERENCES, RESPONSE, unit=unit)
    np.testing.assert_allclose(found, pooled, **EXACT)
    assert abs(found - np.mean(each)) > 0.01
    assert abs(found - max(each)) > 0.1


def test_bigrams_by_hand():
    # Reference bigrams: a b, b a, a b (3 tokens, 2 types). Response: a b, b b, b a: a b once, b a once.
    assert one(["a b a b"], "a b b a", n=2, unit="tokens") == 2 / 3
    assert one(["a b a b"], "a b b a", n=2, unit="types") == 2 / 2
    assert one(["a b a b"], "a x b", n=2, unit="tokens") == 0


def brute_force_rouge(references, response, n, unit):
    def counted(text):
        words = text.split()
        grams = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        return Counter(set(grams)) if unit == "types" else grams

    found = counted(response)
    overlap = sum(sum((found & counted(reference)).values()) for reference in references)
    return overlap / sum(sum(counted(reference).values()) for reference in references)


@pytest.mark.parametrize("unit", ["tokens", "types"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rouge_equals_brute_force(n, unit):
    rng = np.random.default_rng(n)
    words = np.array([*"abcdefgh", "don't", "x1", "it's"])

    def text(shortest):
        return " ".join(rng.choice(words, size=int(rng.integers(shortest, 15))))

    for _ in range(25):
        references = {
            prompt: [text(n) for _ in range(int(rng.integers(1, 5)))]
            for prompt in range(int(rng.integers(1, 5)))
        }
        prompts = rng.integers(0, len(references), size=int(rng.integers(1, 12))).tolist()
        responses = [text(0) for _ in prompts]
        expected = [brute_force_rouge(references[p], responses[i], n, unit) for i, p in enumerate(prompts)]
        np.testing.assert_allclose(rouge(references, prompts, responses, n=n, unit=unit), expected, **EXACT)


def test_content_vector_by_hand():
    # D = 2 references: a in both, b and c in one. idf a = ln(3/3) + 1 = 1, idf b = idf c = ln(3/2) + 1 = w.
    # Response "a a z" holds a alone (z is in no reference). Its cosine with (a, b) is 1/sqrt(1 + w^2).
    w = math.log(3 / 2) + 1
    references = {"p": ["a b"], "q": ["a c"]}
    scores = content_vector(references, ["p", "q", "p", "p"], ["a a z", "b b a", "", "zz"])
    np.testing.assert_allclose(scores, [1 / math.hypot(1, w), 1 / (1 + w * w), 0, 0], **EXACT)


def test_content_vector_averages_over_the_references():
    # D = 2, all words in one reference each: all weights equal. Cosines with "a" and "b c d e": 1/sqrt(2), 1/sqrt(8).
    score = content_vector({"p": ["a", "b c d e"]}, ["p"], ["b a"])
    np.testing.assert_allclose(score, [(1 / math.sqrt(2) + 1 / math.sqrt(8)) / 2], **EXACT)


def test_content_vector_equals_scikit_learn():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    rng = np.random.default_rng(9)
    words = np.array(list("abcdefghijklmnop"))
    for _ in range(20):
        references = {p: [" ".join(rng.choice(words, size=6)) for _ in range(3)] for p in range(3)}
        prompts = rng.integers(0, 3, size=8).tolist()
        responses = [" ".join(rng.choice(np.append(words, ["x", "y"]), size=6)) for _ in prompts]
        vectorizer = text.TfidfVectorizer(binary=True, token_pattern=r"\S+")
        fitted = vectorizer.fit_transform([r for some in references.values() for r in some]).toarray()
        cosines = vectorizer.transform(responses).toarray() @ fitted.T
        expected = [cosines[i, 3 * p : 3 * p + 3].mean() for i, p in enumerate(prompts)]
        np.testing.assert_allclose(content_vector(references, prompts, responses), expected, **EXACT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "The Dog's bone, and I -- a well-known one.",
            ["the", "dog's", "bone", "and", "i", "a", "well", "known", "one"],
        ),
        ("'tis the dogs' rock 'n' roll", ["tis", "the", "dogs", "rock", "n", "roll"]),
        ("rock''n'roll '''", ["rock", "n'roll"]),
        ("snake_case 3.5", ["snake", "case", "3", "5"]),
        ("don\u2019t \u201cquote\u201d caf\u00e9 cafe\u0301", ["don't", "quote", "caf\u00e9", "caf\u00e9"]),
        ("a\0b\tc\x1fd", ["a", "b", "c", "d"]),
        ("", []),
    ],
)
def test_tokens(text, words):
    assert tokens(text) == words


@pytest.mark.parametrize("metric", [content_vector, lambda *texts: rouge(*texts, unit="tokens")])
@pytest.mark.parametrize(
    ("references", "prompts", "responses", "complaint"),
    [
        ({}, ["p"], ["a"], "references is empty"),
        ({"p": []}, ["p"], ["a"], r"prompt 'p' must have a list of references, got \[\]"),
        ({"p": "a b"}, ["p"], ["a"], "prompt 'p' must have a list of references, got 'a b'"),
        ({"p": ["a", "?!"]}, ["p"], ["a"], r"prompt 'p' has a reference without words: '\?!'"),
        ({"p": ["a", 5]}, ["p"], ["a"], "must be a string, got 5"),
        ({"p": ["a"]}, ["q"], ["a"], "no references for prompt 'q'"),
        ({"p": ["a"]}, ["p"], ["a", "b"], "2 responses but 1 prompts"),
        ({"p": ["a"]}, [], [], "responses is empty"),
        ({"p": ["a"]}, ["p", "p"], ["a", None], "response 1 must be a string, got None"),
        ({"p": ["a"]}, ["p"], "a", "not one string"),
    ],
)
def test_malformed_input_is_refused(metric, references, prompts, responses, complaint):
    with pytest.raises(ValueError, match=complaint):
        metric(references, prompts, responses)


def test_rouge_refuses_what_it_cannot_count():
    with pytest.raises(ValueError, match="unit must be 'tokens' or 'types', got 'words'"):
        one(["a"], "a", unit="words")
    with pytest.raises(ValueError, match="n must be a positive integer, got 0"):
        one(["a"], "a", n=0, unit="types")
    with pytest.raises(ValueError, match="prompt 'p': no reference has 3 words, so ROUGE-3 is undefined"):
        one(["a b", "c"], "a b c", n=3, unit="types")
    with pytest.raises(ValueError, match="text 0 must be a string, got None"):
        tokens(None)


def test_the_examples_run():
    assert doctest.testmod(content).attempted > 0
    assert doctest.testmod(content).failed == 0
