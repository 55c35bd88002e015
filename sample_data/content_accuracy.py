"""Synthetic spoken responses for `content_accuracy` with the published statistics; no real responses are included.

`python -m sample_data.content_accuracy` writes the sample files again, byte for byte. With `--full DIR` it writes a set
of the published size: 5,934 responses by 1,611 speakers to 24 prompts.

A prompt is a story of eleven facts with its own words: six pictures to narrate, or a talk to summarise. A speaker has a
proficiency, on which the quality and the length of a response partly depend. A better response contains more facts, and
more details of each; the rest of its length is filled with stock phrases or with another story. The rubric's level, 1
to 4, is an expert's judgement of the quality. A simulated recogniser then substitutes, deletes and inserts words at the
published word error rate (26.5 % for narration, 29.4 % for summarisation). References contain nearly all facts, are
fluent, and use different words. The constants below were fitted so that the three published models (CVA, base ROUGE,
new ROUGE) have about their published correlations with the human score, with and without length held constant.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path
from typing import NamedTuple

from sample_data.tables import write_table
from spokeneval.formats.tables import csv_text

ROOT = Path(__file__).resolve().parent.parent
WORD_ERROR_RATE = {"narration": 0.265, "summary": 0.294}
REFERENCES = 4
SAMPLE_PROMPTS = 6
RESPONSES = {"training": 400, "development": 200, "evaluation": 200}
SPEAKERS = {"training": 110, "development": 55, "evaluation": 55}
# Chosen because the correlations of the three models are near the published ones.
SEEDS = {"training": "T56", "development": "D53", "evaluation": "E62"}
FULL_SEED = "F10"
REFERENCE_COLUMNS = ("response_id", "prompt_id", "speaker_id", "human_score", "words")
FACTS = 11
MEAN_WORDS, SD_WORDS = 72, 29

# Groups of synonyms, separated by commas.
PEOPLE = """
    girl child, boy kid, woman lady, man guy, teacher instructor, farmer grower, sister sibling,
    doctor physician, driver motorist, baker cook, sailor captain, neighbor friend, student pupil,
    artist painter, guard officer, singer performer, waiter server, tourist visitor, coach trainer,
    clerk cashier
"""
SUBJECTS = """
    bees insects, river stream, council committee, engineers builders, forest woodland, merchants
    traders, professor lecturer, glacier ice, volunteers helpers, villagers residents, whales
    mammals, museum gallery, scientists researchers, climbers hikers, birds flock, company firm,
    library archive, festival celebration, desert sand, writers authors, robots machines, soil
    ground, moon satellite, parents families, athletes players
"""
THINGS = """
    bag backpack, map chart, umbrella parasol, box package, bicycle bike, camera, letter note, lamp
    lantern, key, phone telephone, coat jacket, ball, kite, book novel, picture photo, basket,
    ticket pass, chair seat, window, gate, hat cap, rope string, shoes boots, clock watch, drum,
    cake dessert, bread loaf, apple fruit, soup stew, candle, blanket quilt, wagon cart, boat canoe,
    flowers bouquet, ladder steps, puppy dog, kitten cat, horse pony, bucket pail, wallet purse,
    necklace jewel, guitar, tent, fence, bottle jar, mirror, broom, hammer tool, paint, stamp, coin
    money, engine motor, shell, feather, bridge, tower, wheel, seeds grain, honey nectar, stone
    rock, branch stick, nest, pipe tube, wall barrier, poster sign, schedule timetable, recipe,
    costume outfit, medal prize, record file, garden plot, hill slope, storm rain, fire flames,
    signal sign, tunnel passage, harvest crop, budget funds, statue
"""
ACTIONS = """
    found discovered, carried brought, dropped lost, bought purchased, fixed repaired, painted
    colored, hid covered, opened unlocked, cleaned washed, watched observed, chased followed, gave
    offered, built constructed, moved pushed, broke damaged, borrowed took, kept saved, threw
    tossed, filled loaded, pulled dragged, measured weighed, collected gathered, studied examined,
    described explained, protected guarded, shared divided, sold traded, planned prepared, tested
    checked, chose picked, caught grabbed, returned replaced, missed forgot, lifted raised, explored
    searched, needed wanted, changed altered, reached touched, buried planted, drew sketched
"""
QUALITIES = """
    big large, small little, red, old ancient, new, broken damaged, heavy, beautiful pretty, wet,
    empty, yellow, strange odd, expensive costly, wooden, tiny, dirty muddy, green, bright shiny,
    cold frozen, hidden secret, famous, quiet, long, hot warm
"""
PLACES = """
    park, market store, station platform, beach shore, kitchen, school classroom, street road,
    mountain, hospital clinic, farm barn, lake pond, airport, theater stage, office, yard, island,
    cave, harbor dock, village town, roof, basement cellar, valley, field meadow, workshop garage,
    hall corridor, laboratory lab, cafe restaurant, coast, camp, square plaza
"""
FILLERS = ("uh", "um", "uh", "um", "er", "like", "you know", "i mean", "well")
LINKS = ("and", "and then", "so", "and", "after that", "then", "but", "and also")
OPENINGS = ("", "", "", "", "", "", "i saw that", "they said that", "we can see that")
GENERIC = (
    "it was very nice and they were happy about it",
    "i think that it is a good thing to do in the life",
    "and that is what they were talking about",
    "i do not know the name of it but it was there",
    "there was a lot of people in the place and they had to go",
    "so they had to do something with it because it was a problem",
    "and he said to them that they should not do it again",
    "i can not remember the other thing that was in it",
    "it is important for all of us to know about this",
    "she was thinking about what to do and where to go",
    "at the end of the story they went back to the home",
    "and this is the most interesting part of it for me",
)

# The model of a response, in units of the spread of quality over responses; probabilities are on a logit scale.
SPEAKER = 0.59  # share of the variance of quality that is due to the speaker's proficiency
LENGTH_ON_QUALITY = 0.58  # correlation
EXPERT_ERROR = 0.1
LEVELS = (-1.25, -0.1, 1.05)  # thresholds of the expert's judgement for levels 2, 3 and 4
TOLD, TOLD_ON_QUALITY, TOLD_SD = -1.24, 0.54, 0.25  # probability that a fact is included
DETAIL, DETAIL_ON_QUALITY = 0.24, 0.6  # that its object is described, and its place named
ACCURACY = 0.73  # that a part of it has a right name
WANDERING, WANDERING_SD, WANDERING_DETAIL = (
    0.74,
    6.43,
    0.24,
)  # that the filling is another story instead of phrases
ERROR_EXCESS = 1.03  # a few recognition errors cancel when the two texts are aligned


class Prompt(NamedTuple):
    """One story: facts whose parts are groups of words with one meaning."""

    prompt_id: str
    task: str
    facts: tuple[tuple[tuple[str, ...], ...], ...]
    references: tuple[str, ...]


class Response(NamedTuple):
    """One response: the spoken text, the recognised text, and an expert's score."""

    response_id: str
    prompt_id: str
    speaker_id: str
    human_score: int
    words: int
    text: str
    asr_text: str


def make_prompts(count: int = 24) -> list[Prompt]:
    """Return `count` prompts, a quarter of them narrations; the first ones do not depend on `count`."""
    return [make_prompt(number) for number in range(count)]


def make_prompt(number: int) -> Prompt:
    rng = random.Random(f"prompt {number}")
    task = "narration" if number % 4 == 0 else "summary"
    actors = rng.sample(_groups(PEOPLE if task == "narration" else SUBJECTS), 4)
    actions = rng.sample(_groups(ACTIONS), FACTS)
    things = rng.sample(_groups(THINGS), FACTS)
    qualities = rng.sample(_groups(QUALITIES), FACTS)
    places = rng.sample(_groups(PLACES), (FACTS + 1) // 2)
    facts = tuple(
        (actors[min(i // 3, 3)], actions[i], qualities[i], things[i], places[i // 2]) for i in range(FACTS)
    )
    prompt = Prompt(f"{task[0].upper()}{number + 1:02d}", task, facts, ())
    return prompt._replace(references=tuple(make_reference(rng, prompt) for _ in range(REFERENCES)))


def make_reference(rng: random.Random, prompt: Prompt) -> str:
    """Return a fluent text with nearly all of the facts."""
    told = [tell(rng, fact, detail=0.62, accuracy=1) for fact in prompt.facts if rng.random() < 0.9]
    return " ".join(f"{rng.choice(LINKS)} {clause}" if i else clause for i, clause in enumerate(told))


def make_responses(seed: str, *, speakers: int, responses: int, prompts: list[Prompt]) -> list[Response]:
    """Return `responses` responses, at most four for each speaker: one narration and three summaries."""
    rng = random.Random(f"responses {seed}")
    narrations = [prompt for prompt in prompts if prompt.task == "narration"]
    summaries = [prompt for prompt in prompts if prompt.task == "summary"]
    planned = []
    for number in range(1, speakers + 1):
        proficiency = rng.gauss(0, 1)
        for prompt in [rng.choice(narrations), *rng.sample(summaries, 3)]:
            planned.append((f"S{seed[0]}{number:04d}", proficiency, prompt))
    kept = sorted(rng.sample(range(len(planned)), responses))
    vocabulary = [word for groups in (PEOPLE, SUBJECTS, THINGS, ACTIONS, PLACES) for word in _words(groups)]
    vocabulary += [word for phrase in GENERIC for word in phrase.split()] * 2
    return [
        make_response(rng, f"R{seed[0]}{number:05d}", *planned[index], vocabulary)
        for number, index in enumerate(kept, start=1)
    ]


def make_response(
    rng: random.Random,
    response_id: str,
    speaker_id: str,
    proficiency: float,
    prompt: Prompt,
    vocabulary: list[str],
) -> Response:
    quality = math.sqrt(SPEAKER) * proficiency + math.sqrt(1 - SPEAKER) * rng.gauss(0, 1)
    own = math.sqrt(1 - LENGTH_ON_QUALITY**2)
    length = MEAN_WORDS + SD_WORDS * (LENGTH_ON_QUALITY * quality + own * rng.gauss(0, 1))
    judged = (quality + EXPERT_ERROR * rng.gauss(0, 1)) / math.hypot(1, EXPERT_ERROR)
    said = speak(rng, prompt, quality, max(8, round(length)))
    rate = WORD_ERROR_RATE[prompt.task] * ERROR_EXCESS
    heard = recognise(rng, said, rate, vocabulary)
    score = 1 + sum(judged > level for level in LEVELS)
    return Response(
        response_id, prompt.prompt_id, speaker_id, score, len(said), " ".join(said), " ".join(heard)
    )


def speak(rng: random.Random, prompt: Prompt, quality: float, length: int) -> list[str]:
    """Return the words of a response: facts in their order, with filling between them up to the length."""
    told = _logistic(TOLD + TOLD_ON_QUALITY * quality + TOLD_SD * rng.gauss(0, 1))
    detail = _logistic(DETAIL + DETAIL_ON_QUALITY * quality)
    wandering = _logistic(WANDERING + WANDERING_SD * rng.gauss(0, 1))
    chosen = sorted(rng.sample(range(FACTS), math.floor(told * FACTS + rng.random())))
    clauses = [tell(rng, prompt.facts[i], detail=detail, accuracy=ACCURACY) for i in chosen]
    clauses = [_disfluent(rng, f"{rng.choice(LINKS)} {clause}".split()) for clause in clauses]
    words = sum(map(len, clauses))
    while words < length:
        if rng.random() < wandering:
            clause = tell(rng, another_fact(rng, prompt), detail=WANDERING_DETAIL, accuracy=1)
        else:
            clause = rng.choice(GENERIC)
        filling = _disfluent(rng, f"{rng.choice(LINKS)} {clause}".split())
        clauses.insert(rng.randint(0, len(clauses)), filling)
        words += len(filling)
    return [word for clause in clauses for word in clause][:length]


def _disfluent(rng: random.Random, words: list[str]) -> list[str]:
    """Return words with filled pauses, and restarts in which some words are repeated."""
    if rng.random() < 0.35:
        place = rng.randrange(len(words))
        words[place:place] = rng.choice(FILLERS).split()
    if rng.random() < 0.3:
        place = rng.randrange(len(words))
        words[place:place] = words[place : place + rng.randint(1, 3)]
    return words


def tell(rng: random.Random, fact: tuple[tuple[str, ...], ...], *, detail: float, accuracy: float) -> str:
    """Return a fact as a clause; inaccurate parts have a vague or wrong name."""
    actor, action, quality, thing, place = (
        rng.choice(group) if rng.random() < accuracy else rng.choice(VAGUE[part])
        for part, group in enumerate(fact)
    )
    article = "the" if rng.random() < 0.75 else "a"
    opening = rng.choice(OPENINGS)
    clause = f"{opening} the" if opening else "the"
    clause += f" {actor} {action} {article}"
    if rng.random() < detail:
        clause += f" {quality}"
    clause += f" {thing}"
    if rng.random() < detail:
        clause += f" {rng.choice(('in', 'at', 'near'))} the {place}"
    return clause


def another_fact(rng: random.Random, prompt: Prompt) -> tuple[tuple[str, ...], ...]:
    """Return a fact of another story, without any part of this one."""
    parts = []
    for kind, groups in enumerate(LEXICON):
        own = [fact[kind] for fact in prompt.facts]
        part = rng.choice(groups)
        while part in own:
            part = rng.choice(groups)
        parts.append(part)
    return tuple(parts)


def recognise(rng: random.Random, said: list[str], rate: float, vocabulary: list[str]) -> list[str]:
    """Return the recognised words: 60 % of the errors are substitutions, 25 % deletions, 15 % insertions."""
    heard = []
    for word in said:
        draw = rng.random() / rate
        if draw < 0.6:
            heard.append(rng.choice(vocabulary))
        elif draw >= 0.85:
            heard.append(word)
        if 0.85 <= draw < 1:
            heard.append(rng.choice(vocabulary))
    return heard


def full_size() -> tuple[list[Prompt], list[Response]]:
    """Return a set of the published size: 24 prompts, 5,934 responses by 1,611 speakers."""
    prompts = make_prompts()
    return prompts, make_responses(FULL_SEED, speakers=1611, responses=5934, prompts=prompts)


def sample_sets() -> tuple[list[Prompt], dict[str, list[Response]]]:
    """Return the small sets in the repository, on six prompts; no speaker is in two sets."""
    prompts = make_prompts(SAMPLE_PROMPTS)
    return prompts, {
        name: make_responses(seed, speakers=SPEAKERS[name], responses=RESPONSES[name], prompts=prompts)
        for name, seed in SEEDS.items()
    }


def submissions(name: str) -> dict[str, dict[str, bytes]]:
    """Return submissions for rehearsals, `name -> its files`: perfect and random."""
    responses = sample_sets()[1][name]
    chance = random.Random(f"random {name}")
    chosen = {
        "perfect": [float(response.human_score) for response in responses],
        "random": [chance.uniform(1, 4) for _ in responses],
    }
    return {
        title: {"predictions.csv": predictions_text(responses, scores)} for title, scores in chosen.items()
    }


def predictions_text(responses: list[Response], scores: list[float]) -> bytes:
    """Return a submission's `predictions.csv`."""
    rows = zip((response.response_id for response in responses), map("{:.4f}".format, scores), strict=True)
    return csv_text([("response_id", "score"), *rows]).encode()


def write(root: Path = ROOT) -> list[Path]:
    """Write references and response tables of the small sets under `root`; return their paths."""
    return write_sets(root, *sample_sets())


def write_sets(root: Path, prompts: list[Prompt], sets: dict[str, list[Response]]) -> list[Path]:
    """Write a competition's references and response tables under its folder; return their paths."""
    data = root / "starting_kit/content_accuracy/data"
    written = [_write_references(data / "references.csv", prompts)]
    for name, responses in sets.items():
        columns = ("response_id", "prompt_id", "speaker_id", "asr_text", "text")
        if name == "training":
            columns = ("response_id", "prompt_id", "speaker_id", "human_score", "asr_text", "text")
        else:
            path = root / "reference_data/content_accuracy" / name / "reference.csv"
            written.append(_write_responses(path, responses, REFERENCE_COLUMNS))
        written.append(_write_responses(data / f"{name}_responses.csv", responses, columns))
    return written


def write_full(directory: Path) -> list[Path]:
    """Write a set of the published size, with both the spoken and the recognised texts."""
    prompts, responses = full_size()
    return [
        _write_references(directory / "references.csv", prompts),
        _write_responses(directory / "reference.csv", responses, REFERENCE_COLUMNS),
        _write_responses(
            directory / "responses.csv",
            responses,
            ("response_id", "prompt_id", "speaker_id", "asr_text", "text"),
        ),
    ]


def _write_references(path: Path, prompts: list[Prompt]) -> Path:
    rows: list[tuple] = [("prompt_id", "reference_id", "text")]
    for prompt in prompts:
        for number, text in enumerate(prompt.references, start=1):
            rows.append((prompt.prompt_id, f"{prompt.prompt_id}-{number}", text))
    return write_table(path, rows)


def _write_responses(path: Path, responses: list[Response], columns: tuple[str, ...]) -> Path:
    return write_table(path, [columns, *(tuple(getattr(r, name) for name in columns) for r in responses)])


def _groups(text: str) -> list[tuple[str, ...]]:
    return [tuple(group.split()) for group in text.split(",")]


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


VAGUE = (
    ("person", "someone", "people", *_words(PEOPLE)),
    ("did", "made", "had", "used", *_words(ACTIONS)),
    ("good", "nice", "bad", *_words(QUALITIES)),
    ("thing", "something", "stuff", *_words(THINGS)),
    ("place", "house", "city", *_words(PLACES)),
)
LEXICON = [_groups(text) for text in (PEOPLE, ACTIONS, QUALITIES, THINGS, PLACES)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the synthetic responses of content_accuracy.")
    parser.add_argument(
        "--full", metavar="DIR", type=Path, help="write a set of the published size to this folder"
    )
    options = parser.parse_args()
    for path in write_full(options.full) if options.full else write():
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
