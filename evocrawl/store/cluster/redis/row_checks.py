"""Checks the values of rows that were read from Redis; each check raises ValueError.

Any client of Redis can write any row, so no value is trusted.
"""

from __future__ import annotations

import json
import math
from typing import Any

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import host_of, identity

MOST_BYTES = 1 << 20
MOST_ENERGY = 1e6
_LONGEST_URL = 8192


def read_row(packed: bytes, kind: type) -> Any:
    """Return the JSON value of a row, of this kind and of at most `MOST_BYTES`."""
    if len(packed) > MOST_BYTES:
        raise ValueError("an entry is too large")
    try:
        return of_kind(_read(packed.decode(errors="surrogatepass")), kind)
    except RecursionError as error:
        raise ValueError("an entry is nested too deeply") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


_read = json.JSONDecoder(parse_constant=_refuse).decode


def of_kind(value: Any, kind: type) -> Any:
    """Return a value that is an instance of `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def url_of(row: dict[str, Any], host: str) -> str:
    """Return the URL of a row: http or https, and of this host."""
    url: str = of_kind(row.get("url"), str)
    if len(url) > _LONGEST_URL:
        raise ValueError("a URL is too long")
    identity(url)
    if host_of(url) != host:
        raise ValueError(f"a link to another host: {url[:200]!r}")
    return url


def fingerprint_of(key: bytes) -> Fingerprint:
    """Return the fingerprint of 12 to 64 bytes that a hexadecimal key of a hash encodes."""
    fingerprint = bytes.fromhex(key.decode("ascii"))
    if not 12 <= len(fingerprint) <= 64:
        raise ValueError("a target must have 12 to 64 bytes")
    return fingerprint


def text_of(row: dict[str, Any], name: str) -> str:
    """Return a text field, "" if it is missing."""
    text: str = of_kind(row.get(name, ""), str)
    return text


def whole(value: Any) -> int:
    """Return a whole number in [0, 2³¹)."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise ValueError("expected a whole number from 0 to 2147483647")
    return value


def real(value: Any) -> float:
    """Return a finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("expected a finite number")
    return float(value)


def real_or_text(value: Any) -> float | str:
    """Return a finite number or a text."""
    return value if isinstance(value, str) else real(value)


def share(value: Any) -> float:
    """Return a relevance in [0, 1]."""
    number = real(value)
    if not 0 <= number <= 1:
        raise ValueError("a relevance must be in [0, 1]")
    return number


def strength_of(value: float) -> float:
    """Return the strength of a rule, in [0, `MOST_ENERGY`]."""
    if not 0 <= real(value) <= MOST_ENERGY:
        raise ValueError("the strength of a rule is out of range")
    return value
