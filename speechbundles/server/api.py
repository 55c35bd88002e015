"""The client of the platform on whose servers the commands work: its requests, its connection and its accounts."""

from speechbundles.platforms.codabench.client import *  # noqa: F403
