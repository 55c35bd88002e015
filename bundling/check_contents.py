"""What is inside a bundle's parts: pages, logo, programs and their commands, options and score keys, data."""

from __future__ import annotations

import ast
import json
import posixpath
import re
import shlex
import struct
import uuid
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from .bundle_files import Archive, open_archive
from .check_yaml import closest
from .finding import Report

Platform = Literal["codabench", "codalab"]
Step = Literal["scoring_program", "ingestion_program"]
STEPS: tuple[Step, ...] = ("scoring_program", "ingestion_program")
DATA = ("reference_data", "input_data")


@dataclass(frozen=True)
class Column:
    """A leaderboard column whose score the program must write."""

    key: str
    where: str


@dataclass(frozen=True)
class Program:
    """A program that the worker runs: its zip, the command with its paths, its script's declarations."""

    archive: Archive
    metadata: str
    command: str
    script: str | None
    tree: ast.Module | None


@dataclass(frozen=True)
class Task:
    """What one submission meets: programs and data, by their names in competition.yaml."""

    name: str
    where: str
    parts: Mapping[str, Archive]


Programs = dict[tuple[str, str], Program]
"""The programs that can be run, by step and by the name of their zip."""


@dataclass
class Competition:
    """What the checks of the contents need from either platform's competition.yaml."""

    tasks: list[Task] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    primary: Column | None = None
    item_lists: dict[str, Archive] = field(default_factory=dict)
    public: dict[str, Archive] = field(default_factory=dict)
    solutions: dict[str, Archive] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)
    programs: Programs = field(default_factory=dict)


class Parts:
    """Opens what competition.yaml names, each part once."""

    def __init__(self, report: Report, bundle: Archive, platform: Platform) -> None:
        self.report = report
        self.bundle = bundle
        self.platform = platform
        self.opened: dict[str, Archive | None] = {}

    def archive(self, where: str, value: str) -> Archive | None:
        """A program or data set: an inner zip, or with Codabench a folder."""
        if self.platform == "codalab" and not value.endswith(".zip"):
            self.report.add("file-not-zip-name", where, f"{value!r} does not end in .zip")
            return None
        path = self._path(where, value)
        if path is None:
            return None
        if path not in self.opened:
            self.opened[path] = self._open(where, path)
        return self.opened[path]

    def _open(self, where: str, path: str) -> Archive | None:
        if path in self.bundle.refused:
            return None
        if path in self.bundle.files:
            if posixpath.splitext(path)[1] in (".py", ".sh", ".ipynb", ".R"):
                self.report.add("file-lone-script", where, f"{path} is a lone script; expected a zip")
                return None
            return open_archive(self.report, path, self.bundle.files[path])
        folder = self.bundle.folder(path)
        if folder is not None:
            self.report.add("file-directory", where, f"{path} is a directory; expected a zip")
            return folder
        if _is_uuid(path):
            self.report.add("outside-bundle", where, f"{path} is the key of a stored data set")
            return None
        self._missing(where, path)
        return None

    def file(self, where: str, value: str) -> bytes | None:
        """A page or image."""
        path = self._path(where, value)
        if path is None or path in self.bundle.refused:
            return None
        if path not in self.bundle.files:
            self._missing(where, path)
        return self.bundle.files.get(path)

    def _path(self, where: str, value: str) -> str | None:
        if posixpath.isabs(value) or ".." in value.split("/"):
            self.report.add("file-path-outside", where, f"{value!r}")
            return None
        path = value if self.platform == "codalab" else posixpath.normpath(value)
        if path in ("", "."):
            self.report.add("file-whole-bundle", where, f"{value!r} is the bundle itself")
            return None
        return path

    def _missing(self, where: str, path: str) -> None:
        self.report.add(
            "file-missing", where, f"{path!r} is not in the bundle{closest(path, self.bundle.files)}"
        )


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


# Pages and the logo

_STRIPPED = re.compile(r"<(?:style|script|iframe)\b|<[a-z][^>]*\sstyle\s*=", re.IGNORECASE)
_CODE = re.compile(r"```.*?```|`[^`\n]*`|<(pre|code)\b.*?</\1>", re.DOTALL)
_TARGET = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:src|href)\s*=\s*["']([^"']+)""", re.IGNORECASE)
_ANYWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#|\?", re.IGNORECASE)


def check_page(report: Report, parts: Parts, where: str, value: str) -> bytes | None:
    data = parts.file(where, value)
    if data is None:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        report.add("page-not-utf8", value, f"byte {error.start} is not UTF-8")
        return None
    if not text.strip():
        report.add("page-empty", value, "nothing on the page")
    prose = _CODE.sub("", text)
    found = _STRIPPED.search(prose)
    if found and parts.platform == "codabench":
        report.add("page-sanitised", value, f"{found.group()!r}")
    for match in _TARGET.finditer(prose):
        target = match[1] or match[2]
        if not _ANYWHERE.match(target):
            report.add("page-relative-link", value, f"{target!r} is relative")
    return data


def check_image(report: Report, parts: Parts, where: str, value: str) -> None:
    data = parts.file(where, value)
    if data is None:
        return
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        size, whole = _png_size(data), data.rstrip(b"\0").endswith(b"IEND\xaeB`\x82")
    elif data.startswith(b"\xff\xd8\xff"):
        size, whole = _jpeg_size(data), data.rstrip(b"\0\n").endswith(b"\xff\xd9")
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        size = struct.unpack("<HH", data[6:10]) if len(data) >= 10 else None
        whole = data.rstrip(b"\0").endswith(b";")
    else:
        report.add("image-format", where, f"{value} is no PNG, JPEG or GIF (first bytes {data[:8]!r})")
        return
    if size is None or not all(size) or not whole:
        report.add("image-broken", where, f"{value} is cut short or has no size")
    elif size[0] > 100 * size[1]:
        report.add("image-shape", where, f"{value} is {size[0]} x {size[1]} pixels")


def _png_size(data: bytes) -> tuple[int, ...] | None:
    return struct.unpack(">II", data[16:24]) if data[12:16] == b"IHDR" and len(data) >= 24 else None


def _jpeg_size(data: bytes) -> tuple[int, ...] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None


# Programs

_VARIABLES = {
    "codabench": {
        "$input": "/app/input",
        "$output": "/app/output",
        "$program": "/app/program",
        "$ingestion_program": "/app/program",
        "$hidden": "/app/input/ref",
        "$shared": "/app/shared",
        "$submission_program": "/app/ingested_program",
        "$tmp": "/app/output",
        "$predictions": "/app/input/res",
    },
    "codalab": dict.fromkeys(
        ("$program", "$input", "$output", "$predictions", "$shared", "$tmp", "$hidden"), ""
    ),
}
_PROVIDED = {
    "scoring_program": ("program", "input", "output", "shared", "input_data", "data"),
    "ingestion_program": ("program", "ingested_program", "output", "input_data", "data"),
}
_OLD_IMAGE = re.compile(r"codalab/codalab-legacy:py3[678]?")
_SHELL = re.compile(r"(?:^|\s)(?:\|\|?|&&?|[12&]?>>?|<|2>&1)(?:\s|$)|;(?:\s|$)|`|\$\(|\*")


def check_program(report: Report, archive: Archive, step: Step, platform: Platform) -> Program | None:
    """The program in an archive, or None where the worker would not find what to run."""
    names = ("metadata.yaml", "metadata") if platform == "codabench" else ("metadata",)
    metadata = next((name for name in names if name in archive.files), None)
    if metadata is None:
        if archive.wrapping_folder and archive.files:
            report.add(
                "archive-wrapped", archive.name, f"everything is in the folder {archive.wrapping_folder}/"
            )
        elif not archive.refused.intersection(names):
            report.add("program-metadata-missing", archive.name, f"no {' or '.join(names)} at its root")
        return None
    command = _command(report, archive, metadata)
    if command is None:
        return None
    where = archive.where(metadata)
    words = _words(report, where, command, step, platform)
    if words is None:
        return None
    named = _files_of_command(report, archive, where, words, platform)
    if named is None:
        return None
    script = next((name for name in named if name.endswith(".py")), None)
    return Program(archive, metadata, " ".join(words), script, _parse(report, archive, script))


def check_image_age(report: Report, where: str, image: str, programs: Programs) -> None:
    """What is vendored needs Python 3.9."""
    vendored = any("spokeneval/__init__.py" in program.archive.files for program in programs.values())
    if vendored and _OLD_IMAGE.fullmatch(str(image)):
        report.add("docker-too-old", where, f"{image!r} has Python 3.7 or older")


def _command(report: Report, archive: Archive, metadata: str) -> str | None:
    where = archive.where(metadata)
    try:
        content = yaml.safe_load(archive.files[metadata].decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        report.add("program-metadata-invalid", where, f"cannot be read: {str(error).splitlines()[0]}")
        return None
    if not isinstance(content, dict):
        report.add("program-metadata-invalid", where, "no 'key: value' in it")
        return None
    command = content.get("command")
    if not isinstance(command, str) or not command.strip():
        hint = "" if "command" in content else closest("command", map(str, content))
        report.add("program-command-missing", where, f"command is {command!r}; expected text{hint}")
        return None
    return command


def _words(report: Report, where: str, command: str, step: Step, platform: Platform) -> list[str] | None:
    """The command's words, with the variables that Codabench replaces replaced."""
    if _SHELL.search(command):
        report.add("command-shell", where, f"{command!r} needs a shell")
        return None
    known = dict(_VARIABLES[platform])
    if platform == "codabench" and step == "ingestion_program":
        known["$input"], known["$predictions"] = "/app/input_data", "/app/output"
    for variable in dict.fromkeys(re.findall(r"\$\w*", command)):
        if variable not in known:
            report.add(
                "command-variable-unknown", where, f"{variable!r} in {command!r}{closest(variable, known)}"
            )
            return None
        if platform == "codabench":
            report.add("command-variable", where, f"{variable} in {command!r}")
            command = re.sub(re.escape(variable) + r"(?!\w)", known[variable], command)
    if platform == "codalab":
        words = command.strip().split(" ")
        if "" in words or command != command.strip():
            report.add("command-spaces", where, f"{command!r}")
        if re.search(r"[\"']", command):
            report.add("command-shell", where, f"{command!r} is quoted for a shell")
            return None
        return [word for word in words if word]
    try:
        return shlex.split(command)
    except ValueError as error:
        report.add("command-shell", where, f"{command!r}: {error}")
        return None


def _files_of_command(
    report: Report, archive: Archive, where: str, words: list[str], platform: Platform
) -> list[str] | None:
    """The program's own files that its command names; None if one cannot be found when it runs."""
    home = "/app/program/" if platform == "codabench" else "$program/"
    named: list[str] = []
    for word in words:
        if platform == "codalab" and (word == "/app" or word.startswith("/app/")):
            report.add("command-literal-path", where, f"{word!r} in the command")
            return None
        if word.startswith(home):
            named.append(word[len(home) :])
        elif posixpath.splitext(word)[1] in (".py", ".sh", ".R") and not word.startswith(("/", "$")):
            named.append(posixpath.normpath(word))
    for name in named:
        if name not in archive.files and archive.folder(name) is None and name not in archive.refused:
            hint = closest(name, archive.files)
            report.add("command-file", where, f"{name!r} is not in {archive.name}{hint}")
            return None
    return named


def _parse(report: Report, archive: Archive, script: str | None) -> ast.Module | None:
    if script is None or script not in archive.files:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(archive.files[script])
    except (SyntaxError, ValueError) as error:
        report.add("program-syntax", archive.where(script), f"{error}")
        return None
    if "spokeneval" in set(_imported(tree)) and "spokeneval/__init__.py" not in archive.files:
        report.add(
            "package-missing", archive.where(script), f"imports spokeneval, which is not in {archive.name}"
        )
    return tree


def _imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def check_programs(report: Report, competition: Competition, platform: Platform) -> Programs:
    """Check every task's programs and data, each zip once."""
    programs: Programs = {}
    done: set[tuple[str, str]] = set()
    for task in competition.tasks:
        for step in STEPS:
            archive = task.parts.get(step)
            if archive is None:
                continue
            if (step, archive.name) not in done:
                done.add((step, archive.name))
                program = check_program(report, archive, step, platform)
                if program:
                    programs[step, archive.name] = program
            if platform == "codabench" and (step, archive.name) in programs:
                _check_paths(report, programs[step, archive.name], step, task)
        for part in DATA:
            if part in task.parts:
                check_data(report, task.parts[part])
    return programs


def _check_paths(report: Report, program: Program, step: Step, task: Task) -> None:
    """Every /app path of a Codabench command is one that the step's container has."""
    for root in re.findall(r"/app/(\w+)", program.command):
        where = program.archive.where(program.metadata)
        if root not in _PROVIDED[step]:
            report.add("command-path", where, f"/app/{root} is not there during {step.partition('_')[0]}")
        elif root == "input_data" and "input_data" not in task.parts:
            report.add("command-path", where, f"/app/input_data, but {task.name} has no input_data")


# Score keys and options


def declared(program: Program, name: str) -> Any:
    """The literal that the script assigns to a name at its top level, or None."""
    for node in program.tree.body if program.tree else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if (
            any(isinstance(target, ast.Name) and target.id == name for target in targets)
            and value is not None
        ):
            try:
                return ast.literal_eval(value)
            except ValueError:
                return None
    return None


def writes_page(task: Task | None, programs: Programs) -> bool:
    """Whether the task's scoring program may write detailed results; its options may say that it does not."""
    program = scoring_program(task, programs)
    options = read_options(Report(), program) if program else None
    return options is None or options.get("detailed_results", False)


def scoring_program(task: Task | None, programs: Programs) -> Program | None:
    archive = task.parts.get("scoring_program") if task else None
    return programs.get(("scoring_program", archive.name)) if archive else None


def check_scores(report: Report, program: Program, competition: Competition) -> None:
    """The board's columns against the keys that the scoring script declares."""
    scores = declared(program, "SCORES")
    where = program.archive.where(program.script or "")
    if program.tree is None and program.script is not None:
        return
    if not isinstance(scores, (tuple, list)) or not scores or not all(isinstance(key, str) for key in scores):
        report.add("scores-undeclared", where, "no SCORES, a tuple of keys, at the script's top level")
        return
    for column in competition.columns:
        if column.key not in scores:
            text = f"{program.archive.name} writes no {column.key!r}{closest(column.key, scores)}"
            report.add("column-not-scored", column.where, text)
    primary = competition.primary
    if primary and primary.key in scores and primary.key != scores[0]:
        text = f"ranks by {primary.key!r}; the first of SCORES is {scores[0]!r}"
        report.add("primary-not-first-score", primary.where, text)


def read_options(report: Report, program: Program) -> dict[str, Any] | None:
    """The scoring program's options.json, or None where it has none that can be used."""
    if "options.json" not in program.archive.files:
        return None
    where = program.archive.where("options.json")
    try:
        content = json.loads(program.archive.files["options.json"])
    except ValueError as error:
        report.add("options-invalid", where, f"not JSON: {error}")
        return None
    known = {
        "options": dict,
        "public_references": list,
        "rounded_sets": list,
        "detailed_results": bool,
        "baselines": dict,
        "columns": list,
    }
    if not isinstance(content, dict):
        report.add("options-invalid", where, "expected an object")
        return None
    for key, value in content.items():
        if key not in known or not isinstance(value, known[key]):
            report.add("options-invalid", where, f"{key!r}: {value!r}{closest(key, known)}")
            return None
    choices = declared(program, "OPTIONS")
    for option, value in content.get("options", {}).items() if isinstance(choices, dict) else ():
        if option not in choices or value not in choices[option]:
            expected = choices.get(option, tuple(choices))
            text = f"{option}: {value!r}; expected one of {', '.join(map(str, expected)) or 'nothing'}"
            report.add("options-invalid", where, text)
    return content


# Data


def check_data(report: Report, archive: Archive) -> None:
    if not any(archive.files.values()):
        if not archive.refused:
            report.add("data-empty", archive.name, "no file with anything in it")
    elif archive.wrapping_folder:
        report.add("data-wrapped", archive.name, f"everything is in the folder {archive.wrapping_folder}/")


def check_solution(report: Report, archive: Archive) -> None:
    for name in ("metadata", "metadata.yaml"):
        if name in archive.files:
            report.add("solution-metadata", archive.where(name), "a results submission with metadata")
