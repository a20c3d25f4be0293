"""A population that waits for a busy host with better links, or does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation_worlds import SmallWorld, random_world, url

from evocrawl.core.config.config import Config
from evocrawl.politeness.host_slots import SOON_S
from evocrawl.simulation.runner import Run, run
from evocrawl.species.agent import Agent
from evocrawl.species.base import View
from evocrawl.species.evo.prospects import CandidateRanking

GOOD = [url(f"coral-bleaching-{number}", host=1) for number in range(3)]
POOR = [url(f"stone-{number}", host=2) for number in range(3)]
HANGS_S = 90.0


def crawl(world: SmallWorld, selectivity: float, seed: int = 0, most: int = 1000) -> Run:
    """Crawl politely with four visits under way: one at a time at a host, a second apart."""
    asked = {
        "query": "coral bleaching",
        "selectivity": selectivity,
        "seed": seed,
        "max_requests": most,
    }
    return run(
        world, Config.read({}, asked), [url("a")], concurrency=4, host_limit=lambda _: (1, 1.0)
    )


def web(**takes_s: float) -> SmallWorld:
    """Return a page with links to two hosts, the better ones to the first."""
    pages = {url("a"): [*POOR, *GOOD], **{each: [] for each in [*GOOD, *POOR]}}
    return SmallWorld(pages, takes_s={GOOD[int(name[1:])]: s for name, s in takes_s.items()})


@pytest.mark.parametrize(("selectivity", "first_s"), [(0.0, 1.0), (1.0, 3.0)])
def test_links_much_worse_than_those_of_a_busy_host_wait(
    selectivity: float, first_s: float
) -> None:
    """Until no better one is open: the three good pages start one by one, a second apart."""
    world = web()
    crawl(world, selectivity)
    began_s = {host: [at_s for each, at_s in world.fetched if f"//h{host}." in each]
               for host in (1, 2)}  # fmt: skip
    assert began_s[1] == [1.0, 2.0, 3.0]
    assert began_s[2] == [first_s, first_s + 1, first_s + 2]


def test_without_a_limit_of_requests_no_host_is_waited_for() -> None:
    """Where each page is fetched in the end, to wait costs time alone."""
    limited, unlimited, impatient = web(), web(), web()
    crawl(limited, 1.0)
    crawl(unlimited, 1.0, most=0)
    crawl(impatient, 0.0)
    assert unlimited.fetched == impatient.fetched != limited.fetched


def test_a_server_that_hangs_does_not_hold_up_the_others() -> None:
    """After five seconds it is not waited for any more; its other pages come in the end."""
    world = web(g0=HANGS_S, g1=HANGS_S, g2=HANGS_S)
    done = crawl(world, 1.0)
    began_s = dict(world.fetched)
    hung = next(each for each, _ in world.fetched if each in GOOD)
    waited_s = sorted(began_s[each] - began_s[hung] for each in POOR)
    assert waited_s == [SOON_S, SOON_S + 1, SOON_S + 2]
    assert began_s.keys() == world.links.keys()
    assert done.stop_reason == "exhausted"


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 1.0]))
def test_what_waits_is_fetched_in_the_end(seed: int, selectivity: float) -> None:
    """The order differs, and no page is left out or fetched twice."""
    world, patient = random_world(seed), random_world(seed)
    crawl(world, 0.0, seed)
    crawl(patient, selectivity, seed)
    assert {each for each, _ in patient.fetched} == {each for each, _ in world.fetched}
    assert len(patient.fetched) == len(world.fetched)


@pytest.mark.parametrize("seed", range(3))
def test_a_look_that_is_spared_would_have_found_nothing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent is not asked again before a host is free, or a page or link has come."""
    spared, asked = (random_world(seed, pages=250, hosts=4) for _ in range(2))
    crawl(spared, 0.5)
    look = CandidateRanking.look

    def ask_again(self: CandidateRanking, agent: Agent, is_free: Callable[[str], bool]) -> View:
        self._waiting_at = None
        return look(self, agent, is_free)

    monkeypatch.setattr(CandidateRanking, "look", ask_again)
    crawl(asked, 0.5)
    assert spared.fetched == asked.fetched
