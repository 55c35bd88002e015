#!/usr/bin/env python3
"""The organiser's command line, run from a clone. `python build_bundle.py --help` lists the commands."""

import sys

from speechbundles.cli import main

if __name__ == "__main__":
    sys.exit(main())
