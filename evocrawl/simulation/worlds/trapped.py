"""A world with a trap: some of its pages link to an endless site."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.worlds.answers import Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.made_up.trap_sites import HOST, Trap, TrapTopic
from evocrawl.simulation.worlds.wrappers import Wrapping

_SENTENCE = re.compile(r"[^.!?]{40,300}[.!?]")
_HITS = 12
_SENTENCES = 120


class Trapped(Wrapping):
    """`world`, where a share of the pages has a first link to `trap`.

    The text of the trap consists of sentences of the first search results for `query`, with the
    words of each sentence shuffled, so its content is new. The fingerprint of a page decides
    whether it links to the trap. Searches, topics and length are those of `world`.
    """

    def __init__(self, world: AnsweringWorld, trap: Trap, query: str, share: float = 0.05) -> None:
        super().__init__(world)
        self.name = f"{world.name} with {trap.name}"
        self.trap = trap
        self.topic = TrapTopic(query, _sentences(world, query))
        self._most = int(share * 2**16)
        entry = trap.entry
        self._entry_link = Link(entry, fingerprint(entry), query, query)

    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of `url` at `now_s`."""
        if is_trap(url):
            return self._trap_answer(url)
        answer = self._world.answer(url, now_s)
        document = answer.document
        if document is None or int.from_bytes(document.fingerprint[:2]) >= self._most:
            return answer
        return replace(
            answer, document=replace(document, links=(self._entry_link, *document.links))
        )

    def _trap_answer(self, url: str) -> Answer:
        page = self.trap.page(url, self.topic)
        links = tuple(
            Link(to, fingerprint(to), anchor, f"{anchor} {self.topic.query}", position=place)
            for place, (to, anchor) in enumerate(page.links)
        )
        document = Document(url, fingerprint(url), page.title, page.text, "en", links)
        return Answer(self.trap.latency_s, document=document, body_bytes=len(page.text))

    def hosts(self) -> Collection[str]:
        """Return the hosts of the world and of the trap."""
        return [*self._world.hosts(), host_of(self.trap.entry)]

    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of the world; a trap disallows nothing."""
        return "" if is_trap(f"http://{host}/") else self._world.robots_txt(host)


def is_trap(url: str) -> bool:
    """Return whether an address belongs to a trap."""
    host = host_of(url)
    return host == HOST or host.endswith(f".{HOST}")


def _sentences(world: AnsweringWorld, query: str) -> tuple[str, ...]:
    found = []
    for url in world.search(query, _HITS):
        document = world.answer(url, 0.0).document
        if document is not None:
            found += [each.strip() for each in _SENTENCE.findall(document.text)]
    if not found:
        raise ValueError(f"no page of the world is about {query!r}")
    rng = np.random.default_rng(len(found))
    return tuple(" ".join(rng.permutation(each.split())) for each in found[:_SENTENCES])
