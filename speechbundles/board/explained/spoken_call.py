"""Table 2 of the overview of Spoken CALL's third edition (2019), complete: what makes responses hard to judge.

Responses are in bands by how many systems judge them wrongly, correct and incorrect ones apart. Of each band stand the
share of responses with each flag, by the majority of the annotators, and what the texts tell:

- OOV: the transcription has a word that is neither in the training data nor in the grammar;
- d(gr): words to change to the nearest response that the grammar lists;
- d(tr): characters to change to the nearest correct response in the training data;
- #WE, WER: word errors of the recogniser's text, and their share of the words that were said.

Means are over responses, WER's too. The training data are the public sets at home but for the board's own. A response
is held against those to its own prompt, or against all where its prompt has none (the paper does not say). Texts are
compared in lower case, with single blanks.
"""

import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speechbundles.board.explained.explained import Explained
from speechbundles.board.explained.flags import Flags, read_flags
from speechbundles.board.explained.texts import nearest, normal, word_errors
from speechbundles.board.explained.variance import explain_variance
from speechbundles.board.gold import Columns, read_gold
from speechbundles.board.outputs import ScoringOutput, no_board
from speechbundles.board.table import Table
from speechbundles.board.tables.spoken_call import are_by_response, band_bounds, systems_wrong
from speechbundles.model.bounded import read_file
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference
from speechbundles.model.tabular import LARGEST_FILE

WER = "WER (%)"

CORRECT, INCORRECT = "correct", "incorrect"

Texts = Mapping[str, set[str]]
"""`prompt -> responses`."""


class Indicator(NamedTuple):
    """A number, or whether something holds (then its mean is a share), of each response."""

    of: np.ndarray
    digits: int = 2

    def mean(self, within: np.ndarray) -> float:
        factor = 100 if self.of.dtype == bool else 1
        return factor * float(self.of[within].mean()) if within.any() else np.nan


def explain(
    competition: Competition, columns: Columns, flags: Path, outputs: Sequence[ScoringOutput]
) -> Explained:
    """The tables, and every response with its band and indicators: see `explained.explain_difficulty`."""
    if not are_by_response(outputs) or outputs[0].statistics is None:
        raise no_board(["--flags: the statistics do not tell what systems make of each response"])
    items = outputs[0].statistics.rows[0]
    marks = read_flags(flags, items, known=next(iter(columns.values())).keys())
    wrong, correct = systems_wrong(outputs)
    marked = {flag: Indicator(holds) for flag, holds in marks.by_majority().items()}
    measured = _of_texts(competition, columns, items)
    indicators = {**marked, **measured}
    kinds = {CORRECT: correct, INCORRECT: ~correct}
    tables = [_bands_table(wrong, kinds, indicators, len(outputs))]
    for kind, within in kinds.items():
        factors = {name: found.of[within] for name, found in indicators.items() if name != WER}
        tables += _variance_tables(kind, wrong[within], factors)
    if len(marks.annotators) > 1:
        tables.append(_agreement_table(marks))
    return Explained(tables, _items_table(items, wrong, kinds, indicators, len(outputs)))


def _bands_table(
    wrong: np.ndarray, kinds: Mapping[str, np.ndarray], indicators: Mapping[str, Indicator], systems: int
) -> Table:
    rows = []
    for kind, within in kinds.items():
        for low, high in [*band_bounds(systems).values(), (0, systems)]:
            chosen = within & (wrong >= low) & (wrong <= high)
            means = [_cell(found.mean(chosen), found.digits) for found in indicators.values()]
            rows.append([kind, f"{low}–{high}" if low <= high else "none", str(chosen.sum()), *means])
    ratios = []
    for found in indicators.values():
        of_correct, of_incorrect = (found.mean(kinds[kind]) for kind in (CORRECT, INCORRECT))
        finite = _cell(of_incorrect / of_correct if of_correct else np.nan)
        ratios.append("∞" if of_incorrect > 0 and not of_correct else finite)
    rows.append(["incorrect to correct", "ratio", "–", *ratios])
    header = [
        "Responses",
        "Systems wrong",
        "Number",
        *(_heading(name, found) for name, found in indicators.items()),
    ]
    return Table("What makes responses hard (Table 2 of the third edition)", header, rows)


def _heading(name: str, found: Indicator) -> str:
    return f"{name} (%)" if found.of.dtype == bool else name


def _cell(number: float, digits: int = 2) -> str:
    return "–" if np.isnan(number) else f"{number:.{digits}f}"


def _variance_tables(kind: str, wrong: np.ndarray, factors: Mapping[str, np.ndarray]) -> list[Table]:
    """What share of the variance of the number of systems that are wrong each factor explains."""
    found = explain_variance(wrong.astype(np.float64), factors)
    if not found:
        return []
    totals = 100 * np.cumsum([factor.adds for factor in found])
    rows = [
        [factor.name, f"{factor.f:.1f}", f"{factor.p:.2g}", f"{100 * factor.adds:.1f}", f"{total:.1f}"]
        for factor, total in zip(found, totals, strict=True)
    ]
    left_out = [name for name in factors if name not in {factor.name for factor in found}]
    note = "F and p of each factor are beside all others; shares are those of a stepwise model, the largest first."
    note += f" Without {', '.join(left_out)}, which tell nothing of their own here." if left_out else ""
    header = ["Factor", "F", "p", "adds (%)", "in all (%)"]
    return [Table(f"Variance of the number of systems wrong, {kind} responses", header, rows, note)]


def _agreement_table(flags: Flags) -> Table:
    rows = [[flag, _cell(kappa)] for flag, kappa in flags.agreement().items()]
    title = f"Agreement of the {len(flags.annotators)} annotators, Light's κ"
    return Table(title, ["Flag", "κ"], rows)


def _items_table(
    items: Sequence[str],
    wrong: np.ndarray,
    kinds: Mapping[str, np.ndarray],
    indicators: Mapping[str, Indicator],
    systems: int,
) -> Table:
    """Every response, by kind, the hardest first."""
    rows = []
    bounds = band_bounds(systems)
    for kind, within in kinds.items():
        for place in sorted(np.flatnonzero(within).tolist(), key=lambda place: (-wrong[place], place)):
            band = next(band for band, (low, high) in bounds.items() if low <= wrong[place] <= high)
            values = [f"{float(found.of[place]):.6g}" for found in indicators.values()]
            rows.append([items[place], kind, band, str(wrong[place]), *values])
    header = ["item", "response", "band", "systems_wrong", *indicators]
    return Table("Responses by band", header, rows)


def _of_texts(competition: Competition, columns: Columns, items: Sequence[str]) -> dict[str, Indicator]:
    """What follows from texts, as far as they are there."""
    named = {column.lower(): cells for column, cells in columns.items()}
    texts = {
        column: [normal(named[column][item][0]) for item in items]
        for column in ("prompt", "transcription", "recresult")
        if column in named
    }
    found: dict[str, Indicator] = {}
    if "transcription" not in texts:
        return found
    said = texts["transcription"]
    prompts = texts.get("prompt", [""] * len(items))
    grammar, training, correct = _expected(competition, items)
    known = [text for texts in (grammar, training) for listed in texts.values() for text in listed]
    words = {word for text in known for word in text.split()}
    if words:
        found["OOV"] = Indicator(np.array([not words.issuperset(text.split()) for text in said]))
    if grammar:
        found["d(gr)"] = Indicator(_distances(said, prompts, grammar, words=True))
    if correct:
        found["d(tr)"] = Indicator(_distances(said, prompts, correct, words=False))
    if "recresult" in texts:
        errors = [word_errors(*pair) for pair in zip(said, texts["recresult"], strict=True)]
        spoken = [max(1, len(text.split())) for text in said]
        found["#WE"] = Indicator(np.array(errors, dtype=np.float64))
        found[WER] = Indicator(100 * np.array(errors) / np.array(spoken))
    return found


def _expected(competition: Competition, items: Sequence[str]) -> tuple[Texts, Texts, Texts]:
    """The grammar's responses, those of the training data, and of these the correct ones."""
    training, correct = defaultdict(set), defaultdict(set)
    for name in competition["public_sets"]:
        try:
            columns = {
                column.lower(): cells for column, cells in read_gold(competition, name).columns.items()
            }
        except BadReference:
            continue
        if "transcription" not in columns or set(items) <= columns["id"].keys():
            continue
        for item, cells in columns["transcription"].items():
            text, prompt = normal(cells[0]), normal(columns["prompt"][item][0]) if "prompt" in columns else ""
            training[prompt].add(text)
            if columns["language"][item][0].strip().lower() == CORRECT:
                correct[prompt].add(text)
    return _read_grammar(competition.sources.find(GRAMMAR)), training, correct


GRAMMAR = "starting_kit/spoken_call/data/grammar.xml"


def _read_grammar(path: Path) -> Texts:
    """The shared task's XML; nothing where there is none."""
    listed: dict[str, set[str]] = defaultdict(set)
    if not path.is_file():
        return listed
    try:
        units = ElementTree.fromstring(read_file(path, LARGEST_FILE)).iter("prompt_unit")
    except ElementTree.ParseError as error:
        raise no_board([f"{path}: not the shared task's XML ({error})"]) from None
    for unit in units:
        listed[normal(unit.findtext("prompt") or "")] |= {
            normal(response.text or "") for response in unit.iter("response")
        }
    return listed


def _distances(said: Sequence[str], prompts: Sequence[str], texts: Texts, *, words: bool) -> np.ndarray:
    """To the nearest text of each response's prompt, or of all where the prompt has none."""
    split = {
        prompt: [tuple(text.split()) for text in sorted(listed)] if words else sorted(listed)
        for prompt, listed in texts.items()
    }
    everything = [text for listed in split.values() for text in listed]
    distances = [
        nearest(text.split() if words else text, split.get(prompt) or everything)
        for text, prompt in zip(said, prompts, strict=True)
    ]
    return np.array(distances, dtype=np.float64)
