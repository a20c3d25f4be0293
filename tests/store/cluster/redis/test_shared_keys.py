"""Addresses of a Redis are read, and never shown with their password."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.keys import RedisAddress

FORMS = ["redis://:{}@h:1/0", "rediss://u:{}@h?crawl=a", "unix://:{}@/r", "redis://:{}@h:1,i:2"]
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
    """As redis-py reads them, except the crawl's name, which is evocrawl's."""
    place = RedisAddress.of(store)
    assert (place.url, str(place)) == (url, shown)


@pytest.mark.parametrize(
    ("store", "urls", "shown"),
    [
        ("redis://:p@a:1,b:2/0?crawl=c", ["redis://:p@a:1/0", "redis://:p@b:2/0"],
         "redis://a:1,b:2/0?crawl=c"),
        ("rediss://u:p,q@[::1]:7,[::2]?db=0", ["rediss://u:p,q@[::1]:7?db=0",
         "rediss://u:p,q@[::2]?db=0"], "rediss://[::1]:7,[::2]?crawl=evocrawl"),
        ("unix://:p@/a,b", ["unix://:p@/a,b"], "unix:///a,b?crawl=evocrawl"),
    ],
)  # fmt: skip
def test_nodes_of_a_cluster_are_read(store: str, urls: list[str], shown: str) -> None:
    """Each has user, password and options of the address; a comma elsewhere does not separate."""
    place = RedisAddress.of(store)
    assert (place.urls, str(place)) == (urls, shown)
    assert ":p" not in repr(place)


def test_the_url_of_a_further_node_has_user_and_options() -> None:
    """Its host may be an IPv6 address."""
    place = RedisAddress.of("rediss://u:p@a,b/0?ssl_ca_certs=/ca.pem")
    assert place.at("c", 7) == "rediss://u:p@c:7/0?ssl_ca_certs=%2Fca.pem"
    assert place.at("::1", 7) == "rediss://u:p@[::1]:7/0?ssl_ca_certs=%2Fca.pem"


def test_a_password_is_read_from_a_file(tmp_path: Path) -> None:
    """So that no process list shows it; the end of its line is not part of it."""
    file = tmp_path / "password"
    file.write_text("a/b@c:?#%\n")
    place = RedisAddress.of(f"redis://u@h:1,i:2/3?password_file={file}&crawl=c")
    assert place.urls == [f"redis://u:a%2Fb%40c%3A%3F%23%25@{each}/3" for each in ("h:1", "i:2")]
    assert str(place) == "redis://h:1,i:2/3?crawl=c"
    assert RedisAddress.of(f"redis://h?password_file={file}").urls[0].startswith("redis://:a%2F")
    assert RedisAddress.of(f"unix:///s?password_file={file}").url.endswith("@/s")
    for wrong, why in (
        (f"redis://u:p@h?password_file={file}", "the address has a password, too"),
        (f"redis://h?password_file={tmp_path}", "Is a directory"),
        (f"redis://h?password_file={file}.none", "No such file"),
        ("redis://h?password_file=/dev/null", "it is empty"),
    ):
        with pytest.raises(StateError, match=why):
            RedisAddress.of(wrong)


@pytest.mark.parametrize(
    "store",
    [
        "redis://a,,b", "redis://a,b:x", "redis://,", "redis://h:1,h:99999",
        "redis://h:x/0", "redis://h:99999", "redis://h/zero", "redis://h?unknown=1", "unix://h/r",
        "unix://", "redis://h?decode_responses=true", "redis://h?crawl=../x", "unix://:00009/@/r",
        "redis://:123?db=@h:1/0", "unix://:p@/a@/r",
    ],
)  # fmt: skip
def test_an_invalid_address_is_refused(store: str) -> None:
    """Also with options that would change the answers of Redis."""
    with pytest.raises(StateError, match="Redis"):
        RedisAddress.of(store)


@given(SECRET, st.sampled_from(FORMS))
def test_a_password_that_is_not_quoted_is_not_shown(secret: str, form: str) -> None:
    """R22: neither the whole password nor a part of it, for valid and invalid addresses."""
    try:
        reported = str(RedisAddress.of(form.format(secret)))
    except StateError as error:
        reported = str(error)
    assert secret not in reported
    parts = [part for mark in "/?#@:" for part in secret.split(mark) if len(part) > 4]
    assert not any(part in reported for part in parts)
