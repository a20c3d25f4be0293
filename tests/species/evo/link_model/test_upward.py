"""While nothing is found, links that climb the folders of their host are worth more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_models import column, fresh, link, page, worth

from evocrawl.core.model import Fingerprint
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.upward import DEEPEST, HIGHEST, depth_of, upward

UP, SAME, DOWN = "a/up", "a/b/c/same", "a/b/c/d/down"
AT = FEATURES.index("upward")


def begun(model: LinkModel, host: str = "a.test") -> dict[Fingerprint, int]:
    """Read the page a/b/c/seed, with links one way each; return the rows of their targets."""
    links = [link(name, "page", host=host) for name in (UP, SAME, DOWN)]
    return model.observe_page(page("a/b/c/seed", 0.0, *links), None)


def test_a_link_to_an_upper_folder_of_its_host_is_worth_more() -> None:
    """By the number of folders that it climbs; a link down is no worse for it."""
    model = fresh()
    rows = begun(model)
    up, same, down = (rows[link(name).fingerprint] for name in (UP, SAME, DOWN))
    assert [column(model, row, "upward") for row in (up, same, down)] == [
        pytest.approx(2 / HIGHEST), 0, 0,
    ]  # fmt: skip
    assert worth(model, up) > worth(model, same)


def test_a_link_to_another_host_does_not_climb() -> None:
    """Its folders are not those of the page with the link."""
    model = fresh()
    rows = begun(model, host="b.test")
    up = link(UP, host="b.test")
    assert column(model, rows[up.fingerprint], "upward") == 0
    model.observe_page(page("x/y/z/other", 0.0, up), None)
    assert column(model, rows[up.fingerprint], "upward") == 0


def test_of_several_links_that_from_the_deepest_page_counts() -> None:
    """Also if other ones come later."""
    model = fresh()
    up = begun(model)[link(UP).fingerprint]
    for name, climbed in (("a/b/list", 2), ("a/b/c/d/e/f/leaf", 3), ("top", 3)):
        model.observe_page(page(name, 0.0, link(UP)), None)
        assert column(model, up, "upward") == pytest.approx(climbed / HIGHEST)


def test_it_fades_with_the_best_page_and_ends_with_a_relevant_one() -> None:
    """Half of the relevance that is needed takes away half of it."""
    model = fresh()
    rows = begun(model)
    up, same = rows[link(UP).fingerprint], rows[link(SAME).fingerprint]
    model.observe_page(page(SAME, 0.1), same)  # It needs 0.2 (`fresh`).
    assert column(model, up, "upward") == pytest.approx(1 / HIGHEST)
    model.observe_page(page("a/good", 0.3), None)
    assert column(model, up, "upward") == 0


def test_a_folder_that_was_visited_draws_less() -> None:
    """What its pages link to is known."""
    model = fresh()
    up = begun(model)[link(UP).fingerprint]
    before = column(model, up, "upward")
    rows = model.observe_page(page("a/b/c/seed", 0.0, link("a/top")), None)
    model.observe_page(page("a/top", 0.0), rows[link("a/top").fingerprint])
    assert column(model, up, "upward") == pytest.approx(before / np.sqrt(2))


def test_no_example_changes_its_weight() -> None:
    """A link that climbs is followed for the links behind it, not for its own page."""
    model = fresh()
    rows = begun(model)
    model.observe_page(page(UP, 0.0), rows[link(UP).fingerprint])
    model.refit()
    assert model.mean[AT] == prior.shipped().mean[AT] > 0


@given(st.text(max_size=300))
def test_any_name_of_a_group_has_a_depth(name: str) -> None:
    """It fits into the column that it is stored in."""
    assert 0 <= depth_of(name) <= DEEPEST <= np.iinfo(np.int8).max


def test_the_depth_is_that_of_the_folder() -> None:
    """A host has the depth of its outermost folder."""
    assert [depth_of(name) for name in ("a.test", "a.test/", "a.test/b/", "a.test/b/c/")] == [
        0, 0, 1, 2,
    ]  # fmt: skip
    assert depth_of("a.test/" + "b/" * 500) == DEEPEST


depths = st.integers(0, DEEPEST).map(float)


@given(depths, depths, st.floats(0, 1), st.floats(0, 1))
def test_the_feature_lies_between_0_and_1(
    source: float, target: float, newness: float, best: float
) -> None:
    """It never falls if the page with the link is deeper."""
    new = np.array([newness, newness])
    found = upward(np.array([source, source + 1]), np.array([target, target]), new, best)
    assert 0 <= found[0] <= found[1] <= 1 - best + 1e-12
