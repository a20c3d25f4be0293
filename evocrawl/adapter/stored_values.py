"""Writes the Python values that a spider passes to its callbacks as JSON, and reads them back.

Values that JSON has stay as they are. Any other value becomes an object with one key, `evocrawl/`
and the name of its kind. No other object has such a key: a dict with one is stored as a list of
pairs. Reading a value executes no code of its class: no ``__init__``, and only classes that are
data.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from scrapy import Item
from scrapy.utils.misc import load_object

from evocrawl.adapter.stored_kinds import READERS, WRITERS

_MARK = "evocrawl/"
_MOST_DEPTH = 100
_LONGEST = 200
"""Most characters of the description of one problem."""


class UnstorableError(TypeError):
    """A value cannot be written as JSON; each of `problems` names a part and its type."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def pack(value: Any, name: str, *, trusted: bool = True) -> Any:
    """Return JSON for `value`; errors call it `name`.

    Raises UnstorableError with the names of all parts that cannot be stored. Instances of classes
    are stored only if the store is `trusted`.
    """
    packing = _Packing(trusted)
    packed = packing.pack(value, name, 0)
    if packing.problems:
        raise UnstorableError(packing.problems)
    return packed


def unpack(packed: Any, *, trusted: bool = True, depth: int = 0) -> Any:
    """Return the value; raises ValueError, or the exception of its class, if it is not valid.

    Instances of classes are made only if the store is `trusted`. `depth` is the level of nesting.
    """
    if not isinstance(packed, dict | list):
        return packed
    if depth > 2 * _MOST_DEPTH:
        raise ValueError("a value is nested too deeply")

    def part(each: Any) -> Any:
        return unpack(each, trusted=trusted, depth=depth + 1)

    if isinstance(packed, list):
        return [*map(part, packed)]
    if len(packed) == 1:
        ((mark, content),) = packed.items()
        if mark.startswith(_MARK):
            return _made(mark.removeprefix(_MARK), content, part, trusted=trusted)
    return {name: part(each) for name, each in packed.items()}


class _Packing:
    """Converts one value to JSON; `problems` are its parts that have no JSON."""

    def __init__(self, trusted: bool) -> None:
        self.problems: list[str] = []
        self._trusted = trusted

    def pack(self, value: Any, name: str, depth: int) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if depth > _MOST_DEPTH:
            return self._fail(f"{name} is nested too deeply")
        if kind is list:
            return self._each(value, name, depth)
        if kind is dict and all(type(k) is str and not k.startswith(_MARK) for k in value):
            return {k: self.pack(v, f"{name}[{k!r}]", depth + 1) for k, v in value.items()}
        if kind is float and math.isfinite(value):
            return value
        writer = WRITERS.get(kind)
        if writer is not None:
            return {f"{_MARK}{writer[0]}": self._content(writer[1](value), name, depth)}
        made = self._instance(value, name, depth) if self._trusted else None
        return made or self._plain(value, name)

    def _each(self, values: Any, name: str, depth: int) -> list[Any]:
        return [self.pack(v, f"{name}[{i}]", depth + 1) for i, v in enumerate(values)]

    def _content(self, content: Any, name: str, depth: int) -> Any:
        """Return text unchanged; pack each member of a list."""
        return self._each(content, name, depth) if isinstance(content, list) else content

    def _instance(self, value: Any, name: str, depth: int) -> Any:
        """Return JSON for an instance of a class that is data and can be found by its name."""
        for kind, is_kind, fields_of, _ in _CLASSES:
            if is_kind(type(value)):
                path = _path_of(type(value))
                if path is None:
                    return self._fail(f"{name} is a {_name_of(value)}, which no import finds")
                fields = {k: self.pack(v, f"{name}.{k}", depth + 1) for k, v in fields_of(value)}
                return {f"{_MARK}{kind}": [path, fields]}
        return None

    def _plain(self, value: Any, name: str) -> Any:
        """Return text and numbers of subclasses as plain ones if the value stays the same."""
        for kind in (str, int, float):
            if isinstance(value, kind):
                plain = kind(value)
                if plain == value:
                    return plain
        return self._fail(f"{name} is a {_name_of(value)}")

    def _fail(self, problem: str) -> None:
        self.problems.append(problem if len(problem) <= _LONGEST else f"{problem[:_LONGEST]}…")


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_make")


def _is_attrs(kind: type) -> bool:
    return hasattr(kind, "__attrs_attrs__")


def _data_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Return the attributes of an instance, with those in slots."""
    names = dict.fromkeys(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names |= dict.fromkeys([slots] if isinstance(slots, str) else slots)
    special = ("__dict__", "__weakref__")
    yield from ((n, getattr(value, n)) for n in names if n not in special and hasattr(value, n))


def _with_data(kind: type, fields: dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    for name, each in fields.items():
        object.__setattr__(made, name, each)
    return made


def _item(kind: Any, fields: dict[str, Any]) -> Any:
    made = kind()
    made.update(fields)
    return made


_CLASSES: tuple[tuple[str, Callable[[type], bool], Any, Callable[[Any, dict[str, Any]], Any]], ...]
_CLASSES = (
    ("enum", lambda kind: issubclass(kind, Enum),
     lambda v: [("name", v.name)], lambda kind, fields: kind[fields["name"]]),
    ("named_tuple", _is_named_tuple,
     lambda v: v._asdict().items(), lambda kind, fields: kind(**fields)),
    ("item", lambda kind: issubclass(kind, Item), lambda v: v.items(), _item),
    ("pattern", lambda kind: kind is re.Pattern,
     lambda v: [("pattern", v.pattern), ("flags", v.flags)],
     lambda kind, fields: re.compile(**fields)),  # noqa: ARG005 - the interface's form
    ("dataclass", dataclasses.is_dataclass, _data_of, _with_data),
    ("attrs", _is_attrs, _data_of, _with_data),
)  # fmt: skip
"""Kinds of classes: name, test, the fields of an instance, and how it is made from them."""


def _made(kind: str, content: Any, part: Callable[[Any], Any], *, trusted: bool) -> Any:
    reader = READERS.get(kind)
    if reader is not None:
        return reader([*map(part, content)] if isinstance(content, list) else content)
    for name, is_kind, _, make in _CLASSES:
        if name == kind and trusted:
            path, fields = content
            found = load_object(path)
            if isinstance(found, type) and is_kind(found):
                return make(found, {name: part(each) for name, each in fields.items()})
    raise ValueError(f"no value is stored as {kind[:40]!r}")


def _path_of(kind: type) -> str | None:
    """Return the import path of a class; None if it cannot be found by one."""
    path = f"{kind.__module__}.{kind.__qualname__}"
    try:
        return path if load_object(path) is kind else None
    except (ImportError, NameError, ValueError, AttributeError):
        return None


def _name_of(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
