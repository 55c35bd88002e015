"""Try a submission at home: the checks and scores of the competition, and a zip that is ready to upload.

    python3 try_submission.py FILE_OR_FOLDER_OR_ZIP                   scored on the development set, if there is one
    python3 try_submission.py --set evaluation FILE_OR_FOLDER_OR_ZIP  checked for the evaluation set

The score comes from score.py and the checks from ingest.py, the very files that the server runs. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import runpy
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.submission_zip import unpack

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description="Try a submission at home, before uploading it.")
    parser.add_argument("submission", type=Path, help="the file, a folder with the files, or a zip")
    sets = sorted(path.parent.name for path in HERE.glob("*/input"))
    parser.add_argument("--set", default=sets[0], help="the set that it is for (default: %(default)s)")
    parser.add_argument(
        "--zip", type=Path, default=Path("submission.zip"), help="where the zip to upload goes"
    )
    options = parser.parse_args()
    if any(character.isspace() for character in options.zip.name):
        print(f"{options.zip}: the name of a zip to upload must have no blanks.", file=sys.stderr)
        return 1
    if options.set not in sets:
        print(f"No set {options.set}; there are {', '.join(sets)}.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        submitted = Path(folder, "submitted")
        submitted.mkdir()
        try:
            stage(options.submission, submitted)
        except SubmissionError as refusal:
            return refused(str(refusal), options.zip)
        except OSError as error:
            return refused(f"{error.filename}: {error.strerror}", options.zip)
        output = Path(folder, "output")
        if not run("ingest.py", HERE / options.set / "input", submitted, output):
            return refused("", options.zip)
        if (HERE / options.set / "reference").is_dir():
            inputs = Path(folder, "input")
            shutil.copytree(str(HERE / options.set / "reference"), str(inputs / "ref"))
            shutil.copytree(str(submitted), str(inputs / "res"))
            if not run("score.py", inputs, output):
                return refused("", options.zip)
            show(json.loads((output / "scores.json").read_text(encoding="utf-8")), options.set)
            report = output / "detailed_results.html"
            if report.exists():
                shutil.copyfile(str(report), "detailed_results.html")
                print("The report is in detailed_results.html.")
        else:
            print(f"The labels of the {options.set} set are hidden: checked, not scored.")
        pack(submitted, options.zip)
    print(whereto(options.zip, options.set))
    return 0


def whereto(path: Path, called: str) -> str:
    """The phases that take a zip with answers to a set."""
    phases = json.loads((HERE / "phases.json").read_text(encoding="utf-8"))
    names = [name for name, scored_on in phases.items() if scored_on == called]
    if not names:
        return f"{path} holds answers to the {called} set, which is for trying at home: no phase takes them."
    return f"{path} is ready to upload, to the phase {' or '.join(names)}."


def refused(words: str, path: Path) -> int:
    """Say what is wrong, and that no zip was written; the exit status."""
    if words:
        print(words, file=sys.stderr)
    older = "; the one that is there is older" if path.exists() else ""
    print(f"{path} was not written{older}.", file=sys.stderr)
    return 1


def stage(submission: Path, folder: Path) -> None:
    """Lay the submission's files out as the platform unpacks them."""
    if submission.is_dir():
        for path in submission.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.copytree(str(path), str(folder / path.name), symlinks=True)
            else:
                shutil.copy2(str(path), str(folder / path.name), follow_symlinks=False)
    elif zipfile.is_zipfile(str(submission)):
        unpack(submission, folder)
    else:
        shutil.copyfile(str(submission), str(folder / submission.name))


def run(program: str, *folders: Path) -> bool:
    """Run one of the server's programs, its words going to the terminal; whether it accepted."""
    sys.argv = [str(HERE / program), *map(str, folders)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        return not end.code
    return True


def show(scores: dict[str, float], called: str) -> None:
    """The scores as a table, the one that decides first."""
    width = max(len(key) for key in scores)
    print(f"\n  Scores on the {called} set")
    for key, score in scores.items():
        print(f"  {key:<{width}}  {score:.4f}" if isinstance(score, float) else f"  {key:<{width}}  {score}")
    print()


def pack(folder: Path, path: Path) -> None:
    """Zip the submission's own files, at the root of the zip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(str(path), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in list_files(folder).sources.items():
            archive.write(str(file), name)


if __name__ == "__main__":
    sys.exit(main())
