"""Writes the generated parts of the pages in docs/reference, from the code: `make reference`."""

from __future__ import annotations

import argparse
import inspect
import json
import pkgutil
import re
import runpy
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import click
import yaml
from docstrings import attributes, heading, members, module_page, module_title, object_entry

import spokeneval
import spokeneval.__main__
import spokeneval.metrics
from sample_data.demo import submissions
from speechbundles.cli.program import COMMANDS
from speechbundles.competition import schema as competition_schema
from speechbundles.competition.settings import files_of
from speechbundles.competition.whole import OF_THE_DATA
from speechbundles.model.text import inline_yaml
from speechbundles.model.zips import write_tree
from spokeneval.challenges import find_task, task_names
from spokeneval.description import FileDescription, describe_task
from spokeneval.formats.submission_folder import list_files
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import REQUIRED, Parameter
from spokeneval.scoring.scored import by_unit

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_SET = "evaluation"

PAGES = sorted((ROOT / "docs/reference").glob("*.md"))
_MARKER = re.compile(r"(<!-- generated: (.+?) -->)\n.*?<!-- end -->", re.DOTALL)
_MODULES = re.compile(r"<!-- generated: modules (\S+) (.+?) -->")
_OF_METRICS = re.compile(
    r"# Metrics: (.+)\n\nThis page describes (.+?)\. .*\n\n<!-- generated: modules spokeneval.metrics (.+?) -->"
)
_TRAILING = re.compile(r" +$", re.MULTILINE)


def main() -> None:
    """Write the generated parts of all pages anew."""
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


def filled(page: str) -> str:
    """A page with its generated parts, each between `<!-- generated: NAME ... -->` and `<!-- end -->`."""

    def generated(marker: re.Match[str]) -> str:
        name, *words = marker[2].split()
        text = "\n".join(GENERATORS[name](page, *words) if words else GENERATORS[name]())
        return f"{marker[1]}\n\n{_TRAILING.sub('', text).strip()}\n\n<!-- end -->"

    return _MARKER.sub(generated, page)


def _entries(described: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A list of those that have a description."""
    yield from (f"- `{term}`: {meaning}" for term, meaning in described if meaning)
    yield ""


def _with_facts(text: str, facts: Iterable[str]) -> str:
    return "\n".join([text, *(f"  - {fact}" for fact in facts)])


def _code(text: str, language: str = "text") -> Iterator[str]:
    yield from (f"```{language}", text.rstrip("\n"), "```", "")


# Commands


def organiser_commands() -> Iterator[str]:
    """Each command of `speech-bundles`: usage, help, options."""
    for name in COMMANDS:
        command: click.Command = import_module(f"speechbundles.cli.{name}").command
        # A command keeps the help option of its first context, so that this one must know -h, too.
        context = click.Context(
            command, info_name=f"speech-bundles {name}", help_option_names=["-h", "--help"]
        )
        yield from (f"### {name}", "")
        yield from _code(" ".join([context.command_path, *command.collect_usage_pieces(context)]))
        yield from (inspect.cleandoc(command.help or "").replace("\b\n", ""), "")
        records = [option.get_help_record(context) for option in command.get_params(context)]
        yield from _entries(record for record in records if record and "--help" not in record[0])


def library_commands() -> Iterator[str]:
    """Each command of `python -m spokeneval`."""
    parser = _parser_of(spokeneval.__main__.main, "python -m spokeneval")
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        command.prog = f"{parser.prog} {name}"
        yield from (f"### {name}", "")
        yield from _arguments(command)


def kit_command() -> Iterator[str]:
    """`try_submission.py`, as a kit with both sets has it."""
    program = runpy.run_path(str(ROOT / "starting_kit" / "try_submission.py"))
    with tempfile.TemporaryDirectory() as kit:
        for name in ("development", SAMPLE_SET):
            Path(kit, name, "input").mkdir(parents=True)
        Path(kit, "phases.json").write_text(json.dumps({"Evaluation": SAMPLE_SET}), encoding="utf-8")
        program["main"].__globals__["HERE"] = Path(kit)
        yield from _arguments(_parser_of(program["main"], "python3 try_submission.py"))


class _Parsed(Exception):
    """Carries a parser out of the program that made it."""


def _parser_of(main: Any, called: str) -> argparse.ArgumentParser:
    def stop(parser: argparse.ArgumentParser, *_: Any) -> None:
        raise _Parsed(parser)

    with patch.object(argparse.ArgumentParser, "parse_args", stop):
        try:
            main()
        except _Parsed as made:
            parser: argparse.ArgumentParser = made.args[0]
            parser.prog = called
            return parser
    raise AssertionError(f"{called} parses no arguments")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from _code(parser.format_usage().removeprefix("usage: "))
    yield from (parser.description or "", "")
    formatter = parser._get_formatter()
    yield from _entries(
        (formatter._format_action_invocation(action), formatter._expand_help(action))
        for action in parser._actions
        if action.dest != "help" and action.help
    )


# competition.yaml


def settings() -> Iterator[str]:
    """Every key of `competition.yaml` by its place."""
    schema = competition_schema.read_schema(ROOT)
    yield from _keys("The file", schema, schema)
    text = "These keys are allowed in `defaults`, in a challenge, in a task and in a bundle."
    yield from ("## Settings", "", text, "")
    defaults = _default_settings()
    yield from _entries(
        (key, _described(key, entry, schema, f"default: {defaults[key]}"))
        for key, entry in schema["$defs"]["settings"]["properties"].items()
    )
    for name, title in _PARTS.items():
        yield from _keys(title, schema["$defs"][name], schema)
        if name == "bundle":
            yield from ("All three are required, unless the repository has a bundle of this name.", "")


_PARTS = {
    "about": "About the competition",
    "person": "An organiser",
    "event": "A date of the timeline",
    "answered": "A question and its answer",
    "challenge": "A challenge",
    "joint": "A joint ranking",
    "bundle": "A bundle",
    "page": "A page",
    "column": "A column",
    "phase": "A phase",
    "question": "A question",
    "download": "A file to download",
    "overlap": "An accepted overlap",
    "set_files": "The files of a set",
    "publication": "The publication",
}
"""Definitions of the schema with a section of their own, and its title."""


def _default_settings() -> dict[str, str]:
    """The default of each setting in words, for a competition folder."""
    series = yaml.safe_load((ROOT / "competition.yaml").read_text(encoding="utf-8"))
    words: dict[str, str] = defaultdict(lambda: "none")
    known = competition_schema.read_schema(ROOT)["$defs"]["settings"]["properties"]
    usual = {key: entry["default"] for key, entry in known.items() if "default" in entry}
    for key, value in (usual | series["defaults"]).items():
        shown = json.dumps(value, ensure_ascii=False)
        words[key] = f"`{shown}`" if value not in ((), [], {}) else "empty"
    for challenge in series["challenges"].values():
        for layer in (challenge, *challenge["tasks"].values()):
            words.update(dict.fromkeys(layer, "that of the challenge or the task in the repository"))
    return defaultdict(words.default_factory, {key: words[key] for key in words if key not in OF_THE_DATA})


def _keys(title: str, part: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## {title}", "")
    if "allOf" in part:
        yield from (f"{title} has the [settings](#settings), and these keys:", "")
    required = part.get("required", ())
    yield from _entries(
        (key, _described(key, entry, schema, "required" if key in required else ""))
        for key, entry in part["properties"].items()
    )


def _described(key: str, entry: Mapping[str, Any], schema: Mapping[str, Any], more: str) -> str:
    """A key's description, then its values and what else there is to say, as a list."""
    if "description" not in entry:
        raise ValueError(f"competition.schema.json: {key} has no description")
    facts = (_values(entry, schema["$defs"]), more)
    return _with_facts(entry["description"], filter(None, facts))


def _values(entry: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """The values that a key may have, in words."""
    if "$ref" in entry:
        name = entry["$ref"].rsplit("/", 1)[1]
        inner = definitions[name]
        if name in _PARTS:
            return f"[{_PARTS[name].lower()}](#{_PARTS[name].lower().replace(' ', '-')})"
        if "allOf" in inner:
            return "[settings](#settings)"
        if "propertyNames" in inner:
            return f"`name: text`, each name {inner['propertyNames']['description']}"
        longest = f", {entry['maxLength']} characters at most" if "maxLength" in entry else ""
        return f"{inner['description']}{longest}"
    if "enum" in entry:
        return " or ".join(f"`{value}`" for value in entry["enum"])
    if entry["type"] == "array":
        return f"a list, each entry {_values(entry['items'], definitions)}"
    if entry["type"] == "boolean":
        return "`true` or `false`"
    if entry["type"] == "integer":
        least, most = entry["minimum"], entry.get("maximum")
        return f"a whole number from {least} to {most}" if most else f"a whole number, {least} or more"
    if entry["type"] == "number":
        return f"a number above {entry['exclusiveMinimum']}"
    if "properties" in entry:
        parts = entry["properties"].items()
        return "; ".join(
            f"`{key}`, {_values(each, definitions)}: {each['description'].rstrip('.')}" for key, each in parts
        )
    inner = entry["additionalProperties"]
    return f"`name: value`, each value {_values(inner, definitions) if '$ref' in inner else 'text'}"


def options() -> Iterator[str]:
    """The options of the tasks, which `options` of a task sets."""
    return _entries(_described_options())


def _described_options() -> Iterator[tuple[str, str]]:
    for name in task_names():
        for option in find_task(name).options:
            values = " or ".join(f"`{value}`" for value in option.values)
            facts = [f"task: `{name}`", values, f"default: `{option.values[0]}`"]
            if option.public_only:
                facts.append(f"only for public labels: {_listed(option.public_only)}")
            yield option.name, _with_facts(_OPTIONS[option.name], facts)


_OPTIONS = {
    "class_sizes": "Whether participants get the numbers of correct and incorrect responses. A submission that cannot "
    "meet the 50 % rule is then refused before it is scored.",
    "fifty_percent_rule": "What happens to a submission that breaks the 50 % rule. flag: it is scored, but its Dfull "
    "is 0. reject: its run fails.",
    "scale": "The lowest and the highest score of the rubric.",
}


# Files


def files(page: str, name: str) -> Iterator[str]:
    """A task's files: what they are called, their first lines. Every column must be described on the page."""
    task = find_task(name)
    section = page.partition(f"<!-- generated: files {task.name} -->")[0].rpartition("\n## ")[2]
    folder = ROOT / "reference_data" / task.name / SAMPLE_SET
    contents = {layout.file: (folder / layout.file).read_bytes() for layout in task.format.layouts}
    yield from ("### Gold standard", "")
    columns: list[str] = []
    for layout in task.format.layouts:
        columns += [*layout.required, *layout.optional]
        optional = f"; optional columns: {_listed(layout.optional)}" if layout.optional else ""
        aliases = [(alias, name) for alias, name in (layout.aliases or {}).items() if name in columns]
        other = f"; also read: {', '.join(f'`{a}` as `{name}`' for a, name in aliases)}" if aliases else ""
        yield from (f"`{layout.file}`, required columns: {_listed(layout.required)}{optional}{other}.", "")
        yield from _code(_first_lines(contents[layout.file]))
    reference = task.format.read_reference(contents)
    chosen = {option.name: option.values[-1] for option in task.options}
    yield from ("### Item list", "")
    for name, content in task.format.public_files(reference, chosen).items():
        yield from (f"`{name}`:", "", *_code(_first_lines(content)))
    submission = next(iter(submissions(task.name).values()))
    yield from ("### Submission", "")
    name = next(iter(submission))
    one = task.format.submission_file
    yield from (f"`{one}`:" if one else f"A file for each recording, such as `{name}`:", "")
    yield from _code(_first_lines(submission[name]))
    missing = [column for column in columns if f"`{column}`" not in section]
    if missing:
        raise ValueError(f"docs/reference/files.md does not describe {', '.join(missing)} of {task.name}")


def _instead(files: Iterable[FileDescription]) -> str:
    others = [name for file in files for name in file.instead]
    return f"; or {_listed(others)}" if others else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _first_lines(content: bytes) -> str:
    return "\n".join(content.decode().splitlines()[:3])


# Metrics and comparisons


def metrics() -> Iterator[str]:
    """The pages of metrics with their modules; each module is on one page."""
    listed, rows = [], []
    for path in PAGES:
        if found := _OF_METRICS.match(path.read_text(encoding="utf-8")):
            listed += (names := found[3].split())
            titles = [module_title(import_module(f"spokeneval.metrics.{name}")) for name in names]
            links = "; ".join(f"[{title}]({path.name}#{slug(title)})" for title in titles)
            rows.append(f"| [{found[1]}]({path.name}) | {found[2]} | {links} |")
    yield from ("| task | metrics | sections |", "|---|---|---|", *sorted(rows))
    if sorted(listed) != [found.name for found in pkgutil.iter_modules(spokeneval.metrics.__path__)]:
        raise ValueError(f"docs/reference/metrics-*.md: each module of metrics once; found {sorted(listed)}")


def modules(page: str, package: str, *names: str) -> Iterator[str]:
    """Modules of a package, with their public objects."""
    for name in names:
        module = import_module(f"{package}.{name}")
        yield from module_page(module, partial(_link, module))


def objects(page: str, *names: str) -> Iterator[str]:
    """Objects of `spokeneval`; those of classes that they inherit from, too."""
    for name in names:
        place, _, last = f"spokeneval.{name}".rpartition(".")
        module = import_module(getattr(import_module(place), last).__module__)
        yield from object_entry(module, last, partial(_link, module), parents=True)


def fields(page: str, name: str) -> Iterator[str]:
    """The attributes of a class of `spokeneval`, which are the parts of a file or a line."""
    place, _, last = f"spokeneval.{name}".rpartition(".")
    module = import_module(place)
    yield attributes(module, last, partial(_link, module))


def slug(title: str) -> str:
    """The anchor of a heading, as GitHub and the site name it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _link(module: ModuleType, name: str) -> str:
    """A link to the section of an object: one of the module, one of `spokeneval`, or one with its module's name."""
    pages = _pages_of_modules()
    place, _, last = name.rpartition(".")
    place = place or module.__name__
    if name == "counts":
        return f"{pages['spokeneval.metrics.counts']}#counts"
    if place in pages and last in members(import_module(place)):
        return f"{pages[place]}#{slug(heading(place, last))}"
    described = last in _objects() and name in (last, f"spokeneval.{last}")
    return f"library.md#{slug(f'spokeneval.{last}')}" if described else ""


@cache
def _objects() -> set[str]:
    """The objects that the page of the library describes."""
    markers = re.findall(
        "<!-- generated: objects (.+?) -->", (PAGES[0].parent / "library.md").read_text("utf-8")
    )
    return {name for marker in markers for name in marker.split()}


@cache
def _pages_of_modules() -> dict[str, str]:
    return {
        f"{package}.{name}": path.name
        for path in PAGES
        for package, names in _MODULES.findall(path.read_text(encoding="utf-8"))
        for name in names.split()
    }


# Results


def scores() -> Iterator[str]:
    """The keys of `scores.json`, a table for each task."""
    series = yaml.safe_load((ROOT / "competition.yaml").read_text(encoding="utf-8"))
    for challenge in series["challenges"].values():
        for name, entry in challenge["tasks"].items():
            task = find_task(name)
            shown = {column["key"]: column for column in entry.get("columns", challenge.get("columns"))}
            ranges = {score.key: score.limits for score in task.scores}
            ranges |= {column.key: ranges[task.primary.key] for column in task.columns[len(task.scores) :]}
            yield from (f"### {task.title}", "", f"Task `{name}`.", "")
            header = "| Key | Better | Range | Decimals | Title and description |"
            yield from (header, "|---|---|---|---|---|")
            for column in task.columns:
                place = shown.get(column.key)
                decimals = str(place["precision"]) if place and not place.get("hidden") else "–"
                meaning = f"*{column.title}*: {column.description}".replace("|", "\\|")
                cells = (f"`{column.key}`", column.direction, _range(ranges[column.key]), decimals, meaning)
                yield f"| {' | '.join(cells)} |"
            yield ""


def _range(limits: tuple[float, float] | None) -> str:
    if limits is None:
        return "–"
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in limits)
    return f"{low} to {high}"


def kinds() -> Iterator[str]:
    """The kinds of task: parameters, files and scores; files and scores are those of the parameters' examples."""
    for kind in KINDS.values():
        examples = {parameter.name: parameter.example for parameter in kind.parameters()}
        task = declared_task("example", {"kind": kind.name, **examples})
        declared = inline_yaml({"kind": kind.name, **examples})
        yield from (f"## {kind.name}", "", f"{kind.description[0].upper()}{kind.description[1:]}.", "")
        yield from ("### Parameters", "")
        yield from _entries((parameter.name, _parameter(parameter)) for parameter in kind.parameters())
        yield from ("### Files and scores", "", f"For `{declared}`:", "")
        described = describe_task(task)
        yield f"- reference: {files_of(task)}{_instead(described.reference)}"
        one = task.format.submission_file
        others = _instead([described.submission] if described.submission else [])
        yield from (f"- submission: `{one or 'a file for each item'}`{others}", "")
        yield from ("| Key | Better | Range | Title and description |", "|---|---|---|---|")
        for score in task.scores:
            meaning = f"*{score.heading}*: {score.description}".replace("|", "\\|")
            yield f"| `{score.key}` | {score.direction} | {_range(score.limits)} | {meaning} |"
        yield ""


def _parameter(parameter: Parameter) -> str:
    default = "required"
    if parameter.default is not REQUIRED:
        default = f"default: `{inline_yaml(parameter.default)}`" if parameter.default else "optional"
    facts = (default, f"example: `{inline_yaml(parameter.example)}`")
    return _with_facts(parameter.description.replace("<", "\\<"), facts)


def statistics() -> Iterator[str]:
    """The columns of `statistics.json` of each task, from the sample."""
    return _entries((name, _columns(name)) for name in task_names())


def _columns(name: str) -> str:
    task = find_task(name)
    folder = ROOT / "reference_data" / name / SAMPLE_SET
    reference = task.format.read_reference(
        {file: (folder / file).read_bytes() for file in task.format.reference_files}
    )
    with tempfile.TemporaryDirectory() as place:
        write_tree(Path(place, "it"), next(iter(submissions(name).values())))
        submission = task.format.read_submission(list_files(Path(place, "it")), reference.items)
    counted = by_unit(task.units(reference), task.count(reference, submission))
    return _condensed(counted.columns)


def _condensed(columns: Sequence[str]) -> str:
    """Columns by part and field, with their number where a field has several."""
    numbers: dict[str, list[str]] = {}
    for column in columns:
        numbers.setdefault(".".join(column.split(".")[:2]), []).append(column)
    shown = []
    for field, names in numbers.items():
        several = f"`{names[0]}` to `{names[-1]}` ({len(names)} columns)"
        shown.append(several if len(names) > 1 else f"`{field}`")
    return ", ".join(shown)


def signature() -> Iterator[str]:
    """The signature of a sample's result."""
    name = "psst_correctness"
    reference = ROOT / "reference_data" / name / SAMPLE_SET
    with tempfile.TemporaryDirectory() as place:
        write_tree(Path(place, "it"), next(iter(submissions(name).values())))
        result = spokeneval.score(name, reference=reference, submission=Path(place, "it"))
    yield from _code(result.signature)


GENERATORS = {
    generator.__name__: generator
    for generator in (
        *(organiser_commands, library_commands, kit_command, settings, options, files),
        *(metrics, modules, objects, fields, scores, kinds, statistics, signature),
    )
}

if __name__ == "__main__":
    main()
