"""References of pages are resolved to URLs."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evocrawl.core.urls.hostnames import ascii_name, with_ascii_name
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction import parse_html

BASE = "http://a.test/x/y?z"
WRITTEN = st.text(max_size=30) | st.text(st.sampled_from("ab.:/\\\\?#@[]%0\t\n é。"), max_size=20)


@given(
    st.sampled_from(["http://a.test/", "https://a.test/x/y/", "http://a.test/x/y;p?z//", BASE]),
    st.text(st.sampled_from("ab.-_/?=&;%é~"), min_size=1, max_size=12),
)
@example("http://a.test/x/y", "../../../../a")
def test_plain_references_are_those_of_the_standard(base: str, written: str) -> None:
    """RFC 3986 §5.2, as in Python, except doubled slashes and semicolons, which Python loses."""
    place, *query = written.split("?", 1)
    assume("//" not in place and query != [""])  # it loses an empty query, too
    plain = urljoin(base.replace(";", "!"), written.replace(";", "!"))
    assert (resolve(base, written) or "").replace(";", "!") == plain


@pytest.mark.parametrize(
    ("base", "written", "url"),
    [
        ("http://a.test/x//y/z", "w", "http://a.test/x//y/w"),
        ("http://a.test/x//y/z", "../w", "http://a.test/x//w"),
        ("http://a.test/x//y/z", "../../w", "http://a.test/x/w"),
        ("http://a.test/web/2020/http://b.test/p", "q", "http://a.test/web/2020/http://b.test/q"),
        ("http://a.test/x/y", "http//b.test/z", "http://a.test/x/http//b.test/z"),
        ("http://a.test/x/y", "1http://b.test/", "http://a.test/x/1http://b.test/"),
        ("http://a.test/x/y", "./a//b/", "http://a.test/x/a//b/"),
        ("http://a.test/x/y;p?z", ";", "http://a.test/x/;"),
        ("http://a.test//", "x", "http://a.test//x"),
        ("http://a.test", "x;", "http://a.test/x;"),
        ("http://a.test", "?x", "http://a.test?x"),
        ("http://a.test/x/y", "%2e/%2E./z", "http://a.test/z"),
        ("http://a.test/x/y", "z/.%2e", "http://a.test/x/"),
        ("http://a.test/x/y", "z #part", "http://a.test/x/z%20"),
        ("http://a.test/x/y", "http:1:2", "http://a.test/x/1:2"),
        ("http://a.test/x/y", "İ:80", "http://a.test/x/İ:80"),
        ("http://a.test/x", "//b.test?y", "http://b.test?y"),
        ("http://a.test/x", "//b.test/../y/./z/..", "http://b.test/y/"),
    ],
)
def test_b003_the_number_of_slashes_is_kept(base: str, written: str, url: str) -> None:
    """B003: as in browsers, each slash ends a segment, also an empty one."""
    assert resolve(base, written) == url
    page = f"<a href='{written}'>x</a>".encode()
    assert [link.url for link in parse_html(page, base).links] == [url]


@given(WRITTEN)
@example("//[")
@example("http:\\\\\ud800")
@example("http://ß\u00ad.%ff/")
@example("0?\x80")
def test_any_text_is_an_address_or_none_or_an_error(written: str) -> None:
    """Links come from the web.

    A resolved URL does not change if it is resolved again, and has one host.
    """
    for text in (written, f"//{written}", f"http://{written}", f"http:\\\\{written}"):
        try:
            url = resolve(BASE, text)
            if url is None:
                continue
            fingerprint(url)
        except ValueError:
            continue
        assert resolve(BASE, url) == url or resolve(BASE, url) is None
        host = re.split("[/?#]", url.partition("//")[2])[0]
        assert host.isascii() or "@" in host
        assert with_ascii_name(url) == url


@pytest.mark.parametrize(
    "written",
    ["javascript:alert(1)", "JaVaScRiPt:x", "java\nscript:x", "\x01javascript:x", " data:,x",
     "FILE:///x", "view-source:http://a.test/", "feed:http://a.test/", "jar:http://a.test!/x",
     "gopher://a.test/", "ws://a.test/", "blob:http://a.test/x", "http+unix://x/", "ht\ntp+unix://x/",
     "mailto:a@b.test", "", " \t", "#x"],
)  # fmt: skip
def test_r18_other_schemes_give_no_url(written: str) -> None:
    """R18: in upper or lower case, and with characters within that browsers leave out."""
    assert resolve(BASE, written) is None


@pytest.mark.parametrize(
    ("written", "host"),
    [("http://a.test@127.0.0.1/", "127.0.0.1"), ("http://127.0.0.1\\@a.test/", "127.0.0.1"),
     ("http://127.0.0.1#@a.test/", "127.0.0.1"), ("http:\\\\127.1/", "127.0.0.1"),
     ("///127.0.0.1/", "127.0.0.1"), ("https:0x7f.1", "127.0.0.1"),
     ("//①②⑦.⓪.⓪.①/", "127.0.0.1"), ("//%31%32%37.0.0.1/", "127.0.0.1"),
     ("//12\n7.0.0.1\t/", "127.0.0.1"), ("//localhost./", "localhost"),
     ("//a.test%2f@127.0.0.1/", "127.0.0.1"), ("http:127.0.0.1/", "a.test")],
)  # fmt: skip
def test_b105_the_host_is_the_one_that_a_browser_requests(written: str, host: str) -> None:
    """B105: in any spelling of the address."""
    url = resolve(BASE, written)
    assert url is not None
    assert host_of(url) == host
    assert host_of(f"http://{urlsplit(url).hostname}/") == host


@pytest.mark.parametrize("written", ["http://", "https:///", "http:\\\\", "http://?q", "///"])
def test_an_address_without_a_host_is_an_error(written: str) -> None:
    """The host of the page does not take its place."""
    with pytest.raises(ValueError, match="without a host"):
        resolve(BASE, written)


@given(st.text(max_size=30))
def test_a_host_name_is_ascii_or_none(written: str) -> None:
    """An ASCII name does not change."""
    try:
        name = ascii_name(written)
    except ValueError:
        return
    assert name.isascii()
    assert ascii_name(name) == name
