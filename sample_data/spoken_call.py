"""Synthetic Spoken CALL data: prompts, a response grammar, gold standards. No real speech or transcripts are included.

    python -m sample_data

The evaluation set has 740 correct and 260 incorrect responses, as in the third edition. The grammar baseline makes
exactly the decisions of Table 1: CA 635, FR 105, CR 213, PFA 32, GFA 15 on the recogniser's text ("Baseline"), and CA
671, FR 69, CR 250, PFA 7, GFA 3 on the transcriptions ("BaselinePerfectRec"). The number of responses with a word that
is neither in the grammar nor in the development set is that of Table 2. The development set has 750 correct and 250
incorrect responses, as in the second edition, with similar proportions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from math import exp
from pathlib import Path
from xml.sax.saxutils import escape

from spokeneval.formats.tables import csv_text

ROOT = Path(__file__).resolve().parent.parent
SEED = 20190915

_LABEL = {True: "correct", False: "incorrect"}

COLUMNS = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning", "speaker")

SPEAKERS = 25

_NUMBERS = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}
_THINGS = {
    "1 Tasse Kaffee": "a cup of coffee",
    "1 Glas Wasser": "a glass of water",
    "1 Orangensaft": "an orange juice",
    "1 Hamburger mit Pommes": "a hamburger with chips",
    "1 Gemüsesuppe": "a vegetable soup",
    "1 Stück Apfelkuchen": "a piece of apple pie",
    "1 Paar schwarze Stiefel": "a pair of black boots",
    "1 roter Pullover": "a red pullover",
    "1 Fahrkarte nach London": "a ticket to london",
    "1 Stadtplan": "a map of the city",
    "die Rechnung": "the bill",
    "die Speisekarte": "the menu",
}
_PLACES = {
    "Bahnhof": "the station",
    "Flughafen": "the airport",
    "Museum": "the museum",
    "U-Bahn": "the underground",
    "Toiletten": "the toilets",
    "Park": "the park",
}


Grammar = dict[str, list[str]]


@cache
def _grammar() -> tuple[Grammar, Grammar]:
    """Return the responses that the baseline accepts, `prompt -> responses`: good ones, and bad ones in the grammar."""
    good: Grammar = {}
    lenient: Grammar = {}
    openings = ("i want", "i would like", "i'd like", "can i have", "could i have", "may i have")
    asks = [*(opening + " {}" for opening in openings), "{}"]
    asks += [ask + " please" for ask in asks]
    for german, english in _THINGS.items():
        good[f"Frag: {german}"] = [ask.format(english) for ask in asks]
    for digit, word in _NUMBERS.items():
        for german, many, one in (
            (f"Frag: Zimmer für {digit} Nächte", f"a room for {word} nights", f"a room for {word} night"),
            (
                f"Frag: {digit} Karten für das Musical",
                f"{word} tickets for the musical",
                f"{word} ticket for the musical",
            ),
        ):
            good[german] = [ask.format(many) for ask in asks]
            lenient[german] = [ask.format(one) for ask in asks]
        stays = ["i am staying for {}", "i'm staying for {}", "i'll stay for {}", "for {}", "{}"]
        good[f"Sag: Ich bleibe {digit} Nächte"] = [stay.format(f"{word} nights") for stay in stays]
        lenient[f"Sag: Ich bleibe {digit} Nächte"] = [stay.format(f"{word} night") for stay in stays]
    for german, english in _PLACES.items():
        verb, wrong = ("are", "is") if english.endswith("toilets") else ("is", "are")
        where = [
            f"where {verb} {english}",
            f"can you tell me where {english} {verb}",
            f"how do i get to {english}",
        ]
        good[f"Frag: Wo ist {german}?"] = where + [f"excuse me {ask}" for ask in where]
        lenient[f"Frag: Wo ist {german}?"] = [f"where {wrong} {english}"]
    pay = ["i want to pay {}", "i would like to pay {}", "i'd like to pay {}", "can i pay {}", "{}"]
    for german, english in {
        "mit Kreditkarte": "by credit card",
        "bar": "in cash",
        "in Franken": "in francs",
    }.items():
        prompt = f"Sag: Ich möchte {german} zahlen"
        good[prompt] = [ask.format(english) for ask in [*pay, *(ask + " please" for ask in pay)]]
        lenient[prompt] = [f"i pay {english}"]
    return good, lenient


@cache
def _by_spelling(word: str) -> list[str]:
    """Return the grammar's words, those with the most similar spelling to a word first."""
    listed = [text for texts in _grammar() for responses in texts.values() for text in responses]
    words = {word for text in listed for word in text.split()}
    return sorted(words, key=lambda other: (-SequenceMatcher(None, word, other).ratio(), other))


@dataclass(frozen=True)
class Group:
    """Responses of one kind: their number and labels, and whether the grammar lists transcription and recognition."""

    count: int
    correct: bool
    meaningful: bool
    transcription_listed: bool
    recognition_listed: bool


_KINDS = [
    (*labels, *listed)
    for labels in ((True, True), (False, True), (False, False))
    for listed in product((True, False), repeat=2)
]
_COUNTS = {
    "evaluation": (631, 40, 4, 65, 5, 2, 27, 136, 2, 1, 13, 74),
    "development": (636, 43, 4, 67, 5, 2, 26, 129, 2, 1, 13, 72),
}
SETS = {
    name: [Group(count, *kind) for count, kind in zip(counts, _KINDS, strict=True)]
    for name, counts in _COUNTS.items()
}


_NOISE = ("the", "and", "free", "tree", "night", "wait", "four", "paper", "can", "it")


class _Speaker:
    """Draws responses, mistakes and misrecognitions that are listed in the grammar or not, as requested."""

    def __init__(self, seed: str) -> None:
        self.good, self.lenient = _grammar()
        self.random = random.Random(seed)

    def listed(self, prompt: str) -> str:
        return self.random.choice(self.good[prompt])

    def unlisted(self, prompt: str, draw: Callable[[], str]) -> str:
        while True:
            text = draw()
            if text and text not in self.good[prompt] + self.lenient.get(prompt, []):
                return text

    def paraphrase(self, prompt: str) -> str:
        opening = self.random.choice(["well ", "hello ", "good morning ", "yes ", "oh ", "excuse me sir "])
        return opening + self.listed(prompt) + self.random.choice(["", "", " thank you", " thanks"])

    def slip(self, prompt: str) -> str:
        """Return a response with a mistake that keeps the meaning: a missing, wrong, German or additional word."""
        words = self.listed(prompt).split()
        for _ in range(self.random.randint(1, 2)):
            position = self.random.randrange(len(words))
            wrong = {
                "want": "wants",
                "a": "an",
                "an": "a",
                "have": "has",
                "for": "für",
                "is": "are",
                "please": "bitte",
            }
            choice = self.random.random()
            if choice < 0.4 and len(words) > 2:
                del words[position]
            elif choice < 0.8:
                words[position] = wrong.get(words[position], self.mistaken(prompt, words[position]))
            else:
                words.insert(position, self.random.choice(["the", "a", "of", "und", "to"]))
        return " ".join(words)

    def mistaken(self, prompt: str, word: str) -> str:
        """Return one of the three words with the most similar spelling that no response to the prompt has."""
        own = {word for text in self.good[prompt] + self.lenient.get(prompt, []) for word in text.split()}
        return self.random.choice([other for other in _by_spelling(word) if other not in own][:3])

    def other_meaning(self, prompt: str) -> str:
        return self.listed(self.random.choice([other for other in self.good if other != prompt]))

    def misheard(self, text: str) -> str:
        words = text.split()
        position = self.random.randrange(len(words))
        words[position] = self.random.choice([*_NOISE, ""])
        return " ".join(word for word in words if word)


WORD_ERRORS = {True: 3.0, False: 2.0}
"""Mean number of additional misheard words in a correct or an incorrect response that is not recognised."""

MISHEARD_AS_LISTED = 0.1
"""Share of recognised responses that the recogniser confuses with another response in the grammar."""


class _Recogniser:
    """Adds the errors of the baseline's recogniser: as many word errors as in Table 2.

    Listed texts remain listed and others unlisted, so the decisions stay the same.
    """

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def hear(self, prompt: str, said: str, heard: str, *, correct: bool) -> str:
        listed = listed_responses(prompt)
        if heard in listed:
            misheard = heard == said and self.random.random() < MISHEARD_AS_LISTED
            return self.random.choice(listed) if misheard else heard
        if heard == said:
            return heard
        words = heard.split()
        for _ in range(min(2 * len(words), int(self.random.expovariate(1 / WORD_ERRORS[correct])))):
            place = self.random.randrange(len(words))
            words[place : place + self.random.randint(0, 1)] = [self.random.choice(_NOISE)]
        return heard if " ".join(words) in listed else " ".join(words)


SPREAD = {"incorrect": 0.5, "misunderstood": 1.0, "meaningless": 0.7, "accepted wrongly": 1.2}
"""Standard deviations of the learners' effects on the logarithm of the frequency of such responses."""


class _Learners:
    """Draws the learner of each response. Learners differ in how much and how well they speak, and in recognition.

    With `SPREAD`, an interval of the baseline's score over learners is 1.8 to 2.9 times as wide as one over responses,
    as for the real learners of the second edition. No learner is in two sets.
    """

    def __init__(self, set_name: str, seed: str) -> None:
        self.random = random.Random(seed)
        first = 1 + SPEAKERS * (set_name == "development")
        self.names = [f"S{number:02d}" for number in range(first, first + SPEAKERS)]
        self.talk = [self.random.gammavariate(4, 1) for _ in self.names]
        self.effects = {
            kind: [self.random.gauss(0, spread) for _ in self.names] for kind, spread in SPREAD.items()
        }

    def draw(self, group: Group) -> str:
        kinds = {
            "incorrect": not group.correct,
            "misunderstood": group.correct and not group.recognition_listed,
            "meaningless": not group.meaningful,
            "accepted wrongly": not group.correct and group.recognition_listed,
        }
        held = [self.effects[kind] for kind, holds in kinds.items() if holds]
        weights = [
            talk * exp(sum(effects[place] for effects in held)) for place, talk in enumerate(self.talk)
        ]
        return self.random.choices(self.names, weights)[0]


def make_sheet(set_name: str, *, seed: int = SEED) -> list[dict[str, str]]:
    """Return the rows of a set's gold standard, in the order of their ids."""
    speaker = _Speaker(f"{seed} {set_name}")
    learners = _Learners(set_name, f"{seed} talk {set_name}")
    recogniser = _Recogniser(f"{seed} words {set_name}")
    rows = []
    for group in SETS[set_name]:
        for _ in range(group.count):
            lenient = group.transcription_listed and group.meaningful and not group.correct
            prompt = speaker.random.choice(list(speaker.lenient if lenient else speaker.good))
            if lenient:
                said = speaker.random.choice(speaker.lenient[prompt])
            elif group.transcription_listed:
                said = speaker.listed(prompt)
            elif group.correct:
                said = speaker.unlisted(prompt, lambda: speaker.paraphrase(prompt))  # noqa: B023 - called at once
            elif group.meaningful:
                said = speaker.unlisted(prompt, lambda: speaker.slip(prompt))  # noqa: B023
            else:
                said = speaker.unlisted(prompt, lambda: speaker.other_meaning(prompt))  # noqa: B023
            if group.recognition_listed:
                heard = said if group.transcription_listed else speaker.listed(prompt)
            elif group.transcription_listed or speaker.random.random() < 0.4:
                heard = speaker.unlisted(prompt, lambda: speaker.misheard(said))  # noqa: B023
            else:
                heard = said
            heard = recogniser.hear(prompt, said, heard, correct=group.correct)
            texts = {"Prompt": prompt, "RecResult": heard, "Transcription": said}
            labels = {"language": _LABEL[group.correct], "meaning": _LABEL[group.meaningful]}
            rows.append({**texts, **labels, "speaker": learners.draw(group)})
    _hesitate(rows, set_name, random.Random(f"{seed} hesitations {set_name}"))
    speaker.random.shuffle(rows)
    ids = sorted(speaker.random.sample(range(10000, 40000), len(rows)))
    return [{"Id": str(item), "Wavfile": f"{item}.wav", **row} for item, row in zip(ids, rows, strict=True)]


HESITATIONS = {"evaluation": {"correct": 11, "incorrect": 5}}
"""Number of responses that begin with a unique word: 1.49 % of the correct and 1.92 % of the incorrect ones."""


def _hesitate(rows: list[dict[str, str]], set_name: str, chance: random.Random) -> None:
    """Put a hesitation before responses that are not listed and are recognised without errors."""
    for label, count in HESITATIONS.get(set_name, {}).items():
        heard = [
            row
            for row in rows
            if row["language"] == label
            and row["RecResult"] == row["Transcription"]
            and not is_listed(row["Prompt"], row["Transcription"])
        ]
        for row in chance.sample(heard, count):
            said = f"{chance.choice(['um', 'er', 'hm'])} {row['Transcription']}"
            row.update(RecResult=said, Transcription=said)


def is_listed(prompt: str, text: str) -> bool:
    """Return whether the grammar lists a text as a response to a prompt."""
    return text in listed_responses(prompt)


def listed_responses(prompt: str) -> list[str]:
    """Return the grammar's responses to a prompt."""
    good, lenient = _grammar()
    return good[prompt] + lenient.get(prompt, [])


def sheet_text(rows: list[dict[str, str]]) -> str:
    """Return a sheet in the shared task's format: tab-separated, every field quoted."""
    lines = [COLUMNS, *([row[column] for column in COLUMNS] for row in rows)]
    return "".join("\t".join(f'"{field}"' for field in line) + "\n" for line in lines)


def grammar_text() -> str:
    """Return the grammar in the shared task's XML."""
    good, lenient = _grammar()
    units = "".join(
        f"  <prompt_unit>\n    <prompt>{escape(prompt)}</prompt>\n"
        + "".join(
            f"    <response>{escape(response)}</response>\n"
            for response in [*responses, *lenient.get(prompt, [])]
        )
        + "  </prompt_unit>\n"
        for prompt, responses in good.items()
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- synthetic -->\n<prompts>\n{units}</prompts>\n'


def submissions(set_name: str) -> dict[str, dict[str, bytes]]:
    """Return submissions for rehearsals, `name -> its files`: perfect, random, and one that breaks the 50 % rule.

    On a set of the same size, the last makes the decisions of system JJJ in Table 1: it accepts 59 % of the incorrect
    responses, but its number of accepts alone does not show this.
    """
    rows = make_sheet(set_name)
    chance = random.Random(f"{SEED} random {set_name}")
    correct = [row["language"] == "correct" for row in rows]
    rejected = {True: round(0.1 * sum(correct)), False: round(106 / 260 * (len(rows) - sum(correct)))}
    lenient = []
    for label in correct:
        lenient.append(rejected[label] <= 0)
        rejected[label] -= 1
    decisions = {
        "perfect": correct,
        "random": [chance.random() < sum(correct) / len(correct) for _ in rows],
        "breaks the 50 % rule": lenient,
    }
    return {name: {"results.csv": decisions_text(rows, accept)} for name, accept in decisions.items()}


def decisions_text(rows: list[dict[str, str]], accept: list[bool]) -> bytes:
    """Return a submission's `results.csv`."""
    made = [(row["Id"], "accept" if yes else "reject") for row, yes in zip(rows, accept, strict=True)]
    return csv_text([("Id", "Accept"), *made], "\t").encode()


def write(root: Path = ROOT) -> list[Path]:
    """Write all files of the task below a folder; return the files."""
    texts = {root / "starting_kit/spoken_call/data/grammar.xml": grammar_text()}
    for name in SETS:
        texts[root / "reference_data/spoken_call" / name / "reference.csv"] = sheet_text(make_sheet(name))
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(texts)
