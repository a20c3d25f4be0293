"""Measures how long hostile pages block the event loop, and the separate reading process.

Run: python benchmarks/hostile.py [--bytes 2000000] [--limit 10] [--only NAME …]

Each kind of page is grown twice: to the largest size that still counts as ordinary, which is read
on the event loop, and to `--bytes`, which is read in the process. The worst stall is that of an
asyncio loop with a heartbeat every millisecond, on which both are read as
`evocrawl.adapter.extractor` does.
The kinds are from reports against parsers and crawlers, and the slowest ones for this reader.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable

from evocrawl.extraction import Document, ParsedPage, ReadingProcess, is_costly, read

URL = "http://hostile.test/dir/page"
Kind = Callable[[int], bytes]


def repeated(piece: bytes, start: bytes = b"", end: bytes = b"") -> Kind:
    """Return the piece repeated; ``%d`` in it is a counter."""

    def grow(size: int) -> bytes:
        times = max((size - len(start) - len(end)) // len(piece), 0)
        if b"%d" in piece:
            return start + b"".join(piece.replace(b"%d", b"%d" % n) for n in range(times)) + end
        return start + piece * times + end

    return grow


def many_attributes(a_tag: int) -> Kind:
    """Return tags with many attributes each."""
    tag = b"<p " + b" ".join(b"a%d" % number for number in range(a_tag)) + b">x"
    return repeated(tag)


KINDS: dict[str, Kind] = {
    "one tag of attributes": repeated(b"a%d=1 ", b"<p ", b"><a href=/ok>k</a>"),
    "tags of 1300 attributes": many_attributes(1300),
    "tags of 200 attributes": many_attributes(200),
    "nested div": repeated(b"<div>"),
    "nested b i": repeated(b"<b><i>"),
    "<a href=/1><p>": repeated(b"<a href=/1><p>"),
    "<a href=/%d><p>": repeated(b"<a href=/%d><p>"),
    "links": repeated(b"<a href=/%d>x</a>"),
    "links without end": repeated(b"<a href=/%d>x "),
    "links to hosts": repeated(b"<a href=http://h%d.test/?b=%d&a=1>x</a>"),
    "links in Unicode": repeated("<a href='http://é%d.test/ü ?b=ä&a=%d;x'>x</a>".encode()),
    "malformed links": repeated(b"<a href='http://[%d/'>x</a>"),
    "long links": repeated(b"<a href='/" + 100 * b"%C3%A4/.././" + b"%d'>x</a>"),
    "links to one place": repeated(b"<a href=/1></a>"),
    "iframes": repeated(b"<iframe src=/%d></iframe>"),
    "items of a list": repeated(b"<li><a href=/%d>some words</a> and more", b"<ul>"),
    "a long base": repeated(b"<a href=%d>x</a>", b"<base href='/" + 2000 * b"x" + b"/'>"),
    "tables": repeated(b"<table><tr><td>"),
    "forms": repeated(b"<form><p>"),
    "font and p": repeated(b"<font><p>x</font>"),
    "b and p": repeated(b"<b><p>x</b>"),
    "definitions": repeated(b"<dl><dt>x<dd>y"),
    "line breaks": repeated(b"<br>"),
    "pictures": repeated(b"<img alt=x>"),
    "hidden paragraphs": repeated(b"<p hidden>x"),
    "styles": repeated(b"<p style='a:b'>x"),
    "cookie banners": repeated(b"<div class=cookie>x</div>"),
    "one in another, of cookies": repeated(b"<div id=cookie><h2>x</h2>"),
    "hosts in Unicode": repeated("<a href=//\u00df%d.test>x</a>".encode()),
    "hosts that are none": repeated(b"<a href='//a b%d.test'>x</a>"),
    "titles of drawings": repeated(b"<svg><g><title>x</title></g></svg>"),
    "titles in a drawing": repeated(b"<title>x</title>", b"<svg>" + b"<g>" * 240),
    "metas of an unknown charset": repeated(b"<meta charset=x%d>\xff"),
    "references to controls": repeated(b"&#0000001;"),
    "ampersands": repeated(b"&", b"<rss><item><title>"),
    "navigation": repeated(b"<nav>x</nav>"),
    "comments": repeated(b"<!--x-->"),
    "comments without end": repeated(b"<!--"),
    "scripts without end": repeated(b"</scrip ", b"<script>"),
    "end tags": repeated(b"</p>"),
    "less-than signs": repeated(b"<"),
    "entities": repeated(b"&a"),
    "words": repeated(b"word%d "),
    "one word": repeated(b"w"),
    "Chinese": repeated("深海采矿".encode()),
    "SVG": repeated(b"<svg><g>"),
    "microdata": repeated(b"<p itemscope itemprop=x property=y>x"),
    "dates": repeated(b"<time datetime=2020-01-01>x</time>"),
    "JSON-LD": repeated(b"[", b"<script type=application/ld+json>"),
    "JSON": repeated(b"1,", b"["),
    "UTF-16": lambda size: ("\ufeff" + "x<p>" * (size // 8)).encode("utf-16-le"),
    "bytes of no encoding": repeated(bytes(range(128, 256))),
    "feed": repeated(
        b"<item><title>t%d</title><link>/%d</link><description>&lt;p></description></item>",
        b"<rss><channel>",
    ),
    "sitemap": repeated(b"<url><loc>http://hostile.test/%d</loc></url>", b"<urlset>"),
    "feed of depth": repeated(b"<item>", b"<rss><channel>"),
    "feed of attributes": repeated(b" a%d='1'", b"<rss><channel"),
    "feed of bases": repeated(
        b"<entry xml:base='%d/'><link href='x'/></entry>",
        b"<feed>" + b"<x xml:base='abcdefgh/'>" * 240,
    ),
    "entity bomb": repeated(
        b"<item><title>&b;</title></item>",
        b"<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><rss>",
    ),
}


def document(body: bytes) -> Document:
    """Return the response of a server that labels everything as HTML unless it is XML."""
    is_xml = body[:4] in (b"<rss", b"<url", b"<!DO")
    kind = "application/xml" if is_xml else "text/html"
    return Document(body, URL, kind, is_html=not is_xml, is_text=True)


def largest_ordinary(kind: Kind) -> Document:
    """Return the largest page of the kind, to 1 %, that counts as ordinary."""
    low, high = 0, 1_000_000
    while high - low > low // 100 + 64:
        middle = (low + high) // 2
        low, high = (low, middle) if is_costly(document(kind(middle))) else (middle, high)
    return document(kind(low))


class Heartbeat:
    """Measures the longest time between two beats."""

    worst_s = 0.0

    async def beat(self) -> None:
        """Beat for ever."""
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            self.worst_s = max(self.worst_s, now - last)
            last = now


async def measure(page: Document, process: ReadingProcess) -> tuple[float, float, ParsedPage]:
    """Return the worst stall, the seconds of reading (on the loop CPU time), and the page."""
    heart = Heartbeat()
    beating = asyncio.create_task(heart.beat())
    await asyncio.sleep(0.01)
    begin = time.perf_counter()
    if is_costly(page):
        reading = await asyncio.to_thread(process.read, page)
        took = time.perf_counter() - begin
    else:
        begin = time.thread_time()
        reading = read(page)
        took = time.thread_time() - begin
    await asyncio.sleep(0.01)
    beating.cancel()
    return heart.worst_s, took, reading


async def run(size: int, limit_s: float, only: list[str]) -> None:
    """Print a row for each kind, and the worst."""
    process = ReadingProcess(limit_s)
    process.read(document(b"<p>warm"))
    read(document(b"<p>warm <a href=/x>x</a>"))
    print("| kind | ordinary up to, kB | CPU, ms | stall, ms | big: stall, ms | in, s | cut |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    worst = {"cpu": 0.0, "here": 0.0, "aside": 0.0, "took": 0.0}
    for name, kind in KINDS.items():
        if only and name not in only:
            continue
        small = largest_ordinary(kind)
        here, cpu, _ = await measure(small, process)
        aside, took, reading = await measure(document(kind(size)), process)
        cut = reading.unread or ", ".join(reading.truncated) or "–"
        worst = {
            "cpu": max(worst["cpu"], cpu),
            "here": max(worst["here"], here),
            "aside": max(worst["aside"], aside),
            "took": max(worst["took"], took),
        }
        print(
            f"| `{name}` | {len(small.body) / 1000:.0f} | {cpu * 1000:.0f} | {here * 1000:.0f} | "
            f"{aside * 1000:.0f} | {took:.2f} | {cut} |",
            flush=True,
        )
    process.close()
    print(
        f"\nworst stall: {worst['here'] * 1000:.0f} ms by ordinary pages (of "
        f"{worst['cpu'] * 1000:.0f} ms CPU time), "
        f"{worst['aside'] * 1000:.0f} ms by pages in the process, in {worst['took']:.1f} s"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bytes", type=int, default=2_000_000)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    asyncio.run(run(options.bytes, options.limit, options.only))


if __name__ == "__main__":
    main()
