"""A competition of an organiser's own for every kind of task, with small made data in German and Hindi."""

import random
from functools import partial

WORDS = (
    *("der Wagen fährt", "das Haus ist groß", "नमस्ते दुनिया", "मेरा नाम"),
    *("wo ist der Bahnhof", "die Katze schläft"),
)
SIZES = {"development": 40, "evaluation": 60}

SETTINGS = """\
defaults: {{organiser: Das Institut, contact_email: a@example.org, data_licence: CC BY 4.0}}
challenges:
  eigene:
    tasks:
      aufgabe: {task}
    phases:
      - {{reference: development, start: "2027-01-01 00:00:00", end: "2027-03-01 00:00:00"}}
      - {{reference: evaluation, start: "2027-03-02 00:00:00", end: "2027-04-01 00:00:00"}}
bundles:
  aufgabe: {{task: aufgabe, title: Die Aufgabe}}
"""


def _table(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows), ""])


def _ids(name):
    speaker = "P" if name == "evaluation" else "D"
    return [(f"{name[:2]}{number:03d}", f"{speaker}{number % 12}") for number in range(SIZES[name])]


def _one_column(file, column, label, first="id"):
    """Return a function that makes a file with one label an item, `label(draw, number of the item)`."""

    def make(name, draw):
        rows = [(item, label(draw, number), who) for number, (item, who) in enumerate(_ids(name))]
        return {file: _table(f"{first},{column},speaker", rows)}

    return make


def _classes(label, first="id"):
    return _one_column("labels.csv", "label", label, first)


def _said(text):
    return _one_column("transcripts.csv", "transcript", text)


def _regions(name, draw):
    rows = [(item, draw.choice(WORDS), who, f"R{who}") for item, who in _ids(name)]
    return {"transcripts.csv": _table("id,transcript,speaker,region", rows)}


def _switched(name, draw):
    words = {"der": "de", "Wagen": "de", "नमस्ते": "hi", "दुनिया": "hi"}
    said = [(item, draw.choices([*words], k=4), who) for item, who in _ids(name)]
    rows = [(item, " ".join(each), " ".join(words[word] for word in each), who) for item, each, who in said]
    return {"transcripts.csv": _table("id,transcript,tags,speaker", rows)}


def _phones(*inventory):
    return _said(lambda draw, _: " ".join(draw.choices(inventory, k=4)))


SAID = _said(lambda draw, _: draw.choice(WORDS))
LANGUAGES = _classes(lambda _, number: ("Deutsch", "Hindi", "Tamil")[number % 3])
FAKES = _classes(lambda draw, _: draw.choice(["echt", "tts", "vc"]))


def _ratings(name, draw):
    rows = [(item, draw.randint(1, 7), draw.choice(["", *range(1, 8)]), who) for item, who in _ids(name)]
    return {"ratings.csv": _table("id,Anna,Ravi,speaker", rows)}


def _half_points(name, draw):
    rows = [
        (item, who, *(draw.choice(["", *(n / 2 for n in range(2, 15))]) for _ in range(24)), 4.5)
        for item, who in _ids(name)
    ]
    return {"ratings.csv": _table(f"id,speaker,{','.join(f'rater{n}' for n in range(1, 26))}", rows)}


def _pronounced(name, draw):
    rows = []
    for item, who in _ids(name):
        phones = draw.choices(["zh", "z", "ong1", "ong4"], k=5)
        said = [draw.choice(["zh", "z"]) if draw.random() < 0.2 else phone for phone in phones]
        rows.append((item, " ".join(phones), " ".join(said), who))
    return {"transcripts.csv": _table("id,canonical,transcript,speaker", rows)}


def _scores(name, draw):
    rows = []
    for item, who in _ids(name):
        score = draw.randint(0, 20) / 2
        rows.append((item, score, min(10, score + draw.choice([0, 0.5])), draw.randint(5, 90), who))
    return {"scores.csv": _table("id,score,zweite,dauer,speaker", rows)}


def _systems(name, draw):
    rows = [
        (item, min(10, draw.randint(0, 6) + int(who[1:]) % 6), f"{who[0]}S{int(who[1:]) % 8}")
        for item, who in _ids(name)
    ]
    return {"scores.csv": _table("id,score,system", rows)}


def _emotions(name, draw):
    rows = [
        (item, draw.choice(("froh", "ernst")), *draw.choices(range(1, 8), k=2), who)
        for item, who in _ids(name)
    ]
    return {"labels.csv": _table("id,gefühl,Erregung,valenz,speaker", rows)}


def _pairs(name, draw):
    rows = [
        (item, draw.choice(["echt", "tts"]), who, f"{who[0]}T{n % 5}")
        for n, (item, who) in enumerate(_ids(name))
    ]
    return {"labels.csv": _table("id,label,speaker,probe", rows)}


def _turns(name, draw, labels=("Deutsch", "Hindi")):
    turns, spans = [], []
    for number in range(12):
        recording, time = f"{name[:2]}_{number:02d}", 0.5
        for _ in range(8):
            end = round(time + draw.uniform(0.5, 4), 2)
            turns.append((recording, time, end, draw.choice(labels)))
            time = round(end + draw.uniform(0, 1), 2)
        spans.append((recording, 0, time))
    regions = _table("recording,start,end", spans)
    return {"turns.csv": _table("recording,start,end,label", turns), "regions.csv": regions}


def _events(name, draw):
    """Sounds, some of them points, and a recording without any."""
    rows, spans = [], []
    for number in range(SIZES[name] // 4):
        recording = f"{name[:2]}_{number:02d}"
        spans.append((recording, 0, 60))
        for second in range(4, 55 if number else 0, 5):
            start = round(second + draw.random(), 2)
            end = round(start + draw.uniform(0.2, 2), 2) if draw.random() < 0.8 else ""
            rows.append((recording, start, end, ("Klingel", "घंटी")[second % 2]))
    regions = _table("recording,start,end", spans)
    return {"events.csv": _table("recording,start,end,label", rows), "regions.csv": regions}


def _meetings(name, draw):
    rows = []
    for number in range(12):
        session, time = f"{name[:2]}_{number:02d}", 0.0
        for _ in range(10):
            end = round(time + draw.uniform(0.5, 4), 2)
            rows.append((session, draw.choice(["anna", "ravi", "uma"]), time, end, draw.choice(WORDS)))
            time = round(max(0, end + draw.uniform(-1, 1)), 2)
    return {"meetings.csv": _table("session_id,speaker,start_time,end_time,words", sorted(rows))}


SPEAKERS = partial(_turns, labels=("anna", "ravi", "uma"))

TASKS = {
    "decisions": (
        "{kind: decisions, classes: [gesund, krank], positive: krank, id: Aufnahme, item: recording}",
        _classes(lambda draw, _: draw.choice(["gesund", "krank", "krank"]), "Aufnahme"),
    ),
    "three decisions": ("{kind: decisions, classes: [A, B, C]}", _classes(lambda _, n: "ABC"[n % 3])),
    "votes": (
        "{kind: decisions, classes: [A, B, C], pool: vote, item: recording, unit_plural: Leute}",
        _classes(lambda _, n: "ABC"[n % 12 % 3]),
    ),
    "mean scores": (
        "{kind: decisions, classes: [gesund, krank], positive: krank, pool: mean, threshold: 2, item: recording}",
        _classes(lambda _, n: ["gesund", "krank"][n % 12 % 2]),
    ),
    "ratings": ("{kind: ratings, raters: [Anna, Ravi], scale: [1, 7], item: answer}", _ratings),
    "half points": ("{kind: ratings, raters: 25, scale: [1, 7], step: 0.5}", _half_points),
    "scores": ("{kind: scores, scale: [0, 10], step: 0.5, second: zweite, control: dauer}", _scores),
    "levels": ("{kind: scores, scale: [0, 10], level: system}", _systems),
    "questions": (
        "{kind: several, mean: [Erregung, valenz], item: clip, questions: {"
        "gefühl: {kind: decisions, classes: [froh, ernst], positive: froh}, "
        "Erregung: {kind: scores, scale: [1, 7], primary: ccc}, "
        "valenz: {kind: scores, scale: [1, 7], step: 1, primary: ccc}}}",
        _emotions,
    ),
    "words": ("{kind: transcripts, normalise: [nfkc, casefold, {drop: [äh, hm]}], item: utterance}", SAID),
    "means": (
        "{kind: transcripts, mean_over: {column: region, groups: drawn}, primary: cer, item: utterance}",
        _regions,
    ),
    "code-switching": (
        "{kind: transcripts, tags: [de, hi], normalise: [casefold], item: utterance}",
        _switched,
    ),
    "characters": ("{kind: transcripts, units: characters, item: utterance}", SAID),
    "phones": ("{kind: transcripts, units: phones, phones: [ʃ, 'aː', t, k]}", _phones("ʃ", "aː", "t", "k")),
    "pronunciations": (
        "{kind: transcripts, units: phones, phones: [zh, z, ong1, ong4], canonical: canonical}",
        _pronounced,
    ),
    "arpabet": ("{kind: transcripts, units: phones, phones: arpabet}", _phones("HH", "AA", "T", "K")),
    "identification": ("{kind: identification, classes: [Deutsch, Hindi, Tamil], item: clip}", LANGUAGES),
    "posteriors": ("{kind: identification, classes: [Deutsch, Hindi, Tamil], scores: posteriors}", LANGUAGES),
    "out of set": (
        "{kind: identification, classes: [Deutsch, Hindi, Tamil, Türkçe, Polski], out_of_set: andere}",
        _classes(lambda _, number: ("Deutsch", "Hindi", "Tamil", "Türkçe", "Polski", "andere")[number % 6]),
    ),
    "target": ("{kind: identification, target: echt, item: recording}", FAKES),
    "pairs": ("{kind: identification, target: echt, other_unit: probe, eer: nearest}", _pairs),
    "spoofing": (
        "{kind: identification, target: echt, classes: [echt, tts, vc], priors: {echt: 0.9, tts: 0.05, vc: 0.05}, "
        "costs: {c_miss: 1, tts: 10, vc: 10}, tandem: {miss: 0.1, false_alarm: 0.1, spoof: 0.5}, eer: nearest}",
        FAKES,
    ),
    "turns": ("{kind: turns, classes: [Deutsch, Hindi]}", _turns),
    "events": ("{kind: events, classes: [Klingel, घंटी], rate: 20, item: Aufnahme}", _events),
    "meetings": ("{kind: meetings, collar: 3, normalise: [casefold], item: meeting}", _meetings),
    "speakers": ("{kind: turns, mapping: optimal, collar: 0.25, overlap: skipped}", SPEAKERS),
}
"""A task of every kind, `name -> (declaration, function that makes a set's files)`."""


def declared_folder(task):
    """Return the files of a competition folder, `name -> text`."""
    declaration, make = TASKS[task]
    files = {"competition.yaml": SETTINGS.format(task=declaration)}
    for name in SIZES:
        made = make(name, random.Random(f"{task} {name}"))
        files.update({f"reference_data/aufgabe/{name}/{file}": text for file, text in made.items()})
    return files


def kind_of(task):
    return TASKS[task][0].partition("kind: ")[2].partition(",")[0]
