"""The same seed gives the same crawl."""

from __future__ import annotations

import random

import pytest
from livecrawl import QUERY, Crawl, page, site


def _web() -> dict[str, object]:
    draw = random.Random(5)
    words = ["coral", "bleaching", "stone", "apple", "road", "house", "river", "cloud"]
    web = {}
    for host in range(3):
        pages = {}
        for number in range(80):
            links = [
                f"http://h{draw.randrange(3)}.test/{draw.randrange(80)} {draw.choice(words)}"
                for _ in range(6)
            ]
            pages[f"/{number}"] = page(*links, text=" ".join(draw.choices(words, k=40)))
        web[f"h{host}.test"] = site(pages)
    return web


@pytest.mark.parametrize("species", ["energy", "best_first", "breadth_first"])
def test_one_request_at_a_time_repeats_exactly(serve, crawl: Crawl, species: str) -> None:
    """Two crawls with one seed visit the same pages in the same order.

    Another seed gives another order. The hash seed of strings has no effect: here with one species,
    in `test_mixed.py` with others, for all of them in the contract of species.
    """
    orders = []
    for run, seed in enumerate((1, 1, 2)):
        proxy = serve(_web())
        crawled = crawl(
            proxy,
            arguments={
                "query": QUERY,
                "seeds": "http://h0.test/1 http://h1.test/2",
                "max_requests": 50,
                "species": species,
                "seed": seed,
            },
            settings={"CONCURRENT_REQUESTS": 1},
            hash_seed=1 if run == 1 and species == "energy" else None,
        )
        crawled.check_settled()
        orders.append([(each.host, each.path) for each in proxy.log])
        assert [each["visit"] for each in crawled.pages] == sorted(
            each["visit"] for each in crawled.pages
        )
    assert orders[0] == orders[1]
    assert (orders[0] == orders[2]) == (species != "energy")


def test_allowed_domains(serve, crawl: Crawl) -> None:
    """Links to other domains are not followed: not even their robots.txt is requested."""
    links = ["http://in.test/a", "http://sub.in.test/b", "http://out.test/c", "http://xin.test/d",
             "http://straße.test/a"]  # fmt: skip
    hosts = ("in.test", "sub.in.test", "out.test", "xin.test", "xn--strae-oqa.test", "strasse.test")
    proxy = serve(dict.fromkeys(hosts, site({f"/{p}": page(*links) for p in ("", *"abcd")})))
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": "http://in.test/",
            "allowed_domains": "IN.test .straße.test",
        },
    )
    crawled.check_settled()
    assert {each.host for each in proxy.log} == {"in.test", "sub.in.test", "xn--strae-oqa.test"}
