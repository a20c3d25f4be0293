"""The identity of URLs: which spellings name one page, and which do not."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evocrawl.core.urls import identity as urls
from evocrawl.core.urls.identity import fingerprint, host_of, identity

HOSTS = [
    "0x7f.1", "2130706433", "1.2", "08", "1.2.3.4.", "a.1", "a.1b",
    "a.test", "A.Test", "a.test.", "xn--a.test", "1.2.3.4", "[::1]", "[0::1]:80", "a.test:80",
    "a.test:443", "u:p@a.test", "bücher.test", "日本。jp", "１２７。0。0。1", "a.test。",
    "h\\", "h", "straße.test", "%61.test", "b%C3%BCcher.test:81", "u:p@ß。test", "i❤.test", "a%2fb",
    "ä_b.test", "\u00ad.test",
]  # fmt: skip
PATHS = st.text(
    st.sampled_from("abZ09_~!$&'()*+,;=:@-.%2fFeE/?#\\ \té|[]^{}\"<>\u200b"), max_size=12
)
PATHS = PATHS | st.lists(
    st.sampled_from(
        [";", "/", "?", "&", "=", "a", "..", ".", "%25", "%23", "%2e", "jsessionid", "PHPSESSID",
         "sid", "s", "utm_x", "fbclid", "(S(", "))", "abcdefghijklmnopqrstuvwx", "0123456789abcdef",
         "#!", "%3B", "%3D", "%26", "+", " "]
    ),
    max_size=14,
).map("".join)  # fmt: skip
URLS = st.builds(
    lambda scheme, host, path: f"{scheme}://{host}{path}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(HOSTS),
    st.one_of(st.just(""), PATHS.map(lambda path: f"/{path}")),
)
PLAIN = st.builds(
    lambda host, name, path: f"http://{host}.{name}/{path}",
    st.text("abz019-.", min_size=1, max_size=12),
    st.text("ab0-", min_size=1, max_size=4),
    st.text("aZ09/-._~!$&'()*+,;=:@?%", max_size=30),
).filter(urls.PLAIN.fullmatch)


@given(URLS)
@example("http://a.test/a%25")
@example("http://a.test/x%2376y#f")
@example("http://%25u:%25p@h/")
@example("http://a.test/%252e%252e/x")
@example("http://a.test/..//../b/%2e%2E/")
@example("http://a.test。/")
@example("http://h\\.")
def test_identity_is_idempotent(url: str) -> None:
    """B100: a second normalisation must not make a new URL."""
    try:
        once = identity(url)
    except ValueError:
        return
    assert identity(once) == once
    assert fingerprint(once) == fingerprint(url)


@given(PLAIN)
@example("http://a.test/x;")
@example("http://a.test/x;y/z;")
@example("http://a-.b/")
def test_the_fast_path_is_the_slow_path(url: str) -> None:
    """Plain URLs are not parsed; parsing must give the same."""
    fast = identity(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "PLAIN", re.compile("(?!)"))
        assert identity(url) == fast


@given(st.text(max_size=60))
@example("http://\ud800/")
@example("http://a.test/\ud800")
@example("http://[::1")
@example("http://a..b:99999/")
def test_any_text_is_an_identity_or_a_value_error(text: str) -> None:
    """Links come from the web."""
    for url in (text, f"http://{text}", f"http://a.test/{text}", f"http://a.test/?{text}"):
        try:
            assert len(fingerprint(url)) == 12
        except ValueError:
            continue
        assert isinstance(host_of(url), str)


@pytest.mark.parametrize(
    "spelling",
    [
        "HTTP://A.Test/b~/?x=1&y=",
        "http://a.test:80/b~/?y=&x=1",
        "http://a.test./b%7e/?x=1&y=#part",
        "http://user:word@a.test/c/../b~/./?x=1&y=",
        " http://a.test/%62~/?x=1&y=\n",
    ],
)
def test_spellings_of_one_page_share_an_identity(spelling: str) -> None:
    """B106: case, default port, final dot, credentials, dot segments, escapes, order, fragment."""
    assert identity(spelling) == "http://a.test/b~/?x=1&y="


SESSION = "0123456789abcdef0123456789ABCDEF"


@pytest.mark.parametrize(
    "spelling",
    [
        "http://a.test/b;jsessionid=1F?x=1",
        "http://a.test/b;JSESSIONID=1F;?x=1",
        "http://a.test/b?PHPSESSID=1&x=1",
        "http://a.test/b?phpsessid&x=1",
        f"http://a.test/b?x=1&sid={SESSION}",
        f"http://a.test/b?s={SESSION}&x=1",
        f"http://a.test/b?session_id={SESSION}&x=1",
        "http://a.test/b?ASPSESSIONIDABCD=1&CFID=1&CFTOKEN=2&osCsid=3&x=1",
        "http://a.test/(S(abcdefghijklmnopqrstuvwx))/b?x=1",
        "http://a.test/(A(abcdefghijklmnopqrstuvwx)S(abcdefghijklmnopqrstuvwx))/b?x=1",
        "http://a.test/b?utm_source=y&utm_medium=z&x=1",
        "http://a.test/b?UTM%5FSource=y&x=1",
        "http://a.test/b?gclid=1&fbclid=2&msclkid=3&_ga=4&mc_cid=5&x=1#!/view",
        "http://a.test/b?x=1&",
    ],
)
def test_b106_parameters_of_sessions_and_campaigns_are_not_in_an_identity(spelling: str) -> None:
    """B106: sessions and campaigns lead to the same page."""
    assert identity(spelling) == "http://a.test/b?x=1"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "0x7F000001", "017700000001", "127.1", "127.0.0.1.",
     "１２７。0。0。1"],
)  # fmt: skip
def test_b105_numbers_are_one_host_however_written(host: str) -> None:
    """B105: politeness and budgets use the host, whose address has many spellings."""
    assert identity(f"http://{host}/x") == "http://127.0.0.1/x"
    assert host_of(f"http://{host}:80/x") == "127.0.0.1"


@pytest.mark.parametrize(
    "host", ["256.1.1.1", "1.2.3.4.5", "4294967296", "08.1", "a.1", "a.0x4", "a.09.", "0x1g.1"]
)
def test_b001_a_host_that_ends_in_a_number_must_be_an_address(host: str) -> None:
    """B001: as in browsers (URL Standard, "ends in a number checker")."""
    with pytest.raises(ValueError, match="IPv4"):
        identity(f"http://{host}/")
    assert host_of(f"http://{host}/") == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/", "https://a.test/"),
        ("http://a.test/", "http://a.test:8080/"),
        ("http://a.test/", "http://www.a.test/"),
        ("http://a.test/b", "http://a.test/b/"),
        ("http://a.test/b", "http://a.test//b"),
        ("http://a.test/b", "http://a.test/B"),
        ("http://a.test/a%2Fb", "http://a.test/a/b"),
        ("http://a.test/?a=1", "http://a.test/?a=1&a=1"),
        ("http://a.test/?a=", "http://a.test/"),
        ("http://a.test/?a=b%26c=d", "http://a.test/?a=b&c=d"),
        ("http://a.test/a%2525", "http://a.test/a%25"),
        ("http://a.test/x%2376y", "http://a.test/x"),
        ("http://a.test/x%3Fy", "http://a.test/x?y"),
        ("http://a.test/?sid=5", "http://a.test/?sid=6"),
        ("http://a.test/?s=coralreefbleaching", "http://a.test/"),
        ("http://a.test/?session=2026-monday-morning-7", "http://a.test/"),
        ("http://a.test/?ref=x", "http://a.test/"),
        ("http://a.test/?utm=1", "http://a.test/"),
        ("http://a.test/b;v=1", "http://a.test/b"),
        ("http://a.test/(S(short))/b", "http://a.test/b"),
    ],
)
def test_spellings_that_may_name_different_pages_stay_different(one: str, other: str) -> None:
    """B106: no page is lost because it looks like another."""
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("http://１２７。0。0。1/", "http://127.0.0.1/"),
        ("http://Bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
        ("http://[::FFFF:127.0.0.1]:80/", "http://[::ffff:7f00:1]/"),
        ("https://a.test:443", "https://a.test/"),
        ("http://a.test?q=a||1 60", "http://a.test/?q=a%7C%7C1+60"),
        ("http://Straße.test/", "http://xn--strae-oqa.test/"),
        ("http://βόλος.test/", "http://xn--nxasmm1c.test/"),
        ("http://نامه\u200cای.test/", "http://xn--mgba3gch31f060k.test/"),
        ("http://i❤.test/", "http://xn--i-7iq.test/"),
        ("http://straße_x.test/", "http://xn--strae_x-3va.test/"),
        ("http://u:p@B%C3%BCcher.test:81/", "http://xn--bcher-kva.test:81/"),
        ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
    ],
)
def test_hosts_and_queries_in_other_scripts_have_the_form_that_is_sent(
    written: str, canonical: str
) -> None:
    """B102: full-width digits and letters outside ASCII become the host that is requested."""
    assert identity(written) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "a.test/b", "//a.test/", "mailto:a@b.test", "javascript:void(0)", "ftp://a.test/",
     "http:///b", "http://", "http://a.test:0x50/", "http://a.test:99999/", "http://[::1/",
     "http://a b.test/", "http://a<b.test/", "http://a|b.test/", "http://a%2fb.test/",
     "http://a%00.test/", "http://a%zz.test/", "http://%ff.test/", "http://[fe80::1%25eth0]/",
     "http://a.test／b/", "http://a.test＠b.test/", "http://a.test？b/", "http://[v1.x]/"],
)  # fmt: skip
def test_other_addresses_than_web_addresses_are_refused(text: str) -> None:
    """With a ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011 - urlsplit has words of its own
        identity(text)


@given(URLS)
@example("http://u:p@h\\@other.test/")
@example("http://h:1\\@other.test/")
@example("http://a.test。/x")
def test_politeness_uses_the_host_of_the_identity(url: str) -> None:
    """If one host had two keys, it would get twice as many requests."""
    try:
        canonical = identity(url)
    except ValueError:
        return
    assert host_of(url) == host_of(canonical)
    assert host_of(canonical).strip("[]") in canonical.split("/")[2]


def test_a_backslash_ends_the_host_as_in_http_clients() -> None:
    """Scrapy and browsers read it as a slash: `urlsplit` alone would name the wrong host."""
    assert identity("http://u:p@h\\@other.test/") == "http://h/@other.test/"
    assert host_of("http://h:1\\@other.test/") == "h"
