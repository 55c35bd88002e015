"""Reads untrusted files with limits on kind, size and nesting.

Bundles, outputs of scoring programs, references and submissions are made by others. They can be damaged or malicious.
For any content, a reader here returns a value or raises an error with a one-line reason.
"""

import hashlib
import json
import os
import stat
import zipfile
from errno import EFBIG, EINVAL
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from spokeneval.formats.submission_zip import DAMAGED

MOST_YAML = 1 << 18
"""The most bytes of a YAML file, and of a program's JSON files: ten times what a competition needs."""
MOST_NODES = 20_000
"""The most values in a YAML file. Repeats by aliases count: a few lines with aliases of aliases can hold millions."""
DEEPEST = 50
"""The deepest nesting in a YAML file."""
LONGEST_NUMBER = 100
"""The most characters of a number in a YAML file."""

_TOO_MANY = f"more than {MOST_NODES} values, counting each repeat of an alias"

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The methods that every zip program writes. With the others, a few bytes can demand gigabytes of memory."""


def open_file(path: Path, most: int) -> BinaryIO:
    """Open a regular file of at most `most` bytes. Links are followed; a pipe is refused and does not block.

    Raises
    ------
    OSError: a file that does not exist, is not a regular file, or is larger.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        what = "is a folder" if stat.S_ISDIR(status.st_mode) else "is not a regular file"
        raise OSError(EINVAL, what, str(path))
    if status.st_size > most:
        os.close(descriptor)
        limit = f"{most / 1e6:.0f} MB" if most >= 1e6 else f"{most >> 10} kB"
        raise OSError(EFBIG, f"is larger than {limit}", str(path))
    return os.fdopen(descriptor, "rb")


def is_file_below(folder: Path, name: str) -> bool:
    """Return whether there is a file at a place below a folder; `open_file` refuses one that is not regular.

    Raises
    ------
    ValueError: a link leads to the place.
    """
    place = folder
    for part in name.split("/"):
        place /= part
        try:
            mode = place.lstat().st_mode
        except OSError:
            return False
        if stat.S_ISLNK(mode):
            raise ValueError(f"{place.relative_to(folder).as_posix()} is a link; links are not followed")
    return True


def read_file(path: Path, most: int) -> bytes:
    """Return the content of a regular file (see `open_file`), at most `most` bytes even if the file grows."""
    with open_file(path, most) as stream:
        return stream.read(most)


def sha256(path: Path, most: int) -> str:
    """Return the SHA-256 of a regular file (see `open_file`)."""
    digest = hashlib.sha256()
    with open_file(path, most) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(content).hexdigest()


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the content of a zip's entry.

    At most the size in the zip's directory is unpacked; the caller checks that size.

    Raises
    ------
    ValueError: an entry that is encrypted, damaged or compressed with an uncommon method.
    """
    if entry.flag_bits & 0x1:
        raise ValueError("encrypted")
    if entry.compress_type not in METHODS:
        raise ValueError("compressed with an uncommon method; make an ordinary zip")
    try:
        with archive.open(entry) as source:
            return source.read(entry.file_size + 1)
    except (*DAMAGED, OSError) as error:
        raise ValueError(f"cannot be read ({error})") from None


def parse_json(data: bytes) -> Any:
    """Parse JSON in UTF-8.

    Raises
    ------
    ValueError: not UTF-8, not JSON, nested too deeply, or a name that appears twice in an object.
    """
    try:
        return json.loads(data.decode(), object_pairs_hook=_once_each)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON (line {error.lineno})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_settings(data: bytes) -> Any:
    """Parse the JSON of a program's options or description; see `parse_json`.

    Raises
    ------
    ValueError: also for more than `MOST_YAML` bytes.
    """
    if len(data) > MOST_YAML:
        raise ValueError(f"larger than {MOST_YAML >> 10} kB")
    return parse_json(data)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"{name!r:.100} appears twice in one object")
        content[name] = value
    return content


def parse_yaml(data: bytes) -> Any:
    """Parse a small YAML file.

    Raises
    ------
    ValueError: too large, not UTF-8, not YAML, or refused by `compose_yaml`.
    """
    try:
        loader, node = compose_yaml(data)
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None


def decode_yaml(data: bytes) -> str:
    """Return the text of a YAML file.

    Raises
    ------
    ValueError: larger than `MOST_YAML`, or not UTF-8 (`UnicodeDecodeError`).
    """
    if len(data) > MOST_YAML:
        raise ValueError(f"larger than {MOST_YAML >> 10} kB")
    return data.decode("utf-8-sig")


class BoundedLoader(yaml.SafeLoader):
    """A loader that stops at a limit while it reads: the whole file may take seconds, which grow with the nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.nodes = self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.nodes += 1
        self.depth += 1
        if self.nodes > MOST_NODES:
            raise ValueError(_TOO_MANY)
        if self.depth > DEEPEST:
            raise RecursionError
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def compose_yaml(data: bytes) -> tuple[BoundedLoader, yaml.Node | None]:
    """Return the node of a document, checked so that its values can be built in bounded time and memory, and a loader.

    Raises
    ------
    ValueError: refused by `decode_yaml`, too many values, too deep nesting, or a number that is too long.
    yaml.YAMLError: not YAML.
    """
    loader = BoundedLoader(decode_yaml(data))
    try:
        node = loader.get_single_node()
        if node is not None:
            _measure(node, {})
    except RecursionError:
        raise ValueError("nested too deeply, or contains itself") from None
    return loader, node


def _measure(node: yaml.Node, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the number of values in a node, repeats by aliases included, and its depth."""
    if id(node) in known:
        return known[id(node)]
    if isinstance(node, yaml.ScalarNode):
        if node.tag.endswith((":int", ":float")) and len(node.value) > LONGEST_NUMBER:
            line = node.start_mark.line + 1
            raise ValueError(f"line {line}: a number of {len(node.value)} characters")
        return 1, 1
    mapping = isinstance(node, yaml.MappingNode)
    inner = [part for pair in node.value for part in pair] if mapping else node.value
    parts = [_measure(part, known) for part in inner]
    size = 1 + sum(size for size, _ in parts)
    depth = 1 + max((depth for _, depth in parts), default=0)
    if size > MOST_NODES:
        raise ValueError(_TOO_MANY)
    if depth > DEEPEST:
        raise RecursionError
    known[id(node)] = size, depth
    return size, depth
