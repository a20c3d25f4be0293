"""The made-up web of docs/make_outputs.py, by host."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from evocrawl.simulation.server.proxy import Request, Response, not_found

PAGES = 24
_TABLE = "<table><tr><th>Year</th><th>Weeks</th></tr><tr><td>2016</td><td>12</td></tr></table>"
_REEF = "Coral bleaching follows heat in the sea around this reef."
_HARBOUR = "Boats with sails and ropes lie in this harbour."
_LICENCE = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
_SHELL = (
    "<!doctype html><html lang=en><head><title>Reefs</title><script src=/app.js defer></script>"
    "</head><body><div id=root></div></body></html>"
)
_APP = """fetch('/api' + location.pathname).then(answer => answer.json()).then(page => {
  document.title = page.title;
  document.getElementById('root').innerHTML = page.html;
});"""


class Reef:
    """Pages about reefs and harbours; `edition` 2 has one more page and one new text."""

    edition = 1

    def answer(self, request: Request) -> Response:
        """Return a page, robots.txt, the sitemap or the feed."""
        path = request.path
        if path == "/robots.txt":
            return _text(
                "User-agent: *\nDisallow: /private/\nSitemap: http://reef.example/map.xml\n"
            )
        if path == "/map.xml":
            places = "".join(
                f"<url><loc>http://reef.example/{each}</loc>"
                f"<lastmod>{self._changed_at(each)}</lastmod></url>"
                for each in range(1, self._most + 1)
            )
            return Response(
                200, f"<urlset>{places}</urlset>".encode(), {"content-type": "text/xml"}
            )
        if path == "/feed.xml":
            items = "".join(
                f"<item><title>{_title(each)}</title><link>http://reef.example/{each}</link></item>"
                for each in range(1, 5)
            )
            body = f"<rss><channel><title>Reefs</title>{items}</channel></rss>"
            return Response(200, body.encode(), {"content-type": "application/rss+xml"})
        return self._page(path.strip("/")) or not_found(request)

    @property
    def _most(self) -> int:
        return PAGES + self.edition - 1

    def _changed_at(self, number: int) -> str:
        """Return when a page was changed: in October, or just now."""
        is_new = self.edition == 2 and number in (1, 12, 25)
        return datetime.now(UTC).isoformat() if is_new else f"2026-10-{number:02}"

    def _page(self, name: str) -> Response | None:
        most = self._most
        number = int(name or 0) if (name or "0").isdecimal() else most + 1
        if number > most:
            return None
        text = f"{_REEF if number % 2 else _HARBOUR} This is page number {number}."
        if number == 1 and self.edition == 2:
            text += " In the spring the corals had their colour again."
        links = [each for each in (2 * number + 1, 2 * number + 2) if each <= most]
        anchors = "".join(f'<p><a href="/{each}">{_title(each)}</a></p>' for each in links)
        title = _title(number) if number else "Reefs and harbours"
        body = f"<main><h1>{title}</h1><p>{text}</p>{_TABLE}{anchors}</main>"
        head = f"<title>{title}</title>{_LICENCE if number % 4 == 1 else ''}"
        html = f"<html lang=en><head>{head}</head><body>{body}</body></html>".encode()
        return Response(200, html, {"content-type": "text/html"})


def _title(number: int) -> str:
    return f"Coral bleaching of reef {number}" if number % 2 else f"Boats of harbour {number}"


def _app(request: Request) -> Response:
    path = request.path
    if path == "/app.js":
        return Response(200, _APP.encode(), {"content-type": "text/javascript"})
    name = path.removeprefix("/api").strip("/")
    if path == "/robots.txt" or not (name or "0").isdecimal() or int(name or 0) > 12:
        return not_found(request)
    if not path.startswith("/api/"):
        return Response(200, _SHELL.encode())
    links = "".join(f'<p><a href="/{each}">{_title(2 * each + 1)}</a></p>' for each in range(13))
    title = _title(2 * int(name or 0) + 1)
    html = f"<h1>{title}</h1><p>{_REEF} It is reef {name or 0} of thirteen.</p>{links}"
    return _json({"title": title, "html": html})


def _searx(request: Request) -> Response:
    if not request.path.startswith("/search?"):
        return not_found(request)
    return _json({"results": [_result(each) for each in (1, 3)]})


def _result(number: int) -> dict[str, str]:
    return {"url": f"http://reef.example/{number}", "title": _title(number)}


def _wiki(request: Request) -> Response:
    if not request.path.startswith("/w/api.php?"):
        return not_found(request)
    pages = [
        {"index": each, "title": _title(each), "fullurl": f"http://reef.example/{each}"}
        for each in (5, 7)
    ]
    return _json({"query": {"pages": pages}})


def _index(request: Request) -> Response:
    if not request.path.startswith("/CC-MAIN"):
        return not_found(request)
    rows = (
        {"url": f"http://reef.example/{each}", "status": "200", "mime": "text/html",
         "timestamp": f"202610{each:02}000000"}
        for each in range(1, 9)
    )  # fmt: skip
    return _text("\n".join(map(json.dumps, rows)))


def _text(text: str) -> Response:
    return Response(200, text.encode(), {"content-type": "text/plain"})


def _json(value: object) -> Response:
    return Response(200, json.dumps(value).encode(), {"content-type": "application/json"})


REEF = Reef()
SITES = {
    "reef.example": REEF.answer,
    "app.example": _app,
    "searx.example": _searx,
    "wiki.example": _wiki,
    "index.example": _index,
}
