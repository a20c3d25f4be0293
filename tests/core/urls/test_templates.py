"""Templates of addresses, and the registered domains of hosts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.urls.templates import domain_of, repeats_itself, template_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/cal?y=2025&m=1", "http://a.test/cal?m=12&y=2026"),
        ("http://a.test/2024/05/31/x", "http://a.test/1999/12/01/x"),
        ("http://a.test/p;jsessionid=1A", "http://a.test/p;jsessionid=2B"),
        ("http://a.test/s/0123456789abcdef/p", "http://a.test/s/fedcba9876543210/p"),
        ("http://a.test/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "http://a.test/7"),
        ("http://a.test/(S(lit3py55t21z5v55vlm25s55))/p", "http://a.test/(S(5))/p"),
        ("https://A.test/n/5#top", "http://a.test/n/6"),
        ("http://a.test/?a[0]=1", "http://a.test/?a[17]=1"),
    ],
)
def test_addresses_made_by_one_rule_have_one_template(one: str, other: str) -> None:
    """They differ in numbers, dates, ids, sessions and values of parameters."""
    assert template_of(one) == template_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/wiki/Coral", "http://a.test/wiki/Reef"),
        ("http://a.test/cafe", "http://a.test/facade"),
        ("http://a.test/x?id=1", "http://a.test/x?page=1"),
        ("http://a.test/x?id=1", "http://a.test/x"),
        ("http://a.test/", "http://b.test/"),
    ],
)
def test_templates_differ_in_words(one: str, other: str) -> None:
    """A word is a part of a template."""
    assert template_of(one) != template_of(other)


@pytest.mark.parametrize(
    ("url", "repeats"),
    [
        ("http://a.test/products/products/products/", True),
        ("http://a.test/x/a/b/a/b/a/b", True),
        ("http://a.test/a/b/a/b", False),
        ("http://a.test/2011/11/11/", False),
        ("http://a.test/0/0/0/0", False),
        ("http://a.test/aaa", False),
        ("http://a.test/" + "x/" * 500, True),
        ("http://[oops/a/a/a", False),
    ],
)
def test_a_path_that_repeats_itself(url: str, repeats: bool) -> None:
    """Three times in a row, without regard to numbers."""
    assert repeats_itself(url) == repeats


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a1.x.test", "x.test"),
        ("en.wikipedia.org", "wikipedia.org"),
        ("www.example.co.uk", "example.co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("10.0.0.1", "10.0.0.1"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("EXAMPLE.org.", "example.org"),
        ("", ""),
    ],
)
def test_a_domain_is_the_registered_name(host: str, domain: str) -> None:
    """By the list of public suffixes in the package: nothing is fetched."""
    assert domain_of(host) == domain


@given(st.text(max_size=300) | st.builds("http://{}/{}?{}".format, *[st.text(max_size=99)] * 3))
def test_every_text_has_a_template(url: str) -> None:
    """No text that a page gives as an address raises an error."""
    assert isinstance(template_of(url), str)
    assert isinstance(repeats_itself(url), bool)
    assert isinstance(domain_of(url), str)
