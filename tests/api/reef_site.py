"""A small site with pages about coral and other pages, for crawls that a program runs."""

from __future__ import annotations

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response

HOST = "reef.example"
_TABLE = "<table><tr><th>Year</th><th>Weeks</th></tr><tr><td>2016</td><td>12</td></tr></table>"
_TOPICS = {
    True: ("Coral bleaching of reef", "Coral bleaching follows heat in the sea of this reef."),
    False: ("Boats of harbour", "Boats with sails and ropes lie in this harbour."),
}


def reef(pages: int = 24) -> LoopbackProxy:
    """Return a server of a start page and `pages` others, half of them about coral bleaching."""
    return LoopbackProxy({HOST: lambda request: _answer(request, pages)})


def _answer(request: Request, pages: int) -> Response:
    name = request.path.strip("/")
    if name == "":
        number, topic, text = 0, "Reefs and harbours", "Where coral bleaching and boats meet."
    elif name.isdecimal() and 0 < int(name) <= pages:
        number = int(name)
        topic, text = _TOPICS[number % 2 == 1]
        topic = f"{topic} {number}"
    else:
        return Response(404, b"no such page", {"Content-Type": "text/plain"})
    links = "".join(
        f'<p><a href="/{each}">{_TOPICS[each % 2 == 1][0]} {each}</a></p>'
        for each in (2 * number + 1, 2 * number + 2)
        if each <= pages
    )
    html = (
        f"<html lang=en><head><title>{topic}</title></head><body><main><h1>{topic}</h1>"
        f"<p>{text} This is page number {number}, and it has a table.</p>{_TABLE}{links}</main>"
        "</body></html>"
    )
    return Response(200, html.encode(), {"Content-Type": "text/html; charset=utf-8"})
