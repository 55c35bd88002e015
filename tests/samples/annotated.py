"""Annotations of recordings as ELAN, Praat and Audacity save and export them."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from praatio.data_classes.interval_tier import IntervalTier
from praatio.textgrid import Textgrid
from pympi import Eaf

Tiers = Mapping[str, Sequence[tuple[float, float, str]]]
"""For each tier the start and end, in seconds, and the text of its annotations."""


def eaf(tiers: Tiers) -> bytes:
    made = Eaf(author="")
    made.remove_tier("default")
    for tier, turns in tiers.items():
        made.add_tier(tier)
        for start, end, text in turns:
            made.add_annotation(tier, round(1000 * start), round(1000 * end), text)
    with tempfile.TemporaryDirectory() as folder:
        made.to_file(str(Path(folder, "a.eaf")))
        return Path(folder, "a.eaf").read_bytes()


def text_grid(tiers: Tiers, *, short: bool = False) -> bytes:
    last = max(end for turns in tiers.values() for _, end, _ in turns)
    made = Textgrid(0, last)
    for tier, turns in tiers.items():
        made.addTier(IntervalTier(tier, list(turns), 0, last))
    with tempfile.TemporaryDirectory() as folder:
        form = "short_textgrid" if short else "long_textgrid"
        made.save(str(Path(folder, "a.TextGrid")), form, includeBlankSpaces=True)
        return Path(folder, "a.TextGrid").read_bytes()


def elan_text(tiers: Tiers, *, header: bool = True) -> bytes:
    """What ELAN exports as tab-delimited text: tier, participant, and times in two forms."""
    titles = [f"{each} - {form}" for each in ("Début", "Fin", "Durée") for form in ("hh:mm:ss.ms", "ss.msec")]
    lines = ["\t".join(["Tier", "", *titles, "default"])] if header else []
    for tier, turns in tiers.items():
        for start, end, text in turns:
            times = [
                f"00:{int(time // 60):02d}:{time % 60:06.3f}\t{time:.3f}"
                for time in (start, end, end - start)
            ]
            lines.append("\t".join([tier, "", *times, text]))
    return "".join(f"{line}\n" for line in lines).encode()


def label_track(turns: Sequence[tuple[float, float, str]]) -> bytes:
    return "".join(f"{start:.6f}\t{end:.6f}\t{text}\n" for start, end, text in turns).encode()


def label_studio(number: int, sound: str, given: Mapping[str, Tiers]) -> dict[str, Any]:
    """A task of Label Studio with the labels and texts of each annotator's regions; another one cancelled it."""
    annotations = []
    for place, (who, tiers) in enumerate([*given.items(), ("x@example.org", {"lost": [(0, 1, "lost")]})]):
        result: list[dict[str, Any]] = []
        for tier, turns in tiers.items():
            for start, end, text in turns:
                span = {"start": start, "end": end, "channel": 0}
                both = {"id": f"wavesurfer_{len(result)}", "to_name": "audio", "original_length": 70.5}
                label = {"from_name": "speaker", "type": "labels", "value": {**span, "labels": [tier]}}
                words = {
                    "from_name": "words",
                    "type": "textarea",
                    "value": {**span, "text": text.split(" ", 1)},
                }
                result += [{**both, **label}, {**both, **words}]
        relation = {"from_id": "a", "to_id": "b", "type": "relation", "direction": "right", "labels": []}
        about = {"id": 10 * number + place, "completed_by": {"id": place, "email": who}, "lead_time": 4.2}
        annotations.append(
            {
                **about,
                "was_cancelled": place == len(given),
                "result": [*result, relation],
                "created_at": "2026",
            }
        )
    data = {"audio": f"/data/upload/3/{number:08x}-{sound}.wav", "site": "Lyon"}
    return {
        "id": number,
        "data": data,
        "annotations": annotations,
        "drafts": [],
        "predictions": [],
        "meta": {},
    }
