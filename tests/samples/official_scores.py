"""The files of the templates of challenges, our scores of them, and those of the challenges' own scripts."""

import hashlib
import tempfile
from functools import cache
from pathlib import Path

import yaml

import spokeneval
from speechbundles.new.examples import example_files
from tests.samples.programs import unzipped

FIGURES = Path(__file__).with_name("official_scores.yaml")
SYSTEM = "middling"


@cache
def files_of(challenge):
    """The reference and the submission, `folder/name -> content`, and the settings."""
    files = example_files(challenge)
    start = f"reference_data/{challenge}/evaluation/"
    found = {
        f"reference/{name[len(start) :]}": data for name, data in files.items() if name.startswith(start)
    }
    submission = unzipped(files[f"submissions/{SYSTEM}.zip"])
    return {**found, **{f"submission/{name}": data for name, data in submission.items()}}


def write_files(challenge, folder):
    for name, data in files_of(challenge).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def hash_of(challenge):
    return hashlib.sha256(repr(sorted(files_of(challenge).items())).encode()).hexdigest()


def our_scores(challenge):
    """Our scores with the declaration of the template; tables that it names are read from its folder."""
    files = example_files(challenge)
    settings = yaml.safe_load(files["competition.yaml"])
    declared = settings["challenges"][challenge]["tasks"][challenge]
    del declared["baseline_data"]
    for rule in declared.get("normalise", ()):
        if isinstance(rule, dict):
            lines = files[rule["replace"]].decode().splitlines()
            rule["replace"] = [line.split("\t") for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        write_files(challenge, Path(folder))
        return spokeneval.score(declared, f"{folder}/reference", f"{folder}/submission").scores
