"""Results in the formats of other projects: Every Eval Ever 0.3.0, Hugging Face's `.eval_results`, and Croissant 1.1.

The source is the JSON of `score`, `compare` or `rank`, a folder that `rank --out` wrote, or the output of a scoring
program. No fact is made up: one error lists all missing facts that a format needs. The labels of a set are public if
its signature has their fingerprint. A hidden set is exported with the figures that its leaderboard shows, and without
any item.

Sources: the schemas of github.com/evaleval/every_eval_ever; huggingface.co/docs/hub/eval-results; the specifications of
Croissant 1.1 and Croissant RAI 1.0 in docs.mlcommons.org/croissant/docs.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Optional
from urllib.parse import quote

from .formats.problems import count_of
from .formats.tables import Layout, split_row
from .kinds.declared import DECLARATION, declared_task
from .run.feedback import COARSE, shown_scores
from .run.library import files_of_reference
from .run.options import Options
from .run.output import SCORE_FILES
from .run.reference import fingerprint
from .run.signature import SIGNATURE_FILE, Signature
from .run.statistics import STATISTICS_FILE, parse_statistics
from .task import ENDS, LOWER, Number, Task
from .tasks import find_task

EVERY_EVAL_EVER, HUGGING_FACE, CROISSANT = FORMATS = ("every-eval-ever", "huggingface", "croissant")

SOURCES = "the JSON of score, compare or rank, a folder of rank --out, or the output of a scoring program"

BOARD_FILE = "board.json"

Facts = Mapping[str, Any]


class MissingFacts(ValueError):
    """Raised for an export that lacks facts; `missing` has a line for each."""

    def __init__(self, format_name: str, missing: Sequence[str]) -> None:
        self.missing = missing
        super().__init__(
            "\n".join([f"{count_of(len(missing), 'fact')} missing for {format_name}:\n", *missing])
        )


class System(NamedTuple):
    """A system with its scores and their intervals."""

    name: str
    scores: Mapping[str, Number]
    intervals: Mapping[str, Sequence[float]]


class Results(NamedTuple):
    """Systems with the same signature. `right`: how correct each answer of a single system is, `item -> 0 to 1`."""

    task: Task
    signature: Signature
    systems: Sequence[System]
    right: Mapping[str, float]


Published = Mapping[str, "tuple[Task, Facts]"]
"""An organiser's tasks by name, each with the facts for its publication."""


def export(
    path: Path,
    format_name: str,
    *,
    now: int,
    facts: Facts = MappingProxyType({}),
    published: Published = MappingProxyType({}),
    options: Optional[Options] = None,
    reference: Optional[Path] = None,
    exact: bool = False,
) -> dict[str, str]:
    """Return results in the format of another project, `name of a file -> text`.

    Parameters
    ----------
    path
        The results: a file or folder.
    now
        The current time, in seconds since 1970.
    facts
        Facts that replace those of the task in `published`.
    options
        The options of the bundle with the labels of the results.
    reference
        The public labels, for Croissant.
    exact
        Whether the exact figures of a hidden set are exported.

    Raises
    ------
    MissingFacts
        Facts are missing; the message lists all of them.
    ValueError
        A file cannot be used.
    OSError
        A file cannot be read.
    """
    results = _read_results(path, published)
    facts = {**published.get(results.task.name, (None, {}))[1], **facts}
    hidden = _is_hidden(results.signature, options)
    if hidden and format_name == CROISSANT:
        raise ValueError(f"{path}: the labels are hidden; Croissant describes a public set")
    rounding = hidden and not (exact or results.signature.coarse)
    lacking = _lacking(format_name, results, facts)
    lacking += ["--bundle, for the steps of its leaderboard; or --exact"] if rounding and not options else []
    lacking += ["--reference, the public labels"] if format_name == CROISSANT and not reference else []
    if lacking:
        raise MissingFacts(format_name, lacking)
    results = results._replace(right={}) if hidden else results
    results = _as_shown(results, options) if rounding and options else results
    if not all(results.task.primary.key in system.scores for system in results.systems):
        raise ValueError(f"{path}: {results.task.primary.key}, the primary score, is missing or not shown")
    if format_name == EVERY_EVAL_EVER:
        return _every_eval_ever(results, facts, now)
    if format_name == HUGGING_FACE:
        return _hugging_face(results, facts)
    return _croissant(results, facts, files_of_reference(results.task, Path(str(reference))))


def _read_results(path: Path, published: Published) -> Results:
    try:
        content = _read(path)
        signature = Signature.parse(content["signature"])
        declared = content.get(DECLARATION)
        own, _ = published.get(signature.task, (None, None))
        task = declared_task(signature.task, declared) if declared else own or find_task(signature.task)
        rows = content.get("systems", [{"name": path.resolve().stem, **content}])
        systems = [System(row["name"], row["scores"], row["intervals"]) for row in rows]
        if not signature.task.isidentifier():  # it becomes part of a path
            raise KeyError(signature.task)
        if "values" not in content or not signature.reference:
            return Results(task, signature, systems, {})
        items, counts = parse_statistics(content).rows
        right = {item: value for item, value in zip(items, task.right(counts).tolist()) if value == value}
        return Results(task, signature, systems, right)
    except (AttributeError, IsADirectoryError, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{path}: expected {SOURCES}") from None


def _read(path: Path) -> dict[str, Any]:
    if not (path / SIGNATURE_FILE).exists():
        board = path / BOARD_FILE
        content: dict[str, Any] = json.loads((board if board.exists() else path).read_bytes())
        return content
    scores = json.loads((path / SCORE_FILES[0]).read_bytes())
    statistics = path / STATISTICS_FILE
    return {
        **(json.loads(statistics.read_bytes()) if statistics.exists() else {}),
        "scores": scores,
        "intervals": {key: [scores[key + end] for end in ENDS] for key in scores if key + ENDS[0] in scores},
        "signature": (path / SIGNATURE_FILE).read_text(encoding="utf-8").strip(),
    }


def _is_hidden(signature: Signature, options: Optional[Options]) -> bool:
    """Whether participants lack the labels: by the signature, and by the options of the bundle if they are known."""
    public = [signature.reference] if options is None else options.public_references
    return not (signature.reference and any(known.startswith(signature.reference) for known in public))


def _as_shown(results: Results, options: Options) -> Results:
    """The results of a hidden set as its leaderboard shows them: in steps, and not below the floor."""
    if options.feedback != COARSE:
        return results
    of = results.signature.items
    feedback = next((known for items, known in options.sets.items() if of and items.startswith(of)), None)
    if feedback is None:
        raise ValueError("--bundle: the bundle does not have the set of these results")
    primary, systems = results.task.primary, []
    keys = [primary.key + end for end in ENDS]
    for system in results.systems:
        exact = {**system.scores, **dict(zip(keys, system.intervals.get(primary.key, ())))}
        line = shown_scores(exact, feedback.steps, feedback.floor, primary)
        ends = [line[key] for key in keys if key in line]
        systems.append(System(system.name, line, {primary.key: ends} if ends else {}))
    return results._replace(systems=systems)


def _lacking(format_name: str, results: Results, facts: Facts) -> list[str]:
    """A line for each fact that a format needs and that is missing or invalid."""
    return [
        f"{'.'.join(place)}: {meaning}"
        + (f"; expected {pattern.replace('|', ', ')}" if "|" in pattern else "")
        for place, meaning, pattern in _needed(format_name, results)
        if not all(isinstance(text, str) and re.fullmatch(pattern, text) for text in _texts(facts, place))
    ]


def _needed(format_name: str, results: Results) -> Iterator[tuple[list[str], str, str]]:
    """The place of each fact, its meaning and a pattern; `*` in a place is the name of each system or file."""
    names = {
        "systems": [system.name for system in results.systems],
        "files": results.task.format.reference_files,
    }
    table = Path(__file__).with_name("export_facts.tsv").read_text(encoding="utf-8")
    for formats, place, meaning, pattern in (line.split("\t") for line in table.splitlines()[1:]):
        parts = place.split(".")
        for name in names.get(parts[0], ["*"]) if format_name in formats.split() else ():
            yield [name if part == "*" else part for part in parts], meaning, pattern


def _texts(facts: Any, place: Sequence[str]) -> list[Any]:
    for key in place:
        facts = facts.get(key) if isinstance(facts, Mapping) else None
    return facts if isinstance(facts, list) and facts else [facts]


def _every_eval_ever(results: Results, facts: Facts, now: int) -> dict[str, str]:
    """The record of each system; of a public set, also how correct each answer is, without labels and answers."""
    files = {}
    name, version, signature = results.task.name, results.signature.version, str(results.signature)
    for system in results.systems:
        about = facts["systems"][system.name]
        evaluation = {"schema_version": "0.3.0", "evaluation_id": f"{name}/{about['id']}/{now}"}
        model = {key: about[key] for key in ("deployment_type", "model_availability")}
        digest = hashlib.sha256(f"{evaluation}{system.name}{signature}".encode()).digest()
        place = f"data/{name}/{about['id']}/{uuid.UUID(bytes=digest[:16], version=4)}"
        record = {
            **evaluation,
            "retrieved_timestamp": str(now),
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": facts["organisation"],
                "evaluator_relationship": facts["relationship"],
            },
            "eval_library": {
                "name": "spokeneval",
                "version": version,
                "additional_details": {"signature": signature},
            },
            "model_info": {"name": system.name, "id": about["id"], "additional_details": model},
            "evaluation_results": list(_scores(results.task, system, facts)),
        }
        if results.right:
            common = {**evaluation, "model_id": about["id"], "evaluation_name": name}
            samples = [{**common, **_sample(item, right)} for item, right in results.right.items()]
            file = f"{place}_samples.jsonl"
            files[file] = "".join(json.dumps(sample) + "\n" for sample in samples)
            record["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": file,
                "total_rows": len(samples),
            }
        files[f"{place}.json"] = _json(record)
    return files


def _scores(task: Task, system: System, facts: Facts) -> Iterator[dict[str, Any]]:
    for score in (score for score in task.scores if score.key in system.scores):
        metric = {
            "evaluation_description": score.description,
            "metric_id": f"{task.name}.{score.key}",
            "metric_name": score.heading,
            "lower_is_better": score.direction == LOWER,
        }
        details: dict[str, Any] = {"score": system.scores[score.key]}
        if score.limits is not None:
            ends = [{"inf": "Infinity", "-inf": "-Infinity"}.get(str(end), end) for end in score.limits]
            metric.update(score_type="continuous", min_score=ends[0], max_score=ends[1])
        if score.key in system.intervals:
            low, high = system.intervals[score.key]
            interval = {"lower": low, "upper": high, "confidence_level": 0.95}
            details["uncertainty"] = {"confidence_interval": interval}
        yield {
            "evaluation_result_id": score.key,
            "evaluation_name": task.name,
            "source_data": {"dataset_name": facts["name"], "source_type": "url", "url": [facts["url"]]},
            "metric_config": metric,
            "score_details": details,
        }


def _sample(item: str, right: float) -> dict[str, Any]:
    return {
        "sample_id": item,
        "interaction_type": "single_turn",
        "input": {"raw": item, "reference": []},
        "output": {"raw": []},
        "answer_attribution": [],
        "evaluation": {"score": right, "is_correct": right == 1},
    }


def _hugging_face(results: Results, facts: Facts) -> dict[str, str]:
    """The file `.eval_results/TASK.yaml` for the repository of each system, with the primary score."""
    files, primary = {}, results.task.primary
    for system in results.systems:
        ends = system.intervals.get(primary.key)
        interval = f", 95 % interval {ends[0]:.6g} to {ends[1]:.6g}" if ends else ""
        entry = {
            "dataset": {"id": facts["dataset_id"], "task_id": facts["task_id"]},
            "value": system.scores[primary.key],
            "source": {"url": facts["url"]},
            "notes": f"{primary.heading}{interval}; {results.signature}",
        }
        folder = quote(system.name, safe="").replace(".", "%2E")
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in entry.items())
        files[f"{folder}/.eval_results/{results.task.name}.yaml"] = f"- {'  '.join(lines)}"
    return files


_ENCODINGS = {",": "text/csv", "\t": "text/tab-separated-values"}


def _croissant(results: Results, facts: Facts, reference: Mapping[str, bytes]) -> dict[str, str]:
    """The description of a public set: its files, their columns, and RAI."""
    if not fingerprint(reference).startswith(results.signature.reference):
        raise ValueError("--reference: the results were not computed from these files")
    tables = {layout.file: layout for layout in results.task.format.layouts if layout.delimiter in _ENCODINGS}
    columns = {file: _columns(tables[file], reference[file]) for file in reference if file in tables}
    described = {
        "@context": json.loads(Path(__file__).with_name("croissant_context.json").read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        **{key: facts[key] for key in ("name", "description", "url", "version")},
        **{"license": facts["licence"], "citeAs": facts["citation"], "datePublished": facts["published"]},
        "creator": [{"@type": "sc:Organization", "name": name} for name in _texts(facts, ("creators",))],
        "distribution": [
            {
                "@type": "cr:FileObject",
                **{"@id": file, "name": file, "contentUrl": facts["files"][file]},
                "encodingFormat": _ENCODINGS[tables[file].delimiter] if file in tables else "text/plain",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for file, content in reference.items()
        ],
        "recordSet": [_rows(file, names) for file, names in columns.items() if names],
        **{f"rai:{key}": value for key, value in facts["rai"].items()},
    }
    return {"croissant.json": _json(described)}


def _columns(table: Layout, content: bytes) -> list[str]:
    """The columns of a file by its header; empty for a file without one."""
    first = content.decode("utf-8-sig").strip().split("\n", 1)[0].rstrip("\r")
    columns = split_row(first, table.delimiter) or []
    ids = {table.id, *(alias for alias, column in (table.aliases or {}).items() if column == table.id)}
    return columns if {name.lower() for name in ids} & {name.strip().lower() for name in columns} else []


def _rows(file: str, columns: Sequence[str]) -> dict[str, Any]:
    fields = [
        {
            **{
                "@type": "cr:Field",
                "@id": f"{file}/{column}",
                "name": f"{file}/{column}",
                "dataType": "sc:Text",
            },
            "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        }
        for column in columns
    ]
    return {"@type": "cr:RecordSet", "@id": f"{file}/rows", "name": f"{file}/rows", "field": fields}


def _json(content: Facts) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
