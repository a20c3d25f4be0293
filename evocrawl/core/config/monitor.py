"""Options of the dashboard."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any

from evocrawl.core.config.option import option, text

LOOPBACK = "127.0.0.1"
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<four>[^:\[\]]+)):(?P<port>\d{1,5})")
_TOKEN = re.compile(r"[\w.~-]{16,200}", re.A)


def listening(raw: str) -> tuple[str, int]:
    """Return address and port of a value such as "8080", "0.0.0.0:8080" or "[::1]:8080".

    Raises ValueError for any other text.

    >>> listening("8080"), listening("[::1]:0")
    (('127.0.0.1', 8080), ('::1', 0))
    """
    if raw.isascii() and raw.isdecimal():
        address, port = LOOPBACK, int(raw)
    else:
        found = _ADDRESS.fullmatch(raw)
        if found is None:
            raise ValueError(raw)
        address, port = found["six"] or found["four"], int(found["port"])
        if address != "localhost":
            address = str(ipaddress.ip_address(address))
    if port > 65535:
        raise ValueError(raw)
    return address, port


def _place(raw: Any) -> str:
    value = text(str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw)
    if value:
        listening(value)
    return value


def _token(raw: Any) -> str:
    value = text(raw)
    if value and not _TOKEN.fullmatch(value):
        raise ValueError(raw)
    return value


@dataclass(frozen=True, kw_only=True)
class MonitorOptions:
    """Options of the dashboard."""

    dashboard: str = option(
        "",
        _place,
        "a port, or ADDRESS:PORT; port 0 for any free one",
        "where the dashboard listens while the crawl runs; a port alone is on 127.0.0.1, which "
        "other machines cannot reach; no dashboard if empty",
    )
    dashboard_token: str = option(
        "",
        _token,
        "16 to 200 letters, digits or ._~-",
        "token that guards the dashboard; random unless set. Every change needs it, and every "
        "request if other machines can reach the dashboard",
    )
