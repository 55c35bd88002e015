"""The forms in which spreadsheets, programs and people write one id: `00017`, `17.wav`, `1.7E+01`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Callable, Optional
from unicodedata import category, decimal
from unicodedata import name as name_of

_ENDING = re.compile(r"\.(?:wav|flac|mp3|ogg|m4a|sph|txt)\Z", re.IGNORECASE)
_SCIENTIFIC = re.compile(r"[0-9](?:\.[0-9]{1,14})?[eE]\+?[0-9]{1,2}\Z")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[, '][0-9]{3})+\Z")
_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_EXACT = 1e15
"""Above this a number of a spreadsheet has fewer digits than its id."""

_LOOK_ALIKE = str.maketrans(
    "АВЕКМНОРСТУХІЈЅаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο‐‑‒–—−‘’“”",
    "ABEKMHOPCTYXIJSaeopcyxijsABEZHIKMNOPTYXo------''\"\"",
)
"""Cyrillic and Greek letters, dashes and quotation marks, and the ASCII characters for which they are mistaken."""


def in_ascii(text: str) -> str:
    """The text without invisible characters, and with ASCII characters in place of those that look like them."""
    return text if text.isascii() else "".join(map(_in_ascii, text))


def _in_ascii(char: str) -> str:
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    if char > "\x7f" and category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp"):
        return ""
    digit = decimal(char, None)
    return char.translate(_LOOK_ALIKE) if digit is None else str(digit)


def code_points(text: str) -> str:
    """The first characters that `in_ascii` changes: `U+0430 CYRILLIC SMALL LETTER A`."""
    odd = [char for char in dict.fromkeys(text) if in_ascii(char) != char]
    unseen = [f"{'' if char.isprintable() else 'the invisible '}U+{ord(char):04X} " for char in odd[:3]]
    return ", ".join(f"{each}{name_of(char, '')}".strip() for each, char in zip(unseen, odd))


def hint_of_code_points(text: str) -> str:
    """A text's odd characters, for a message that quotes a wrong form of the text; empty if there is none."""
    points = code_points(text)
    return f"; found {points}: type it again" if points else ""


def hint_of_case(text: str, known: Iterable[str]) -> str:
    """The known word that differs from a text in capital letters, for a message that quotes it; empty if none does."""
    near = next((word for word in known if word.casefold() == text.casefold()), "")
    letters = "in small letters" if near.islower() else "with its capital letters"
    return f": write {near}, {letters}" if near else ""


def without_decimal(item: str) -> str:
    """An id without the `.0` that a spreadsheet adds."""
    return re.sub(r"\.0+\Z", "", item)


def without_zeros(item: str) -> str:
    return _LEADING_ZEROS.sub("", item)


def _without_number_format(item: str) -> str:
    if _SCIENTIFIC.match(item) and float(item) < _EXACT and float(item).is_integer():
        return str(int(float(item)))
    return re.sub("[, ']", "", item) if _THOUSANDS.match(item) else item


_FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("has {}", in_ascii),
    ("has spaces around it", str.strip),
    ("has quotation marks", lambda item: item.strip("'\"`")),
    ("differs in the ending of a file's name", lambda item: _ENDING.sub("", item)),
    ("was changed to a number by a spreadsheet (use text)", _without_number_format),
    ("was changed to a decimal by a spreadsheet", without_decimal),
    ("differs in capital letters", str.casefold),
    ("differs in leading zeros (ids are text, not numbers)", without_zeros),
)
"""How an id can differ from the expected one, and a function that removes this difference."""


def common_form(item: str, but: str = "") -> str:
    """An id without all that its forms differ in, `but` for one difference of `_FORMS`."""
    for words, remove in _FORMS:
        item = item if words == but else remove(item)
    return item


def differences(item: str, expected: str) -> str:
    """How an id differs from another one with the same `common_form`."""
    points = code_points("".join(char for char in item if char not in expected)) or "other characters"
    found = [words for words, _ in _FORMS if common_form(item, words) != common_form(expected, words)]
    found = (
        found or [words for words, remove in _FORMS if remove(item) != item][:1]
    )  # any of several would do
    return " and ".join(words.format(points) for words in found)


def by_common_form(items: Iterable[str]) -> dict[str, str]:
    """The id of each form, without the forms of several ids."""
    ids: dict[str, Optional[str]] = {"": None}
    for item in items:
        form = common_form(item)
        ids[form] = None if form in ids else item
    return {form: item for form, item in ids.items() if item is not None}
