"""Coverage-guided fuzzing of every target, byte by byte, with atheris (libFuzzer).

    python -m tests.tools.fuzz [--seconds 300] [--findings DIR] [TARGET ...]

The targets run one after the other and share the time. An input is a finding if it gives neither a result nor a typed
refusal, takes more than 60 s or 1 GB, or more processor time for each byte than `limited` allows. Findings are kept in
a folder and printed with their tracebacks. The exit status is 0 if nothing is found, 1 if something is found, and 2 if
atheris is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

LONGEST = 4096
"""Maximum number of bytes of an input."""

SECONDS = 60
MEGABYTES = 1024

BASE_SECONDS, SECONDS_A_BYTE = 0.5, 1e-4
"""Processor time that every input may take, and that it may take for each of its bytes."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="a target to fuzz (default: all)")
    parser.add_argument(
        "--seconds", type=int, default=300, help="time for all targets together (default: 300)"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path(".fuzz"), help="folder for findings (default: .fuzz)"
    )
    parser.add_argument("--one", metavar="CORPUS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed; `make fuzz` installs it if there is a wheel.", file=sys.stderr)
        return 2
    if options.one:
        _fuzz_one(options.targets[0], Path(options.one), options.seconds, options.findings)
        return 0
    return _fuzz_all(options.targets, options.seconds, options.findings)


def _fuzz_all(chosen: list[str], seconds: int, findings: Path) -> int:
    from .targets import Workplace, targets

    place = Workplace()
    known = list(targets(place))
    place.close()
    names = chosen or known
    if set(names) - set(known):
        print(
            f"There is no target {sorted(set(names) - set(known))[0]}; choose from {', '.join(known)}",
            file=sys.stderr,
        )
        return 2
    failed = []
    for name in names:
        folder = findings / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as corpus:
            share = max(2, seconds // len(names))
            command = [sys.executable, "-m", "tests.tools.fuzz", name, "--one", corpus]
            options = ["--seconds", str(share), "--findings", str(folder)]
            said = subprocess.run([*command, *options], capture_output=True, text=True, errors="replace")
        covered = re.findall(r"^#(\d+)\tDONE +cov: (\d+)", said.stderr, re.MULTILINE)
        inputs, coverage = covered[-1] if covered else ("-", "-")
        print(f"{name}: {inputs} inputs, coverage {coverage}", flush=True)
        if said.returncode:
            failed.append(name)
            print(f"{name}: findings in {folder}", *said.stderr.splitlines()[-40:], sep="\n    ")
    print(f"{len(names)} targets, with findings: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def limited(target: Callable[[bytes], str]) -> Callable[[bytes], None]:
    """Return a target that also fails if an input takes more processor time than a base and a rate for each byte."""
    from .workplace import Finding

    def run(data: bytes) -> None:
        began = time.process_time()
        target(data)
        spent = time.process_time() - began
        if spent > BASE_SECONDS + SECONDS_A_BYTE * len(data):
            raise Finding(f"{spent:.1f} s of processor time for {len(data)} bytes")

    return run


def _fuzz_one(name: str, corpus: Path, seconds: int, findings: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["spokeneval", "speechbundles"]):
        from .targets import Workplace, seeds, targets

        place = Workplace()
        target = targets(place)[name]
        for number, seed in enumerate(seeds(name)):
            (corpus / f"seed{number}").write_bytes(seed)
            target(seed)  # so that its imports are instrumented too
    words = sorted({word for seed in seeds(name) for word in re.findall(rb"[\w.:-]{2,40}", seed)})
    dictionary = corpus.parent / f"{corpus.name}.words"
    dictionary.write_text("".join(f'"{word.decode()}"\n' for word in words))
    flags = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={SECONDS}",
        f"-report_slow_units={SECONDS}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={findings}/",
        f"-dict={dictionary}",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], limited(target))
    try:
        atheris.Fuzz()
    finally:
        dictionary.unlink()
        place.close()


if __name__ == "__main__":
    sys.exit(main())
