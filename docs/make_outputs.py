"""Writes docs/guide/outputs.md: one real crawl of each kind, with what it prints.

    python docs/make_outputs.py [--tools DIR]

Needs Chromium, the extras of the package and some minutes. The servers are on loopback. `--tools`
is a folder with the programs wacz, cdxj-indexer and mlcroissant (pip install wacz mlcroissant, in
an environment of their own); without it they are looked for on the PATH.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guide" / "outputs.md"
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from outputs_web import REEF, SITES  # noqa: E402

from evocrawl.simulation.server.proxy import LoopbackProxy  # noqa: E402

CRAWL = 'scrapy crawl evospider -a query="coral bleaching"'
HERE = "-s DOWNLOAD_DELAY=0"
_LOG = re.compile(r"^\d{4}-\d\d-\d\d [\d:]{8} \[([\w.-]+)\] (\w+): ")
_WIDTH = 150
_FEW = "^seeds: |^  pages |^  requests "
_MOST_LINES = 12
"""Lines of one answer to an agent."""
_WARCS = "warcs/*.warc.gz"
_HEAD = """\
# What each kind of crawl prints

One small crawl of each kind, with its output. `python docs/make_outputs.py` has made this page: it
serves the sites on loopback and runs every command. Long lines and long outputs are cut at `…`; of
a log only evocrawl's own lines are shown, without their times. `reef.example` has 24 pages, half of
them about coral bleaching; the text of the 14 pages of `app.example` comes by a script.

"""


class Writer:
    """Runs commands in `folder` and collects the page."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.parts = [_HEAD]

    def section(self, title: str, text: str = "") -> None:
        """Begin a section."""
        self.parts.append(f"## {title}\n\n" + (f"{text}\n\n" if text else ""))

    def block(self, shown: str, output: str, most: int = 30) -> None:
        """Add what was given and what was printed, of which `most` lines."""
        lines = [_short(each) for each in output.splitlines()]
        lines = [*lines[:most], "…"] if len(lines) > most else lines
        body = "\n".join([shown, *lines]).rstrip()
        self.parts.append(f"```text\n{body}\n```\n\n")

    def run(self, command: str, *, keep: str = "", given: str = "", most: int = 30) -> None:
        """Run a command whose exit code must be 0; show the lines that match `keep`."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.folder, env=self.environment, check=False,
            input=given, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        lines = [*_ours(done.stderr), *done.stdout.splitlines()]
        kept = [each for each in lines if re.search(keep, each)]
        self.block(f"$ {command.replace(f' {HERE}', '')}", "\n".join(kept), most)


def _ours(log: str) -> Iterator[str]:
    """Yield the lines of a log that are of evocrawl, or of no logger."""
    is_ours = True
    for line in log.splitlines():
        found = _LOG.match(line)
        if found is not None:
            is_ours = found[1].startswith("evocrawl")
        if is_ours:
            yield _LOG.sub("", line)


def _short(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def main() -> int:
    """Write the page; raise SystemExit for a command that fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tools", default="", help="folder of wacz, cdxj-indexer, mlcroissant")
    given = parser.parse_args()
    folders = [str(Path(sys.executable).parent), given.tools, os.environ["PATH"]]
    with tempfile.TemporaryDirectory() as folder, LoopbackProxy(SITES) as proxy:
        environment = {
            **os.environ,
            "PATH": os.pathsep.join(filter(None, folders)),
            "PYTHONPATH": str(ROOT),
            "SCRAPY_SETTINGS_MODULE": "evocrawl.adapter.settings",
            "http_proxy": proxy.url,
            "COLUMNS": str(_WIDTH),
        }
        writer = Writer(Path(folder), environment)
        for write in (seeds, browsers, python, agents, again, exports, archives):
            write(writer)
    PAGE.write_text("".join(writer.parts).rstrip() + "\n")
    return 0


def seeds(page: Writer) -> None:
    """One crawl for each source of seeds."""
    page.section(
        "Seeds",
        "A crawl from an address, with all that evocrawl logs; of the others only the lines about "
        "[seeds](seeds.md), pages and requests.",
    )
    page.run(
        f"{CRAWL} -a seeds=http://reef.example/ -a max_requests=20 -a store=coral.sqlite {HERE}"
    )
    (page.folder / "urls.txt").write_text(
        "http://reef.example/1 Coral reefs\nhttp://reef.example/3\n"
    )
    lists = "file:urls.txt", "store:coral.sqlite", "stdin:"
    sources = (
        "searxng:http://searx.example/", "mediawiki:http://wiki.example/w/api.php",
        "cdx:http://index.example/CC-MAIN-2026-40-index?url=*.reef.example",
        "sitemap:http://reef.example", "feed:http://reef.example/feed.xml",
    )  # fmt: skip
    for source in (*sources, *lists):
        given = "http://reef.example/5\n" if source == "stdin:" else ""
        piped = "echo http://reef.example/5 | " if given else ""
        page.run(f'{piped}{CRAWL} -a seeds="{source}" -a max_requests=5 {HERE}', keep=_FEW)
    chain = f"{sources[0]}missing {sources[2].replace('CC', 'BB')} {sources[1]}"
    page.run(
        f'{CRAWL} -s EVOCRAWL_SEED_SOURCES="{chain}" -a max_requests=12 {HERE}',
        keep=_FEW,
    )


def browsers(page: Writer) -> None:
    """The same site with each value of `browser`."""
    page.section(
        "Pages made by scripts",
        "Without a [browser](javascript.md) the pages of `app.example` have no text and no link; "
        "`auto` opens those that need it.",
    )
    for mode in ("never", "auto", "always"):
        stats = f"{mode}.json"
        page.run(
            f"{CRAWL} -a seeds=http://app.example/ -a browser={mode} -a max_requests=60 "
            f"-a browser_share=1 -s EVOCRAWL_STATS_FILE={stats} {HERE}",
            keep=_FEW,
        )
        found = json.loads((page.folder / stats).read_text())
        names = ("pages", "requests", "browser/pages", "browser/requests", "browser/shared")
        shown = {name: found.get(f"evocrawl/{name}", 0) for name in names}
        page.block(f"{stats}:", "\n".join(f"evocrawl/{name}: {shown[name]}" for name in names))


_PROGRAM = """\
import asyncio

import evocrawl


async def main() -> None:
    async with evocrawl.Crawl(
        "coral bleaching", ["http://reef.example/"], max_requests=8, settings={"DOWNLOAD_DELAY": 0}
    ) as crawl:
        async for page in crawl:
            print(f"{page.relevance:.2f} {page.title} {page.url}")
        print(await crawl.status())


asyncio.run(main())
"""


def python(page: Writer) -> None:
    """A program."""
    page.section("From Python", "A [program](python.md), and what it prints.")
    (page.folder / "program.py").write_text(_PROGRAM)
    page.parts.append(f"```python\n{_PROGRAM}```\n\n")
    page.run("python program.py")


def agents(page: Writer) -> None:
    """A session of an MCP client."""
    page.section(
        "An agent", "A session of the official [MCP](mcp.md) client with `evocrawl mcp`, on stdio."
    )
    lines = asyncio.run(_session(page.environment))
    page.block("$ evocrawl mcp --max-requests 20", "\n".join(lines), most=150)


async def _session(environment: dict[str, str]) -> list[str]:
    from mcp import Client, StdioServerParameters

    arguments = ["mcp", "--max-requests", "20", "-s", "DOWNLOAD_DELAY=0"]
    program = shutil.which("evocrawl", path=environment["PATH"]) or "evocrawl"
    server = StdioServerParameters(command=program, args=arguments, env=environment)
    lines: list[str] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        lines.append(f"progress {done:.0f} of {total:.0f}: {message}")

    async with Client(server) as client:

        async def call(tool: str, given: dict[str, Any]) -> Any:
            lines.append(f"> {tool} {json.dumps(given)}")
            answer = await client.call_tool(tool, given, progress_callback=note)
            text = "".join(part.text for part in answer.content).splitlines()
            lines.extend(text if len(text) <= _MOST_LINES else [*text[:_MOST_LINES], "…"])
            return answer.structured_content

        seed = "http://reef.example/"
        began = await call("start_crawl", {"query": "coral bleaching", "seeds": [seed]})
        name = began["crawl"]
        await call("status", {"crawl": name, "wait_s": 60})
        best = await call("results", {"crawl": name, "count": 1})
        await call("page", {"crawl": name, "url": best["results"][0]["url"]})
        await call("why", {"crawl": name, "url": best["results"][0]["url"]})
        await call("start_crawl", {"query": "coral", "max_requests": 21})
        await call("compare", {"earlier": name, "later": name})
        resource = f"evocrawl://crawls/{name}/results"
        lines.append(f"> read resource {resource}")
        lines.extend((await client.read_resource(resource)).contents[0].text.splitlines()[:2])
    return lines


def again(page: Writer) -> None:
    """A second crawl of a site that has changed, and what is new."""
    page.section(
        "The same site again",
        "Between the two crawls `reef.example` gets a new page, and another one a new text; its "
        "sitemap has the dates. Pages that have not changed are not requested.",
    )
    kept = f"-a store_bodies=true {HERE}"
    first = f"{CRAWL} -a seeds=sitemap:http://reef.example -a seeds_limit=30 -a max_requests=40"
    page.run(f"{first} -a store=october.sqlite -a warc=warcs {kept}", keep=_FEW)
    REEF.edition = 2
    page.run(
        f"{first} -a store=november.sqlite -a since=october.sqlite "
        f"-s EVOCRAWL_STATS_FILE=november.json {kept}",
        keep=_FEW,
    )
    found = json.loads((page.folder / "november.json").read_text())
    names = ("evocrawl/pages", "evocrawl/pages/unchanged", "evocrawl/requests")
    page.block("november.json:", "\n".join(f"{name}: {found[name]}" for name in names))
    page.run("evocrawl compare october.sqlite november.sqlite")
    page.run("evocrawl export november.sqlite --since october.sqlite --format csv --out -", most=6)


def exports(page: Writer) -> None:
    """The formats of `evocrawl export`."""
    page.section(
        "Exports", "The store of the crawl of October, in the [formats](durability.md#exports)."
    )
    store = "evocrawl export october.sqlite"
    page.run(f"{store} --out pages.jsonl && head -n 1 pages.jsonl")
    page.run(f"{store} --format markdown --out pages && ls pages", most=3)
    page.run("cat pages/000002-*.md")
    page.run(f"{store} --format datatrove --out trove.jsonl && head -n 1 trove.jsonl")
    page.run(f"{store} --format croissant --data pages.jsonl --out sheet.json")
    page.run("sed -n '/sc:Dataset/,$p' sheet.json", most=64)
    page.run("mlcroissant validate --jsonld sheet.json 2>&1 | sed 's/^[^]]*] //'")


def archives(page: Writer) -> None:
    """Archives, checked by the programs of others."""
    page.section("Archives", "What `-a warc=warcs` has written while the crawl of October ran.")
    page.run("ls warcs")
    page.run(f"warcio check -v {_WARCS}", most=7)
    page.run(f"warcio index -f warc-type,warc-target-uri,http:status {_WARCS}", most=5)
    page.run("evocrawl export october.sqlite --format warc --out october.warc.gz")
    page.run("warcio check -v october.warc.gz", most=5)
    page.run(f"wacz create -f {_WARCS} -o october.wacz && wacz validate -f october.wacz")


if __name__ == "__main__":
    sys.exit(main())
