"""The settings of `refused_settings.yaml`."""

from pathlib import Path

import yaml

REFUSED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
