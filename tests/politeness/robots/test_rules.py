"""robots.txt by RFC 9309, without a network."""

from __future__ import annotations

import pytest
from robots_rules import H, rules

from evocrawl.politeness.robots.rules import RobotsRules, Verdict


@pytest.mark.parametrize(
    ("status", "verdict", "open_"),
    [
        (200, Verdict.RULES, False),
        (206, Verdict.RULES, False),
        (301, Verdict.UNREACHABLE, False),
        (304, Verdict.UNREACHABLE, False),
        (400, Verdict.UNAVAILABLE, True),
        (401, Verdict.UNAVAILABLE, True),
        (403, Verdict.UNAVAILABLE, True),
        (404, Verdict.UNAVAILABLE, True),
        (410, Verdict.UNAVAILABLE, True),
        (429, Verdict.UNREACHABLE, False),
        (500, Verdict.UNREACHABLE, False),
        (503, Verdict.UNREACHABLE, False),
        (599, Verdict.UNREACHABLE, False),
        (999, Verdict.UNREACHABLE, False),
    ],
)
def test_the_status_decides_before_the_body(status: int, verdict: Verdict, open_: bool) -> None:
    """R10, B082: only a 2xx body has rules; 4xx allows, other statuses forbid (RFC 9309 §2.3.1)."""
    found = rules("User-agent: *\nDisallow: /page", status=status)
    assert found.verdict is verdict
    assert found.allows(f"{H}/page") is open_


@pytest.mark.parametrize("status", [200, 404, 503])
def test_robots_txt_itself_may_always_be_fetched(status: int) -> None:
    """RFC 9309 §2.2.2."""
    assert rules("User-agent: *\nDisallow: /", status=status).allows(f"{H}/robots.txt")


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("Disallow: /*s=", "/?s=a", False),
        ("Disallow: /*?s=", "/?s=b&a=1", False),
        ("Disallow: /hide?", "/hide?", False),
        ("Disallow: /hide?", "/hide?#top", False),
        ("Disallow: /hide?", "/hide", True),
        ("Disallow: /*.pdf$", "/a.pdf", False),
        ("Disallow: /*.pdf$", "/a.pdf?x", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b", True),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow:", "/a", True),
        ("Dissallow: /a", "/a", False),
        ("Disallow /a", "/a", False),
        ("Disallow: /a # all of it", "/ab", False),
        ("Disallow: /~joe/", "/%7ejoe/", False),
        ("Disallow: /%7Ejoe/", "/~joe/", False),
        ("Disallow: /caf%C3%A9", "/café", False),
        ("Disallow: /A", "/a", True),
        ("Disallow: /p\nAllow: /p$", "/p", True),
        ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("Allow: /$\nDisallow: /", "/", True),
        ("Disallow: /a%24", "/a$x", False),
        ("Disallow: /a%2Ab", "/a*b", False),
        ("Disallow: /a%2Ab", "/axb", True),
        ("Disallow: /a%2fb", "/a/b", True),
        ("Disallow: /a b", "/a%20b", False),
        ("Disallow: /100%", "/100%25", False),
        ("DISALLOW\t:\t/a", "/a", False),
        ("Noindex: /a\nHost: h.test\nDisallow: /b", "/a", True),
    ],
)
def test_a_rule_matches_as_the_standard_says(rule: str, path: str, allowed: bool) -> None:
    """Longest match, ties to Allow, ``*`` and ``$``, the query as part of the path (B083)."""
    assert rules(f"User-agent: *\n{rule}").allows(H + path) is allowed


@pytest.mark.parametrize(
    "path",
    [
        "/x/../private",
        "/./private",
        "/x/%2e%2e/private",
        "/x/%2E./private",
        "//private",
        "/x/..//private",
        "/x//../private",
        "/%70rivate",
        "/private/../public",
        "//private?q=1",
        "//private/x://y",
        "/x/..%2fprivate",
        "/x%2F..%2Fprivate",
        "/%2fprivate",
        "/x/..%5cprivate",
        "/x/..;a=b/private",
        "/private;jsessionid=1",
    ],
)
def test_no_spelling_avoids_a_rule(path: str) -> None:
    """A path that some server reads as a forbidden one is forbidden (B091)."""
    assert not rules("User-agent: *\nDisallow: /private").allows(H + path)


@pytest.mark.parametrize(
    "path", ["/public/../open", "//open", "/x/%2e%2e/open", "/x/..%2fopen", "/x%2fprivate"]
)
def test_odd_spellings_of_an_allowed_path_are_allowed(path: str) -> None:
    """An unusual spelling alone forbids nothing."""
    assert rules("User-agent: *\nDisallow: /private").allows(H + path)


def test_robots_txt_in_an_odd_spelling_is_not_exempt() -> None:
    """``/private/../robots.txt`` may be read as a forbidden path."""
    assert not rules("User-agent: *\nDisallow: /private").allows(f"{H}/private/../robots.txt")


@pytest.mark.parametrize("url", ["", "/private", "file:///etc/passwd", "http://[oops", "http://"])
def test_other_addresses_than_web_addresses_are_not_allowed(url: str) -> None:
    """A URL without an authority has no server that could allow it."""
    assert not rules("").allows(url)


def test_an_unreachable_file_keeps_its_wait_and_its_cause() -> None:
    """The crawl pauses the host for that time, and passes the cause to the errback."""
    cause = OSError("no route")
    found = RobotsRules.unreachable(7.0, cause)
    assert (found.verdict, found.retry_after_s, found.cause) == (Verdict.UNREACHABLE, 7.0, cause)
    assert RobotsRules.from_response(503, b"", "evocrawl", retry_after_s=9.0).retry_after_s == 9.0
    assert RobotsRules.unreachable().retry_after_s == 0.0
