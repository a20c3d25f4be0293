"""The oracle."""

import pytest
from crawled import Pages, order, to

from evocrawl.core.errors import SettingError

WEB: Pages = {
    "seed": (0.9, [to("hub", "1", "1"), to("mid"), to("plain", "1", "1")]),
    "mid": (0.0, [to("next"), to("gem")]),
    "gem": (0.0, []),
    "hub": (0.0, []),
    "next": (0.0, []),
    "plain": (0.0, []),
}


def test_labelled_links_come_first_with_any_relevance() -> None:
    """Then links on labelled pages, in the order of finding."""
    visited = order("oracle", WEB, labels=["gem", "mid"])
    assert visited == ["seed", "mid", "gem", "next", "hub", "plain"]


def test_it_refuses_a_crawl_without_labels() -> None:
    """A live crawl has none."""
    with pytest.raises(SettingError, match="labels"):
        order("oracle", WEB)
