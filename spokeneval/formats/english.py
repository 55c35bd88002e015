"""The text normalisers of Whisper, for English and for other languages, and that of CHiME-8.

They are the field's rules to the letter, oddities included, because results are compared with published ones. Words and
spellings are in `english_words.tsv`.

Sources: Radford et al. (2022), Robust Speech Recognition via Large-Scale Weak Supervision, appendix C, and
openai/whisper, whisper/normalizers (MIT licence); chimechallenge/chime-utils (MIT licence) for CHiME-8, which writes
numbers up to 1,000 in words, where Whisper writes all in digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Union
from unicodedata import category, normalize

_LETTERS = {"œ": "oe", "ø": "o", "æ": "ae", "ß": "ss", "đ": "d", "ð": "d", "þ": "th", "ł": "l"}
_LETTERS.update({"Œ": "OE", "Ø": "O", "Æ": "AE", "ẞ": "SS", "Đ": "D", "Ð": "D", "Þ": "th", "Ł": "L"})
"""Letters that have no decomposition in Unicode."""
_KEPT = ".%$¢€£"
_LONGEST = 300
"""The most digits of a number that is computed with."""
_ENDS = "stndrh"
"""The letters of the suffixes of numbers."""
_NUMERAL = re.compile(r"\d+(?:\.\d+)?\Z")
_SOUNDS = {
    "\u2019": "'",
    r"\b(?:hm+|mhm|mm+|m+h|um+|uhm+)\b": "hmm",
    r"\b(?:a+h+|ha+)\b": "ah",
    r"[!?.]+(?=$|\s)": "",
    r"\b(?:o+h+|h+o+)\b": "oh",
    r"\b(?:u+h+|h+u+|h+u+h+)\b": "uh",
    r"\wi-fi\b": "wifi",
}
"""How CHiME-8 writes sounds that are no words."""


def whisper_basic(text: str) -> str:
    """Return a text in Whisper's normal form for languages other than English.

    >>> whisper_basic("Guten Tag, [lacht] Herr Müller!").split()
    ['guten', 'tag', 'herr', 'müller']
    """
    text = normalize("NFKC", _without_brackets(text.lower()))
    return "".join(" " if category(sign)[0] in "MSP" else sign for sign in text).lower()


def whisper_english(text: str) -> str:
    """Return an English text in Whisper's normal form.

    >>> whisper_english("Mr. Smith's colour was $20 million and twenty-two cents, um").split()
    ['mister', 'smith', 'is', 'color', 'was', '$20000000', 'and', '¢22']
    """
    text = re.sub(r"\b(?:hmm|mm|mhm|mmm|uh|um)\b", "", _without_brackets(text.lower()))
    text = _plain(_expanded(re.sub(r"(?<!\s)\s+'", "'", text), "whisper"))
    return _spelled(_in_digits(text), {})


def chime8(text: str) -> str:
    """Return an English text in the normal form of CHiME-8.

    >>> chime8("Okay, hmmm, the 21st one isn't $5").split()
    ['ok', 'the', '21st', 'one', 'is', 'not', 'five', 'dollars']
    """
    early = {"shan't": "shall not", "han't": "has not", "ain't": "ain not"}
    text = " ".join(early.get(word, word) for word in _without_brackets(text.lower()).split())
    text = text.replace(" '", "'")
    for pattern, sound in _SOUNDS.items():
        text = re.sub(pattern, sound, text)
    text = re.sub(r"\$(\d+(?:\.\d+)?)", r"\1 dollars", _plain(_expanded(text, "chime")))
    for sign, word in (("$", "dollars"), ("%", "percent")):
        text = re.sub(rf"(?<!\d)(\d+(?:\.\d+)?)\{sign}", rf"\1 {word}", text)
    text = _spelled(" ".join(map(_in_words, text.split())), {"archaeology": "archeology"})
    return re.sub(r"\b(?:hmm|uh|ah|eh)\b", "", text)


def _without_brackets(text: str) -> str:
    """Drop what is in brackets. The search ends at the last closing one, so that its time is linear."""
    for pattern, ends in ((r"[<\[][^>\]]*[>\]]", ">]"), (r"\([^)]+\)", ")")):
        last = max(map(text.rfind, ends)) + 1
        text = re.sub(pattern, "", text[:last]) + text[last:]
    return text


@cache
def table() -> list[list[str]]:
    """Return the rows of the words: kind, word and replacement."""
    lines = Path(__file__).with_name("english_words.tsv").read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@cache
def _words(*kinds: str) -> dict[str, str]:
    return {word: other for kind, word, other in table() if kind in kinds}


@cache
def _any_of(*kinds: str) -> re.Pattern[str]:
    start = r"\b" if "word" in kinds or "title" in kinds else ""
    return re.compile(rf"{start}(?:{'|'.join(map(re.escape, _words(*kinds)))})\b")


def _expanded(text: str, own: str) -> str:
    """Write words, titles and endings in full."""
    text = _any_of("word", own).sub(lambda found: _words("word", own)[found[0]], text)
    text = _any_of("title").sub(lambda found: f"{_words('title')[found[0]]} ", text)
    for kind in ("perfect", "negation", "ending"):
        full = _words(kind)
        text = _any_of(kind).sub(lambda found: f" {full[found[0]]}", text)  # noqa: B023
    return text


def _plain(text: str) -> str:
    """Drop commas in numbers, full stops after words, signs and diacritics; keep the signs of numbers."""
    text = re.sub(r"\.([^0-9]|$)", r" \1", re.sub(r"(\d),(\d)", r"\1\2", text))
    kept = []
    for sign in normalize("NFKD", text):
        if sign not in _KEPT and (sign in _LETTERS or category(sign)[0] in "MSP"):
            sign = _LETTERS.get(sign, "" if category(sign) == "Mn" else " ")
        kept.append(sign)
    return "".join(kept)


def _spelled(text: str, others: dict[str, str]) -> str:
    """American spellings, and no signs beside anything but digits."""
    american = _words("spelling")
    text = " ".join(others.get(word) or american.get(word, word) for word in text.split())
    return re.sub(r"([^0-9])%", r"\1 ", re.sub(r"[.$¢€£]([^0-9])", r" \1", text))


@cache
def _forms() -> dict[str, str]:
    """The words of numbers below 1,000 that are one word, by their digits, with a suffix or without."""
    return {digits: word for word, digits in _words("number").items() if len(digits.rstrip(_ENDS)) < 3}


def _in_words(word: str) -> str:
    """A number from 0 to 1,000 in words, without a one before hundred and thousand; any other word as it is."""
    forms, number = _forms(), int(word[:_LONGEST]) if word.isdecimal() else 1001
    if number > 1000:
        return forms.get(word, word)
    if word == "000" or number in (0, 100, 1000):
        return "thousand" if word == "000" or number == 1000 else "hundred" if number else "zero"
    hundreds, rest = divmod(number, 100)
    parts = [f"{hundreds}", "hundred", *([f"{rest}"] if rest < 20 else [f"{rest // 10}0", f"{rest % 10}"])]
    return " ".join(forms.get(part, part) for part in parts[0 if hundreds else 2 :] if part != "0")


def _in_digits(text: str) -> str:
    """The numbers of Whisper: in digits, with the signs of currencies."""
    parts = []
    pieces = re.split(r"\band\s+a\s+half\b", text)
    for place, piece in enumerate(pieces):
        last = piece.split()[-1:]
        if last:
            half = "point five" if last[0] in _CARDINALS or last[0] in _ZEROS else "and a half"
            parts += [piece] if place == len(pieces) - 1 else [piece, half]
    text = re.sub(r"([0-9])([a-z])", r"\1 \2", re.sub(r"([a-z])([0-9])", r"\1 \2", " ".join(parts)))
    text = re.sub(r"([0-9])\s+(st|nd|rd|th|s)\b", r"\1\2", text)
    text = " ".join(_Reader().read(text.split()))
    text = re.sub(
        r"([€£$][0-9]+) (?:and )?¢([0-9]{1,2})\b", lambda found: f"{found[1]}.{int(found[2]):02d}", text
    )
    text = re.sub(r"[€£$]0.([0-9]{1,2})\b", lambda found: f"¢{int(found[1])}", text)
    return re.sub(r"\b1(s?)\b", r"one\1", text)


_ZEROS, _SIGNS, _UNITS = _words("zero"), _words("sign"), _words("unit")
_NUMBERS = {
    word: (int(text.rstrip(_ENDS)), text.lstrip("0123456789")) for word, text in _words("number").items()
}
_CARDINALS = {word: value for word, (value, suffix) in _NUMBERS.items() if not suffix}
_KNOWN = _words("number", "zero", "sign", "unit", "special")


class _Reader:
    """Reads words one after the other, and collects them with numbers in digits."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.value: Union[int, str, None] = None
        self.sign = ""

    def read(self, words: Sequence[str]) -> list[str]:
        skipped = False
        for before, word, after in zip(["", *words], words, [*words[1:], ""]):
            skipped = not skipped and self._word(before, word, after)
        self._flush()
        return self.found

    def _flush(self, *words: Union[int, str]) -> None:
        """Put the number so far and some words."""
        for text in (*([] if self.value is None else [self.value]), *words):
            self.found.append(f"{self.sign}{text}")
            self.value, self.sign = None, ""

    def _digits(self, digits: str) -> None:
        self.value = f"{self.value or ''}{digits}"

    def _word(self, before: str, word: str, after: str) -> bool:
        """Read a word between two others; return whether the following one was read, too."""
        number = word[1:] if word[0] in "-+£€$¢" else word
        more = after in _KNOWN or bool(_NUMERAL.match(after))
        if _NUMERAL.match(number):
            self._numeral(word, number)
        elif word in _ZEROS:
            self._digits("0")
        elif word in _NUMBERS:
            value, suffix = _NUMBERS[word]
            self.value = self._multiplied(value) if value >= 100 else self._appended(value, before)
            if suffix:
                self.value = f"{self.value}{suffix}"
                self._flush()
        elif word in _SIGNS and more:
            self._flush()
            self.sign = _SIGNS[word]
        elif word in _UNITS and self.value is not None:
            self.sign = _UNITS[word]
            self._flush()
        elif (word == "percent" or (word == "per" and after == "cent")) and self.value is not None:
            self.value = f"{self.value}%"
            self._flush()
            return word == "per"
        elif word in ("double", "triple") and (after in _ZEROS or 0 < _CARDINALS.get(after, 0) < 20):
            self._digits(str(_CARDINALS.get(after, 0)) * (2 if word == "double" else 3))
            return True
        elif word == "point" and more:
            if after not in _KNOWN or after in _ZEROS or _CARDINALS.get(after, 100) < 100:
                self._digits(".")
        elif not (word == "and" and more and _CARDINALS.get(before, 0) >= 100):
            self._flush(word)
        return False

    def _numeral(self, word: str, number: str) -> None:
        if isinstance(self.value, str) and self.value.endswith("."):
            self.value += word
            return
        self._flush()
        self.sign = word[0] if word != number else self.sign
        whole, _, rest = number.partition(".")
        self.value = int(whole) if len(number) <= _LONGEST and int(rest or 0) == 0 else number

    def _appended(self, number: int, before: str) -> Union[int, str]:
        """The value with a number below 100 after it: added to round ones, otherwise as further digits."""
        value, last = self.value, _CARDINALS.get(before, 0)
        if value is None:
            return number
        if isinstance(value, str) or (number < 20 and 0 < last < 20):
            return f"{str(value)[:-1] if 20 <= last < 100 and number < 10 else value}{number}"
        return value + number if value % (10 if number < 10 else 100) == 0 else f"{value}{number}"

    def _multiplied(self, number: int) -> int:
        if isinstance(self.value, int):
            return self.value // 1000 * 1000 + self.value % 1000 * number
        if self.value is not None:
            with suppress(ValueError):
                product = number * Fraction(self.value if len(self.value) <= _LONGEST else "")
                if product.denominator == 1:
                    return product.numerator
            self._flush()
        return number
