"""Score and compare submissions from the command line::

    python -m spokeneval score TASK REFERENCE SUBMISSION [--option NAME=VALUE] [--report FILE] [--json]
    python -m spokeneval wer REFERENCE SUBMISSION [--set PARAMETER=VALUE] [--report FILE] [--json]
    python -m spokeneval compare TASK --reference PATH SUBMISSION SUBMISSION ... [--all] [--out DIR] [--json]
    python -m spokeneval compare --rule RULE [TASK=]FOLDER [TASK=]FOLDER ... [--out DIR] [--json]
    python -m spokeneval diff TASK REFERENCE A B [--report FILE] [--json]
    python -m spokeneval reproduce RESULT
    python -m spokeneval export RESULT --format FORM --out DIR [--meta FILE] [--competition DIR] [--bundle ZIP] [--json]
    python -m spokeneval tasks [TASK | KIND] [--json]

`--kind KIND` with `--set`, or `--task-file task.json`, is instead of TASK, for a declared task; `wer` and the other
names in `SHORT` are short for `score --kind`, and behind `compare`, `diff` and `tasks` for `--kind`. `-` is standard
input. `--lenient` and `--drop-invalid-reference-rows` read a reference that is
refused otherwise.

Exit status: 0 if the submissions were scored, 1 if a file was refused (all problems are on standard error, and with
`--json` on standard output, too), 2 for wrong arguments, or files that are missing or cannot be written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Optional

from .arguments import parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")  # some terminals cannot print all characters, such as κ
    try:
        if given[:1] in (["-h"], ["--help"], ["--version"]):
            parser(whole_help=True).parse_args(given)
        if shell := os.environ.get("_SPOKENEVAL_COMPLETE"):
            from .completion import complete

            return complete(shell)
        from .commands import run  # imported here, so that the help is shown at once

        return run(given)
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # the disk is full
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
