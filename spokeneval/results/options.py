"""Options of a scoring program: the organiser's choices, in `options.json` beside `score.py`.

A reference's labels count as hidden unless its fingerprint is among those that the organiser declared
public; so a program that travels without its options, or meets a reference it does not know, keeps silent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from .scores import Score

Choices = Mapping[str, Sequence[str]]
"""`option -> its values`, the default first: what `score.py` declares as `OPTIONS`."""


KEYS = frozenset({"options", "public_references", "rounded_sets", "detailed_results", "baselines", "columns"})
"""What `options.json` may hold."""


@dataclass(frozen=True)
class Options:
    """What the organiser chose.

    Attributes
    ----------
    chosen: `option -> value`, one for each option that the score program declares.
    labels_public: whether the participants have the labels of this reference (a development set).
    detailed_results: whether `detailed_results.html` is written.
    rounded: whether the scores are rounded to what they support.
    compared_by: what two results must have in common to be compared: the fingerprint of a public reference; of a
        hidden one only its items', because whoever knew a fingerprint of the labels could try guesses against it.
    baseline: the baseline's scores on this reference, where its labels are public; empty where they are not known.
    columns: the leaderboard's columns, `key -> title, direction, precision, description`.
    """

    chosen: dict[str, str]
    labels_public: bool
    detailed_results: bool
    rounded: bool
    compared_by: str
    baseline: Mapping[str, Score] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __getitem__(self, option: str) -> str:
        return self.chosen[option]

    def signature(self, task: str) -> str:
        """One line that says how a result was computed: compare two results only if it is the same."""
        options = [f"{option}:{value}" for option, value in sorted(self.chosen.items())]
        rounding = ["rounded"] if self.rounded else []
        return "|".join([task, *options, *rounding, self.compared_by, f"spokeneval:{__version__}"])


def read_options(path: Path, choices: Choices, reference: Path, items: Sequence[str]) -> Options:
    """The options in a file; each one's default where the file is absent.

    Parameters
    ----------
    choices: the options that the program declares.
    reference: the folder with the reference's files.
    items: the ids of its items.

    Raises
    ------
    ValueError: an option or a value that the program does not declare.
    """
    chosen = {option: values[0] for option, values in choices.items()}
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    unknown = sorted(set(content) - KEYS)
    if unknown:
        raise ValueError(f"{path.name}: unknown key {unknown[0]}")
    for option, value in content.get("options", {}).items():
        if option not in choices:
            raise ValueError(f"{path.name}: unknown option {option!r}")
        if value not in choices[option]:
            raise ValueError(
                f"{path.name}: {option} is {value!r}; expected one of {', '.join(choices[option])}"
            )
        chosen[option] = value
    files = fingerprint({file.name: file.read_bytes() for file in reference.iterdir() if file.is_file()})
    ids = items_fingerprint(items)
    public = files in content.get("public_references", ())
    return Options(
        chosen,
        labels_public=public,
        detailed_results=content.get("detailed_results", False),
        rounded=ids in content.get("rounded_sets", ()),
        compared_by=f"reference:{files[:12]}" if public else f"items:{ids[:12]}",
        baseline=content.get("baselines", {}).get(files, {}) if public else {},
        columns={column["key"]: column for column in content.get("columns", ())},
    )


def wants_page(path: Path) -> bool:
    """Whether `detailed_results` is set in an options file; what cannot be read does not say so."""
    try:
        return json.loads(path.read_text(encoding="utf-8")).get("detailed_results") is True
    except (OSError, ValueError, AttributeError):
        return False


def fingerprint(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hexadecimal) of a reference's files: of their names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(b"%d %s %d " % (len(file.encode()), file.encode(), len(files[file])))
        digest.update(files[file])
    return digest.hexdigest()


def items_fingerprint(items: Sequence[str]) -> str:
    """SHA-256 (hexadecimal) of a set's public item ids, in the order of their names."""
    return hashlib.sha256("\n".join(sorted(items)).encode("utf-8")).hexdigest()
