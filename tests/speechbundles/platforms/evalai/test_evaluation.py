"""The evaluation script, imported and called as `extract_challenge_data` and `run_submission` of EvalAI's worker do."""

import importlib
import json
import re
import traceback

import pytest

from speechbundles.bundle.build.travel import travelling
from speechbundles.model.sources import Sources
from speechbundles.platforms.evalai.facts import COMMAND, PROGRAM
from tests.samples.programs import ROOT, packed, write_files

SCORE = """import json, sys, time
from pathlib import Path
inputs, output = map(Path, sys.argv[1:])
told = (inputs / "res/answer.txt").read_text()
label = (inputs / "ref/gold.txt").read_text()
if told == "slow":
    time.sleep(30)
if told == "wrong":
    sys.exit("answer.txt: 1 problem")
output.mkdir(exist_ok=True)
scores = {"accuracy": 0.1 + 0.2, "secret": 1, "right": label == told}
(output / "scores.json").write_text(json.dumps(scores))
print("1 item scored")
"""


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory):
    place = tmp_path_factory.mktemp("worker")
    settings = {
        "command": COMMAND,
        "seconds": {"phase1": 20, "phase2": 0.4},
        "columns": ["accuracy", "right"],
    }
    library = travelling(Sources(ROOT).read_library(), [PROGRAM["unpack.py"]])
    script = {**library, **PROGRAM, "score.py": SCORE, "evaluation.json": json.dumps(settings)}
    write_files(place / "challenge_data/challenge_1", script)
    (place / "challenge_data/__init__.py").touch()
    (place / "gold.zip").write_bytes(packed([("gold.txt", b"secret label")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        module = importlib.import_module("challenge_data.challenge_1")

    def call(entries, phase="phase1"):
        upload = place / "upload.zip"
        upload.write_bytes(entries if isinstance(entries, bytes) else packed(entries))
        return module.evaluate(str(place / "gold.zip"), str(upload), phase, submission_metadata={"id": 1})

    return call


def test_the_columns_of_the_board_alone_are_returned_for_the_split_of_the_phase(evaluate, capsys):
    found = evaluate([("answer.txt", b"secret label")])
    assert found == {"result": [{"phase1": {"accuracy": 0.30000000000000004, "right": True}}]}
    assert capsys.readouterr().out == "1 item scored\n"


@pytest.mark.parametrize(
    ("entries", "phase", "said"),
    [
        ([("answer.txt", b"wrong")], "phase1", "answer.txt: 1 problem"),
        ([("../answer.txt", b"x")], "phase1", "../answer.txt"),
        (b"no zip", "phase1", "is not a readable zip file"),
        ([("answer.txt", b"slow")], "phase2", "Stopped after 0.4 seconds."),
    ],
)
def test_a_refusal_is_an_exception_whose_traceback_has_the_reason_and_no_label(
    evaluate, entries, phase, said
):
    """The worker shows the whole traceback to the participant."""
    with pytest.raises(Exception, match=re.escape(said)) as refused:
        evaluate(entries, phase)
    shown = "".join(traceback.format_exception(refused.value))
    assert refused.type.__name__ == "NotScoredError"
    assert "During handling" not in shown
    assert "secret label" not in shown
