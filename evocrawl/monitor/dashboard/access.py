"""Decides which requests the server answers: by host, origin, token and rate.

A page of another site cannot use the API: it has no token, and a browser sends the header with a
token only after a preflight request, which this server refuses (no CORS). A name that an attacker
points to this machine (DNS rebinding) is refused by its Host header.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_CLIENTS = 1000
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(address: str) -> bool:
    """Return True for an address that other machines cannot reach.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("x")
    (True, True, False, False)
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Asked:
    """The parts of a request that `Access` reads; a missing header is ""."""

    method: str
    host: str
    origin: str
    authorization: str
    client: str
    site: str = ""


@dataclass(slots=True)
class Bucket:
    """A token bucket: `rate` requests a second, `burst` at once."""

    rate: float
    burst: float
    left: float
    at_s: float

    def takes(self, now_s: float) -> bool:
        """Count one request; return False if there were too many."""
        self.left = min(self.burst, self.left + (now_s - self.at_s) * self.rate)
        self.at_s = now_s
        if self.left < 1:
            return False
        self.left -= 1
        return True


@dataclass(slots=True)
class Access:
    """Rules for one server, which listens at `address`.

    Reading needs the token only if other machines can reach the server; writing always needs it.
    """

    address: str
    port: int
    token: str
    clock: Callable[[], float]
    read_rate: float = 50.0
    write_rate: float = 5.0
    _buckets: OrderedDict[tuple[str, bool], Bucket] = field(default_factory=OrderedDict)

    def refusal(self, asked: Asked, *, is_asset: bool) -> tuple[int, str] | None:
        """Return status and reason for a request that is not answered, None for others. O(1).

        Assets contain no data of the crawl: they need no token.
        """
        is_write = asked.method not in ("GET", "HEAD")
        if not self._is_own(asked.host):
            return 421, "the Host header does not name this server"
        if asked.origin and asked.origin.lower() != f"http://{asked.host}".lower():
            return 403, "the request comes from a page of another site"
        if asked.site in ("cross-site", "same-site"):
            return 403, "the request comes from a page of another site"
        if not self._bucket(asked.client, is_write).takes(self.clock()):
            return 429, "too many requests"
        needs_token = is_write or (not is_asset and not is_loopback(self.address))
        if needs_token and not self._has_token(asked.authorization):
            return 401, "the header Authorization: Bearer TOKEN is missing or wrong"
        return None

    def _is_own(self, host: str) -> bool:
        """Return True if the Host header names this server. Beyond loopback, any name may."""
        if not is_loopback(self.address):
            return bool(host)
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        shown = f"[{name}]" if ":" in name else name
        return (shown in _LOOPBACK_NAMES or name == self.address) and port == self.port

    def _has_token(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            given.strip().encode(), self.token.encode()
        )

    def _bucket(self, client: str, is_write: bool) -> Bucket:
        key = (client, is_write)
        bucket = self._buckets.get(key)
        if bucket is None:
            rate = self.write_rate if is_write else self.read_rate
            bucket = self._buckets[key] = Bucket(rate, 2 * rate, 2 * rate, self.clock())
            if len(self._buckets) > _CLIENTS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket
