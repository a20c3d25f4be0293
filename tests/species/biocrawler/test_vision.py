"""What a BioCrawler sees."""

from __future__ import annotations

import numpy as np
import pytest

from evocrawl.core.model import Cost, Dead, Dropped, Fetched, Lead, Outcome, Page, Refused, Visit
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.species.agent import Agent
from evocrawl.species.biocrawler.vision import ROOT, Trail, Vision

SIZE = 3


class Crawler:
    """A crawler with its vision, on a web of hosts with one-letter names."""

    def __init__(self, size: int = SIZE) -> None:
        self.trail = Trail()
        self.claimed = set[bytes]()
        self.vision = Vision(size, lambda _: self.trail, self.claimed.__contains__)
        self.agent = Agent(1, 50.0, ROOT, np.random.default_rng(0))

    def show(self, page: str, *links: str) -> list[Lead]:
        """Show the links (host, or host/page) of a page; "" stands for seeds."""
        source = fingerprint(url(page)) if page else ROOT
        leads = [
            Lead(url(each), fingerprint(url(each)), host_of(url(each)), source, 1, 0.0)
            for each in links
        ]
        self.vision.found(leads)
        return leads

    def go(self, page: str) -> None:
        """Move to a page."""
        self.agent.page = fingerprint(url(page)) if page else ROOT

    def see(self, *busy: str) -> str:
        """Return the links in sight, as short names."""
        look = self.vision.look(self.agent, lambda host: host not in busy)
        assert look.busy <= set(busy)
        return " ".join(lead.url.removeprefix("http://").strip("/") for lead in look.leads)


def url(name: str) -> str:
    """Return a URL: ``a`` is the page / of host a, ``a/x`` another of its pages."""
    return f"http://{name if '/' in name else name + '/'}"


def over(lead: Lead, outcome: Outcome) -> tuple[Visit, Outcome]:
    """Return a visit to `lead` and its outcome."""
    return Visit(1, 1, lead, 0.0), outcome


def test_links_of_the_page_are_in_sight_by_domain() -> None:
    """All links to a domain take one space of the vision."""
    crawler = Crawler()
    crawler.show("h", "a/1", "b/1", "a/2", "c/1", "a/3")
    crawler.go("h")
    assert crawler.see() == "a/1 a/2 a/3 b/1 c/1"


def test_earlier_pages_fill_the_remaining_spaces() -> None:
    """The latest page first, without domains that are in sight already."""
    crawler = Crawler()
    crawler.show("first", "x/1", "y/1")
    crawler.show("second", "b/9", "c/1")
    crawler.show("third", "a/1", "b/1")
    for page in ("first", "second", "third"):
        crawler.go(page)
        crawler.see()
    assert crawler.see() == "a/1 b/1 c/1"


def test_a_page_visited_twice_is_on_the_trail_once() -> None:
    """So a crawler that alternates between two pages remembers earlier pages."""
    trail = Trail()
    for page in (ROOT, b"1", b"2", b"1", b"2", b"2"):
        trail.arrive(page, 3)
    assert trail.pages == [b"2", b"1"]
    for page in (b"3", b"4"):
        trail.arrive(page, 3)
    assert trail.pages == [b"4", b"3", b"2"]


def test_each_of_too_many_domains_is_in_sight_at_times() -> None:
    """Never more than the vision has spaces."""
    crawler = Crawler()
    crawler.show("h", *"abcdefg")
    crawler.go("h")
    seen = [set(crawler.see().split()) for _ in range(100)]
    assert {len(each) for each in seen} == {SIZE}
    assert set().union(*seen) == set("abcdefg")


def test_a_crawler_waits_for_busy_domains_only_without_a_free_one() -> None:
    """A crawler with a free one in sight follows it."""
    crawler = Crawler()
    crawler.show("h", "a", "b")
    crawler.go("h")
    assert crawler.see("a") == "b"
    look = crawler.vision.look(crawler.agent, lambda _: False)
    assert (look.leads, look.busy) == ([], {"a", "b"})


@pytest.mark.parametrize("outcome", [Dead("404", Cost()), Refused(Cost()), Dropped("filtered")])
def test_a_link_without_a_page_is_out_of_sight_until_its_page_is_fetched_again(
    outcome: Outcome,
) -> None:
    """Other links to the same domain stay."""
    crawler = Crawler()
    leads = crawler.show("h", "a/1", "a/2")
    crawler.go("h")
    crawler.vision.landed(*over(leads[0], outcome))
    assert crawler.see() == "a/2"
    crawler.show("h", "a/1", "a/2")
    assert crawler.see() == "a/1 a/2"


def test_a_link_with_a_page_stays_in_sight() -> None:
    """So known sites are visited again."""
    crawler = Crawler()
    lead, *_ = crawler.show("h", "a/1")
    crawler.go("h")
    page = Page(lead.url, lead.fingerprint, 0.0, 0.0)
    crawler.vision.landed(*over(lead, Fetched(page, Cost())))
    assert crawler.see() == "a/1"


def test_a_page_has_the_links_of_its_latest_fetch() -> None:
    """A link that is given back does not replace them."""
    crawler = Crawler()
    crawler.show("h", "a", "b")
    leads = crawler.show("h", "b", "c")
    crawler.vision.found(leads[:1])
    crawler.go("h")
    assert crawler.see() == "b c"


def test_seeds_are_in_sight_until_an_agent_follows_them() -> None:
    """Also those that are placed later."""
    crawler = Crawler()
    first, _ = crawler.show("", "a", "b")
    crawler.show("", "c")
    assert crawler.see() == "a b c"
    crawler.claimed.add(first.fingerprint)
    assert crawler.see() == "b c"


def test_a_dead_end_is_left_for_a_page_with_links_or_for_the_seeds() -> None:
    """Without both the crawler stays."""
    crawler = Crawler()
    crawler.go("h")
    assert crawler.vision.escape(crawler.agent, may_eat=True) is None
    (seed,) = crawler.show("", "s")
    move = crawler.vision.escape(crawler.agent, may_eat=True)
    assert move is not None
    assert move.page == ROOT
    crawler.claimed.add(seed.fingerprint)
    crawler.show("there", "a")
    move = crawler.vision.escape(crawler.agent, may_eat=True)
    assert move is not None
    assert move.page == fingerprint(url("there"))
