"""ROUGE-1 and scoring of a full-size set: 5,934 synthetic responses with four references each.

Run `python -m benchmarks.bench_content_accuracy` from the root of the checkout. It compares this project with the
pure-Python `rouge-score` and its Rust counterpart `rouge-score-rs`, if they are installed. These score a response with
one reference at a time and give no pooled figure. The pooled recall is computed from their recalls, outside the
measured time, to check that all agree. The whole process of the scoring program is compared with a process that only
imports numpy; the two run in turn.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.processes import best_call, score_command
from benchmarks.processes import seconds as process_seconds
from sample_data.content_accuracy import Response, full_size, predictions_text, write_full
from starting_kit.content_accuracy.content import rouge, tokens


def one_by_one(scorer: Any, targets: list[str], answers: list[str]) -> list:
    """Score as `score_batch` does, for a package without it."""
    return [scorer.score(target, answer) for target, answer in zip(targets, answers, strict=True)]


def whole_process(responses: list[Response], runs: int) -> tuple[float, float]:
    """Return the best times in seconds of `python -c "import numpy"` and of the scoring program on all responses."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        write_full(inputs / "ref")
        (inputs / "res").mkdir()
        scores = [response.human_score + 0.01 * response.words for response in responses]
        (inputs / "res/predictions.csv").write_bytes(predictions_text(responses, scores))
        commands = (("-c", "import numpy"), score_command("content_accuracy", inputs))
        times = [[process_seconds(*command) for command in commands] for _ in range(runs)]
    return min(time[0] for time in times), min(time[1] for time in times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--repeats", type=int, default=5, help="number of runs of the fast tools; the best one counts"
    )
    repeats = parser.parse_args().repeats

    prompts, responses = full_size()
    references = {prompt.prompt_id: list(prompt.references) for prompt in prompts}
    asked = [response.prompt_id for response in responses]
    texts = [response.asr_text for response in responses]
    # The tokenizers differ only at apostrophes, which this set does not contain.
    targets = [reference for prompt in asked for reference in references[prompt]]
    answers = [text for prompt, text in zip(asked, texts, strict=True) for _ in references[prompt]]
    sizes = np.array([len(tokens(target)) for target in targets]).reshape(-1, 4)

    ours, scores = best_call(lambda: rouge(references, asked, texts, unit="tokens"), repeats)
    types, _ = best_call(lambda: rouge(references, asked, texts, unit="types"), repeats)
    print(
        f"{len(texts)} responses x 4 references, Python {platform.python_version()}, numpy {np.__version__}"
    )
    print(f"{'spokeneval, tokens':28}{ours:8.3f} s")
    print(f"{'spokeneval, types':28}{types:8.3f} s")

    for package, title, runs in (
        ("rouge_score", "rouge-score", 1),
        ("rouge_score_rs", "rouge-score-rs", repeats),
    ):
        try:
            module = importlib.import_module(f"{package}.rouge_scorer")
        except ImportError:
            print(f"{title:28} skipped: not installed")
            continue
        scorer = module.RougeScorer(["rouge1"])
        batch = getattr(scorer, "score_batch", partial(one_by_one, scorer))
        seconds, found = best_call(partial(batch, targets, answers), runs)
        recalls = np.array([result["rouge1"].recall for result in found]).reshape(-1, 4)
        pooled = (recalls * sizes).sum(axis=1) / sizes.sum(axis=1)
        apart = np.abs(pooled - scores).max()
        print(f"{title:28}{seconds:8.3f} s  {seconds / ours:6.1f} x ours, largest difference {apart:.1e}")

    bare, scoring = whole_process(responses, 3 * repeats)
    print(f"{'import numpy, whole process':28}{bare:8.3f} s")
    print(f"{'score.py, whole process':28}{scoring:8.3f} s  {scoring / bare:6.2f} x import numpy")


if __name__ == "__main__":
    main()
