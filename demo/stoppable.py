"""Runs a module as ``python -m MODULE`` does.

Ctrl-C before it handles signals ends it with one line.
"""

from __future__ import annotations

import runpy
import sys

from evocrawl.adapter.early_stop import end_in_one_line


def main() -> None:
    """Run the module that the first argument names with the other arguments."""
    end_in_one_line()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
