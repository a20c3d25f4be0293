"""Serves a world as real HTTP on this machine, for live crawls and for spiders of users.

Pages are rendered so that `evocrawl.extraction` reads the same links in the same order: each link
is in a paragraph with its context. The extracted context and text can differ slightly from those of
the world (short contexts include their neighbours); `AsServed` is the world exactly as a crawler
reads it. A proxy on loopback speaks http only, so https addresses are served, and linked to, as
http.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable, Iterator
from dataclasses import replace

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import fingerprint, identity
from evocrawl.extraction import parse_html
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, Site, redirect
from evocrawl.simulation.worlds.answers import Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document

Clock = Callable[[], float]
_NOT_TEXT = b"%PDF-1.4\n"
_FORMATS = {
    "json-ld": '<script type="application/ld+json">{"@type": "web:page"}</script>',
    "microdata": "<meta itemscope itemprop=name>",
    "rdfa": "<link property=name>",
}
_UNFOLLOWED = frozenset(("nofollow", "evocrawl-hidden"))


def serve(
    world: AnsweringWorld, port: int = 0, *, clock: Clock = lambda: 0.0, waits: bool = False
) -> LoopbackProxy:
    """Return a proxy that serves `world` during its ``with`` block.

    `clock` returns the time of the world. With `waits`, responses have their latency in the world.
    """
    return LoopbackProxy(sites_of(world, clock=clock, waits=waits), port=port)


def sites_of(
    world: AnsweringWorld, *, clock: Clock = lambda: 0.0, waits: bool = False
) -> dict[str, Site]:
    """Return the site of each host of `world`: robots.txt, pages, redirects and errors."""

    async def site(request: Request) -> Response:
        if request.path == "/robots.txt":
            rules = world.robots_txt(request.host).encode()
            return Response(200 if rules else 404, rules, {"content-type": "text/plain"})
        answer = _lookup(world, f"http://{request.host}{request.path}", clock())
        if waits:
            await asyncio.sleep(answer.latency_s)
        return _response(answer)

    return dict.fromkeys(world.hosts(), site)


def render(document: Document) -> bytes:
    """Return a page as HTML with all text escaped: title, lines of text, links in their order.

    If the page has JSON-LD, Microdata or RDFa, the HTML contains a minimal example of it.
    """
    lines = filter(str.strip, document.text.split("\n"))
    text = "\n".join(f"<p>{html.escape(line, quote=False)}</p>" for line in lines)
    links = "\n".join(map(_render_link, document.links))
    formats = "".join(_FORMATS.get(each, "") for each in document.formats)
    language = f' lang="{html.escape(document.language)}"' if document.language else ""
    return (
        f"<!DOCTYPE html>\n<html{language}><head><meta charset=utf-8>"
        f"<title>{html.escape(document.title, quote=False)}</title>{formats}</head>\n"
        f"<body><main>\n{text}\n</main><nav>\n{links}\n</nav></body></html>\n"
    ).encode("utf-8", "replace")


class AsServed(AnsweringWorld):
    """`world` as a crawler reads it through `serve`.

    A page is extracted at its first request and then cached.
    """

    def __init__(self, world: AnsweringWorld) -> None:
        self.name = world.name
        self.timeout_s = world.timeout_s
        self._world = world
        self._read: dict[tuple[str, float | None], Document] = {}

    def __len__(self) -> int:
        return len(self._world)

    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of `url`, with the page as a crawler reads it."""
        answer = _lookup(self._world, url, now_s)
        if answer.location:
            return replace(answer, location=_served(answer.location))
        if answer.document is None:
            return answer
        return replace(answer, document=self._as_read(answer.document))

    def documents(self) -> Iterator[Document]:
        """Return every page that can be fetched at time 0, as a crawler reads it."""
        return map(self._as_read, self._world.documents())

    def topics(self) -> tuple[str, ...]:
        """Return the world's topics."""
        return tuple(self._world.topics())

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the pages of a topic, with the addresses at which they are served."""
        pages = self._world.about(topic)
        return frozenset(
            fingerprint(_served(document.url))
            for document in self._world.documents()
            if document.fingerprint in pages
        )

    def hosts(self) -> tuple[str, ...]:
        """Return the world's hosts."""
        return tuple(self._world.hosts())

    def robots_txt(self, host: str) -> str:
        """Return the world's robots.txt."""
        return self._world.robots_txt(host)

    def _as_read(self, document: Document) -> Document:
        key = document.url, document.changed_at_s
        if key not in self._read:
            self._read[key] = _read(document)
        return self._read[key]


def _read(document: Document) -> Document:
    url = _served(document.url)
    reading = parse_html(render(document), url, encoding="utf-8")
    links = tuple(link for link in reading.links if _UNFOLLOWED.isdisjoint(link.rel))
    return Document(
        url,
        fingerprint(url),
        reading.title,
        reading.text,
        reading.language,
        links,
        document.changed_at_s,
        reading.formats,
    )


def _lookup(world: AnsweringWorld, url: str, now_s: float) -> Answer:
    """Look up an http address, which may be https in the world."""
    answer = world.answer(url, now_s)
    if answer.status == 404 and url.startswith("http://"):
        secure = world.answer(f"https{url[4:]}", now_s)
        return answer if secure.status == 404 else secure
    return answer


def _served(url: str) -> str:
    return f"http{url[5:]}" if url[:6].lower() == "https:" else url


def _response(answer: Answer) -> Response:
    if answer.location:
        return redirect(_ascii(_served(answer.location)), answer.status)
    if answer.document is not None:
        headers = {"content-type": "text/html; charset=utf-8"}
        return Response(answer.status, render(answer.document), headers)
    if answer.status < 400 and not answer.is_forbidden:
        return Response(answer.status, _NOT_TEXT, {"content-type": answer.kind})
    status = 403 if answer.is_forbidden else answer.status
    return Response(status, f"<title>{status}</title>".encode())


def _ascii(location: str) -> str:
    """Return the value of a Location header: a relative one unchanged, others in ASCII."""
    if location.isascii() and location.isprintable():
        return location
    try:
        return identity(location)
    except ValueError:
        return "/"


def _render_link(link: Link) -> str:
    before, anchor, after = link.context.partition(link.anchor) if link.anchor else ("", "", "")
    if not anchor:  # the context does not contain the anchor
        before, anchor, after = f"{link.context} " if link.context else "", link.anchor, ""
    rel = f' rel="{html.escape(" ".join(link.rel))}"' if link.rel else ""
    shown = (html.escape(part, quote=False) for part in (before, anchor, after))
    first, middle, last = shown
    return f'<p>{first}<a href="{html.escape(_served(link.url))}"{rel}>{middle}</a>{last}</p>'
