"""Fill in texts for participants (pages and kits' READMEs): insert facts, and drop text whose condition is false."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from string import Template

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import BASELINE
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import DECIDING_SET, TRIAL_SET
from spokeneval.formats.problems import closest, suggestion

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
"""Jinja with `${name}` for a fact, because BibTeX citations contain double braces."""


def fill(data: bytes, where: str, facts: Mapping[str, str], holds: Mapping[str, bool]) -> str:
    """Fill in a Markdown text: `${name}` inserts a fact, `$$` a dollar sign, `{% if NAME %}` tests a condition.

    Parameters
    ----------
    where: the file's name, for error messages.
    facts, holds: the facts and conditions that the text can use, by name.

    Raises
    ------
    OrganiserError: a text that is not UTF-8, is not a valid template, or uses an unknown name.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OrganiserError(f"{where} line {line}: not UTF-8; save it as UTF-8") from None
    known = {**{name: value for name, value in holds.items() if name.isidentifier()}, **facts}
    if old := _OLD_CONDITION.search(text):
        raise OrganiserError(
            f"{where} line {_line(text, old.start())}: {old[0]} is no longer read; write {{% if NAME %}} and "
            "{% endif %} instead"
        )
    text = _checked(text, where, facts)
    try:
        tree = TEMPLATES.parse(text)
        unknown = find_undeclared_variables(tree) - known.keys()
        if not unknown:
            return TEMPLATES.from_string(tree).render(known)
    except TemplateSyntaxError as error:
        raise OrganiserError(
            f"{where} line {error.lineno}: {error.message}; if the {{% belongs to the text, put "
            "{% raw %} and {% endraw %} around it"
        ) from None
    except TemplateError as error:
        raise OrganiserError(f"{where}: {error.message}") from None
    place, name = min((text.index(name), name) for name in unknown)
    raise OrganiserError(f"{where} line {_line(text, place)}: unknown name {name}; {suggestion(name, known)}")


def _checked(text: str, where: str, facts: Mapping[str, str]) -> str:
    """Return a text with each `$name` as `${name}`, and each `$$` as an expression; refuse unknown facts."""

    def replaced(found: re.Match[str]) -> str:
        name = found["named"] or found["braced"] or ""
        if name in facts:
            return f"${{{name}}}"
        if found["escaped"]:
            return "${'$'}"
        near = closest(name, facts)
        hint = f"did you mean ${{{near}}}?" if near else f"${{name}} can be {', '.join(facts)}."
        raise OrganiserError(
            f"{where} line {_line(text, found.start())}: {found[0]} is not a fact; {hint} Write $$ for a dollar sign"
        )

    return Template.pattern.sub(replaced, text)


_OLD_CONDITION = re.compile(r"<!-- (only|without) \S+ -->")
"""The notation for conditions before Jinja."""


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def what_holds(
    competition: Competition, references: Iterable[ReferenceSet], solved: Collection[str]
) -> dict[str, bool]:
    """Return the conditions that a text can test.

    They are: whether the data are the sample's; whether the kit's baseline runs on the first set, and on the last one;
    whether the labels of the first set are public; whether the last set is another than the first; and whether an
    option has a value (`option=value`). Those of the two sets have the names that the sets usually have.

    Parameters
    ----------
    solved: the sets on which the baseline runs.
    """
    sets, samples = competition.sets, competition.sources.root / "reference_data"
    holds = {
        "sample": all(each.source.is_relative_to(samples) for each in references),
        BASELINE: sets[0] in solved,
        f"{BASELINE}_{DECIDING_SET}": competition.last_set in solved,
        TRIAL_SET: sets[0] in competition["public_sets"],
        DECIDING_SET: competition.last_set != sets[0],
    }
    chosen = chosen_options(competition)
    for option in competition.definition.options:
        holds.update({f"{option.name}={value}": chosen[option.name] == value for value in option.values})
    return holds


def chosen_options(competition: Competition) -> dict[str, str]:
    """Return the value of each of the task's options: the organiser's choice, or the default."""
    return {option.name: option.values[0] for option in competition.definition.options} | competition.options


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    head = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return head + [f"| {' | '.join(row)} |" for row in rows]
