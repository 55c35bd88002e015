"""Options of a scoring program: the organiser's choices, in `options.json` beside `score.py`.

A reference's labels count as hidden unless its fingerprint is among those that the organiser declared
public; so a program that travels without its options, or meets a reference it does not know, keeps silent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Choices = Mapping[str, Sequence[str]]
"""`option -> its values`, the default first: what `score.py` declares as `OPTIONS`."""


@dataclass(frozen=True)
class Options:
    """What the organiser chose.

    Attributes
    ----------
    chosen: `option -> value`, one for each option that the score program declares.
    labels_public: whether the participants have the labels of this reference (a development set).
    detailed_results: whether `detailed_results.html` is written.
    reference: the reference's fingerprint.
    """

    chosen: dict[str, str]
    labels_public: bool
    detailed_results: bool
    reference: str

    def __getitem__(self, option: str) -> str:
        return self.chosen[option]


def read_options(path: Path, choices: Choices, reference: Path) -> Options:
    """The options in a file; each one's default where the file is absent.

    Parameters
    ----------
    reference: the folder with the reference's files.

    Raises
    ------
    ValueError: an option or a value that the program does not declare.
    """
    chosen = {option: values[0] for option, values in choices.items()}
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    unknown = sorted(set(content) - {"options", "public_references", "detailed_results"})
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
    known = fingerprint({file.name: file.read_bytes() for file in reference.iterdir() if file.is_file()})
    return Options(
        chosen,
        labels_public=known in content.get("public_references", ()),
        detailed_results=content.get("detailed_results", False),
        reference=known,
    )


def fingerprint(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hexadecimal) of a reference's files: of their names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(b"%d %s %d " % (len(file.encode()), file.encode(), len(files[file])))
        digest.update(files[file])
    return digest.hexdigest()
