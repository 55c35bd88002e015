#!/usr/bin/env python3
"""The organiser's command line, run from a clone. `python build_bundle.py --help` lists the commands.

Without a command it builds all bundles.
"""

import sys

from speechbundles.cli import main

if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.argv.append("build")
    sys.exit(main())
