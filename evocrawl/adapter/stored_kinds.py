"""Kinds of stored values of Python's own types: how each becomes text or a list, and comes back."""

from __future__ import annotations

import ipaddress
from base64 import b64decode, b64encode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path as LocalPath
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo


def _zone(value: datetime | time) -> Any:
    """Return a time zone as text or seconds; anything else is a problem."""
    zone = value.tzinfo
    if type(zone) is ZoneInfo and zone.key:
        return zone.key
    if type(zone) is timezone:
        offset = zone.utcoffset(None)
        if zone in (UTC, timezone(offset)):
            return offset
    return zone


def _moment(value: datetime | time) -> list[Any]:
    return [value.replace(tzinfo=None).isoformat(), value.fold, _zone(value)]


def _timed(kind: type[Any], content: list[Any]) -> Any:
    text, fold, zone = content
    if isinstance(zone, timedelta):
        zone = timezone(zone)
    elif isinstance(zone, str):
        zone = ZoneInfo(zone)
    return kind.fromisoformat(text).replace(fold=fold, tzinfo=zone)


def _pairs(value: Any) -> list[Any]:
    return [list(pair) for pair in value.items()]


def _with_default(value: defaultdict[Any, Any]) -> list[Any]:
    """Return the factory of missing values, by its name if it is a type of Python's own."""
    factory = value.default_factory
    name = next((name for name, each in _FACTORIES.items() if each is factory), factory)
    return [name, _pairs(value)]


def _in_order(values: Any) -> list[Any]:
    """Return the members of a set in an order that does not depend on the process."""
    return sorted(values, key=lambda each: (type(each).__name__, repr(each)))


_FACTORIES: dict[str, type] = {
    each.__name__: each for each in (list, dict, set, int, float, str, tuple, bool, deque, Counter)
}

WRITERS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    bytes: ("bytes", lambda v: b64encode(v).decode()),
    bytearray: ("bytearray", lambda v: b64encode(v).decode()),
    float: ("float", repr),
    complex: ("complex", repr),
    Decimal: ("decimal", str),
    Fraction: ("fraction", str),
    UUID: ("uuid", str),
    tuple: ("tuple", list),
    set: ("set", _in_order),
    frozenset: ("frozenset", _in_order),
    dict: ("dict", _pairs),
    OrderedDict: ("ordered_dict", _pairs),
    Counter: ("counter", _pairs),
    deque: ("deque", lambda v: [list(v), v.maxlen]),
    defaultdict: ("default_dict", _with_default),
    range: ("range", lambda v: [v.start, v.stop, v.step]),
    slice: ("slice", lambda v: [v.start, v.stop, v.step]),
    **dict.fromkeys((ipaddress.IPv4Address, ipaddress.IPv6Address), ("ip_address", str)),
    **dict.fromkeys((ipaddress.IPv4Network, ipaddress.IPv6Network), ("ip_network", str)),
    **dict.fromkeys((ipaddress.IPv4Interface, ipaddress.IPv6Interface), ("ip_interface", str)),
    date: ("date", date.isoformat),
    datetime: ("datetime", _moment),
    time: ("time", _moment),
    timedelta: ("timedelta", lambda v: [v.days, v.seconds, v.microseconds]),
    **dict.fromkeys((PurePosixPath, PureWindowsPath), ("pure_path", str)),
    type(LocalPath()): ("path", str),
}
"""By type: the name of its kind, and the function that makes text or a list of values from it."""

READERS: dict[str, Callable[[Any], Any]] = {
    "bytes": b64decode,
    "bytearray": lambda c: bytearray(b64decode(c)),
    "float": float,
    "complex": complex,
    "decimal": Decimal,
    "fraction": Fraction,
    "uuid": UUID,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "ordered_dict": OrderedDict,
    "counter": lambda c: Counter(dict(c)),
    "deque": lambda c: deque(c[0], c[1]),
    "default_dict": lambda c: defaultdict(_FACTORIES[c[0]] if c[0] else None, c[1]),
    "range": lambda c: range(*c),
    "slice": lambda c: slice(*c),
    "ip_address": ipaddress.ip_address,
    "ip_network": ipaddress.ip_network,
    "ip_interface": ipaddress.ip_interface,
    "date": date.fromisoformat,
    "datetime": lambda c: _timed(datetime, c),
    "time": lambda c: _timed(time, c),
    "timedelta": lambda c: timedelta(*c),
    "pure_path": PurePath,
    "path": LocalPath,
}
