"""The sections of events on a report."""

from __future__ import annotations

import spokeneval


def sections_of(folder, events, detections):
    """The sections of the report on six recordings of ten minutes, by title; speaker A is in several."""
    regions = "".join(f"r{number},0,600\n" for number in range(1, 7))
    rows = "".join(f"{row},A\n" for row in events)
    files = {
        "reference/events.csv": f"recording,start,end,label,speaker\n{rows}",
        "reference/regions.csv": f"recording,start,end\n{regions}",
        "submission/events.csv": "\n".join(["recording,start,end,label,score", *detections]),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    declared = {"kind": "events", "classes": ["Klingel", "घंटी"]}
    report = spokeneval.score(declared, folder / "reference", folder / "submission").report()
    parts = [part.partition("</h2>") for part in report.split("<h2>")[1:]]
    return {title: text for title, _, text in parts}


def test_what_was_missed_and_what_is_a_false_alarm_is_listed(tmp_path):
    """Of three events of each label, two and one are found, and another one at 1 false alarm in the hour."""
    events = ["r1,1.0,2.0,Klingel", "r1,5.0,,घंटी", "r2,3,4.5,Klingel", "r3,3,4.5,Klingel", "r4,3,4.5,घंटी"]
    detections = ["r1,1.1,2.1,Klingel,0.9", "r1,5.1,5.9,घंटी,0.8", "r2,3.0,4.2,Klingel,0.7"]
    detections += ["r2,3.1,4.2,Klingel,0.3", "r4,3,4.5,घंटी,0.4", "r6,5,6,Klingel,0.95"]
    found = sections_of(tmp_path, [*events, "r5,3,4.5,घंटी"], detections)
    assert "33.33 % of the events are missed at 1 false alarm an hour" in found["Misses and false alarms"]
    lines = found["Recordings, worst first"].split("\n")
    for row in (
        ("r5", "missed", "घंटी", "3.000", "4.500", ""),
        ("r6", "false alarm", "Klingel", "5.000", "6.000", "0.95"),
        ("r3", "1", "0", "1"),
        ("r6", "0", "1", "0"),
    ):
        assert any(all(f">{cell}<" in line for cell in row) for line in lines), row


def test_every_error_is_listed_and_no_recording_without_one(tmp_path):
    events = [f"r1,{second},,{label}" for label in ("Klingel", "घंटी") for second in range(1, 31)]
    found = sections_of(tmp_path, [*events, "r2,1,,Klingel"], ["r2,1,,Klingel,0.9"])
    listed = found["Recordings, worst first"]
    assert listed.count(">missed<") == 60
    assert ">r2<" not in listed
    none = sections_of(tmp_path, ["r1,1,,Klingel", "r1,2,,घंटी"], ["r1,1,,Klingel,1", "r1,2,,घंटी,1"])
    assert "Recordings, worst first" not in none
    assert "at the best of the thresholds that are counted for the whole set" in found["By speaker"]
