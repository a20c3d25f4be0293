"""A made-up site for crawls with a browser: a start page, and lists of 20 articles each.

Some pages are the shells of an app, which get text and links by a script and `fetch`. Some scripts
are awkward as well (`AWKWARD`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from evocrawl.simulation.server.proxy import Request, Response, not_found

QUERY = "coral bleaching"
IN_A_LIST = 20
SITES: dict[str, Callable[[str], bool]] = {
    "plain": lambda _: False,
    "mix": lambda path: path.startswith("/articles/") and int(path.rpartition("/")[2]) % 2 == 1,
    "app": lambda _: True,
}
"""By the name of a site: which paths have shells."""
_WORDS = ["coral", "reef", "bleaching", "sea", "warm", *(f"word{number}" for number in range(500))]
_SHELL = """<!doctype html><html lang=en><head><title>Reefs</title>
<script src=/app.js defer></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>
</body></html>"""
_APP = """
(async () => {
  const answer = await fetch('/api' + location.pathname);
  const {title, html, script} = await answer.json();
  document.title = title;
  document.getElementById('root').innerHTML = html;
  new Function(script)();
})();
"""
AWKWARD = {
    "window": "window.open('/articles/0'); window.open('about:blank');",
    "dialog": "setTimeout(() => alert('Cookies?'), 50); onbeforeunload = () => 'Stay?';",
    "worker": "new Worker(URL.createObjectURL(new Blob(['setInterval(() => 1, 10)'])));",
    "timer": "setInterval(() => fetch('/api/articles/0'), 300);",
    "socket": "new WebSocket('ws://app.test/s'); new EventSource('/s');"
    "document.body.append(document.createElement('iframe'));",
    "memory": "window.kept = new Uint8Array(80e6).fill(1);"
    "for (let n = 0; n < 3e4; n++) document.body.append(document.createElement('i'));",
    "endless": "for (;;) {}",
}
_EVERY_AWKWARD = 25


class Web:
    """The pages of a site by path; shells and data of the app are made of the same parts."""

    def __init__(self, pages: int, is_shell: Callable[[str], bool], *, awkward: bool) -> None:
        self._pages = pages
        self._is_shell = is_shell
        self._awkward = awkward

    def answer(self, request: Request) -> Response:
        path = request.path
        if path == "/app.js":
            return Response(200, _APP.encode(), {"content-type": "text/javascript"})
        is_data = path.startswith("/api/")
        page = self._page(path.removeprefix("/api"))
        if page is None:
            return not_found(request)
        title, html, script = page
        if is_data:
            body = json.dumps({"title": title, "html": html, "script": script})
            return Response(200, body.encode(), {"content-type": "application/json"})
        if not self._is_shell(path):
            body = f"<html lang=en><title>{title}</title><body>{html}</body></html>"
            return Response(200, body.encode())
        return Response(200, _SHELL.encode())

    def _page(self, path: str) -> tuple[str, str, str] | None:
        """Return title, HTML and a further script of a page; None if there is no such page."""
        folder, _, name = path[1:].rpartition("/")
        lists = -(-self._pages // IN_A_LIST)
        if path == "/":
            return f"All about {QUERY}", _html(0, [f"/lists/{each}" for each in range(lists)]), ""
        number = int(name) if name.isdecimal() else -1
        if folder == "lists" and 0 <= number < lists:
            first = number * IN_A_LIST
            within = range(first, min(first + IN_A_LIST, self._pages))
            return f"List {number}", _html(-number, [f"/articles/{each}" for each in within]), ""
        if folder == "articles" and 0 <= number < self._pages:
            return f"Reef {number}", _html(number + 1, ["/"]), self._script(number)
        return None

    def _script(self, number: int) -> str:
        if not self._awkward or number % _EVERY_AWKWARD != _EVERY_AWKWARD - 1:
            return ""
        return list(AWKWARD.values())[number // _EVERY_AWKWARD % len(AWKWARD)]


def _html(number: int, links: list[str]) -> str:
    """Return a paragraph of about a hundred words, and links."""
    chance = random.Random(number)
    words = [f"the {QUERY} of the {' '.join(chance.choices(_WORDS, k=5))}" for _ in range(12)]
    anchors = "".join(f'<li><a href="{each}">{QUERY}: {each}</a></li>' for each in links)
    text = f"The {QUERY} of reef {number}: {', '.join(words)}."
    return f"<h1>About {QUERY}</h1><p>{text}</p><ul>{anchors}</ul>"
