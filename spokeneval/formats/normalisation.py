"""Text normalisation: which differences between two transcripts are no errors.

A normaliser is a list of named rules, all off unless listed. Rules are applied in the order of `RULES`, whatever words
they concern, and a list in another order is refused, so that one list has one meaning. What remains is split into words
at white space. Numbers stay as they are written.

Two word error rates may be compared if their rules are the same, so the rules are part of a result's signature.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional, Union

from .text import nfc

MARK = "…"
"""Stands for any text in a value of `drop_marked`, such as `<…>`."""

_APOSTROPHES = "'’ʼ＇"


class Rule(NamedTuple):
    """A rule of normalisation.

    Attributes
    ----------
    name
        As an organiser writes it.
    description
        What it does, in one line.
    takes
        "" for nothing, "words" for a list, "table" for a table of words.
    """

    name: str
    description: str
    takes: str = ""

    @property
    def written(self) -> str:
        """How an organiser writes it in a list."""
        return {"": self.name, "words": f"{{{self.name}: [WORD, ...]}}", "table": f"{{{self.name}: FILE}}"}[
            self.takes
        ]


RULES = (
    Rule(
        "whisper_english", "Whisper's normal form for English, with numbers in digits and American spellings"
    ),
    Rule(
        "whisper_basic",
        "Whisper's normal form for other languages: no capital letters, punctuation, text in brackets, or vowel signs "
        "such as those of Hindi",
    ),
    Rule("chime8", "the normal form of CHiME-8 for English, with numbers in words and without fillers"),
    Rule("nfkc", "compose characters and replace compatibility forms (Unicode NFKC)"),
    Rule("casefold", "ignore the difference between capital and small letters (Unicode case folding)"),
    Rule(
        "replace",
        "replace texts, also inside words, such as signs of IPA; the longest text first; several tables one after the "
        "other",
        "table",
    ),
    Rule("drop_marked", "drop marked text, such as <noise> for the value <…> or [laughs] for […]", "words"),
    Rule("split_hyphens", "split words at hyphens and dashes (Unicode Pd)"),
    Rule("join_apostrophes", "drop apostrophes inside words: don't becomes dont"),
    Rule(
        "drop_punctuation", "drop punctuation and symbols (Unicode P and S), but not apostrophes inside words"
    ),
    Rule(
        "spelling",
        "replace whole words",
        "table",
    ),
    Rule("drop", "drop these words, such as fillers", "words"),
)

_NAMES = [rule.name for rule in RULES]
NAMED = tuple(_NAMES[:3])
"""The rules of `english`, which go first."""


@dataclass(frozen=True)
class Normaliser:
    """What is done with transcripts before words are compared.

    Attributes
    ----------
    rules
        Names of `RULES` in their order, each with its value: None, the words of a list, or pairs (a word, what replaces
        it).

    Examples
    --------
    >>> normaliser = read_rules(["casefold", "drop_punctuation", {"drop": ["uh", "um"]}])
    >>> normaliser.words(["Um, I don't know.", "..."])
    [['i', "don't", 'know'], []]
    """

    rules: tuple[tuple[str, Any], ...] = ()

    def words(self, texts: Sequence[str], most: Optional[int] = None) -> list[list[str]]:
        """Return the words of each text.

        Parameters
        ----------
        most
            The most characters of all texts after each rule. Some characters become many: one of Unicode, U+FDFA, has
            a compatibility form of 18.

        Raises
        ------
        ValueError
            More than `most` characters.
        """
        if not self.rules:
            return list(map(_split, texts))
        if self.rules[0][0] in NAMED:
            from . import english  # only here, because it reads tables

            texts = list(map(getattr(english, self.rules[0][0]), texts))
        lines = "\n".join(" ".join(text.split()) for text in texts)
        for place, (name, value) in enumerate(self.rules):
            if most is not None and len(lines) > most:
                break
            if name in NAMED:
                continue
            if name in _TEXT_RULES:
                lines = _TEXT_RULES[name](lines, value)
                continue
            # Words in tables and lists are written as people write them, so the earlier rules hold for them too.
            earlier = Normaliser(self.rules[:place])
            if name == "drop":
                table = {word: "" for words in earlier.words(value) for word in words}
            else:
                olds, news = (earlier.words(column) for column in zip(*value))
                table = {" ".join(old): " ".join(new) for old, new in zip(olds, news)}
            if name == "replace":
                lines = _replaced(lines, table)
                continue
            lines = "\n".join(
                " ".join(table.get(word, word) for word in line.split()) for line in lines.split("\n")
            )
        if most is not None and len(lines) > most:
            raise ValueError(f"{len(lines)} characters after normalisation; expected at most {most}")
        return [_split(line) for line in lines.split("\n")][: len(texts)]

    @property
    def text(self) -> str:
        """One line that differs if the rules do: their names, and a hash of each one's value.

        >>> one, other = (read_rules([{"drop": words}]) for words in (["um", "uh"], ["uh", "um"]))
        >>> one.text == other.text
        True
        """
        return "+".join(name if value is None else f"{name}={_hash(value)}" for name, value in self.rules)


def _split(text: str) -> list[str]:
    """The words of a text. Equal words are one object, so that a million transcripts take half of the memory."""
    return list(map(sys.intern, text.split()))


def _hash(value: Iterable[Any]) -> str:
    return hashlib.sha256(json.dumps(sorted(set(value))).encode()).hexdigest()[:12]


def read_rules(declared: Union[str, Sequence[Union[str, Mapping[str, Any]]]]) -> Normaliser:
    """Return the normaliser that a list declares.

    Parameters
    ----------
    declared
        The name of a rule, or names, or `{name: value}` for a rule that takes words or a table (pairs of words).

    Raises
    ------
    ValueError
        An unknown rule, a rule twice or out of order, a missing or wrong value, two rows for one word.

    Examples
    --------
    >>> read_rules(["casefold", "nfkc"])
    Traceback (most recent call last):
    ValueError: rule 'nfkc' after 'casefold'; expected the order nfkc, casefold
    """
    rules: list[tuple[str, Any]] = []
    for each in [declared] if isinstance(declared, str) else declared:
        if isinstance(each, Mapping) and len(each) == 1:
            ((name, value),) = each.items()
        elif isinstance(each, str):
            name, value = each, None
        else:
            raise ValueError(f"rule {each!r}; expected a name, or one name with its value")
        rules.append((name, _checked_value(name, value)))
    names = [name for name, _ in rules]
    if len(set(NAMED).intersection(names)) > 1:
        raise ValueError(
            f"rules {' and '.join(sorted(set(NAMED).intersection(names)))}; expected one of them"
        )
    for name, following in zip(names, names[1:]):
        if name == following != "replace":
            raise ValueError(f"rule {name!r} twice")
        if _NAMES.index(name) > _NAMES.index(following):
            expected = ", ".join(sorted(dict.fromkeys(names), key=_NAMES.index))
            raise ValueError(f"rule {following!r} after {name!r}; expected the order {expected}")
    return Normaliser(tuple(rules))


def _checked_value(name: str, value: Any) -> Any:
    """A rule's value as a tuple; ValueError for one that the rule cannot have."""
    takes = {rule.name: rule.takes for rule in RULES}
    if name not in takes:
        raise ValueError(f"no rule {name!r}; there are {', '.join(_NAMES)}")
    if not takes[name]:
        if value is not None:
            raise ValueError(f"rule {name!r} takes no value; found {value!r}")
        return None
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"rule {name!r}: {value!r}; expected a list of {takes[name]}")
    if takes[name] == "words":
        for word in value:
            if not isinstance(word, str) or not word.strip():
                raise ValueError(f"rule {name!r}: {word!r}; expected a word")
            if name == "drop_marked" and (word.count(MARK) != 1 or not all(word.split(MARK))):
                raise ValueError(f"rule {name!r}: {word!r}; expected signs around {MARK}, such as <{MARK}>")
        return tuple(value)
    for row in value:
        if (
            not isinstance(row, (list, tuple))
            or len(row) != 2
            or not all(isinstance(cell, str) for cell in row)
        ):
            raise ValueError(f"rule {name!r}: {row!r}; expected a word and its replacement")
        if len(row[0].split()) != 1 and name != "replace":
            raise ValueError(f"rule {name!r}: {row[0]!r}; expected one word in the first column")
    for word, rows in Counter(word for word, _ in value).items():
        if rows > 1:
            raise ValueError(f"rule {name!r}: {word!r} has {rows} rows; expected one")
    return tuple(map(tuple, value))


def _drop_marked(text: str, marks: Sequence[str]) -> str:
    for mark in marks:
        opening, closing = mark.split(MARK)
        text = "\n".join(_drop_between(line, opening, closing) for line in text.split("\n"))
    return text


def _drop_between(line: str, opening: str, closing: str) -> str:
    """Replace what is between signs by a space. A regular expression would be quadratic in openings without an end."""
    kept: list[str] = []
    end = 0
    while True:
        start = line.find(opening, end)
        close = line.find(closing, start + len(opening)) if start >= 0 else -1
        if close < 0:
            return "".join([*kept, line[end:]])
        kept += [line[end:start], " "]
        end = close + len(closing)


def _replaced(text: str, table: Mapping[str, str]) -> str:
    """Replace the longest text first. Letters with an accent that begins a text of the table are taken apart, so that
    the accent is found whether or not Unicode has a composed form of the letter with it."""
    accents = {old[0] for old in table if old and unicodedata.combining(old[0])}
    signs = {sign: unicodedata.normalize("NFD", sign) for sign in set(text).union(*table)} if accents else {}
    apart = str.maketrans({sign: parts for sign, parts in signs.items() if accents.intersection(parts)})
    table = {old.translate(apart): new for old, new in table.items() if old}
    longest = map(re.escape, sorted(table, key=len, reverse=True))
    found = re.sub("|".join(longest), lambda old: table[old[0]], text.translate(apart)) if table else text
    return nfc(found)


def _join_apostrophes(text: str, value: None) -> str:
    return re.sub(rf"(?<=\w)[{_APOSTROPHES}](?=\w)", "", text)


def _split_hyphens(text: str, value: None) -> str:
    return text.translate({ord(sign): " " for sign in set(text) if unicodedata.category(sign) == "Pd"})


def _drop_punctuation(text: str, value: None) -> str:
    signs = {sign for sign in set(text) - set(_APOSTROPHES) if unicodedata.category(sign)[0] in "PS"}
    text = text.translate({**dict.fromkeys(map(ord, signs)), **dict.fromkeys(map(ord, _APOSTROPHES), "'")})
    return re.sub(r"(?<!\w)'|'(?!\w)", "", text)


_TEXT_RULES: Mapping[str, Callable[[str, Any], str]] = {
    "nfkc": lambda text, value: unicodedata.normalize("NFKC", text),
    "casefold": lambda text, value: text.casefold(),
    "drop_marked": _drop_marked,
    "split_hyphens": _split_hyphens,
    "join_apostrophes": _join_apostrophes,
    "drop_punctuation": _drop_punctuation,
}
