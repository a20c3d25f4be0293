"""The links of a world as a graph: distances between pages, and an oracle crawler."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint, Link
from evocrawl.simulation.worlds.base import Arrived, World

UNREACHABLE = -1


class WebGraph:
    """Pages by number, their `urls` and the links between them, at time 0.

    A link to an address that redirects leads to the final page; dead and disallowed targets are
    left out. Runtime complexity: O(pages + links) to build, with 8 bytes for each link.
    """

    def __init__(self, world: World) -> None:
        documents = list(world.documents())
        self.urls: list[str] = [document.url for document in documents]
        self._numbers = {each.fingerprint: number for number, each in enumerate(documents)}
        self._elsewhere: dict[Fingerprint, int | None] = {}
        targets, self._starts = array("q"), [0]
        for document in documents:
            found = {self._number_of(link, world) for link in document.links}
            targets.extend(sorted(number for number in found if number is not None))
            self._starts.append(len(targets))
        self._targets = targets

    def __len__(self) -> int:
        return len(self.urls)

    def numbers(self, pages: Iterable[Fingerprint]) -> set[int]:
        """Return the numbers of those `pages` that are in the world."""
        return {self._numbers[page] for page in pages if page in self._numbers}

    def out(self, page: int) -> Sequence[int]:
        """Return the sorted pages to which `page` links."""
        return self._targets[self._starts[page] : self._starts[page + 1]]

    def links_to_nearest(self, goals: Collection[int]) -> NDArray[np.int64]:
        """Return the number of links from each page to the nearest of `goals`, shape (pages,).

        It is 0 for a goal, UNREACHABLE if there is no path. Runtime complexity: O(pages + links).
        """
        sources: list[array[int]] = [array("q") for _ in self.urls]
        for page in range(len(self)):
            for target in self.out(page):
                sources[target].append(page)
        distance = np.full(len(self), UNREACHABLE, dtype=np.int64)
        distance[list(goals)] = 0
        todo = deque(goals)
        while todo:
            page = todo.popleft()
            for source in sources[page]:
                if distance[source] == UNREACHABLE:
                    distance[source] = distance[page] + 1
                    todo.append(source)
        return distance

    def _number_of(self, link: Link, world: World) -> int | None:
        number = self._numbers.get(link.fingerprint)
        if number is not None:
            return number
        if link.fingerprint not in self._elsewhere:
            answer = world.fetch(link.url, 0.0)
            self._elsewhere[link.fingerprint] = (
                self._numbers.get(answer.document.fingerprint)
                if isinstance(answer, Arrived)
                else None
            )
        return self._elsewhere[link.fingerprint]


def reachable_oracle(
    graph: WebGraph, relevant: Collection[int], seeds: Iterable[int], budget: int
) -> list[int]:
    """Return the requests, from 1, at which a crawler with full knowledge fetches relevant pages.

    The crawler is greedy and follows links only: to a relevant page if it knows a link to one, or
    else along a shortest path to the nearest one. It is a reference for crawlers where immediate
    recall is impossible; it is not a strict bound, since the best tour is NP-hard to find. A
    request fetches a page. Runtime complexity: O(links) for each path that is searched.
    """
    goals = set(relevant)
    known, fetched, near = dict.fromkeys(seeds), set[int](), deque[int]()
    near.extend(page for page in known if page in goals)
    hits: list[int] = []
    requests = 0
    while requests < budget:
        way = [near.popleft()] if near else _shortest_way(graph, known, fetched, goals)
        if not way:
            break
        for page in way[: budget - requests]:
            requests += 1
            fetched.add(page)
            if page in goals:
                hits.append(requests)
            for target in graph.out(page):
                if target not in known:
                    known[target] = None
                    if target in goals:
                        near.append(target)
        # The path ends at a relevant page, which its last step but one has queued.
        while near and near[0] in fetched:
            near.popleft()
    return hits


def _shortest_way(
    graph: WebGraph, known: Iterable[int], fetched: set[int], goals: set[int]
) -> list[int]:
    """Return the pages to fetch, in order, to reach an unfetched goal; [] if there is no path."""
    before: dict[int, int | None] = {page: None for page in known if page not in fetched}
    todo = deque(before)
    while todo:
        page = todo.popleft()
        if page in goals:
            return _path(before, page)
        for target in graph.out(page):
            if target not in before and target not in fetched:
                before[target] = page
                todo.append(target)
    return []


def _path(before: dict[int, int | None], end: int) -> list[int]:
    way = [end]
    while (page := before[way[-1]]) is not None:
        way.append(page)
    return way[::-1]
