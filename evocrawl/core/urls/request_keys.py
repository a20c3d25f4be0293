"""Keys of the requests of a user's own spider, of 12 bytes or more.

A link that evocrawl reads off a page has the identity of its URL (see
`evocrawl.core.urls.identity`). A request that a spider yields has a separate key, so that links and
requests never filter each other: the project's dupe filter decides which requests are the same.
"""

from __future__ import annotations

from hashlib import blake2b

from evocrawl.core.model import Fingerprint, VisitId
from evocrawl.core.urls.address import Address
from evocrawl.core.urls.identity import FINGERPRINT_BYTES

_COUNTER_BYTES = 8
_TOP_BIT = 1 << 63


def page_request_key(canonical: str) -> Fingerprint:
    """Return the key of a plain GET request, equal if Scrapy's own fingerprints are equal.

    `canonical` is w3lib's canonical form of the URL; see `evocrawl.core.urls.address`.
    """
    return _digest(b"page", canonical.encode("utf-8", "surrogatepass"))


def request_key(scrapy_fingerprint: bytes) -> Fingerprint:
    """Return the key of a request from the fingerprint that Scrapy or the project computed."""
    return _digest(b"request", scrapy_fingerprint)


def start_key(url: str, method: str = "GET", body: bytes = b"", number: int = 0) -> Fingerprint:
    """Return the key of start request `number` (from 0) among equal start requests.

    It is the same in each run and in each worker, since all of them call `start()`.
    """
    head = f"{number} {method} {len(url)} {url} ".encode("utf-8", "surrogatepass")
    return _digest(b"start", head + body)


def repeat_key(target: Fingerprint, number: int) -> Fingerprint:
    """Return the key of an unfiltered request for a URL with the identity `target`."""
    return target + number.to_bytes(_COUNTER_BYTES)


def repeat_of_visit_key(
    target: Fingerprint, scope: int, visit: VisitId, number: int
) -> Fingerprint:
    """Return the key of unfiltered request `number` for one URL, yielded by a visit.

    `scope` makes the number of the visit unique. A visit that is repeated after a crash gets the
    same keys again. The keys differ from those of `repeat_key`.
    """
    digest = _digest(b"repeat", f"{scope} {visit} {number}".encode())
    return repeat_key(target, int.from_bytes(digest[:_COUNTER_BYTES]) | _TOP_BIT)


def is_page_of(key: Fingerprint, url: str) -> bool:
    """Return whether `key` is that of a link to `url` or of a plain GET request for it.

    Return False for forms and the like, and for keys from a fingerprinter of the project.
    """
    address = Address.of(url)
    if key[:FINGERPRINT_BYTES] == address.fingerprint:
        return True
    return key in (page_request_key(address.canonical), start_key(url))


def _digest(kind: bytes, data: bytes) -> Fingerprint:
    return blake2b(data, digest_size=FINGERPRINT_BYTES, person=kind).digest()
