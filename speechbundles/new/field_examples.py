"""Synthetic labels and answers for the templates of challenges, in `templates/examples/field_challenges.yaml`."""

import random
import string
import unicodedata
from collections.abc import Mapping, Sequence

import yaml

from speechbundles.new.drawn import (
    Answers,
    Cells,
    Example,
    Files,
    Labels,
    answered,
    higher_for,
    labelled,
    one_of,
    own_or_other,
    rows_of,
    speaker_of,
)
from speechbundles.new.template import fill_template
from spokeneval.formats.tables import csv_text

CHALLENGES: dict[str, dict[str, str]] = yaml.safe_load(fill_template("examples/field_challenges.yaml"))

WORDS = (
    *("we", "you", "they", "go", "see", "have", "today", "tomorrow", "a", "the", "red", "blue", "house"),
    *("dog", "ball", "in", "at", "garden", "lake"),
)
SPOKEN = (*WORDS, "uh", "don't", "colour", "twenty-one", "mm-hmm", "Mister", "okay")
"""Words that normalisers for English change."""
JAPANESE = tuple("あいうえおかきくけこ")
IPA = ("kˈæt", "dˌɔg", "t͡ʃiz", "dʒus", "hɝd", "mũn", "bɪg", "rɛd")
DIALECTS = ("Spanish", "Japanese", "German")
SCENARIOS = ("chime6", "dipco", "mixer6", "notsofar1")


def field_settings(name: str, answers: str) -> str:
    """Return the settings of a template; `answers` is the file of a submission."""
    texts = CHALLENGES[name]
    lines = {part: texts[part].splitlines() for part in ("about", "task")}
    return fill_template("examples/field.yaml", name=name, title=texts["title"], answers=answers, **lines)


def _spoofing_scores(draw: random.Random, label: str, right: float) -> Cells:
    return [higher_for(*kinds)(draw, label, right)[0] for kinds in (("target",), ("target", "nontarget"))]


def _said(words: Sequence[str], *, twice: bool = False, groups: Sequence[str] = ()) -> Labels:
    """Return a maker of transcripts; `twice`: with a second reference, which lacks a repetition."""

    def labels(draw: random.Random, items: Sequence[str]) -> Files:
        rows = [("id", "transcript", "speaker", *(["language"] if groups else []))]
        for number, item in enumerate(items):
            group = groups[number % len(groups)] if groups else ""
            said = draw.choices(JAPANESE if group == "Japanese" else words, k=draw.randint(3, 9))
            kept = [said, said[1:]] if twice and draw.random() < 0.5 else [said]
            who = f"{group}{speaker_of(item, number)}"
            rows += [(item, " ".join(each), who, *([group] if group else [])) for each in kept]
        return {"transcripts.csv": csv_text(rows)}

    return labels


def _heard(words: Sequence[str]) -> Answers:
    def answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
        said = {row["id"]: row["transcript"].split() for row in rows_of(labels["transcripts.csv"])}
        rows = [(item, " ".join(_misheard(draw, each, words, right))) for item, each in said.items()]
        return {"transcripts.csv": csv_text([("id", "transcript"), *rows])}

    return answers


def _misheard(draw: random.Random, said: Sequence[str], words: Sequence[str], right: float) -> list[str]:
    heard = [word if draw.random() < right else draw.choice(words) for word in said]
    return heard + draw.choices(words, k=int(draw.random() > right))


def _sessions(groups: Sequence[str], words: Sequence[str], *, regions: bool) -> tuple[Labels, Answers]:
    header = ("session_id", "speaker", "start_time", "end_time", "words")

    def labels(draw: random.Random, items: Sequence[str]) -> Files:
        rows, ends = [], []
        for number, item in enumerate(items):
            group, now = groups[number % len(groups)], 0.0
            for turn in range(6):
                said = draw.choices(JAPANESE if group == "Japanese" else words, k=draw.randint(2, 6))
                end = now + 0.5 * len(said)
                rows.append(
                    (f"{group}-{item}", item + "AB"[turn % 2], f"{now:.3f}", f"{end:.3f}", " ".join(said))
                )
                now = end + draw.uniform(-0.4, 1)
            ends.append((f"{group}-{item}", "0.000", f"{now + 9:.3f}"))
        files = {"meetings.csv": csv_text([header, *sorted(rows, key=lambda row: (row[0], float(row[2])))])}
        spans = {"regions.csv": csv_text([("session_id", "start", "end"), *sorted(ends)])}
        return {**files, **(spans if regions else {})}

    def answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
        rows = []
        for row in rows_of(labels["meetings.csv"]):
            heard = _misheard(draw, row["words"].split(), words, right)
            who = f"S{'AB'.index(row['speaker'][-1]) if draw.random() < right else 2}"
            rows.append((row["session_id"], who, row["start_time"], row["end_time"], " ".join(heard)))
        return {"meetings.csv": csv_text([header, *rows])}

    return labels, answers


def _rated(low: float, high: float, digits: int, *, systems: int = 0) -> tuple[Labels, Answers]:
    """Return makers of scores from `low` to `high` and of predictions."""

    def labels(draw: random.Random, items: Sequence[str]) -> Files:
        middles = [draw.uniform(low, high) for _ in range(systems or len(items))]
        rows = []
        for number, item in enumerate(items):
            true = draw.gauss(middles[number % len(middles)], (high - low) / 8)
            who = f"{item[0]}sys{number % systems:02d}" if systems else speaker_of(item, number)
            rows.append((item, f"{max(low, min(high, true)):.{digits}f}", who))
        return {"scores.csv": csv_text([("id", "score", "system" if systems else "speaker"), *rows])}

    def predicted(draw: random.Random, score: str, right: float) -> Cells:
        near = float(score) + draw.gauss(0, (1.02 - right) * (high - low))
        return [f"{max(low, min(high, near)):.3f}"]

    return labels, answered(*_SCORES, predicted, "scores.csv", "score")


_LANGUAGES, _DIAGNOSES = ("ab", "en", "hsb", "mk", "ta"), ("HC", "MCI", "Dementia")
_SCORES, _DECISIONS = ("scores.csv", ["score"]), ("decisions.csv", ["label"])
_MAKERS: dict[str, tuple[Labels, Answers]] = {
    "asvspoof5_track1": (labelled(one_of("bonafide", "spoof")), answered(*_SCORES, higher_for("bonafide"))),
    "asvspoof5_track2": (
        labelled(one_of("target", "nontarget", "spoof")),
        answered("scores.csv", ["score", "countermeasure"], _spoofing_scores),
    ),
    "tidylang2026_languages": (
        labelled(one_of(*_LANGUAGES)),
        answered(*_DECISIONS, own_or_other(*_LANGUAGES)),
    ),
    "tidylang2026_trials": (labelled(one_of("same", "other")), answered(*_SCORES, higher_for("same"))),
    "sapc2": (_said(WORDS, twice=True), _heard(WORDS)),
    "pasketti_words": (_said(SPOKEN), _heard(SPOKEN)),
    "pasketti_phones": (_said(IPA), _heard(IPA)),
    "mlc_slm_task1": (_said(WORDS, groups=DIALECTS), _heard(WORDS)),
    "mlc_slm_task2": _sessions(DIALECTS, WORDS, regions=False),
    "chime8_dasr": _sessions(SCENARIOS, SPOKEN, regions=True),
    "process_diagnosis": (labelled(one_of(*_DIAGNOSES)), answered(*_DECISIONS, own_or_other(*_DIAGNOSES))),
    "process_mmse": _rated(0, 30, 0),
    "cadenza_clip1": _rated(0, 1, 3),
    "urgent2026_track2": _rated(1, 5, 2, systems=12),
}
_DELETED = (*"\u02c8\u02cc\u035c\u0361\u0303", *string.punctuation)
_WITH_TILDE = [sign for sign in map(chr, range(0x1F00)) if "\u0303" in unicodedata.normalize("NFD", sign)[1:]]
_KEPT = [sign for sign in _WITH_TILDE if sign not in "ẽĩõũ"]
"""Letters that keep their tilde."""
FURTHER_FILES = {
    "pasketti_phones": {
        "ipa.csv": csv_text(
            [*((mark, "") for mark in _DELETED), ("ɝ", "ɚ"), *zip(_KEPT, _KEPT, strict=True)]
        ),
        "affricates.csv": csv_text([("tʃ", "ʧ"), ("dʒ", "ʤ")]),
    }
}
"""Files beside the settings of some templates."""

FIELD = {name: Example(f"template: {CHALLENGES[name]['title']}", *makers) for name, makers in _MAKERS.items()}
