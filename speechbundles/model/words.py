"""The catalogues of translations that are beside this module, `words.yaml`."""

from pathlib import Path

import yaml

from spokeneval.run.words import ENGLISH

ENTRIES: list[dict[str, str]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
)
"""Texts of pages, programs and reports: for each language, by its code, the text."""


def catalogue(language: str) -> dict[str, str]:
    """Return the catalogue of a language, `English text -> translation`; empty for English."""
    if language == ENGLISH:
        return {}
    return {entry[ENGLISH]: entry[language] for entry in ENTRIES if language in entry}
