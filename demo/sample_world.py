"""Makes the world `sqlite-docs` that comes with evocrawl: a part of SQLite's documentation.

    python -m demo.sample_world evocrawl/simulation/worlds/sqlite-docs.jsonl.gz

SQLite and its documentation are in the public domain (https://www.sqlite.org/copyright.html). The
pages are those that links lead to from the front page, without lists of versions and functions;
each has the first 2 600 characters of its text, and the topics of `demo.topics`.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from demo.debian_web import SOURCES, build_web
from demo.packages import cache_folder, fetch
from demo.world import lines_of

START = "http://www.sqlite.org/index.html"
CHARACTERS, LINKS = 2600, 60
_LEFT_OUT = re.compile(
    r"releaselog|/session/|/c3ref/|changes|/news|download|chronology|syntax/|sqlite.org$"
)


def cut(pages: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pages within reach of the front page, in the order of their distance."""
    order = [START]
    for url in order:
        targets = dict.fromkeys(link["url"] for link in pages[url]["links"])
        order += [
            each for each in targets
            if each in pages and each not in order and not _LEFT_OUT.search(each)
        ]  # fmt: skip
    return [_row(pages[url], set(order)) for url in order]


def _row(page: dict[str, Any], kept: set[str]) -> dict[str, Any]:
    anchors = {link["url"]: link.get("anchor", "")[:60] for link in reversed(page["links"])}
    links = [
        {"url": url, "anchor": anchors[url]}
        for url in dict.fromkeys(link["url"] for link in page["links"])
        if url in kept and url != page["url"]
    ]
    text = " ".join(page["text"].split())[:CHARACTERS]
    row = {"url": page["url"], "title": page["title"][:100], "text": text, "lang": "en"}
    return {**row, "topics": page.get("topics", []), "links": links[:LINKS]}


def main() -> int:
    """Write the file."""
    sources = [each for each in SOURCES if each.package == "sqlite3-doc"]
    web = build_web(fetch([each.package for each in sources], cache_folder()), sources)
    pages = {line["url"]: line for line in lines_of(web, {}) if line.get("text")}
    lines = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in cut(pages)]
    text = "".join(f"{line}\n" for line in lines).encode()
    Path(sys.argv[1]).write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(lines)} pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
