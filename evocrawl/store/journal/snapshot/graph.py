"""The form in which a snapshot holds a graph of Python objects, as data without code.

Each object is a *node*: a kind, then the values of that kind. A node has plain values unchanged:
None, booleans, numbers, strings, and tuples of values. Other values are references to nodes.

A snapshot names no function. It is read into a new population, which the same options have made.
There the functions are, and what else belongs to the process: see `is_of_process`. An object that
the new population has already is filled, so that its functions go on to refer to it; an object that
came into being during the crawl is created without a call of its class's own code.
"""

from __future__ import annotations

import functools
import logging
import re
import struct
import sys
import types
from collections import Counter, OrderedDict
from typing import Any

import msgpack

from evocrawl.core.errors import StateError

FORMAT = 6
"""Version of this form; another version is not read."""

REFERENCE, OF_PROCESS, METHOD, BIG, PAYLOAD = 1, 2, 3, 4, 5
"""Codes of msgpack's extension types: a node's number, an object of the process, a method of the
process with the node of its object, an integer of more than 64 bits, the payload of a link."""

_STATIC = ("evocrawl.relevance.", "evocrawl.core.text.")
"""Modules whose objects a crawl does not change: word vectors, lexicons, readers of a language."""
_CODE = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType,
    types.ModuleType, type, functools.partial, re.Pattern, struct.Struct, logging.Logger,
    type(functools.lru_cache(len)),
)  # fmt: skip
DICTS = {kind.__name__: kind for kind in (dict, OrderedDict, Counter)}
"""Classes of dicts by their name in a node."""
FACTORIES: dict[str, Any] = {each.__name__: each for each in (int, float, list, dict, set)}
"""What makes the missing values of a defaultdict, by its name in a node."""


class SnapshotError(StateError):
    """A population has something that no snapshot can hold, or a snapshot does not fit it."""


def is_of_process(value: object) -> bool:
    """Return whether an object belongs to the process and is not stored: code, and static data."""
    return isinstance(value, _CODE) or type(value).__module__.startswith(_STATIC)


@functools.cache
def is_code(kind: type) -> bool:
    """Return whether a class is that of functions or other code."""
    return issubclass(kind, _CODE)


def state_of(value: object) -> dict[str, Any]:
    """Return the attributes of an object without those that each run of a crawl sets itself.

    A class names those in `of_run`. Attributes of slots that are not set are left out.
    """
    left_out = getattr(type(value), "of_run", ())
    kind: Any = type(value)
    slots = slots_of(kind)
    values = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    values.update(getattr(value, "__dict__", {}))
    return {name: each for name, each in values.items() if name not in left_out}


@functools.cache
def slots_of(kind: type) -> tuple[str, ...]:
    """Return the slots of a class without those that each run of a crawl sets itself."""
    left_out = getattr(kind, "of_run", ())
    return tuple([
        name for each in kind.__mro__ for name in _slots(each) if name not in left_out
    ])  # fmt: skip


def name_of(kind: type) -> str:
    """Return the name of a class by which a snapshot refers to it."""
    return f"{kind.__module__}:{kind.__qualname__}"


def packed(value: Any) -> bytes:
    """Return a node or a head as bytes."""
    data: bytes = msgpack.packb(value, unicode_errors="surrogatepass")
    return data


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (
        (slots,)
        if isinstance(slots, str)
        else tuple(name for name in slots if name not in ("__dict__", "__weakref__"))
    )


def has_attributes(kind: type) -> bool:
    """Return whether the state of an object is its attributes, as of evocrawl's own classes.

    Python's own classes and those of libraries may hide state elsewhere.
    """
    return kind.__module__.partition(".")[0] not in _LIBRARIES


_LIBRARIES = sys.stdlib_module_names | {
    "numpy", "scipy", "sklearn", "scrapy", "twisted", "msgpack", "sortedcontainers",
}  # fmt: skip
