"""Which group of a robots.txt counts, its size, delays and answers of the server."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from robots_rules import H, rules

from evocrawl.politeness.robots.parser import MAX_BYTES
from evocrawl.politeness.robots.rules import (
    RobotsRules,
    authority,
    product_token,
    redirect_target,
    retry_after,
)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("evocrawl", True),
        ("EvoCrawl", True),
        ("evocrawl/1.0", True),
        ("evocrawl*", True),
        ("evo", False),
        ("evocrawler", False),
        ("evocrawl-news", False),
        ("bot", False),
    ],
)
def test_a_group_applies_by_its_whole_token(name: str, ours: bool) -> None:
    """A prefix or a longer name does not match (RFC 9309 §2.2.1)."""
    found = rules(f"User-agent: *\nDisallow: /all\n\nUser-agent: {name}\nDisallow: /own")
    assert found.allows(f"{H}/all") is ours
    assert found.allows(f"{H}/own") is not ours


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("User-agent: *\nUser-agent: badbot\nDisallow: /", False),
        ("User-agent: badbot\nUser-agent: evocrawl\n\nDisallow: /", False),
        ("User-agent: badbot\nDisallow: /\n\nUser-agent: *\nDisallow:", True),
        ("User-agent: evocrawl\nDisallow: /a\nUser-agent: x\nDisallow: /b\n"
         "User-agent: evocrawl\nDisallow: /page", False),
        ("User-agent: *\nSitemap: http://h.test/s.xml\nUser-agent: badbot\nDisallow: /", False),
        ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: badbot\nDisallow: /", True),
        ("Disallow: /\nUser-agent: *\nDisallow: /other", True),
        ("User-agent:\nDisallow: /", True),
        ("User-agent evocrawl\nDisallow /", False),
        ("\ufeffUser-agent: *\nDisallow: /", False),
        ("User-agent: *\rDisallow: /", False),
        (("User-agent: *\nDisallow: /page").encode("utf-16"), False),
        (b"User-agent: *\nDisallow: /\xe9\nDisallow: /x", True),
        ("User-agent: *\nDisallow: /x\u2028Disallow: /page", True),
        ("User-agent: *\nDisallow: /x\x0bDisallow: /page\x85Disallow: /", True),
        ("User-agent: evocrawl\nDisallow: /page\u2028\n\nUser-agent: *\nDisallow:", True),
        ("User-agent: *\n\ufeffDisallow: /page", False),
        ("User-agent: *\0\nDisallow: /\0\0", False),
        ("<html><body>Disallow: / is not for us</body></html>", True),
        ("", True),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_groups_are_read_leniently_and_merged(body: str | bytes, allowed: bool) -> None:
    """Several agents to a group, several groups to an agent, any line ends and encoding."""
    assert rules(body).allows(f"{H}/page") is allowed


def test_bytes_of_another_encoding_stay_in_the_rule() -> None:
    """Without these bytes, ``/é`` of Latin-1 would be ``/``, which forbids the whole site."""
    found = rules(b"User-agent: *\nDisallow: /caf\xe9")
    assert not found.allows(f"{H}/caf%E9/menu")
    assert found.allows(f"{H}/caf")


def test_an_agent_without_a_name_follows_the_general_group() -> None:
    """An empty User-agent line in the file is not its own group."""
    found = rules("User-agent:\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", agent="")
    assert found.allows(f"{H}/a")
    assert not found.allows(f"{H}/b")


def test_a_rule_cut_at_500_kib_is_left_out() -> None:
    """Half of ``Disallow: /tmp`` would forbid the whole site."""
    head = b"User-agent: *\nDisallow: /private\n"
    tail = b"\nDisallow: /"
    padding = b"#" * (MAX_BYTES - len(head) - len(tail))
    found = rules(head + padding + tail + b"tmp\n")
    assert found.allows(f"{H}/page")
    assert not found.allows(f"{H}/private")
    assert found.size == 1


def test_a_group_may_name_thousands_of_agents() -> None:
    """A list of names, with repeats, is read fast, and its rule counts (B088)."""
    body = b"User-agent: a\n" * 25_000 + b"User-agent: *\n" * 10_000 + b"Disallow: /private\n"
    assert not rules(body).allows(f"{H}/private")


def test_decisions_of_a_large_file_are_cached() -> None:
    """A cached decision is the same as a new one."""
    lines = "".join(f"Disallow: /*p{i}$\n" for i in range(1000))
    found = rules("User-agent: *\n" + lines)
    for _ in range(2):
        assert [found.allows(f"{H}/p{i}") for i in (1, 999, 1000)] == [False, False, True]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("1e9", 30.0), ("31", 30.0), ("-5", 0.0), ("NaN", 0.0),
     ("5s", 5.0), ("5 sec.", 5.0), ("0.5 Seconds", 0.5), ("5 # s", 5.0), ("5 min", 0.0),
     ("inf", 0.0), ("1,5", 0.0), ("soon", 0.0), ("", 0.0)],
)  # fmt: skip
def test_a_crawl_delay_lies_between_zero_and_the_cap(value: str, seconds: float) -> None:
    """An invalid delay counts as zero, a too long one as the cap (B093)."""
    found = rules(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x")
    assert found.crawl_delay(30.0) == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("", 86_400.0), ("max-age=3600", 3600.0), ("public, Max-Age=600", 600.0),
     ("max-age=1", 300.0), ("no-store", 300.0), ("no-cache, max-age=3600", 300.0),
     ("max-age=999999", 86_400.0), ("no-cache", 300.0),
     ("max-age=-1", 86_400.0), ("max-age=many", 86_400.0)],
)  # fmt: skip
def test_cache_control_shortens_the_day(header: str, seconds: float) -> None:
    """Between five minutes and 24 hours (RFC 9309 §2.4)."""
    assert RobotsRules.from_response(200, b"", "x", cache_control=header).lifetime_s == seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("120", 120.0), (" 7 ", 7.0), ("999999999999999", 3600.0), ("-1", 0.0), ("soon", 0.0),
     ("", 0.0), ("Sat, 28 Nov 2026 00:01:00 GMT", 60.0), ("Fri, 27 Nov 2026 00:00:00 GMT", 0.0),
     ("Sat, 28 Nov 2026 25:61:00 GMT", 0.0)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float) -> None:
    """RFC 9110 §10.2.3, within an hour; `now` is 28 Nov 2026, midnight UTC."""
    assert retry_after(value, 1_795_824_000.0) == seconds


@pytest.mark.parametrize(
    ("url", "expected"),
    [("HTTP://H.test:80/a?b#c", "http://h.test"), ("https://h.test:8443/", "https://h.test:8443"),
     ("http://u:p@h.test/", "http://h.test"), ("http://[::1]:81/x", "http://[::1]:81"),
     ("https://h.test.", "https://h.test")],
)  # fmt: skip
def test_the_authority_is_scheme_host_and_port(url: str, expected: str) -> None:
    """Rules of one port do not count for another (B085)."""
    assert authority(url) == expected


@pytest.mark.parametrize("url", ["", "h.test", "ftp://h/", "http://h:99999/", "http:///x"])
def test_a_url_without_authority_is_an_error(url: str) -> None:
    """The caller handles it."""
    with pytest.raises(ValueError, match=r"URL|[Pp]ort"):
        authority(url)


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [("evocrawl", "evocrawl"), ("EvoCrawl/0.1 (+https://h.test)", "evocrawl"), ("", ""),
     ("Mozilla/5.0 (compatible; My-Bot/2.0; +https://h.test)", "my-bot"), ("(none)", ""),
     ("Mozilla/5.0 (KHTML, like Gecko; compatible; My-Bot/2.0; +https://h.test)", "my-bot")],
)  # fmt: skip
def test_the_product_token_is_the_name_of_the_bot(user_agent: str, token: str) -> None:
    """In both forms of the user agent."""
    assert product_token(user_agent) == token


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [(301, "/r", f"{H}/r"), (308, "https://b.test/robots.txt#x", "https://b.test/robots.txt"),
     (302, "//b.test/r", "http://b.test/r"), (302, "file:///etc/passwd", None),
     (302, "http://[oops", None), (302, "", None), (300, "/r", None), (200, "/r", None),
     (302, "\\\\b.test\\r", "http://b.test/r"), (302, "///b.test/r", "http://b.test/r"),
     (302, "https:b.test/r", "https://b.test/r"), (302, "/r x", f"{H}/r x"),
     (302, "http://b.test\\@c.test/r", "http://b.test/@c.test/r"),
     (302, "http://bücher.test/robots.txt", "http://xn--bcher-kva.test/robots.txt"),
     (302, "http://b b.test/", None), (302, "http://b%00.test/", None),
     (302, "\x01ht\ntp://b.test/r\x1f", "http://b.test/r"), (302, "JavaScript:x", None)],
)  # fmt: skip
def test_redirects_lead_to_web_addresses_only(
    status: int, location: str, target: str | None
) -> None:
    """Any other target makes the file unreachable."""
    assert redirect_target(status, f"{H}/robots.txt", location) == target


@given(body=st.binary(max_size=400), path=st.text(max_size=40))
def test_no_file_and_no_path_raises_an_error(body: bytes, path: str) -> None:
    """Any bytes give a decision and a finite delay."""
    found = rules(b"User-agent: *\nDisallow: " + body)
    assert found.allows(f"{H}/{path}") in (True, False)
    assert math.isfinite(found.crawl_delay(30.0))


@given(
    segments=st.lists(st.sampled_from(["a", "b", ".", "..", "", "%2e%2e", "private"]), max_size=7)
)
def test_a_path_that_resolves_to_a_forbidden_one_is_forbidden(segments: list[str]) -> None:
    """The test resolves the path itself, like a server that merges slashes."""
    stack: list[str] = []
    for segment in (s.replace("%2e", ".") for s in segments):
        if segment == "..":
            stack[-1:] = []
        elif segment not in ("", "."):
            stack.append(segment)
    found = rules("User-agent: *\nDisallow: /private")
    if stack[:1] == ["private"]:
        assert not found.allows(f"{H}/" + "/".join(segments))


@pytest.mark.parametrize("around", ["\0\0", "\ufeff", "\xa0 ", "\t"])
def test_what_joined_and_padded_files_have_around_a_line_is_left_out(around: str) -> None:
    """A byte order mark within the file, zeros at its end, blanks without a break."""
    for place in ("{0}User-agent: *\nDisallow: /a", "User-agent: *\n{0}Disallow: /a{0}\n{0}"):
        found = rules("User-agent: x\nDisallow: /y\n" + place.format(around))
        assert not found.allows(f"{H}/a")
        assert found.allows(f"{H}/y")


def test_the_last_line_of_a_file_of_the_greatest_size_counts() -> None:
    """Of a longer file, the last line that is read may be a part only."""
    tail = "\nDisallow: /a"
    head = "User-agent: *\n"
    whole = head + "#" * (MAX_BYTES - len(head) - len(tail)) + tail
    assert not rules(whole).allows(f"{H}/a")
    assert rules(f"{whole}bc").allows(f"{H}/a")
