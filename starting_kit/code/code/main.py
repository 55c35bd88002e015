"""The kit's baseline as a program: `main.py INPUT_DIR OUTPUT_DIR`. It needs no recordings."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KIT = Path(__file__).resolve().parent / "kit"


def main(inputs: Path, outputs: Path) -> int:
    """Run `baseline.py` in a copy of the kit in which the given items are a further set."""
    with tempfile.TemporaryDirectory() as folder:
        kit = Path(folder, "kit")
        shutil.copytree(str(KIT), str(kit))
        shutil.rmtree(str(kit / "run"), ignore_errors=True)
        shutil.copytree(str(inputs), str(kit / "run" / "input"), ignore=shutil.ignore_patterns("sound"))
        return subprocess.call([sys.executable, "baseline.py", "run", str(outputs.resolve())], cwd=str(kit))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: main.py INPUT_DIR OUTPUT_DIR")
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
