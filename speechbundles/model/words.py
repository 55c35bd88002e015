"""The catalogues of translations that are beside this module, `words.yaml`, which English competitions never read."""

from functools import cache
from pathlib import Path

import yaml

from spokeneval.run.words import ENGLISH, Words


@cache
def entries() -> list[dict[str, str]]:
    """Return texts of pages, programs and reports: for each language, by its code, the text."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    found: list[dict[str, str]] = yaml.safe_load(text)
    return found


def catalogue(language: str) -> dict[str, str]:
    """Return the catalogue of a language, `English text -> translation`; empty for English."""
    if language == ENGLISH:
        return {}
    return {entry[ENGLISH]: entry[language] for entry in entries() if language in entry}


@cache
def words_of(language: str) -> Words:
    """Return the texts of a language for pages."""
    return Words(language, catalogue(language))
