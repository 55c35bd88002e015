"""Synthetic MERLIon CCS data: labels and regions in the official format, and hypotheses of known quality.

No data of the study's participants are included. Numbers and lengths of segments, recordings and audio follow Table 1
of the MERLIon CCS Challenge Evaluation Plan 1.2 (2023); everything else is random. Audio names have the official form,
with participants P9xxxx, who do not exist.

`python -m sample_data` writes the small sets to `reference_data/`. Only uniform random numbers are drawn, so
that a seed gives the same bytes with every version of numpy.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pandas as pd

from sample_data.merlion_detector import write_detected


class Tables(NamedTuple):
    """One set: labels and regions as distributed, and the length of each recording's audio (`length`, ms)."""

    labels: pd.DataFrame
    regions: pd.DataFrame
    recordings: pd.DataFrame


class Published(NamedTuple):
    """A column of Table 1. Segments: their number, and their median and mean length in ms."""

    recordings: int
    one_language: int
    audio: int  # s
    other_speech: int  # s
    english: tuple[int, float, float]
    mandarin: tuple[int, float, float]
    first_participant: int


PUBLISHED = {
    "development": Published(
        150, 28, 28 * 3600 + 36 * 60 + 28, 14, (40287, 1125, 1443.84), (9983, 900, 1106.41), 90001
    ),
    "evaluation": Published(
        154, 33, 28 * 3600 + 47 * 60 + 14, 19, (39473, 1120, 1454.73), (9766, 930, 1173.87), 91001
    ),
}
SEEDS = {"development": 2301, "evaluation": 2302}
"""Seeds of the small sets in the repository."""

PAIRS = 56
SIZES = {"small": (28, 560), "short": (8, 320)}
"""Recordings and scored segments of sets that are smaller than the published ones."""
MINUTE = 60_000
SESSION, ANNOTATED = (3 * MINUTE, 35 * MINUTE), (2 * MINUTE, 25 * MINUTE)  # ms, shortest and longest
LABEL_COLUMNS = ["audio_name", "utt_id", "start", "end", "length", "language_tag", "overlap_diff_lang"]
LABEL_COLUMNS += ["dev_eval_status"]
LANGUAGES = ("English", "Mandarin")


def generate(size: str, set: str, seed: int) -> Tables:
    """Return the `set` ("development" or "evaluation") in size "full", as in Table 1, or in one of the `SIZES`.

    The number of segments that do not overlap the other language, and their median and mean lengths, are those of
    Table 1; segments with `overlap_diff_lang` True are additional. A smaller set has the same proportions, and shorter
    sessions.
    """
    published = PUBLISHED[set]
    if size in SIZES:
        published = _shrink(published, *SIZES[size])
    elif size != "full":
        raise ValueError(f"size {size!r}; expected 'full', 'small' or 'short'")
    rng = np.random.default_rng(seed)
    scale = published.audio / published.recordings / (PUBLISHED[set].audio / PUBLISHED[set].recordings)
    names = _audio_names(rng, published)
    share = _mandarin_shares(rng, published)
    counts = _segments_per_recording(rng, published, share)
    lengths = [
        np.split(_shuffled(rng, _lengths(rng, *segments)), np.cumsum(per_recording)[:-1])
        for segments, per_recording in zip((published.english, published.mandarin), counts, strict=True)
    ]
    other = _other_speech(rng, published)

    labels, regions, annotated_end = [], [], []
    for index, (name, english, mandarin) in enumerate(zip(names, *lengths, strict=True)):
        units = _units(rng, english.tolist(), mandarin.tolist())
        units += [[("Non-Evaluated-Speech", 0, each)] for each in other.get(index, [])]
        segments, spans = _lay_out(rng, _in_bursts(rng, units), scale)
        labels.append(_label_table(name, segments, set))
        regions += [(name, *span) for span in spans]
        annotated_end.append(spans[-1][1])
    audio = _session_lengths(rng, np.array(annotated_end), published.audio * 1000, scale)
    return Tables(
        pd.concat(labels, ignore_index=True),
        pd.DataFrame(regions, columns=["audio_name", "start", "end"]),
        pd.DataFrame({"audio_name": names, "length": audio}),
    )


def scored_segments(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the segments of Task 1: English and Mandarin, without overlap with the other language, in order."""
    return labels[labels.language_tag.isin(LANGUAGES) & ~labels.overlap_diff_lang]


def write_identification_set(tables: Tables, folder: Path) -> list[Path]:
    """Write `labels.csv` into `folder`; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    tables.labels.to_csv(folder / "labels.csv", index=False, lineterminator="\n")
    return [folder / "labels.csv"]


def write_diarization_set(tables: Tables, folder: Path) -> list[Path]:
    """Write `labels.csv` and `regions.csv` into `folder`; return the files."""
    written = write_identification_set(tables, folder)
    tables.regions.to_csv(folder / "regions.csv", index=False, lineterminator="\n")
    return [*written, folder / "regions.csv"]


WRITERS = {
    "merlion_identification": write_identification_set,
    "merlion_diarization": write_diarization_set,
}
"""`task -> function that writes its gold standard`."""


def identification_scores(labels: pd.DataFrame, quality: str, seed: int) -> np.ndarray:
    """Return English and Mandarin scores of the scored segments, shape (n, 2).

    `quality`: "perfect"; "baseline", about the published baseline's EER (22.13 % over both trials); "random".
    """
    is_english = (scored_segments(labels).language_tag == "English").to_numpy()
    direction = np.where(is_english, 1.0, -1.0)
    noise = _normal(np.random.default_rng(seed), len(direction))
    if quality == "perfect":
        score = direction
    elif quality == "baseline":
        score = noise - NormalDist().inv_cdf(0.2213) * direction
    elif quality == "random":
        score = noise
    else:
        raise ValueError(f"quality {quality!r}; expected 'perfect', 'baseline' or 'random'")
    return np.stack([score, -score], axis=1).round(6)


def write_identification(labels: pd.DataFrame, scores: np.ndarray, folder: Path, *, lines: int = 1) -> None:
    """Write `prediction.txt` into `folder`, with 1 or 2 `lines` for each segment: the plan's two formats."""
    segments = scored_segments(labels)
    ids = segments.audio_name.str.replace(r"\.wav$", "", regex=True) + "_" + segments.utt_id
    ids += "_" + segments.start.astype(str) + "_" + segments.end.astype(str)
    pattern = {1: "{0} {1} {2}\n", 2: "{0} 0 {1}\n{0} 1 {2}\n"}[lines]
    text = "".join(pattern.format(*row) for row in zip(ids, *scores.T.tolist(), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prediction.txt").write_text(text, newline="\n")


def diarization_turns(tables: Tables, quality: str, seed: int) -> pd.DataFrame:
    """Return turns `audio_name, start, end, language_tag`, with times in ms.

    `quality`: "perfect", the reference's turns; "perturbed", with boundaries moved by up to 150 ms, one turn in eight
    missing and one in eight with the other language; "random", consecutive turns of random length and language over the
    whole audio.
    """
    rng = np.random.default_rng(seed)
    if quality == "random":
        parts = []
        for name, length in tables.recordings.itertuples(index=False):
            boundaries = np.unique(np.append((rng.random(length // 2000 + 1) * length).round(), length))
            language = np.where(rng.random(len(boundaries) - 1) < 0.5, *LANGUAGES)
            part = pd.DataFrame({"start": boundaries[:-1], "end": boundaries[1:], "language_tag": language})
            parts.append(part.assign(audio_name=name)[rng.random(len(part)) < 0.8])
        turns = pd.concat(parts, ignore_index=True)
    else:
        turns = tables.labels[tables.labels.language_tag.isin(LANGUAGES)].copy()
        if quality == "perturbed":
            turns = turns[rng.random(len(turns)) >= 1 / 8]
            other = turns.language_tag.map(dict(zip(LANGUAGES, LANGUAGES[::-1], strict=True)))
            turns["language_tag"] = turns.language_tag.where(rng.random(len(turns)) >= 1 / 8, other)
            turns["start"] = (turns.start + (300 * rng.random(len(turns)) - 150).round()).clip(lower=0)
            turns["end"] = turns.end + (300 * rng.random(len(turns)) - 150).round()
            turns = turns[turns.end > turns.start]
        elif quality != "perfect":
            raise ValueError(f"quality {quality!r}; expected 'perfect', 'perturbed' or 'random'")
    return turns[["audio_name", "start", "end", "language_tag"]].astype({"start": float, "end": float})


def write_diarization(tables: Tables, turns: pd.DataFrame, folder: Path) -> None:
    """Write one `.txt` for each recording into `folder`, named as the audio; empty for a recording without turns."""
    folder.mkdir(parents=True, exist_ok=True)
    by_name = dict(list(turns.groupby("audio_name")))
    for name in tables.recordings.audio_name:
        rows = by_name.get(name, turns[:0])[["start", "end", "language_tag"]].itertuples(index=False)
        text = "".join(f"{start} {end} {language}\n" for start, end, language in rows)
        (folder / name.replace(".wav", ".txt")).write_text(text, newline="\n")


def _shrink(published: Published, recordings: int, segments: int) -> Published:
    english, mandarin = published.english[0], published.mandarin[0]
    ratio = segments / (english + mandarin)
    return published._replace(
        recordings=recordings,
        one_language=round(published.one_language / published.recordings * recordings),
        audio=round(published.audio * ratio),
        other_speech=3,
        english=(round(english * ratio), *published.english[1:]),
        mandarin=(round(mandarin * ratio), *published.mandarin[1:]),
    )


def _audio_names(rng: np.random.Generator, published: Published) -> list[str]:
    """Return the audio names of 56 parent-child pairs, each recorded up to three times."""
    names = []
    for index in range(published.recordings):
        participant = published.first_participant + index % PAIRS
        visit = index // PAIRS + 1
        number = 90_000_000 + int(rng.random() * 10_000_000)
        names.append(f"TTS_P{participant}TT_VCST_ECxxx_{visit:02d}_AO_{number}_v001_R004_CRR_MERLion-CCS.wav")
    return sorted(names)


def _mandarin_shares(rng: np.random.Generator, published: Published) -> np.ndarray:
    """Return the share of Mandarin in each recording's speech: 0 or 1 if it has one language, else 0.0085 to 0.807.

    The range is that of the plan; the weight of small shares follows from the totals.
    """
    share = np.clip(rng.random(published.recordings) ** 3, 0.0085, 0.807)
    share[: published.one_language] = 0.0
    share[: round(0.3 * published.one_language)] = 1.0
    return _shuffled(rng, share)


def _segments_per_recording(
    rng: np.random.Generator, published: Published, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of English and Mandarin segments in each recording; they add up to the published numbers."""
    size = 0.35 + 1.6 * rng.random(len(share)) ** 2  # relative amount of speech
    return (
        _apportion(published.english[0], size * (1 - share)),
        _apportion(published.mandarin[0], size * share),
    )


def _apportion(total: int, weights: np.ndarray) -> np.ndarray:
    """Return integers that sum to `total`, in proportion to `weights` (largest remainder), at least 1 if positive."""
    least = (weights > 0).astype(int)
    quota = (total - least.sum()) * weights / weights.sum()
    whole = np.floor(quota).astype(int)
    missing = total - least.sum() - whole.sum()
    whole[np.argsort(whole - quota, kind="stable")[:missing]] += 1
    return whole + least


def _lengths(rng: np.random.Generator, n: int, median: float, mean: float) -> np.ndarray:
    """Return `n` lognormal lengths in whole ms with this median and mean: one in each n-quantile."""
    sigma = np.sqrt(2 * np.log(mean / median))
    normal = [NormalDist().inv_cdf(p) for p in (np.arange(n) + 0.05 + 0.9 * rng.random(n)) / n]
    lengths = median * np.exp(sigma * np.array(normal))
    return np.maximum(80, np.rint(lengths)).astype(int)


def _other_speech(rng: np.random.Generator, published: Published) -> dict[int, list[int]]:
    """Return lengths of speech in other languages, in a few recordings; they add up to the published total."""
    n = max(3, published.other_speech // 2)
    lengths = _apportion(published.other_speech * 1000, 0.3 + rng.random(n))
    by_recording: dict[int, list[int]] = {}
    for length in lengths.tolist():
        by_recording.setdefault(int(rng.random() * published.recordings), []).append(length)
    return by_recording


def _units(rng: np.random.Generator, english: list[int], mandarin: list[int]) -> list[list]:
    """Return groups of segments (tag, start, end from the group's start) that stay together on the time line.

    Most groups are single segments. One segment in twelve overlaps the next of its language; noises occur alone or
    during speech; if a recording has both languages, about one pair of segments in fifty overlaps across languages.
    """
    units: list[list] = []
    spoken = [("English", length) for length in english] + [("Mandarin", length) for length in mandarin]
    for language, length in spoken:
        previous = units[-1] if units else None
        if previous and len(previous) == 1 and previous[0][0] == language and rng.random() < 1 / 12:
            onset = int(previous[0][2] * (0.5 + 0.5 * rng.random()))
            previous.append((language, onset, onset + length))
        else:
            units.append([(language, 0, length)])
    for unit in units:
        if rng.random() < 0.02:
            onset = int(unit[0][2] * rng.random())
            unit.append(("NON_SPEECH", onset, onset + 200 + int(800 * rng.random())))
    units += [[("NON_SPEECH", 0, 200 + int(1200 * rng.random()))] for _ in range(round(0.08 * len(spoken)))]
    if english and mandarin:
        for _ in range(max(1, round(len(spoken) / 100))):
            first, second = LANGUAGES if rng.random() < 0.5 else LANGUAGES[::-1]
            length, onset = 500 + int(1500 * rng.random()), int(450 * rng.random())
            units.append([(first, 0, length), (second, onset, onset + 200 + int(1300 * rng.random()))])
    return units


def _in_bursts(rng: np.random.Generator, units: list[list]) -> list[list]:
    """Return the units in random order, in which a language mostly follows itself."""
    bursts = 1 + len(units) // 12
    mandarin = np.array([unit[0][0] == "Mandarin" for unit in units])
    key = np.floor(bursts * rng.random(len(units))) + 0.5 * mandarin + 0.6 * rng.random(len(units))
    return [units[index] for index in np.argsort(key, kind="stable")]


def _lay_out(
    rng: np.random.Generator, units: list[list], scale: float
) -> tuple[list[tuple[str, int, int]], list[tuple[int, int]]]:
    """Return segments on the recording's time line, and the one or two evaluated regions around them."""
    time = int(8000 * scale * rng.random())
    region_start = time
    split = 1 + int(len(units) * (0.25 + 0.5 * rng.random())) if rng.random() < 0.3 else None
    segments, regions = [], []
    for index, unit in enumerate(units):
        if index == split:
            regions.append((region_start, time))
            time += int((5000 + 20000 * rng.random()) * scale)
            region_start = time
        if rng.random() > 0.15:  # else it follows without a pause, as after a switch of language
            time += int(-200 * np.log(1 - rng.random()))
        segments += [(tag, time + start, time + end) for tag, start, end in unit]
        time += max(end for _, _, end in unit)
    time += int(500 * rng.random()) + 1
    shortfall = round(ANNOTATED[0] * scale) - (time - region_start) - sum(e - s for s, e in regions)
    regions.append((region_start, time + max(0, shortfall)))
    return sorted(segments, key=lambda each: each[1:]), regions


def _session_lengths(
    rng: np.random.Generator, annotated_end: np.ndarray, total: int, scale: float
) -> np.ndarray:
    """Return the length of each recording's audio: at least to the end of its annotation, and `total` in sum."""
    least = np.maximum(annotated_end, round(SESSION[0] * scale))
    return least + _apportion(total - int(least.sum()), 0.1 + rng.random(len(least)) ** 4)


def _label_table(name: str, segments: list[tuple[str, int, int]], set: str) -> pd.DataFrame:
    tags, start, end = (np.array(column) for column in zip(*segments, strict=True))
    overlapping = np.zeros(len(tags), bool)
    english, mandarin = np.flatnonzero(tags == "English"), np.flatnonzero(tags == "Mandarin")
    meets = (start[english][:, None] < end[mandarin]) & (start[mandarin] < end[english][:, None])
    overlapping[english], overlapping[mandarin] = meets.any(axis=1), meets.any(axis=0)
    utterances = [f"a{number}" for number in range(1, len(tags) + 1)]
    columns = [name, utterances, start, end, end - start, tags, overlapping, set.capitalize()]
    return pd.DataFrame(dict(zip(LABEL_COLUMNS, columns, strict=True)))


def _shuffled(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return values[np.argsort(rng.random(len(values)), kind="stable")]


def _normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.array([NormalDist().inv_cdf(p) for p in 1e-12 + (1 - 2e-12) * rng.random(n)])


def submissions(task: str, name: str) -> dict[str, dict[str, bytes]]:
    """Return submissions for rehearsals, `name -> its files`: perfect and random."""
    tables = generate("small", name, SEEDS[name])
    made = {}
    for quality in ("perfect", "random"):
        with tempfile.TemporaryDirectory() as folder:
            if task == "merlion_identification":
                write_identification(
                    tables.labels, identification_scores(tables.labels, quality, 1), Path(folder), lines=2
                )
            else:
                write_diarization(tables, diarization_turns(tables, quality, 1), Path(folder))
            made[quality] = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return made


def write_samples(root: Path) -> list[Path]:
    """Write the small sets of both tasks and the speech found in them below the project's folder; return the files."""
    written = []
    for name, seed in SEEDS.items():
        tables = generate("small", name, seed)
        for task, write in WRITERS.items():
            written += write(tables, root / "reference_data" / task / name)
        written.append(write_detected(tables.labels, seed, root, name))
    return written
