"""Packs links into a spill file on disk."""

from __future__ import annotations

from itertools import count
from typing import Any, Protocol, TypeAlias

import msgpack
import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead
from evocrawl.core.numbering import Numbering

NOWHERE = -1
"""The address of a link that is not packed."""
NUMBERED = 1 << 61
"""Addresses from here on belong to links that have a number."""
_IN_MEMORY = 1 << 62
"""Addresses from here on belong to links that stay in memory, unpacked."""
Row: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = npt.NDArray[np.intp]
Addresses: TypeAlias = npt.NDArray[np.uint64]
_PLAIN = (type(None), bool, float, str, bytes)
_BITS = 64
_PACKER = msgpack.Packer(unicode_errors="surrogatepass")
"""Shared, since creating a packer takes longer than packing a link."""


class LeadFile:
    """Writes links to `spill` and reads them back.

    A link stays in memory if it has a payload, or if its features are not plain (None, numbers,
    strings, tuples of them).
    """

    def __init__(self, spill: SpillFile) -> None:
        self._spill = spill
        self._kept: dict[int, Lead] = {}
        self._numbers = count(_IN_MEMORY)

    def put(self, lead: Lead) -> int:
        """Store a link; return its address. O(its length)."""
        packed = pack(lead)
        if packed is not None:
            return self._spill.put(packed)
        address = next(self._numbers)
        self._kept[address] = lead
        return address

    def take(self, address: int) -> tuple[Lead, int]:
        """Return the link at an address, and the address it still has there or NOWHERE."""
        if address >= _IN_MEMORY:
            return self._kept.pop(address), NOWHERE
        return unpack(self._spill.get(address)), address

    def number(self, address: int) -> None:
        """Return None: no link has a number."""

    def numbers(self, addresses: Addresses) -> None:
        """Return None: no link has a number."""

    def forget(self, address: int) -> None:
        """Discard the link at an address, which is not needed any more."""
        self._kept.pop(address, None)


class LeadPlaces(Protocol):
    """Where the links of a disk queue are: `LeadFile`, or `NumberedLeads`."""

    def put(self, lead: Lead) -> int:
        """Store a link; return its address."""

    def take(self, address: int) -> tuple[Lead | None, int]:
        """Return the link at an address, and the address it still has there or NOWHERE."""

    def number(self, address: int) -> int | None:
        """Return the number of a link, None for one without."""

    def numbers(self, addresses: Addresses) -> Rows | None:
        """Return the numbers of links, −1 for one without; None if no link has one."""


class NumberedLeads:
    """Links that are held by number, which is their address; others are in `file`.

    So a link that waits in a queue and is held by its number is stored once.
    """

    def __init__(self, numbering: Numbering, file: LeadFile) -> None:
        self._leads = numbering.leads
        self._number_of = numbering.of_lead
        self._file = file

    def put(self, lead: Lead) -> int:
        """Return the address of a link; store it if it has no number."""
        number = self._number_of(lead)
        return self._file.put(lead) if number is None else NUMBERED + number

    def take(self, address: int) -> tuple[Lead | None, int]:
        """Return the link at an address and the address; None for a number without a link."""
        if NUMBERED <= address < _IN_MEMORY:
            return self._leads.get(address - NUMBERED), address
        return self._file.take(address)

    def number(self, address: int) -> int | None:
        """Return the number of a link, None for one without."""
        return address - NUMBERED if NUMBERED <= address < _IN_MEMORY else None

    def numbers(self, addresses: Addresses) -> Rows:
        """Return the numbers of links, −1 for one without."""
        numbers = addresses.astype(np.intp) - NUMBERED
        numbers[(addresses < NUMBERED) | (addresses >= _IN_MEMORY)] = -1
        return numbers


def pack(lead: Lead) -> bytes | None:
    """Return a link as bytes, or None if it cannot be packed."""
    if not is_packable(lead):
        return None
    packed: bytes = _PACKER.pack(row_of(lead))
    return packed


def unpack(packed: bytes) -> Lead:
    """Return the link that `pack` has packed."""
    row: Row = msgpack.unpackb(packed, use_list=False, unicode_errors="surrogatepass")
    return lead_of(row)


def row_of(lead: Lead) -> Row:
    """Return the fields of a link without its payload."""
    return (
        lead.url, lead.fingerprint, lead.host, lead.source, lead.depth, lead.score, lead.anchor,
        lead.features,
    )  # fmt: skip


def lead_of(row: Row) -> Lead:
    """Return the link of a row that `row_of` has made."""
    url, target, host, source, depth, score, anchor, features = row
    return Lead(url, target, host, source, depth, score, anchor, None, features)


def is_packable(lead: Lead) -> bool:
    """Return True if bytes can hold every field of a link."""
    return lead.payload is None and _is_plain(lead.features)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(_is_plain, value))
    if type(value) is int:
        return value.bit_length() < _BITS
    return type(value) in _PLAIN
