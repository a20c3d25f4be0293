"""The politeness of a crawl, measured at the servers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from email.utils import formatdate
from hashlib import sha256
from itertools import pairwise

import pytest
from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Reset, Response, Site, redirect

LINKS = [f"/{number} coral bleaching" for number in range(6)]


def good(request: Request) -> Response:
    """Return a page about the query that is unlike any other."""
    digest = sha256(f"{request.host}{request.path}".encode()).hexdigest()
    return page(text=" ".join([QUERY, *(digest[at : at + 4] for at in range(0, 64, 2))]))


def reefs(answer: Callable[[Request], Response], links: list[str] = LINKS) -> Site:
    """Return a site whose front page links to pages that `answer` answers."""
    paths = [each.partition(" ")[0] for each in links]
    return site({"/": page(*links, text=QUERY), **dict.fromkeys(paths, answer)})


def failing_first(answers: list[Response]) -> Callable[[Request], Response]:
    """Answer the first requests with `answers`, the others with a good page."""
    rest: Iterator[Response] = iter(answers)
    return lambda request: next(rest, None) or good(request)


@pytest.mark.parametrize("kind", ["seconds", "date"])
def test_a_host_is_left_alone_for_as_long_as_it_asks(serve, crawl: Crawl, kind: str) -> None:
    """R11, B107: no page of it is requested meanwhile; the page is fetched later."""
    asked: list[str] = []

    def busy(request: Request) -> Response:
        if asked:
            return good(request)
        # A date has whole seconds: of two, more than one is left.
        asked.append("1" if kind == "seconds" else formatdate(time.time() + 2, usegmt=True))
        return Response(429 if kind == "seconds" else 503, b"", {"retry-after": asked[0]})

    other = [f"/{number} coral" for number in range(40)]
    proxy = serve({"busy.test": reefs(busy), "other.test": reefs(good, other)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://busy.test/ http://other.test/"},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 1},
    )
    crawled.check_settled()
    times = [each.at_s for each in proxy.log if each.host == "busy.test"]
    assert max(later - earlier for earlier, later in pairwise(times)) >= 1.0
    # Front page, robots.txt, every page, and once more the one that was busy.
    assert len(times) == len(LINKS) + 3
    assert crawled.stat("pages") == len(LINKS) + len(other) + 2
    assert crawled.stat("retries") == 1


def test_an_invalid_retry_after_is_ignored(serve, crawl: Crawl) -> None:
    """R11, B107: the host gets the usual back-off, and the page is fetched later."""
    asked = ("-5", "soon", "1e12", "", "NaN", "Thu, 99 Foo 2026 99:99:99 GMT")
    hosts = {
        f"h{number}.test": reefs(
            failing_first([Response(429, b"", {"retry-after": each})]), LINKS[:2]
        )
        for number, each in enumerate(asked)
    }
    crawled = crawl(
        serve(hosts),
        arguments={"query": QUERY, "seeds": " ".join(f"http://{host}/" for host in hosts)},
    )
    crawled.check_settled()
    assert crawled.stat("pages") == 3 * len(hosts)
    assert crawled.stat("retries") == len(hosts)
    assert crawled.stat("hosts/given_up") == 0


def test_a_host_that_asks_for_hours_is_given_up(serve, crawl: Crawl) -> None:
    """R11, B107: the host gets no further request, and the crawl does not wait."""
    busy = failing_first([Response(503, b"", {"retry-after": "999999999999"})])
    proxy = serve({"busy.test": reefs(busy)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://busy.test/"},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 1},
    )
    crawled.check_settled()
    assert len(proxy.log) == 3
    assert crawled.stat("visits/dead") == len(LINKS)
    assert crawled.stat("hosts/given_up") == len(LINKS)
    assert crawled.stat("stop_reason") == "exhausted"


def refuse(_: Request) -> Response:
    raise Reset


@pytest.mark.parametrize("fault", [lambda _: Response(500), refuse], ids=["500", "reset"])
def test_a_host_that_always_fails_gets_fewer_and_fewer_requests(
    serve, crawl: Crawl, fault: Site
) -> None:
    """R12: of forty links none is requested after eight failures in a row."""
    links = [f"/{number} coral" for number in range(40)]
    proxy = serve({"broken.test": reefs(fault, links)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://broken.test/"},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 4, "EVOCRAWL_BACK_OFF_S": 0.1,
                  "EVOCRAWL_BACK_OFF_CAP_S": 0.3, "RETRY_TIMES": 2},
    )  # fmt: skip
    crawled.check_settled()
    tries = [each.at_s for each in proxy.log if each.path not in ("/", "/robots.txt")]
    # The first four go out together; then one at a time.
    assert 8 <= len(tries) <= 4 + 7
    assert all(later - earlier > 0.04 for earlier, later in pairwise(tries[4:]))
    assert crawled.stat("visits/dead") == len(links)
    assert crawled.stat("stop_reason") == "exhausted"


def test_second_tries_are_a_small_share(serve, crawl: Crawl) -> None:
    """R12: ten in any case, then at most the allowed share."""
    hosts = {
        f"h{number}.test": reefs(lambda _: Response(502), ["/a coral"]) for number in range(30)
    }
    proxy = serve(hosts)
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": " ".join(f"http://{host}/" for host in hosts)},
        settings={"EVOCRAWL_RETRY_SHARE": 0.1, "RETRY_TIMES": 5},
    )
    crawled.check_settled()
    tries = sum(each.path == "/a" for each in proxy.log)
    assert crawled.stat("retries") == tries - len(hosts) == 10


def test_no_host_holds_more_than_its_places(serve, crawl: Crawl) -> None:
    """R13: a host with slow bodies has two places, and all others are fetched meanwhile."""
    at_once, most = [0], [0]

    async def drip(request: Request) -> Response:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        await asyncio.sleep(0.3)
        at_once[0] -= 1
        return good(request)

    slow = [f"http://slow.test/{number} coral bleaching" for number in range(8)]
    links = [*slow, *(f"/{number} coral" for number in range(60))]
    quick = {"/": page(*links, text=QUERY)} | {f"/{n}": good for n in range(60)}
    dripping = site({f"/{number}": drip for number in range(8)})
    proxy = serve({"quick.test": site(quick), "slow.test": dripping})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://quick.test/"},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 2, "CONCURRENT_REQUESTS": 4},
    )
    crawled.check_settled()
    assert most[0] == 2
    assert crawled.stat("pages") == 69


def test_redirects_to_one_slow_host_do_not_delay_other_hosts(serve, crawl: Crawl) -> None:
    """R13: twelve hosts redirect there; redirects without room there are followed later.

    It answers when every page of the others has been requested.
    """

    async def slow(request: Request) -> Response:
        while len(quick_ones()) < 80:
            await asyncio.sleep(0.05)
        return good(request)

    def quick_ones() -> list[int]:
        """The places in the log of the others' pages; a path that is nowhere is asked for, too."""
        log = [each for each in proxy.log if each.path[1:].isdecimal()]
        return [each.order for each in log if each.host.startswith("q")]

    ways = {f"way{n}.test": site({"/": redirect(f"http://slow.test/{n}")}) for n in range(12)}
    quick = site({f"/{n}": good for n in range(80)})
    links = [f"http://{host}/ coral bleaching" for host in ways]
    links += [f"http://q{n % 4}.test/{n} coral" for n in range(80)]
    sites = {f"q{n}.test": quick for n in range(4)}
    sites |= {"slow.test": slow} | ways
    start = site({"/": page(*links, text=QUERY)})
    proxy = serve({"start.test": start, **sites})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://start.test/", "species": "best_first"},
        settings={
            "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
            "CONCURRENT_REQUESTS": 4,
            "ROBOTSTXT_OBEY": False,
        },
    )
    crawled.check_settled()
    assert crawled.stat("pages") == 1 + 12 + 80
    last = max(quick_ones())
    assert sum(each.order < last for each in proxy.log if each.host == "slow.test") <= 2


def test_the_hosts_of_one_address_share_its_places(serve, crawl: Crawl) -> None:
    """R9: twenty names of one server do not get twenty times its places, nor for robots.txt."""
    at_once, most = Counter[str](), Counter[str]()

    async def answer(request: Request) -> Response:
        at_once[request.path] += 1
        most[request.path] = max(most[request.path], at_once[request.path])
        while most[request.path] < 3:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        at_once[request.path] -= 1
        return Response(404) if request.path == "/robots.txt" else good(request)

    names = [f"h{number}.test" for number in range(20)]
    proxy = serve(dict.fromkeys(names, answer))
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": " ".join(f"http://{name}:{proxy.port}/" for name in names),
        },
        settings={
            "HTTPPROXY_ENABLED": False,
            "TWISTED_DNS_RESOLVER": "names.Resolver",
            "TEST_NAMES": {name: ["127.0.0.1"] for name in names},
            "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.1",
            "EVOCRAWL_ADDRESS_CONCURRENCY": 3,
        },
    )
    crawled.check_settled()
    assert crawled.stat("pages") == len(names)
    assert most == {"/": 3, "/robots.txt": 3}


def test_a_stopped_crawl_is_continued_among_failing_hosts(serve, crawl: Crawl, tmp_path) -> None:
    """R1, R12: links that were put off, and hosts in back-off, are restored from the store."""
    count = [0]

    def flaky(request: Request) -> Response:
        count[0] += 1
        if count[0] % 3 == 0:
            return Response(503, b"", {"retry-after": "0"})
        return good(request)

    links = [f"/{number} coral" for number in range(60)]
    proxy = serve({"flaky.test": reefs(flaky, links)}, delays={"flaky.test": 0.02})
    asked = {"query": QUERY, "seeds": "http://flaky.test/", "store": tmp_path / "s.sqlite"}
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 2, "EVOCRAWL_RETRY_SHARE": 1, "RETRY_TIMES": 9}
    crawl(proxy, arguments=asked, settings=settings, interrupt_at=40)
    crawled = crawl(proxy, arguments=asked, settings=settings)
    assert crawled.code == 0
    assert "continuing the crawl" in crawled.log
    assert crawled.stat("pages") == len(links) + 1
    assert crawled.stat("stop_reason") == "exhausted"
