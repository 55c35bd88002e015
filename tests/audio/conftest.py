"""Put the kits' folders on the path, because their modules import one another by their plain names."""

import sys

from tests.samples.programs import ROOT

for kit in ("merlion/baseline", "psst/baseline", "baseline"):
    sys.path.append(str(ROOT / "starting_kit" / kit))
