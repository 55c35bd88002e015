"""Talk of parents and children about a picture book, in English and in Mandarin (pinyin).

The two sets share no template and no content word, so that a system cannot recognise a language by its words.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np


class Talk(NamedTuple):
    """Templates and their fillers: N for nouns, V for verbs, A for adjectives."""

    templates: tuple[str, ...]
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    adjectives: tuple[str, ...]


def _talk(templates: str, nouns: str, verbs: str, adjectives: str) -> Talk:
    return Talk(
        *(tuple(re.split(r"\s*,\s*", text.strip())) for text in (templates, nouns, verbs, adjectives))
    )


TALK = {
    ("development", "English"): _talk(
        """look at the A N, can you see the N, where is the N going, the A N wants to V, what is this, yes it is a N,
        do you like the N, let us V together, oh no the N is A, and then they V with the N, how many N are there,
        this one is A, come and V, I think the N can V, shall we turn the page, I don't know, say bye bye to the N""",
        """dog, boat, tree, apple, house, rabbit, car, button, flower, monkey, kitchen, window, pencil, garden, lion,
        bucket, shoe, mountain, banana, tiger, spoon, yellow bird, little brother""",
        "swim, jump, eat, run away, sing, climb, sleep, hide, dance, laugh, draw, fly",
        "big, red, happy, tired, funny, round, old, hungry, soft, wet, slow",
    ),
    ("evaluation", "English"): _talk(
        """meet a A N, who is holding the N, my N was so A, maybe he will V, now find another N, is that a N or not,
        she does not V any more, tell me about your N, wow such A N, after that we V near the N, because it was A,
        why did the N V, okay again please, it seems A to me, give him the N, it has got a N on top""",
        """cat, train, river, orange, castle, frog, bicycle, ribbon, leaf, elephant, bathroom, door, crayon, farm,
        sheep, basket, jacket, island, cherry, zebra, fork, purple hat, grandmother""",
        "walk, throw, drink, return, whistle, fall down, wake up, cook, push, cry, write, float",
        "small, blue, angry, ready, silly, flat, young, thirsty, hard, dirty, quick",
    ),
    ("development", "Mandarin"): _talk(
        """ni3 kan4 zhe4 ge5 A de5 N, N zai4 na3 li3, zhe4 shi4 shen2 me5, wo3 men5 yi4 qi3 V ba5, N xiang3 yao4 V,
        ni3 xi3 huan5 N ma5, dui4 le5 shi4 N, zhe4 ge5 N hen3 A, you3 ji3 zhi1 N, kuai4 dian3 lai2 V,
        wo3 bu4 zhi1 dao4, ta1 men5 dou1 zai4 V, N hui4 bu5 hui4 V, fan1 dao4 xia4 yi2 ye4, gen1 N shuo1 zai4 jian4""",
        """gou3, chuan2, niao3, ping2 guo3, fang2 zi5, tu4 zi5, qi4 che1, niu3 kou4, hua1 duo3, hou2 zi5, chu2 fang2,
        chuang1 hu5, qian1 bi3, hua1 yuan2, shi1 zi5, shui3 tong3, xie2 zi5, shan1, xiang1 jiao1, lao3 hu3, tang1 chi2,
        di4 di5""",
        """you2 yong3, tiao4, chi1 dong1 xi5, pao3 bu4, chang4 ge1, pa2 shang4 qu5, shui4 jiao4, cang2 qi3 lai5,
        tiao4 wu3, hua4 hua4, fei1""",
        "da4, hong2 se4, gao1 xing4, lei4, you3 qu4, yuan2, lao3, e4, ruan3, shi1, man4",
    ),
    ("evaluation", "Mandarin"): _talk(
        """na4 bian1 you3 yi4 zhi1 A N, shei2 na2 zhe5 N ne5, wo3 jia1 ye3 you3 N, ta1 jiu4 yao4 V le5,
        zai4 zhao3 yi2 ge5 N, na4 bu2 shi4 N, bie2 zai4 V le5 hao3 bu4 hao3, gei3 ma1 ma5 jiang3 jiang5 N, zhen1 A ya5,
        ran2 hou4 qu4 N pang2 bian1 V, yin1 wei4 tai4 A le5, N wei4 shen2 me5 V ne5, hao3 a5 chong2 xin1 yi2 ci4,
        ba3 N gei3 ta1, shang4 mian4 de5 N mei2 you3 V""",
        """xiao3 mao1, huo3 che1, he2, cheng2 zi5, cheng2 bao3, qing1 wa1, zi4 xing2 che1, si1 dai4, shu4 ye4, lu4,
        yu4 shi4, men2, la4 bi3, nong2 chang3, mian2 yang2, lan2 zi5, wai4 tao4, xiao3 dao3, ying1 tao2, ban1 ma3,
        cha1 zi5, nai3 nai5""",
        """zou3 lu4, reng1 qiu2, he1 shui3, hui2 jia1, chui1 kou3 shao4, die2 dao3, qi3 chuang2, zuo4 fan4, tui1 kai1,
        ku1, xie3 zi4""",
        "xiao3, lan2 se4, sheng1 qi4, zhun3 bei4 hao3, sha3, bian3, nian2 qing1, ke3, ying4, zang1, kuai4",
    ),
}
"""`(set, language) -> talk`."""

OTHER = {
    "development": ("ms", "adik nampak tak burung itu sedang makan di atas pokok"),
    "evaluation": ("id", "nenek sudah pergi ke pasar beli ikan besar tadi pagi"),
}
"""`set -> (voice, text)` in a third language."""

SYLLABLES_A_SECOND = {"English": 5.2, "Mandarin": 4.2}
"""At espeak's 175 words a minute, with a margin: speech that is too long can be cut."""


def say(rng: np.random.Generator, set: str, language: str, seconds: float) -> str:
    """Return words of a set's talk that take about so many seconds."""
    talk = TALK[set, language]
    places = {"N": talk.nouns, "V": talk.verbs, "A": talk.adjectives}
    wanted = max(1.0, seconds * SYLLABLES_A_SECOND[language])
    words: list[str] = []
    while sum(map(syllables, words)) < wanted:
        for word in choose(rng, talk.templates).split():
            words += choose(rng, places[word]).split() if word in places else [word]
    while len(words) > 1 and sum(map(syllables, words[:-1])) >= wanted:
        words.pop()
    return " ".join(words)


def syllables(word: str) -> int:
    """Return the number of syllables: one in pinyin, groups of vowels in English."""
    return 1 if word[-1].isdigit() else max(1, len(re.findall("[aeiouy]+", word.removesuffix("e"))))


def choose(rng: np.random.Generator, values: tuple[str, ...]) -> str:
    return values[int(rng.random() * len(values))]
