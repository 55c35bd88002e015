"""The kits' modules import one another by their plain names, as they do when a participant runs them."""

import sys

from tests.samples.programs import ROOT

for kit in ("merlion/baseline", "psst/baseline", "baseline"):
    sys.path.append(str(ROOT / "starting_kit" / kit))
