"""Options of a scoring program: the organiser's choices, in `options.json` beside `score.py`.

A reference's labels count as hidden unless its fingerprint is among those that the organiser declared
public; so a program that travels without its options, or meets a reference it does not know, keeps silent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from ..task import Number, Task
from ..version import __version__
from .feedback import EXACT
from .reference import Reference
from .signature import Signature

OPTIONS_FILE = "options.json"

KEYS: Mapping[str, type] = {
    "options": dict,
    "public_references": list,
    "feedback": str,
    "sets": dict,
    "detailed_results": bool,
    "baselines": dict,
    "decimals": dict,
}
"""What `options.json` may hold."""


@dataclass(frozen=True)
class Options:
    """What the organiser chose.

    Attributes
    ----------
    chosen: `option -> value`, one for each option of the task.
    labels_public: whether the participants have the labels of this reference (a development set).
    compared_by: what two results must have in common to be compared: the fingerprint of a public reference; of a
        hidden one only that of all its items, and the part that is scored, because whoever knew a fingerprint of the
        labels, or of the items in a part, could try guesses against it.
    detailed_results: whether `detailed_results.html` is written.
    steps: with coarse feedback, `key -> step` of the scores that a board of hidden labels shows; None where it shows
        all, exactly.
    floor: the line that a submission gets there which is no better; None where it is not known.
    trivial: what answers that know nothing get on this set, `what they answer -> primary score`.
    baseline: the baseline's scores on this reference, where its labels are public; empty where they are not known.
    decimals: of the leaderboard's columns, `key -> decimals`.
    """

    chosen: Mapping[str, str]
    labels_public: bool
    compared_by: str
    detailed_results: bool = False
    steps: Optional[Mapping[str, float]] = None
    floor: Optional[Mapping[str, Number]] = None
    trivial: Mapping[str, Number] = field(default_factory=dict)
    baseline: Mapping[str, Number] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, option: str) -> str:
        return self.chosen[option]

    @property
    def coarse(self) -> bool:
        """Whether the scores are written in steps, because the labels are hidden."""
        return self.steps is not None and not self.labels_public

    def signature(self, task: Task) -> Signature:
        options = tuple(f"{option}:{value}" for option, value in sorted(self.chosen.items()))
        compared_by = Signature.parse(f"{task.name}|{self.compared_by}")
        return replace(compared_by, options=options, coarse=self.coarse, version=__version__)


def read_options(path: Path, task: Task, folder: Path, reference: Reference) -> Options:
    """The options in a file; each one's default where the file is absent.

    Parameters
    ----------
    folder: with the reference's files.

    Raises
    ------
    ValueError: an option or a value that the task does not have.
    """
    content = json.loads(path.read_bytes()) if path.exists() else {}
    unknown = sorted(set(content) - set(KEYS))
    if unknown:
        raise ValueError(f"{path.name}: unknown key {unknown[0]}")
    files = fingerprint({file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()})
    public = files in content.get("public_references", ())
    ids = items_fingerprint(reference.items.ids)
    scored_on = f"items:{ids[:12]}" + (f"|part:{reference.part}" if reference.part else "")
    known = content.get("sets", {}).get(files if public else ids, {})
    return Options(
        chosen=choose_options(task, content.get("options", {})),
        labels_public=public,
        compared_by=f"reference:{files[:12]}" if public else scored_on,
        detailed_results=content.get("detailed_results", False),
        steps=_steps(content, known),
        floor=known.get("floor"),
        trivial=known.get("trivial", {}),
        baseline=content.get("baselines", {}).get(files, {}) if public else {},
        decimals=content.get("decimals", {}),
    )


def with_options(path: Path, task: Task) -> Task:
    """A task as the options in a file have it; the task itself where the file is absent.

    Raises
    ------
    ValueError: an option or a value that the task does not have.
    """
    content = json.loads(path.read_bytes()) if path.exists() else {}
    return task.with_options(choose_options(task, content.get("options", {})))


def _steps(content: Mapping[str, Any], known: Mapping[str, Any]) -> Optional[dict[str, float]]:
    """A set's steps; of one that the bundle was built without, the largest of all sets."""
    if content.get("feedback", EXACT) == EXACT:
        return None
    largest: dict[str, float] = {}
    for told in [known] if known else content.get("sets", {}).values():
        largest.update({key: max(step, largest.get(key, 0)) for key, step in told["steps"].items()})
    return largest


def choose_options(task: Task, chosen: Mapping[str, str]) -> dict[str, str]:
    """The value of each of a task's options: the chosen one, or the default.

    Raises
    ------
    ValueError: an option or a value that the task does not have.
    """
    allowed = {option.name: option.values for option in task.options}
    for option, value in chosen.items():
        if option not in allowed:
            raise ValueError(f"unknown option {option!r}")
        if value not in allowed[option]:
            raise ValueError(f"{option} is {value!r}; expected one of {', '.join(allowed[option])}")
    return {**{option: values[0] for option, values in allowed.items()}, **chosen}


def wants_page(path: Path) -> bool:
    """Whether `detailed_results` is set in an options file; what cannot be read does not say so."""
    try:
        return json.loads(path.read_bytes()).get("detailed_results") is True
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
    return hashlib.sha256("\n".join(sorted(items)).encode()).hexdigest()
