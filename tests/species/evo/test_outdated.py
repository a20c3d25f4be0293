"""A long crawl scores the links at hand again after several pages, not after each."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import ranking_of
from test_evo import Claimed, Ranked, lead, rows

from evocrawl.core.model import Lead
from evocrawl.species.evo.link_model.latest_features import LatestFeatures
from evocrawl.species.evo.outdated import changes_by_page, most_changes
from evocrawl.species.evo.prospects import CandidateRanking


def late(count: int, *hosts: str) -> tuple[CandidateRanking, Ranked, Claimed]:
    """Return a ranking that has looked at `count` links, after 2000 pages."""
    model, claims = Ranked(), Claimed()
    model.followed = 2000
    ranking = ranking_of(claims.claimed.__contains__, model, claims)
    ranking.found([lead(row, hosts[row % len(hosts)]) for row in range(count)])
    ranking.best(lambda _: True)
    model.asked = 0
    return ranking, model, claims


@pytest.mark.parametrize(
    ("followed", "changes"), [(0, 1), (499, 1), (500, 2), (999, 3), (1000, 4), (10**7, 4)]
)
def test_links_are_scored_again_less_often_in_a_long_crawl(followed: int, changes: int) -> None:
    assert most_changes(followed) == changes


@pytest.mark.parametrize(
    ("followed", "changes"), [(0, 4), (999, 4), (1000, 2), (1999, 2), (2000, 1), (10**7, 1)]
)
def test_the_links_of_a_good_page_are_scored_at_once_except_in_a_long_crawl(
    followed: int, changes: int
) -> None:
    assert changes_by_page(0.05, followed) == changes_by_page(1.0, followed) == changes
    assert changes_by_page(0.0, followed) == changes_by_page(0.04, followed) == 1


def test_links_at_hand_and_new_ones_are_scored_after_the_last_of_several_pages() -> None:
    ranking, model, claims = late(60, "a.test")
    for page in range(1, 4):
        model.version += 1
        ranking.found([lead(1000 * page)])
        best = ranking.best(lambda _: True)[0]
        assert best.features == 60 - page
        claims.claim(best.fingerprint)
    assert model.asked == 0
    model.version += 1
    assert rows(ranking.best(lambda _: True))[:4] == [3000, 2000, 1000, 56]
    assert model.asked


def test_new_links_are_scored_at_once_if_no_link_at_hand_is_free_or_open() -> None:
    ranking, model, claims = late(20, "a.test")
    model.version += 1
    ranking.found([lead(7000, "b.test")])
    assert rows(ranking.best(lambda host: host == "b.test")) == [7000]
    ranking.freed("a.test")
    for row in range(20):
        claims.claim(b"%d" % row)
    claims.claim(b"7000")
    ranking.found([lead(3)])
    ranking.found([lead(5000)])
    assert rows(ranking.best(lambda _: True)) == [5000]


def test_a_seed_does_not_wait_for_the_next_look() -> None:
    ranking, model, _ = late(20, "a.test")
    model.version += 1
    seed = Lead("http://a.test/seed", b"900", "a.test", b"", 0, 0.0)
    ranking.found([seed])
    assert ranking.best(lambda _: True) == [seed]


def test_a_link_at_hand_that_leads_to_another_host_now_is_chosen_when_that_one_is_free() -> None:
    ranking, _, claims = late(20, "a.test")
    claims.claim(b"19")
    ranking.found([lead(19, "moved.test")])
    claims.release(b"19")
    ranking.found([lead(19, "moved.test")])
    assert [each.url for each in ranking.best(lambda host: host == "moved.test")] == [
        "http://moved.test/19"
    ]
    assert 19 not in rows(ranking.best(lambda host: host == "a.test"))


def test_features_of_the_last_look_serve_until_the_next_one() -> None:
    """Early in a crawl they serve one link, since what is learnt from it changes the others."""
    latest = LatestFeatures()
    latest.keep(np.array([3, 5]), np.array([[0.3], [0.5]]), 7, 1.0)
    assert latest.take(5, 8, 1.0, 1) is None
    assert latest.take(5, 7, 2.0, 4) is None
    latest.keep(np.array([3, 5]), np.array([[0.3], [0.5]]), 7, 1.0)
    assert latest.take(5, 7, 1.0, 1) == 0.5
    assert latest.take(3, 7, 1.0, 1) is None
    latest.keep(np.array([3, 5]), np.array([[0.3], [0.5]]), 7, 1.0)
    assert latest.take(5, 7, 1.0, 4) == 0.5
    assert latest.take(3, 10, 1.0, 4) == 0.3
    assert latest.take(4, 10, 1.0, 4) is None
    assert latest.take(3, 11, 1.0, 4) is None
