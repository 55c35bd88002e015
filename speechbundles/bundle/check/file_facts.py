"""Facts about items besides their content: names, order, and the files' sizes, times and headers."""

import hashlib
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

ORDER, NAME, TIME, SIZE, HEADER, DURATION = "order", "name", "time", "size", "header", "duration"
"""Kinds of facts. Only a duration can be a property of the task."""

_MOST_CODES = 20
"""The most different words or headers that are compared."""
_MOST_PARTS = 8
"""The parts of a name that are compared, from its beginning and from its end."""
_MOST_CHUNKS = 100  # that are read of a header
_PART = re.compile(r"\d+|[^\W\d_]+")


class Fact(NamedTuple):
    """A value of each item, shape (items,); NaN where it is unknown. `words`: its description in messages."""

    kind: str
    words: str
    values: Any


class SeenFile(NamedTuple):
    """A file as participants see it: its place among the entries of its zip, its time there, and its bytes."""

    place: int
    time: tuple[int, ...]
    data: bytes


def name_facts(names: Sequence[str]) -> Iterator[Fact]:
    """Yield the numbers and words at each place of the items' names, and their lengths."""
    parts = [_PART.findall(name.casefold()) for name in names]
    yield Fact(NAME, "the length of the names", np.array([float(len(name)) for name in names]))
    least = min(_MOST_PARTS, *map(len, parts))
    ends = range(-1, -least - 1, -1) if len(set(map(len, parts))) > 1 else ()
    for place in (*range(least), *ends):
        column = [part[place] for part in parts]
        where = f"part {place + 1} of the names" if place >= 0 else f"part {-place} from the end of the names"
        if not all(map(str.isdecimal, column)):
            yield from _codes(NAME, where, column)
            continue
        shown = {where: [float(part[-15:]) for part in column]}
        if min(map(len, column)) > 9:
            shown[f"the last three digits of {where}"] = [float(part[-3:]) for part in column]
        for words, values in shown.items():
            yield Fact(NAME, words, np.array(values))
            yield from _repeats(NAME, f"how often {words} appears", values)


def order_fact(steps: Iterable[Sequence[int]], size: int, where: str) -> Fact:
    """Return the places of items in a list; rows in one step have the same place."""
    values = np.full(size, np.nan)
    for place, rows in enumerate(steps):
        values[list(rows)] = place
    return Fact(ORDER, f"the order of {where}", values)


def file_facts(files: Mapping[int, SeenFile], size: int, where: str) -> Iterator[Fact]:
    """Yield the facts about files of one kind, by the rows of their items."""
    rows = sorted(files)
    for fact in _facts_of([files[row] for row in rows]):
        values = np.full(size, np.nan)
        values[rows] = fact.values
        yield Fact(fact.kind, f"{fact.words} of {where}", values)


def _facts_of(files: Sequence[SeenFile]) -> Iterator[Fact]:
    yield Fact(ORDER, "the order", [file.place for file in files])
    yield Fact(TIME, "the times", [_seconds(file.time) for file in files])
    sounds = [sound for sound in (read_sound(file.data) for file in files) if sound]
    sizes = [len(file.data) for file in files]
    if len(sounds) == len(files):
        yield Fact(DURATION, "the durations", [round(sound.seconds, 1) for sound in sounds])
        samples = [sound.samples for sound in sounds]
        yield from _repeats(SIZE, "how many items have exactly the same number of samples", samples)
        yield Fact(SIZE, "the bytes for each second", [round(sound.rate) for sound in sounds])
        yield Fact(HEADER, "the bytes besides the sound", [sound.besides for sound in sounds])
        yield from _codes(HEADER, "the format", [sound.format for sound in sounds])
        yield from _codes(HEADER, "the metadata", [sound.metadata for sound in sounds])
    elif all(b"\0" not in file.data[:1000] for file in files):  # texts
        yield Fact(DURATION, "the sizes", sizes)
    else:
        yield Fact(SIZE, "the sizes", sizes)
        yield from _repeats(SIZE, "how many items have exactly the same size", sizes)
        yield from _codes(HEADER, "the first bytes", [file.data[:16].hex() for file in files])


def _repeats(kind: str, words: str, values: Sequence[float]) -> Iterator[Fact]:
    """Yield how often each value appears, if some appear more than once."""
    counts = Counter(values)
    if len(counts) < len(values):
        yield Fact(kind, words, np.array([float(counts[value]) for value in values]))


def _codes(kind: str, words: str, values: Sequence[str]) -> Iterator[Fact]:
    codes = {value: code for code, value in enumerate(sorted(set(values)))}
    if len(codes) <= _MOST_CODES:
        yield Fact(kind, words, np.array([float(codes[value]) for value in values]))


def _seconds(time: Sequence[int]) -> float:
    """Return a time as a number that increases with it; 0 for an unknown one."""
    total = 0
    for part, base in zip(time, (1, 12, 31, 24, 60, 60), strict=False):
        total = total * base + part
    return float(total)


class Sound(NamedTuple):
    """A recording's header: samples, bytes for each second, bytes besides the sound, its format, other metadata."""

    seconds: float
    samples: int
    rate: float
    besides: int
    format: str
    metadata: str


def read_sound(data: bytes) -> Sound | None:
    """Return the facts in the header of a WAV, FLAC or NIST SPHERE file, or None for others and broken ones."""
    read = {b"RIFF": _read_wav, b"fLaC": _read_flac, b"NIST": _read_sphere}.get(data[:4])
    try:
        samples, rate, sound, described, others = read(data) if read else (0, 0, 0, "", [])
        seconds = samples / rate
        digest = hashlib.sha256(b"\0".join(others)).hexdigest()
        per_second = sound / seconds if samples else 0.0
        return Sound(seconds, samples, per_second, len(data) - sound, described, digest)
    except (struct.error, ValueError, IndexError, ArithmeticError):
        return None


_Header = tuple[int, int, int, str, list[bytes]]
"""Samples, samples in a second, bytes of sound, the format, other metadata."""


def _read_wav(data: bytes) -> _Header:
    """Read the chunks; the size of the last one may be wrong, as in streams."""
    at, sound, form = 12, -1, b""
    others: list[bytes] = []
    names: list[str] = []
    while at + 8 <= len(data) and len(names) < _MOST_CHUNKS:
        name, size = struct.unpack("<4sI", data[at : at + 8])
        names.append(name.decode("latin-1"))
        if name == b"data" and sound < 0:
            sound = min(size, len(data) - at - 8)
        elif name == b"fmt ":
            form = data[at + 8 : at + 24]
        else:
            others.append(data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    kind, channels, rate, _, block, bits = struct.unpack("<HHIIHH", form)
    return max(0, sound) // block, rate, sound, f"{kind} {channels} {rate} {bits} {' '.join(names)}", others


def _read_flac(data: bytes) -> _Header:
    at, last = 4, False
    blocks: list[tuple[int, bytes]] = []
    while not last and at + 4 <= len(data) and len(blocks) < _MOST_CHUNKS:
        head, size = data[at], int.from_bytes(data[at + 1 : at + 4], "big")
        last = head > 127
        blocks.append((head & 127, data[at + 4 : at + 4 + size]))
        at += 4 + size
    packed = int.from_bytes(blocks[0][1][10:18], "big") if blocks[0][0] == 0 else 0
    rate, channels, bits = packed >> 44, (packed >> 41 & 7) + 1, (packed >> 36 & 31) + 1
    described = f"{rate} {channels} {bits} {' '.join(str(kind) for kind, _ in blocks)}"
    return packed & (1 << 36) - 1, rate, len(data) - at, described, [block for _, block in blocks[1:]]


def _read_sphere(data: bytes) -> _Header:
    size = int(data[8:16])
    lines = [line.split(None, 2) for line in data[16:size].decode("latin-1").splitlines()]
    fields = {line[0]: line[2] for line in lines if len(line) == 3}
    samples, rate = int(fields.pop("sample_count", 0)), int(fields.pop("sample_rate", 0))
    changing = ("sample_checksum", "sample_min", "sample_max")
    others = {key: value for key, value in fields.items() if key not in changing}
    shown = " ".join(str(fields.get(key)) for key in ("channel_count", "sample_n_bytes", "sample_coding"))
    return samples, rate, len(data) - size, f"{rate} {shown}", [repr(others).encode()]
