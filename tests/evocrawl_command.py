"""The command `evocrawl`, as a program that `processes` can start."""

import sys

from evocrawl.cli import main

if __name__ == "__main__":
    sys.exit(main())
