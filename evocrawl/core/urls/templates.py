"""Groups URLs by template and by registrable domain."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

import tldextract

from evocrawl.core.urls.identity import PLAIN

_UUID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_TOKEN = r"(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{16,}"
"""Letters and digits."""
_ID = re.compile(
    rf"(?<![0-9a-z])(?:{_UUID}"
    r"|(?=[a-f]*\d)[0-9a-f]{8,}"  # hexadecimal, with a digit in it
    rf"|{_TOKEN})(?![0-9a-z])|\d+",
    re.ASCII | re.IGNORECASE,
)
_MADE_UP = re.compile(rf"(?<![0-9a-z])(?:{_UUID}|{_TOKEN})(?![0-9a-z])", re.ASCII | re.IGNORECASE)
_SESSION = re.compile(r";[^/]*")
_SHORTEST_TOKEN = 16
_LONGEST = 2_000
_DEEPEST = 64
_LATEST = 512
"""Templates of so many URLs are kept: one step asks for that of a page or link several times."""
_LEAST_SLASHES = 5
"""Slashes of the shortest URL that repeats itself, such as ``http://a.test/b/b/b``."""

# The library's bundled list of public suffixes: no network access, and the same list every time.
_suffixes = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True
)


@lru_cache(maxsize=_LATEST)
def template_of(url: str) -> str:
    """Return the template of a URL: the part that URLs built by the same rule share.

    Numbers, dates, hexadecimal ids and tokens in the path become ``#``, path parameters such as
    ``;jsessionid=…`` are removed, and of the query only the distinct names remain, sorted. An
    invalid URL is its own template. O(characters), at most 2000.

    >>> template_of("http://a.test/2024/05/trip-12;sid=9?month=3&year=2024")
    'a.test/#/#/trip-#?month&year'
    """
    url = url[:_LONGEST]
    if PLAIN.fullmatch(url):
        host, _, path = url[url.index(":") + 3 :].partition("/")
        return f"{host}/{_ID.sub('#', path)}"
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = _ID.sub("#", _SESSION.sub("", parts.path))
    names = {_ID.sub("#", pair.partition("=")[0]) for pair in parts.query.split("&")} - {""}
    return f"{parts.netloc.lower()}{path}{'?' if names else ''}{'&'.join(sorted(names))}"


def has_token(url: str) -> bool:
    """Return whether the path contains a token that may have been generated for this visitor.

    A token is a UUID, or 16 or more letters and digits.

    >>> has_token("http://a.test/s/0123456789abcdef/x"), has_token("http://a.test/1234567890123456")
    (True, False)
    """
    path = url[:_LONGEST].partition("://")[2].partition("/")[2].partition("?")[0]
    return len(path) >= _SHORTEST_TOKEN and _MADE_UP.search(path) is not None


def repeats_itself(url: str) -> bool:
    """Return whether segments of the path repeat three times in a row, as in ``/a/b/a/b/a/b``.

    Relative links on servers that return the same page everywhere cause this. Three equal numbers,
    as in a date, do not count. O(segments²), of the last 64.

    >>> repeats_itself("http://a.test/shop/shop/shop/"), repeats_itself("http://a.test/1/1/1")
    (True, False)
    """
    if url.count("/") < _LEAST_SLASHES:
        return False
    try:
        path = urlsplit(url[:_LONGEST]).path
    except ValueError:
        return False
    segments = [each for each in path.split("/") if each][-_DEEPEST:]
    for length in range(1, len(segments) // 3 + 1):
        in_a_row = 0
        for place in range(length, len(segments)):
            in_a_row = in_a_row + 1 if segments[place] == segments[place - length] else 0
            if in_a_row >= 2 * length:
                run = segments[place - length + 1 : place + 1]
                if not all(each.isdecimal() for each in run):
                    return True
    return False


@lru_cache(maxsize=4096)
def domain_of(host: str) -> str:
    """Return the registrable domain of a host name, by the public suffix list.

    Private suffixes count too: alice.github.io is a domain. An IP address or a bare suffix is its
    own domain; under an unknown suffix the domain is the last two labels.

    >>> domain_of("a7.shop.example.co.uk"), domain_of("a1.x.test"), domain_of("10.0.0.1")
    ('example.co.uk', 'x.test', '10.0.0.1')
    """
    host = host.rstrip(".").lower()
    if _is_address(host):
        return host
    found = _suffixes(host)
    if found.suffix:
        return f"{found.domain}.{found.suffix}" if found.domain else host
    return ".".join(host.split(".")[-2:])


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
