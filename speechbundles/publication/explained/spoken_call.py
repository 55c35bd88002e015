"""The complete Table 2 of the overview of Spoken CALL's third edition (2019): the difficulty of responses.

Responses are grouped into bands by the number of systems that judge them wrongly, correct and incorrect responses
separately. For each band, the table has the share of responses with each flag, by majority of the annotators, and
properties of the texts:

- OOV: the transcription has a word that is neither in the training data nor in the grammar;
- d(gr): edit distance in words to the nearest response in the grammar;
- d(tr): edit distance in characters to the nearest correct response in the training data;
- #WE, WER: word errors of the recogniser's text, in number and as a share of the spoken words.

All means, also of WER, are over responses. The training data are the competition's public sets, except the board's own
set. A response is compared with those to its own prompt, or with all if there are none (the paper does not specify
this). Texts are compared in lower case, with single spaces.
"""

import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speechbundles.model.bounded import read_file
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference
from speechbundles.model.tabular import LARGEST_FILE
from speechbundles.publication.explained.explained import Explained
from speechbundles.publication.explained.flags import Flags, read_flags
from speechbundles.publication.explained.texts import nearest, normal, word_errors
from speechbundles.publication.explained.variance import explain_variance
from speechbundles.publication.gold import Columns, read_gold
from speechbundles.publication.outputs import ScoringOutput, no_board
from speechbundles.publication.tables.spoken_call import are_by_response, band_bounds, systems_wrong
from spokeneval.ranking.tables import Table

WER = "WER (%)"

CORRECT, INCORRECT = "correct", "incorrect"

Texts = Mapping[str, set[str]]
"""`prompt -> responses`."""


class Indicator(NamedTuple):
    """A number for each response, or a boolean, whose mean is a share."""

    of: np.ndarray
    digits: int = 2

    def mean(self, within: np.ndarray) -> float:
        factor = 100 if self.of.dtype == bool else 1
        return factor * float(self.of[within].mean()) if within.any() else np.nan


def explain(
    competition: Competition, columns: Columns, flags: Path, outputs: Sequence[ScoringOutput]
) -> Explained:
    """Return the tables, and all responses with their bands and indicators; see `explained.explain_difficulty`."""
    if not are_by_response(outputs) or outputs[0].statistics is None:
        raise no_board(["--flags: the statistics do not show how each response was judged"])
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
    return Table("Properties of hard responses (Table 2 of the third edition)", header, rows)


def _heading(name: str, found: Indicator) -> str:
    return f"{name} (%)" if found.of.dtype == bool else name


def _cell(number: float, digits: int = 2) -> str:
    return "–" if np.isnan(number) else f"{number:.{digits}f}"


def _variance_tables(kind: str, wrong: np.ndarray, factors: Mapping[str, np.ndarray]) -> list[Table]:
    """Return a table of the share of the variance in the number of wrong systems that each factor explains."""
    found = explain_variance(wrong.astype(np.float64), factors)
    if not found:
        return []
    totals = 100 * np.cumsum([factor.adds for factor in found])
    rows = [
        [factor.name, f"{factor.f:.1f}", f"{factor.p:.2g}", f"{100 * factor.adds:.1f}", f"{total:.1f}"]
        for factor, total in zip(found, totals, strict=True)
    ]
    left_out = [name for name in factors if name not in {factor.name for factor in found}]
    note = (
        "F and p test each factor in a model with all others. Shares of the variance are those of a stepwise model, in "
        "which the factor that explains most enters first."
    )
    note += f" Left out, because they add no information: {', '.join(left_out)}." if left_out else ""
    header = ["Factor", "F", "p", "adds (%)", "total (%)"]
    return [Table(f"Variance of the number of wrong systems, {kind} responses", header, rows, note)]


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
    """Return a table of all responses, by kind, hardest first."""
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
    """Return the indicators that can be computed from the texts that the reference has."""
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
    """Return the responses of the grammar, those of the training data, and the correct ones among the latter."""
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
    """Read the grammar from the shared task's XML; it is empty if there is no such file."""
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
    """Return the distance of each response to the nearest text of its prompt, or of all prompts if its own has none."""
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
