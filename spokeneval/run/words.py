"""Words of a competition's language: generated English texts are replaced by those of a catalogue.

A catalogue has pairs of an English text and its translation. In both, `{x}` is a part that differs from text to text;
`{n}`, `{m}`, `{k}` and `{l}` are numbers, `{p}` has no comma, `{q}` no comma, semicolon or full stop, and `{a}`, `{b}`,
`{c}` (no comma), `{d}`, and `{e}` and `{f}` (no semicolon) are not translated, except for the end `(and 2 more)` of a
list. In the English text, `(s)` is an s that may be missing; in a translation, `{n} [one|more]`, also with words before
`[`, is `one` if the number is 1. Longer texts are translated by line, cell of a table, sentence and part of a sentence.
What is not in the catalogue stays English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from ..formats.problems import MARKED, data, plain

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr", "es", "zh")
"""ISO 639-1 codes of the languages of pages."""

WORDS_FILE = "words.json"
"""The catalogue in a program or kit, `{"language": ..., "words": {...}}`; English ones have none."""

_NUMBER = re.compile(r"[-+−]?\d+(?:,\d{3})*(?:\.\d+)?")
_PLURAL = re.compile(r"({(\w)} (?:[^{}\[]|{c})*)\[(.*?)\|(.*?)\]")
_AFTER_CHINESE = re.compile("(?<=[。！？；：]) ")
_BETWEEN_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff，。：；]) (?=[\u4e00-\u9fff])")
_NARROW = "\N{NARROW NO-BREAK SPACE}"
_SIGNS = {"de": (".", ","), "fr": (_NARROW, ","), "es": (_NARROW, ",")}
"""The separator of thousands and the decimal sign, where they are not those of English."""
_SENTENCE = r"(?:(?<=[.?!])|(?<=[.?!][*)][*)])) +(?=[^a-z])"
_HEAD = re.compile(r"\s*(?:[-*] )?")
_CUT_LIST = re.compile(r"(.+)( \(and \d+ more\))")
_ROW = re.compile(r"(\s*)(line \d+|missing(?=  )|Warning:)( +)(.+)")
"""A problem in a refusal: its place and what is wrong; or a warning."""


class Words:
    """The texts of a language.

    Parameters
    ----------
    language
        One of `LANGUAGES`.
    catalogue
        English text -> translation.
    numbers
        Whether numbers are written as in the language, as on pages; not on consoles, where they are those of files.
    """

    def __init__(self, language: str, catalogue: Mapping[str, str], *, numbers: bool = True) -> None:
        self.language = language
        self._exact = {english: words for english, words in catalogue.items() if not _open(english)}
        varying = sorted(filter(_open, catalogue), key=lambda text: -len(re.sub(r"{\w+}", "", text)))
        self._patterns = [(re.compile(_pattern(english)), catalogue[english]) for english in varying]
        self._signs = _SIGNS.get(language) if numbers else None

    def __call__(self, text: str) -> str:
        """Return a text in the language; its parts from `data` are as they were."""
        if self.language == ENGLISH:
            return plain(text)
        kept = MARKED.findall(text)
        places = iter(range(len(kept)))
        found = self._text(MARKED.sub(lambda _: data(str(next(places))), text) if kept else text)
        return MARKED.sub(lambda place: kept[int(place[1])], found) if kept else found

    def _text(self, text: str) -> str:
        if "\n" in text:
            return "\n".join(map(self._text, text.split("\n")))
        if text.startswith("| "):
            return "|".join(
                f" {self._text(cell.strip())} " if cell.strip() else cell for cell in text.split("|")
            )
        row = _ROW.fullmatch(text)
        if row:
            return _AFTER_CHINESE.sub("", row[1] + self._translated(row[2]) + row[3] + self._text(row[4]))
        head = _HEAD.match(text)
        start = head.end() if head else 0
        bare = text[start:].rstrip()
        return text[:start] + self._translated(bare) + text[start + len(bare) :]

    def _translated(self, text: str) -> str:
        known = self._known(text)
        if known is not None:
            return known
        if _NUMBER.fullmatch(text):
            return self.number(text)
        semicolon = {"fr": " ; ", "zh": "；"}.get(self.language, "; ")
        for pause, joint in ((_SENTENCE, " "), (" ?; ", semicolon), (": ", ": "), (", ", ", ")):
            parts = re.split(pause, text, maxsplit=pause == ": ")
            if len(parts) > 1:
                return _AFTER_CHINESE.sub("", joint.join(map(self._translated, parts)))
        return text

    def _known(self, text: str) -> Optional[str]:
        """Return the translation of a whole text; None if the catalogue has none."""
        if text in self._exact:
            return self._exact[text]
        if " " in text:
            for pattern, words in self._patterns:
                found = pattern.fullmatch(text)
                if found:
                    values = found.groupdict()
                    for name, value in values.items():
                        values[name] = self._names(value) if name in "abcdef" else self._text(value)
                    return _BETWEEN_CHINESE.sub("", _filled(words, values))
        return None

    def _names(self, text: str) -> str:
        """Return names as they are; the end of a list of some of them is translated."""
        cut = _CUT_LIST.fullmatch(text)
        return cut[1] + self._text(f".{cut[2]}")[1:] if cut else text

    def number(self, text: str) -> str:
        """Return a number, written as in English, as the language writes it; in Spanish, four digits have no space."""
        if self._signs is None:
            return text
        whole, point, rest = text.partition(".")
        thousands = "" if self.language == "es" and len(whole) < len("10,000") else self._signs[0]
        return whole.replace(",", thousands) + (self._signs[1] if point else "") + rest


def _open(english: str) -> bool:
    return "{" in english or "(s)" in english


def _filled(words: str, values: Mapping[str, str]) -> str:
    """Return a translation with its values, and with the form of nouns that their numbers require."""
    one = {name for name, value in values.items() if value == "1"}
    chosen = _PLURAL.sub(lambda found: found[1] + found[3 if found[2] in one else 4], words)
    return chosen.format(**values)


_PLACES = {
    **dict.fromkeys("nmkl", r"[-+−]?\d[\d.,]*"),
    **dict.fromkeys("pc", "[^,]+"),
    **dict.fromkeys("ef", "[^;]+"),
    "q": "[^,;.]+",
}


def _pattern(english: str) -> str:
    """Return a regular expression that matches the texts of an entry of a catalogue."""
    pattern = re.escape(english).replace(r"\(s\)", "s?")
    return re.sub(r"\\{(\w)\\}", lambda found: f"(?P<{found[1]}>{_PLACES.get(found[1], '.+?')})", pattern)


_USED = {"console": Words(ENGLISH, {}), "page": Words(ENGLISH, {})}
"""The language of the running program, which `speak` chooses."""


def speak(folder: Path) -> None:
    """Use the language of a program or kit from now on: that of the catalogue in its folder, or English."""
    content: dict[str, Any] = {"language": ENGLISH, "words": {}}
    if (folder / WORDS_FILE).is_file():
        content = json.loads((folder / WORDS_FILE).read_text(encoding="utf-8"))
    for place in _USED:
        _USED[place] = Words(content["language"], content["words"], numbers=place == "page")


def said(text: str) -> str:
    """Return a text in the language, for a console; numbers stay as in files."""
    return _USED["console"](text)


def written(text: str) -> str:
    """Return a text in the language, for a page."""
    return _USED["page"](text)


def language_of_pages() -> str:
    """Return the code of the language, for the attribute `lang` of a page."""
    return _USED["page"].language
