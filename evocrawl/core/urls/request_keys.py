"""Which requests of a user's own spider are the same, as keys of 12 bytes or more.

A link that evocrawl reads off a page has the identity of its URL (see
`evocrawl.core.urls.identity`). A request
that a spider yields has a key of its own, so that neither stands in the way of the other: what
counts as the same request is for the project's dupe filter to say.
"""

from __future__ import annotations

from hashlib import blake2b

from evocrawl.core.model import Fingerprint, VisitId
from evocrawl.core.urls.identity import FINGERPRINT_BYTES, PLAIN, canonical, fingerprint

_COUNTER_BYTES = 8
_TOP_BIT = 1 << 63


def page_request_key(url: str) -> Fingerprint:
    """Return the key of a plain GET request, equal where Scrapy's own fingerprints are.

    >>> page_request_key("http://a.test/?b&a#top") == page_request_key("http://a.test/?a&b")
    True
    >>> page_request_key("http://a.test/?utm_source=x") == page_request_key("http://a.test/")
    False
    """
    text = url if PLAIN.fullmatch(url) else canonical(url)
    return _digest(b"page", text.encode("utf-8", "surrogatepass"))


def request_key(scrapy_fingerprint: bytes) -> Fingerprint:
    """Return the key of a request that a fingerprinter of Scrapy or the project describes."""
    return _digest(b"request", scrapy_fingerprint)


def start_key(url: str, method: str = "GET", body: bytes = b"", number: int = 0) -> Fingerprint:
    """Return the key of the start request that is number `number` (from 0) of those alike.

    It is the same in each run and for each worker, which all call `start()`.
    """
    head = f"{number} {method} {len(url)} {url} ".encode("utf-8", "surrogatepass")
    return _digest(b"start", head + body)


def repeat_key(target: Fingerprint, number: int) -> Fingerprint:
    """Return the key of a request that is like no other, for a URL of the identity `target`."""
    return target + number.to_bytes(_COUNTER_BYTES)


def repeat_of_visit_key(
    target: Fingerprint, scope: int, visit: VisitId, number: int
) -> Fingerprint:
    """Return the key of request `number` for one URL that is like no other, made by a visit.

    `scope` is what makes the visit's number unique. A visit that is made again, since the crawl was
    killed, makes the same keys again. No key of `repeat_key` is among them.
    """
    digest = _digest(b"repeat", f"{scope} {visit} {number}".encode())
    return repeat_key(target, int.from_bytes(digest[:_COUNTER_BYTES]) | _TOP_BIT)


def is_page_of(key: Fingerprint, url: str) -> bool:
    """Return whether `key` stands for a link to `url`, or a plain GET request for it.

    False for forms and the like, and where a fingerprinter of the project made the key.
    """
    return key[:FINGERPRINT_BYTES] == fingerprint(url) or key in (
        page_request_key(url),
        start_key(url),
    )


def _digest(kind: bytes, data: bytes) -> Fingerprint:
    return blake2b(data, digest_size=FINGERPRINT_BYTES, person=kind).digest()
