"""The pages that a crawl has found, in the order of their relevance."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from sys import maxsize

from sortedcontainers import SortedKeyList

from evocrawl.core.model import AgentId, VisitId

_STEP = 500


@dataclass(frozen=True, slots=True)
class Result:
    """A page. `mark` is the user's: True for relevant, False for not relevant, None for no mark."""

    visit: VisitId
    url: str
    title: str
    host: str
    relevance: float
    agent: AgentId
    depth: int
    parent: str
    anchor: str
    energy: float
    language: str
    seconds: float
    mark: bool | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which results are shown; an empty filter shows all.

    `text` is looked for in title, URL and anchor; upper and lower case are the same.
    """

    text: str = ""
    host: str = ""
    agent: AgentId | None = None
    least: float = 0.0
    marked: bool = False

    def passes(self, result: Result) -> bool:
        """Return True if the result is shown."""
        if result.relevance < self.least or (self.agent not in (None, result.agent)):
            return False
        if (self.host and self.host != result.host) or (self.marked and result.mark is None):
            return False
        if not self.text:
            return True
        return self.text.lower() in f"{result.title}\n{result.url}\n{result.anchor}".lower()

    @property
    def is_empty(self) -> bool:
        """True if every result passes."""
        return self == Filter()


class Results:
    """Results by relevance, the best first; of equals the first found."""

    def __init__(self) -> None:
        self._by_visit: dict[VisitId, Result] = {}
        self._visit_of: dict[str, VisitId] = {}
        self._changes = 0
        self._kept: tuple[Filter, int, list[Result]] | None = None
        self._ranked: SortedKeyList[VisitId, tuple[float, int]] = SortedKeyList(key=self._key)

    def __len__(self) -> int:
        return len(self._by_visit)

    def __iter__(self) -> Iterator[Result]:
        """Iterate in the order of the visits' results."""
        return iter(self._by_visit.values())

    def add(self, result: Result) -> None:
        """Add a page; it replaces an earlier one of the same visit or URL. O(log n)."""
        self._changes += 1
        known = self._visit_of.get(result.url, result.visit)
        old = self._by_visit.get(known)
        if old is not None:
            self._ranked.discard(known)
            result = replace(result, visit=known, mark=old.mark)
        self._by_visit[known] = result
        self._visit_of[result.url] = known
        self._ranked.add(known)

    def add_all(self, results: Iterable[Result]) -> None:
        """Add many pages. O(n log n), three times faster than one by one."""
        again = []
        for each in results:
            if each.visit in self._by_visit or each.url in self._visit_of:
                again.append(each)
            else:
                self._by_visit[each.visit] = each
                self._visit_of[each.url] = each.visit
        self._changes += 1
        self._ranked.clear()
        self._ranked.update(self._by_visit)
        for each in again:
            self.add(each)

    def get(self, visit: VisitId) -> Result | None:
        """Return the result of a visit."""
        return self._by_visit.get(visit)

    def of_url(self, url: str) -> Result | None:
        """Return the result of a page by its URL."""
        visit = self._visit_of.get(url)
        return None if visit is None else self._by_visit[visit]

    def mark(self, visit: VisitId, relevant: bool | None) -> None:
        """Note the user's mark. O(1)."""
        self._changes += 1
        self._by_visit[visit] = replace(self._by_visit[visit], mark=relevant)

    def best(self, count: int, start: int = 0) -> list[Result]:
        """Return `count` results from `start` on, the best first. O(start + count)."""
        return [self._by_visit[each] for each in self._ranked.islice(start, start + count)]

    def matching(self, only: Filter) -> Generator[None, None, list[Result]]:
        """Return the results that a filter shows, the best first; the last answer is kept.

        O(results of at least the filter's relevance). It yields after every `_STEP` results.
        """
        if self._kept is None or self._kept[:2] != (only, self._changes):
            changes, found = self._changes, []
            end = self._ranked.bisect_key_right((-only.least, maxsize))
            passes = only.passes
            for at, visit in enumerate([*self._ranked.islice(0, end)]):
                result = self._by_visit[visit]
                if passes(result):
                    found.append(result)
                if at % _STEP == _STEP - 1:
                    yield
            self._kept = only, changes, found
            return found
        return self._kept[2]

    def _key(self, visit: VisitId) -> tuple[float, int]:
        return -self._by_visit[visit].relevance, visit
