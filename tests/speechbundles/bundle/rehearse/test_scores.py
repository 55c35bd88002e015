"""Scores that a program left: no file of them ends in a traceback."""

import json
import random

import pytest

from speechbundles.bundle.rehearse.rehearsal import Rehearsal
from speechbundles.bundle.rehearse.run import RunFailed
from speechbundles.bundle.rehearse.scores import leaderboard_row, read_scores, store_scores
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.platform import platforms
from tests.samples.small_bundles import COLUMNS

KEYS = ("accuracy", "items", "x", "", "a" * 3000, r"\ud800", r"\u001b[31m", "accuracy_low")


VALUES = (
    *("0.5", "-0", "1e999", "1" * 400, "1" * 5000, "0." + "1" * 5000, "1e308", "-1e-308", "1_0", "0x1p3"),
    *("NaN", "-Infinity", "inf", "null", "true", '"x"', '"1"', '"1e999999999"', '"1e-999999999"', '"sNaN"'),
    *("[1]", "[" * 40 + "]" * 40, '{"a":' * 40 + "1" + "}" * 40, r'"\ud800"', r'"\u0000"', "٣", '"０"'),
    *("9" * 20, "!!binary x", "*a", "&a [*a]", "2027-01-01", "1:2", "~", "<<: 1", "\u2028", "\r", "\x0b"),
)


def scores_text(chance):
    pairs = [(chance.choice(KEYS), chance.choice(VALUES)) for _ in range(chance.randrange(4))]
    json_text = "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
    lines = "\n".join(f"{key}: {value}" for key, value in pairs)
    text = chance.choice([json_text, lines, chance.choice(VALUES)])
    if chance.randrange(4):
        return text
    cut = chance.randrange(len(text) + 1)
    return text[:cut] + chance.choice(["", "\0", "{", "}", ":", "\n", "\xff", "- ", "\t"]) + text[cut + 1 :]


@pytest.mark.parametrize(("platform", "name"), [("codabench", "scores.json"), ("codabench", "scores.txt"),
                                                ("codalab", "scores.txt"), ("evalai", "result.json")])  # fmt: skip
def test_no_file_of_scores_gives_a_traceback(tmp_path, platform, name):
    bundle = BuiltBundle(platform, "Title", "image", (), COLUMNS, COLUMNS[0], False)
    worker = platforms()[platform].part("worker")
    texts = [scores_text(random.Random(seed)) for seed in range(700)]
    texts += [f'{{"accuracy": {"[" * depth}{"]" * depth}}}' for depth in (300, 450, 900, 980, 3000)]
    ends = set()
    for text in texts:
        if platform == "evalai":
            text = f'{{"result": [{{"split": {text}}}]}}'
        encoding = "latin-1" if "\xff" in text else "utf-8"
        (tmp_path / name).write_text(text, encoding, "replace")
        warnings, scores, row = [], {}, ()
        try:
            scores = read_scores(tmp_path, worker, warnings)
            row = leaderboard_row(bundle, worker, store_scores(scores, bundle, worker, warnings))
            ends.add("stored" if any(cell.stored is not None for cell in row) else "lost")
        except RunFailed as failure:
            warnings.append(str(failure))
            ends.add("failed")
        result = Rehearsal("Finished", platform, "Phase", 0.0, scores, row, tuple(warnings), (), ())
        str(result).encode()
        json.loads(result.to_json())
    assert {"stored"} < ends
