"""Addresses of a Redis: which are read, and that none is ever repeated with its password."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.keys import RedisAddress

SECRET = st.text("aZ09-_.!~/?#[]@:%+&=' ü℀", min_size=6, max_size=12)


@pytest.mark.parametrize(
    ("store", "url", "shown"),
    [
        ("redis://h", "redis://h", "redis://h?crawl=evocrawl"),
        ("redis://u:p@h:1/2?crawl=a", "redis://u:p@h:1/2", "redis://h:1/2?crawl=a"),
        ("redis://:p%2Fq@[::1]:7/0", "redis://:p%2Fq@[::1]:7/0", "redis://[::1]:7/0?crawl=evocrawl"),
        ("unix:///run/r.sock?crawl=a", "unix:///run/r.sock", "unix:///run/r.sock?crawl=a"),
        ("unix://:p@/r?db=3", "unix://:p@/r?db=3", "unix:///r?crawl=evocrawl"),
        ("rediss://h?ssl_ca_certs=/a&crawl=b", "rediss://h?ssl_ca_certs=%2Fa", "rediss://h?crawl=b"),
    ],
)  # fmt: skip
def test_addresses_are_read(store: str, url: str, shown: str) -> None:
    """As redis-py reads them, but for the crawl's name, which is ours."""
    place = RedisAddress.of(store)
    assert (place.url, str(place)) == (url, shown)


@pytest.mark.parametrize(
    "store",
    [
        "redis://h:x/0", "redis://h:99999", "redis://h/zero", "redis://h?unknown=1", "unix://h/r",
        "unix://", "redis://h?decode_responses=true", "redis://h?crawl=../x", "unix://:00009/@/r",
        "redis://:123?db=@h:1/0", "unix://:p@/a@/r",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(store: str) -> None:
    """Options too that would change how Redis answers."""
    with pytest.raises(StateError, match="Redis"):
        RedisAddress.of(store)


@given(SECRET, st.sampled_from(["redis://:{}@h:1/0", "rediss://u:{}@h?crawl=a", "unix://:{}@/r"]))
def test_a_password_that_is_not_quoted_is_not_shown(secret: str, form: str) -> None:
    """R22: whether the address can be read or not; nor is it a part of the password."""
    try:
        reported = str(RedisAddress.of(form.format(secret)))
    except StateError as error:
        reported = str(error)
    assert secret not in reported
    parts = [part for mark in "/?#@:" for part in secret.split(mark) if len(part) > 4]
    assert not any(part in reported for part in parts)
