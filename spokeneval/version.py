"""The version that every result carries in its signature."""

__version__ = "0.5.0"
