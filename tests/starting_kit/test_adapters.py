"""Programs in the layouts of SAPC2 and of On Top of Pasketti, through the kit's adapters.

The layouts are those of the challenges' public starting kits: `Model.predict(FILE)`, or `accept_chunk` with 1,600 float
samples at 16 kHz; `data/utterance_metadata.jsonl` and `submission/submission.jsonl`.
"""

import io
import wave

import pytest

from spokeneval.formats.text import read_folder
from spokeneval.kinds.declared import declared_task
from tests.samples.programs import ROOT, run_program, write_files

TASK = declared_task("words", {"kind": "transcripts", "units": "words", "unit": "speaker"})

WHOLE = """
import wave
class Model:
    def predict(self, path):
        return f"seconds  {wave.open(path).getnframes() // 16000}"
"""
STREAMING = """
class Model:
    def set_partial_callback(self, call):
        self.call = call
    def reset(self):
        self.sizes = []
    def accept_chunk(self, chunk):
        assert (str(chunk.dtype), abs(chunk).max() <= 1) == ("float32", True)
        self.sizes.append(len(chunk))
        self.call("")
    def input_finished(self):
        return f"seconds {sum(self.sizes) // 16000}"
"""
JSON_LINES = """
import json, wave
from pathlib import Path
known = {}
for line in open("data/utterance_metadata.jsonl"):
    item = json.loads(line)
    known[item["utterance_id"]] = wave.open(str(Path("data") / item["audio_path"])).getnframes() // 16000
with open("submission/submission.jsonl", "w") as file:
    for line in open("data/submission_format.jsonl"):
        item = json.loads(line)
        item["orthographic_text"] = f"seconds {known[item['utterance_id']]}"
        print(json.dumps(item), file=file)
"""


def recording(seconds):
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", ""))
        sound.writeframes(b"\1\2" * 16000 * seconds)
    return content.getvalue()


@pytest.mark.parametrize(
    ("adapter", "files"),
    [
        ("sapc2", {"model.py": WHOLE, "setup.sh": "exit 1"}),
        ("sapc2", {"model.py": STREAMING}),
        ("jsonl", {"src/main.py": JSON_LINES}),
    ],
)
def test_a_program_in_another_layout_answers_each_item(tmp_path, adapter, files):
    sounds = {f"input/sound/speaker/u{n}.wav": recording(n) for n in (1, 2)}
    write_files(tmp_path, {"input/items.csv": "id,speaker\nu2,a\nu1,b\n", "output/x": "", **sounds})
    (tmp_path / "output/x").unlink()
    main = (ROOT / "starting_kit/code/adapters" / f"{adapter}.py").read_text("utf-8")
    code = write_files(tmp_path / "code", {**files, "main.py": main})
    done = run_program(str(code / "main.py"), str(tmp_path / "input"), str(tmp_path / "output"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    items = TASK.format.read_items(read_folder(tmp_path / "input", ["items.csv"]))
    written = read_folder(tmp_path / "output")
    assert TASK.format.read_submission(written, items).items == items
    assert written["transcripts.csv"].split() == b"id,transcript u2,seconds 2 u1,seconds 1".split()
