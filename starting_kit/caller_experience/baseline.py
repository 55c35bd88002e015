"""The paper's baseline: a decision tree on four features of a call's log.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR
    python3 baseline.py rules

Trains on data/training_calls.csv, rates the calls of the set's public list by their features in data/<set>_calls.csv,
and writes OUTPUT_DIR/ratings.csv. With `rules`, it prints the tree with the information gain of each split.

The split with the highest information gain is made first: a status has a branch for each value, a number is at most a
value or above it. The tree is then pruned with the paper's confidence threshold of 25 %, as in C4.5 (Quinlan, C4.5:
Programs for Machine Learning, 1993): a split is undone if a leaf in its place has no more errors, where the error rate
of a leaf is the upper confidence limit of its training calls. The paper's tree had 31 leaves.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
STATUSES = ("classification_status", "exit_status")
NUMBERS = ("recognition_errors", "operator_requests")
CONFIDENCE = 0.25
SMALLEST = 2
"""At least two branches of a split have so many calls, as in C4.5."""
CLOSE = 0.1
"""A leaf may have so many more errors than the split that it replaces, as in C4.5."""


class Condition(NamedTuple):
    """A condition of a branch, such as exit_status = operator or recognition_errors <= 2."""

    feature: str
    sign: str
    value: str

    def holds(self, call: dict[str, str]) -> bool:
        if self.sign == "=":
            return call[self.feature] == self.value
        return (int(call[self.feature]) <= int(self.value)) == (self.sign == "<=")


class Node(NamedTuple):
    """A part of the tree.

    Attributes
    ----------
    rating: the most frequent one.
    calls, wrong: how many calls there are, and how many have other ratings.
    errors: how many errors are to be expected.
    gain: the information gain of the split, in bits.
    branches: of the split; none for a leaf.
    """

    rating: int
    calls: int
    wrong: int
    errors: float
    gain: float
    branches: dict[Condition, Node]

    def rate(self, call: dict[str, str]) -> int:
        """Return the rating of a call; a value that no training call had here gets the most frequent rating."""
        for condition, node in self.branches.items():
            if condition.holds(call):
                return node.rate(call)
        return self.rating


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, each as `column -> text`."""
    if not path.exists():
        sys.exit(f"{path.relative_to(HERE)} is missing from the kit")
    with open(str(path), encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def grow(calls: list[dict[str, str]]) -> Node:
    """Return the pruned tree of some calls."""
    counts = Counter(int(call["rating"]) for call in calls)
    rating = min(counts, key=lambda each: (-counts[each], each))
    wrong = len(calls) - counts[rating]
    leaf = Node(rating, len(calls), wrong, len(calls) * upper_limit(wrong, len(calls)), 0.0, {})
    gain, best = 0.0, {}
    for split in splits(calls):
        parts = split.values()
        gained = entropy(calls) - sum(len(part) / len(calls) * entropy(part) for part in parts)
        if gained > gain + 1e-9 and sum(len(part) >= SMALLEST for part in parts) > 1:
            gain, best = gained, split
    branches = {condition: grow(part) for condition, part in best.items()}
    errors = sum(node.errors for node in branches.values())
    is_leaf = not branches or leaf.errors <= errors + CLOSE
    return leaf if is_leaf else leaf._replace(errors=errors, gain=gain, branches=branches)


def splits(calls: list[dict[str, str]]) -> Iterator[dict[Condition, list[dict[str, str]]]]:
    """Yield every split of some calls, `condition -> calls`."""
    for feature in (*STATUSES, *NUMBERS):
        if feature in STATUSES:
            ways = [[("=", value) for value in sorted({call[feature] for call in calls})]]
        else:
            values = sorted({int(call[feature]) for call in calls})
            ways = [[("<=", str(value)), (">", str(value))] for value in values[:-1]]
        for way in ways:
            conditions = [Condition(feature, sign, value) for sign, value in way]
            yield {each: [call for call in calls if each.holds(call)] for each in conditions}


def entropy(calls: list[dict[str, str]]) -> float:
    """Return the entropy of the ratings, in bits."""
    shares = [count / len(calls) for count in Counter(call["rating"] for call in calls).values()]
    return -sum(share * math.log2(share) for share in shares)


def upper_limit(wrong: int, calls: int) -> float:
    """Return the error rate with which at most so many of the calls are wrong with the probability `CONFIDENCE`."""
    if wrong == calls:
        return 1.0
    ways = [
        math.lgamma(calls + 1) - math.lgamma(k + 1) - math.lgamma(calls - k + 1) for k in range(wrong + 1)
    ]
    low, high = wrong / calls, 1.0
    for _ in range(40):
        rate = (low + high) / 2
        logs = (each + k * math.log(rate) + (calls - k) * math.log1p(-rate) for k, each in enumerate(ways))
        low, high = (rate, high) if sum(map(math.exp, logs)) > CONFIDENCE else (low, rate)
    return high


def rules(node: Node, depth: int = 0) -> Iterator[str]:
    """Yield the lines of the tree: each split with its gain, and each leaf with its rating."""
    for condition, part in node.branches.items():
        then = f"rating {part.rating} ({part.calls} calls, {part.wrong} with other ratings)"
        if part.branches:
            then = f"a split that gains {part.gain:.3f} bits"
        yield f"{'    ' * depth}{' '.join(condition)}: {then}"
        yield from rules(part, depth + 1)


def main() -> None:
    training = HERE / "data" / "training_calls.csv"
    if sys.argv[1:] == ["rules"]:
        tree = grow(read_rows(training))
        lines = list(rules(tree))
        leaves = sum(": rating" in line for line in lines)
        print("\n".join([f"{leaves} leaves; the first split gains {tree.gain:.3f} bits", *lines]))
        return
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR, or baseline.py rules")
    called, output = sys.argv[1], Path(sys.argv[2])
    ids = [row["call_id"] for row in read_rows(HERE / called / "input" / "calls.csv")]
    calls = {call["call_id"]: call for call in read_rows(HERE / "data" / f"{called}_calls.csv")}
    unknown = [item for item in ids if item not in calls]
    if unknown:
        sys.exit(f"data/{called}_calls.csv lacks features for {len(unknown)} calls, for example {unknown[0]}")
    tree = grow(read_rows(training))

    output.mkdir(parents=True, exist_ok=True)
    with open(str(output / "ratings.csv"), "w", encoding="utf-8", newline="") as sink:
        rows = csv.writer(sink, lineterminator="\n")
        rows.writerow(["call_id", "rating"])
        rows.writerows([item, tree.rate(calls[item])] for item in ids)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
