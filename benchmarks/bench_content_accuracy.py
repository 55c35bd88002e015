"""ROUGE-1 of a full-size set (5,934 synthetic responses, four references each), side by side in one run.

Run `python -m benchmarks.bench_content_accuracy` from the root of the checkout. Compared are this project, the
pure-Python `rouge-score` and its Rust counterpart `rouge-score-rs`, each if installed. The two others score a
response against one reference at a time and give no pooled figure: the pooled recall is put together from
their recalls to check that all agree, outside of the time measured.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sample_data.content_accuracy import full_size
from spokeneval.metrics.content import rouge, tokens


def best_time(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The shortest of `repeats` wall-clock times in seconds, and what the run returned."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


def one_by_one(scorer: Any, targets: list[str], answers: list[str]) -> list:
    """What `score_batch` does, for a package without it."""
    return [scorer.score(target, answer) for target, answer in zip(targets, answers, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--repeats", type=int, default=5, help="runs of the fast ones, of which the best counts"
    )
    repeats = parser.parse_args().repeats

    prompts, responses = full_size()
    references = {prompt.prompt_id: list(prompt.references) for prompt in prompts}
    asked = [response.prompt_id for response in responses]
    texts = [response.asr_text for response in responses]
    # Apostrophes are where the tokenizers differ; there is none in this set.
    targets = [reference for prompt in asked for reference in references[prompt]]
    answers = [text for prompt, text in zip(asked, texts, strict=True) for _ in references[prompt]]
    sizes = np.array([len(tokens(target)) for target in targets]).reshape(-1, 4)

    ours, scores = best_time(lambda: rouge(references, asked, texts, unit="tokens"), repeats)
    types, _ = best_time(lambda: rouge(references, asked, texts, unit="types"), repeats)
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
        seconds, found = best_time(partial(batch, targets, answers), runs)
        recalls = np.array([result["rouge1"].recall for result in found]).reshape(-1, 4)
        pooled = (recalls * sizes).sum(axis=1) / sizes.sum(axis=1)
        apart = np.abs(pooled - scores).max()
        print(f"{title:28}{seconds:8.3f} s  {seconds / ours:6.1f} x ours, largest difference {apart:.1e}")


if __name__ == "__main__":
    main()
