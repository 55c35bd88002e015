"""Random English sentences, full of what normalisers change: numbers, currencies, contractions, titles, sounds."""

from __future__ import annotations

import random

from spokeneval.formats.english import table

NUMERALS = (
    "0 1 2 3 5 7 10 11 12 20 21 99 100 101 1000 1,000 12,345,678 1.5 0.07 $5 $5.20 £3 €0.99 $0.05 ¢7 5% 50% -3 +4 1st "
    "2nd 23rd 12th 20s 1990s 90th 6s 000 70 3.0 007 12a b52 a1b2 1/2 ½ ² 1:30 5. $ .5 % 1.2.3"
)
OTHERS = (
    "the a I He said hello world I'm don't he'd been she's gone they're Mr. Mrs. Dr. St. gen. OK Okay.. set-up wi-fi "
    "Wi fi hmm hmmm mm mhm uh uhh um umm uhm oh ohh ah ahh ha hu huh eh shan't han't (laughs) [noise] <unk> (a) () ( ) "
    "[ ] < > ... . , ! ? ; : - ' ’ \" café naïve Straße œuvre Ørsted Þór Łódź ™ ﬁ 日本 हिन्दी "
    "and a half double triple point"
)
ENDS = (".", ",", "!", "?", "'s", "'d", "%", "-", "...", "'ll been", "s")


def sentences(number: int) -> list[str]:
    rng = random.Random(2027)
    words = [word for kind, word, _ in table() if kind != "spelling"]
    spellings = [word for kind, word, _ in table() if kind == "spelling"]
    kinds = (words, words, words, NUMERALS.split(), spellings, OTHERS.split(), OTHERS.split())

    def word() -> str:
        text = rng.choice(rng.choice(kinds))
        text = (text.upper(), text.capitalize(), *[text] * 14)[rng.randrange(16)]
        text += rng.choice(ENDS) if rng.random() < 0.08 else ""
        return rng.choice("$£([-'") + text if rng.random() < 0.03 else text

    return [
        rng.choice([" "] * 8 + ["  ", ""]).join(word() for _ in range(rng.randint(0, 14)))
        + rng.choice(["", " "])
        for _ in range(number)
    ]
