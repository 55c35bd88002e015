"""Tests of the page of two submissions side by side."""

import base64
import hashlib
import json
import random
import re
from html import unescape

import pytest

from spokeneval.difference import difference_of
from spokeneval.kinds.declared import declared_task
from spokeneval.report import side_by_side
from spokeneval.result import score_both
from spokeneval.scoring.library import STRICT
from tests.samples.programs import write_files

REFERENCE = {
    "u1": "bom dia senhora",
    "u2": "até logo",
    "u3": "não quero café",
    "u4": "muito obrigado",
    "u5": "não",
}
FIRST = {**REFERENCE, "u1": "bom tia senhor", "u3": "não quero", "u5": "nem"}
SECOND = {
    **REFERENCE,
    "u2": "até logo logo logo",
    "u3": "nem quero café",
    "u4": "muito obrigada",
    "u5": "nem",
}


def two(declared, *sides):
    task = declared_task("own", declared)
    return difference_of(("a", "b"), score_both(task, sides, {}, STRICT))


def page_of(*sides, **declared):
    return two({"kind": "transcripts", **declared}, *sides).report()


def items_of(page):
    """Return the id, the kind of change and the markup of the answers of each item, in order."""
    found = re.findall(r'<li class="(\w+)"><p><strong>(.*?)</strong>.*?</p>(.*?)</li>\n', page, re.DOTALL)
    return [(item, kind, answers) for kind, item, answers in found]


def gains_of(page):
    return [unescape(each) for each in re.findall(r"<li(?: data-rows=[^>]*)?>([^<]*)</li>", page)]


def test_items_are_in_the_order_of_their_gain_with_marks_beside_colours():
    page = page_of(REFERENCE, FIRST, SECOND)
    # u1: 1/3 to 3/3; u2: 2/2, and two insertions in two words leave 0; u4: 2/2 to 1/2; u3: 2/3 both; u5: 0 both.
    assert [each[:2] for each in items_of(page)] == [
        ("u1", "up"),
        ("u2", "down"),
        ("u4", "down"),
        ("u5", "same"),
        ("u3", "same"),
    ]
    answers = {item: markup for item, _, markup in items_of(page)}
    assert answers["u1"] == (
        '<p class="w">bom <b><i>dia</i><u>S tia</u><i>=</i></b> <b><i>senhora</i><u>S senhor</u><i>=</i></b></p>'
    )
    inserted = "<b><i>–</i><i>=</i><ins>I logo</ins></b>"
    assert answers["u2"].count(inserted) == 2
    assert "<b><i>não</i><i>=</i><u>S nem</u></b> quero <b><i>café</i><s>D</s><i>=</i></b>" in answers["u3"]
    assert answers["u5"] == '<p class="w both"><b><i>não</i><u>S nem</u></b></p>'
    for words in (
        "▲ better: 33 % → 100 % right",
        "▼ worse: 100 % → 0 % right",
        "= unchanged: 0 % → 0 % right",
    ):
        assert words in page
    assert "+9.09" in page  # WER: 4 and 5 errors in 11 words


def test_the_cheapest_gains_are_those_of_a_count_by_hand():
    # The errors of the second: não → nem twice, logo inserted twice, obrigado → obrigada once; in all 5.
    assert gains_of(page_of(REFERENCE, FIRST, SECOND)) == [
        "logo is inserted: 2 of 5 errors (40.0 %)",
        "não is recognised as nem: 2 of 5 errors (40.0 %)",
        "obrigado is recognised as obrigada: 1 of 5 errors (20.0 %)",
    ]
    assert 'data-rows="1"' in page_of(REFERENCE, FIRST, SECOND)  # u2, the second item of the page
    assert gains_of(page_of(REFERENCE, SECOND, REFERENCE)) == []
    said = {
        item: {"transcript": words, "speaker": speaker}
        for (item, words), speaker in zip(REFERENCE.items(), "xyxzz", strict=True)
    }
    # Speaker y has 2 errors in 2 words, the others 3 in 9: at their rate, 2 - 2 * 3 / 9 fewer.
    heard = {**SECOND, "u2": "ate loco"}
    assert gains_of(page_of(said, FIRST, heard))[:2] == [
        "não is recognised as nem: 2 of 5 errors (40.0 %)",
        "Speaker y has the error rate of the others: 1.3 of 5 errors (26.7 %)",
    ]


CLASSES = {
    "kind": "decisions",
    "classes": ["certo", "errado"],
    "positive": "errado",
}
LANGUAGES = {"kind": "identification", "classes": ["pt", "gl"]}


def test_classes_that_are_taken_for_others_are_gains():
    labels = dict(zip("abcdef", ["certo", "certo", "certo", "errado", "errado", "errado"], strict=True))
    first = {**labels, "a": "errado"}
    second = {**labels, "b": "errado", "c": "errado", "d": "certo"}
    page = two(CLASSES, labels, first, second).report()
    assert gains_of(page) == [
        "certo is taken for errado: 2 of 3 errors (66.7 %)",
        "errado is taken for certo: 1 of 3 errors (33.3 %)",
    ]
    assert "<p>True class: certo; Answered: A errado → B certo</p>" in page
    scores = {item: (0.0, 1.0 if item == "c" else -1.0) for item in "abc"}
    right = {
        item: (0.0, 1.0 if label == "gl" else -1.0)
        for item, label in zip("abc", ["pt", "gl", "pt"], strict=True)
    }
    page = two(LANGUAGES, {"a": "pt", "b": "gl", "c": "pt"}, right, scores).report()
    assert gains_of(page) == [
        "gl is taken for pt: 1 of 2 errors (50.0 %)",
        "pt is taken for gl: 1 of 2 errors (50.0 %)",
    ]


TURNS = "recording,start,end,label\nr1,0,4,Ana\nr1,4,9,Rui\nr2,0,3,Ana\n"


def turns(*rows):
    return "".join(
        f"SPEAKER {file} 1 {start} {length} <NA> <NA> {who} <NA> <NA>\n" for file, start, length, who in rows
    )


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (
            {"classes": ["Ana", "Rui"]},
            [
                "Ana is taken for Rui: 3000 of 6000 ms (50.0 %)",
                "Rui is missed: 2000 of 6000 ms (33.3 %)",
                "Ana is a false alarm: 1000 of 6000 ms (16.7 %)",
            ],
        ),
        (
            {"mapping": "optimal"},  # the single voice of r2 counts as Ana
            ["Miss, all of it: 2000 of 3000 ms (66.7 %)", "False alarm, all of it: 1000 of 3000 ms (33.3 %)"],
        ),
    ],
)
def test_the_time_of_each_label_is_a_gain(tmp_path, declared, expected):
    # Ana talks on for 1 s beside Rui, whose last 2 s are missed; in r2, Ana is called Rui.
    right = turns(("r1", 0, 4, "Ana"), ("r1", 4, 5, "Rui"), ("r2", 0, 3, "Ana"))
    wrong = turns(("r1", 0, 5, "Ana"), ("r1", 4, 3, "Rui"), ("r2", 0, 3, "Rui"))
    write_files(tmp_path, {"turns.csv": TURNS, "a/turns.rttm": right, "b/turns.rttm": wrong})
    sides = (tmp_path / each for each in ("turns.csv", "a/turns.rttm", "b/turns.rttm"))
    page = two({"kind": "turns", **declared}, *sides).report()
    assert gains_of(page) == expected
    assert "Miss: A 0.0 s → B 2.0 s; False alarm: A 0.0 s → B 1.0 s; Confusion: 0.0 s" in page


HOSTILE = ["<img/src=x>", "</script><script>alert(1)</script>", "\"'><b>", "\u202eabc", "a\x1b[31m", "&lt;"]


def test_hostile_ids_and_words_are_text_and_no_other_script_can_run():
    ids = [f"id {word}" if word.isprintable() else str(row) for row, word in enumerate(HOSTILE)]
    reference = {item: f"{word} não" for item, word in zip(ids, HOSTILE, strict=True)}
    first = {item: f"{word[::-1]} não" for item, word in zip(reference, HOSTILE, strict=True)}
    second = {item: f"{words} {HOSTILE[0]}" for item, words in reference.items()}
    page = page_of(reference, first, second)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script == "\n" + side_by_side.SCRIPT
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    assert policy in page
    assert not re.search(r"fetch|XMLHttpRequest|import|WebSocket|location|innerHTML|outerHTML|eval", script)
    shown = page.replace(script, "")
    assert not re.search(r"<img|\bsrc=x>|alert\(1\)</script>|https?:|url\(", shown.replace("&lt;img", ""))
    assert not {"\u202e", "\x1b"} & {*page}
    assert {*re.findall(r"<(\w+)", "".join(answers for *_, answers in items_of(page)))} == {
        "p",
        "b",
        "i",
        "u",
        "ins",
    }


def spoken(random, words, wrong):
    """Return words of which a share is changed, left out, or followed by another."""
    changed = []
    for word in words:
        chance = random.random() / wrong
        changed += [word] if chance > 1 else ["é"] if chance < 0.5 else [word, "é"] if chance < 0.7 else []
    return " ".join(changed)


@pytest.mark.thorough
def test_the_page_of_1000_utterances_is_below_300_kb():
    draw = random.Random(7)
    said = [
        [draw.choice(["não", "queria", "comboio", "amanhã", "cedo", "porque"]) for _ in range(10)]
        for _ in range(1000)
    ]
    reference = {f"utt{row:04}": " ".join(words) for row, words in enumerate(said)}
    heard = [
        {item: spoken(draw, words, wrong) for item, words in zip(reference, said, strict=True)}
        for wrong in (0.1, 0.08)
    ]
    page = page_of(reference, *heard)
    right = sum(reference[item] == one[item] == other[item] for one, other in [heard] for item in reference)
    assert f"Not listed: {right} items right in A and in B.</p>" in page
    assert (len(items_of(page)), len(page.encode()) < 300_000) == (1000 - right, True)
    long = page_of(*({item: f"{words} " * 8 for item, words in each.items()} for each in (reference, *heard)))
    assert len(long.encode()) < 300_000


MEETING = [
    {"session": "s1", "speaker": "Ana", "start": 0, "end": 2, "text": "bom dia"},
    {"session": "s1", "speaker": "Rui", "start": 2, "end": 4, "text": "até logo"},
]


def test_the_speakers_of_meetings_are_aligned_beside_both_submissions(tmp_path):
    def meeting(words, *speakers):
        rows = [
            {
                **row,
                "words": text,
                "speaker": who,
                "session_id": "s1",
                "start_time": row["start"],
                "end_time": row["end"],
            }
            for row, text, who in zip(MEETING, words, speakers, strict=True)
        ]
        keys = ("session_id", "speaker", "start_time", "end_time", "words")
        return json.dumps([{key: str(row[key]) for key in keys} for row in rows])

    files = {
        "ref.json": meeting(["bom dia", "até logo"], "Ana", "Rui"),
        "a/meetings.json": meeting(["bom tia", "até logo"], "v1", "v2"),
        "b/meetings.json": meeting(["bom dia", "até logo já"], "v3", "v4"),
    }
    write_files(tmp_path, files)
    page = two({"kind": "meetings"}, *(tmp_path / name for name in files)).report()
    ((_, kind, answers),) = items_of(page)
    assert (kind, "<p>Ana → v1, v3</p>" in answers, "<p>Rui → v2, v4</p>" in answers) == ("same", True, True)
    assert "bom <b><i>dia</i><u>S tia</u><i>=</i></b>" in answers
    assert "até logo <b><i>–</i><i>=</i><ins>I já</ins></b>" in answers
    assert gains_of(page) == ["já is inserted: 1 of 1 errors (100.0 %)"]
