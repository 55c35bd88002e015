"""Programs, data and kits of a competition: on the server, and in its bundle.

Each phase has at most one file of a *kind*: a part of its task (`api.PARTS`), or a file for participants (`api.KITS`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.model.temporary import temporary_folder
from speechbundles.server import api
from speechbundles.server.api import Connection

KINDS = (*api.PARTS, *api.KITS)


@dataclass
class ServedFiles:
    """Reads the files on a server by their keys.

    Newer versions of a server give them to signed-in sessions only. Without one, a file whose content is already
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

    def keys(self, live: Mapping[str, Any], phase: api.LivePhase) -> dict[str, str]:
        """Return the keys of a phase's files, `kind -> key`. `live`: the competition, as its organisers see it."""
        return {**api.read_parts(self.connection, phase.tasks[0]), **api.read_kits(live)[phase.id]}

    def content(self, key: str) -> bytes:
        """Return a file.

        Raises
        ------
        Refused, Gone: the server does not provide it, and nothing is assumed of it.
        """
        try:
            with temporary_folder("served") as folder:
                target = folder / "file"
                link = partial(api.dataset_link, self.connection, key)
                return target.read_bytes() if self.connection.download(link, target) else b""
        except (Refused, Gone) as refusal:
            if key not in self.assumed:
                raise
            self.unread = str(refusal)
            return self.assumed[key]

    def digest(self, key: str) -> str:
        """Return a file's SHA-256; see `content`."""
        try:
            return digest_of(self.content(key))
        except Refused as refusal:
            if key not in self.digests:
                raise
            self.unread = str(refusal)
            return self.digests[key]

    def different(
        self, keys: Mapping[str, str], wanted: Mapping[str, bytes], kinds: Iterable[str] = KINDS
    ) -> tuple[str, ...]:
        """Return the kinds of files, `kind -> key`, that are not as wanted, `kind -> zip`; see `content`."""
        served = {kind: self.digest(keys[kind]) for kind in kinds if kind in keys}
        local = {kind: digest_of(wanted[kind]) for kind in kinds if kind in wanted}
        return tuple(kind for kind in kinds if served.get(kind) != local.get(kind))

    def different_phases(
        self, bundle: BuiltBundle, live: Mapping[str, Any], kinds: Iterable[str] = KINDS
    ) -> list[tuple[BuiltPhase, api.LivePhase, tuple[str, ...]]]:
        """Return each phase, in the bundle and on the server, with the kinds of its files that differ."""
        return [
            (built, phase, self.different(self.keys(live, phase), wanted_files(bundle, built), kinds))
            for built, phase in zip(bundle.phases, api.phases_of(live), strict=True)
        ]

    def upload(self, kind: str, content: bytes) -> str:
        """Upload a program, data or a kit; return its key."""
        key = api.upload_file(self.connection, kind, f"{kind}.zip", content)
        api.finish_upload(self.connection, key)
        self.digests[key] = digest_of(content)
        return key

    def assume(self, earlier: BuiltBundle, live: Mapping[str, Any], path: Path) -> None:
        """Take the files of an earlier bundle for those on the server that are not known otherwise.

        Parameters
        ----------
        live: the competition, as its organisers see it.
        path: of the bundle, for messages.

        Raises
        ------
        OrganiserError: the competition has not the same files.
        """
        for built, phase in zip(earlier.phases, api.phases_of(live), strict=True):
            files, keys = wanted_files(earlier, built), self.keys(live, phase)
            unknown = {kind: key for kind, key in keys.items() if key not in self.digests}
            if lacking := sorted(unknown.keys() - files.keys()):
                raise OrganiserError(
                    f"{path}: not the bundle of this competition: {phase.name} has {', '.join(lacking)} on the server"
                )
            self.assumed |= {key: files[kind] for kind, key in unknown.items()}


def wanted_files(bundle: BuiltBundle, phase: BuiltPhase, kinds: Iterable[str] = KINDS) -> dict[str, bytes]:
    """Return the files of a phase in the bundle, `kind -> zip`."""
    names = {kind: getattr(phase, kind) for kind in kinds}
    return {kind: bundle.files[name] for kind, name in names.items() if name in bundle.files}
