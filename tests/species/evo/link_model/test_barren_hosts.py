"""A host on which nothing relevant was found is left for others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_models import column, fresh, link, page, worth

from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.blame import blame, trust_in_hosts


def visited_for_nothing(model: LinkModel, count: int) -> tuple[int, int]:
    """Visit pages of one host that are about something else; return two rows of open links.

    One leads to the host, one to another host. All links have the same words.
    """
    links = [link(f"{n}", "page") for n in range(count)]
    links += [link("other", "page"), link("other", "page", host="b.test")]
    rows = model.observe_page(page("seed", 0.0, *links), None)
    for each in links[:count]:
        model.observe_page(page(each.url.rsplit("/", 1)[1], 0.0), rows[each.fingerprint])
    return rows[links[-2].fingerprint], rows[links[-1].fingerprint]


def test_a_host_that_was_visited_for_nothing_is_worth_less_than_a_new_one() -> None:
    """The more, the longer it was tried."""
    few, many = fresh(), fresh()
    scores = []
    for model, count in ((few, 12), (many, 40)):
        inside, outside = visited_for_nothing(model, count)
        blame = np.log(1 + (count + 1) ** 2 / 50 / 3) / 3
        assert column(model, inside, "barren") == pytest.approx(blame)
        assert column(model, outside, "barren") == 0
        scores.append(worth(model, outside) - worth(model, inside))
    assert scores[1] > scores[0] > 0


def test_no_example_changes_the_weight_of_the_blame() -> None:
    """Neither one by one nor in a refit; other weights learn."""
    model = fresh()
    inside, _ = visited_for_nothing(model, 12)
    before = prior.shipped().mean
    for _ in range(2):
        assert model.mean[FEATURES.index("barren")] == before[FEATURES.index("barren")] < 0
        assert abs(model.mean - before).max() > 0.01
        model.refit()
    assert column(model, inside, "barren") > 0


def test_the_best_page_of_a_host_lessens_its_blame_and_a_relevant_one_ends_it() -> None:
    """A worse page after it does not bring it back."""
    model = fresh()
    inside, _ = visited_for_nothing(model, 10)
    blame = column(model, inside, "barren")
    model.observe_page(page("list", 0.1, link("new"), link("newer")), None)
    assert 0.4 * blame < column(model, inside, "barren") < 0.6 * blame
    model.observe_page(page("new", 0.2), None)
    assert column(model, inside, "barren") == 0
    model.observe_page(page("newer", 0.0), None)
    assert column(model, inside, "barren") == 0


def test_a_mark_of_a_relevant_page_ends_the_blame_of_its_host() -> None:
    """A mark of a page that is not relevant does not."""
    model = fresh()
    inside, _ = visited_for_nothing(model, 10)
    for relevant, has_blame in ((False, True), (True, False)):
        model.mark(page("3", 0.0).fingerprint, relevant=relevant)
        assert (column(model, inside, "barren") > 0) == has_blame


def test_a_crawl_that_finds_nothing_leaves_hosts_sooner() -> None:
    """From the fiftieth link on; a page that is half relevant ends it, on any host."""
    assert trust_in_hosts(50, 0.0) == 3
    assert trust_in_hosts(100, 0.0) == pytest.approx(1.5)
    assert trust_in_hosts(10_000, 0.0) == 1
    assert trust_in_hosts(10_000, 0.5) == trust_in_hosts(10_000, 1.0) == 3
    model = fresh()
    inside, _ = visited_for_nothing(model, 99)
    assert column(model, inside, "barren") == pytest.approx(np.log(1 + 100 / 1.5) / 3)
    model.observe_page(page("elsewhere", 0.1, host="b.test"), None)
    assert column(model, inside, "barren") == pytest.approx(np.log(1 + 100 / 3) / 3, rel=0.01)


def test_what_other_workers_find_counts_too() -> None:
    """A worker does not leave its hosts while another one finds pages."""
    model = fresh()
    inside, _ = visited_for_nothing(model, 99)
    before = column(model, inside, "barren")
    other = fresh()
    other.observe_page(page("found", 0.4, host="b.test"), None)
    model.share().merge([other.share().part()])
    assert column(model, inside, "barren") < before


@given(st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1e6))
def test_blame_rises_with_the_links_followed_and_falls_with_what_was_found(
    tries: int, best: float, least: float, followed: float
) -> None:
    """It is 0 for a host with a relevant page, and for one that was not tried."""

    def one(n: float, b: float) -> float:
        of_all = max(b, least)
        return float(blame(np.float32([n]), np.float32([b]), tries, of_all)[0])

    assert 0 <= one(followed, best) <= one(followed + 1, best)
    assert one(followed, 1.0) == one(0.0, best) == 0
    assert one(followed, max(best, least)) <= one(followed, min(best, least)) + 1e-6
