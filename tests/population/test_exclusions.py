"""Patterns of excluded addresses: what they match, how they are read, and what is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.population.exclusions import Exclusions, readable_pattern

PATHS = st.text("ab*/", max_size=8)


def _covers(pattern: str, url: str) -> bool:
    exclusions = Exclusions()
    exclusions.add(pattern)
    return exclusions.covers_url(url, url.partition("://")[2].partition("/")[0].lower())


@given(pattern=PATHS, path=st.text("ab/", max_size=10))
def test_a_star_stands_for_any_text(pattern: str, path: str) -> None:
    """The pattern is compared with the whole address, as a regular expression would be."""
    expected = re.fullmatch(re.escape(f"a.test/{pattern}").replace(r"\*", ".*"), f"a.test/{path}")
    assert _covers(f"a.test/{pattern}", f"http://a.test/{path}") == bool(expected)


@pytest.mark.parametrize(
    ("pattern", "url", "is_covered"),
    [
        ("a.test/aba*aba", "http://a.test/aba", False),  # the ends may not overlap
        ("a.test/ab*ba", "http://a.test/abba", True),
        ("a.test/*x*y*z", "http://a.test/zyxz", False),  # the order counts
        ("a.test/", "http://a.test", True),
        ("a.test/*", "http://A.TEST/B", True),
        ("a.test/b", "http://a.test/B", False),
        ("a.test/go/*", "http://a.test/go/http://b.test/x", True),
        ("b.test/*", "http://a.test/go?to=http://b.test/x", False),
        ("*/print/*", "https://a.test/print/7", True),
    ],
)
def test_patterns_with_a_path(pattern: str, url: str, is_covered: bool) -> None:
    """One case a row."""
    assert _covers(pattern, url) == is_covered


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("http://A.test/Tag", "a.test/Tag"),
        ("HTTPS://a.test/x", "a.test/x"),
        ("*://a.test/x", "a.test/x"),
        ("a.test.", "a.test"),
        ("a.test/go/http://b.test", "a.test/go/http://b.test"),
        ("http://a.test/go/http://b.test", "a.test/go/http://b.test"),
        ("ftp://a.test/x", None),
        ("*", None),
        ("*/*", None),
        ("a b/*", None),
        ("a.test/\n", "a.test/"),
        ("a.test/\nb", None),
        ("*.test", None),
        ("", None),
    ],
)
def test_patterns_are_read_or_refused(pattern: str, read: str | None) -> None:
    """A scheme, the case of the host and a final dot do not matter."""
    if read is None:
        with pytest.raises(ValueError, match="allowed: a host, or a pattern"):
            readable_pattern(pattern)
    else:
        assert readable_pattern(pattern) == read
