"""The bandit over tag paths."""

import pytest
from crawled import Pages, order, to
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.species.tag_path_bandit import Bandit
from evocrawl.species.tag_paths import TagPathGroups

MENU, TEXT = "html/body/nav/ul/li", "html/body/main/article/p"


def test_it_learns_the_part_of_the_page_with_relevant_links() -> None:
    """Of 40 links in text and 40 in a menu, those in text lead to relevant pages."""
    good, poor = [f"g{n}" for n in range(40)], [f"p{n}" for n in range(40)]
    links = [to(name, tag_path=MENU) for name in poor] + [to(g, tag_path=TEXT) for g in good]
    web: Pages = {
        "seed": (0.5, links),
        **{name: (0.8, []) for name in good},
        **{name: (0.0, []) for name in poor},
    }
    visited = order("tag_path_bandit", web)
    assert sum(name in good for name in visited[1:31]) >= 24
    assert set(visited) == set(web)


def test_a_new_arm_is_played_first_then_the_best() -> None:
    """Without curiosity it is greedy by the mean reward."""
    bandit = Bandit(lambda _: False, alpha=0.0)
    bandit.reward(1, 0.2)
    bandit.reward(1, 0.6)
    bandit.reward(2, 0.5)
    fresh = bandit.arm(3)
    assert bandit.ranking() == [fresh, bandit.arm(2), bandit.arm(1)]


def test_curiosity_plays_a_neglected_arm_again() -> None:
    """AUER, computed by hand: 0.1 + √(ln 11 / 1) > 0.9 + √(ln 11 / 10)."""
    bandit = Bandit(lambda _: False, alpha=1.0)
    bandit.reward(1, 0.1)
    for _ in range(10):
        bandit.reward(2, 0.9)
    assert bandit.ranking()[0] is bandit.arm(1)


def test_similar_tag_paths_are_one_group() -> None:
    """One more div does not make another part of the page."""
    groups = TagPathGroups(0.75)
    assert groups.group(MENU) == groups.group("html/body/div/nav/ul/li")
    assert groups.group(MENU) != groups.group(TEXT)


@given(st.lists(st.text("abc/", max_size=200), max_size=400))
def test_the_number_of_groups_is_bounded(paths: list[str]) -> None:
    """For any tag paths, a path keeps its group."""
    groups = TagPathGroups(1.0)
    first = [groups.group(path) for path in paths]
    assert [groups.group(path) for path in paths] == first
    assert max(first, default=0) < 128


@pytest.mark.parametrize("count", [129, 1000])
def test_after_128_groups_a_path_joins_the_nearest(count: int) -> None:
    """A site with a different path for each link cannot slow the choice down."""
    groups = TagPathGroups(0.75)
    numbers = {groups.group(f"x{number}/y{number}/z{number}") for number in range(count)}
    assert numbers == set(range(128))
