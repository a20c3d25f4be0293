"""The cache of robots.txt rules is bounded in time, authorities and rules."""

from __future__ import annotations

from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.politeness.robots.rules import RobotsRules

H = "http://h.test"


def rules(body: str) -> RobotsRules:
    return RobotsRules.from_response(200, body.encode(), "evocrawl")


def test_the_cache_forgets_the_least_recently_used() -> None:
    """A read counts as use."""
    cache = RobotsCache(authorities=2)
    for name in "ab":
        cache.put(f"http://{name}", rules(""), 0.0, 10.0)
    cache.get("http://a", 1.0)
    cache.put("http://c", rules(""), 1.0, 10.0)
    assert cache.get("http://b", 1.0) is None
    assert cache.get("http://a", 1.0) is not None
    assert len(cache) == 2


def test_the_cache_forgets_old_entries() -> None:
    """An entry ends with its lifetime."""
    cache = RobotsCache()
    cache.put(H, rules(""), 5.0, 10.0)
    assert cache.get(H, 14.9) is not None
    assert cache.get(H, 15.0) is None
    assert len(cache) == 0


def test_the_cache_bounds_the_rules_of_all_files_together() -> None:
    """B068: huge files remove other files, and the latest file always stays."""
    cache = RobotsCache(rules=5)
    large = rules("User-agent: *\n" + "Disallow: /a\n" * 4)
    cache.put("http://a", large, 0.0, 10.0)
    cache.put("http://b", large, 0.0, 10.0)
    assert cache.get("http://a", 0.0) is None
    assert cache.get("http://b", 0.0) is large
    cache.put("http://c", rules("User-agent: *\n" + "Disallow: /a\n" * 9), 0.0, 10.0)
    assert len(cache) == 1


def test_the_strictest_authority_of_a_host_sets_its_delay() -> None:
    """The delay ends with the rules that set it."""
    cache = RobotsCache(authorities=2, delay_cap_s=4.0)
    for place, delay in (("http://h.test", 2), ("https://h.test", 9)):
        cache.put(place, rules(f"User-agent: *\nCrawl-delay: {delay}"), 0.0, 10.0)
    assert cache.delay_of("h.test") == 4.0
    cache.put("https://h.test", rules(""), 0.0, 10.0)
    assert cache.delay_of("h.test") == 2.0
    cache.put("http://other.test", rules(""), 0.0, 10.0)
    assert cache.delay_of("h.test") == 0.0


def test_rules_that_were_replaced_or_forgotten_no_longer_count() -> None:
    """Otherwise a crawl that renews files would keep fewer and fewer of them."""
    cache = RobotsCache(rules=8)
    large = rules("User-agent: *\n" + "Disallow: /a\n" * 2)
    for at_s in range(20):
        cache.put("http://a", large, at_s, 10.0)
        cache.put("http://b", large, at_s, 10.0)
    assert len(cache) == 2
    assert cache.get("http://a", 40.0) is None
    cache.put("http://c", large, 40.0, 10.0)
    assert len(cache) == 2


def test_the_cache_takes_exactly_as_many_rules_as_its_limit() -> None:
    """One more rule removes the oldest file."""
    small = rules("User-agent: *\nDisallow: /a\n")
    for limit, kept in ((2 * small.size, 2), (2 * small.size - 1, 1)):
        cache = RobotsCache(rules=limit)
        for name in "ab":
            cache.put(f"http://{name}", small, 0.0, 10.0)
        assert len(cache) == kept
