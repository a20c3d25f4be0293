"""Several species in one population: common bounds, common energy, and selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest
from checks import BoundsAtEveryEvent, check
from tiny_webs import Web, crawl, link, make_population, random_web, visit

from evocrawl.core.events import Born, Died, Event
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population

MIX = "energy+infospiders+best_first"
SEED = "http://a.test/"


def members(population: Population) -> Counter[str]:
    """Count the living agents of each species."""
    return Counter(agent.species.name for agent in population.lifecycle.agents.values())


@pytest.mark.parametrize("seed", range(8))
def test_common_bounds_and_energy_hold_at_every_event(seed: int) -> None:
    """They hold at each birth and death; and every reachable link is followed once."""
    web = random_web(np.random.default_rng(seed), 60)
    seeds = [*web.links][:3]
    population, ledger = make_population(
        MIX, seed=seed, bounds=PopulationBounds(6, 3, 12), max_unsettled=4
    )
    population.on_event.append(BoundsAtEveryEvent(population))
    order = crawl(population, web, seeds)
    assert len(set(order)) == len(order)
    assert web.reachable(seeds) <= {*order, *web.moved.values()}
    check(population, ledger)


@pytest.mark.parametrize("founders", [3, 7, 8])
def test_species_share_the_founders_evenly(founders: int) -> None:
    """The remainder goes to the species that are named first."""
    population, _ = make_population(MIX, bounds=PopulationBounds(founders, 1, 20))
    population.place([link(SEED)])
    counts = members(population)
    assert sum(counts.values()) == founders
    assert max(counts.values()) - min(counts.values()) <= 1
    assert counts["energy"] == max(counts.values())


def test_agents_of_every_species_have_visits_one_at_a_time() -> None:
    """This holds for best-first, too, which has many visits under way when it is alone."""
    web = random_web(np.random.default_rng(1), 60)
    population, _ = make_population(MIX, bounds=PopulationBounds(6, 6, 12), max_unsettled=9)
    visitors = Counter[str]()
    population.place(link(url) for url in [*web.links][:6])
    while population.ended is None:
        chosen = population.choose(0.0)
        if chosen is not None:
            agent = population.lifecycle.agents[chosen.agent]
            assert agent.in_flight == 1
            visitors[agent.species.name] += 1
        elif population.unsettled:
            visit(population, web, next(iter(population.unsettled.values())))
    assert {*visitors} == {*MIX.split("+")}


def test_the_same_seed_gives_the_same_events() -> None:
    """This holds if several species draw, too."""
    web, histories = random_web(np.random.default_rng(2), 60), []
    for _ in range(2):
        population, _ = make_population(MIX, seed=5)
        events: list[Event] = []
        population.on_event.append(events.append)
        crawl(population, web, [*web.links][:2])
        histories.append(events)
    assert histories[0] == histories[1]


def _two_trails() -> Web:
    """Return a row of good pages with matching links; each also begins a row of poor pages."""
    links: dict[str, Sequence[str | tuple[str, str]]] = {}
    for number in range(400):
        good, poor = f"{SEED}good{number}", f"{SEED}poor{number}"
        links[good] = [
            (f"{SEED}good{number + 1}", "1.0"), (f"{SEED}good{number + 2}", "1.0"),
            *((f"{SEED}poor{number * 7 + each}", "0.0") for each in range(7)),
        ]  # fmt: skip
        links[poor] = [(f"{SEED}poor{number + each}", "0.0") for each in (1, 2, 3)]
    links[SEED] = [(f"{SEED}good0", "1.0"), *((f"{SEED}poor{n}", "0.0") for n in range(12))]
    return Web(links, {url: 1.0 for url in links if "good" in url})


@pytest.mark.parametrize("seed", range(4))
def test_a_species_that_finds_more_has_more_agents(seed: int) -> None:
    """Best-first by anchors finds the good pages, a random crawler does not.

    A good page pays 3.5, a poor one costs 0.5.
    """
    population, _ = make_population(
        "best_first_anchor+random",
        seed=seed,
        bounds=PopulationBounds(8, 2, 40),
        budget=200,
        energy="linear",
    )
    population.on_event.append(BoundsAtEveryEvent(population))
    crawl(population, _two_trails(), [SEED, f"{SEED}good5", f"{SEED}poor5", f"{SEED}poor50"])
    counts = members(population)
    assert counts["best_first_anchor"] > 2 * counts["random"]


@pytest.mark.parametrize("order", [lambda names: names, reversed])
def test_the_order_of_names_does_not_decide(
    order: Callable[[list[str]], Iterable[str]],
) -> None:
    """The species that reads anchors has more agents in both orders."""
    names = "+".join(order(["best_first_anchor", "random"]))
    population, _ = make_population(
        names, bounds=PopulationBounds(8, 2, 40), budget=200, energy="linear"
    )
    born, died = Counter[str](), 0
    species_of: dict[int, str] = {}

    def note(event: Event) -> None:
        nonlocal died
        if isinstance(event, Born):
            species_of[event.agent] = event.species
            born[event.species] += 1
        died += isinstance(event, Died)

    population.on_event.append(note)
    crawl(population, _two_trails(), [SEED, f"{SEED}good5", f"{SEED}poor5", f"{SEED}poor50"])
    assert born["best_first_anchor"] > 2 * born["random"]
    assert died
