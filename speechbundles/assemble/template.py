"""Texts for participants, pages and kits' READMEs: the facts filled in, what does not hold taken out."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import BASELINE
from speechbundles.model.competition import Competition, CompetitionError
from speechbundles.model.text import closest
from speechbundles.model.zips import TRIAL_SET
from spokeneval.tasks import find_task


def fill(data: bytes, where: str, facts: Mapping[str, str], holds: Mapping[str, bool]) -> str:
    """A text in Markdown.

    `${name}` stands for a fact, `$$` for a dollar sign. What stands between the lines `<!-- only NAME -->` and
    `<!-- end -->` is there where NAME holds, or `NAME,NAME` both do; `<!-- without NAME -->` where it does not.

    Parameters
    ----------
    where: the file's name, for refusals.
    facts, holds: what texts can name.

    Raises
    ------
    CompetitionError: a text that is not UTF-8, a `$` that stands for nothing, an `only` that there is not.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CompetitionError(f"{where} line {line}: not UTF-8; save it as UTF-8") from None
    for found in Template.pattern.finditer(text):
        name = found["named"] or found["braced"] or ""
        if name in facts or found["escaped"]:
            continue
        line = text.count("\n", 0, found.start()) + 1
        near = closest(name, facts)
        hint = f"did you mean ${{{near}}}?" if near else f"${{name}} can be {', '.join(facts)}."
        raise CompetitionError(
            f"{where} line {line}: {found[0]} stands for nothing; {hint} A dollar sign is $$"
        )

    def kept(block: re.Match[str]) -> str:
        names = block["names"].split(",")
        for name in names:
            if name not in holds:
                line = text.count("\n", 0, block.start()) + 1
                raise CompetitionError(
                    f"{where} line {line}: {block['when']} {name}; expected one of {', '.join(holds)}"
                )
        return block["text"] if all(holds[name] for name in names) == (block["when"] == "only") else ""

    return Template(_BLOCK.sub(kept, text)).substitute(facts)


_BLOCK = re.compile(r"<!-- (?P<when>only|without) (?P<names>\S+) -->\n(?P<text>.*?)<!-- end -->\n", re.DOTALL)


def what_holds(root: Path, competition: Competition, references: Iterable[ReferenceSet]) -> dict[str, bool]:
    """What a sentence can depend on: whose data they are, whether there are a baseline and labels to try with, and
    each value of an option."""
    holds = {
        "sample": is_sample(root, references),
        BASELINE: BASELINE not in competition["leave_out"],
        TRIAL_SET: TRIAL_SET in competition["public_sets"],
    }
    chosen = chosen_options(competition)
    for option in find_task(competition.task).options:
        holds.update({f"{option.name}={value}": chosen[option.name] == value for value in option.values})
    return holds


def chosen_options(competition: Competition) -> dict[str, str]:
    """The value of each of the task's options."""
    return {
        option.name: option.values[0] for option in find_task(competition.task).options
    } | competition.options


def is_sample(root: Path, references: Iterable[ReferenceSet]) -> bool:
    """Whether all sets are the repository's own."""
    return all(reference.source.is_relative_to(root / "reference_data") for reference in references)
