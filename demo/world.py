"""Documentation of Debian 12 as a world file, for simulations of real pages and links.

    python -m demo.world docs.jsonl.gz             the web of `make crawl`: eight sites
    python -m demo.world --large docs.jsonl.gz     eighteen sites, some 28 000 pages

    python -m demo.world --topics topics.tsv …     the topics too, for `evocrawl sim --topics`

Pages about full-text search, by the rule of `demo.survey`, have the topic "full-text-search";
those of `demo.topics` are defined by words, too.
All addresses are http, as on the served web.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from demo.debian_web import ALIASES, SOURCES, Source, open_web
from demo.packages import PackageError
from demo.site import FolderSite, PlainSite
from demo.survey import is_about
from demo.topics import table, topics_of
from evocrawl.core.model import Link
from evocrawl.extraction import ParsedPage, parse_html
from evocrawl.simulation.server.proxy import Request, Response

TOPIC = "full-text-search"
QUERY = "full text search index"

LARGE = (
    *SOURCES,
    Source(
        "cppreference-doc-en-html",
        "usr/share/cppreference/doc/html/en",
        "en.cppreference.com",
        "/w/",
    ),
    Source(
        "python-scipy-doc",
        "usr/share/doc/python-scipy-doc/html",
        "docs.scipy.org",
        "/doc/scipy/",
    ),
    Source(
        "python-pandas-doc", "usr/share/doc/python-pandas-doc/html", "pandas.pydata.org", "/docs/"
    ),
    Source("octave-doc", "usr/share/doc/octave/octave.html", "docs.octave.org", "/latest/"),
    Source(
        "python-sklearn-doc",
        "usr/share/doc/python-sklearn-doc/html",
        "scikit-learn.org",
        "/stable/",
    ),
    Source("python-dask-doc", "usr/share/doc/python-dask-doc/html", "docs.dask.org", "/en/stable/"),
    Source("linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", "docs.kernel.org", "/"),
    Source("apache2-doc", "usr/share/doc/apache2-doc/manual", "httpd.apache.org", "/docs/2.4/"),
    Source("cmake-doc", "usr/share/doc/cmake-data/html", "cmake.org", "/cmake/help/latest/"),
    Source(
        "python-astropy-doc",
        "usr/share/doc/python-astropy-doc/html",
        "docs.astropy.org",
        "/en/stable/",
    ),
)


def lines_of(web: Mapping[str, FolderSite], aliases: Mapping[str, PlainSite]) -> Iterator[Any]:
    """Yield the lines of the world: first every page, then every redirect to a page."""
    sites: dict[str, PlainSite] = {**aliases, **web}
    asked, todo = set[str](), list[str]()
    for host, site in web.items():
        for path, _ in site.pages():
            url = f"http://{host}{path}"
            asked.add(url)
            reading = _parsed(_ask(sites, url), url)
            yield _page(url, reading, site.robots)
            todo += [link.url for link in reading.links if link.url not in asked]
    while todo:
        url = todo.pop()
        if url in asked:
            continue
        asked.add(url)
        answer = _ask(sites, url)
        location = answer.headers.get("location")
        if location:
            yield {"url": url, "redirect_to": location}
        elif answer.status == 200 and answer.headers.get("content-type") == "text/html":
            # A folder, or a page under a second spelling of its name.
            yield _page(url, _parsed(answer, url), "")


def _parsed(answer: Response, url: str) -> ParsedPage:
    if not isinstance(answer.body, bytes):
        raise TypeError(f"{url} is sent in parts")
    return parse_html(answer.body, url)


def _page(url: str, reading: ParsedPage, robots: str) -> dict[str, Any]:
    line: dict[str, Any] = {
        "url": url,
        "title": reading.title,
        "text": reading.text,
        "lang": reading.language,
        "links": [_link(link) for link in reading.links],
        "topics": [
            *([TOPIC] if is_about(reading.text) else []),
            *topics_of(reading.title, reading.text),
        ],
    }
    rules = [rule.removeprefix("Disallow: ") for rule in robots.splitlines()[1:]]
    if any(urlsplit(url).path.startswith(rule) for rule in rules):
        line["robots"] = "disallow"
    return line


def _link(link: Link) -> dict[str, Any]:
    row = {
        "url": link.url,
        "anchor": link.anchor,
        "context": link.context,
        "rel": " ".join(link.rel),
        "tag_path": link.tag_path,
    }
    return {key: value for key, value in row.items() if value}


def _ask(sites: Mapping[str, PlainSite], url: str) -> Response:
    parts = urlsplit(url)
    site = sites.get(parts.netloc)
    if site is None or parts.scheme != "http":
        return Response(404, b"")
    return site(Request("GET", parts.netloc, parts.path or "/"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m demo.world", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--large", action="store_true", help="eighteen sites instead of eight")
    parser.add_argument("--topics", type=Path, metavar="TSV", help="file for the topics")
    parser.add_argument("out", type=Path, metavar="FILE", help="the world: .jsonl.gz")
    options = parser.parse_args(arguments)
    try:
        web = open_web(LARGE if options.large else SOURCES)
    except PackageError as error:
        print(error, file=sys.stderr)
        return 1
    unfinished = options.out.with_name(f".{options.out.name}.part")
    count = 0
    with gzip.open(unfinished, "wt", encoding="utf-8", compresslevel=6) as file:
        for count, line in enumerate(lines_of(web, ALIASES), 1):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if count % 1000 == 0:
                print(f"\r{count} lines", end="", file=sys.stderr)
    unfinished.replace(options.out)
    if options.topics is not None:
        options.topics.write_text(table(), encoding="utf-8")
    print(f"\r{count} lines in {options.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
