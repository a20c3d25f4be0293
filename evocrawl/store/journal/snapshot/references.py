"""The values of a node: references to other nodes, payloads, and marks of the process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evocrawl.store.journal.snapshot import graph


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to another node, or to a method of its object."""

    node: int
    method: str = ""
    """The name of a method of the object, which belongs to the process; "" for the object."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The payload of a link, as the writer packed it."""

    packed: str


PROCESS = object()
"""Stands for an object of the process that took the snapshot."""


def unpack_extension(code: int, data: bytes) -> Any:
    """Return what an extension of msgpack stands for. Raises ValueError for an unknown one."""
    match code:
        case graph.REFERENCE | graph.METHOD:
            return Reference(int.from_bytes(data[:4], "little"), data[4:].decode())
        case graph.OF_PROCESS:
            return PROCESS
        case graph.BIG:
            return int.from_bytes(data, "little", signed=True)
        case graph.PAYLOAD:
            return Payload(data.decode())
    raise ValueError(f"an unknown form {code} in the snapshot")


def references_in(value: Any, here: Any) -> Iterator[tuple[Reference, Any]]:
    """Yield the references in a value, each with what the new population has in its place."""
    if isinstance(value, Reference):
        yield value, here
    elif type(value) is tuple:
        is_alike = type(here) is tuple and len(here) == len(value)
        for number, each in enumerate(value):
            yield from references_in(each, here[number] if is_alike else None)


def has_process(value: Any) -> bool:
    """Return whether a tuple has an object of the process in it, so that the tuple stays."""
    return type(value) is tuple and any(each is PROCESS or has_process(each) for each in value)
