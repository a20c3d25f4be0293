"""The log of a crawl whose servers try to write into it."""

from __future__ import annotations

import unicodedata

from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Response

RULES = b"User-agent: *\nCrawl-delay: ten \x07\x1b]0;title\x07\nAllow: /\n"


def test_no_control_character_of_a_server_reaches_the_log(serve, crawl: Crawl) -> None:
    """Through the logging of protego, Scrapy and the spider, at the lowest level."""
    rude = "\x1b[2Jgzip \x9b31m"
    pages = {
        "/robots.txt": Response(200, RULES),
        "/": page("/coded coral", "/cookie coral", "/moved coral", text=QUERY),
        "/coded": Response(200, b"coral", {"Content-Encoding": rude, "Content-Type": "text/html"}),
        "/cookie": Response(
            200, page(text=QUERY).body, {"Set-Cookie": f"a={rude}", "Content-Type": "text/html"}
        ),
        "/moved": Response(302, b"", {"Location": f"http://[{rude}/"}),
    }
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"LOG_LEVEL": "DEBUG", "COOKIES_DEBUG": True},
    )
    crawled.check_settled()
    for written in ("crawl delay", "gzip", "a=\\x1b[2Jgzip"):
        assert written in crawled.log, written
    kinds = {unicodedata.category(each) for each in crawled.log if each not in "\n\t"}
    assert "Cc" not in kinds
