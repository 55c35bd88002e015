"""Build a starting kit's notebook from `starting_kit/walkthrough.py` and the kit's README.

The script uses Jupytext's percent format: `# %%` starts a code cell, `# %% [markdown]` a text cell. A cell with
`if="CONDITION"` is left out where the condition is false; the conditions are those of the README.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from speechbundles.bundle.build.template import TEMPLATES
from speechbundles.model.competition import Competition

NOTEBOOK = "walkthrough.ipynb"
SCRIPT = "starting_kit/walkthrough.py"

_CELL = re.compile(r'^# %%(?P<text> \[markdown\])?(?: if="(?P<when>.*)")?\n', re.MULTILINE)


def walkthrough(competition: Competition, readme: bytes, holds: Mapping[str, bool]) -> dict[str, bytes]:
    """Return the notebook of a kit, `name -> content`, without outputs.

    Parameters
    ----------
    readme: the kit's README, filled in.
    holds: the conditions that cells can test, by name.
    """
    sets = {"first_set": competition.sets[0], "last_set": competition.last_set}
    facts = {**_facts(readme.decode("utf-8-sig", "replace")), **sets, **holds}
    _, *parts = _CELL.split((competition.sources.root / SCRIPT).read_text(encoding="utf-8"))
    cells = [
        _cell(source.strip(), facts, is_text=bool(kind))
        for kind, when, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        if not when or TEMPLATES.compile_expression(when)(facts)
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


def _cell(source: str, facts: Mapping[str, Any], *, is_text: bool) -> dict[str, Any]:
    text = re.sub(r"^# ?", "", source, flags=re.MULTILINE) if is_text else source
    lines = TEMPLATES.from_string(text).render(facts).splitlines(keepends=True)
    if is_text:
        return {"cell_type": "markdown", "metadata": {}, "source": lines}
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}
