"""Check and score a submission at home, and make a zip that is ready to upload.

    python3 try_submission.py FILE_OR_FOLDER_OR_ZIP                   scores it on the development set, if the kit has
    one python3 try_submission.py --set evaluation FILE_OR_FOLDER_OR_ZIP  checks it for the evaluation set

The checks are those of ingest.py and the scores those of score.py, the same files that the server runs. Needs numpy.
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
    parser = argparse.ArgumentParser(description="Check and score a submission before you upload it.")
    parser.add_argument("submission", type=Path, help="a file, a folder of files, or a zip")
    sets = sorted(path.parent.name for path in HERE.glob("*/input"))
    parser.add_argument(
        "--set", default=sets[0], help="the set that the submission is for (default: %(default)s)"
    )
    parser.add_argument(
        "--zip", type=Path, default=Path("submission.zip"), help="the zip to write (default: %(default)s)"
    )
    options = parser.parse_args()
    if any(character.isspace() for character in options.zip.name):
        print(
            f"{options.zip}: the name of the zip must not contain spaces. Choose another --zip.",
            file=sys.stderr,
        )
        return 1
    if options.set not in sets:
        print(f"The kit has no set {options.set}; choose one of {', '.join(sets)}.", file=sys.stderr)
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
            print(
                f"The labels of the {options.set} set are hidden: the submission was checked but not scored."
            )
        pack(submitted, options.zip)
    print(whereto(options.zip, options.set))
    return 0


def whereto(path: Path, called: str) -> str:
    """Return a sentence that names the phases to which a submission for a set can be uploaded."""
    phases = json.loads((HERE / "phases.json").read_text(encoding="utf-8"))
    names = [name for name, scored_on in phases.items() if scored_on == called]
    if not names:
        return (
            f"{path} contains answers for the {called} set. No phase uses this set, so do not upload the zip."
        )
    return f"{path} is ready to upload to the phase {' or '.join(names)}."


def refused(words: str, path: Path) -> int:
    """Print the problems, and that no zip was written; return the exit status."""
    if words:
        print(words, file=sys.stderr)
    older = "; the existing file is from an earlier run" if path.exists() else ""
    print(f"{path} was not written{older}.", file=sys.stderr)
    return 1


def stage(submission: Path, folder: Path) -> None:
    """Copy the submission's files to a folder as the platform unpacks them."""
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
    """Run one of the server's programs, which prints to the terminal; return whether it accepted the submission."""
    sys.argv = [str(HERE / program), *map(str, folders)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        return not end.code
    return True


def show(scores: dict[str, float], called: str) -> None:
    """Print the scores as a table, the primary score first."""
    width = max(len(key) for key in scores)
    print(f"\n  Scores on the {called} set")
    for key, score in scores.items():
        print(f"  {key:<{width}}  {score:.4f}" if isinstance(score, float) else f"  {key:<{width}}  {score}")
    print()


def pack(folder: Path, path: Path) -> None:
    """Write the submission's files to the root of a zip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(str(path), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in list_files(folder).sources.items():
            archive.write(str(file), name)


if __name__ == "__main__":
    sys.exit(main())
