"""The robots gate in a real crawl of a loopback web, checked by the requests at the servers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from robots_web import Answer, Web, reply, reset

Crawl = Callable[..., dict[str, Any]]

A, B, C, D = (f"127.0.0.{number}" for number in range(11, 15))
OUTSIDE = "127.0.0.15"
NO_PRIVATE = b"User-agent: *\nDisallow: /private\n"
NOTHING = b"User-agent: *\nDisallow: /\n"


def test_forty_forbidden_first_requests_on_four_new_hosts_are_all_held_back(
    web: Web, crawl: Crawl
) -> None:
    """B081: every request that waits for the same robots.txt gets the same answer."""
    arrived = threading.Event()
    web.answers[OUTSIDE]["/arrived"] = lambda handler: (arrived.set(), reply()(handler))[1]
    for host in (A, B, C, D):
        web.robots(host, web.until(arrived, reply(body=NO_PRIVATE)))
    urls = [web.url(host, f"/private/{i}") for i in range(10) for host in (A, B, C, D)]
    result = crawl(urls, arrived=web.url(OUTSIDE, "/arrived"), CONCURRENT_REQUESTS=64)
    assert web.page_hits() == {f"{OUTSIDE}/arrived": 1}
    assert [web.robots_hits(host) for host in (A, B, C, D)] == [1, 1, 1, 1]
    assert set(result["refusals"]) == set(urls)
    assert result["stats"]["robotstxt/forbidden"] == 40
    assert result["stats"]["robotstxt/request_count"] == 4
    assert result["stats"]["robotstxt/response_status_count/200"] == 4
    assert result["problems"] == []


def test_an_allowed_page_of_the_same_host_is_fetched(web: Web, crawl: Crawl) -> None:
    """The gate lets requests through that the rules allow for the agent of the settings."""
    web.robots(A, NO_PRIVATE)
    result = crawl([web.url(A, "/private/1"), web.url(A, "/public")])
    assert web.page_hits() == {f"{A}/public": 1}
    assert result["pages"] == [web.url(A, "/public")]
    assert web.agents == {"evocrawl/0.1 (test)"}


@pytest.mark.parametrize("answer", [reply(503), reply(429), reset], ids=["503", "429", "reset"])
def test_an_unreachable_robots_txt_forbids_everything(
    web: Web, crawl: Crawl, answer: Answer
) -> None:
    """R10, B082: a missing response is no permission, and a request that cannot wait is refused at once.
    """
    web.robots(A, answer)
    result = crawl([web.url(A, "/page")])
    assert web.page_hits() == {}
    assert result["refusals"] == [web.url(A, "/page")]
    assert result["stats"]["evocrawl/robots/unreachable"] >= 1
    assert result["problems"] == []


def test_a_robots_txt_that_comes_too_slowly_counts_as_unreachable(web: Web, crawl: Crawl) -> None:
    """The time-out bounds the whole body, not only the silence between two bytes."""
    web.robots(A, web.drip_until(web.over))
    result = crawl([web.url(A, "/page")], EVOCRAWL_ROBOTS_TIMEOUT_S=0.3)
    assert web.page_hits() == {}
    assert result["refusals"] == [web.url(A, "/page")]
    assert result["problems"] == []


def test_a_slow_robots_txt_of_one_host_delays_no_other(web: Web, crawl: Crawl) -> None:
    """R13: six pages of B are requested after four of A, one at a time, while A is slow.

    A is slow until B's last page has been requested; only then its robots.txt ends (B072).
    """
    last = threading.Event()

    def last_page(handler: Any) -> None:
        last.set()
        reply(body=b"page")(handler)

    web.robots(A, web.drip_until(last))
    web.answers[B]["/5"] = last_page
    urls = [*(web.url(A, f"/{i}") for i in range(4)), *(web.url(B, f"/{i}") for i in range(6))]
    result = crawl(urls, ask="each", CONCURRENT_REQUESTS=1, EVOCRAWL_ROBOTS_TIMEOUT_S=300)
    assert sorted(result["pages"]) == urls
    assert set(result["pages"][-4:]) == set(urls[:4])


def test_a_waiting_fetch_takes_no_slot_of_the_downloader(web: Web, crawl: Crawl) -> None:
    """`is_open` starts the fetches of many hosts at once, at any concurrency of the engine."""
    everyone = threading.Barrier(4)

    def together(handler: Any) -> None:
        everyone.wait(120)
        reply(404)(handler)

    for host in (A, B, C, D):
        web.robots(host, together)
    urls = [web.url(host, "/page") for host in (A, B, C, D)]
    result = crawl(urls, ask="each", CONCURRENT_REQUESTS=1)
    assert sorted(result["known"]) == [web.url(host, "") for host in (A, B, C, D)]
    assert sorted(result["pages"]) == urls


def test_the_body_of_a_404_is_no_rule(web: Web, crawl: Crawl) -> None:
    """An authority without robots.txt allows everything; the text of its error page has no effect."""
    web.robots(A, reply(404, NOTHING))
    crawl([web.url(A, "/page")])
    assert web.page_hits() == {f"{A}/page": 1}


def test_rules_behind_a_redirect_hold_for_the_authority_that_was_asked(
    web: Web, crawl: Crawl
) -> None:
    """B089, B090: a redirect off the allowed domains is followed; it does not give the rules of B.
    """
    web.robots(A, reply(301, Location=web.url(B, "/shared/robots.txt")))
    web.answers[B]["/shared/robots.txt"] = reply(body=NOTHING)
    urls = [web.url(A, "/page"), web.url(B, "/page")]
    on_site = {"allow_offsite": True}
    result = crawl(urls, allowed_domains=[A], meta=on_site, CONCURRENT_REQUESTS=1)
    assert web.page_hits() == {f"{B}/page": 1, f"{B}/shared/robots.txt": 1}
    assert web.robots_hits(B) == 1
    assert result["refusals"] == [web.url(A, "/page")]
    assert result["counted"][:2] == [web.url(A, "/robots.txt"), web.url(B, "/shared/robots.txt")]


@pytest.mark.parametrize(
    ("location", "asked"),
    [
        (b"/r\xe9gles.txt", "/r%E9gles.txt"),
        ("/robots?f=règles".encode(), "/robots?f=r%C3%A8gles"),
        (b"/robots?f=r\xe8gles", "/robots?f=r%E8gles"),
        (b"\\rules with space", "/rules%20with%20space"),
    ],
)
def test_rules_behind_a_raw_location_are_found_where_browsers_look(
    web: Web, crawl: Crawl, location: bytes, asked: str
) -> None:
    """Bytes that are no ASCII are percent-encoded as they are."""
    web.robots(A, reply(302, Location=location.decode("latin-1")))
    web.answers[A][asked] = reply(body=NO_PRIVATE)
    urls = [web.url(A, "/private"), web.url(A, "/page")]
    assert crawl(urls, CONCURRENT_REQUESTS=1)["refusals"] == urls[:1]
    assert web.page_hits() == {f"{A}{asked}": 1, f"{A}/page": 1}


def test_a_redirect_to_anothers_robots_txt_answers_for_both(web: Web, crawl: Crawl) -> None:
    """The robots.txt of the second authority is not fetched again."""
    web.robots(A, reply(302, Location=web.url(B, "/robots.txt")))
    web.robots(B, NO_PRIVATE)
    urls = [web.url(A, "/private"), web.url(B, "/private"), web.url(B, "/page")]
    result = crawl(urls, CONCURRENT_REQUESTS=1)
    assert web.page_hits() == {f"{B}/page": 1}
    assert web.robots_hits(B) == 1
    assert result["refusals"] == urls[:2]


def test_a_redirect_loop_is_unreachable_after_five_hops(web: Web, crawl: Crawl) -> None:
    """A robots.txt that never comes forbids everything, and takes at most six requests a try."""
    web.robots(A, reply(302, Location="/robots.txt"))
    crawl([web.url(A, "/page")], EVOCRAWL_ROBOTS_TRIES=1)
    assert web.page_hits() == {}
    assert web.robots_hits(A) == 6


def test_the_first_500_kib_of_a_large_file_are_obeyed(web: Web, crawl: Crawl) -> None:
    """R10, R14: the download of a file of 8 MB is cut, also if the downloader's own limit is smaller.
    """
    padding = b"".join(b"Disallow: /page/%d/*.pdf$\n" % i for i in range(300_000))
    web.robots(A, NO_PRIVATE + padding + b"Disallow: /late\n")
    urls = [web.url(A, path) for path in ("/private", "/public", "/late")]
    result = crawl(urls, DOWNLOAD_MAXSIZE=1_000_000)
    assert len(NO_PRIVATE + padding) > 7_500_000
    assert web.page_hits() == {f"{A}/late": 1, f"{A}/public": 1}
    assert result["refusals"] == [web.url(A, "/private")]
    assert result["stats"]["downloader/response_bytes"] < 2_000_000


def test_a_closed_authority_opens_when_a_retry_succeeds(web: Web, crawl: Crawl) -> None:
    """A scheduler that waits for `on_known` loses no request of a server that recovers."""
    sick = iter([reply(503), reset])
    web.robots(A, lambda handler: next(sick, reply(body=NO_PRIVATE))(handler))
    result = crawl([web.url(A, "/page"), web.url(A, "/private")], ask="each")
    assert result["known"] == [web.url(A, "")]
    assert web.robots_hits(A) == 3
    assert web.page_hits() == {f"{A}/page": 1}


def test_an_authority_is_given_up_after_the_last_try(web: Web, crawl: Crawl) -> None:
    """It is then known and forbids everything, so that a crawl can end."""
    web.robots(A, reply(500))
    result = crawl([web.url(A, "/page")], ask="each", EVOCRAWL_ROBOTS_TRIES=2)
    assert web.robots_hits(A) == 2
    assert web.page_hits() == {}
    assert result["refusals"] == [web.url(A, "/page")]
    assert result["stats"]["evocrawl/robots/given_up"] == 1


def test_a_budget_counts_each_robots_request_and_can_withhold_it(web: Web, crawl: Crawl) -> None:
    """A site without a request is not reported as closed."""
    web.robots(A, reply(302, Location="/rules"))
    web.answers[A]["/rules"] = reply(body=NO_PRIVATE)
    result = crawl([web.url(A, f"/{i}") for i in range(3)], budget=1)
    assert result["counted"] == [web.url(A, "/robots.txt")]
    assert web.page_hits() == {}
    assert set(result["failures"].values()) == {"budget"}
    assert result["refusals"] == []


@pytest.mark.parametrize("path", ["/x/../private", "//private", "/x/%2e%2e/private"])
def test_other_spellings_of_a_forbidden_path_are_forbidden(
    web: Web, crawl: Crawl, path: str
) -> None:
    """A rule cannot be avoided by another spelling."""
    web.robots(A, NO_PRIVATE)
    crawl([web.url(A, path)])
    assert web.page_hits() == {}


def test_rules_of_another_port_do_not_count(web: Web, crawl: Crawl) -> None:
    """The authority is scheme, host and port."""
    other = Web()
    try:
        web.robots(A, NOTHING)
        crawl([web.url(A, "/page"), other.url(A, "/page")])
        assert web.page_hits() == {}
        assert other.page_hits() == {f"{A}/page": 1}
    finally:
        other.close()


def test_a_redirected_page_is_checked_where_it_leads(web: Web, crawl: Crawl) -> None:
    """The rules of the second host decide on the second request."""
    web.answers[A]["/go"] = reply(302, Location=web.url(B, "/private"))
    web.robots(B, NO_PRIVATE)
    crawl([web.url(A, "/go")])
    assert web.page_hits() == {f"{A}/go": 1}


def test_the_downloader_keeps_a_crawl_delay_within_its_cap(web: Web, crawl: Crawl) -> None:
    """R11, B093: the slot's delay is raised, to the cap at most, and no jitter shortens it."""
    web.robots(A, b"User-agent: *\nCrawl-delay: 0.1\n")
    web.robots(B, b"User-agent: *\nCrawl-delay: 1e9\n")
    web.robots(C, b"User-agent: *\nCrawl-delay: -5\n")
    urls = [web.url(host, path) for host in (A, B, C) for path in ("/1", "/2")]
    result = crawl(urls, EVOCRAWL_CRAWL_DELAY_CAP_S=0.2)
    assert result["delays"][A] == [0.1, 0.0]
    assert result["delays"][B] == [0.2, 0.0]
    assert result["delays"][C][0] == 0.0
    assert len(result["pages"]) == 6


def test_everything_is_open_when_robots_txt_is_not_obeyed(web: Web, crawl: Crawl) -> None:
    """Neither the setting nor the meta key of a request costs a robots.txt request."""
    web.robots(A, NOTHING)
    crawl([web.url(A, "/page")], ask="each", ROBOTSTXT_OBEY=False)
    crawl([web.url(A, "/page")], meta={"dont_obey_robotstxt": True})
    assert web.page_hits() == {f"{A}/page": 2}
    assert web.robots_hits(A) == 0


def test_fetches_and_retries_end_with_the_crawl(web: Web, crawl: Crawl) -> None:
    """A crawl without links waits neither for a slow robots.txt nor for a retry."""
    web.robots(A, web.drip_until(web.over))
    web.robots(B, web.until(web.over, reply(503)))
    result = crawl(
        [web.url(A, "/page"), web.url(B, "/page")], ask="leave", EVOCRAWL_ROBOTS_TIMEOUT_S=600
    )
    assert result["stats"]["finish_reason"] == "finished"
    # On a busy machine the crawl can end before the request has reached the server.
    assert web.robots_hits(A) == 0 or web.dropped.wait(120)
    assert result["known"] == []
    assert result["problems"] == []
