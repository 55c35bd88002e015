"""The tag of the labels that an output was scored with, to notice outputs of different gold standards.

A signature leaves hidden labels out, because with their hash participants could check guesses. So the organiser's
commands write a keyed hash of the reference data, `labels.hmac`, beside the statistics that they make at home. No
program in a bundle computes it. The key is random. It is in the user's folder for program state, not in that of the
outputs: so outputs in different folders can be compared, and outputs can be published without the key.
"""

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from speechbundles.model.bounded import read_file
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import BundleError
from spokeneval.scoring.reference import fingerprint
from spokeneval.scoring.scored import STATISTICS_FILE

LABELS_FILE = "labels.hmac"

TAG = re.compile(r"([0-9a-f]{8}):[0-9a-f]{32}")
"""The id of the key, and the keyed hash."""

_KEY_FILE = "speech-bundles/labels.key"
_KEY_BYTES = 32


def label_tag(bundle: BuiltBundle, phase: BuiltPhase) -> str:
    """Return the tag of a phase's reference data; empty if they cannot be read, or if no key can be kept."""
    key = _key()
    try:
        entries = dict(bundle.entries(str(phase.reference_data)))
    except BundleError:
        return ""
    files = {name: content for name, content in entries.items() if not name.endswith("/")}
    return f"{_keyed(key, 'key')[:8]}:{_keyed(key, fingerprint(files))[:32]}" if key else ""


def write_tag(output: Path, tag: str) -> None:
    """Write a tag beside the statistics in an output; an output without statistics gets none."""
    if tag and (output / STATISTICS_FILE).is_file():
        write_whole(output / LABELS_FILE, f"{tag}\n")


def _keyed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _key() -> bytes:
    """Return the key, which is drawn once; empty if it can be neither read nor written."""
    with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        path = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / _KEY_FILE
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(secrets.token_bytes(_KEY_BYTES))
            with suppress(FileExistsError):  # drawn by another process
                os.link(part, path)
            part.unlink()
        key = read_file(path, _KEY_BYTES)
        return key if len(key) == _KEY_BYTES else b""
    return b""
