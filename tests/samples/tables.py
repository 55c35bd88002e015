"""Tables of cases that are data, in YAML files."""

from pathlib import Path

import yaml


def table(name):
    """Read a file of this folder."""
    return yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text("utf-8"))
