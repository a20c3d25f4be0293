"""Identity of a URL: decides which spellings of a URL are the same page.

The identity is only a key, for claims, the page base, budgets and robots.txt decisions; requests
use the link as the page wrote it. The identity differs from the written URL only in these ways:

========================  =====================================================================
part                      in the identity
========================  =====================================================================
scheme, host              lower case; a final dot of the host is dropped; IDN as punycode; IPv4 in
                          dotted form in any notation
port                      dropped when it is the scheme's default
user information          dropped (it is a credential, not a part of the address)
path                      dot segments resolved, ``//`` kept, empty becomes ``/``
percent-encoding          upper-case hex, unreserved characters decoded, others encoded (w3lib)
query                     parameters sorted; blank values kept
session ids, tracking     dropped: they identify the visitor, not the page
fragment                  dropped, ``#!`` too
========================  =====================================================================

docs/explanation/urls.md gives the reasons and lists what stays distinct. Sources: RFC 3986 §6.2.2
and §6.2.3; w3lib's `canonicalize_url`; WHATWG URL §3.5 (IPv4).
"""

from __future__ import annotations

import re
import socket
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv6Address
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.hostnames import address_text, ascii_name, with_ascii_name

_DEFAULT_PORTS = {"http": 80, "https": 443}
PLAIN = re.compile(
    r"https?://(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?=/)"
    r"(?:/[\w~!$&'*+,=:@-][\w~!$&'()*+,=:@.-]*)*/?",
    re.A,
)
"""Matches URLs that are their own identity and canonical form.

It excludes ``;``, since w3lib drops an empty parameter.
"""
_HOST_AS_WRITTEN = re.compile(
    r"[A-Za-z]+://((?:[A-Za-z0-9-]+\.)*[A-Za-z][A-Za-z0-9-]*\.?)(?::\d*)?(?:[/?#]|\Z)"
)
_NUMBER = r"(?:0[xX][0-9a-fA-F]*|[0-9]+)"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}", re.A)
_MAY_HOLD_SESSION = re.compile(r";|/\(")
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid)(?:=[^;/]*)?(?=[;/]|\Z)", re.I)
_SESSION_SEGMENT = re.compile(r"/\((?:[A-Z]\([a-z0-9]{24}\))+\)(?=/|\Z)", re.I)
_SESSION = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|oscsid|zenid|xtcsid)",
    re.I,
)
_MAYBE_SESSION = re.compile(r"(?:sid|s|sess|session|session_?id|sesskey)", re.I)
_RANDOM = re.compile(r"(?=[^=]*\d)[0-9a-z]{16,}", re.I)
"""Value of a session id under a generic name: ``sid=5`` is a section."""
_TRACKING = re.compile(
    r"utm_\w+|[gdw]?clid|gclsrc|gbraid|wbraid|fbclid|msclkid|twclid|ttclid|li_fat_id|yclid|ysclid|"
    r"igshid|igsh|mc_[ce]id|_g[al]|_hsenc|_hsmi|mkt_tok|vero_id|oly_(?:anon|enc)_id|wt_mc|"
    r"pk_(?:campaign|kwd|source|medium)|mtm_\w+|at_(?:medium|campaign)",
    re.I,
)
_MAY_IDENTIFY = re.compile(
    rf"(?:\A|&)(?:{_TRACKING.pattern}|{_SESSION.pattern}|{_MAYBE_SESSION.pattern})(?:[=&]|\Z)", re.I
)
_KEPT, _FEW_KEPT = 4096, 16
"""Cached results: pages of a site share links, and a link is looked up more than once."""
FINGERPRINT_BYTES = 12
"""Bytes of a URL's identity."""
_AROUND = "".join(map(chr, range(0x21)))
"""C0 controls and space; other white space is a part of the address."""
_NUMERIC_END = re.compile(r"(?:\A|\.)(?:[0-9]+|0[xX][0-9a-fA-F]*)\Z", re.A)
"""Matches names that the URL Standard accepts only as IPv4 addresses."""


def identity(url: str) -> str:
    """Return the canonical spelling of an absolute http(s) `url`.

    Idempotent. Raises ValueError when `url` is not an absolute http or https URL with a host and
    a valid port.

    >>> identity("HTTP://Example.COM:80/a/../b%7e?y=2&x=1#top")
    'http://example.com/b~?x=1&y=2'
    >>> identity("http://example.com/b;jsessionid=1F2?utm_source=x&sid=5")
    'http://example.com/b?sid=5'
    """
    if PLAIN.fullmatch(url):
        return url
    parts = urlsplit(canonical(with_ascii_name(url.strip(_AROUND))))
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"not an http or https URL: {url[:200]!r}")
    host = _host(parts.hostname or "")
    if not host:
        raise ValueError(f"a URL without a host: {url[:200]!r}")
    netloc = host if parts.port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"
    path, query = _path(parts.path), _query(parts.query)
    return urlunsplit((parts.scheme, netloc, path, query, ""))


@lru_cache(maxsize=_FEW_KEPT)
def canonical(url: str) -> str:
    """Return w3lib's canonical form of `url`, on which Scrapy's own fingerprints are based."""
    return canonicalize_url(url)


@lru_cache(maxsize=_KEPT)
def fingerprint(url: str) -> Fingerprint:
    """Return 12 bytes that identify `url`, equal exactly for URLs of equal identity.

    With 96 bits, two of 10⁹ URLs collide with a probability of about 6·10⁻¹². Raises ValueError
    as `identity` does.
    """
    return digest(identity(url))


def digest(identity: str) -> Fingerprint:
    """Return the fingerprint of a URL whose identity is known."""
    return blake2b(identity.encode(), digest_size=FINGERPRINT_BYTES).digest()


@lru_cache(maxsize=_KEPT)
def host_of(url: str) -> str:
    """Return the host of `url` as in its identity, "" if it has none: the key of politeness."""
    plain = _HOST_AS_WRITTEN.match(url)
    if plain is not None:
        return plain[1].lower().rstrip(".")
    try:
        return (urlsplit(identity(url)).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_of(site: str, url: str) -> bool:
    """Return whether `url` is on the host of `site`, another URL.

    >>> is_of("https://a.example/map.xml", "http://A.example/x"), is_of("http://a.example/", "x")
    (True, False)
    """
    host = host_of(site)
    return bool(host) and host_of(url) == host


def _path(path: str) -> str:
    if not _MAY_HOLD_SESSION.search(path):
        return path
    # w3lib also drops a query part without a name, but only if it is the only part.
    return _SESSION_SEGMENT.sub("", _SESSION_IN_PATH.sub("", path)).rstrip(";") or "/"


def _query(query: str) -> str:
    if not _MAY_IDENTIFY.search(query):
        return query
    return "&".join(
        each for each in query.split("&") if not _identifies_visitor(*each.split("=", 1))
    )


def _identifies_visitor(name: str, value: str = "") -> bool:
    """Return whether a parameter identifies a visitor or the site they came from."""
    if _TRACKING.fullmatch(name) or _SESSION.fullmatch(name):
        return True
    return bool(_MAYBE_SESSION.fullmatch(name) and _RANDOM.fullmatch(value))


def _ipv6(name: str) -> str:
    try:
        return address_text(IPv6Address(name))
    except ValueError:
        return name


def _host(name: str) -> str:
    if ":" in name:
        if "%" in name:
            raise ValueError(f"an address of one link only: {name[:100]!r}")
        return f"[{_ipv6(name)}]"
    # IDNA also accepts full stops other than the ASCII one, so it is applied first.
    name = ascii_name(name).rstrip(".").lower()
    if not _NUMERIC_END.search(name):
        return name
    try:
        return socket.inet_ntoa(socket.inet_aton(name if _IPV4.fullmatch(name) else ""))
    except OSError as error:
        raise ValueError(f"not an IPv4 address: {name[:100]!r}") from error
