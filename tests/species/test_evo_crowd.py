"""How many agents of the default species are out at once."""

from __future__ import annotations

import numpy as np
from crawled import WordsAreNumbers, to, url_of
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.config import Config
from evocrawl.habitat import settle_in
from evocrawl.model import Cost, Dead, Dropped, Fetched, Outcome, Page, Visit
from evocrawl.population import Population
from evocrawl.species.base import Agent
from evocrawl.species.evo_crowd import EACH, FIRST, Crowd
from evocrawl.urls import fingerprint

LINKS = [to(f"page{number}", "0.5") for number in range(200)]


def agent(number: int) -> Agent:
    """An agent that is out."""
    rng = np.random.default_rng(number)
    return Agent(number, 1.0, b"", rng, None, in_flight=1)  # type: ignore[arg-type]


def population(seeds: int = 1) -> Population:
    """A population that may have twenty visits under way."""
    habitat = settle_in(
        Config.read({}, {"query": "words", "agents": 20}),
        concurrency=20,
        host_limit=lambda _: (20, 0.0),
        timeout_s=10.0,
        model=WordsAreNumbers(),
    )
    habitat.population.place([to(f"seed{number}") for number in range(seeds)])
    return habitat.population


def chosen(crawl: Population) -> list[Visit]:
    """All the visits that may begin now."""
    visits = []
    while (visit := crawl.choose(0.0)) is not None:
        visits.append(visit)
    return visits


def page(visit: Visit) -> Fetched:
    """The page that was visited, with all the links."""
    links = tuple(LINKS) if "seed" in visit.lead.url else ()
    return Fetched(Page(visit.lead.url, visit.lead.fingerprint, 0.5, 0.5, links=links), Cost())


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 100))
def test_one_more_is_out_for_so_many_pages(first: int, each: int, pages: int) -> None:
    """It is full with that many out, and not with one less."""
    crowd = Crowd(first, each)
    for _ in range(pages):
        crowd.hears()
    most = first + pages // each
    for number in range(most):
        assert not crowd.is_full
        crowd.sends(agent(number))
    assert crowd.is_full


def test_who_is_back_makes_room() -> None:
    """However the visit ended, and not twice where an agent goes out again."""
    crowd, one = Crowd(2, 8), agent(1)
    crowd.sends(one)
    crowd.sends(one)
    assert not crowd.is_full
    crowd.sends(agent(2))
    assert crowd.is_full
    one.in_flight = 0
    assert not crowd.is_full


def test_seeds_do_not_wait() -> None:
    """There is nothing to choose between."""
    assert len(chosen(population(seeds=12))) == 12


def test_few_visits_are_under_way_until_pages_have_come_in() -> None:
    """Then as many as there may be, with the same agents."""
    crawl = population()
    (seed,) = chosen(crawl)
    crawl.settle(seed.id, page(seed))
    out, most = chosen(crawl), []
    while len(most) < 170:
        most.append(len(out))
        crawl.settle(out[0].id, page(out[0]))
        out = [*out[1:], *chosen(crawl)]
    assert most[0] == FIRST
    assert most[: 2 * EACH] == [FIRST + (n + 1) // EACH for n in range(2 * EACH)]
    assert most[-1] == 20


def test_a_link_that_leads_nowhere_teaches_too_but_not_one_that_was_dropped() -> None:
    """A filter of the user's says nothing of the web."""
    for outcome, more in ((Dead("404", Cost()), 1), (Dropped("filtered"), 0)):
        crawl = population()
        (seed,) = chosen(crawl)
        crawl.settle(seed.id, page(seed))
        out = chosen(crawl)
        for _ in range(EACH):
            told: Outcome = outcome
            crawl.settle(out[0].id, told)
            out = [*out[1:], *chosen(crawl)]
        assert len(out) == FIRST + more


def test_pages_of_others_count() -> None:
    """What another worker has found teaches this population."""
    crawl = population()
    (seed,) = chosen(crawl)
    crawl.settle(seed.id, page(seed))
    learning = crawl.species[0].learning
    for number in range(EACH):
        url = url_of(f"b.test/{number}")
        learning.overhear(Page(url, fingerprint(url), 0.5, 0.5), seed.lead)  # type: ignore[attr-defined]
    assert len(chosen(crawl)) == FIRST + 1
