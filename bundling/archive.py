"""Zips that are byte-identical whenever their contents are: sorted entries, one date, one mode."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_DATE = (1980, 1, 1, 0, 0, 0)


def make_zip(files: Mapping[str, bytes], *, first: str | None = None) -> bytes:
    """A zip of `name -> content`, in the order of the names, `first` before all others."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files, key=lambda name: (name != first, name)):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            entry.compress_type = (
                zipfile.ZIP_STORED if name.endswith((".zip", ".png")) else zipfile.ZIP_DEFLATED
            )
            archive.writestr(entry, files[name])
    return buffer.getvalue()
