"""Files from strangers, read with bounds: never a pipe, never more than is allowed, never deeper than can be followed.

Bundles, what scoring programs wrote, references and submissions are made by others, and may be damaged or meant to
do harm. Whatever is in them, a reader here gives a value or an error that says in one line why not.
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
"""Bytes of a YAML file: what a competition needs is a tenth of it."""
MOST_NODES = 20_000
"""Values in it, each counted as often as aliases repeat it: a few lines of aliases of aliases can be millions."""
DEEPEST = 50
"""Values within values in it."""
LONGEST_NUMBER = 100
"""Characters of a number in it."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What every zip program writes; a few bytes of the others can ask for gigabytes of memory."""


def open_file(path: Path, most: int) -> BinaryIO:
    """An ordinary file of at most `most` bytes, open. Links are followed, a pipe is not waited for.

    Raises
    ------
    OSError: no such file, no ordinary one, or a larger one.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        what = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no ordinary file"
        raise OSError(EINVAL, what, str(path))
    if status.st_size > most:
        os.close(descriptor)
        limit = f"{most / 1e6:.0f} MB" if most >= 1e6 else f"{most >> 10} kB"
        raise OSError(EFBIG, f"is larger than {limit}", str(path))
    return os.fdopen(descriptor, "rb")


def read_file(path: Path, most: int) -> bytes:
    """The content of an ordinary file, of its first `most` bytes where it grows meanwhile (see `open_file`)."""
    with open_file(path, most) as stream:
        return stream.read(most)


def sha256(path: Path, most: int) -> str:
    """The digest of an ordinary file (see `open_file`)."""
    digest = hashlib.sha256()
    with open_file(path, most) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An entry of a zip. Never unpacks more than the zip's directory says, which the caller holds against a limit.

    Raises
    ------
    ValueError: encrypted, damaged, or compressed in an uncommon way.
    """
    if entry.flag_bits & 0x1:
        raise ValueError("encrypted")
    if entry.compress_type not in _METHODS:
        raise ValueError("compressed in an uncommon way; make an ordinary zip")
    try:
        with archive.open(entry) as source:
            return source.read(entry.file_size + 1)
    except (*DAMAGED, OSError) as error:
        raise ValueError(f"cannot be read ({error})") from None


def parse_json(data: bytes) -> Any:
    """JSON in UTF-8, in which no name stands twice in one object.

    Raises
    ------
    ValueError: anything else.
    """
    try:
        return json.loads(data.decode(), object_pairs_hook=_once_each)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON (line {error.lineno})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"{name!r:.100} stands twice in one object")
        content[name] = value
    return content


def parse_yaml(data: bytes) -> Any:
    """The value of a small YAML file.

    Raises
    ------
    ValueError: too large, not UTF-8, not YAML, or not to be composed (see `compose_yaml`).
    """
    try:
        loader = yaml.SafeLoader(decode_yaml(data))
        node = compose_yaml(loader)
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None


def decode_yaml(data: bytes) -> str:
    """The text of a YAML file.

    Raises
    ------
    ValueError: larger than `MOST_YAML`, or not UTF-8 (`UnicodeDecodeError`).
    """
    if len(data) > MOST_YAML:
        raise ValueError(f"larger than {MOST_YAML >> 10} kB")
    return data.decode("utf-8-sig")


def compose_yaml(loader: yaml.SafeLoader) -> yaml.Node | None:
    """The node of a document that can be made into values without end of time or memory.

    Raises
    ------
    ValueError: too many values, too deep, or a number that is too long.
    yaml.YAMLError: not YAML.
    """
    try:
        node = loader.get_single_node()
        if node is not None:
            _measure(node, {})
    except RecursionError:
        raise ValueError("nested too deeply, or within itself") from None
    return node


def _measure(node: yaml.Node, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """How many values a node holds, each as often as aliases repeat it, and how deep it is."""
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
        raise ValueError(f"more than {MOST_NODES} values; aliases of aliases?")
    if depth > DEEPEST:
        raise RecursionError
    known[id(node)] = size, depth
    return size, depth
