"""The summary has the numbers of the views, in bounded memory."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from evocrawl.core.budget import Budget
from evocrawl.core.events import VisitSettled
from evocrawl.core.fetch import KNOWN, OVER_BUDGET
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import (
    Content,
    Cost,
    Dead,
    Dropped,
    Fetched,
    Lead,
    Outcome,
    Page,
    Refused,
    Visit,
)
from evocrawl.estimation.forecast import Forecast
from evocrawl.monitor import summary as module
from evocrawl.monitor.summary import CrawlSummary


def test_there_is_no_forecast_without_a_page() -> None:
    """A crawl whose seeds are dead has followed all links; how much is left is unknown."""
    ledger, budget = Ledger(relevant_at=0.5), Budget(10)
    forecast = Forecast(0.5, budget)
    forecast.population = SimpleNamespace(ended="exhausted")
    summary = CrawlSummary(ledger, budget, forecast)
    assert summary.outlook is None
    ledger.pages = 1
    assert summary.outlook is not None


class Story:
    """A crawl made of outcomes: each visit takes one request."""

    def __init__(self) -> None:
        self.ledger = Ledger(relevant_at=0.5)
        self.budget = Budget(10_000)
        self.summary = CrawlSummary(self.ledger, self.budget)
        self.visits = 0

    def settle(self, outcome: Outcome, url: str = "http://a.test/") -> None:
        self.visits += 1
        lead = Lead(url, b"%d" % self.visits, "a.test", b"", 1, 0.0, "anchor")
        visit = Visit(self.visits, 7, lead, 0.0)
        assert self.budget.spend(None)
        self.summary.note_outcome(visit, outcome)
        is_page = isinstance(outcome, Fetched)
        relevance = outcome.page.relevance if is_page else None
        kind = type(outcome).__name__.lower()
        event = VisitSettled(visit, kind, relevance=relevance, first=is_page)  # type: ignore[arg-type]
        self.ledger.note(event)
        self.summary.note(event)

    def page(self, relevance: float, host: str = "a.test") -> None:
        url = f"http://{host}/{self.visits}"
        content = Content(title=f"Page {self.visits}")
        self.settle(
            Fetched(Page(url, b"%d" % self.visits, relevance, 0.0, content=content), Cost())
        )


def test_the_recent_harvest_is_that_of_the_last_hundred_requests() -> None:
    """The total harvest is that of all requests; up to a hundred both are the same."""
    story = Story()
    for number in range(300):
        story.page(0.9 if number < 3 else 0.1)
        if number < 100:
            assert story.summary.recent_harvest == story.summary.harvest
    for number in range(100):
        story.page(0.9 if number % 4 == 0 else 0.1)
    assert story.summary.recent_harvest == pytest.approx(0.25, abs=0.01)
    assert story.summary.harvest == pytest.approx(28 / 400)
    assert len(story.summary._recent) <= module.RECENT + 2


def test_the_best_pages_are_kept_and_the_first_of_equal_ones() -> None:
    """Ten of them, for any order of pages."""
    story = Story()
    scores = [(n * 37 % 101) / 101 for n in range(101)]
    for score in scores:
        story.page(score)
    story.page(max(scores))
    best = story.summary.best()
    expected = sorted([*scores, max(scores)], reverse=True)[: module.BEST]
    assert [each.relevance for each in best] == expected
    assert -best[0].minus_visit < -best[1].minus_visit
    assert [each.title for each in story.summary.best(1)] == [best[0].title]


def test_the_latest_relevant_pages_are_kept() -> None:
    """Pages below the threshold are not among them."""
    story = Story()
    for number in range(20):
        story.page(0.9 if number % 2 else 0.1)
    assert [each.title for each in story.summary.latest] == [
        f"Page {n}" for n in (11, 13, 15, 17, 19)
    ]


def test_failures_are_counted_by_kind() -> None:
    """Visits that are put off or dropped, known pages and the end of the budget are no failures."""
    story = Story()
    for reason in ("status 404", "status 404", "CannotResolveHostError", "address"):
        story.settle(Dead(reason, Cost()))
    story.settle(Refused(Cost()))
    story.settle(Refused(Cost(), "DownloadTimeoutError"))
    story.settle(Dropped("to be tried again"))
    story.settle(Dead(KNOWN, Cost()))
    story.settle(Dead(OVER_BUDGET, Cost()))
    assert story.summary.failures == {
        "404": 2, "DNS": 1, "address guard": 1, "robots.txt": 1, "robots.txt not fetched": 1,
    }  # fmt: skip
    for number in range(100):
        story.settle(Dead(f"kind {number}", Cost()))
    assert len(story.summary.failures) <= 41
    assert story.summary.failures.total() == 106


def test_hosts_are_ranked_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hosts with the most relevant pages stay."""
    monkeypatch.setattr(module, "MAX_HOSTS", 10)
    story = Story()
    for number in range(100):
        story.page(0.9, "good.test")
        story.page(0.1, f"h{number}.test")
    (first, *_) = story.summary.hosts(3)
    assert (first.host, first.pages, first.relevant) == ("good.test", 100, 100)
    assert story.summary.hosts_seen == 101
    assert len(story.summary._hosts) <= 10
