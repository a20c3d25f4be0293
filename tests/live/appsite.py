"""A site whose pages are made by a script: shells, a list with links by fetch(), and articles."""

from __future__ import annotations

import json
from collections.abc import Callable

from livecrawl import QUERY, Crawled

from evocrawl.simulation.server.proxy import Request, Response, Site

HOST = "app.test"
START = f"http://{HOST}/"
_SHELL = """<!doctype html><html lang=en><head><title>Reefs</title>
<script src=/app.js defer></script><link rel=icon href=/icon.png></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div></body>
</html>"""
_APP = """
(async () => {
  const path = location.pathname;
  const answer = await fetch('/api' + path);
  const {title, text, links} = await answer.json();
  const root = document.getElementById('root');
  document.title = title;
  const year = path.split('/')[2];
  const facts = year && `<ul>
    <li>In the year ${year} the corals of the outer reef lost their colour in warm water.</li>
    <li>In the year after that the corals of the inner reef lost their colour, too.</li>
    <li>Some years later divers found that most of the corals had their colour again.</li></ul>
    <table><tr><th>Year</th><th>Weeks</th></tr><tr><td>${year}</td><td>12</td></tr></table>`;
  root.innerHTML = `<h1>${title}</h1><p>${text}</p>${facts || ''}<ul>`
    + links.map(each => `<li><a href="${each}">about ${each}</a></li>`).join('') + '</ul>';
})();
"""


def shell(script: str = "/app.js", status: int = 200) -> Response:
    """Return the HTML of the app: all its pages have the same."""
    body = _SHELL.replace("/app.js", script)
    return Response(status, body.encode(), {"content-type": "text/html; charset=utf-8"})


def javascript(text: str) -> Response:
    """Return a script."""
    return Response(200, text.encode(), {"content-type": "text/javascript"})


def data(title: str, text: str, links: list[str]) -> Response:
    """Return the data that the app's script requests."""
    body = json.dumps({"title": title, "text": text, "links": links})
    return Response(200, body.encode(), {"content-type": "application/json"})


def article(number: int) -> str:
    """Return the text of an article, which is about the query."""
    return f"{QUERY} number {number}: " + f"the {QUERY} of reef {number} in warm water. " * 8


def app_site(
    pages: int, others: dict[str, Response | Callable[[Request], Response]] | None = None
) -> Site:
    """Return a site with a list that links to `pages` articles."""
    links = [f"/articles/{each}" for each in range(pages)]

    def answer(request: Request) -> Response:
        path = request.path
        found = (others or {}).get(path)
        if found is not None:
            return found if isinstance(found, Response) else found(request)
        if path == "/app.js":
            return javascript(_APP)
        if path == "/api/":
            return data("All reefs", f"A list about {QUERY}.", links)
        if path.startswith("/api/articles/"):
            number = int(path.rpartition("/")[2])
            return data(f"Reef {number}", article(number), ["/"])
        if path == "/" or path in links:
            return shell()
        return Response(404, b"<title>404</title><p>There is no such page.")

    return answer


def texts_of(crawled: Crawled) -> dict[str, str]:
    """Return the texts of the pages of a crawl by their paths."""
    return {each["url"].partition(HOST)[2]: each["text"] for each in crawled.pages}
