"""The address guard, checked at servers: no request reaches a forbidden address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from listener import Listener
from livecrawl import QUERY, ROOT, Crawl, page, site

from evocrawl.simulation.server.proxy import Response, redirect

PUBLIC = "127.0.0.1"
"""Plays the Internet: it is allowed. The listener's address is not."""

INNER = "127.0.0.2"
DIRECT: dict[str, object] = {
    "HTTPPROXY_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "names.Resolver",
    "EVOCRAWL_ALLOW_NETWORKS": f"{PUBLIC}/32",
}
REEFS = ROOT / "examples" / "reefs"


@pytest.fixture
def inner() -> Iterator[Listener]:
    """Return a server inside the network."""
    listener = Listener(INNER)
    yield listener
    listener.close()


def test_no_link_or_redirect_reaches_an_address_inside(
    serve, crawl: Crawl, inner: Listener
) -> None:
    """R19, B105, B094: links, names, redirects, meta refresh, robots.txt and sitemaps."""
    at = f"{INNER}:{inner.port}"
    spellings = [at, f"2130706434:{inner.port}", f"0x7f.2:{inner.port}",
                 f"１２７.0.0.2:{inner.port}",
                 f"[::ffff:127.0.0.2]:{inner.port}", f"inner.test:{inner.port}",
                 f"[64:ff9b::7f00:2]:{inner.port}", f"0:{inner.port}"]  # fmt: skip
    refresh = f'<meta http-equiv=refresh content="0; url=http://{at}/refreshed">'
    pages = {
        "/": page(
            *(f"http://{each}/link/{number} coral" for number, each in enumerate(spellings)),
            "/redirected coral",
            "/refreshed coral",
            text=QUERY,
        ),
        "/redirected": redirect(f"http://{at}/redirected"),
        "/refreshed": Response(200, refresh.encode(), {"content-type": "text/html"}),
    }
    roboted = {"/robots.txt": redirect(f"http://{at}/robots.txt"), "/": page(text=QUERY)}
    proxy = serve({"reef.test": site(pages), "roboted.test": site(roboted)})
    names = {"reef.test": [PUBLIC], "roboted.test": [PUBLIC], "inner.test": [INNER]}
    seeds = f"http://reef.test:{proxy.port}/ http://roboted.test:{proxy.port}/"
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": seeds, "species": "best_first"},
        settings={**DIRECT, "TEST_NAMES": names},
    )
    crawled.check_settled()
    assert inner.calls == 0
    assert proxy.requested("roboted.test") == ["/robots.txt"]
    assert [each["url"] for each in crawled.pages] == [f"http://reef.test:{proxy.port}/"]
    # Every spelling, the redirect, the refresh and the site that has no robots.txt.
    assert crawled.stat("visits/dead") == len(spellings) + 3
    assert crawled.stat("guard/address") >= len(spellings) + 3
    assert crawled.stat("requests") == len(proxy.log)
    assert crawled.log.count("a request was refused, since") == 1


def test_a_name_whose_address_changes_is_not_trusted(serve, crawl: Crawl, inner: Listener) -> None:
    """R19: the crawl connects to the address that was checked."""
    for answers in ([PUBLIC, INNER], [PUBLIC, PUBLIC, INNER]):
        crawled = crawl(
            serve({}),
            arguments={"query": QUERY, "seeds": f"http://rebind.test:{inner.port}/"},
            settings={**DIRECT, "TEST_NAMES": {"rebind.test": answers}, "DNSCACHE_ENABLED": False,
                      "EVOCRAWL_ROBOTS_TRIES": 1},
        )  # fmt: skip
        crawled.check_settled()
        assert crawled.pages == []
    assert inner.calls == 0


def test_a_proxy_gets_no_request_for_an_address_inside(serve, crawl: Crawl) -> None:
    """Such addresses, and names that resolve to one here, are refused before the proxy gets them.

    A name that cannot be resolved here is left to the proxy.
    """
    links = ("http://10.0.0.1/ coral", "http://169.254.169.254/latest coral",
             "http://inner.test/ coral", "http://localhost:8080/ coral")  # fmt: skip
    proxy = serve({"reef.test": site({"/": page(*links, text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"TWISTED_DNS_RESOLVER": "names.Resolver", "TEST_NAMES": {"inner.test": [INNER]}},
    )
    crawled.check_settled()
    assert {request.host for request in proxy.log} == {"reef.test"}
    assert crawled.stat("visits/dead") == len(links)
    assert crawled.stat("guard/address") == 2 * len(links)  # robots.txt and page


def test_an_allowed_network_is_crawled(serve, crawl: Crawl) -> None:
    """The hosts of an intranet are fetched if it is named."""
    proxy = serve({"intra.test": site({"/": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": f"http://intra.test:{proxy.port}/"},
        settings={**DIRECT, "TEST_NAMES": {"intra.test": [PUBLIC]}},
    )
    assert len(crawled.pages) == 1
    assert crawled.stat("guard/address") == 0


EVERYTHING = {"EVOCRAWL_ALLOW_NETWORKS": "0.0.0.0/0 ::/0"}
AIOHTTP = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"


def _handled(handler: str) -> dict[str, object]:
    return {"DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), handler)}


def test_a_handler_that_the_guard_does_not_see_is_trusted_by_name(
    serve, crawl: Crawl, inner: Listener
) -> None:
    """R19: it is refused in one line that names the setting; all other guards stay on."""
    pages = {"/": page(f"http://{INNER}:{inner.port}/ coral", "/forbidden coral", text=QUERY),
             "/robots.txt": Response(200, b"User-agent: *\nDisallow: /forbidden")}  # fmt: skip
    proxy = serve({"reef.test": site(pages)})
    asked = {"query": QUERY, "seeds": f"http://reef.test:{proxy.port}/"}
    settings = {**DIRECT, **_handled("names.ForeignHandler"), "TEST_NAMES": {"reef.test": [PUBLIC]}}
    refused = crawl(proxy, arguments=asked, settings=settings)
    assert refused.code != 0
    assert "DOWNLOAD_HANDLERS['http'] is 'names.ForeignHandler'" in refused.log
    assert 'EVOCRAWL_TRUSTED_HANDLERS = "names.ForeignHandler"' in refused.log
    assert "Traceback" not in refused.log
    assert proxy.log == []
    trusted = {"EVOCRAWL_TRUSTED_HANDLERS": "names.ForeignHandler"}
    crawled = crawl(proxy, arguments=asked, settings={**settings, **trusted})
    crawled.check_settled()
    assert proxy.requested("reef.test") == ["/robots.txt", "/"]
    assert inner.calls == 0
    assert crawled.stat("guard/address") > 0
    assert crawled.stat("requests") == len(proxy.log)
    assert crawled.log.count("does not see the connections of names.ForeignHandler") == 1


@pytest.mark.parametrize("handler", ["names.ForeignHandler", AIOHTTP])
def test_a_handler_without_a_pool_fetches_pages(serve, crawl: Crawl, handler: str) -> None:
    """If every address is allowed, no guard is needed."""
    proxy = serve({"reef.test": site({"/": page("/a", text=QUERY), "/a": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": f"http://reef.test:{proxy.port}/"},
        settings={**_handled(handler), **EVERYTHING},
    )
    crawled.check_settled()
    assert len(crawled.pages) == 2
    assert crawled.log.count("does not see the connections of") == 1


def test_a_subclass_of_scrapys_handler_is_guarded_as_its_parent(
    serve, crawl: Crawl, inner: Listener
) -> None:
    """It needs no setting, and a name whose address changes is refused."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    names = {"reef.test": [PUBLIC], "rebind.test": [PUBLIC, PUBLIC, INNER]}
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": f"http://reef.test:{proxy.port}/ http://rebind.test:{inner.port}/",
        },
        settings={**DIRECT, **_handled("names.OwnHandler"), "TEST_NAMES": names,
                  "DNSCACHE_ENABLED": False, "EVOCRAWL_ROBOTS_TRIES": 1},
    )  # fmt: skip
    crawled.check_settled()
    assert [each["url"] for each in crawled.pages] == [f"http://reef.test:{proxy.port}/"]
    assert inner.calls == 0


def test_an_error_in_a_handler_is_not_reported_as_an_unreachable_robots_txt(
    serve, crawl: Crawl
) -> None:
    """An error with its traceback, at once, and the crawl ends."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={**_handled("names.FaultyHandler"), **EVERYTHING, "EVOCRAWL_ROBOTS_RETRY_S": 600},
    )
    assert "ERROR: robots.txt of 'http://reef.test' cannot be requested" in crawled.log
    assert "Traceback" in crawled.log
    assert "no_such_attribute" in crawled.log
    assert crawled.stat("robots/faults") == 1
    assert crawled.stat("robots/unreachable") == 0


@pytest.mark.parametrize(
    ("handler", "why"),
    [("names.Unbuildable", "the package of this handler is missing"),
     ("names.NoSuch", "names"), ("no_such_module.Handler", "no_such_module")],
)  # fmt: skip
def test_a_handler_without_its_package_is_named(
    serve, crawl: Crawl, handler: str, why: str
) -> None:
    """In one line, before anything is fetched."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={**_handled(handler), **EVERYTHING},
    )
    assert crawled.code == 2
    lines = [each for each in crawled.log.splitlines() if " ERROR: " in each]
    line = lines[-1]
    assert f"DOWNLOAD_HANDLERS['http'] is '{handler}'" in line
    assert why in line
    # A handler that Scrapy makes later is checked when the crawl has begun.
    assert len(lines) == 1 or handler == "names.Unbuildable"
    assert proxy.log == []


def test_links_of_other_schemes_are_not_followed(serve, crawl: Crawl, tmp_path: Path) -> None:
    """R18: not even for a spider that yields a request for each; a local file is not read."""
    secret = tmp_path / "secret.html"
    secret.write_text("a secret")
    links = (f"file://{secret}", "ftp://127.0.0.1/x", "s3://bucket/key")
    proxy = serve({"reef.test": site({"/": page(*links, text=QUERY)})})
    crawled: Any = crawl(
        proxy,
        command=("crawl", "follows"),
        settings={"SPIDER_MODULES": "followspider", "EVOCRAWL_QUERY": QUERY},
    )
    assert [each["url"] for each in crawled.pages] == ["http://reef.test/"]
    assert crawled.stat("guard/scheme") == len(links)
    assert "a secret" not in str(crawled.pages)
