"""A population that shares its crawl: the links that it shows, hides, offers and gets."""

from __future__ import annotations

import pytest
from sync_stage import OURS, SOURCE, THEIRS, VACANT, Stage

from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint


@pytest.mark.parametrize("species", ["best_first", "energy", "evo", "random"])
def test_links_are_offered_to_their_hosts_before_the_visit_is_settled(species: str) -> None:
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
    assert stage.calls("tell") == []


def test_links_of_hosts_of_other_workers_are_left_to_them() -> None:
    """Those shown before are hidden, those found later are offered and not shown."""
    stage = Stage()
    stage.show(OURS, THEIRS)
    stage.sync.is_foreign("theirs.test")
    visit = stage.choose()
    assert visit is not None
    assert visit.lead.url == OURS
    stage.settle(visit, "http://theirs.test/2")
    assert [host for host, *_ in stage.calls("offer")] == ["theirs.test"]
    assert stage.choose() is None
    assert stage.asked == []


def test_links_wait_no_longer_at_a_host_that_another_worker_has_leased() -> None:
    """No agent chooses them, asks for the host and travels there. If it is leased here, they are
    open.

    Nor does an agent choose a link to a host whose owner the answer to its offer will name.
    """
    stage = Stage()
    stage.show(OURS)
    first = stage.choose()
    assert first is not None
    stage.settle(first, THEIRS, VACANT)
    stage.sync.leased_by_others(["theirs.test", "ours.test"])
    assert stage.all_visits() == set()
    assert stage.asked == []
    for host in ("theirs.test", "vacant.test"):
        stage.sync.answered(host)
    assert stage.all_visits() == set()
    assert stage.asked == ["vacant.test"]
    stage.gain("theirs.test")
    stage.show(THEIRS)
    assert stage.all_visits() == {THEIRS}


def test_links_of_own_hosts_are_never_hidden() -> None:
    """Also if Redis has named another worker a moment ago."""
    stage = Stage()
    stage.show(OURS, THEIRS)
    stage.sync.is_foreign("ours.test")
    stage.gain("theirs.test")
    assert stage.all_visits() == {OURS, THEIRS}


def test_a_host_that_is_taken_over_shows_its_open_links_only() -> None:
    """Links that were hidden while another worker owned it are shown again."""
    stage = Stage()
    other = "http://theirs.test/2"
    stage.show(THEIRS, other)
    stage.sync.is_foreign("theirs.test")
    stage.gain("theirs.test", {fingerprint(other)})
    stage.show(THEIRS)
    assert stage.all_visits() == {THEIRS}


def test_a_host_without_an_owner_is_requested_before_a_visit() -> None:
    """No agent visits it before it is leased, and other hosts are not delayed."""
    stage = Stage()
    stage.show(VACANT, OURS)
    visits = [stage.choose() for _ in range(2)]
    assert stage.asked == ["vacant.test"]
    assert [visit.lead.url for visit in visits if visit is not None] == [OURS]
    stage.gain("vacant.test")
    for origin in stage.population.closed_origins():
        stage.population.open_origin(origin)
    later = stage.choose()
    assert later is not None
    assert later.lead.url == VACANT


def test_a_link_of_a_new_host_that_is_visited_before_it_is_shown_is_not_opened_again() -> None:
    """The open links of a new host are shown together with those that others find next."""
    stage = Stage()
    stage.show(OURS)
    first = stage.choose()
    assert first is not None
    stage.gain("theirs.test")
    other = f"{THEIRS}2"
    found = [(Link(url, fingerprint(url), "0.5"), SOURCE) for url in (THEIRS, other)]
    stage.sync.links.of_host("theirs.test", found)
    stage.settle(first, THEIRS)
    assert stage.calls("offer") == []
    assert stage.all_visits() == {THEIRS}
    stage.sync.links.of_others(())
    assert stage.all_visits() == {other}


def test_links_of_a_new_host_that_is_lost_before_they_are_shown_stay_hidden() -> None:
    """Also if this worker leases the host again: it reads them again then."""
    stage = Stage()
    stage.gain("theirs.test")
    found = [(Link(THEIRS, fingerprint(THEIRS), "0.5"), SOURCE)]
    stage.sync.links.of_host("theirs.test", found)
    stage.sync.lost(["theirs.test"])
    stage.sync.gained("theirs.test", "1.2", set(), was_anothers=True)
    stage.show(OURS)
    assert stage.all_visits() == {OURS}
    stage.sync.links.of_host("theirs.test", found)
    stage.sync.links.of_others(())
    assert stage.all_visits() == {THEIRS}
