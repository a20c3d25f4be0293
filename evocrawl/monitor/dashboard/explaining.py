"""Makes explanations for the dashboard from the store, in a separate process, or from the record.

A replay takes seconds: a process of low priority does it, so that the crawl does not wait.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.utils import getProcessOutputAndValue

from evocrawl.monitor.dashboard.source import Source
from evocrawl.monitor.explanation import AgentShown, Explanation, FoundShown, LinkShown, PathStep
from evocrawl.monitor.results import Result

if TYPE_CHECKING:
    from twisted.web.http import Request

Writer = Callable[["Request", Any, int], bytes]

_AT_ONCE = 2
_TIMEOUT_S = 300
_LONGEST_URL = 4000
_LONGEST_PATH = 1000
_CODE = (
    "import os, sys\n"
    "os.nice(10) if hasattr(os, 'nice') else None\n"
    "from evocrawl.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


class Explainer:
    """Answers requests for an explanation; at most two replays run at once."""

    def __init__(self, source: Source, reactor: Any) -> None:
        self._source = source
        self._reactor = reactor
        self._running = 0

    def answer(self, request: Request, url: str, write: Writer) -> None:
        """Answer a request, now or later."""
        if not url or len(url) > _LONGEST_URL or "\0" in url:
            reason = f"url: allowed: a URL of at most {_LONGEST_URL} characters, without NUL"
            self._finish(request, write(request, {"error": reason}, 400))
        elif not self._source.store:
            found = of_record(self._source, url)
            self._finish(request, write(request, found.as_json(), 200))
        elif self._running >= _AT_ONCE:
            busy = {"error": "two explanations are being made; ask again in some seconds"}
            self._finish(request, write(request, busy, 503))
        else:
            self._replay(request, url, write)

    def _replay(self, request: Request, url: str, write: Writer) -> None:
        gone: list[bool] = []
        request.notifyFinish().addBoth(lambda _: gone.append(True))
        arguments = ["explain", self._source.store, "--format", "json"]
        if self._source.learnt:
            arguments += ["--learnt", self._source.learnt]
        done = getProcessOutputAndValue(
            sys.executable, ["-c", _CODE, *arguments, "--", url], env=dict(os.environ),
            reactor=self._reactor,
        )  # fmt: skip
        self._running += 1
        done.addTimeout(_TIMEOUT_S, self._reactor)

        def ended(result: Any) -> None:
            self._running -= 1
            if gone:
                return
            try:
                out, error, code = result
                found = json.loads(out) if code in (0, 1) else None
            except (TypeError, ValueError):
                found, error = None, b"the replay failed"
            if found is None:
                lines = error.decode("utf-8", "replace").strip().splitlines() or ["it failed"]
                self._finish(request, write(request, {"error": lines[-1][:500]}, 409))
            else:
                self._finish(request, write(request, found, 200))

        done.addBoth(ended)

    @staticmethod
    def _finish(request: Request, answer: bytes) -> None:
        request.write(answer)
        request.finish()


def of_record(source: Source, url: str) -> Explanation:
    """Explain a page by the record of a crawl without a store. O(its depth)."""
    results = source.record.results
    result = results.of_url(url)
    found = Explanation(url, "unknown" if result is None else "fetched", source.relevant_at)
    found.notes.append(
        "This crawl has no store, so that the choice cannot be replayed: with store=FILE the "
        "features of the link and the links that wait are explained too."
    )
    if result is None:
        return found
    way: list[Result] = [result]
    while way[-1].parent and len(way) < _LONGEST_PATH:
        parent = results.of_url(way[-1].parent)
        if parent is None or parent in way:
            break
        way.append(parent)
    found.path = [
        PathStep(each.url, each.title, each.anchor, each.relevance, each.agent, each.visit)
        for each in reversed(way)
    ]
    found.link = LinkShown(result.parent, result.anchor, "")
    found.found = FoundShown(
        "fetched", "", result.url, result.title, result.relevance, source.relevant_at,
        result.energy, result.seconds,
    )  # fmt: skip
    agent = source.record.agents.get(result.agent)
    if agent is not None:
        ancestors, parent_id = [], agent.parent
        while parent_id is not None and parent_id in source.record.agents:
            ancestors.append(parent_id)
            parent_id = source.record.agents[parent_id].parent
        found.agent = AgentShown(
            agent.id, agent.species, agent.visits, agent.energy, agent.energy, agent.gained,
            {"all fees so far": agent.paid}, ancestors,
        )  # fmt: skip
    return found
