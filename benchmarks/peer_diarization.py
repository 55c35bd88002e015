"""Computes the diarization error rate from the files, with spy-der's C++ or with pyannote.metrics.

    python peer_diarization.py spyder|pyannote INPUT_DIR    (INPUT_DIR/ref/labels.csv, regions.csv, INPUT_DIR/res/*.txt)

It checks nothing. spy-der maps languages as if they were speakers, so its rate differs; only the time is compared.
"""

import sys
import warnings
from collections import defaultdict
from pathlib import Path

tool, inputs = sys.argv[1], Path(sys.argv[2])
reference, hypothesis, regions = defaultdict(list), defaultdict(list), defaultdict(list)
for line in (inputs / "ref" / "labels.csv").read_text().splitlines()[1:]:
    audio_name, _, start, end, _, tag, _, _ = line.split(",")
    if tag in ("English", "Mandarin"):
        reference[audio_name[:-4]].append((tag, float(start) / 1000, float(end) / 1000))
for line in (inputs / "ref" / "regions.csv").read_text().splitlines()[1:]:
    audio_name, start, end = line.split(",")
    regions[audio_name[:-4]].append((float(start) / 1000, float(end) / 1000))
for path in (inputs / "res").iterdir():
    for line in path.read_text().splitlines():
        start, end, tag = line.split()
        hypothesis[path.stem].append((tag, float(start) / 1000, float(end) / 1000))

if tool == "spyder":
    import spyder

    print(spyder.DER(reference, hypothesis, uem=regions, verbose=False))
else:
    warnings.simplefilter("ignore")
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.identification import IdentificationErrorRate

    def annotation(turns):
        result = Annotation()
        for track, (tag, start, end) in enumerate(turns):
            result[Segment(start, end), track] = tag
        return result.support()

    metric = IdentificationErrorRate()
    for name, spans in regions.items():
        uem = Timeline([Segment(*span) for span in spans])
        metric(annotation(reference[name]), annotation(hypothesis[name]), uem=uem)
    print("der", 100 * abs(metric))
