"""The identity of a URL: which spellings name the same page.

The identity is only a key for claims, the page base and robots.txt decisions; what is sent is
the link as the page wrote it. It differs from the written URL in these ways and no others:

========================  =====================================================================
part                      in the identity
========================  =====================================================================
scheme, host              lower case; a final dot of the host is dropped; IDN as punycode
port                      dropped when it is the scheme's default
user information          dropped (it is a credential, not a place)
path                      dot segments resolved, ``//`` kept, empty becomes ``/``
percent-encoding          upper-case hex, unreserved characters decoded, others encoded (w3lib)
query                     parameters sorted; blank values kept
fragment                  dropped
========================  =====================================================================

Sources: RFC 3986 §6.2.2 and §6.2.3; w3lib's `canonicalize_url`.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from evocrawl.model import Fingerprint

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PLAIN = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/[\w~!$&'()*+,=:@-][\w~!$&'()*+,=:@.-]*)*/?", re.A
)
"""URLs that are their own identity. Not with ``;``: w3lib drops an empty parameter."""
_HOST_AS_WRITTEN = re.compile(r"[A-Za-z]+://([A-Za-z0-9.-]+)(?::\d*)?(?:[/?#]|\Z)")
_FINGERPRINT_BYTES = 12


def identity(url: str) -> str:
    """Return the canonical spelling of an absolute http(s) `url`.

    Idempotent. Raises ValueError when `url` is not an absolute http or https URL with a host and
    a valid port.

    >>> identity("HTTP://Example.COM:80/a/../b%7e?y=2&x=1#top")
    'http://example.com/b~?x=1&y=2'
    """
    if _PLAIN.fullmatch(url) and url.count("/") > 2:
        return url
    parts = urlsplit(canonicalize_url(url.strip()))
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"not an http or https URL: {url[:200]!r}")
    host = _host(parts.hostname or "")
    if not host:
        raise ValueError(f"a URL without a host: {url[:200]!r}")
    netloc = host if parts.port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))


def fingerprint(url: str) -> Fingerprint:
    """Return 12 bytes that identify `url`, equal exactly for URLs of equal identity.

    With 96 bits, two of 10⁹ URLs collide with a probability of about 6·10⁻¹². Raises ValueError
    as `identity` does.
    """
    return blake2b(identity(url).encode(), digest_size=_FINGERPRINT_BYTES).digest()


def host_of(url: str) -> str:
    """Return the host of `url` as in its identity, "" when it has none: the key of politeness."""
    plain = _HOST_AS_WRITTEN.match(url)
    if plain is not None:
        return plain[1].lower().rstrip(".")
    try:
        return (urlsplit(identity(url)).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _host(name: str) -> str:
    # IDNA knows other full stops than the ASCII one: it goes first.
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise ValueError(f"not a host name: {name[:100]!r}") from error
    name = name.rstrip(".").lower()
    return f"[{name}]" if ":" in name else name
