"""Texts for participants, pages and kits' READMEs: the facts filled in, what does not hold taken out."""

import re
from collections.abc import Iterable, Mapping, Set
from functools import cache
from string import Template

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2 import Template as JinjaTemplate
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import BASELINE
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import closest
from speechbundles.model.zips import TRIAL_SET
from spokeneval.tasks import find_task

TEMPLATES = SandboxedEnvironment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    variable_start_string="${",
    variable_end_string="}",
    comment_start_string="{%#",
    comment_end_string="#%}",
)
"""Jinja with `${name}` for a fact, because citations in BibTeX have double braces."""


def fill(data: bytes, where: str, facts: Mapping[str, str], holds: Mapping[str, bool]) -> str:
    """A text in Markdown with its facts: `${name}` is one, `$$` a dollar sign; `{% if NAME %}` asks whether NAME holds.

    Parameters
    ----------
    where: the file's name, for refusals.
    facts, holds: what texts can name.

    Raises
    ------
    OrganiserError: a text that is not UTF-8, that is no template, or that names what there is not.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OrganiserError(f"{where} line {line}: not UTF-8; save it as UTF-8") from None
    known = {**{name: value for name, value in holds.items() if name.isidentifier()}, **facts}
    text = _with_conditions(_checked(text, where, facts), where, holds)
    try:
        template, names = _compiled(text)
        unknown = names - known.keys()
        if not unknown:
            return template.render(known)
    except TemplateSyntaxError as error:
        raise OrganiserError(
            f"{where} line {error.lineno}: {error.message}; write {{% raw %}} and {{% endraw %}} around a "
            "{% that is text"
        ) from None
    except TemplateError as error:
        raise OrganiserError(f"{where}: {error.message}") from None
    place, name = min((text.index(name), name) for name in unknown)
    near = closest(name, known)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
    raise OrganiserError(f"{where} line {_line(text, place)}: there is no {name}; {hint}")


@cache
def _compiled(text: str) -> tuple[JinjaTemplate, Set[str]]:
    """A template and the names in it. A build fills the shared texts once for each page of each bundle."""
    tree = TEMPLATES.parse(text)
    return TEMPLATES.from_string(tree), find_undeclared_variables(tree)


def _checked(text: str, where: str, facts: Mapping[str, str]) -> str:
    """A text whose dollar signs are all facts, or the fact that is a dollar sign."""

    def replaced(found: re.Match[str]) -> str:
        name = found["named"] or found["braced"] or ""
        if name in facts:
            return f"${{{name}}}"
        if found["escaped"]:
            return "${'$'}"
        near = closest(name, facts)
        hint = f"did you mean ${{{near}}}?" if near else f"${{name}} can be {', '.join(facts)}."
        raise OrganiserError(
            f"{where} line {_line(text, found.start())}: {found[0]} stands for nothing; {hint} A dollar sign is $$"
        )

    return Template.pattern.sub(replaced, text)


OLD_CONDITION = re.compile(
    r"<!-- (?P<when>only|without) (?P<names>\S+) -->\n(?P<text>.*?)<!-- end -->\n", re.DOTALL
)
"""How a condition was written before Jinja's; it is read in this version, with a warning."""


def _with_conditions(text: str, where: str, holds: Mapping[str, bool]) -> str:
    """Blocks of the older notation, kept where their condition holds."""

    def kept(block: re.Match[str]) -> str:
        names = block["names"].split(",")
        for name in names:
            if name not in holds:
                line = _line(text, block.start())
                raise OrganiserError(
                    f"{where} line {line}: {block['when']} {name}; expected one of {', '.join(holds)}"
                )
        return block["text"] if all(holds[name] for name in names) == (block["when"] == "only") else ""

    return OLD_CONDITION.sub(kept, text)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def what_holds(competition: Competition, references: Iterable[ReferenceSet]) -> dict[str, bool]:
    """What a sentence can depend on: whose data they are, whether there are a baseline and labels to try with, and
    each value of an option."""
    holds = {
        "sample": is_sample(competition, references),
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


def is_sample(competition: Competition, references: Iterable[ReferenceSet]) -> bool:
    """Whether all sets are the repository's own."""
    return all(
        reference.source.is_relative_to(competition.sources.root / "reference_data")
        for reference in references
    )
