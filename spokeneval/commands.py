"""The commands of `python -m spokeneval`: what each prints, writes and returns."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Optional

from . import get_task, list_kinds, list_tasks
from .arguments import SHORT, answers_of, misplaced, parser, read_lines, written_out
from .challenges import find_task, task_names
from .completion import near_miss
from .description import KindDescription, TaskDescription
from .formats.problems import FileProblems, ReferenceFileError, suggestion
from .formats.text import LONGEST_LINE
from .kinds.declared import KINDS, declared_task, read_task
from .kinds.kind import ParameterError
from .ranking.joint_rule import EXCLUDED, JointRule
from .result import score_both, score_data
from .scoring.library import Reading, UnreadableReference
from .scoring.options import choose_options
from .scoring.output import say, write_file
from .scoring.reference import NO_ROW
from .task import Task

SHORTENED = "--all also prints the differences between systems, p-values, and notes on the method."


def run(given: list[str]) -> int:
    """Run a command with its arguments, and return the exit status; see `spokeneval.__main__`."""
    typed, given = given, written_out(given)
    options = _parse(given)
    options.typed, options.given = typed, given
    try:
        return {"export": _export, "reproduce": _reproduce, "tasks": _tasks}.get(options.command, _answer)(
            options
        )
    except FileProblems as error:
        refusal = _by_line(error) if error.place == "row" else error
        side = "reference" if isinstance(refusal, ReferenceFileError) else "submission"
        where = getattr(options, side, " ".join(options.names))
        if side == "reference" and Path(where).is_file():
            refusal = refusal.renamed(refusal.problems[0].file, Path(where).name)
        problems = [vars(problem) for problem in refusal.problems]
        message = f"The {side} {where} is refused.\n\n{refusal}\n\nNothing was scored."
        if side == "reference" and any(problem.code in NO_ROW for problem in refusal.problems):
            message += " --lenient reads other separators and encodings of references, and Excel workbooks."
        return _refuse(options, message, 1, total=refusal.total, problems=problems)
    except UnreadableReference as error:
        return _refuse(options, f"The reference is refused.\n\n{error}\n\nNothing was scored.", 1)
    except OSError as error:
        folder = Path(str(error.filename or "")).parent
        hint = "" if folder.is_dir() else f"; the folder {folder} does not exist"
        message = f"{error.filename}: {error.strerror}{hint}" if error.filename else str(error)
        return _refuse(options, message, 2)
    except (ImportError, ValueError) as error:
        return _refuse(options, str(error), 2)


def _tasks(options: argparse.Namespace) -> int:
    """List the tasks and kinds, or describe one."""
    if options.task in KINDS:
        described: Any = next(kind for kind in list_kinds() if kind.name == options.task)
    elif options.task or options.task_file:
        described = get_task(_chosen_task(options.task, options.task_file))
    else:
        tasks = list_tasks()
        words = _tasks_table(tasks, list_kinds())
        say(json.dumps([each.to_dict() for each in tasks], indent=2) if options.json else words)
        return 0
    short = options.given != options.typed and SHORT[options.typed[1]]
    stands = f"{options.typed[1]} is short for `--kind {' --set '.join(short)}`.\n\n" if short else ""
    say(json.dumps(described.to_dict(), indent=2) if options.json else f"{stands}{described}")
    return 0


def _declared(options: argparse.Namespace) -> Task:
    """The task of `--kind` with the parameters of `--set`, each as JSON, or a text, or texts between commas."""
    if options.task_file or len(options.names) > {"score": 2, "diff": 3, "plan": 0}.get(
        options.command, len(options.names)
    ):
        if "--kind" in options.typed or options.task_file:
            raise ValueError("Give only one of TASK, --kind and --task-file.")
        takes = "REFERENCE A B" if options.command == "diff" else "2: REFERENCE SUBMISSION"
        more = " To compare systems: spokeneval compare" if options.command == "score" else ""
        raise ValueError(f"{len(options.names)} files; {options.typed[0]} takes {takes}.{more}")
    declared = {"kind": options.kind}
    for given in options.set:
        name, _, value = given.partition("=")
        declared[name] = _value(value)
    try:
        return declared_task(options.kind, declared)
    except ParameterError as error:
        raise ValueError(
            f"--set {error}{'' if str(error).endswith('?') else '.'} `tasks {options.kind}` lists the parameters."
        ) from None


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        texts = written.strip("[]").split(",")
        return [_value(text.strip()) for text in texts] if len(texts) > 1 or written[:1] == "[" else written


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments. Wrong ones end the program, with `--json` also with a message as JSON."""
    usage = io.StringIO()
    try:
        with redirect_stderr(usage):
            return parser().parse_args(arguments)
    except SystemExit as stop:
        if stop.code:
            shown = usage.getvalue().rstrip("\n") + near_miss(arguments)
            say(shown, error=True)
            if "--json" in arguments:
                say(json.dumps({"error": shown.rpartition("error: ")[2].strip()}, indent=2))
        raise


def _scored(options: argparse.Namespace, task: Task, chosen: Mapping[str, str]) -> Any:
    if len(options.names) == 2 and options.reference is options.submission is None:
        options.reference, options.submission = options.names
    elif options.names or None in (options.reference, options.submission):
        raise ValueError("Give REFERENCE and SUBMISSION, or --reference and --submission.")
    paths = [options.reference, options.submission, *([options.baseline] if options.baseline else [])]
    reference, submission, *known = answers_of(options, task, paths)
    baseline = known[0] if known else None
    scored = score_data(task, reference, submission, chosen, _reading(options), baseline=baseline)
    _warn_of_order(task, reference, submission)
    return scored


def _warn_of_order(task: Task, *sides: Any) -> None:
    """Warn of a submission that alone has a column of references, such as `speaker`."""
    if not all(isinstance(side, Path) and side.is_file() for side in sides):
        return
    heads = []
    for side in sides:
        with side.open(encoding="utf-8", errors="replace") as lines:
            heads.append({*re.split("[,;\t]", lines.readline(LONGEST_LINE).strip())})
    for column in sorted({*task.format.layouts[0].optional} & heads[1] - heads[0])[:1]:
        words = f"only the submission has a column {column}: are reference and submission in the wrong order?"
        say(f"Warning: {words}", error=True)


def _differ(options: argparse.Namespace, task: Task, chosen: Mapping[str, str]) -> Any:
    from .difference import difference_of  # imported here, so that `score` starts fast

    if len(options.names) != 3:
        raise ValueError("Give REFERENCE and two submissions, A and B.")
    options.reference, options.submission = options.names[0], " ".join(options.names[1:])
    named = list(_named(options.names[1:]))
    if len(named) < 2:
        raise ValueError(f"{named[0]} is there twice; expected two submissions")
    sides = answers_of(options, task, options.names)
    return difference_of((named[0], named[1]), score_both(task, sides, chosen, _reading(options)))


def _reading(options: argparse.Namespace) -> Reading:
    units = options.units and read_lines(options.units)
    return Reading(options.lenient, options.drop_invalid_reference_rows, partial(say, error=True), units)


def _compare(
    options: argparse.Namespace,
    task: Task,
    submissions: Mapping[str, Path],
    chosen: Mapping[str, str],
    baseline: str = "",
) -> Any:
    from .ranking.library import compare_data  # imported here, so that `score` starts fast

    reference, *sides = answers_of(options, task, [options.reference, *submissions.values()])
    named, of_command = dict(zip(submissions, sides)), vars(options)
    more = {"by": of_command.get("by"), "power": of_command.get("table", False)}
    return compare_data(task, reference, named, chosen, _reading(options), baseline=baseline, **more)


def _join(options: argparse.Namespace) -> Any:
    """Compare the systems of several tasks; each task is named after its folder."""
    from .ranking.library import compare_joined

    results: dict[str, Any] = {}
    for argument in options.names:
        name, _, place = argument.rpartition("=")
        folder = Path(place)
        if folder.name in results:
            raise ValueError(f"{place}: two folders are named {folder.name}; rename one of them")
        task = _chosen_task(name or None, None if name else folder / "task.json")
        results[folder.name] = _compare(options, task, _in_folder(options, folder), {})
    chosen = options.compulsory, dict(options.weight), options.baseline
    return compare_joined(results, JointRule(options.rule, options.missing or EXCLUDED, *chosen))


def _in_folder(options: argparse.Namespace, folder: Path) -> Mapping[str, Path]:
    """The submissions in a folder, and its reference as that of the command."""
    references = sorted(path for path in folder.iterdir() if path.stem == "reference")
    if len(references) != 1:
        raise ValueError(f"{folder}: expected one file or folder named reference; found {len(references)}")
    submissions = folder / "submissions"
    options.reference, options.names = str(references[0]), [str(submissions)]
    return _named([str(path) for path in sorted(submissions.iterdir()) if path.name[0] != "."])


def _answer(options: argparse.Namespace) -> int:
    """Compute and print a result, or write it to files, too."""
    with ExitStack() as options.opened:
        result = _computed(options)
    if options.command == "compare" and options.out is not None:
        result.write(options.out)
    if options.command in ("score", "diff") and options.report is not None:
        write_file(options.report, result.report())
    written = result.to_dict()
    if options.command == "score":
        written["arguments"] = options.given
    if options.command == "compare" and not options.all:
        notes = [*getattr(result, "remarks", ()), SHORTENED]
        result = replace(result, notes=notes, pairs=result.pairs if options.baseline else ())
    say(json.dumps(written, indent=2) if options.json else str(result))
    return 0


def _computed(options: argparse.Namespace) -> Any:
    """The result of a command that scores or compares."""
    if options.command == "compare":
        options.names = [options.task, *options.submissions]
        if misplaced(options):
            raise ValueError(misplaced(options))
        if options.rule is not None:
            return _join(options)
    if options.command == "plan":
        options.names = [options.task] if options.task else []
        declared = options.pilot / "task.json"
        if not (options.names or options.kind or options.task_file) and declared.is_file():
            options.task_file = declared
    name = options.names.pop(0) if options.names and not (options.kind or options.task_file) else None
    labels = getattr(options, "reference", None) or next(iter(options.names), "")
    task = _declared(options) if options.kind else _chosen_task(name, options.task_file, labels)
    chosen = dict(choice.partition("=")[::2] for choice in options.option)
    try:
        choose_options(task, chosen)
    except ValueError as error:
        raise ValueError(f"--option: {error}") from None
    if options.command == "score":
        return _scored(options, task, chosen)
    if options.command == "diff":
        return _differ(options, task, chosen)
    if options.command == "plan":
        from .ranking.plan import plan_of  # imported here, so that `score` starts fast

        pilot = _in_folder(options, options.pilot)
        return plan_of(_compare(options, task, pilot, chosen), options.difference)
    if options.reference is None:
        raise ValueError("Give --reference, or --rule and a folder for each task.")
    if len(options.names) < 2:
        raise ValueError("Give the submissions of two systems or more.")
    return _compare(options, task, _named(options.names), chosen, options.baseline)


def _reproduce(options: argparse.Namespace) -> int:
    """Compute a result again with its own arguments, and list what differs."""
    try:
        known = json.loads(options.result.read_bytes())
        given = list(map(str, known["arguments"]))
        pairs = {
            (place, key): value for place in ("scores", "intervals") for key, value in known[place].items()
        }
        signature = known["signature"]
    except (ValueError, KeyError, TypeError, AttributeError):
        message = f"{options.result}: expected the JSON of `score --json`, with its `arguments`"
        raise ValueError(message) from None
    printed = io.StringIO()
    with redirect_stdout(printed):
        status = run(given)
    if status:
        return status
    found = json.loads(printed.getvalue())
    changed = [
        f"{place} {key}: {value}; now {found[place].get(key)}"
        for (place, key), value in pairs.items()
        if value != found[place].get(key)
    ]
    if signature != found["signature"]:
        changed.insert(0, f"signature: {signature}; now {found['signature']}")
    same = f"Reproduced: {len(pairs)} numbers and the signature are the same.\n{found['signature']}"
    say("\n".join(["Not reproduced:", *changed]) if changed else same, error=bool(changed))
    return int(bool(changed))


def _by_line(error: FileProblems) -> FileProblems:
    """The problems of answers in the lines of a .txt, by line instead of by row."""
    lines = [replace(each, line=None if each.line is None else each.line + 1) for each in error.problems]
    return type(error)(lines, error.counts, error.files)


def _export(options: argparse.Namespace) -> int:
    """Write results in the format of another project."""
    from .export import (  # imported here, so that `score` starts fast
        MissingFacts,
        export,
        of_organisers,
        read_facts,
    )

    try:
        for path in filter(None, (options.competition, options.bundle)):
            path.stat()  # a missing file is an OSError, as everywhere
        published, feedback = of_organisers(options.competition, options.bundle)
        files = export(
            options.result,
            options.format,
            facts={
                **read_facts(options.meta),
                **({"dataset_id": options.dataset_id} if options.dataset_id else {}),
            },
            published=published,
            options=feedback,
            reference=options.reference,
            exact=options.exact,
        )
        for name, text in files.items():
            path = options.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text)
    except MissingFacts as error:
        where = "Write facts into competition.yaml or a file for --meta. Nothing was written."
        return _refuse(options, f"{error}\n\n{where}", 1, missing=error.missing)
    except (ValueError, ImportError) as error:
        return _refuse(options, f"{error}\n\nNothing was written.", 1)
    written = [str(options.out / name) for name in files]
    say(json.dumps({"files": written}, indent=2) if options.json else "\n".join(written))
    return 0


def _named(paths: Sequence[str]) -> dict[str, Path]:
    """Systems named after their files without the extension; or after the paths, where these names are not unique."""
    stems = [Path(path).stem for path in paths]
    once = Counter(stems)
    return {stem if once[stem] == 1 else path: Path(path) for stem, path in zip(stems, paths)}


def _refuse(options: argparse.Namespace, message: str, status: int, **details: Any) -> int:
    """Print why nothing was done; with `--json` also as JSON, with the details that are known."""
    say(message, error=True)
    if getattr(options, "json", False):
        say(json.dumps({"error": message.partition("\n")[0], **details}, indent=2))
    return status


def _chosen_task(name: Optional[str], file: Optional[Path], labels: str = "") -> Task:
    """Return the task of a name, or of a `task.json`.

    A declared task has a name if its `task.json` is beside the labels, as in the folder that a build keeps.

    Raises
    ------
    ValueError
        Neither or both are given, there is no such task, or the file does not declare a task.
    OSError
        The file cannot be read.
    """
    if (name is None) == (file is None):
        raise ValueError("Give the name of a task, or --task-file; `tasks` lists the names.")
    if file is None:
        beside = Path(labels).parent / "task.json"
        if name not in task_names() and labels and beside.is_file():
            task = _chosen_task(None, beside)
            if task.name != name:
                raise ValueError(f"Unknown task {name}; {beside} declares the task {task.name}.")
            return task
        if name not in task_names():
            kinds = f"or a kind (`tasks KIND`, `score --kind KIND`): {', '.join(KINDS)}"
            choices = f"choose one of {', '.join(task_names())}; {kinds}."
            near = suggestion(str(name), (*task_names(), *SHORT, *KINDS), choices)
            raise ValueError(f"Unknown task {name}; {near}")
        return find_task(str(name))
    try:
        return read_task(file)
    except ParameterError as error:
        raise ValueError(f"{file}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file}: not the task.json of a declared task") from None


def _tasks_table(tasks: Sequence[TaskDescription], kinds: Sequence[KindDescription]) -> str:
    """One line for each task: name, title and primary score; and one for each kind."""
    width = max(len(task.name) for task in tasks)
    lines = [
        f"{task.name:<{width}}  {task.title}: {task.scores[0].title}, {task.scores[0].direction} is better"
        for task in tasks
    ]
    lines += [
        "",
        "Kinds, for a task of your own: `tasks KIND` lists the parameters, `score --kind KIND` scores.",
    ]
    return "\n".join([*lines, *(f"{kind.name:<{width}}  {kind.description}" for kind in kinds)])
