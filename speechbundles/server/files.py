"""Programs, data and kits of a competition: on the server, and in its bundle."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.codabench import phases_in_order
from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.model.temporary import temporary_folder
from speechbundles.server import api
from speechbundles.server.connection import Connection


@dataclass
class ServedFiles:
    """Reads the files on a server by their keys.

    Newer versions of Codabench give them to signed-in sessions only. Without one, a file whose content is already
    known, because it was uploaded from here or is assumed to be in an earlier bundle, is taken to be unchanged: the
    server gives another key to another file.

    Attributes
    ----------
    digests: SHA-256 of files that were uploaded from here, or were read before, by key.
    assumed: contents of files from an earlier bundle, by key.
    unread: why the server did not provide a file, and its assumed or known content was used; empty if it did.
    """

    connection: Connection
    digests: dict[str, str] = field(default_factory=dict)
    assumed: dict[str, bytes] = field(default_factory=dict)
    unread: str = ""

    def content(self, key: str) -> bytes:
        """Return a file.

        Raises
        ------
        Refused, Gone: the server does not provide it, and nothing is assumed of it.
        """
        try:
            return read_dataset(self.connection, key)
        except (Refused, Gone) as refusal:
            if key not in self.assumed:
                raise
            self.unread = str(refusal)
            return self.assumed[key]

    def digest(self, key: str) -> str:
        """Return a file's SHA-256; see `content`."""
        try:
            return _sha256(self.content(key))
        except Refused as refusal:
            if key not in self.digests:
                raise
            self.unread = str(refusal)
            return self.digests[key]

    def parts(self, task: int) -> dict[str, bytes]:
        """Return a task's programs and data, `part -> zip`; see `content`."""
        return {part: self.content(key) for part, key in api.read_parts(self.connection, task).items()}

    def different_parts(self, task: int, wanted: Mapping[str, bytes]) -> tuple[str, ...]:
        """Return the parts of a task that are not as wanted, `part -> zip`; see `content`."""
        served = {part: self.digest(key) for part, key in api.read_parts(self.connection, task).items()}
        return _different(api.PARTS, served, wanted)

    def different_kits(self, keys: Mapping[str, str], wanted: Mapping[str, bytes]) -> tuple[str, ...]:
        """Return the kinds of kits of a phase, `kind -> key`, that are not as wanted, `kind -> zip`; see `content`."""
        return _different(api.KITS, {kind: self.digest(key) for kind, key in keys.items()}, wanted)

    def upload(self, kind: str, content: bytes) -> str:
        """Upload a program, data or a kit; return its key."""
        key = api.upload_file(self.connection, kind, f"{kind}.zip", content)
        api.finish_upload(self.connection, key)
        self.digests[key] = _sha256(content)
        return key

    def assume(
        self, earlier: BuiltBundle, content: Mapping[str, Any], live: Mapping[str, Any], path: Path
    ) -> None:
        """Take the files of an earlier bundle for those on the server that are not known otherwise.

        Parameters
        ----------
        content: its competition.yaml.
        live: the competition, as its organisers see it.

        Raises
        ------
        OrganiserError: the competition has not the same files.
        """
        phases, kits = api.phases_of(live), api.read_kits(live)
        wanted = wanted_kits(earlier, content, phases)
        for built, phase in zip(earlier.phases, phases, strict=True):
            keys = {**api.read_parts(self.connection, phase.tasks[0]), **kits[phase.id]}
            files = {**wanted_files(earlier, built), **wanted[phase.id]}
            unknown = {part: key for part, key in keys.items() if key not in self.digests}
            if lacking := sorted(unknown.keys() - files.keys()):
                raise OrganiserError(
                    f"{path}: not the bundle of this competition: {phase.name} has {', '.join(lacking)} on the server"
                )
            self.assumed |= {key: files[part] for part, key in unknown.items()}


def read_dataset(connection: Connection, key: str) -> bytes:
    """Download a dataset's file.

    Raises
    ------
    Refused: the server does not provide it.
    """
    with temporary_folder("served") as folder:
        target = folder / "file"
        digest = connection.download(partial(api.dataset_link, connection, key), target)
        return target.read_bytes() if digest else b""


def wanted_kits(
    bundle: BuiltBundle, content: Mapping[str, Any], phases: list[api.LivePhase]
) -> dict[int, dict[str, bytes]]:
    """Return the starting kit and the public data of each phase in the bundle, `phase -> kind -> zip`."""
    return {
        phase.id: {kind: bundle.files[item[kind]] for kind in api.KITS if item.get(kind) in bundle.files}
        for phase, item in zip(phases, phases_in_order(content), strict=True)
    }


def wanted_files(bundle: BuiltBundle, phase: BuiltPhase) -> dict[str, bytes]:
    """Return the programs and data of a phase in the bundle, `part -> zip`."""
    names = {part: getattr(phase, part) for part in api.PARTS}
    return {part: bundle.files[name] for part, name in names.items() if name is not None}


def _different(
    kinds: Iterable[str], served: Mapping[str, str], wanted: Mapping[str, bytes]
) -> tuple[str, ...]:
    return tuple(
        kind for kind in kinds if served.get(kind) != (_sha256(wanted[kind]) if kind in wanted else None)
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
