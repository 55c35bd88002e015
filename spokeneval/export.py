"""Results in the forms of other projects: Hugging Face's `.eval_results`, and Croissant 1.1.

`export_forms.json` has the forms, `export_facts.tsv` the facts that only an organiser has, and that are never made up.
The labels of a set are public if its signature has their fingerprint. A hidden set is exported with the figures that
its leaderboard shows.

Sources: huggingface.co/docs/hub/eval-results; the specifications of Croissant 1.1 and Croissant RAI 1.0 in
docs.mlcommons.org/croissant/docs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Optional
from urllib.parse import quote

from .challenges import find_task
from .formats.problems import count_of
from .formats.tables import Layout, id_columns, split_row
from .kinds.declared import DECLARATION, declared_task
from .scoring.library import files_of_reference, import_organisers
from .scoring.options import COARSE, SIGNATURE_FILE, Options, Signature
from .scoring.output import SCORE_FILES
from .scoring.reference import parse_reference
from .task import ENDS, Number, Task

HUGGING_FACE, CROISSANT = FORMS = ("huggingface", "croissant")
_ENCODINGS = {",": "text/csv", "\t": "text/tab-separated-values"}
SOURCES = "the JSON of score, compare or rank, a folder of rank --out, or the output of a scoring program"
Facts = Mapping[str, Any]
Line = Mapping[str, Number]


class MissingFacts(ValueError):
    """Raised for an export that lacks facts; `missing` has a line for each."""

    def __init__(self, form: str, missing: Sequence[str]) -> None:
        self.missing = missing
        super().__init__("\n".join([f"{count_of(len(missing), 'fact')} missing for {form}:\n", *missing]))


class Results(NamedTuple):
    """The scores of systems and the ends of their intervals, `name -> {key: number}`, as in `scores.json`."""

    task: Task
    signature: Signature
    systems: Mapping[str, Line]


def export(
    path: Path,
    form: str,
    *,
    facts: Facts = MappingProxyType({}),
    published: Mapping[str, tuple[Task, Facts]] = MappingProxyType({}),
    options: Optional[Options] = None,
    reference: Optional[Path] = None,
    exact: bool = False,
) -> dict[str, str]:
    """Return the results at a path in another form, `name of a file -> text`.

    `published` has an organiser's tasks with their facts, and `facts` others, which replace them. `options` are those
    of the bundle, `reference` has the public labels for Croissant, and `exact` keeps the figures of a hidden set as
    they are. Raises MissingFacts with all facts that are missing, and ValueError or OSError for a file that cannot be
    used.
    """
    results = _read_results(path, published)
    facts = {**published.get(results.task.name, (None, {}))[1], **facts}
    labels, coarse = results.signature.reference, results.signature.coarse
    public = [labels] if options is None else options.public_references
    hidden = not (labels and any(known.startswith(labels) for known in public))
    if hidden and form == CROISSANT:
        raise ValueError(f"{path}: the labels are hidden; Croissant describes a public set")
    lacking = _lacking(form, results, facts)
    if hidden and not (exact or coarse or options):
        lacking.append("--bundle, for the steps of its leaderboard; or --exact")
    if form == CROISSANT and reference is None:
        lacking.append("--reference, the public labels")
    if lacking:
        raise MissingFacts(form, lacking)
    if hidden and options and options.feedback == COARSE and not (exact or coarse):
        results = results._replace(systems=_as_shown(results, options))
    primary = results.task.primary.key
    if not all(primary in scores for scores in results.systems.values()):
        raise ValueError(f"{path}: {primary}, the primary score, is missing or not shown")
    template = json.loads(Path(__file__).with_name("export_forms.json").read_text(encoding="utf-8"))[form]
    if form == HUGGING_FACE:
        return dict(_hugging_face(template, results, facts))
    return {"croissant.json": _json(_croissant(template, results, facts, Path(str(reference))))}


def _read_results(path: Path, published: Mapping[str, tuple[Task, Facts]]) -> Results:
    try:
        content = _read(path)
        signature = Signature.parse(content["signature"])
        if not signature.task.isidentifier():  # it becomes part of a path
            raise KeyError(signature.task)
        declared, (own, _) = content.get(DECLARATION), published.get(signature.task, (None, None))
        task = declared_task(signature.task, declared) if declared else own or find_task(signature.task)
        task = signature.ranked(task)
        rows = content.get("systems", [{"name": path.resolve().stem, **content}])
        return Results(task, signature, {row["name"]: _line(row) for row in rows})
    except (AttributeError, IsADirectoryError, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{path}: expected {SOURCES}") from None


def _read(path: Path) -> dict[str, Any]:
    if not (path / SIGNATURE_FILE).exists():
        board = path / "board.json"
        content: dict[str, Any] = json.loads((board if board.exists() else path).read_bytes())
        return content
    scores = json.loads((path / SCORE_FILES[0]).read_bytes())
    signature = (path / SIGNATURE_FILE).read_text(encoding="utf-8").strip()
    return {"scores": scores, "intervals": {}, "signature": signature}


def _line(row: Mapping[str, Any]) -> Line:
    ends = {
        key + end: value for key, pair in row["intervals"].items() for end, value in zip(ENDS, pair or ())
    }
    return {**row["scores"], **ends}


def _as_shown(results: Results, options: Options) -> dict[str, Line]:
    """The scores of a hidden set as its leaderboard shows them: in steps, and not below the floor."""
    feedback, primary = options.feedback_on(results.signature.items), results.task.primary
    if feedback is None:
        raise ValueError("--bundle: the bundle does not have the set of these results")
    return {name: feedback.shown(line, primary) for name, line in results.systems.items()}


def _lacking(form: str, results: Results, facts: Facts) -> list[str]:
    """A line for each fact that a form needs and that is missing or has another form."""
    lacking, table = [], Path(__file__).with_name("export_facts.tsv").read_text(encoding="utf-8")
    names = {"files": results.task.format.reference_files}
    for forms, place, meaning, pattern in (line.split("\t") for line in table.splitlines()[1:]):
        parts = place.split(".")
        for name in names.get(parts[0], [""]) if form in forms.split() else ():
            at = [name if part == "*" else part for part in parts]
            given = _values(facts, at)
            wrong = [fact for fact in given if not (isinstance(fact, str) and re.fullmatch(pattern, fact))]
            if wrong:
                found = "" if wrong[0] is None else f"; found {wrong[0]!r:.60}"
                lacking.append(f"{'.'.join(at)}: {meaning}{found}")
    return lacking


def _values(facts: Any, place: Sequence[str]) -> list[Any]:
    """The values at a place, below each entry of a list."""
    if isinstance(facts, list) and facts:
        return [value for entry in facts for value in _values(entry, place)]
    if not place:
        return [facts]
    return _values(facts.get(place[0]) if isinstance(facts, Mapping) else None, place[1:])


def _filled(template: Any, values: Facts) -> Any:
    """A template with values in place of its `{names}`, without the members whose value is None."""
    if isinstance(template, dict):
        filled = {key: _filled(part, values) for key, part in template.items()}
        return {key: part for key, part in filled.items() if part is not None}
    if isinstance(template, list):
        return [_filled(part, values) for part in template]
    return values[template[1:-1]] if str(template).startswith("{") else template


def _hugging_face(template: Any, results: Results, facts: Facts) -> Iterator[tuple[str, str]]:
    """The file `.eval_results/TASK.yaml` for the repository of each system, with the primary score."""
    primary = results.task.primary
    for system, scores in results.systems.items():
        ends = " to ".join(f"{scores[primary.key + end]:.6g}" for end in ENDS if primary.key + end in scores)
        notes = f"{primary.heading}{', 95 % interval ' if ends else ''}{ends}; {results.signature}"
        entry = _filled(template, {**facts, "score": scores[primary.key], "notes": notes})
        folder = quote(system, safe="").replace(".", "%2E")
        yield f"{folder}/.eval_results/{results.task.name}.yaml", _json(entry)  # JSON is YAML


def _croissant(template: Any, results: Results, facts: Facts, reference: Path) -> Facts:
    """The description of a public set: its files, their columns, and RAI."""
    contents, files, tables = files_of_reference(results.task, reference), [], []
    digits = parse_reference(results.task, contents).label_fingerprint(results.task.format)
    if not digits.startswith(results.signature.reference):
        raise ValueError("--reference: the results were not computed from these files")
    layouts = {layout.file: layout for layout in results.task.format.layouts}
    for file, content in contents.items():
        layout, digest = layouts.get(file), hashlib.sha256(content).hexdigest()
        encoding = _ENCODINGS.get(layout.delimiter if layout else "", "text/plain")
        about = {"file": file, "address": facts["files"][file], "encoding": encoding, "digest": digest}
        files.append(_filled(template["file"], about))
        columns = _columns(layout, content) if layout and layout.delimiter in _ENCODINGS else []
        places = [{"file": file, "column": column, "place": f"{file}/{column}"} for column in columns]
        fields = [_filled(template["column"], place) for place in places]
        tables += [_filled(template["table"], {"rows": f"{file}/rows", "columns": fields})] if fields else []
    institutions = dict.fromkeys(_values(facts, ["organisers", "institution"]))
    creators = [_filled(template["creator"], {"institution": name}) for name in institutions]
    described = _filled(template["set"], {**facts, "files": files, "tables": tables, "creators": creators})
    return {**described, **{f"rai:{key}": value for key, value in facts["rai"].items()}}


def _columns(layout: Layout, content: bytes) -> list[str]:
    """The columns of a table by its header; empty for a file without one."""
    first = content.decode("utf-8-sig").strip().split("\n", 1)[0].rstrip("\r")
    columns = split_row(first, layout.delimiter) or []
    ids = {
        *id_columns(layout.id),
        *(alias for alias, column in (layout.aliases or {}).items() if column == layout.id),
    }
    return columns if {name.lower() for name in ids} & {name.strip().lower() for name in columns} else []


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def of_organisers(competition: Optional[Path], bundle: Optional[Path]) -> tuple[Mapping[str, Any], Any]:
    """The tasks and facts in a competition folder, and the options of a bundle."""
    if competition is None and bundle is None:
        return {}, None
    organisers = import_organisers("competition.publication", "--competition and --bundle need")
    try:
        published = organisers.read_publication(competition) if competition else {}
        return published, organisers.read_feedback(bundle) if bundle else None
    except organisers.OrganiserError as error:
        raise ValueError(str(error)) from None


def read_facts(file: Optional[Path]) -> Mapping[str, Any]:
    """The facts in a JSON or YAML file; all scalars in YAML are texts."""
    if file is None:
        return {}
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not UTF-8; save it as UTF-8") from None
    try:
        facts = json.loads(text)
    except ValueError:
        try:
            yaml: Any = import_module("yaml")
            facts = yaml.load(text, Loader=yaml.BaseLoader)
        except ImportError:
            raise ImportError(f"{file}: not JSON; YAML needs pip install pyyaml") from None
        except yaml.YAMLError as error:
            raise ValueError(f"{file}: {error}") from None
    if not isinstance(facts, dict):
        raise ValueError(f"{file}: expected facts, `name: value`")
    return facts
