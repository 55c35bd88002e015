"""Rules of text normalisation: what each does, and that a changed rule changes the text for the signature."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from spokeneval.formats.normalisation import read_rules


@pytest.mark.parametrize(
    ("rules", "text", "words"),
    [
        ([], "  Ein  Wort, 2 Wörter\t", "Ein Wort, 2 Wörter"),
        (["nfkc"], "ﬁne e\u0301tude ２", "fine étude 2"),
        (["casefold"], "Straße HAT", "strasse hat"),
        ([{"drop_marked": ["<…>", "[…]", "((…))"]}], "a <noise> b[laughs]c ((may be)) <open", "a b c <open"),
        (["split_hyphens"], "well-known yes—no", "well known yes no"),
        (["join_apostrophes"], "don't it’s 'quoted'", "dont its 'quoted'"),
        (["drop_punctuation"], "Well, 'I' don’t! (50 %) rock'n'roll $5 ...", "Well I don't 50 rock'n'roll 5"),
        (["split_hyphens", "drop_punctuation"], 'a well-known - "thing"', "a well known thing"),
        (
            [{"spelling": [["colour", "color"], ["gonna", "going to"]]}],
            "gonna colour it",
            "going to color it",
        ),
        (["casefold", {"spelling": [["Colour", "COLOR"]]}], "COLOUR", "color"),
        (["casefold", {"drop": ["Uh", "um"]}], "UH no um", "no"),
        (["casefold", {"drop_marked": ["<…>"]}, "drop_punctuation"], "<X> a. \n <b> c", "a c"),
        (["drop_punctuation"], "हिन्दी। نعم؟ 好。", "हिन्दी نعم 好"),
        (["casefold", {"replace": [["ɡ", "g"], ["t͡ʃ", "tS"], ["tʃ", "ts"]]}], "t͡ʃɪɡ tʃ", "tsɪg ts"),
        ([{"replace": [["per cent", "%"], ["a", ""], ["", "x"]]}], "a 5 per cent bar", "5 % br"),
        ([{"replace": [["\u0303", ""], ["õ", "on"], ["a", "b"]]}], "bõ ã ậ ɛ\u0303 ñ é o", "bon b ậ ɛ n é o"),
        ([{"replace": [["a", "e"], ["か", "x"]]}], "ã a が か", "ã e が x"),
        ([{"replace": [["~", "\u0303"]]}], "a~", "ã"),
        ("whisper_basic", "Don’t — [x] Grüße!", "don t grüße"),
        (["whisper_english", {"drop": ["Colour"]}], "the colour (red) is twenty", "the is 20"),
        (["chime8", "drop_punctuation"], "twenty-one $5", "twenty one five dollars"),
    ],
)
def test_what_a_rule_does(rules: list[Any], text: str, words: str) -> None:
    assert read_rules(rules).words([text]) == [words.split()]


def test_texts_do_not_run_into_each_other() -> None:
    rules = read_rules(["nfkc", "casefold", {"drop_marked": ["<…>"]}, "drop_punctuation", {"drop": ["a"]}])
    assert rules.words(["a <b", "", "c> A", "d\ne"]) == [["b"], [], ["c"], ["d", "e"]]
    assert rules.words([]) == []


def test_one_changed_rule_changes_the_text_for_the_signature() -> None:
    lists = [
        [],
        ["nfkc"],
        ["casefold"],
        ["nfkc", "casefold"],
        [{"drop": ["uh"]}],
        [{"drop": ["uh", "um"]}],
        [{"drop_marked": ["<…>"]}],
        [{"spelling": [["a", "b"]]}],
        [{"spelling": [["a", "c"]]}],
        [{"spelling": [["b", "a"]]}],
    ]
    for one, other in itertools.combinations(lists, 2):
        assert read_rules(one).text != read_rules(other).text


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["lowercase"], "no rule 'lowercase'; there are whisper_english, whisper_basic"),
        (["whisper_english", "chime8"], "rules chime8 and whisper_english; expected one of them"),
        (["casefold", "chime8"], "rule 'chime8' after 'casefold'; expected the order chime8, casefold"),
        ([{"replace": [["a", "b"], ["a", "c"]]}], "'a' has 2 rows; expected one"),
        (["nfkc", "nfkc"], "rule 'nfkc' twice"),
        (
            ["drop_punctuation", "split_hyphens"],
            "rule 'split_hyphens' after 'drop_punctuation'; expected the order",
        ),
        ([{"nfkc": ["a"]}], "rule 'nfkc' takes no value"),
        (["drop"], "rule 'drop': None; expected a list of words"),
        ([{"drop": "uh"}], "expected a list of words"),
        ([{"drop": [""]}], "'drop': ''; expected a word"),
        ([{"drop_marked": ["<>"]}], "expected signs around …"),
        ([{"spelling": [["a"]]}], "expected a word and its replacement"),
        ([{"spelling": [["a b", "c"]]}], "expected one word in the first column"),
        ([{"spelling": [["a", "b"], ["a", "c"]]}], "'a' has 2 rows; expected one"),
        ([7], "rule 7; expected a name"),
    ],
)
def test_a_wrong_list_of_rules_is_refused(rules: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rules(rules)
