"""The pages that a crawl has found, in the order of their relevance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from sys import maxsize

from sortedcontainers import SortedKeyList

from evocrawl.core.model import AgentId, VisitId
from evocrawl.monitor.steps import Steps

_STEP = 1000
_FEW = 1000
"""Number of results up to which they are sorted; more of them are read off the ranking of all."""


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

    Each word of `text` has to be in title, URL or anchor; upper and lower case are the same.
    """

    text: str = ""
    host: str = ""
    agent: AgentId | None = None
    least: float = 0.0
    marked: bool = False

    def passes(self, result: Result, words: Sequence[str]) -> bool:
        """Return True if the result is shown; `words` are those of `text`, in lower case."""
        if result.relevance < self.least or (self.agent not in (None, result.agent)):
            return False
        if (self.host and self.host != result.host) or (self.marked and result.mark is None):
            return False
        if words:
            text = f"{result.title}\n{result.url}\n{result.anchor}".lower()
            for word in words:  # `all` takes four times as long
                if word not in text:
                    return False
        return True


class _Chosen:
    """The results that a filter shows. `is_whole` is False until all results have been read."""

    def __init__(self, only: Filter) -> None:
        self.only = only
        self.visits: set[VisitId] = set()
        self.is_whole = False
        self._words = only.text.lower().split()

    def add(self, results: Iterable[Result]) -> None:
        """Add those of some results that are shown."""
        passes, words = self.only.passes, self._words
        self.visits.update([each.visit for each in results if passes(each, words)])

    def note(self, result: Result) -> None:
        """Add a result, or remove it if it has changed and is not shown any more."""
        if self.only.passes(result, self._words):
            self.visits.add(result.visit)
        else:
            self.visits.discard(result.visit)


class Results:
    """Results by relevance, the best first; of equals the first found."""

    of_run = ("_chosen",)
    """Attributes that are no part of a snapshot."""

    def __init__(self) -> None:
        self._by_visit: dict[VisitId, Result] = {}
        self._visit_of: dict[str, VisitId] = {}
        self._chosen: _Chosen | None = None
        self._ranked: SortedKeyList[VisitId, tuple[float, int]] = SortedKeyList(key=self._key)

    def __len__(self) -> int:
        return len(self._by_visit)

    def __iter__(self) -> Iterator[Result]:
        """Iterate in the order of the visits' results."""
        return iter(self._by_visit.values())

    def add(self, result: Result) -> None:
        """Add a page; it replaces an earlier one of the same visit or URL. O(log n)."""
        known = self._visit_of.get(result.url, result.visit)
        old = self._by_visit.get(known)
        if old is not None:
            self._ranked.discard(known)
            result = replace(result, visit=known, mark=old.mark)
        self._by_visit[known] = result
        self._visit_of[result.url] = known
        self._ranked.add(known)
        if self._chosen is not None:
            self._chosen.note(result)

    def add_all(self, results: Iterable[Result]) -> None:
        """Add many pages. O(n log n), three times faster than one by one."""
        again = []
        for each in results:
            if each.visit in self._by_visit or each.url in self._visit_of:
                again.append(each)
            else:
                self._by_visit[each.visit] = each
                self._visit_of[each.url] = each.visit
        self._chosen = None
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
        marked = self._by_visit[visit] = replace(self._by_visit[visit], mark=relevant)
        if self._chosen is not None:
            self._chosen.note(marked)

    def best(self, count: int, start: int = 0) -> list[Result]:
        """Return `count` results from `start` on, the best first. O(start + count)."""
        return [self._by_visit[each] for each in self._ranked.islice(start, start + count)]

    def shown(self, only: Filter, count: int, start: int = 0) -> Steps[tuple[int, list[Result]]]:
        """Return how many results a filter shows, and `count` of them from `start`, the best first.

        O(start + count) for a filter by relevance alone. Others read all results, O(n), about a
        third of a microsecond each, since the ranking jumps about in memory and the order of their
        arrival does not. The latest filter is kept up to date: its further answers are O(n) only to
        the last result that is shown.
        """
        if only == Filter(least=only.least):
            total = self._ranked.bisect_key_right((-only.least, maxsize))
            return total, self.best(max(min(count, total - start), 0), start)
        visits = yield from self._choose(only)
        ranked = yield from self._in_order(visits, start + count)
        return len(visits), [self._by_visit[each] for each in ranked[start:]]

    def _choose(self, only: Filter) -> Steps[set[VisitId]]:
        """Return the results that a filter shows; those that change meanwhile are noted, too."""
        chosen = self._chosen
        if chosen is None or not chosen.is_whole or chosen.only != only:
            chosen = self._chosen = _Chosen(only)
            visits = [*self._by_visit]
            for at in range(0, len(visits), _STEP):
                chosen.add(map(self._by_visit.__getitem__, visits[at : at + _STEP]))
                yield
            chosen.is_whole = True
        return chosen.visits

    def _in_order(self, visits: set[VisitId], most: int) -> Steps[list[VisitId]]:
        """Return the first `most` of some results in the order of the ranking."""
        if len(visits) <= _FEW:
            return sorted(visits, key=self._key)[:most]
        found: list[VisitId] = []
        for at, visit in enumerate([*self._ranked]):
            if len(found) >= most:
                break
            if visit in visits:
                found.append(visit)
            if at % _STEP == _STEP - 1:
                yield
        return found

    def _key(self, visit: VisitId) -> tuple[float, int]:
        return -self._by_visit[visit].relevance, visit
