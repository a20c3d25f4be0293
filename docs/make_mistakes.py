"""Writes docs/guide/mistakes.md: twenty mistakes, and the output of each when it is made.

    python docs/make_mistakes.py

Needs some minutes, since each mistake is a process of its own.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

PAGE = Path(__file__).parent / "guide" / "mistakes.md"
CRAWL = "scrapy crawl evospider -a query=coral"
COMMANDS = (
    f"{CRAWL} -a seed=https://example.org/",
    f"{CRAWL} -a seeds=www.example.org",
    f"{CRAWL} -a maxrequests=500",
    f"{CRAWL} -a max_requests=many",
    f"{CRAWL} -a store=",
    f"{CRAWL} -a store=.",
    f"{CRAWL} -a species=evoo",
    f"{CRAWL} -a lower_bound=80 -a upper_bound=40",
    f"{CRAWL} -a relevance=classifier -a examples=marked",
    f"{CRAWL} -a stop=recall>190%",
    f"{CRAWL} -a dashboard=80800",
    f"{CRAWL} -s EVOCRAWL_MAXREQUESTS=500",
    "scrapy crawl evospider",
    "scrapy crawl evospider -a query=of",
    "evocrawl simm",
    "evocrawl sim sites:site=5 --out results",
    "evocrawl explain coral.sqlite https://example.org/",
    "evocrawl report coral.sqlite --out report.html",
    "evocrawl dashboard coral.sqlite --port 99999",
    "evocrawl export coral.sqlite --out coral.csv --format exel",
)
_HEAD = """\
# Mistakes

A wrong argument, setting, file or address ends in one line, with exit code 2 and without a
traceback. These are twenty examples with the output on a terminal.

```text
"""


def printed(command: str) -> tuple[str, int]:
    """Make a mistake in an empty folder; return what it prints, and the exit code."""
    name, *arguments = shlex.split(command)
    module = {"scrapy": "scrapy.cmdline", "evocrawl": "evocrawl.cli"}[name]
    call = "execute()" if name == "scrapy" else "sys.exit(main())"
    take = "execute" if name == "scrapy" else "main"
    code = f"import sys; from {module} import {take}; sys.argv[0] = {name!r}; {call}"
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "evocrawl.adapter.settings"}
    environment.pop("http_proxy", None)
    ours, theirs = os.openpty()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        read = b""
        with suppress(OSError):  # the other end is closed
            while more := os.read(ours, 65536):
                read += more
        os.close(ours)
        status = process.wait()
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", read.decode())
    return re.sub(r"(?m)^\d{4}-\d\d-\d\d [\d:]{8} ", "", text.replace("\r", "")).strip(), status


def main() -> int:
    """Make all mistakes; return 1 if one is not refused in one line with exit code 2."""
    parts, bad = [], 0
    for command in COMMANDS:
        text, code = printed(command)
        if code != 2 or len(text.splitlines()) != 1:
            bad = 1
            print(f"{command}: exit code {code}: {text}", file=sys.stderr)
        parts.append(f"$ {command}\n{text}\n")
    PAGE.write_text(_HEAD + "\n".join(parts) + "```\n")
    return bad


if __name__ == "__main__":
    sys.exit(main())
