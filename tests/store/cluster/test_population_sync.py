"""A population that shares its crawl: what it shows, hides, sends away and takes in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from checks import limits
from tiny_webs import make_population

from evocrawl.adapter.cluster import SharedPopulation
from evocrawl.core.fetch import OVER_BUDGET, FetchDetails
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Content, Cost, Dead, Dropped, Fetched, Lead, Link, Page, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.politeness.robots.rules import authority
from evocrawl.population.admission import AdmissionQueue
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import LEASE_LOST, PopulationSync
from evocrawl.store.cluster.quotas import bounds_per_worker
from evocrawl.store.cluster.redis.codec import RowCodec, Source, TravellingAgent
from evocrawl.store.cluster.redis.commands import NEWS_KEPT, RedisCommands
from evocrawl.store.cluster.redis.keys import KeyNames
from evocrawl.store.cluster.redis.outbox import OutboxBatch
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.operations import VisitSettled

OURS, THEIRS, VACANT = "http://ours.test/", "http://theirs.test/", "http://vacant.test/"
SOURCE = Source("http://ours.test/source", fingerprint("http://ours.test/source"), 0.5, 1)
ALIVE = {"7": object()}


class Stage:
    """The sync of a population of eight agents, with `ours.test` as its own host."""

    def __init__(self, species: str = "evo") -> None:
        self.population: Population
        self.ledger: Ledger
        self.population, self.ledger = make_population(
            species, bounds=PopulationBounds(8, 2, 20), max_unsettled=4
        )
        self.sent: list[OutboxBatch] = []
        self.asked: list[str] = []
        self.now_s = 0.0
        self.lease_table = LeaseTable(10.0, lambda: self.now_s)
        calls = RedisCommands(RowCodec(NoPayloads()), KeyNames("x"), "1")
        events = WorkerEvents()
        events.host_wanted.connect(self.asked.append)
        self.sync = PopulationSync(
            self.population, self.lease_table, calls, self.sent.append, events
        )
        self.population.admission.gate = self.sync.door_of
        self.gain("ours.test")

    def gain(self, host: str, done: set[bytes] | None = None) -> None:
        self.lease_table.renewed(range(64), self.now_s)
        self.sync.gained(host, "1.1", done or set(), was_anothers=False)

    def show(self, *urls: str, source: Source | None = SOURCE) -> None:
        for url in urls:
            host = url.split("/")[2]
            self.sync.show(host, [(Link(url, fingerprint(url), "0.5"), source)])

    def choose(self) -> Visit | None:
        return self.population.choose(self.now_s)

    def settle(self, visit: Visit, *links: str) -> None:
        """The visit brings a page with `links`."""
        found = tuple(Link(url, fingerprint(url), "0.5") for url in links)
        lead = visit.lead
        page = Page(lead.url, lead.fingerprint, 0.5, 1.0, found, b"v", Content("", "t"))
        reported = FetchDetails(visit.agent, lead, 200, "2026-01-01T00:00:00+00:00")
        self.end(visit, Fetched(page, Cost()), reported)

    def end(self, visit: Visit, outcome: Any, reported: FetchDetails | None = None) -> None:
        self.sync.append(VisitSettled(visit.id, outcome, reported))
        self.population.settle(visit.id, outcome)

    def calls(self, name: str) -> list[Any]:
        """The arguments of all calls of a script so far."""
        return [
            call[2]
            for parcel in self.sent
            for call in (*parcel.offers, *parcel.records, *parcel.settles, *parcel.news)
            if call[0] == name
        ]

    def all_visits(self) -> set[str]:
        """Where the population goes, if every visit is a dead end."""
        seen = set()
        while (visit := self.choose()) is not None:
            seen.add(visit.lead.url)
            self.end(visit, Dead("404", Cost()))
        return seen


@pytest.mark.parametrize("species", ["best_first", "energy", "evo", "random"])
def test_links_found_go_to_their_hosts_before_the_visit_is_settled(species: str) -> None:
    """C3: each link is offered once; the page is recorded, its own link done, in this order."""
    stage = Stage(species)
    stage.show(OURS, source=None)
    visit = stage.choose()
    assert visit is not None
    stage.settle(visit, VACANT, THEIRS, VACANT, OURS)
    assert {host: rest[::2] for host, *rest in stage.calls("offer")} == {
        "vacant.test": [fingerprint(VACANT).hex()],
        "theirs.test": [fingerprint(THEIRS).hex()],
    }
    (parcel,) = stage.sent
    assert parcel.records
    assert stage.calls("settle") == [
        ["ours.test", "1.1", fingerprint(OURS).hex(), "fetched"]
    ]  # fmt: skip
    assert stage.calls("tell") == [[NEWS_KEPT, "1", "page", "ours.test", fingerprint(OURS).hex()]]


def test_links_of_others_hosts_are_theirs() -> None:
    """Those shown before are hidden, those found later are offered and not shown."""
    stage = Stage()
    stage.show(OURS, THEIRS)
    stage.sync.is_of("theirs.test", "7", ALIVE)
    visit = stage.choose()
    assert visit is not None
    assert visit.lead.url == OURS
    stage.settle(visit, "http://theirs.test/2")
    assert [host for host, *_ in stage.calls("offer")] == ["theirs.test"]
    assert stage.choose() is None
    assert stage.asked == []


def test_what_a_dead_worker_had_is_not_hidden() -> None:
    """Neither are links of own hosts, even if another worker settled links there."""
    stage = Stage()
    stage.show(OURS, THEIRS)
    stage.sync.is_of("theirs.test", "8", ALIVE)
    stage.sync.is_of("ours.test", "7", ALIVE)
    stage.gain("theirs.test")
    assert stage.all_visits() == {OURS, THEIRS}


def test_a_host_taken_over_shows_what_is_open_and_hides_what_is_done() -> None:
    """Links that were hidden while it was another's are seen again."""
    stage = Stage()
    other = "http://theirs.test/2"
    stage.show(THEIRS, other)
    stage.sync.is_of("theirs.test", "7", ALIVE)
    stage.gain("theirs.test", {fingerprint(other)})
    stage.show(THEIRS)
    assert stage.all_visits() == {THEIRS}


def test_a_host_without_an_owner_is_requested_before_a_visit() -> None:
    """No agent goes there before it is leased, and other hosts are not held up."""
    stage = Stage()
    stage.show(VACANT, OURS)
    visits = [stage.choose() for _ in range(2)]
    assert stage.asked == ["vacant.test"]
    assert [visit.lead.url for visit in visits if visit is not None] == [OURS]
    stage.gain("vacant.test")
    for door in stage.population.closed_origins():
        stage.population.open_origin(door)
    later = stage.choose()
    assert later is not None
    assert later.lead.url == VACANT


def test_an_agent_whose_host_is_anothers_travels_there() -> None:
    """It takes its energy with it, and the news reports it. No agent waits in vain."""
    stage = Stage()
    stage.show(VACANT)
    before = len(stage.population)
    assert stage.choose() is None
    stage.sync.denied("vacant.test")
    assert len(stage.population) == before - 1 == stage.ledger.population
    (guest,) = stage.calls("visit")
    assert guest[0] == "1.1"
    (reported,) = stage.calls("tell")
    assert reported[2:] == ["guest", "vacant.test", fingerprint(VACANT).hex()]
    held = sum(agent.energy for agent in stage.population.lifecycle.agents.values())
    assert held == pytest.approx(stage.ledger.energy.of_founders - stage.ledger.energy.departed)
    assert stage.ledger.energy.departed > 0
    assert stage.choose() is None
    assert stage.population.closed_origins() == []


def test_the_last_agents_stay() -> None:
    """At the lower bound a link goes without its agent."""
    stage = Stage()
    stage.population.lifecycle.bounds = PopulationBounds(8, 8, 20)
    stage.show(VACANT)
    assert stage.choose() is None
    stage.sync.denied("vacant.test")
    assert stage.sent == []
    assert len(stage.population) == 8 == limits(stage.population)[0]
    stage.show(OURS)
    assert stage.choose() is not None


def test_an_agent_that_comes_lives_here() -> None:
    """With the energy it brings; one of a species that is not here is sent away."""
    stage = Stage()
    stage.show(OURS)
    species = stage.population.species[0].name
    stage.sync.welcome(
        [TravellingAgent(species, 0.25, b"p"), TravellingAgent("unknown", 1.0, b"p")]
    )
    assert len(stage.population) == 9 == stage.ledger.population
    assert stage.ledger.energy.arrived == 0.25
    held = sum(agent.energy for agent in stage.population.lifecycle.agents.values())
    assert held == pytest.approx(stage.ledger.energy.of_founders + 0.25)


def test_a_mind_travels_with_its_agent() -> None:
    """What it was is what comes; what is no mind of the species is sent away."""
    stage, other = Stage(), Stage()
    stage.show(VACANT, "http://vacant.test/2")
    assert stage.choose() is None
    minds = stage.population.species[0].minds
    assert minds is not None
    stage.sync.denied("vacant.test")
    (guest,) = stage.calls("visit")
    travelled = RowCodec.unpack_guest(guest[1].encode())
    other.sync.welcome([travelled, replace(travelled, mind=(9.0, 9.0))])
    arrived = list(other.population.lifecycle.agents.values())
    assert [minds.pack(each.mind) for each in arrived] == [travelled.mind]
    assert len(travelled.mind) > 1


def test_what_others_find_teaches_the_species() -> None:
    """Other workers report that a link seen here led to a good page, or to none."""
    stage = Stage()
    good, dead = "http://theirs.test/good", "http://theirs.test/dead"
    stage.show(good, dead)
    model = stage.population.species[0].learning.model  # type: ignore[attr-defined]
    tries = model.evidence.tries
    stage.sync.heard(Page(good, fingerprint(good), 0.9, 1.0), 2)
    stage.sync.heard_dead(fingerprint(dead))
    assert model.evidence.tries == tries + 2
    assert model.evidence.labels > 0
    assert stage.choose() is None


def test_pages_of_others_count_and_their_links_are_seen() -> None:
    """Also of a page that was known as the source of a link, and of one that is reported twice."""
    stage = Stage()
    first, second = "http://ours.test/1", "http://ours.test/2"
    stage.show(first)
    page = Page(
        SOURCE.url, SOURCE.fingerprint, 0.5, 3.0,
        tuple(Link(url, fingerprint(url)) for url in (first, second)),
    )  # fmt: skip
    for _ in range(2):
        stage.sync.heard(page, 1)
    stage.sync.heard(replace(page, url=THEIRS, fingerprint=fingerprint(THEIRS), links=()), 0)
    assert len(stage.population.environment.base.ranks) == 2
    assert stage.population.environment.base.energy() == 0
    assert stage.all_visits() == {first, second}


def test_a_link_that_others_found_dead_is_not_followed() -> None:
    """It is as if it had been followed here."""
    stage = Stage()
    stage.show(OURS)
    stage.sync.heard_dead(fingerprint(OURS))
    assert stage.choose() is None


@pytest.mark.parametrize(
    ("outcome", "is_reported"),
    [
        (Dead(OVER_BUDGET, Cost()), False), (Dropped(OVER_BUDGET), False),
        (Dropped(LEASE_LOST), False), (Dead("404", Cost()), True), (Dropped("filtered"), True),
    ],
)  # fmt: skip
def test_a_link_that_was_not_tried_stays_open(outcome: Any, is_reported: bool) -> None:
    """For the next worker with budget, or the next owner of the host."""
    stage = Stage()
    stage.show(OURS)
    visit = stage.choose()
    assert visit is not None
    stage.end(visit, outcome)
    assert bool(stage.calls("settle")) == is_reported


def test_a_visit_that_settles_after_its_host_was_lost_is_not_reported() -> None:
    """It is counted, and the link is seen again should the host come back."""
    stage = Stage()
    stage.show(OURS)
    visit = stage.choose()
    assert visit is not None
    stage.sync.lost(["ours.test"])
    stage.settle(visit)
    assert (stage.sync.fenced, stage.sent) == (1, [])
    stage.gain("ours.test")
    stage.show(OURS)
    assert stage.all_visits() == {OURS}


def test_who_waited_at_a_lost_hosts_door_goes_on() -> None:
    """It stays here, and goes elsewhere."""
    stage = Stage()
    stage.show(VACANT)
    assert stage.choose() is None
    stage.sync.lost(["vacant.test"])
    assert len(stage.population) == 8
    stage.show(OURS)
    visit = stage.choose()
    assert visit is not None
    assert visit.lead.url == OURS


@pytest.mark.parametrize("species", ["evo", "energy", "best_first"])
@pytest.mark.parametrize("is_denied", [False, True], ids=["lost", "denied"])
def test_a_host_lost_while_its_robots_txt_could_not_be_had_holds_no_agent(
    species: str, *, is_denied: bool
) -> None:
    """Else the worker is never idle: it never looks for the end, nor at links left open.

    Should the host come back, its robots.txt is awaited again, and its link is followed.
    """
    stage = Stage(species)
    stage.gain("theirs.test")
    stage.sync.guard(authority)
    stage.show(THEIRS)
    assert stage.choose() is None
    stage.population.close_origin("http://theirs.test")
    assert stage.choose() is None
    assert stage.population.ended is None
    if is_denied:
        stage.sync.denied("theirs.test")
    else:
        stage.sync.lost(["theirs.test"])
    stage.now_s = 100.0
    assert stage.choose() is None
    assert stage.population.ended == "exhausted"
    assert stage.population.closed_origins() == []
    stage.gain("theirs.test")
    stage.show(THEIRS)
    assert stage.choose() is None
    assert stage.population.closed_origins() == ["http://theirs.test"]
    stage.sync.guard(lambda _: None)
    stage.population.open_origin("http://theirs.test")
    assert stage.all_visits() == {THEIRS}


def test_other_origins_stay_closed_when_a_host_is_lost() -> None:
    """Their robots.txt is still awaited."""
    stage = Stage("best_first")
    stage.gain("theirs.test")
    stage.sync.guard(authority)
    stage.show(OURS, THEIRS)
    assert stage.choose() is None
    for origin in stage.population.closed_origins():
        stage.population.close_origin(origin)
    stage.sync.lost(["theirs.test"])
    assert stage.population.closed_origins() == ["http://ours.test"]
    assert stage.choose() is None
    assert stage.population.ended is None


def test_a_visit_whose_lease_ran_out_is_made_again_where_the_host_is_still_ours() -> None:
    """At once, and not when nothing else is left; where the host is another's, it is not made."""
    stage = Stage()
    worker: Any = SimpleNamespace(
        population=stage.population, sync=stage.sync, may_choose=True,
        may_send=lambda host, **_: stage.lease_table.is_ours(host),
    )  # fmt: skip
    limits_ = JournaledHostLimits(lambda _: (1, 0.0), (1, 0.0))
    shared = SharedPopulation(worker, limits_)
    stage.show(OURS)
    for is_kept in (True, False):
        visit = shared.choose(stage.now_s)
        assert visit is not None
        assert visit.lead.url == OURS
        stage.now_s += 20.0
        if is_kept:
            stage.lease_table.renewed(range(64), stage.now_s)
        else:
            stage.sync.lost(["ours.test"])
        shared.settle(visit.id, Dropped(LEASE_LOST))
    assert shared.choose(stage.now_s) is None
    assert stage.calls("settle") == []


def test_only_quiet_hosts_are_spared() -> None:
    """A host that is being fetched from is not given up."""
    stage = Stage()
    stage.gain("theirs.test")
    stage.show(OURS, THEIRS, "http://theirs.test/2")
    visit = stage.choose()
    assert visit is not None
    assert stage.sync.spare(9) == [
        host for host in ("ours.test", "theirs.test") if host != visit.lead.host
    ]
    assert stage.sync.spare(0) == []


def test_the_delay_of_a_host_is_kept_by_its_next_owner() -> None:
    """From when it was taken over: its last owner may have asked just then."""
    stage = Stage()
    stage.sync.gained("theirs.test", "1.2", set(), was_anothers=True)
    stage.show(THEIRS)
    stage.sync.paced("theirs.test", 5.0)
    assert stage.choose() is None
    stage.now_s = 4.9
    assert stage.choose() is None
    stage.now_s = 5.0
    stage.lease_table.renewed(range(64), stage.now_s)
    assert stage.choose() is not None


def test_a_lease_is_not_relied_on_to_its_last_moment() -> None:
    """What is under way then has the other half of it to come to an end."""
    now_s = [0.0]
    lease_table = LeaseTable(10.0, lambda: now_s[0])
    lease_table.gain("a.test", "1.1")
    assert not lease_table.is_ours("a.test")
    lease_table.renewed(lease_table.shards(), 0.0)
    assert lease_table.is_ours("a.test")
    now_s[0] = 5.0
    assert not lease_table.is_ours("a.test")
    lease_table.renewed(lease_table.shards(), 4.0)
    assert lease_table.is_ours("a.test")
    assert not lease_table.is_ours("b.test")


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 60])
@pytest.mark.parametrize(
    "whole", [PopulationBounds(20, 8, 60), PopulationBounds(1, 0, 1), PopulationBounds(60, 60, 60)]
)
def test_shares_of_the_bounds_are_bounds(whole: PopulationBounds, workers: int) -> None:
    """Together they keep to the upper one, unless there are more workers than agents."""
    share = bounds_per_worker(whole, workers)
    assert share.lower <= share.founders
    assert share.upper is not None
    assert whole.upper is not None
    assert workers * share.upper <= max(whole.upper, workers)
    assert workers * share.lower >= min(whole.lower, workers * share.upper)
    assert bounds_per_worker(PopulationBounds(20), workers).upper is None


def test_who_is_called_back_leaves_the_door() -> None:
    """Whether it waits or was let in; who has another link stays."""
    hosts = Stage().population.environment.hosts
    doors, lead = AdmissionQueue(hosts), Lead(OURS, b"a", "ours.test", b"", 0, 0.0)
    other = replace(lead, fingerprint=b"b", host="theirs.test")
    agent: Any = object()
    is_first: Callable[[Lead], bool] = lambda each: each.fingerprint == b"a"  # noqa: E731
    doors.wait("x", agent, lead)
    doors.wait("y", agent, other)
    assert doors.call_back(is_first) == [(agent, lead)]
    assert list(doors) == ["y"]
    assert hosts.is_free("ours.test", 0.0)
    doors.wait("x", agent, lead)
    doors.open("x")
    assert doors.call_back(is_first) == [(agent, lead)]
    assert not doors.has_admitted
    assert doors.call_back(lambda _: True) == [(agent, other)]


def test_a_host_whose_lease_redis_refuses_is_not_ours() -> None:
    """What is refused under an older lease leaves the host, which was taken again, alone."""
    stage = Stage()
    stage.sync.fenced_off("ours.test", "1.0")
    assert "ours.test" in stage.lease_table.leases
    stage.sync.fenced_off("ours.test", "1.1")
    assert "ours.test" not in stage.lease_table.leases
    assert stage.sync.fenced == 2


def test_a_link_is_done_after_the_page_that_it_leads_to_on_another_host() -> None:
    """Where that host is another's by now, the link stays open, and leads there again."""
    stage = Stage()
    stage.gain("theirs.test")
    stage.show(OURS, source=None)
    visit = stage.choose()
    assert visit is not None
    page = Page(THEIRS, fingerprint(THEIRS), 0.5, 1.0, (), b"v", Content("", "t"))
    reported = FetchDetails(visit.agent, visit.lead, 200, "2026-01-01T00:00:00+00:00")
    stage.end(visit, Fetched(page, Cost()), reported)
    (parcel,) = stage.sent
    assert [settle[2][0] for settle in parcel.settles] == ["theirs.test"]
    assert parcel.then is not None
    assert [settle[2][0] for settle in parcel.then.settles] == ["ours.test"]
