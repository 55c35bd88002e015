"""Score and compare submissions from the command line::

    python -m spokeneval score TASK --reference PATH --submission PATH [--option NAME=VALUE] [--json]
    python -m spokeneval compare TASK --reference PATH SUBMISSION SUBMISSION ... [--out DIR] [--json]
    python -m spokeneval compare --rule RULE [TASK=]FOLDER [TASK=]FOLDER ... [--out DIR] [--json]
    python -m spokeneval export RESULT --format FORM --out DIR [--meta FILE] [--competition DIR] [--bundle ZIP] [--json]
    python -m spokeneval tasks [TASK] [--json]

`--task-file task.json` is instead of TASK, for a declared task. `--lenient` and `--drop-invalid-reference-rows` read a
reference that is refused otherwise.

Exit status: 0 if the submissions were scored, 1 if a file was refused (all problems are on standard error, and with
`--json` on standard output, too), 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Optional

from . import get_task, list_tasks
from .challenges import find_task, task_names
from .description import TaskDescription
from .formats.problems import FileProblems, ReferenceFileError
from .kinds.declared import read_task
from .kinds.kind import ParameterError
from .ranking.joint_rule import EXCLUDED, MISSING, RULES, JointRule
from .run.library import Reading, UnreadableReference, import_organisers, score_data
from .run.options import choose_options
from .run.output import INTERRUPTED, say, write_file
from .task import Task
from .version import __version__

STATUS = (
    "Exit status: 0 if the submission was scored; 1 if a file was refused (all problems are on standard error, and "
    "with --json on standard output, too); 2 for wrong arguments."
)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: Optional[Sequence[str]]) -> int:
    for stream in (sys.stdout, sys.stderr):  # some terminals cannot print all characters, such as κ
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    if options.command == "export":
        return _export(options)
    if options.command == "compare" and options.rule is not None:
        return _answer(options, lambda: _join(options))
    if options.command == "compare" and options.task_file is not None:
        options.task, options.submissions = None, [options.task, *options.submissions]
    try:
        task = None
        if options.command != "tasks" or options.task or options.task_file:
            task = _chosen_task(options.task, options.task_file)
    except (ValueError, OSError) as error:
        return _refuse(options, str(error), 2)
    if task is None:
        tasks = list_tasks()
        say(json.dumps([each.to_dict() for each in tasks], indent=2) if options.json else _tasks_table(tasks))
        return 0
    if options.command == "tasks":
        described = get_task(task)
        say(json.dumps(described.to_dict(), indent=2) if options.json else str(described))
        return 0
    return _score(options, task)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments. Wrong ones end the program, with `--json` also with a message as JSON."""
    usage = io.StringIO()
    try:
        with redirect_stderr(usage):
            return _parser().parse_args(arguments)
    except SystemExit as stop:
        if stop.code:
            say(usage.getvalue().rstrip("\n"), error=True)
        if stop.code and "--json" in arguments:
            say(json.dumps({"error": usage.getvalue().rpartition("error: ")[2].strip()}, indent=2))
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spokeneval", description="Score submissions to speech challenges.")
    parser.add_argument("--version", action="version", version=f"spokeneval {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    scoring = commands.add_parser(
        "score",
        help="score a submission against a reference",
        description="Score a submission against a reference, and print every score at full precision.",
        epilog=STATUS,
    )
    comparing = commands.add_parser(
        "compare",
        help="compare systems by their submissions",
        description="Score several submissions against a reference, and print how certain their order is. With "
        "--rule, the systems of several tasks are ranked by one joint score. Each task is then a folder with "
        "`reference`, a file of any extension or a folder; `submissions`, with a file, folder or zip named after each "
        "system; and task.json for a declared task. For other tasks, give TASK=FOLDER.",
        epilog=STATUS,
    )
    exporting = commands.add_parser(
        "export",
        help="write results in the format of another project",
        description="Write results in the format of Every Eval Ever 0.3.0 or of Hugging Face's .eval_results, or "
        "describe their public set as Croissant 1.1 with RAI. If facts are missing, all of them are listed and "
        "nothing is written. For a hidden set, the figures of its leaderboard are exported.",
        epilog="Exit status: 0 if the files were written; 1 if facts are missing or the results cannot be used; 2 for "
        "wrong arguments.",
    )
    listing = commands.add_parser("tasks", help="list the tasks, or the files, options and scores of one")
    # Before submissions it is required; else argparse would take it for the first of them.
    for command, number in ((scoring, "?"), (comparing, None)):
        command.add_argument(
            "task", nargs=number, metavar="TASK", help="name of the task; `tasks` lists all names"
        )
    listing.add_argument("task", nargs="?", metavar="TASK", help="name of a task, to describe it")
    declared = "instead of TASK: the task.json of a declared task, from its bundle or starting kit"
    for command in (scoring, comparing, listing):
        command.add_argument("--task-file", type=Path, metavar="FILE", help=declared)
    _add_scoring(scoring, comparing)
    _add_export(exporting)
    listing.add_argument("--json", action="store_true", help="print the list as JSON")
    return parser


def _add_scoring(scoring: argparse.ArgumentParser, comparing: argparse.ArgumentParser) -> None:
    """Add the arguments of `score` and `compare`."""
    reference = "the reference: its file, or the folder with its files"
    scoring.add_argument("--reference", required=True, metavar="PATH", help=reference)
    comparing.add_argument("--reference", metavar="PATH", help=f"{reference}; not with --rule")
    submission = "submission: its file, the folder with its files, or a zip of them"
    scoring.add_argument("--submission", required=True, metavar="PATH", help=f"the {submission}")
    comparing.add_argument("submissions", nargs="+", metavar="SUBMISSION", help=f"a {submission}")
    written = "write board.csv, pairs.csv and board.tex there"
    comparing.add_argument("--out", type=Path, metavar="DIR", help=written)
    comparing.add_argument("--rule", choices=RULES, help="rank systems by this joint score of several tasks")
    lacking = "with --rule: what happens to a system without a score in a task (default: excluded)"
    comparing.add_argument("--missing", choices=MISSING, default=EXCLUDED, help=lacking)
    for flag, metavar, help in (
        ("--compulsory", "FOLDER", "with --rule: a task without which no system is ranked; can be repeated"),
        ("--weight", "FOLDER=NUMBER", "the weight of a task in a weighted sum; can be repeated"),
    ):
        comparing.add_argument(flag, action="append", default=[], metavar=metavar, help=help)
    comparing.add_argument(
        "--baseline", default="", metavar="SYSTEM", help="for --missing baseline: its name"
    )
    for command in (scoring, comparing):
        option = "set an option of the task; can be repeated"
        command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=option)
        for flag, help in (
            (
                "--lenient",
                "read a reference in other forms that organisers use, such as Windows-1252 or Excel workbooks",
            ),
            ("--drop-invalid-reference-rows", "leave out invalid rows of the reference, and list them"),
            ("--json", "print the result, or all problems, as JSON"),
        ):
            command.add_argument(flag, action="store_true", help=help)


def _add_export(exporting: argparse.ArgumentParser) -> None:
    source = "the JSON of score, compare or rank, a folder of rank --out, or the output of a scoring program"
    exporting.add_argument("result", type=Path, metavar="RESULT", help=source)
    forms = ("every-eval-ever", "huggingface", "croissant")
    exporting.add_argument("--format", choices=forms, required=True, help="the format")
    exporting.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    exporting.add_argument("--meta", type=Path, metavar="FILE", help="a JSON or YAML file with facts")
    competition = "your competition folder, for the facts in its competition.yaml"
    exporting.add_argument("--competition", type=Path, metavar="DIR", help=competition)
    exporting.add_argument("--dataset-id", metavar="ID", help="huggingface: the benchmark on the Hub")
    exporting.add_argument("--reference", type=Path, metavar="PATH", help="croissant: the public labels")
    bundle = "for a hidden set: the bundle, which rounds its scores to steps"
    exporting.add_argument("--bundle", type=Path, metavar="ZIP", help=bundle)
    exporting.add_argument("--exact", action="store_true", help="export the exact scores of a hidden set")
    exporting.add_argument("--json", action="store_true", help="print the files, or the error, as JSON")


def _score(options: argparse.Namespace, task: Task) -> int:
    """Score or compare."""
    chosen = dict(choice.partition("=")[::2] for choice in options.option)
    try:
        choose_options(task, chosen)
    except ValueError as error:
        return _refuse(options, f"--option: {error}", 2)
    if options.command == "score":
        sides = Path(options.reference), Path(options.submission)
        return _answer(options, lambda: score_data(task, *sides, chosen, _reading(options)))
    if options.reference is None:
        return _refuse(options, "Give --reference, or --rule and a folder for each task.", 2)
    if len(options.submissions) < 2:
        return _refuse(options, "Give the submissions of two systems or more.", 2)
    return _answer(options, lambda: _compare(options, task, _named(options.submissions), chosen))


def _reading(options: argparse.Namespace) -> Reading:
    return Reading(options.lenient, options.drop_invalid_reference_rows, partial(say, error=True))


def _compare(
    options: argparse.Namespace, task: Task, submissions: Mapping[str, Path], chosen: Mapping[str, str]
) -> Any:
    from .ranking.library import compare_data  # imported here, so that `score` starts fast

    return compare_data(task, Path(options.reference), submissions, chosen, _reading(options))


def _join(options: argparse.Namespace) -> Any:
    """Compare the systems of several tasks; each task is named after its folder."""
    from .ranking.library import compare_joined

    weights = {}
    for weight in options.weight:
        name, _, number = weight.rpartition("=")
        weights[name] = float(number)
    results = {}
    for argument in [options.task, *options.submissions]:
        name, _, place = argument.rpartition("=")
        folder = Path(place)
        task = _chosen_task(name or None, None if name else folder / "task.json")
        references = sorted(path for path in folder.glob("reference*") if path.stem == "reference")
        if len(references) != 1:
            raise ValueError(
                f"{folder}: expected one file or folder named reference; found {len(references)}"
            )
        submissions = folder / "submissions"
        options.reference, options.submissions = str(references[0]), [str(submissions)]
        found = _named([str(path) for path in sorted(submissions.iterdir()) if path.name[0] != "."])
        results[folder.name] = _compare(options, task, found, {})
    rule = JointRule(options.rule, options.missing, options.compulsory, weights, options.baseline)
    return compare_joined(results, rule)


def _answer(options: argparse.Namespace, compute: Callable[[], Any]) -> int:
    """Print a result, or why there is none."""
    try:
        result = compute()
        if options.command == "compare" and options.out is not None:
            result.write(options.out)
    except FileProblems as refusal:
        side = "reference" if isinstance(refusal, ReferenceFileError) else "submission"
        where = getattr(options, side, " ".join(getattr(options, "submissions", ())))
        problems = [vars(problem) for problem in refusal.problems]
        message = f"The {side} {where} is refused.\n\n{refusal}\n\nNothing was scored."
        return _refuse(options, message, 1, total=refusal.total, problems=problems)
    except UnreadableReference as error:
        return _refuse(options, f"The reference is refused.\n\n{error}\n\nNothing was scored.", 1)
    except (ImportError, ValueError) as error:
        return _refuse(options, str(error), 2)
    except OSError as error:
        return _refuse(options, f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    say(json.dumps(result.to_dict(), indent=2) if options.json else str(result))
    return 0


def _export(options: argparse.Namespace) -> int:
    """Write results in the format of another project."""
    from .export import MissingFacts, export  # imported here, so that `score` starts fast

    try:
        published, feedback = _of_organisers(options.competition, options.bundle)
        files = export(
            options.result,
            options.format,
            now=int(time.time()),
            facts={
                **_read_facts(options.meta),
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
    except OSError as error:
        return _refuse(options, f"{error.filename}: {error.strerror}", 2)
    written = [str(options.out / name) for name in files]
    say(json.dumps({"files": written}, indent=2) if options.json else "\n".join(written))
    return 0


def _of_organisers(competition: Optional[Path], bundle: Optional[Path]) -> tuple[Mapping[str, Any], Any]:
    """The tasks and facts in a competition folder, and the options of a bundle."""
    if competition is None and bundle is None:
        return {}, None
    organisers = import_organisers("competition.publication", "--competition and --bundle need")
    try:
        published = organisers.read_publication(competition) if competition else {}
        return published, organisers.read_feedback(bundle) if bundle else None
    except organisers.OrganiserError as error:
        raise ValueError(str(error)) from None


def _read_facts(file: Optional[Path]) -> Mapping[str, Any]:
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


def _named(paths: Sequence[str]) -> dict[str, Path]:
    """Systems named after their files without the extension; or after the paths, where these names are not unique."""
    stems = [Path(path).stem for path in paths]
    once = Counter(stems)
    return {stem if once[stem] == 1 else path: Path(path) for stem, path in zip(stems, paths)}


def _refuse(options: argparse.Namespace, message: str, status: int, **details: Any) -> int:
    """Print why nothing was done; with `--json` also as JSON, with the details that are known."""
    say(message, error=True)
    if options.json:
        say(json.dumps({"error": message.partition("\n")[0], **details}, indent=2))
    return status


def _chosen_task(name: Optional[str], file: Optional[Path]) -> Task:
    """Return the task of a name, or of a `task.json`.

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
        if name not in task_names():
            raise ValueError(f"Unknown task {name}. Choose one of {', '.join(task_names())}.")
        return find_task(str(name))
    try:
        return read_task(file)
    except OSError as error:
        raise OSError(f"{file}: {error.strerror}") from None
    except ParameterError as error:
        raise ValueError(f"{file}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file}: not the task.json of a declared task") from None


def _tasks_table(tasks: Sequence[TaskDescription]) -> str:
    """One line for each task: name, title and primary score."""
    width = max(len(task.name) for task in tasks)
    return "\n".join(
        f"{task.name:<{width}}  {task.title}: {task.scores[0].title}, {task.scores[0].direction} is better"
        for task in tasks
    )


if __name__ == "__main__":
    sys.exit(main())
