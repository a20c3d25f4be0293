"""A case whose callbacks and errbacks note what failed."""

from __future__ import annotations

from scrapy import Request
from smallspider import Small, html, prose

from evocrawl.simulation.server.proxy import Response


class Failing(Small):
    """A site on which /status/N answers N."""

    @staticmethod
    def answer(request, times):  # noqa: ARG004 - the interface's form
        if request.path.startswith("/status/"):
            return Response(int(request.path[8:11]), b"<p>failed")
        return html(prose(request.path))

    def asked(self, path, **options):
        return Request(self.at(path), self.parse_item, errback=self.failed, **options)
