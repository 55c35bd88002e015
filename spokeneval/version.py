"""The version that every result carries in its signature."""

__version__ = "0.4.0"
