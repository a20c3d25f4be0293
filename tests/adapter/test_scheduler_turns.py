"""When many visits end at once, the scheduler lets the event loop run in between."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from evocrawl.adapter import crawl_run, scheduler
from evocrawl.adapter import fetches as fetch_tracker
from evocrawl.adapter.fetches import FetchTracker
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.scheduler import EvoScheduler


class Stage:
    """A scheduler whose visits have all ended; each takes `cost_s` of a clock to be settled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, visits: int, cost_s: float) -> None:
        self.now_s = 0.0
        self.cost_s = cost_s
        self.settled: list[int] = []
        self.chosen_after: list[int] = []
        self.wakes = 0
        self.impatient_times = 0
        monkeypatch.setattr(fetch_tracker, "perf_counter", lambda: self.now_s)
        monkeypatch.setattr(scheduler, "Retries", lambda *_: None)
        monkeypatch.setattr(crawl_run, "connect_first", lambda *_: None)
        self.inprogress: set[Request] = set()
        nextcall = SimpleNamespace(schedule=self._schedule)
        slot = SimpleNamespace(inprogress=self.inprogress, nextcall=nextcall)
        signals = SimpleNamespace(connect=lambda *_: None)
        engine = SimpleNamespace(_slot=slot, _start=None, scraper=SimpleNamespace(slot=object()))
        crawler = SimpleNamespace(signals=signals, engine=engine)
        self.fetches = {
            number: SimpleNamespace(number=number, known_at_s=None) for number in range(visits)
        }
        fetches = SimpleNamespace(
            under_way=self.fetches, settle=self._settle, is_complete=lambda _: False
        )
        fetches.ended = partial(FetchTracker.ended, fetches)  # type: ignore[arg-type]
        fetches.settle_ended = partial(FetchTracker.settle_ended, fetches)  # type: ignore[arg-type]
        context = SimpleNamespace(
            population=SimpleNamespace(
                wakes_at=lambda: None, cut_short=0, ended="exhausted", unsettled=()
            ),
            journaled=SimpleNamespace(flush=lambda: None, choose=self._choose, place=len),
            redirects=None,
            backoff=None,
            cluster=None,
            scheduler_stats=SimpleNamespace(dequeued=lambda **_: None),
            names=SimpleNamespace(dupefilter=SimpleNamespace(filter=None)),
            fetches=fetches,
            is_seeding=False,
            browser_places=SimpleNamespace(is_full=lambda _: False),
            kept=SimpleNamespace(forget_ended=lambda _: None, sent=lambda _: None),
            now_s=lambda: self.now_s,
            base=SimpleNamespace(spill=SimpleNamespace(check=lambda: None)),
        )
        self.scheduler = EvoScheduler(crawler, context)  # type: ignore[arg-type]
        self.scheduler._lull = SimpleNamespace(look=lambda: None)  # type: ignore[assignment]

    def _settle(self, fetch: Any, _: str) -> None:
        del self.fetches[fetch.number]
        self.settled.append(fetch.number)
        self.now_s += self.cost_s

    def _choose(self, _: float) -> None:
        self.chosen_after.append(len(self.settled))
        if self.impatient_times:
            self.impatient_times -= 1
            self.scheduler._population.cut_short += 1

    def _schedule(self) -> None:
        self.wakes += 1

    def turn(self) -> float:
        """Let the engine ask once; return how many seconds it took."""
        began = self.now_s
        assert self.scheduler.next_request() is None
        return self.now_s - began


@pytest.mark.parametrize(("cost_s", "turns"), [(0.001, 1), (0.02, 4), (0.2, 10)])
def test_visits_that_end_together_are_settled_in_turns_of_the_loop(
    monkeypatch: pytest.MonkeyPatch, cost_s: float, turns: int
) -> None:
    """All are settled in their order, and no visit is chosen in between."""
    stage = Stage(monkeypatch, 10, cost_s)
    held = [stage.turn() for _ in range(turns)]
    assert stage.settled == [*range(10)]
    assert stage.chosen_after == [10]
    assert stage.wakes == turns - 1
    assert max(held) < 0.05 + 2 * cost_s


def test_a_choice_that_was_cut_short_goes_on_in_the_next_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A choice that was not cut short is not repeated until an event."""
    stage = Stage(monkeypatch, 0, 0.0)
    stage.impatient_times = 2
    for wakes in (1, 2, 2):
        stage.turn()
        assert stage.wakes == wakes


def test_a_request_under_way_is_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that waits as a redirect is not settled either."""
    stage = Stage(monkeypatch, 3, 0.0)
    stage.inprogress.add(Request("http://a.test/", meta={VISIT: 1}))
    waits = Request("http://a.test/2", meta={VISIT: 2})
    stage.scheduler._direct_queue.push(waits)
    assert stage.scheduler.next_request() is waits
    assert stage.settled == [0]
