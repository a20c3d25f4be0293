"""When links that were held back are released."""

from __future__ import annotations

import pytest
from journeys import ListJournal, state_of
from made_webs import SPECIES, Made, said, visited
from tiny_webs import link, make_population

from evocrawl.core.events import DuplicateFound, Event, HeldBack
from evocrawl.core.model import Outcome
from evocrawl.population.population import Population
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import replay


@pytest.mark.parametrize("species", SPECIES)
def test_held_back_links_are_released_when_no_other_link_is_open(species: str) -> None:
    """No page of a finite web is lost, although its pages are all the same."""

    def tree(url: str) -> tuple[str, list[str]]:
        number = int(url.rpartition("/")[2] or 1)
        below = [n for n in (2 * number, 2 * number + 1) if n < 150]
        return said("x"), [f"http://a.test/{each}" for each in below]

    urls, events = visited(species, tree, traps=TrapDetector())
    assert len(urls) == 149
    assert [each for each in events if isinstance(each, HeldBack)]


def test_held_back_links_wait_for_better_ones() -> None:
    """A hundred copies, and a hundred pages with new text."""

    def web(url: str) -> tuple[str, list[str]]:
        if "/copy/" in url:
            return said("x"), []
        number = int(url.rpartition("/")[2] or 0)
        copies = [f"http://a.test/copy/{n}" for n in range(100)] if number == 0 else []
        return said(url), [*copies, f"http://a.test/{number + 1}"] if number < 100 else []

    urls, _ = visited("best_first", web, traps=TrapDetector())
    assert len(urls) == 201
    first = [number for number, url in enumerate(urls) if "/copy/" in url]
    assert first == [*range(1, 10), *range(110, 201)]


def test_a_group_with_new_pages_is_open_again() -> None:
    """Its held-back links are released at once."""
    bad, good = ([f"http://a.test/{kind}/{n}" for n in range(40)] for kind in ("bad", "good"))

    def web(url: str) -> tuple[str, list[str]]:
        if "/good/" in url or url.endswith("/"):
            return said(url), bad if url.endswith("/") else []
        number = int(url.rpartition("/")[2])
        return (said("x"), []) if number < 12 else (said(url), good)

    urls, _ = visited("breadth_first", web, traps=TrapDetector())
    assert set(urls) == {"http://a.test/", *bad, *good}


@pytest.mark.parametrize("species", ["evo", "best_first", "energy+best_first"])
def test_a_large_trap_is_searched_in_parts(species: str) -> None:
    """The order is the same as with unlimited patience."""
    copies = [f"http://a.test/copy/{n}" for n in range(150)]

    def web(url: str) -> Outcome:
        good = [f"http://b.test/{n}" for n in range(9)] if url == "http://a.test/" else []
        text = said(url) if "b.test" in url else said("x")
        made = Made(lambda _: (text, [*copies, *good] if url == "http://a.test/" else []))
        return made.answer(url, lambda relevance: relevance)

    orders = []
    for patience in (None, 1, 7):
        population, _ = make_population(species, traps=TrapDetector(), budget=3000)
        population.selector.patience = patience
        population.place([link("http://a.test/")])
        order, most = list[str](), 0
        events: list[Event] = []
        population.on_event.append(events.append)
        while population.ended is None:
            cut_short, before = population.cut_short, len(events)
            visit = population.choose(0.0)
            held = sum(isinstance(each, HeldBack) for each in events[before:])
            most = max(most, held)
            if visit is None:
                assert population.cut_short == cut_short + 1 or population.ended
                continue
            order.append(visit.lead.url)
            population.settle(visit.id, web(visit.lead.url))
        orders.append(order)
        assert most > 100 if patience is None else most == patience
    assert len(orders[0]) > 20
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.parametrize("species", [*SPECIES, "energy+best_first"])
def test_a_replayed_crawl_holds_back_the_same_links(species: str) -> None:
    """R1: a replayed journal restores copies, held-back links and released links."""

    def web(url: str) -> tuple[str, list[str]]:
        number = int(url.rpartition("/")[2] or 1)
        below = [n for n in (2 * number, 2 * number + 1, 3 * number) if n < 60]
        return said("x" if number % 3 else url), [f"http://a.test/{each}" for each in below]

    def fresh() -> tuple[Population, JournaledHostLimits, list[Event]]:
        population, _ = make_population(species, traps=TrapDetector(), budget=200)
        events: list[Event] = []
        population.on_event.append(events.append)
        return population, JournaledHostLimits(lambda _: (100, 0.0), (100, 0.0)), events

    journal = ListJournal()
    population, limits, events = fresh()
    journaled = JournaledPopulation(population, limits, journal)
    journaled.begin(RunStarted(200, 1, (100, 0.0)))
    journaled.place([link("http://a.test/")])
    while (visit := journaled.choose(0.0)) is not None:
        journaled.spend(visit.id)
        journaled.settle(visit.id, Made(web).answer(visit.lead.url, population.price))
    assert {HeldBack, DuplicateFound} <= {type(each) for each in events}
    again, limits, replayed = fresh()
    replay(journal.ops(), JournaledPopulation(again, limits, ListJournal()))
    assert replayed == events
    assert state_of(again) == state_of(population)
