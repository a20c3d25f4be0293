"""A host on which nothing relevant was found is left for others."""

import numpy as np
import pytest
from link_models import column, fresh, link, page, worth

from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior


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
