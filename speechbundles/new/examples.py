"""Complete competition folders to start from: settings, synthetic labels of two sets, a baseline, and submissions.

Each example builds as it is. Its labels are drawn at random and belong to nobody; nothing in them is a recording.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from speechbundles.model.zips import make_zip
from speechbundles.new.drawn import (
    SPEAKERS,
    Cells,
    Example,
    Files,
    answered,
    higher_for,
    labelled,
    one_of,
    own_or_other,
    rows_of,
    speaker_of,
)
from speechbundles.new.field_examples import FIELD, FURTHER_FILES, field_settings
from speechbundles.new.template import fill_template
from spokeneval.formats.tables import csv_text

SIZES = {"development": 60, "evaluation": 120}
"""The number of items in each set."""
SYSTEMS = {"good": 0.92, "middling": 0.8, "weak": 0.65}
"""Made-up systems, with the share of items that each answers rightly."""
BASELINE = 0.7
"""The same for the system whose answers are the baseline."""
TEAMS = {"university-of-somewhere-speech-group": 0.97} | {
    f"team{place}": 1 - place / 20 for place in range(2, 13)
}
LACKING = {"team11": "decisions.csv", "team12": "scores.csv"}
"""The same for the teams of a challenge with several tasks; the file that a team does not submit."""


def example_files(name: str) -> dict[str, bytes]:
    """Return the files of an example's folder, `relative name -> content`."""
    example, sets, answers = EXAMPLES[name], dict[str, Files](), Files()
    files = dict(FURTHER_FILES.get(name, {}))
    for part, size in SIZES.items():
        items = [f"{part[0]}{number:03d}" for number in range(size)]
        sets[part] = example.labels(random.Random(f"{name} {part}"), items)
        tasks = {path: path.rpartition("/")[0] or name for path in sets[part]}
        for path, text in sets[part].items():
            files[f"reference_data/{tasks[path]}/{part}/{PurePath(path).name}"] = text
        answers = example.answers(random.Random(f"{name} {part} baseline"), sets[part], BASELINE)
        for task, (file, text) in zip(dict.fromkeys(tasks.values()), answers.items(), strict=True):
            files[f"starting_kit/{task}/data/{part}_{file}"] = text
            files[f"starting_kit/{task}/baseline.py"] = fill_template("examples/baseline.py.txt", file=file)
    settings = field_settings(name, *answers) if name in FIELD else fill_template(f"examples/{name}.yaml")
    about = fill_template("about.yaml")  # facts to fill in: comments in `defaults`
    files["competition.yaml"] = settings.replace("\n\nchallenges:\n", f"\n{about}\nchallenges:\n", 1)
    zips = {}
    for system, right in (TEAMS if example.joint else SYSTEMS).items():
        answers = example.answers(random.Random(f"{name} {system}"), sets["evaluation"], right)
        answers.pop(LACKING.get(system, ""), "")
        place = f"season/{system}/2027-03-02T0900.zip" if example.joint else f"submissions/{system}.zip"
        zips[place] = make_zip({file: text.encode() for file, text in answers.items()})
    return {**{file: text.encode() for file, text in files.items()}, **zips}


# Speech recognition: words, with two references for some utterances

WORDS = (
    *("wir", "ihr", "sie", "gehen", "sehen", "haben", "heute", "morgen", "ein", "eine", "das", "der"),
    *("rot", "blau", "Haus", "Hund", "Ball", "im", "am", "Garten", "See"),
)


def _asr_labels(draw: random.Random, items: Sequence[str]) -> Files:
    rows = []
    for number, item in enumerate(items):
        said = [draw.choices(WORDS, k=draw.randint(3, 9))]
        if draw.random() < 0.3:  # another way to write down what a child said
            said.append(["äh", *said[0][1:]])
        rows += [(item, " ".join(words).capitalize() + ".", speaker_of(item, number)) for words in said]
    return {"transcripts.csv": csv_text([("id", "transcript", "speaker"), *rows])}


def _asr_answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
    said = {row["id"]: row["transcript"] for row in reversed(rows_of(labels["transcripts.csv"]))}
    rows = []
    for item, text in sorted(said.items()):
        words = text.lower().strip(".").split()
        heard = (word if draw.random() < right else draw.choice(WORDS) for word in words)
        rows.append((item, " ".join(heard)))
    return {"transcripts.csv": csv_text([("id", "transcript"), *rows])}


# One label for each item: three languages, a health condition, spoofed speech


LANGUAGES = ("Hindi", "Tamil", "English")


def _log_likelihoods(draw: random.Random, label: str, right: float) -> list[str]:
    likely = label if draw.random() < right else draw.choice(LANGUAGES)
    return [f"{draw.gauss(3 * (each == likely), 1):.4f}" for each in LANGUAGES]


def _decision(draw: random.Random, label: str, right: float) -> list[str]:
    return [label if draw.random() < right else {"yes": "no", "no": "yes"}[label]]


# Ratings of learners' speech by two raters, on a scale from 1 to 7


def _rating(draw: random.Random, true: float, spread: float) -> int:
    return max(1, min(7, round(draw.gauss(true, spread))))


def _two_ratings(draw: random.Random) -> Cells:
    true = draw.uniform(1, 7)
    second = "" if draw.random() < 0.1 else _rating(draw, true, 0.7)  # not every item has two ratings
    return _rating(draw, true, 0.7), second


def _predicted_rating(draw: random.Random, rating: str, right: float) -> Cells:
    return [_rating(draw, int(rating), 4 * (1 - right))]


# Two tasks of a memory clinic: a diagnosis of three, and the score of a test from 0 to 30

DIAGNOSES = {"healthy": 28, "impaired": 23, "dementia": 15}
DIAGNOSED, TESTED = "memory_clinic_decisions/labels.csv", "memory_clinic_scores/scores.csv"


def _clinic_labels(draw: random.Random, items: Sequence[str]) -> Files:
    speakers = [item.upper() for item in items]
    diagnosis = {speaker: draw.choice([*DIAGNOSES]) for speaker in speakers}
    tested = {name: min(30, round(draw.gauss(DIAGNOSES[found], 2))) for name, found in diagnosis.items()}
    columns = ((DIAGNOSED, "label", diagnosis), (TESTED, "score", tested))
    pairs = list(zip(items, speakers, strict=True))
    rows = {file: [(item, of[who], who) for item, who in pairs] for file, _, of in columns}
    return {file: csv_text([("id", name, "speaker"), *rows[file]]) for file, name, _ in columns}


def _predicted_test(draw: random.Random, score: str, right: float) -> Cells:
    return [f"{min(30, max(0, draw.gauss(int(score), 15 * (1 - right)))):.1f}"]


_CLINIC = (
    answered("decisions.csv", ["label"], own_or_other(*DIAGNOSES), DIAGNOSED),
    answered("scores.csv", ["score"], _predicted_test, TESTED, "score"),
)


def _clinic_answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
    return {file: text for answers in _CLINIC for file, text in answers(draw, labels, right).items()}


# Speakers' turns in meetings


def _meeting_labels(draw: random.Random, items: Sequence[str]) -> Files:
    turns, regions = [], []
    for item in items:
        speakers = draw.sample(range(SPEAKERS), 3)
        now = 0.0
        for _ in range(draw.randint(8, 16)):
            length = draw.uniform(0.8, 6)
            turns.append(_rttm(item, now, length, speaker_of(item, draw.choice(speakers))))
            now += max(0.5, length + draw.gauss(0.3, 0.5))
        regions.append(f"{item} 1 0.000 {now + 8:.3f}")
    return {"turns.rttm": "\n".join([*turns, ""]), "regions.uem": "\n".join([*regions, ""])}


def _meeting_answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
    turns = []
    for line in labels["turns.rttm"].splitlines():
        _, item, _, start, length, _, _, speaker, *_ = line.split()
        name = f"voice{int(speaker[1:]) if draw.random() < right else draw.randrange(SPEAKERS)}"
        turns.append(_rttm(item, max(0.0, float(start) + draw.gauss(0, 0.2)), float(length), name))
    return {"turns.rttm": "\n".join([*turns, ""])}


def _rttm(recording: str, start: float, length: float, speaker: str) -> str:
    return f"SPEAKER {recording} 1 {start:.3f} {length:.3f} <NA> <NA> {speaker} <NA> <NA>"


# Wake words in recordings of a minute

WAKE_WORDS, SECONDS = ("computer", "tractor"), 60


def _event_labels(draw: random.Random, items: Sequence[str]) -> Files:
    events, regions = [("recording", "start", "end", "label", "speaker")], [("recording", "start", "end")]
    for number, item in enumerate(items):
        for place in sorted(draw.sample(range(1, SECONDS // 3), draw.randint(1, 4))):
            start = 3 * place + draw.random()
            end = start + draw.uniform(0.4, 0.9)
            who = speaker_of(item, number)
            events.append((item, f"{start:.3f}", f"{end:.3f}", draw.choice(WAKE_WORDS), who))
        regions.append((item, "0.000", f"{SECONDS}.000"))
    return {"events.csv": csv_text(events), "regions.csv": csv_text(regions)}


def _event_answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
    """Answers whose true events have the higher scores the better the system is; a false alarm for each recording."""
    found = [("recording", "start", "end", "label", "score")]

    def add(recording: str, start: float, label: str, score: float) -> None:
        found.append((recording, f"{start:.3f}", f"{start + 0.6:.3f}", label, f"{score:.4f}"))

    for row in rows_of(labels["events.csv"]):
        add(
            row["recording"], float(row["start"]) + draw.uniform(0, 0.2), row["label"], draw.gauss(right, 0.2)
        )
    for row in rows_of(labels["regions.csv"]):
        add(row["recording"], draw.uniform(0, SECONDS), draw.choice(WAKE_WORDS), draw.gauss(1 - right, 0.2))
    return {"events.csv": csv_text(found)}


EXAMPLES = {
    "children_asr": Example("speech recognition: words, several references", _asr_labels, _asr_answers),
    "three_languages": Example(
        "identification of three languages",
        labelled(one_of(*LANGUAGES)),
        answered("scores.csv", LANGUAGES, _log_likelihoods),
    ),
    "meeting_speakers": Example("who speaks when in meetings", _meeting_labels, _meeting_answers),
    "learner_ratings": Example(
        "ratings of learners' speech by two raters, 1 to 7",
        labelled(_two_ratings, ["rater1", "rater2"], "ratings.csv"),
        answered("ratings.csv", ["rating"], _predicted_rating, "ratings.csv", "rater1"),
    ),
    "wake_words": Example("when one of two wake words is said", _event_labels, _event_answers),
    "health": Example(
        "detection of a health condition, yes or no",
        labelled(one_of("no", "no", "yes"), once=True),
        answered("decisions.csv", ["label"], _decision),
    ),
    "spoofing": Example(
        "detection of spoofed speech by one score",
        labelled(one_of("spoof", "spoof", "spoof", "bonafide")),
        answered("scores.csv", ["score"], higher_for("spoof", range_=6)),
    ),
    "memory_clinic": Example(
        "two tasks with one ranking: a diagnosis, and the score of a test",
        _clinic_labels,
        _clinic_answers,
        joint=True,
    ),
    **FIELD,
}
