"""A competition of an organiser's own, in a folder: data of every task that are in nothing like the sample's."""

import csv
import io
import json
import random
import re
from functools import partial

import build_bundle
from tests.samples.programs import ROOT, repository_with, write_files

SYLLABLES = (
    *("blan", "cro", "dwim", "fleg", "gru", "jasp", "klon"),
    *("mub", "nerf", "plux", "quav", "snid", "trog", "vask"),
)
PHONES = ("P", "B", "T", "D", "K", "G", "F", "V", "S", "Z", "M", "N", "L", "R", "AA", "IY", "UW", "EH")

FILLED_IN = {
    "the name of the organiser": "The Klonmub Institute",
    "an e-mail address for participants": "plux@klonmub.example",
    "the licence of your data, such as CC BY 4.0": "CC BY-NC 4.0",
    "the title": "Dwimfleg, a challenge",
}
DATES = ("2027-05-03 00:00:00", "2027-06-20 23:59:59", "2027-06-21 00:00:00", "2027-07-04 23:59:59")


def fill_in(text, days=DATES):
    """A new folder's `competition.yaml`, with everything said that it asks for."""
    text = re.sub(r'"(FILL IN[^"]*)"', r"'\1'", text)
    for hint, said in FILLED_IN.items():
        text = text.replace(f"'FILL IN: {hint}'", said)
    blocks = text.split("    phases:\n")
    for number, block in enumerate(blocks):
        dates = iter(days)
        blocks[number] = re.sub(r"'FILL IN: YYYY[^']*'", lambda _: f'"{next(dates)}"', block)  # noqa: B023
    return "    phases:\n".join(blocks)


def words(draw, count):
    return " ".join("".join(draw.choices(SYLLABLES, k=2)) for _ in range(count))


def table(header, rows, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def spoken_call(name, common, draw, size):
    answers = {f"Frage {words(common, 2)}": words(common, 3) for _ in range(5)}
    rows = []
    for number in range(size):
        prompt = list(answers)[number % 5]
        right, is_heard = draw.random() < 0.7, draw.random() < 0.9
        heard = answers[prompt] if right == is_heard else words(draw, 3)
        labels = ("correct", "correct") if right else ("incorrect", draw.choice(["correct", "incorrect"]))
        said = f"{heard} {words(draw, 1)}"
        rows.append([f"{name[0]}q{number}", prompt, f"{name[0]}q{number}.wav", heard, said, *labels])
    unit = "<prompt_unit><prompt>{}</prompt><response>{}</response></prompt_unit>"
    units = "".join(unit.format(*each) for each in answers.items())
    header = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning")
    return {
        f"reference_data/spoken_call/{name}/reference.csv": table(header, rows, "\t"),
        "starting_kit/spoken_call/data/grammar.xml": f"<prompts>{units}</prompts>",
    }


def call_features(draw):
    status, end = draw.choice(["specific", "general", "none"]), draw.choice(["completed", "hung_up"])
    return status, draw.randint(0, 5), draw.randint(0, 3), end


def caller_experience(name, common, draw, size):
    training = [(f"tcall{number}", *call_features(common), common.randint(1, 5)) for number in range(50)]
    calls, ratings = [], []
    for number in range(size):
        calls.append((f"{name[0]}call{number}", *call_features(draw)))
        rating = draw.randint(1, 5)
        given = (min(5, max(1, rating + draw.choice([-1, 0, 0, 1]))) for _ in range(3))
        ratings.append((calls[-1][0], *given))
    folder = "starting_kit/caller_experience/data"
    header = ("call_id", "classification_status", "recognition_errors", "operator_requests", "exit_status")
    people = ("call_id", "human1", "human2", "human3")
    return {
        f"reference_data/caller_experience/{name}/reference.csv": table(people, ratings),
        f"{folder}/{name}_calls.csv": table(header, calls),
        f"{folder}/training_calls.csv": table((*header, "rating"), training),
    }


def psst(task, name, common, draw, size):
    prompts = {words(common, 1): " ".join(common.choices(PHONES, k=5)) for _ in range(6)}
    rows, heard = [], []
    for number in range(size):
        prompt = list(prompts)[number % len(prompts)]
        is_correct = draw.random() < 0.6
        said = prompts[prompt] if is_correct else " ".join(draw.choices(PHONES, k=5))
        item = f"{name[0]}S{number // 4}-{number}-{prompt}"
        facts = (prompt, said, str(is_correct).upper(), 71.5, draw.randint(9000, 40000), item)
        rows.append((item, item[: item.index("-")], "BNT", *facts))
        heard.append((item, said if draw.random() < 0.8 else " ".join(draw.choices(PHONES, k=4))))
    accepted = {prompt: [phones] for prompt, phones in prompts.items()}
    header = ("utterance_id", "session", "test", "prompt", "transcript", "correctness", "aq_index")
    header = (*header, "duration_frames", "filename")
    folder = "starting_kit/psst/data"
    return {
        f"reference_data/{task}/{name}/utterances.tsv": table(header, rows, "\t"),
        f"{folder}/accepted_pronunciations.json": json.dumps(accepted),
        f"{folder}/{name}_transcripts.tsv": table(("utterance_id", "asr_transcript"), heard, "\t"),
    }


def merlion(task, name, common, draw, size):
    labels, regions = [], []
    for recording in range(max(3, size // 20)):
        audio, start = f"{name[0]}KLON_{recording}.wav", 100
        for number in range(20):
            end = start + draw.randint(500, 3000)
            tag = draw.choice(["English", "English", "Mandarin"])
            labels.append((audio, f"u{number}", start, end, end - start, tag, False))
            start = end + draw.randint(50, 900)
        regions.append((audio, 0, start))
    header = ("audio_name", "utt_id", "start", "end", "length", "language_tag", "overlap_diff_lang")
    files = {f"reference_data/{task}/{name}/labels.csv": table(header, labels)}
    if task.endswith("diarization"):
        files[f"reference_data/{task}/{name}/regions.csv"] = table(("audio_name", "start", "end"), regions)
        found = [(audio, begin, end) for audio, _, begin, end, *_ in labels if draw.random() < 0.9]
        files[f"starting_kit/{task}/data/{name}_speech.csv"] = table(("audio_name", "start", "end"), found)
    return files


def content_accuracy(name, common, draw, size):
    references = [(f"P{number // 2}", f"P{number // 2}-{number}", words(common, 12)) for number in range(8)]

    def response(draw, identifier, number):
        prompt, _, text = references[number % 8]
        score = draw.randint(1, 4)
        said = f"{' '.join(text.split()[: 3 * score])} {words(draw, 3)}"
        return (identifier, prompt, f"{identifier[0]}who{number % 9}"), score, said

    training = [response(common, f"tR{number}", number) for number in range(40)]
    tested = [response(draw, f"{name[0]}R{number}", number) for number in range(size)]
    header = ("response_id", "prompt_id", "speaker_id")
    folder = "starting_kit/content_accuracy/data"
    labels = [(*item, score, len(said.split())) for item, score, said in tested]
    heard = [(*item, said) for item, _, said in tested]
    learnt = [(*item, score, said) for item, score, said in training]
    place = f"reference_data/content_accuracy/{name}/reference.csv"
    return {
        place: table((*header, "human_score", "words"), labels),
        f"{folder}/{name}_responses.csv": table((*header, "asr_text"), heard),
        f"{folder}/references.csv": table(("prompt_id", "reference_id", "text"), references),
        f"{folder}/training_responses.csv": table((*header, "human_score", "asr_text"), learnt),
    }


MAKERS = {
    **{make.__name__: make for make in (spoken_call, caller_experience, content_accuracy)},
    **{f"psst_{task}": partial(psst, f"psst_{task}") for task in ("recognition", "correctness")},
    **{f"merlion_{task}": partial(merlion, f"merlion_{task}") for task in ("identification", "diarization")},
}


def own_data(task, size=60):
    """All data of a task, `name in the folder -> text`, with sets of `size` items or so; the same at every call."""
    challenge = task.partition("_")[0]  # whose tasks share data of the kit
    files = {}
    for name in ("development", "evaluation"):
        draws = random.Random(f"{challenge} {size}"), random.Random(f"{challenge} {name} {size}")
        files.update(MAKERS[task](name, *draws, size))
    return files


def begun_folder(folder, bundles):
    """A competition folder as `init` begins it, filled in and without data."""
    assert build_bundle.main(["init", str(folder), *bundles]) == 0
    settings = folder / "competition.yaml"
    settings.write_text(fill_in(settings.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def own_folder(folder, tasks, size=60):
    """A competition folder as `init` begins it, filled in and with all data."""
    begun_folder(folder, tasks)
    for task in tasks:
        write_files(folder, own_data(task, size))
    return folder


def set_in(folder, place, text):
    """Insert settings below the last `place` in the folder's `competition.yaml`; return their first line."""
    path = folder / "competition.yaml"
    before, found, after = path.read_text(encoding="utf-8").rpartition(f"\n{place}:\n")
    assert found
    path.write_text(f"{before}{found}{text}\n{after}", encoding="utf-8")
    return f"{before}{found}".count("\n") + 1


def series(folder, *settings):
    """Return a copy of the repository with settings before lines of competition.yaml, indented like these."""
    text = (ROOT / "competition.yaml").read_text(encoding="utf-8")
    for setting, before in settings:
        assert text.count(before) == 1
        text = re.sub(rf"(?m)^( *)(.*{re.escape(before)})", rf"\1{setting}\n\1\2", text)
    return repository_with(folder, {"competition.yaml": text})
