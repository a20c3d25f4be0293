"""Values that a spider passes to its callbacks are the same after a store."""

from __future__ import annotations

import json
import math
import re
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_things import Article, Colour, Opaque, Place, Point, Product, Shop, Size

from evocrawl.adapter.stored_values import UnstorableError, pack, unpack

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
THINGS = [
    {1: "x", "1": "y", None: 0, (2, 3): "pair"},
    {True: 1},
    {"evocrawl/bytes": "not ours"},
    {"a": {"evocrawl/lost": 1, "b": 2}},
    (1, [2, (3,)], {"k": (4,)}),
    {1, "a", (2,)},
    frozenset((b"a",)),
    bytearray(b"\x00\xff"),
    date(2026, 11, 29),
    datetime(2026, 11, 29, 4, 5, 6, 7),
    datetime(2026, 11, 29, tzinfo=UTC),
    datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
    time(1, 2, 3, tzinfo=UTC),
    timedelta(days=-1, microseconds=5),
    Decimal("1.10"),
    Fraction(1, 3),
    UUID(int=7),
    complex(1, -2),
    math.inf,
    range(1, 9, 2),
    deque([1, 2], maxlen=2),
    OrderedDict(b=1, a=2),
    Counter("abca"),
    defaultdict(list, {1: [2]}),
    defaultdict(None, {"a": ()}),
    slice(1, None, 2),
    ip_address("192.0.2.1"),
    ip_address("2001:db8::1"),
    ip_network("192.0.2.0/24"),
    ip_interface("192.0.2.1/24"),
    re.compile("a+", re.IGNORECASE),
    re.compile(b"\xff"),
    PurePosixPath("/a"),
    Path("/a/b"),
    Product("lamp", 1.5, {"new"}),
    Place("a.test", (1, 2)),
    Article(title="t", seen={1: Product("x")}),
    Point(1, 2),
    Colour.RED,
    Size.SMALL,
    Shop("s", [Product("p")]),
    10**40,
]


def there_and_back(value: Any, **how: bool) -> Any:
    return unpack(json.loads(json.dumps(pack(value, "it"), allow_nan=False)), **how)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: type(thing).__name__)
def test_a_value_is_restored_unchanged(thing: Any) -> None:
    """With its type and parts, alone or within other values."""
    again = there_and_back({"a": [thing]})["a"][0]
    assert type(again) is type(thing)
    assert again == thing
    assert repr(again) == repr(thing) or isinstance(thing, set)
    if isinstance(thing, datetime):
        assert (again.tzinfo, again.fold) == (thing.tzinfo, thing.fold)


PLAIN = (
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.decimals("-9", "9")
    | st.floats(allow_nan=False) | st.datetimes() | st.dates() | st.timedeltas() | st.uuids()
)  # fmt: skip
VALUES = st.recursive(
    PLAIN,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.tuples(parts, parts)
        | st.sets(PLAIN, max_size=3)
        | st.dictionaries(PLAIN | st.sampled_from(["evocrawl/set", "k"]), parts, max_size=3)
    ),
    max_leaves=12,
)


@given(value=VALUES)
def test_any_nested_value_is_restored(value: Any) -> None:
    again = there_and_back(value)
    assert again == value
    assert _types(again) == _types(value)


def _types(value: Any) -> Any:
    if isinstance(value, dict):
        return [(type(k), _types(v)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [_types(each) for each in value]
    return type(value)


def test_nan_is_restored() -> None:
    assert math.isnan(there_and_back(math.nan))


def test_every_part_that_cannot_be_stored_is_named() -> None:
    """All of them, not only the first."""

    class Local(tzinfo):
        """A time zone without a name."""

    loop: list[Any] = []
    loop.append(loop)
    value = {
        "a": {1: Opaque()},
        "b": [0, lambda: None],
        "c": Product("p", 1, {Opaque}),  # type: ignore[arg-type]
        "d": datetime(2026, 1, 1, tzinfo=Local()),
        "e": loop,
        "f": (x for x in ()),
        "fine": 1,
    }
    with pytest.raises(UnstorableError) as caught:
        pack(value, "cb_kwargs")
    listed = "\n".join(caught.value.problems)
    for part in ("['a'][0][1]", "['b'][1]", "['c'].tags[0]", "['d'][2]", "['e'][0]", "['f']"):
        assert f"cb_kwargs{part}" in listed
    assert "stored_things.Opaque" in listed
    assert "fine" not in listed
    assert len(caught.value.problems) == 6
    assert max(map(len, caught.value.problems)) < 250


@pytest.mark.parametrize("thing", [Product("a"), Article(title="t"), Colour.RED, Shop("s", [])])
def test_values_from_redis_make_no_instances(thing: Any) -> None:
    """R20: Redis is not trusted: no instance is stored there, and none is made from its values."""
    with pytest.raises(UnstorableError, match="it is a stored_things"):
        pack(thing, "it", trusted=False)
    with pytest.raises(ValueError, match="no value is stored as"):
        there_and_back(thing, trusted=False)


@pytest.mark.parametrize(
    "packed",
    [
        {"evocrawl/dataclass": ["subprocess.Popen", {"args": "x"}]},
        {"evocrawl/enum": ["os.system", {"name": "x"}]},
        {"evocrawl/nothing": 1},
        {"evocrawl/datetime": ["yesterday", 0, None]},
    ],
)
def test_only_data_is_restored(packed: Any) -> None:
    """R20: classes that hold no data, functions, and unknown kinds are refused."""
    with pytest.raises(ValueError):  # noqa: PT011 - any message will do
        unpack(packed)


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    packed: Any = 1
    for _ in range(900):
        packed = [packed]
    with pytest.raises(ValueError, match="too deeply"):
        unpack(packed)
