"""Secrets of one server reach no other server, log or file."""

from __future__ import annotations

from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Response, redirect

KEYS = ("x-api-key", "authorization")


def test_custom_headers_stay_with_their_origin(serve, crawl: Crawl) -> None:
    """R22: by redirect and meta refresh, for links and for other requests.

    Within the origin they stay; harmless headers are sent everywhere.
    """
    refresh = b'<meta http-equiv=refresh content="0; url=http://other.test/refreshed/%b">'
    kinds = ("True", "False")
    home = {f"/home/{each}": redirect(f"/landed/{each}") for each in kinds}
    home |= {f"/away/{each}": redirect(f"http://other.test/landed/{each}") for each in kinds}
    home |= {f"/refresh/{each}": Response(200, refresh % each.encode()) for each in kinds}
    landed = {
        f"/{way}/{each}": page(text=QUERY) for each in kinds for way in ("landed", "refreshed")
    }
    proxy = serve({"reef.test": site(home | landed), "other.test": site(landed)})
    crawled = crawl(
        proxy,
        command=("crawl", "secrets"),
        settings={"SPIDER_MODULES": "secretspider", "EVOCRAWL_QUERY": QUERY},
    )
    assert len(crawled.pages) == 6
    arrived = [each for each in proxy.log if each.path != "/robots.txt"]
    for request in arrived:
        assert request.headers["accept-language"] == "fr"
        at_home = request.host == "reef.test"
        assert [name in request.headers for name in KEYS] == [at_home, at_home]
    assert sum(request.host == "other.test" for request in arrived) == 4


def test_a_title_cannot_forge_a_log_line(serve, crawl: Crawl) -> None:
    """R22: line ends, escape sequences and direction marks of a page are escaped."""
    title = "reef\n2001-01-01 00:00:00 [root] ERROR: forged\x1b[2J\u202e"
    front = page("/\x1b[2J\u202e coral", text=QUERY, title=title)
    crawled = crawl(
        serve({"reef.test": site({"/": front})}),
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"LOG_LEVEL": "DEBUG"},
    )
    assert "forged" in crawled.log
    assert not any(line.startswith("2001") for line in crawled.log.splitlines())
    assert not {"\x1b", "\u202e"} & set(crawled.log)


def test_passwords_in_links_are_neither_sent_nor_shown(serve, crawl: Crawl) -> None:
    """R22, B100: the page is fetched without them; log, items and stats do not have them."""
    pages = {
        "/": page(
            "http://me:pa55word@reef.test/in coral", "//you:pa55word@reef.test/go coral", text=QUERY
        ),
        "/in": page(text=QUERY),
        "/go": redirect("http://us:pa55word@reef.test/gone"),
        "/gone": page(text=QUERY),
    }
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"LOG_LEVEL": "DEBUG", "FEED_TEMPDIR": "ftp://me:pa55word@host/"},
    )
    crawled.check_settled()
    assert sorted(each["url"].rpartition("/")[2] for each in crawled.pages) == ["", "gone", "in"]
    assert all("authorization" not in request.headers for request in proxy.log)
    assert "pa55word" not in crawled.log + str(crawled.pages) + str(crawled.stats)
    assert "ftp://***@host/" in crawled.log
