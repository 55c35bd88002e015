"""A copy of the files of Spoken CALL for tests to damage, and a build of it."""

import os
import subprocess
import sys

from tests.samples.programs import ROOT, run_program

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"


LABELS = ["correct\tcorrect", "correct\tcorrect", "incorrect\tcorrect", "incorrect\tincorrect"]


GOLD = HEADER + "".join(
    f"{i}\tFrag: Wasser\t{i}.wav\twater\twater\t{labels}\n" for i, labels in enumerate(LABELS * 10, 1)
)


ALONE = ("--leave-out", "development", "--leave-out", "baseline")
"""Options for a build with labels of the evaluation set only."""


def rewrite(folder, *changes):
    """Replace the first occurrence of each `old, new` in `competition.yaml`; return the text before the changes."""
    path = folder / "competition.yaml"
    before = text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return before


def build(out, *arguments, **environment):
    """Run the command as an organiser does; in a new Python process if environment variables are given."""
    command = [str(ROOT / "build_bundle.py"), "build", "spoken_call", "--out", str(out), *arguments]
    if not environment:
        return run_program(*command, cwd=out.parent)
    environment = {**os.environ, **environment}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
