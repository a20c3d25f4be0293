"""Runs a module as ``python -m MODULE`` does; Ctrl-C before it handles signals ends it in one line.

Python imports for a second or two before a crawl begins. Ctrl-C in that time, once or twice, would
print the traceback of whatever is being imported.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys


def main() -> None:
    """Run the module that the first argument names with the other arguments."""
    signal.signal(signal.SIGINT, _stop)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _stop(*_: object) -> None:
    os.write(2, b"stopped by Ctrl-C\n")
    os._exit(130)


if __name__ == "__main__":
    main()
