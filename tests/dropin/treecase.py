"""A case of a front page, ten pages and their children, and a pipeline that picks."""

from __future__ import annotations

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from smallspider import Small, html, numbered, path_of, prose


class Tree(Small):
    """A front page with ten links, each with a link to a child and to the front page."""

    @staticmethod
    def answer(request, times):  # noqa: ARG004 - the interface's form
        if request.path == "/":
            return html(prose("front"), *numbered("/p/", 10))
        return html(prose(request.path), "/", f"{request.path}/child")

    def parse(self, response):
        yield {"path": path_of(response)}
        if response.meta.get("depth", 0) < 2:
            yield from response.follow_all(css="a")


class Picky:
    """Pipeline that drops, raises, converts and passes."""

    def process_item(self, item):
        n = ItemAdapter(item).get("n")
        if n == 1:
            raise DropItem("not this one")
        if n == 2:
            raise RuntimeError("the database is down")
        return ItemAdapter(item).asdict() if n == 3 else item
