"""Build a starting kit's notebook from `starting_kit/walkthrough.py` and the kit's README.

The script uses Jupytext's percent format: `# %%` starts a code cell, `# %% [markdown]` a text cell.
"""

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from speechbundles.assemble.template import TEMPLATES

NOTEBOOK = "walkthrough.ipynb"
SCRIPT = "starting_kit/walkthrough.py"

_STEPS = ("README.md", "baseline.py", "development/reference/", "evaluation/input/")
"""Beginnings of file names: the steps of the notebook need at least one file of each."""


def has_every_step(kit: Collection[str]) -> bool:
    """Whether a kit has the files that every step of the notebook needs."""
    return all(any(name.startswith(step) for name in kit) for step in _STEPS)


def walkthrough(root: Path, kit: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the notebook of a kit, `name -> content`, without outputs; empty if the kit lacks files for a step."""
    if not has_every_step(kit):
        return {}
    facts = _facts(kit["README.md"].decode("utf-8-sig", "replace"))
    script = (root / SCRIPT).read_text(encoding="utf-8")
    _, *parts = re.split(r"^# %%(| \[markdown\])\n", script, flags=re.MULTILINE)
    cells = [
        _text(source, facts) if kind else _code(source)
        for kind, source in zip(parts[::2], parts[1::2], strict=True)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    return {NOTEBOOK: (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()}


def _facts(readme: str) -> dict[str, str]:
    """Return a README's heading, first paragraph and last table."""
    heading, _, rest = readme.strip().partition("\n")
    tables = re.findall(r"^(?:\|.*\n?)+", readme, re.MULTILINE)
    return {
        "title": heading.lstrip("# "),
        "opening": rest.strip().partition("\n\n")[0],
        "files": tables[-1].strip() if tables else "",
    }


def _text(source: str, facts: Mapping[str, str]) -> dict[str, Any]:
    text = re.sub(r"^# ?", "", source.strip(), flags=re.MULTILINE)
    return {
        "cell_type": "markdown",
        "metadata": {},
        "source": _lines(TEMPLATES.from_string(text).render(facts)),
    }


def _code(source: str) -> dict[str, Any]:
    lines = _lines(source.strip())
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
