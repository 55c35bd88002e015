"""Nearly valid files: the possible mistakes in a file."""

ODD = [
    *(b"", b" ", b"\t", b",", b"\n", b"\r", b"\r\n", b'"', b'""', b'"\n"'),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1c"),
    *(b"nan", b"inf", b"1e999", b"-0", b"0x1p3", b"1_0", b"1,5", b"9" * 400, b"1e-400", b"-1", b"1e9", b"2.5"),
    *("é".encode(), "\u2028".encode(), "\u202e".encode(), "٣".encode(), "\u00a0".encode()),
    *(b"=cmd|' /C calc'!A0", b"<script>", b"\x1b[2J", b"../../ref", b"%s%n", b"{0}", b"x" * 70000, b"None", b"true"),
    *(b"Id", b"0", b"1", b"English", b"accept", b"K", b"<sil>"),
]  # fmt: skip
"""Texts that appear in a field by mistake or with intent."""

WAYS = (
    *("insert", "replace", "field", "drop", "double", "swap"),
    *("cut", "delimiter", "crlf", "bom", "again"),
)


def edited(data: bytes, changes: list[tuple[str, int, int, bytes]]) -> bytes:
    """A file after each change."""
    for kind, first, second, new in changes:
        lines = data.split(b"\n")
        row, other = first % len(lines), second % len(lines)
        at = first % (len(data) + 1)
        if kind == "insert":
            data = data[:at] + new + data[at:]
        elif kind == "replace":
            data = data[:at] + new + data[at + second % 9 :]
        elif kind == "field":
            delimiter = next((mark for mark in (b"\t", b",", b" ") if mark in lines[row]), b"\t")
            fields = lines[row].split(delimiter)
            fields[second % len(fields)] = new
            lines[row] = delimiter.join(fields)
            data = b"\n".join(lines)
        elif kind == "drop":
            data = b"\n".join(lines[:row] + lines[row + 1 :])
        elif kind == "double":
            data = b"\n".join([*lines[: row + 1], *lines[row:]])
        elif kind == "swap":
            lines[row], lines[other] = lines[other], lines[row]
            data = b"\n".join(lines)
        elif kind == "cut":
            data = data[:at]
        elif kind == "delimiter":
            data = data.replace(b"\t", b",") if second % 2 else data.replace(b",", b"\t")
        elif kind == "crlf":
            data = data.replace(b"\n", b"\r\n")
        elif kind == "bom":
            data = b"\xef\xbb\xbf" + data
        else:
            data += data
    return data
