"""A closed origin delays its own host only; links do not wait for one that stays closed."""

from __future__ import annotations

from numpy.random import Generator
from tiny_webs import make_population

from evocrawl.core.model import Lead
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.population.admission import AdmissionQueue
from evocrawl.population.individual import Individual


def _agent(rng: Generator) -> Individual:
    return Individual(1, 1.0, b"", rng, species=make_population()[0].species[0])


def _lead(host: str) -> Lead:
    return Lead(f"http://{host}/", host.encode(), host, b"", 0, 1.0)


def test_a_waiting_link_is_admitted_when_its_origin_opens(rng) -> None:
    """The host is closed until then, and free for the waiting link."""
    hosts = HostSlots(lambda _: (1, 0.0))
    queue, agent, lead = AdmissionQueue(hosts), _agent(rng), _lead("a.test")
    queue.wait("a", agent, lead)
    assert not hosts.is_free("a.test", 0.0)
    assert queue.admit(lambda _: True) is None
    queue.open("a")
    assert hosts.is_free("a.test", 0.0)
    assert queue.admit(lambda _: False) is None
    assert queue.admit(lambda _: True) == (agent, lead)


def test_an_origin_that_stays_closed_keeps_its_host_closed(rng) -> None:
    """The waiting link is returned; its host stays closed until the origin opens."""
    hosts = HostSlots(lambda _: (1, 0.0))
    queue, agent, lead = AdmissionQueue(hosts), _agent(rng), _lead("a.test")
    queue.wait("a", agent, lead)
    assert queue.close("a") == [(agent, lead)]
    assert len(queue) == 0
    assert not hosts.is_free("a.test", 0.0)
    queue.open("a")
    assert hosts.is_free("a.test", 0.0)
    assert queue.admit(lambda _: True) is None


def test_links_that_are_called_back_do_not_affect_the_others(rng) -> None:
    """Waiting and admitted links of any origin are returned, and their hosts open again."""
    hosts = HostSlots(lambda _: (1, 0.0))
    queue, agent = AdmissionQueue(hosts), _agent(rng)
    leads = {name: _lead(f"{name}.test") for name in "abcd"}
    for name, origin in zip("abcd", ("one", "one", "two", "three"), strict=True):
        queue.wait(origin, agent, leads[name])
    queue.open("three")
    gone = [leads["a"], leads["c"], leads["d"]]
    assert [lead for _, lead in queue.call_back(gone.__contains__)] == gone
    assert queue.chosen() == [leads["b"]]
    assert [each for each in "abcd" if not hosts.is_free(f"{each}.test", 0.0)] == ["b"]
    assert queue.call_back(gone.__contains__) == []
    queue.open("one")
    assert queue.admit(lambda _: True) == (agent, leads["b"])
