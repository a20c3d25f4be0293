"""`link_status` returns the state of a link and the reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tiny_webs import Web, link, make_population, random_web, visit

from evocrawl.core.model import Cost, Dead, Dropped, Lead, Outcome, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.link_notes import LinkNotes
from evocrawl.population.link_status import LinkState, LinkStatus, link_status
from evocrawl.population.population import Population
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.species import SPECIES

A, B = "http://a.test/", "http://b.test/"


def status(population: Population, url: str) -> tuple[str, str]:
    """Return the state of the link to `url`, and the reason."""
    found = link_status(population, fingerprint(url))
    return found.state.value, found.reason


@pytest.mark.parametrize("species", ["energy", "best_first", "evo"])
def test_a_link_is_open_then_under_way_then_settled(species: str) -> None:
    """While the link is under way, the reason names the visit."""
    population, _ = make_population(species)
    population.place([link(A)])
    assert status(population, A) == ("open", "no agent has chosen it")
    chosen = population.choose(0.0)
    assert chosen is not None
    assert status(population, A) == ("under way", f"visit {chosen.id}")
    visit(population, Web({A: [B]}), chosen)
    assert status(population, A) == ("settled", "fetched")
    assert status(population, B)[0] == "open"


def test_a_link_awaits_its_origin_and_then_a_slot_of_its_host() -> None:
    """If the origin stays closed, the link is put off."""
    is_open, limit = [False], [(9, 0.0)]
    population, _ = make_population(
        "best_first", max_unsettled=9, limit=lambda _: limit[0],
        gate=lambda _: None if is_open[0] else "origin",
    )  # fmt: skip
    population.place([link(A)])
    assert population.choose(0.0) is None
    assert status(population, A) == ("awaiting robots.txt or lease", "origin")
    population.close_origin("origin")
    assert status(population, A) == ("put off", "origin stayed closed")
    population.open_origin("origin")
    assert population.choose(0.0) is None
    population.environment.hosts.hold("a.test", 5.0)
    population.open_origin("origin")
    is_open[0] = True
    assert population.choose(0.0) is None
    assert status(population, A) == ("chosen", "a.test")
    chosen = population.choose(5.0)
    assert chosen is not None
    assert status(population, A) == ("under way", f"visit {chosen.id}")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Dead("404", Cost()), "dead: 404"),
        (Refused(Cost()), "refused"),
        (Dropped("filtered"), "dropped: filtered"),
    ],
)
def test_a_link_without_a_page_is_settled_with_the_reason(outcome: Outcome, reason: str) -> None:
    """If it is given back, it is put off with the same reason, and can be chosen again."""
    population, _ = make_population("best_first")
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    population.settle(chosen.id, outcome)
    assert status(population, A) == ("settled", reason)
    population.give_back(chosen.lead, population.species[0])
    assert status(population, A) == ("put off", reason.partition(": ")[2])
    assert population.choose(0.0) is not None
    assert status(population, A)[0] == "under way"


def test_a_redirected_link_is_settled_and_its_target_taken() -> None:
    """The visit keeps its own link; the page is fetched at the other address."""
    population, _ = make_population("best_first")
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    population.environment.base.claim(fingerprint(B))
    assert status(population, B) == ("taken", "by a redirect or another worker")
    visit(population, Web({B: []}, moved={A: B}), chosen)
    assert status(population, A) == ("settled", "fetched: after a redirect")
    assert status(population, B) == ("settled", "fetched")


def test_a_link_of_another_worker_is_taken_until_it_is_restored() -> None:
    """Then it is open."""
    population, _ = make_population("best_first")
    exchange = PopulationExchange(population)
    exchange.withdraw([fingerprint(A)])
    assert status(population, A)[0] == "taken"
    assert exchange.restore(fingerprint(A))
    assert status(population, A)[0] == "open"


def test_a_link_of_a_trap_is_held_back_and_then_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason names its group; a released link is open."""
    population, _ = make_population("best_first", traps=TrapDetector())
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    name = "template b.test/"

    def reasons(_: TrapDetector, leads: Sequence[Lead]) -> list[str]:
        return [name if each.url == B else "" for each in leads]

    monkeypatch.setattr(TrapDetector, "reasons", reasons)
    visit(population, Web({A: [B]}), chosen)
    assert status(population, B) == ("held back", name)
    monkeypatch.undo()
    assert population.discovery.release_some()
    assert status(population, B)[0] == "open"
    assert population.choose(0.0) is not None
    assert status(population, B)[0] == "under way"


@pytest.mark.parametrize("species", sorted(SPECIES))
def test_states_agree_with_what_the_crawl_has_done(species: str) -> None:
    """This holds for each link, visited or not, throughout a crawl."""
    rng = np.random.default_rng(3)
    web = random_web(rng, 20)
    population, _ = make_population(species, max_unsettled=4, budget=40)
    population.place(link(url) for url in [*web.links][:3])
    ended = set[str]()
    for _ in range(150):
        chosen = population.choose(0.0)
        under_way = [*population.unsettled.values()]
        if chosen is None and not under_way:
            break
        if chosen is None or rng.random() < 0.4:
            each = under_way[int(rng.integers(len(under_way)))]
            visit(population, web, each)
            ended.add(each.lead.url)
        going = {each.lead.url for each in population.unsettled.values()}
        for url in web.links:
            state = link_status(population, fingerprint(url)).state
            assert (state is LinkState.UNDER_WAY) == (url in going)
            if url in ended - going:
                assert state is LinkState.SETTLED
    assert ended


def test_reasons_beyond_the_most_are_not_kept() -> None:
    """So a server that invents reasons takes no memory."""
    notes = LinkNotes(most=2)
    for number in range(5):
        notes.put(bytes([number]), "dead", str(number))
    assert [notes.get(bytes([number])) for number in range(5)] == [
        ("dead", "0"), ("dead", "1"), *[("dead", "other")] * 3,
    ]  # fmt: skip
    notes.discard(b"\0")
    assert notes.get(b"\0") is None
    assert LinkStatus(LinkState.OPEN).reason == ""
