"""The best link comes first, for any number of links and any scores."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest
from livecrawl import QUERY, Crawled, page, site
from running import start

from evocrawl.simulation.server.proxy import LoopbackProxy

LINKS = 1_200
FILES = 128
"""A process may have so many open."""


def front() -> str:
    """Return anchors that fit the topic more and more; the last one is the topic itself."""
    anchors = [f"/{n} {'coral ' * (1 + n % 40)}{'reef ' * (1 + n // 40)}" for n in range(LINKS)]
    return "\n".join([*anchors, f"/best {QUERY}"])


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoopbackProxy, Crawled]]:
    """Store a crawl of a front page and six of its links, one at a time, with few open files."""
    pages = {f"/{n}": page(text="nothing") for n in range(LINKS)}
    pages |= {"/": page(*front().splitlines(), text=QUERY), "/best": page(text=QUERY)}
    directory = tmp_path_factory.mktemp("order")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, limits[1]))
    try:
        with LoopbackProxy({"wide.test": site(pages)}) as proxy:
            running = start(
                proxy,
                directory,
                arguments={
                    "query": QUERY,
                    "seeds": "http://wide.test/",
                    "species": "best_first_anchor",
                    "max_requests": 8,
                    "store": directory / "state.sqlite",
                },
                settings={"CONCURRENT_REQUESTS": 1},
            )
            yield proxy, running.end()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_the_best_of_many_links_is_fetched_first(crawled: tuple[LoopbackProxy, Crawled]) -> None:
    """B046: it is the last link of the page, and the budget is small."""
    proxy, _ = crawled
    assert proxy.requested("wide.test")[:3] == ["/robots.txt", "/", "/best"]


def test_a_thousand_scores_need_few_files(
    crawled: tuple[LoopbackProxy, Crawled],
) -> None:
    """B053: the crawl uses its whole budget with 128 open files."""
    _, ended = crawled
    assert (ended.code, ended.stat("stop_reason")) == (0, "budget")
    assert "Too many open files" not in ended.log
