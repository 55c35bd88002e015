"""Facts about items besides their content: names, order, and the files' sizes, times and headers."""

import hashlib
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

ORDER, NAME, TIME, SIZE, HEADER, DURATION = "order", "name", "time", "size", "header", "duration"
"""Kinds of facts. Only a duration can be a property of the task."""

_MOST_CODES = 20
"""The most different words or headers that are compared."""
_MOST_PARTS = 8
"""The parts of a name that are compared, from its beginning and from its end."""
_MOST_CHUNKS = 100  # that are read of a header
_LONGEST = 1e9  # seconds
_PART = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True)
class Fact:
    """A value of each item, shape (items,); NaN where it is unknown. `words`: its description in messages."""

    kind: str
    words: str
    values: np.ndarray


class SeenFile(NamedTuple):
    """A file as participants see it: its place among the entries of its zip, its time there, and its bytes."""

    place: int
    time: tuple[int, ...]
    data: bytes


def name_facts(names: Sequence[str]) -> Iterator[Fact]:
    """Yield the numbers and words at each place of the items' names, and their lengths."""
    parts = [_PART.findall(name.casefold()) for name in names]
    yield Fact(NAME, "the length of the names", np.array([len(name) for name in names], dtype=float))
    least, most = min(map(len, parts)), max(map(len, parts))
    ends = range(-1, -min(least, _MOST_PARTS) - 1, -1) if least < most else ()
    for place in (*range(min(least, _MOST_PARTS)), *ends):
        column = [part[place] for part in parts]
        where = f"part {place + 1} of the names" if place >= 0 else f"part {-place} from the end of the names"
        if all(map(str.isdecimal, column)):
            yield from _numbers(NAME, where, [float(part[-15:]) for part in column])
            if min(map(len, column)) > 9:
                yield from _numbers(
                    NAME, f"the last three digits of {where}", [float(part[-3:]) for part in column]
                )
        else:
            yield from _codes(NAME, where, column)


def order_fact(steps: Iterable[Sequence[int]], size: int, where: str) -> Fact:
    """Return the places of items in a list; rows in one step have the same place."""
    values = np.full(size, np.nan)
    for place, rows in enumerate(steps):
        values[list(rows)] = place
    return Fact(ORDER, f"the order of {where}", values)


def file_facts(files: Mapping[int, SeenFile], size: int, where: str) -> Iterator[Fact]:
    """Yield the facts about files of one kind, by the rows of their items."""
    rows = sorted(files)

    def spread(facts: Iterator[Fact]) -> Iterator[Fact]:
        for fact in facts:
            values = np.full(size, np.nan)
            values[rows] = fact.values
            yield Fact(fact.kind, f"{fact.words} of {where}", values)

    seen = [files[row] for row in rows]
    yield from spread(_numbers(ORDER, "the order", [float(file.place) for file in seen]))
    yield from spread(_numbers(TIME, "the times", [_seconds(file.time) for file in seen]))
    sounds = [read_sound(file.data) for file in seen]
    known = [sound for sound in sounds if sound]
    if len(known) == len(sounds):
        yield from spread(_numbers(DURATION, "the durations", [round(sound.seconds, 1) for sound in known]))
        exact = [sound.samples for sound in known]
        yield from spread(_repeats(SIZE, "exactly the same number of samples", exact))
        yield from spread(_numbers(SIZE, "the bytes for each second", [round(sound.rate) for sound in known]))
        yield from spread(
            _numbers(HEADER, "the bytes besides the sound", [float(sound.besides) for sound in known])
        )
        for name, codes in (
            ("the format", [s.format for s in known]),
            ("the metadata", [s.metadata for s in known]),
        ):
            yield from spread(_codes(HEADER, name, codes))
    else:
        text = all(b"\0" not in file.data[:1000] for file in seen)
        sizes = [float(len(file.data)) for file in seen]
        yield from spread(_numbers(DURATION if text else SIZE, "the sizes", sizes))
        if not text:
            yield from spread(_repeats(SIZE, "exactly the same size", sizes))
            yield from spread(_codes(HEADER, "the first bytes", [file.data[:16].hex() for file in seen]))


def _numbers(kind: str, words: str, values: Sequence[float]) -> Iterator[Fact]:
    """Yield numbers and, for names, how often each appears, where some appear more than once."""
    yield Fact(kind, words, np.array(values))
    if kind == NAME:
        yield from _repeats(kind, words, values)


def _repeats(kind: str, words: str, values: Sequence[float]) -> Iterator[Fact]:
    counts = Counter(values)
    if len(counts) < len(values):
        repeats = np.array([float(counts[value]) for value in values])
        yield Fact(
            kind, f"how many items have {words}" if kind != NAME else f"how often {words} appears", repeats
        )


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
        return read(data) if read else None
    except (struct.error, ValueError, ZeroDivisionError, OverflowError):
        return None


def _read_wav(data: bytes) -> Sound | None:
    """Read the chunks; the size of the last one may be wrong, as in streams."""
    at, sound, form = 12, None, b""
    others: list[bytes] = []
    names: list[str] = []
    while at + 8 <= len(data) and len(names) < _MOST_CHUNKS:
        name, size = struct.unpack("<4sI", data[at : at + 8])
        names.append(name.decode("latin-1"))
        if name == b"data" and sound is None:
            sound = min(size, len(data) - at - 8)
        elif name == b"fmt ":
            form = data[at + 8 : at + 24]
        else:
            others.append(data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    if sound is None:
        return None
    kind, channels, rate, _, block, bits = struct.unpack("<HHIIHH", form)
    words = f"{kind} {channels} {rate} {bits} {' '.join(names)}"
    samples = sound // block
    return Sound(samples / rate, samples, rate * block, len(data) - sound, words, _digest(others))


def _read_flac(data: bytes) -> Sound | None:
    at, last = 4, False
    blocks: list[tuple[int, bytes]] = []
    while not last and at + 4 <= len(data) and len(blocks) < _MOST_CHUNKS:
        head, size = data[at], int.from_bytes(data[at + 1 : at + 4], "big")
        last = head > 127
        blocks.append((head & 127, data[at + 4 : at + 4 + size]))
        at += 4 + size
    if not blocks or blocks[0][0] != 0 or len(blocks[0][1]) < 18:
        return None
    packed = int.from_bytes(blocks[0][1][10:18], "big")
    rate, channels, bits = packed >> 44, (packed >> 41 & 7) + 1, (packed >> 36 & 31) + 1
    samples = packed & (1 << 36) - 1
    words = f"{rate} {channels} {bits} {' '.join(str(kind) for kind, _ in blocks)}"
    seconds = samples / rate
    return Sound(
        seconds, samples, (len(data) - at) / seconds, at, words, _digest(block for _, block in blocks[1:])
    )


def _read_sphere(data: bytes) -> Sound | None:
    size = int(data[8:16])
    lines = [line.split(None, 2) for line in data[16:size].decode("latin-1").splitlines()]
    fields = {line[0]: line[2] for line in lines if len(line) == 3}
    samples, rate = int(fields.pop("sample_count", 0)), int(fields.pop("sample_rate", 0))
    changing = ("sample_checksum", "sample_min", "sample_max")
    described = {key: value for key, value in fields.items() if key not in changing}
    form = (
        f"{rate} {fields.get('channel_count')} {fields.get('sample_n_bytes')} {fields.get('sample_coding')}"
    )
    seconds = samples / rate
    if not 0 < seconds < _LONGEST:
        return None
    return Sound(
        seconds, samples, (len(data) - size) / seconds, size, form, _digest([repr(described).encode()])
    )


def _digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
