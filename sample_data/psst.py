"""Synthetic naming responses in the format of the PSST Challenge: transcripts, correctness, recogniser output.

No real speech or transcripts are included. Prompts and pronunciations were written for this project. The responses are
random, with the kinds of errors that occur in aphasia: phonemic paraphasias, omissions, false starts, other words,
fillers. The recogniser's error rates bring the sets near the challenge's published baseline (PER and FER 0.222 and
0.102 on the validation split, 0.264 and 0.121 on the test split; F1 of correctness 0.875 and 0.892). The sets have the
sizes of these splits.

`python -m sample_data` writes the same files every time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache
from itertools import accumulate
from pathlib import Path

from sample_data.tables import write_table
from spokeneval.formats.tables import csv_text
from spokeneval.metrics.phoneme_recognition import arpabet_features, contains_pronunciation, drop_fillers

# For each prompt: its test, and its accepted pronunciations.
PROMPTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "candle": ("BNT", ("K AE N D AH L", "K AE N AH L", "K AE N D AH L Z")),
    "feather": ("BNT", ("F EH DH ER", "F EH DH ER Z", "F EH D ER")),
    "kettle": ("BNT", ("K EH DX AH L", "K EH T AH L", "T IY K EH DX AH L", "T IY K EH T AH L")),
    "ladder": ("BNT", ("L AE DX ER", "L AE D ER", "S T EH P L AE DX ER", "S T EH P L AE D ER")),
    "mitten": ("BNT", ("M IH T AH N", "M IH T AH N Z", "G L AH V")),
    "pumpkin": ("BNT", ("P AH M P K AH N", "P AH M K AH N", "P AH NG K AH N", "P AH M P K IH N")),
    "spoon": ("BNT", ("S P UW N", "T IY S P UW N")),
    "teapot": ("BNT", ("T IY P AA T",)),
    "window": ("BNT", ("W IH N D OW", "W IH N D OW Z", "W IH N D AH")),
    "zipper": ("BNT", ("Z IH P ER", "Z IH P")),
    "dig": ("VNT", ("D IH G", "D IH G IH NG", "D IH G AH N", "D IH G Z")),
    "juggle": ("VNT", ("JH AH G AH L", "JH AH G AH L IH NG", "JH AH G L IH NG", "JH AH G AH L Z")),
    "paint": ("VNT", ("P EY N T", "P EY N T IH NG", "P EY N IH NG", "P EY N T AH N", "P EY N T S")),
    "sweep": ("VNT", ("S W IY P", "S W IY P IH NG", "S W IY P AH N", "S W IY P S")),
    "whistle": ("VNT", ("W IH S AH L", "W IH S L IH NG", "W IH S AH L IH NG", "W IH S L AH N")),
    "yawn": ("VNT", ("Y AO N", "Y AA N", "Y AO N IH NG", "Y AA N IH NG", "Y AO N Z")),
}

LEAD_INS = ("AH", "AH M", "<spn>", "<sil>", "DH AH", "AH <sil>", "IH T S AH", "W EH L <sil>", "<spn> <sil>")
SUFFIXES = ("B AA K S", "M AE N", "HH AW S", "W ER K")  # make another word that contains the prompt

# A recording is more often hard for the recogniser if the response is not a known word.
HARD_IF_CORRECT, HARD_IF_INCORRECT = 0.09, 0.7
TAKEN_FOR_THE_PROMPT = 0.08  # share of incorrect responses that are recognised as the prompt
SUBSTITUTED, DELETED = 0.48, 0.3  # shares of its errors; the others are insertions


@dataclass(frozen=True)
class SampleSet:
    """One set: its sessions, its number of responses, and the recogniser's error rates on phones."""

    seed: int
    size: int
    first_session: int
    error_easy: float
    error_hard: float


# The seeds were chosen because their sets are nearest to the published figures.
SETS = {
    "development": SampleSet(seed=28, size=341, first_session=1, error_easy=0.015, error_hard=0.57),
    "evaluation": SampleSet(seed=32, size=652, first_session=31, error_easy=0.015, error_hard=0.71),
}


@dataclass(frozen=True)
class Utterance:
    """A row of the challenge's `utterances.tsv`; `correctness` is written TRUE or FALSE, as psstdata does."""

    utterance_id: str
    session: str
    test: str
    prompt: str
    transcript: str
    correctness: str
    aq_index: str
    duration_frames: int
    filename: str


def accepted_pronunciations() -> dict[str, list[str]]:
    """Return the accepted pronunciations of each prompt; phones are separated by spaces."""
    return {prompt: list(pronunciations) for prompt, (_, pronunciations) in PROMPTS.items()}


def sample(
    name: str, size: int | None = None, *, seed: int | str | None = None
) -> tuple[list[Utterance], list[str]]:
    """Draw a set of `SETS`, or `size` responses of the same kind: utterances and the recogniser's transcripts."""
    options = SETS[name]
    rng = random.Random(options.seed if seed is None else seed)
    utterances: list[Utterance] = []
    recognised: list[str] = []
    prompts = list(PROMPTS)
    for index in range(size or options.size):
        if index % len(prompts) == 0:
            session = f"SYN{options.first_session + index // len(prompts):02d}a"
            aphasia_quotient = round(min(max(rng.gauss(72, 17), 15), 99), 1)
        utterance = draw_utterance(rng, session, prompts[index % len(prompts)], aphasia_quotient)
        utterances.append(utterance)
        recognised.append(recognise(rng, utterance, options))
    return utterances, recognised


def draw_utterance(rng: random.Random, session: str, prompt: str, aphasia_quotient: float) -> Utterance:
    """Draw one response: the milder the aphasia (the higher the quotient), the more often the word is right."""
    test, pronunciations = PROMPTS[prompt]
    phones, another_word = draw_response(rng, prompt, aphasia_quotient)
    accepted = [pronunciation.split() for pronunciation in pronunciations]
    correct = contains_pronunciation(phones, accepted) and not another_word
    utterance_id = f"{session}-{test}{list(PROMPTS).index(prompt) + 1:02d}-{prompt}"
    return Utterance(
        utterance_id=utterance_id,
        session=session,
        test=test,
        prompt=prompt,
        transcript=" ".join(phones),
        correctness="TRUE" if correct else "FALSE",
        aq_index=f"{aphasia_quotient:.1f}",
        duration_frames=16000 * (1 + len(phones)) // 8 + int(16000 * rng.random()),
        filename=f"audio/{test.lower()}/{session}/{utterance_id}.wav",
    )


def draw_response(rng: random.Random, prompt: str, aphasia_quotient: float) -> tuple[list[str], bool]:
    """Return the phones of a response with fillers, and whether it is a longer word with the prompt (1 in 100)."""
    pronunciations = PROMPTS[prompt][1]
    said = pronunciations[0 if rng.random() < 0.7 else int(rng.random() * len(pronunciations))].split()
    lead_in = pick(rng, LEAD_INS).split() if rng.random() < 0.3 else []
    if rng.random() < 0.01:
        return [*lead_in, *said, *pick(rng, SUFFIXES).split()], True
    if rng.random() < 0.15 + 0.0045 * aphasia_quotient:
        false_start = [*said[: 1 + int(rng.random() * 2)], pick(rng, ("<sil>", "<spn>"))]
        return [*lead_in, *(false_start if rng.random() < 0.12 else []), *said], False
    kind = rng.random()
    if kind < 0.06:
        return ["<spn>"], False
    if kind < 0.3:
        other = pick(rng, [word for word in PROMPTS if word != prompt])
        return [*lead_in, *pick(rng, PROMPTS[other][1]).split()], False
    distortion = 0.25 if kind < 0.75 else 0.6
    attempts = [*distort(rng, said, distortion)]
    if rng.random() < 0.3:
        attempts += [pick(rng, ("<sil>", "<spn>")), *distort(rng, said, distortion)]
    return [*lead_in, *attempts], False


def recognise(rng: random.Random, utterance: Utterance, options: SampleSet) -> str:
    """Return the transcript by a recogniser of the baseline's quality, without fillers."""
    phones = drop_fillers(utterance.transcript.split())
    correct = utterance.correctness == "TRUE"
    if not correct and rng.random() < TAKEN_FOR_THE_PROMPT:
        return PROMPTS[utterance.prompt][1][0]
    hard = rng.random() < (HARD_IF_CORRECT if correct else HARD_IF_INCORRECT)
    return " ".join(distort(rng, phones, options.error_hard if hard else options.error_easy))


def distort(rng: random.Random, phones: Iterable[str], rate: float) -> list[str]:
    """Return phones, each with probability `rate` replaced by a similar one, deleted, or followed by another."""
    distorted = []
    for phone in phones:
        if rng.random() >= rate:
            distorted.append(phone)
            continue
        kind = rng.random()
        if kind < SUBSTITUTED:
            distorted.append(near_phone(rng, phone))
        elif kind >= SUBSTITUTED + DELETED:
            distorted += [phone, pick(rng, arpabet_features().phones)]
    return distorted


def near_phone(rng: random.Random, phone: str) -> str:
    """Return another phone; the more features differ, the less likely it is (half as likely for each 2.25 features)."""
    others, cumulative = neighbours()[phone]
    return rng.choices(others, cum_weights=cumulative)[0]


@cache
def neighbours() -> dict[str, tuple[list[str], list[float]]]:
    """Return the other phones for each phone, and their cumulative weights."""
    table = arpabet_features()
    costs = table.substitution_costs()
    found = {}
    for row, phone in enumerate(table.phones):
        others = [column for column in range(len(table.phones)) if column != row]
        weights = [0.5 ** (float(costs[row, column]) / 2.25) for column in others]
        found[phone] = ([table.phones[column] for column in others], list(accumulate(weights)))
    return found


def pick(rng: random.Random, choices: list[str] | tuple[str, ...]) -> str:
    """Return one of the choices, all equally likely."""
    return choices[int(rng.random() * len(choices))]


def write_utterances(path: Path, utterances: Iterable[Utterance]) -> None:
    """Write the challenge's `utterances.tsv`."""
    header = tuple(field.name for field in fields(Utterance))
    write_table(path, [header, *map(astuple, utterances)], "\t")


def write_transcripts(path: Path, utterance_ids: Iterable[str], transcripts: Iterable[str]) -> None:
    """Write a submission's `transcripts.tsv`."""
    rows = zip(utterance_ids, transcripts, strict=True)
    write_table(path, [("utterance_id", "asr_transcript"), *rows], "\t")


def submissions(task: str, name: str) -> dict[str, dict[str, bytes]]:
    """Return submissions for rehearsals, `name -> its files`: perfect and random."""
    utterances, _ = sample(name)
    rng = random.Random(f"random {task} {name}")
    if task == "psst_recognition":
        file, column = "transcripts.tsv", "asr_transcript"
        perfect = [utterance.transcript for utterance in utterances]
        phones = arpabet_features().phones
        guess = [" ".join(rng.choices(phones, k=len(drop_fillers(said.split())))) for said in perfect]
        rng.shuffle(guess)
    else:
        file, column = "correctness.tsv", "prediction"
        perfect = [utterance.correctness for utterance in utterances]
        guess = rng.sample(perfect, len(perfect))
    return {
        "perfect": {file: submission_text(utterances, column, perfect)},
        "random": {file: submission_text(utterances, column, guess)},
    }


def submission_text(utterances: Iterable[Utterance], column: str, values: Iterable[str]) -> bytes:
    """Return a submission's file: `utterance_id` and one column."""
    rows = zip((utterance.utterance_id for utterance in utterances), values, strict=True)
    return csv_text([("utterance_id", column), *rows], "\t").encode()


def write_samples(root: Path) -> list[Path]:
    """Write all samples below the project's folder; return the files."""
    return write_sets(root, {name: sample(name) for name in SETS})


def write_sets(root: Path, sets: Mapping[str, tuple[list[Utterance], list[str]]]) -> list[Path]:
    """Write a competition's sets, drawn by `sample`, and the pronunciations; return the files."""
    written = []
    for name, (utterances, recognised) in sets.items():
        for task in ("psst_recognition", "psst_correctness"):
            written.append(root / "reference_data" / task / name / "utterances.tsv")
            write_utterances(written[-1], utterances)
        written.append(root / "starting_kit" / "psst" / "data" / f"{name}_transcripts.tsv")
        write_transcripts(written[-1], [utterance.utterance_id for utterance in utterances], recognised)
    written.append(root / "starting_kit" / "psst" / "data" / "accepted_pronunciations.json")
    written[-1].write_text(
        json.dumps(accepted_pronunciations(), indent=2) + "\n", encoding="utf-8", newline="\n"
    )
    return written
