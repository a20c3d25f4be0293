"""What a worker does when it loses the lease of a host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from sync_stage import OURS, THEIRS, VACANT, Stage

from evocrawl.adapter.cluster import SharedPopulation
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Content, Cost, Dropped, Fetched, Lead, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.politeness.robots.rules import authority
from evocrawl.population.admission import AdmissionQueue
from evocrawl.store.cluster.best_links import BestLinks
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import LEASE_LOST
from evocrawl.store.cluster.redis.keys import shard_of
from evocrawl.store.journal.host_limits import JournaledHostLimits


def test_a_visit_that_settles_after_its_host_was_lost_is_not_reported() -> None:
    """It is counted, and the link is open again if the host comes back."""
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


def test_an_agent_that_waited_for_a_lost_host_chooses_another_link() -> None:
    """It stays in this population."""
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
def test_a_host_lost_without_its_robots_txt_keeps_no_agent(
    species: str, *, is_denied: bool
) -> None:
    """Otherwise the worker is never idle: it never checks for the end or for open links.

    If the host comes back, its robots.txt is awaited again, and its link is followed.
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
        stage.sync.denied("theirs.test", "7")
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


def test_a_visit_whose_lease_expired_is_repeated_if_the_worker_owns_the_host_again() -> None:
    """At once, not only when no other link is open.

    If another worker owns the host, it is not repeated.
    """
    stage = Stage()
    worker: Any = SimpleNamespace(
        population=stage.population, sync=stage.sync, may_choose=True,
        best_links=BestLinks(stage.population, lambda: stage.now_s),
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


def test_only_hosts_without_requests_are_released() -> None:
    """A host with a request under way is kept."""
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
    """The delay begins at the take-over: the last owner may have sent a request just before."""
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


def test_a_lease_is_not_used_until_its_last_moment() -> None:
    """Requests under way then have the other half to end."""
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


def test_an_agent_that_is_called_back_waits_no_longer() -> None:
    """Whether it waits or is admitted; an agent with another link stays."""
    hosts = Stage().population.environment.hosts
    queue, lead = AdmissionQueue(hosts), Lead(OURS, b"a", "ours.test", b"", 0, 0.0)
    other = replace(lead, fingerprint=b"b", host="theirs.test")
    agent: Any = object()
    is_first: Callable[[Lead], bool] = lambda each: each.fingerprint == b"a"  # noqa: E731
    queue.wait("x", agent, lead)
    queue.wait("y", agent, other)
    assert queue.call_back(is_first) == [(agent, lead)]
    assert list(queue) == ["y"]
    assert hosts.is_free("ours.test", 0.0)
    queue.wait("x", agent, lead)
    queue.open("x")
    assert queue.call_back(is_first) == [(agent, lead)]
    assert not queue.has_admitted
    assert queue.call_back(lambda _: True) == [(agent, other)]


def test_a_host_whose_lease_redis_refuses_is_lost() -> None:
    """A refusal under an older lease does not affect the host, which was leased again."""
    stage = Stage()
    stage.sync.fenced_off("ours.test", "1.0")
    assert "ours.test" in stage.lease_table.leases
    stage.sync.fenced_off("ours.test", "1.1")
    assert "ours.test" not in stage.lease_table.leases
    assert stage.sync.fenced == 2


def test_a_link_is_done_after_the_page_that_it_leads_to_on_another_host() -> None:
    """If another worker owns that host by then, the link stays open."""
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


@pytest.mark.parametrize(("lease_s", "due_at_s"), [(15.0, 3.25), (8.0, 1.5), (2.0, 0.25)])
def test_a_lease_is_renewed_once_a_part_of_its_time_is_over(
    lease_s: float, due_at_s: float
) -> None:
    """A lease that has expired, too: so the worker learns whether it is still its own.

    The next heartbeat, up to a second later, still comes before a half of its time is over.
    """
    now_s = [0.0]
    table = LeaseTable(lease_s, lambda: now_s[0])
    table.gain(OURS, "1.1")
    assert table.due() == table.shards()
    table.renewed(table.shards(), 0.0)
    assert due_at_s + min(1.0, lease_s / 4) <= lease_s / 2
    is_due_at = ((due_at_s - 0.01, False), (due_at_s, True), (lease_s, True), (100.0, True))
    for at_s, is_due in is_due_at:
        now_s[0] = at_s
        assert table.due() == (table.shards() if is_due else [])


def test_leases_that_are_soon_due_are_renewed_with_those_that_are_due() -> None:
    """So that a worker with hosts in many shards sends few batches."""
    now_s = [0.0]
    table = LeaseTable(8.0, lambda: now_s[0])
    hosts = [f"h{number}.test" for number in range(3)]
    first, second, third = [shard_of(host) for host in hosts]
    assert len({first, second, third}) == 3
    for host, at_s in zip(hosts, (0.0, 0.7, 0.8), strict=True):
        table.gain(host, "1.1")
        table.renewed([shard_of(host)], at_s)
    now_s[0] = 1.4
    assert table.due() == []
    now_s[0] = 1.5
    assert table.due() == sorted([first, second])
    table.renewed([first, second], 1.6)
    now_s[0] = 2.4
    assert table.due() == sorted([first, second, third])
