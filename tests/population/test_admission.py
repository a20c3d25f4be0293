"""A closed door holds up its own host, and nobody waits at one that stays shut."""

from __future__ import annotations

from numpy.random import Generator
from tiny_webs import make_population

from evocrawl.core.model import Lead
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.population.admission import AdmissionQueue
from evocrawl.species.base import Agent


def _agent(rng: Generator) -> Agent:
    return Agent(1, 1.0, b"", rng, make_population()[0].species[0])


def _lead(host: str) -> Lead:
    return Lead(f"http://{host}/", host.encode(), host, b"", 0, 1.0)


def test_who_waits_is_let_in_when_the_door_opens(rng) -> None:
    """The host is closed until then, and free for the one who waited."""
    hosts = HostSlots(lambda _: (1, 0.0))
    doors, agent, lead = AdmissionQueue(hosts), _agent(rng), _lead("a.test")
    doors.wait("a", agent, lead)
    assert not hosts.is_free("a.test", 0.0)
    assert doors.admit(lambda _: True) is None
    doors.open("a")
    assert hosts.is_free("a.test", 0.0)
    assert doors.admit(lambda _: False) is None
    assert doors.admit(lambda _: True) == (agent, lead)


def test_a_door_that_stays_shut_keeps_its_host_closed(rng) -> None:
    """Who waited goes away; the host is passed over until the door opens at last."""
    hosts = HostSlots(lambda _: (1, 0.0))
    doors, agent, lead = AdmissionQueue(hosts), _agent(rng), _lead("a.test")
    doors.wait("a", agent, lead)
    assert doors.close("a") == [(agent, lead)]
    assert len(doors) == 0
    assert not hosts.is_free("a.test", 0.0)
    doors.open("a")
    assert hosts.is_free("a.test", 0.0)
    assert doors.admit(lambda _: True) is None
