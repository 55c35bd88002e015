"""Audio baseline of Task A: all-phone decoding with pocketsphinx.

    python3 baseline/recognise.py development OUTPUT_DIR --audio DIR

DIR is the corpus's folder to which the list's file names (`audio/bnt/...`) are relative. Writes
OUTPUT_DIR/transcripts.tsv. With --posteriors FILE.npz it also writes the probability of each phone in each frame of 10
ms.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kit import read_list
from phones import PHONES, listener, posteriors
from psst_kit import Recognised, write_transcripts
from recordings import arguments, find_recordings, read_samples, with_progress


def main() -> None:
    parser = arguments("Transcribe recordings phone by phone.")
    parser.add_argument(
        "--posteriors", type=Path, metavar="FILE.npz", help="also write the phone probabilities of each frame"
    )
    parser.add_argument(
        "--triphones", action="store_true", help="more accurate phones, in about 30 times the time"
    )
    options = parser.parse_args()
    rows = read_list(options.set)
    ids, prompts = ([row[column] for row in rows] for column in ("utterance_id", "prompt"))
    recordings = find_recordings(options.audio, [row["filename"] for row in rows])
    with listener(triphones=options.triphones) as hear:
        heard = [hear(read_samples(path)) for path in with_progress(recordings, doing="Recognised")]
    write_transcripts(Recognised(ids, prompts, [each.phones for each in heard]), options.output)
    if options.posteriors:
        frames = {item: posteriors(each.log_likelihoods) for item, each in zip(ids, heard)}
        np.savez_compressed(str(options.posteriors), **{"phones": np.array(PHONES), **frames})


if __name__ == "__main__":
    main()
