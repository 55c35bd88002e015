"""How much of the reference responses' content a spoken response contains: ROUGE-N and content vectors.

Conventions: a response is a text; the references are texts by prompt. Results have shape (n,), one entry per response,
and are in [0, 1]; higher is better. A word is a run of letters and digits of the lower-cased text. White space and
punctuation separate words, and an apostrophe inside a word belongs to it ("don't"). One-letter words and stop words
count; words are not stemmed.

Sources: ROUGE-N as defined by Lin (2004), which is a recall; here over tokens or, as adapted to spoken responses, over
types. Content vector analysis as in Attali and Burstein (2006).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

_WORD = re.compile(r"\0|[^\W_]+(?:'[^\W_]+)*")
# ASCII separators become spaces; NUL is kept because it marks where a text begins.
_BLANKS = {code: " " for code in range(1, 128) if not (chr(code).isalnum() or chr(code) == "'")}


def tokens(text: str) -> list[str]:
    """Return the words of a text, in order.

    Parameters
    ----------
    text: any string.

    Returns
    -------
    Lower-cased words.

    Raises
    ------
    ValueError: the text is not a string.

    Examples
    --------
    >>> tokens("Don't stop: it's 'a' test.")
    ["don't", 'stop', "it's", 'a', 'test']
    """
    return _marked_words([text], "text")[1:]


def rouge(
    references: Mapping[Hashable, Sequence[str]],
    prompts: Sequence[Hashable],
    responses: Sequence[str],
    *,
    n: int = 1,
    unit: str,
) -> np.ndarray:
    """Return the ROUGE-N of each response: the recall of its prompt's references, pooled over them.

    It is the sum of overlap(g) over references and n-grams g, divided by the sum of count(g) over the same; not the
    mean or the best of the recalls of single references. With `unit="tokens"`, count(g) is the number of times g
    occurs in the reference, and overlap(g) is the smaller of its counts in the reference and in the response. With
    `unit="types"`, both count an n-gram once. An n-gram never spans two texts.

    Parameters
    ----------
    references: one or more texts for each prompt.
    prompts: n prompts; response i answers `prompts[i]`.
    responses: n texts.
    n: number of words in an n-gram.
    unit: "tokens" or "types".

    Returns
    -------
    float, shape=(n,), in [0, 1]; 0 for a response without n-grams.

    Raises
    ------
    ValueError: a prompt has no references, a reference has no words, all references of a prompt are shorter than n
        words, or the input is malformed.

    Examples
    --------
    The response contains "the" twice, "dog" and "park" of 6 tokens; "the", "dog" and "park" of 5 types.

    >>> references, response = {"p": ["the dog ran to the park"]}, "the dog the dog and the park"
    >>> round(rouge(references, ["p"], [response], unit="tokens")[0].item(), 6)
    0.666667
    >>> rouge(references, ["p"], [response], unit="types").tolist()
    [0.6]
    """
    if unit not in ("tokens", "types"):
        raise ValueError(f"unit must be 'tokens' or 'types', got {unit!r}")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n must be a positive integer, got {n!r}")
    prompt_number, prompt_of_reference, reference_texts = _numbered(references)
    prompt_of_response = _checked_responses(prompt_number, prompts, responses)

    words, codes = _reference_words(reference_texts)
    reference, reference_ids = _coded(words, codes)
    response, response_ids = _coded(_marked_words(responses, "response"), codes)
    reference_grams, response_grams = reference_ids, response_ids
    for order in range(2, n + 1):
        reference_keys = _appended(reference, reference_grams, reference_ids, order)
        response_keys = _appended(response, response_grams, response_ids, order)
        table = np.unique(np.append(reference_keys, 0))
        reference_grams = np.searchsorted(table, reference_keys)
        response_grams = np.minimum(np.searchsorted(table, response_keys), len(table) - 1)
        response_grams[table[response_grams] != response_keys] = 0

    # Each prompt has its own columns, one for each n-gram of its references.
    n_prompts, n_grams = len(prompt_number), int(reference_grams.max()) + 1
    column = np.zeros((n_prompts, n_grams), dtype=bool)
    column[prompt_of_reference[reference], reference_grams] = True
    column[:, 0] = False
    width = column.sum(axis=1)
    if not width.all():
        prompt = list(prompt_number)[int(width.argmin())]
        raise ValueError(f"prompt {prompt!r}: no reference has {n} words, so ROUGE-{n} is undefined")
    column_of = np.where(column, np.cumsum(column, axis=1) - 1, -1)

    counts_of_references = _counts(prompt_of_reference, reference, reference_grams, column_of, width)
    counts_of_responses = _counts(prompt_of_response, response, response_grams, column_of, width)
    scores = np.zeros(len(responses))
    for prompt, (expected, found) in enumerate(zip(counts_of_references, counts_of_responses)):
        if unit == "types":
            expected, found = np.minimum(expected, 1), np.minimum(found, 1)
            overlap = found @ expected.sum(axis=0)
        else:
            overlap = sum(np.minimum(found, counts).sum(axis=1) for counts in expected)
        scores[prompt_of_response == prompt] = overlap / expected.sum()
    return scores


def content_vector(
    references: Mapping[Hashable, Sequence[str]], prompts: Sequence[Hashable], responses: Sequence[str]
) -> np.ndarray:
    """Return, by content vector analysis, the mean cosine of each response with its prompt's references.

    In the vector of a text, each word type of the text has the weight idf = ln((1 + D) / (1 + df)) + 1, where D is the
    number of references of all prompts and df the number of them that contain the word. Words that are in no reference
    have no idf and are left out.

    Parameters
    ----------
    references: one or more texts for each prompt.
    prompts: n prompts: response i answers `prompts[i]`.
    responses: n texts.

    Returns
    -------
    float, shape=(n,), in [0, 1]; 0 for a response without words.

    Raises
    ------
    ValueError: a prompt has no references, a reference has no words, or the input is malformed.

    Examples
    --------
    With a single reference all its words have weight 1; the cosine of (1, 1) with (1, 0) is sqrt(1/2).

    >>> round(content_vector({"p": ["a b"]}, ["p"], ["a c"])[0].item(), 6)
    0.707107
    """
    prompt_number, prompt_of_reference, reference_texts = _numbered(references)
    prompt_of_response = _checked_responses(prompt_number, prompts, responses)
    words, codes = _reference_words(reference_texts)
    vocabulary = len(codes)

    expected = np.zeros((len(reference_texts), vocabulary))
    expected[_coded(words, codes)] = 1
    idf = np.log((1 + len(expected)) / (1 + expected.sum(axis=0))) + 1
    expected *= idf
    expected /= np.sqrt((expected**2).sum(axis=1, keepdims=True))

    response, ids = _coded(_marked_words(responses, "response"), codes)
    held = np.zeros((len(responses), vocabulary), dtype=bool)
    held[response, ids] = True
    held[:, 0] = False
    scores = np.zeros(len(responses))
    for prompt in range(len(prompt_number)):
        chosen = prompt_of_response == prompt
        found = held[chosen] * idf
        norm = np.sqrt((found**2).sum(axis=1))
        cosine = found @ expected[prompt_of_reference == prompt].mean(axis=0)
        scores[chosen] = np.divide(cosine, norm, out=np.zeros(len(norm)), where=norm > 0)
    return np.minimum(scores, 1.0)


def _marked_words(texts: Sequence[str], name: str) -> list[str]:
    """Return the words of all texts in one list, with a NUL before each text; one pass is faster than many."""
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{name} {index} must be a string, got {text!r}")
    joined = " \0 ".join(["", *texts]).lower()
    if joined.count("\0") != len(texts):
        joined = " \0 ".join(["", *(text.replace("\0", " ") for text in texts)]).lower()
    if not joined.isascii():
        return _WORD.findall(unicodedata.normalize("NFC", joined).replace("\u2019", "'"))
    joined = joined.translate(_BLANKS) + " "
    if "'" in joined:  # apostrophes that are not inside a word are separators too
        joined = joined.replace("''", "  ").replace(" '", "  ").replace("' ", "  ")
    return joined.split()


def _coded(words: list[str], codes: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each word of marked texts, the number of its text and its code; 0 marks words in no reference."""
    lookup = defaultdict(int, codes)
    ids = np.fromiter(map(lookup.__getitem__, words), dtype=np.int64, count=len(words))
    start = ids < 0
    text = np.cumsum(start) - 1
    return text[~start], ids[~start]


def _reference_words(texts: list[str]) -> tuple[list[str], dict[str, int]]:
    """Return the marked words of the references, and a code for each word: from 1 on, with -1 for the mark."""
    words = _marked_words(texts, "reference")
    codes = {word: code for code, word in enumerate(dict.fromkeys(words))}
    codes["\0"] = -1
    return words, codes


def _appended(text: np.ndarray, grams: np.ndarray, ids: np.ndarray, order: int) -> np.ndarray:
    """Return a key for the n-gram that starts at each word; 0 if it is unknown or extends beyond its text."""
    keys = np.zeros(len(ids), dtype=np.int64)
    last = len(ids) - order + 1
    if last > 0:
        following = ids[order - 1 :]
        inside = (text[:last] == text[order - 1 :]) & (grams[:last] > 0) & (following > 0)
        keys[:last] = np.where(inside, (grams[:last] << 32) + following, 0)
    return keys


def _counts(
    prompt_of_text: np.ndarray, text: np.ndarray, grams: np.ndarray, column_of: np.ndarray, width: np.ndarray
) -> list[np.ndarray]:
    """Return, for each prompt, the count of each of its n-grams (columns) in each of its texts (rows)."""
    order = np.argsort(prompt_of_text, kind="stable")
    ends = np.cumsum(width[prompt_of_text[order]])
    row_start = np.empty(len(order), dtype=np.int64)
    row_start[order] = ends - width[prompt_of_text[order]]
    column = column_of[prompt_of_text[text], grams]
    cells = (row_start[text] + column)[column >= 0]
    counts = np.bincount(cells, minlength=ends[-1])
    texts = np.bincount(prompt_of_text, minlength=len(width))
    blocks = np.split(counts, np.cumsum(texts * width)[:-1])
    return [block.reshape(rows, columns) for block, rows, columns in zip(blocks, texts, width)]


def _numbered(
    references: Mapping[Hashable, Sequence[str]],
) -> tuple[dict[Hashable, int], np.ndarray, list[str]]:
    """Number the prompts from 0, and return the flat list of references with the number of each one's prompt."""
    if not references:
        raise ValueError("references is empty")
    texts: list[str] = []
    owners: list[int] = []
    for number, (prompt, some) in enumerate(references.items()):
        if isinstance(some, str) or len(some) == 0:
            raise ValueError(f"prompt {prompt!r} must have a list of references, got {some!r}")
        for text in some:
            if not tokens(text):
                raise ValueError(f"prompt {prompt!r} has a reference without words: {text!r}")
        texts.extend(some)
        owners.extend([number] * len(some))
    return {prompt: number for number, prompt in enumerate(references)}, np.array(owners), texts


def _checked_responses(
    prompt_number: dict[Hashable, int], prompts: Sequence[Hashable], responses: Sequence[str]
) -> np.ndarray:
    """Return the number of each response's prompt; raise a ValueError for malformed input."""
    if isinstance(responses, str) or isinstance(prompts, str):
        raise ValueError(
            "prompts and responses must be sequences with one entry per response, not one string"
        )
    if len(prompts) != len(responses):
        raise ValueError(f"{len(responses)} responses but {len(prompts)} prompts")
    if len(responses) == 0:
        raise ValueError("responses is empty")
    numbers = [prompt_number.get(prompt, -1) for prompt in prompts]
    if -1 in numbers:
        raise ValueError(f"no references for prompt {prompts[numbers.index(-1)]!r}")
    return np.array(numbers)
