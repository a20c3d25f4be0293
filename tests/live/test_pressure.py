"""A crawl under pressure: slow pipelines, slow hosts, slow robots.txt, delays, redirects."""

from __future__ import annotations

import asyncio

from livecrawl import QUERY, Crawl, page, site
from sendtimes import HANDLER, gaps_s

from evocrawl.simulation.server.proxy import Request, Response, redirect


def test_a_slow_pipeline_slows_the_crawl(serve, crawl: Crawl) -> None:
    """No more visits are under way than allowed, from the choice to the last pipeline."""
    links = [f"/{number} coral" for number in range(40)]
    pages = {"/": page(*links, text=QUERY)} | {f"/{n}": page(text=QUERY) for n in range(40)}
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={
            "EVOCRAWL_MAX_UNSETTLED": 4,
            "ITEM_PIPELINES": {"slow.SlowPipeline": 500},
            "EXTENSIONS": {"slow.Watch": 0},
        },
    )
    crawled.check_settled()
    assert len(crawled.pages) == 41
    assert 2 <= crawled.stats["most_under_way"] <= 4


def test_saturated_hosts_are_passed_over(serve, crawl: Crawl) -> None:
    """R13: a slow host does not take the places of seven fast hosts.

    It answers when the last page of the others has been requested.
    """

    async def late(request: Request) -> Response:
        while sum(each.host != "h0.test" for each in proxy.log) < 141:
            await asyncio.sleep(0.05)
        return pages[request.path]

    hosts = [f"h{number}.test" for number in range(8)]
    links = [f"http://{hosts[n % 8]}/{n} coral" for n in range(160)]
    pages = {"/": page(*links, text=QUERY)} | {f"/{n}": page(text=QUERY) for n in range(160)}
    proxy = serve({**dict.fromkeys(hosts, site(pages)), "h0.test": late})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://h1.test/", "species": "breadth_first"},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 2, "ROBOTSTXT_OBEY": False},
    )
    crawled.check_settled()
    quick = [each.order for each in proxy.log if each.host != "h0.test"]
    slow = [each.order for each in proxy.log if each.host == "h0.test"]
    assert (len(quick), len(slow)) == (141, 20)
    assert sum(order < max(quick) for order in slow) <= 2


def test_a_slow_robots_txt_delays_its_own_host_only(serve, crawl: Crawl) -> None:
    """R13, B072: the other host's pages are all fetched while the first robots.txt is awaited."""
    links = [f"http://{host}.test/{n} coral" for n in range(10) for host in ("slow", "quick")]
    pages = {"/": page(*links, text=QUERY)} | {f"/{n}": page(text=QUERY) for n in range(10)}

    async def late(_: Request) -> Response:
        while len(proxy.requested("quick.test")) < 12:
            await asyncio.sleep(0.01)
        return Response(404)

    slow = site({**pages, "/robots.txt": late})
    proxy = serve({"slow.test": slow, "quick.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://quick.test/", "species": "breadth_first"},
        settings={"CONCURRENT_REQUESTS": 4, "EVOCRAWL_ROBOTS_TIMEOUT_S": 300},
    )
    crawled.check_settled()
    hosts = [each.host for each in proxy.log if each.path != "/robots.txt"]
    assert hosts == ["quick.test"] * 11 + ["slow.test"] * 10


def test_forbidden_links_of_new_hosts_are_never_fetched(serve, crawl: Crawl) -> None:
    """B081: 40 forbidden URLs on 4 new hosts: none is fetched, each refusal is charged."""
    links = [f"http://h{n % 4}.test/private/{n} coral bleaching" for n in range(40)]
    rules = Response(200, b"User-agent: *\nDisallow: /private/")
    pages = {f"/private/{n}": page(text=QUERY) for n in range(40)} | {"/robots.txt": rules}
    web = {f"h{host}.test": site(pages) for host in range(4)}
    proxy = serve({**web, "seed.test": site({"/": page(*links, text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://seed.test/", "refusal_cost": 0.25},
        settings={"CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 64},
    )
    crawled.check_settled()
    assert [each.path for each in proxy.log if each.path.startswith("/private")] == []
    assert crawled.stat("visits/refused") == 40
    assert crawled.stat("energy/out") >= 40 * 0.25


def test_delays_are_kept_and_waited_for(serve, crawl: Crawl) -> None:
    """The engine is woken at the end of each delay: it has no heartbeat here."""
    pages = {"/": page("/1", "/2", "/3", text=QUERY)} | {f"/{n}": page() for n in range(1, 4)}
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={
            "DOWNLOAD_DELAY": 0.5,
            "RANDOMIZE_DOWNLOAD_DELAY": False,
            "DOWNLOAD_HANDLERS": HANDLER,
            "EXTENSIONS": {"sendtimes.NoHeartbeat": 0},
        },
    )
    crawled.check_settled()
    gaps = gaps_s(crawled.stats)
    assert len(gaps) == 3
    assert min(gaps) > 0.49


def test_links_that_redirect_to_one_page(serve, crawl: Crawl) -> None:
    """B099: a page behind many redirects is fetched once, and each visit settles."""
    links = [f"/go/{number} coral" for number in range(30)]
    pages = {"/": page(*links, text=QUERY), "/login": page(text="log in")}
    pages |= {f"/go/{number}": redirect("/login", 302) for number in range(30)}
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(proxy, arguments={"query": QUERY, "seeds": "http://reef.test/"})
    crawled.check_settled()
    assert proxy.requested("reef.test").count("/login") == 1
    assert crawled.stat("pages") == 2


def test_a_page_that_redirects_to_itself_with_a_cookie(serve, crawl: Crawl) -> None:
    """B097: the second answer, without the redirect, is the page."""

    def door(request):
        if "seen=1" in request.headers.get("cookie", ""):
            return page(text=QUERY)
        return Response(302, b"", {"Location": "/door", "Set-Cookie": "seen=1"})

    proxy = serve({"reef.test": site({"/door": door})})
    crawled = crawl(proxy, arguments={"query": QUERY, "seeds": "http://reef.test/door"})
    crawled.check_settled()
    assert [each["url"] for each in crawled.pages] == ["http://reef.test/door"]


def test_hosts_without_a_server_do_not_stall_the_others(serve, crawl: Crawl) -> None:
    """R13, B070: agents of unreachable hosts choose other links until a retry succeeds."""
    gone = [f"http://gone{n}.test/page coral bleaching" for n in range(30)]
    links = [f"/{n} coral bleaching" for n in range(20)]
    pages = {"/": page(*gone, *links, text=QUERY)} | {f"/{n}": page(text=QUERY) for n in range(20)}
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/", "max_requests": 51},
        settings={"EVOCRAWL_ROBOTS_RETRY_S": 600, "CONCURRENT_REQUESTS": 4},
    )
    crawled.check_settled()
    assert len(crawled.pages) >= 20
    assert crawled.stat("stop_reason") == "budget"


def test_an_unreachable_robots_txt_that_can_be_fetched_later(serve, crawl: Crawl) -> None:
    """B070: the links of a host whose robots.txt fails at first are followed once it answers."""
    asked = []

    def rules(_):
        asked.append(1)
        return Response(503) if len(asked) < 3 else Response(200, b"User-agent: *\nAllow: /")

    web = {"/robots.txt": rules, "/page": page(text=QUERY)}
    seed = {"/": page("http://late.test/page coral bleaching", text=QUERY)}
    proxy = serve({"reef.test": site(seed), "late.test": site(web)})
    crawled = crawl(proxy, arguments={"query": QUERY, "seeds": "http://reef.test/"})
    crawled.check_settled()
    assert [each["url"] for each in crawled.pages] == ["http://reef.test/", "http://late.test/page"]
    assert crawled.stat("robots/unreachable") == 2
