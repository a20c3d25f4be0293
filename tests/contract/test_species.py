"""Rules that every species keeps, with any sight, choice, learning and breeding."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from checks import BoundsAtEveryEvent, check
from tiny_webs import Web, crawl, link, make_population, random_web, visit

from evocrawl.core.events import Event, VisitOpened
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Cost, Dead, Dropped, Outcome, Refused
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.species import SPECIES

A, B = "http://a.test/", "http://b.test/"
WEBS = range(12)
FAILURES: list[Outcome] = [Dead("404", Cost()), Refused(Cost()), Dropped("filtered")]


@pytest.fixture(params=sorted(SPECIES))
def species(request: pytest.FixtureRequest) -> str:
    """Return each registered species in turn."""
    return str(request.param)


@pytest.fixture
def goes_once(species: str) -> str:
    """Return each species that follows a link once; others continue as long as the budget lasts."""
    if revisits(species):
        pytest.skip("goes to known pages too")
    return species


def revisits(species: str) -> bool:
    """Return whether the species visits known pages again."""
    return make_population(species)[0].species[0].revisits


def make(species: str, seed: int = 0, **options: Any) -> tuple[Population, Ledger]:
    """Return a population that cannot die out."""
    options.setdefault("bounds", PopulationBounds(4, 1, 12))
    return make_population(species, seed=seed, **options)


def web_of(seed: int, pages: int = 40) -> Web:
    """Return a random web with every kind of failure."""
    return random_web(np.random.default_rng(seed), pages)


@pytest.mark.parametrize("seed", WEBS)
def test_every_reachable_link_is_followed_once(goes_once: str, seed: int) -> None:
    """The crawl of a finite web ends then, if the budget suffices and the population survives."""
    web = web_of(seed)
    seeds = [*web.links][:2]
    population, ledger = make(goes_once, seed)
    order = crawl(population, web, seeds, most=100)
    assert len(set(order)) == len(order)
    known = {url for url in order if url not in web.moved and url not in web.failing}
    known |= {web.moved[url] for url in order if url in web.moved}
    assert set(order) <= web.reachable(seeds) <= {*order, *known}
    assert population.ended == "exhausted"
    check(population, ledger)


@pytest.mark.parametrize("seed", WEBS)
def test_visits_under_way_may_settle_in_any_order(species: str, seed: int) -> None:
    """In any order, with any outcome: bounds, energy and claims are kept."""
    web, rng = web_of(seed), np.random.default_rng(seed)
    population, ledger = make(species, seed, max_unsettled=6, budget=120)
    population.on_event.append(BoundsAtEveryEvent(population))
    population.place(link(url) for url in [*web.links][:3])
    targets = list[bytes]()
    while population.ended is None:
        chosen = population.choose(0.0)
        if chosen is not None:
            assert population.environment.base.is_claimed(chosen.lead.fingerprint)
            targets.append(chosen.lead.fingerprint)
        elif population.unsettled:
            under_way = [*population.unsettled.values()]
            settled = under_way[int(rng.integers(len(under_way)))]
            if rng.random() < 0.2:
                population.settle(settled.id, FAILURES[int(rng.integers(3))])
            else:
                visit(population, web, settled)
        check(population, ledger)
    assert revisits(species) or len(set(targets)) == len(targets)


@pytest.mark.parametrize("seed", WEBS)
def test_no_visit_goes_to_a_host_that_is_not_free(species: str, seed: int) -> None:
    """B050: neither above its concurrency nor before the end of its delay; each host has visits."""
    web = web_of(seed)
    seeds = [*web.links][:3]
    budget = 120 if revisits(species) else None
    population, ledger = make(
        species, seed, max_unsettled=9, limit=lambda _: (2, 1.5), budget=budget
    )
    hosts, last, asked = population.environment.hosts, dict[str, float](), set[str]()
    population.place(link(url) for url in seeds)
    now_s = 0.0
    while population.ended is None:
        chosen = population.choose(now_s)
        if chosen is not None:
            host = chosen.lead.host
            asked.add(chosen.lead.url)
            assert now_s - last.get(host, -1.5) >= 1.5
            last[host] = now_s
            assert not hosts.is_free(host, now_s)
        elif population.unsettled:
            visit(population, web, next(iter(population.unsettled.values())))
            now_s += 0.25
        elif population.ended is None:
            wakes_at_s = population.wakes_at()
            assert wakes_at_s is not None, "nothing is under way and nothing will wake the crawl"
            now_s = wakes_at_s
        check(population, ledger)
    if not revisits(species):
        assert web.reachable(seeds) <= asked | set(web.moved.values()), "links are left"


def test_the_same_seed_gives_the_same_events(species: str) -> None:
    """With any hash seed of the process."""
    web, histories = web_of(7), []
    for _ in range(2):
        population, _ = make(species, 3, budget=100)
        events: list[Event] = []
        population.on_event.append(events.append)
        crawl(population, web, [*web.links][:2])
        histories.append(events)
    assert histories[0] == histories[1]
    assert any(isinstance(event, VisitOpened) for event in histories[0])


def test_another_run_of_the_program_makes_the_same_choices() -> None:
    """The order of a set of strings changes from run to run: no choice may depend on it."""
    code = (
        "import sys, numpy\n"
        "from tiny_webs import crawl, make_population, random_web\n"
        "web = random_web(numpy.random.default_rng(5), 40)\n"
        "limit = lambda host: (1, 1.0)\n"
        "for name in sys.argv[1:]:\n"
        "    population = make_population(name, limit=limit, budget=100)[0]\n"
        "    print(name, *crawl(population, web, [*web.links][:3]))\n"
    )
    orders = [
        subprocess.run(
            [sys.executable, "-c", code, *sorted(SPECIES)],
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert orders[0] == orders[1]
    assert len(orders[0]) > 100


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_seed_that_brings_no_page_ends_the_crawl(goes_once: str, outcome: Outcome) -> None:
    """No agent waits for links that do not come."""
    population, ledger = make(goes_once)
    assert crawl(population, Web({}, failing={A: outcome}), [A]) == [A]
    assert population.ended == "exhausted"
    check(population, ledger)


def test_one_dead_seed_of_two_does_not_end_the_crawl(goes_once: str) -> None:
    """The other one is followed, in either order."""
    for seeds in ([A, B], [B, A]):
        population, _ = make(goes_once)
        order = crawl(population, Web({B: [f"{B}1"], f"{B}1": []}), seeds)
        assert sorted(order) == sorted([A, B, f"{B}1"])


def test_pages_without_links_or_with_links_to_themselves_end_the_crawl(goes_once: str) -> None:
    """A page's own address is claimed with it, also if a redirect led to it."""
    for web in (Web({A: []}), Web({A: [A, A]}), Web({B: [B, A]}, moved={A: B})):
        population, ledger = make(goes_once)
        assert crawl(population, web, [A], most=3) == [A]
        check(population, ledger)


def test_all_of_a_thousand_links_of_a_page_are_followed(goes_once: str) -> None:
    """Each target once, although the page has each link twice."""
    targets = [f"{B}{number}" for number in range(500)]
    web = Web({A: [*targets, *targets], **{target: [] for target in targets}}, {A: 1.0})
    population, ledger = make(goes_once)
    assert sorted(crawl(population, web, [A])) == sorted([A, *targets])
    assert ledger.pages == 501


def test_the_budget_is_not_exceeded(species: str) -> None:
    """Also with many visits under way at once."""
    population, _ = make(species, max_unsettled=50, budget=7)
    population.place(link(f"{A}{number}") for number in range(20))
    opened = 0
    while (chosen := population.choose(0.0)) is not None:
        opened += 1
        assert population.environment.budget.spend(chosen.id)
        if opened % 3 == 0:
            population.settle(chosen.id, Dropped(""))
    many = not population.species[0].single_flight and not revisits(species)
    assert opened == 7 if many else opened <= 7
    for each in [*population.unsettled]:
        population.settle(each, Dead("closed", Cost()))
    while (chosen := population.choose(0.0)) is not None:
        visit(population, Web({}), chosen)
    assert population.environment.budget.spent == 7
    assert population.ended == "budget"


def test_a_score_is_finite_for_seeds_and_links(species: str) -> None:
    """It orders queues and is the weight of draws."""
    choice = make(species)[0].species[0].choice
    page = Web({A: []}).answer(A, lambda _: 0.0).page  # type: ignore[union-attr]
    for found_on in (None, page):
        assert np.isfinite(choice.score(link(B, "0.5"), found_on))
