"""Transcripts in words and characters, declared by parameters, from files to scores."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.task import Task
from tests.samples import kinds

make = partial(kinds.make, "transcripts")


def scores(task: Task, *texts: str) -> dict[str, float]:
    found = kinds.scores_of(task, *({"transcripts.csv": text.encode()} for text in texts))
    return {key: round(value, 4) for key, value in found.items()}


def test_words_with_several_references() -> None:
    """u1: "the cat" has 1 error in 2 words, "a cat sat" 1 in 3, which counts. u2: 1 of 1. u3: no words, 1 insertion."""
    reference = "id,transcript\nu1,the cat\nu2,yes\nu1,a cat sat\nu3,\n"
    found = scores(make(), reference, "id,transcript\nu3,uh\nu1,a cat sad\nu2,no\n")
    # Errors: 1 + 1 + 1 in 3 + 1 words. Characters: "sat"/"sad" 1 of 9, "yes"/"no" 3 of 3, "uh" 2.
    assert found == {
        "wer": 75.0,
        "substitutions": 50.0,
        "deletions": 0.0,
        "insertions": 25.0,
        "wrong": 100.0,
        "mean_wer": round(100 * (1 / 3 + 1 + 1) / 3, 4),
        "cer": 50.0,
    }


def test_rules_hold_for_both_sides() -> None:
    task = make(normalise=["casefold", "drop_punctuation", {"drop": ["uh"]}])
    reference = 'id,transcript\nu1,"Well, I see!"\n'
    assert scores(task, reference, "id,transcript\nu1,uh well i see\n")["wer"] == 0


def test_characters_without_white_space() -> None:
    found = scores(make(units="characters"), "id,transcript\nu1,今天 天气\n", "id,transcript\nu1,今 天天汽\n")
    assert (found["cer"], found["substitutions"], next(iter(found))) == (25.0, 25.0, "cer")


def test_a_clipped_mean() -> None:
    reference, submission = "id,transcript\nu1,a\nu2,b\n", "id,transcript\nu1,x y z\nu2,b\n"
    assert scores(make(), reference, submission)["mean_wer"] == 150
    assert scores(make(clip=1), reference, submission)["mean_wer"] == 50


TABLE = [
    ["phone", "voice", "nasal", "long"],
    ["p", "-", "-", "0"],
    ["b", "+", "-", "0"],
    ["m", "+", "+", "-"],
]


def csv_of(transcripts: list[list[str]]) -> str:
    return "id,transcript\n" + "".join(f"u{n},{' '.join(row)}\n" for n, row in enumerate(transcripts))


def test_errors_limited_to_the_length_of_each_item() -> None:
    """SAPC2's rule: 6 errors in a word count as one; the other 7 words are right."""
    reference, heard = (
        "id,transcript\nu1,a b c d e f g\nu2,h\n",
        "id,transcript\nu1,a b c d e f g\nu2,i j k l m n\n",
    )
    assert scores(make(), reference, heard)["wer"] == 75
    pooled = scores(make(clip="pooled"), reference, heard)
    assert (pooled["wer"], pooled["substitutions"], pooled["insertions"]) == (12.5, 12.5, 0)
    assert pooled["mean_wer"] == 50
    assert pooled["cer"] == round(100 / 14, 4)  # h is 1 of 1 + 13 characters


def test_limited_errors_of_an_empty_reference_and_of_characters() -> None:
    """SAPC2's rule, by hand. u1 has no words, so that its 2 added words count: 2 of 3. u2 has 1 error in 3 words of its
    first reference, and 10 in 14 characters; of its second, 2 in 3 words, and 2 in 5 characters."""
    heard = "id,transcript\nu1,x y\nu2,x b c\n"
    found = scores(make(clip="pooled"), "id,transcript\nu1,\nu2,x b c\n", heard)
    assert (found["wer"], found["cer"]) == (round(100 * 2 / 3, 4), round(100 * 3 / 5, 4))
    reference = "id,transcript\nu2,aaaaaaaaaa b c\nu2,y b d\n"
    found = scores(make(clip="pooled"), reference, "id,transcript\nu2,x b c\n")
    assert (found["wer"], found["cer"]) == (round(100 / 3, 4), 40)
    assert scores(make(), reference, "id,transcript\nu2,x b c\n")["cer"] == round(1000 / 14, 4)


def test_the_reference_with_the_fewest_errors() -> None:
    reference, heard = "id,transcript\nu1,a b c\nu1,a b x y z v w\n", "id,transcript\nu1,a b x y\n"
    # 2 errors in 3 words, 3 in 7.
    for best, expected in (("lowest_rate", 3 / 7), ("fewest_errors", 2 / 3)):
        assert scores(make(best=best), reference, heard)["wer"] == round(100 * expected, 4)


def test_a_word_for_what_could_not_be_understood() -> None:
    """By hand, as SAPC2's rule: unk paired with cat is right, deleted and inserted ones are left out."""
    reference = "id,transcript\nu1,the UNK sat unk\nu2,yes it is\nu2,no\n"
    heard = "id,transcript\nu1,the cat sad\nu2,yes it unk is\n"
    found = scores(make(unk="Unk", normalise=["casefold"]), reference, heard)
    assert (found["wer"], found["deletions"]) == (round(100 / 6, 4), 0)
    assert found["cer"] == round(100 / 20, 4)  # sat/sad, of "the cat sat" and "yes it is"


def test_compounds_are_no_errors_after_normalisation() -> None:
    """By hand. u1: no error, of the second reference; u2: "van" is missing: 1 error in 3 + 4 words. With
    six words more u2 has a substitution and five insertions, limited to four errors in all."""
    reference = "id,transcript\nu1,no more\nu1,the Ice-Cream\nu2,a white paper van\n"
    heard = "id,transcript\nu1,the icecream\nu2,a whitepaper\n"
    rules = ["casefold", "split_hyphens"]
    found = scores(make(compounds="merged", normalise=rules), reference, heard)
    assert (found["wer"], found["deletions"], found["wrong"]) == (round(100 / 7, 4), round(100 / 7, 4), 50)
    plain = scores(make(normalise=rules), reference, heard)
    assert plain["wer"] > found["wer"]
    assert plain["cer"] == found["cer"] == round(100 * 6 / 30, 4)  # two spaces, and " van"
    pooled = make(compounds="merged", normalise=rules, clip="pooled")
    assert scores(pooled, reference, f"{heard.strip()} b c d e f g\n")["wer"] == round(400 / 7, 4)


OTHERS = {
    "text": "u1 hello you\nu2\n",
    "transcripts.trn": "hello you (u1)\n(u2)\n",
    "transcripts.jsonl": '{"id": "u1", "pred_text": "hello you", "text": "hi"}\n{"id": "u2", "text": ""}\n',
    "manifest.json": '{"audio_filepath": "a/u1.wav", "text": "hello you"}\n{"audio_filepath": "u2.wav", "text": ""}\n',
}


@pytest.mark.parametrize("file", OTHERS)
def test_other_formats_are_read_on_both_sides(file: str) -> None:
    task, reference = make(), {"transcripts.csv": b"id,transcript\nu1,hello you\nu2,x\n"}
    found = kinds.scores_of(task, reference, {file: OTHERS[file].encode()})
    assert round(found["wer"], 4) == round(100 / 3, 4)
    swapped = kinds.scores_of(task, {file: OTHERS[file].encode()}, reference)
    assert swapped["insertions"] == (200 if file == "transcripts.jsonl" else 50)
    assert task.format.rows({file: OTHERS[file].encode()}) == {file: {1: "u1", 2: "u2"}}


def test_a_file_of_another_name_is_refused_with_the_name_for_its_format() -> None:
    task, reference = make(), {"transcripts.csv": b"id,transcript\nu1,hello\n"}
    with pytest.raises(SubmissionError, match=r"(?s)transcripts.trn.*hyp.trn.*transcripts.trn expected"):
        kinds.scores_of(task, reference, {"hyp.trn": b"hello (u1)\n"})


def test_segments_of_stm_and_words_of_ctm() -> None:
    stm = {"transcripts.stm": b"r 1 s 0 1.5 hello\nr 1 t 2 3 you\n"}
    same = kinds.scores_of(make(), stm, {"text": b"r_1_0_1500 hello\nr_1_2000_3000 yo\n"})
    assert same["wer"] == 50
    ctm = {"transcripts.ctm": b"r 1 2 1 you\nr 1 0 1 hello\n"}
    assert kinds.scores_of(make(), {"text": b"r hello you\n"}, ctm)["wer"] == 0


def cheapest(said: tuple[str, ...], heard: tuple[str, ...], cost: Callable[[str, str], float]) -> float:
    """The cost of the cheapest alignment by trying all; a phone against "" is added or missing."""
    if not said or not heard:
        return sum(cost(phone, "") for phone in said + heard)
    return min(
        cheapest(said[1:], heard[1:], cost) + cost(said[0], heard[0]),
        cheapest(said[1:], heard, cost) + cost(said[0], ""),
        cheapest(said, heard[1:], cost) + cost(heard[0], ""),
    )


def test_features_with_several_references_equal_all_alignments() -> None:
    """The reference with the lowest cost per phone counts; of equal ones the longest, of these the first."""
    value = {"+": 1.0, "-": -1.0, "0": 0.0}
    rows = {name: [value[sign] for sign in signs] for name, *signs in TABLE[1:]}

    def feature_cost(one: str, other: str) -> float:
        if not other:
            return sum(1 if number else 0.5 for number in rows[one])
        return sum(abs(a - b) for a, b in zip(rows[one], rows[other], strict=True)) / 2

    rng = random.Random(5)
    task = make(units="phones", features=TABLE)
    reference, heard, cost, errors, total = "id,transcript\n", [], 0.0, 0.0, 0
    for n in range(60):
        said = [
            tuple(rng.choices("pbm", k=rng.randrange(0 if n % 9 == 0 else 1, 5))) for _ in range(n % 3 + 1)
        ]
        answer = tuple(rng.choices("pbm", k=rng.randrange(5)))
        costs = [cheapest(row, answer, feature_cost) for row in said]
        rates = [c and (c / len(row) if row else math.inf) for c, row in zip(costs, said, strict=True)]
        best = min(range(len(said)), key=lambda place: (rates[place], -len(said[place]), place))
        reference += "".join(f"u{n},{' '.join(row)}\n" for row in said)
        heard.append(list(answer))
        cost += costs[best]
        errors += cheapest(said[best], answer, lambda one, other: float(one != other))
        total += len(said[best])
    found = scores(task, reference, csv_of(heard))
    assert (found["fer"], found["per"]) == (
        round(100 * cost / (3 * total), 4),
        round(100 * errors / total, 4),
    )


MANDARIN = ["zh", "z", "sh", "ong1", "ong4", "an1", "ang1", "i4"]


def alignment(said: list[str], heard: list[str]) -> list[tuple[str, str]]:
    """The pairs of the alignment with the fewest errors, then most substitutions, then pairs, deletions late."""
    if not said or not heard:
        return [(phone, "") for phone in said] + [("", phone) for phone in heard]
    best: dict[tuple[int, int], tuple[tuple[int, int], list[tuple[str, str]]]] = {(0, 0): ((0, 0), [])}
    for i in range(len(said) + 1):
        for j in range(len(heard) + 1):
            steps = [
                (i - 1, j - 1, (said[i - 1 : i] or [""])[0], (heard[j - 1 : j] or [""])[0]),
                (i - 1, j, (said[i - 1 : i] or [""])[0], ""),
                (i, j - 1, "", (heard[j - 1 : j] or [""])[0]),
            ]
            for x, y, a, b in steps:
                if (x, y) in best and (i, j) != (x, y):
                    (errors, indels), path = best[x, y]
                    cost = errors + (a != b), indels + (not a or not b)
                    if (i, j) not in best or cost < best[i, j][0]:
                        best[i, j] = cost, [*path, (a, b)]
    return best[len(said), len(heard)][1]


def spoken_places(canonical: list[str], spoken: list[str]) -> list[tuple[str, ...]]:
    """What was spoken before, at, between and after the canonical phones."""
    places: list[tuple[str, ...]] = [()]
    for phone, other in alignment(canonical, spoken):
        if phone:
            places += [(other,) if other else (), ()]
        else:
            places[-1] += (other,)
    return places


def test_mispronunciations_equal_a_count_place_by_place() -> None:
    """As Qian, Meng and Soong (2010) and Leung, Liu and Meng (2019) define the rates; insertions are places, too."""
    rng = random.Random(7)

    def changed(phones: list[str], times: int) -> list[str]:
        phones = list(phones)
        for _ in range(times):
            place = rng.randrange(len(phones) + 1)
            phones[place : place + rng.randrange(2)] = rng.choices(MANDARIN, k=rng.randrange(3))
        return phones

    canonical = [rng.choices(MANDARIN, k=rng.randrange(1, 12)) for _ in range(150)]
    said = [changed(row, rng.randrange(4)) for row in canonical]
    heard = [changed(row, rng.randrange(3)) for row in said]
    ta = fr = fa = cd = de = 0
    for row, annotated, recognised in zip(canonical, said, heard, strict=True):
        right = [part for phone in row for part in ((), (phone,))] + [()]
        spoken, found = spoken_places(row, annotated), spoken_places(row, recognised)
        for a, b, c in zip(right, spoken, found, strict=True):
            ta += a == b == c != ()
            fr += a == b != c
            fa += a == c != b
            cd += a != b == c
            de += a != b != c != a
    rows = ["id,transcript,canonical"]
    rows += [
        f"u{n},{' '.join(b)},{' '.join(a)}" for n, (a, b) in enumerate(zip(canonical, said, strict=True))
    ]
    task = make(units="phones", phones=MANDARIN, canonical="canonical")
    found = scores(task, "\n".join(rows), csv_of(heard))
    precision, recall = (cd + de) / (cd + de + fr), (cd + de) / (cd + de + fa)
    expected = {
        "f1": 2 * precision * recall / (precision + recall),
        "precision": precision,
        "recall": recall,
        "false_acceptance": fa / (fa + cd + de),
        "false_rejection": fr / (ta + fr),
        "diagnostic_error": de / (cd + de),
    }
    assert dict(list(found.items())[:6]) == {key: round(100 * value, 4) for key, value in expected.items()}
    without = [f"u{n},{' '.join(row)}" for n, row in enumerate(said)]
    plain = scores(
        make(units="phones", phones=MANDARIN), "\n".join(["id,transcript", *without]), csv_of(heard)
    )
    assert plain == dict(list(found.items())[6:])


def test_pronunciations_that_cannot_be_used_are_refused_and_others_are_public() -> None:
    task = make(units="phones", phones=MANDARIN, canonical="soll")
    for rows, message in (
        ("a,zh an1,zh an1\n", "no phone of transcript differs"),
        ("a,z,zh\n", "every phone of transcript differs"),
        (
            "a,z,zh\nb,z,\nc,z,<sil>\n",
            "line 3    id b: the soll has no phones\n  line 4    id c: the soll has no phones",
        ),
        ("a,z,zh\na,z,z\n", "another soll than on line 2"),
        ("a,z,Zh\n", "'Zh' is not one of the 8 phones"),
    ):
        with pytest.raises(ReferenceFileError) as refusal:
            task.format.read_reference({"transcripts.csv": f"id,transcript,soll\n{rows}".encode()})
        assert message in str(refusal.value)
    truth = task.format.read_reference({"transcripts.csv": b"id,transcript,soll\nb,z an1,zh an1\na,sh,sh\n"})
    assert task.format.public_files(truth, {}) == {"items.csv": b"id,soll\na,sh\nb,zh an1\n"}


def test_rules_fold_phones_and_an_inventory_may_be_a_part_of_the_table() -> None:
    fold = [{"spelling": [["B", "b"], ["bh", "b"]]}]
    task = make(units="phones", phones=["p", "b"], features=TABLE, normalise=fold)
    assert scores(task, "id,transcript\nu1,B p bh\n", "id,transcript\nu1,b p b\n")["fer"] == 0
    with pytest.raises(SubmissionError, match="'m' is not one of the 2 phones"):
        scores(task, "id,transcript\nu1,p\n", "id,transcript\nu1,m\n")


def test_units_and_item_list() -> None:
    task = make(item="utterance")
    truth = task.format.read_reference(
        {"transcripts.csv": b"id,transcript,speaker\nb,x,s1\na,y,s2\nb,z,s1\n"}
    )
    assert task.units(truth)[:2] == ("speaker", {"b": "s1", "a": "s2"})
    assert task.format.public_files(truth, {}) == {"items.csv": b"id\na\nb\n"}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("id,transcript\nu1,\nu2,\n", "0 words in 2 transcripts"),
        ("id,transcript,speaker\nu1,a,s1\nu1,b,s2\n", "another speaker than on line 2"),
        ("id,transcript\n,a\n", "the id is empty"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(reference: str, message: str) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        scores(make(), reference, "id,transcript\nu1,a\n")


def test_a_submission_has_each_item_once() -> None:
    with pytest.raises(SubmissionError, match="u1 already appears on line 2"):
        scores(make(), "id,transcript\nu1,a\n", "id,transcript\nu1,a\nu1,b\n")


@pytest.mark.parametrize("units", [{"units": "words"}, {"units": "phones", "phones": ["a"]}])
def test_the_limit_on_a_files_size_holds_after_normalisation(units: dict[str, Any]) -> None:
    """U+FDFA has a compatibility form of 18 characters: 60,000 in a file of 180 kB become more than 1 MB."""
    task = make(normalise=["nfkc"], **units)
    reference = b"id,transcript\nu1,a\nu2,a\n"
    items = task.format.read_reference({"transcripts.csv": reference}).items
    heard = "id,transcript\n" + "".join(f"u{n},{chr(0xFDFA) * 30_000}\n" for n in (1, 2))
    with pytest.raises(
        SubmissionError, match=f"transcript: {2 * 18 * 30_000 + 1} characters after normalisation"
    ):
        task.format.read_submission({"transcripts.csv": heard.encode()}, items)


TAGGED = ["zh", "en", "other"]


def errors_of_tags(said: list[str], heard: list[str], tags: list[str]) -> list[tuple[str, str]]:
    """Errors as (kind, tag), along an alignment that is found on its own, in a full table, from the end backwards."""
    m, n = len(said), len(heard)
    cost = [
        [(i + j, 0) for j in range(n + 1)] for i in range(m + 1)
    ]  # errors, then pairs as negative numbers
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            errors, pairs = cost[i - 1][j - 1]
            ways = [(errors + (said[i - 1] != heard[j - 1]), pairs - 1)]
            ways += [(errors + 1, pairs) for errors, pairs in (cost[i - 1][j], cost[i][j - 1])]
            cost[i][j] = min(ways)
    found, i, j = [], m, n
    while i or j:
        if (
            i
            and j
            and cost[i][j]
            == (
                cost[i - 1][j - 1][0] + (said[i - 1] != heard[j - 1]),
                cost[i - 1][j - 1][1] - 1,
            )
        ):
            i, j = i - 1, j - 1
            found += [("substitution", tags[i])] * (said[i] != heard[j])
        elif i and cost[i][j] == (cost[i - 1][j][0] + 1, cost[i - 1][j][1]):
            i -= 1
            found.append(("deletion", tags[i]))
        else:
            j -= 1
            found.append(("insertion", tags[max(i - 1, 0)]))
    return found


def changed(rng: random.Random, words: list[str], times: int) -> list[str]:
    """Words with some replaced, left out or added."""
    for _ in range(times):
        place = rng.randrange(len(words) + 1)
        words = [*words[:place], *rng.choices("一二三abc", k=rng.randrange(3)), *words[place + 1 :]]
    return words


def test_the_errors_of_each_tag_are_those_of_an_alignment_and_add_up_to_the_whole() -> None:
    rng = random.Random(5)
    said = [rng.choices("一二三abc", k=rng.randrange(1, 9)) for _ in range(300)]
    tags = [[rng.choice(TAGGED) if word == "a" else TAGGED[word > "c"] for word in row] for row in said]
    tags = [["en" if tag == "zh" else "zh" if tag == "en" else tag for tag in row] for row in tags]
    heard = [changed(rng, row, rng.randrange(4)) for row in said]
    rows = [
        f"u{n},{' '.join(row)},{' '.join(own)}" for n, (row, own) in enumerate(zip(said, tags, strict=True))
    ]
    task = make(tags=TAGGED)
    reference = {"transcripts.csv": "\n".join(["id,transcript,tags", *rows, ""]).encode()}
    answers = {"transcripts.csv": csv_of(heard).encode()}
    counts = task.count(*kinds.read(task, reference, answers))
    expected = [error for each in zip(said, heard, tags, strict=True) for error in errors_of_tags(*each)]
    for number, tag in enumerate(TAGGED):
        part = counts[f"tag_{number + 1}"]
        for kind in ("substitution", "deletion", "insertion"):
            assert getattr(part, f"{kind}s").sum() == expected.count((kind, tag)) > 0
        assert part.reference_length.sum() == sum(row.count(tag) for row in tags)
    for field in ("substitutions", "deletions", "insertions", "reference_length"):
        added = sum(getattr(counts[f"tag_{number}"], field) for number in (1, 2, 3))
        assert added.tolist() == getattr(counts["words"], field).tolist()


def test_tags_of_normalised_words_of_the_reference_that_counts() -> None:
    """By hand. In u1, "–" is no word and "isnt" two, so zh has 3 words and en 3; "uh" is added before the first word,
    which is en, and "hmm" after not; 半 is wrong. u2 is like its second reference, which has two words in en."""
    rules = ["drop_punctuation", {"spelling": [["isnt", "is not"]]}]
    rows = ('u1,"well, 我 – 半天 isnt 好",en zh zh zh en zh', "u2,不 是,zh zh", "u2,no way,en en", "u3,,")
    reference = "\n".join(["id,transcript,tags", *rows, ""])
    heard = "id,transcript\nu1,uh well 我 半 is not hmm 好\nu2,no way\nu3,oh\n"
    found = scores(make(tags=["zh", "en"], normalise=rules), reference, heard)
    assert (found["wer_1"], found["wer_2"]) == (
        round(100 / 3, 4),
        40.0,
    )  # 1 of 我 半天 好; uh, hmm of well is not no way
    assert found["wer"] == 50.0  # these 3, and "oh", of 8 words


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            "u1,wo yao go,zh zh",
            "tags: 2 tags for 3 words of transcript; expected one for each word before any rule",
        ),
        ("u1,wo yao go,zh zh eng", "tags: eng; did you mean en"),
        ("u1,wo yao go,zh zh fr", "tags: fr; expected one of zh, en"),
        (
            "u1,wo <laughs out> go,zh zh en en",
            "transcript: the rules of normalise join or change several words",
        ),
        (
            "u1,wo yao,zh zh",
            "0 en words in 1 transcript; expected at least one en word per thousand transcripts",
        ),
    ],
)
def test_tags_that_do_not_fit_the_words_are_refused(row: str, expected: str) -> None:
    task = make(tags=["zh", "en"], normalise=[{"drop_marked": ["<…>"]}])
    with pytest.raises(ReferenceFileError, match=expected):
        task.format.read_reference({"transcripts.csv": f"id,transcript,tags\n{row}\n".encode()})
