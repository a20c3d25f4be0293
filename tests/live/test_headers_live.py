"""Endless headers cost a crawl little."""

from __future__ import annotations

from endless import KINDS, Endless
from livecrawl import QUERY, Crawl, page, site

MOST_SENT_BYTES = 20_000_000
"""What is read, and what lies in the buffers of two sockets."""


def test_endless_headers_are_cut(serve, crawl: Crawl) -> None:
    """Long lines, folded ones, many short ones, interim responses, an endless line."""
    with Endless() as server:
        at = f"http://127.0.0.1:{server.port}"
        links = [f"{at}{kind}?{number} coral" for kind in KINDS for number in range(2)]
        proxy = serve({"reef.test": site({"/": page(*links, "/ok coral", text=QUERY),
                                          "/ok": page(text=QUERY)})})  # fmt: skip
        crawled = crawl(
            proxy,
            arguments={"query": QUERY, "seeds": f"http://reef.test:{proxy.port}/",
                       "allow_networks": "127.0.0.1/32", "breaker_failures": 1_000},
            settings={"HTTPPROXY_ENABLED": False, "TWISTED_DNS_RESOLVER": "names.Resolver",
                      "TEST_NAMES": {"reef.test": ["127.0.0.1"]}, "RETRY_TIMES": 0,
                      "DOWNLOAD_TIMEOUT": 50, "EVOCRAWL_BACK_OFF_S": 0},
        )  # fmt: skip
    crawled.check_settled()
    assert len(crawled.pages) == 2
    assert crawled.stat("visits/dead") == len(links)
    assert len(server.sent) == len(links)
    assert max(server.sent.values()) < MOST_SENT_BYTES
