"""Stores one link for each row number: some in memory, the others on disk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.paged_rows import Records, Rows
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.frontier.candidate_file import NOWHERE, LeadFile
from evocrawl.frontier.queue import MOST_LINKS

_KEY_BYTES = 12
_NONE = (1 << 64) - 1
"""Address for a number without a link."""
_SHARE = 16
"""One of this many links in memory leaves it at once."""
_NEAR = _NONE - 1
"""Address of a link that has been in memory since `put`."""


class CandidatesByRow:
    """Links by numbers from 0; the `most` that were used last are in memory.

    The others are on disk, except links that cannot be packed. Every operation takes O(1).
    """

    of_run = ("_most",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, most: int = MOST_LINKS, spill: SpillFile | None = None) -> None:
        spill = SpillFile() if spill is None else spill
        self._most = most
        self._file = LeadFile(spill)
        self._near: OrderedDict[int, Lead] = OrderedDict()
        self._places = PagedTable(
            spill, address=("u8", 0, _NONE), key=("u1", _KEY_BYTES, 0),
            worth=("f8", 0, -inf),
        )  # fmt: skip
        self._unusual: dict[int, Fingerprint] = {}

    def __contains__(self, number: int) -> bool:
        return self._address(number) != _NONE

    def get(self, number: int) -> Lead | None:
        """Return the link of a number, None without a link."""
        lead = self._near.get(number)
        if lead is not None:
            self._near.move_to_end(number)
            return lead
        return self.get_each([number])[0]

    def get_each(self, numbers: Sequence[int]) -> list[Lead | None]:
        """Return the links of different numbers, None for a number without a link."""
        near, count = self._near, len(self._places)
        far = [number for number in numbers if number not in near and number < count]
        read = self._read(far) if far else {}
        found = [near.get(number) or read.get(number) for number in numbers]
        for number, lead in read.items():
            near[number] = lead
        self._make_room()
        return found

    def _read(self, numbers: Sequence[int]) -> dict[int, Lead]:
        """Return the links of numbers that are not in memory."""
        read, addresses = dict[int, Lead](), self._places.get("address", np.array(numbers))
        for number, address in zip(numbers, addresses.tolist(), strict=True):
            if address != _NONE:
                read[number], kept_at = self._file.take(address)
                if kept_at == NOWHERE:
                    self._places.set_one("address", number, _NEAR)
        return read

    def put(self, leads: Mapping[int, Lead]) -> list[int]:
        """Set the links of some numbers; return the numbers that had none, in their order."""
        numbers = np.array([*leads], np.intp)
        if not len(numbers):
            return []
        targets = [lead.fingerprint for lead in leads.values()]
        if self._unusual or {*map(len, targets)} != {_KEY_BYTES}:
            targets = self._plain_keys(leads)
        records = self._places.fresh(len(numbers))
        records["address"] = _NEAR
        records["key"] = np.frombuffer(b"".join(targets), np.uint8).reshape(-1, _KEY_BYTES)
        addresses = np.full(len(numbers), _NONE, np.uint64)
        is_placed = numbers < len(self._places)
        if is_placed.any():
            placed = numbers[is_placed]
            of_placed = self._places.get("address", placed)
            for address in of_placed[of_placed < _NEAR].tolist():
                self._file.forget(address)
            addresses[is_placed] = of_placed
            self._places.put(placed, records[is_placed])
        self._append(numbers[~is_placed], records[~is_placed])
        near = self._near
        for number, lead in leads.items():
            if number in near:
                near.move_to_end(number)
            near[number] = lead
        self._make_room()
        new: list[int] = numbers[addresses == _NONE].tolist()
        return new

    def forget(self, number: int) -> None:
        """Remove the link of a number if it has one."""
        address = self._address(number)
        if address != _NONE:
            self._near.pop(number, None)
            self._file.forget(address)
            self._unusual.pop(number, None)
            self._places.set_one("address", number, _NONE)
            self._places.set_one("worth", number, -inf)

    def scores(self, numbers: Rows) -> npt.NDArray[np.float64]:
        """Return the last scores of numbers that have had a link; −inf without a score."""
        scores: npt.NDArray[np.float64] = self._places.get("worth", numbers)
        return scores

    def set_scores(self, numbers: Rows, scores: npt.NDArray[np.float64]) -> None:
        """Set the scores of the links of some numbers; `put` resets them."""
        self._places.set("worth", numbers, scores)

    def targets(self, numbers: Sequence[int]) -> list[Fingerprint | None]:
        """Return the targets of the links of some numbers, None for a number without a link."""
        count = len(self._places)
        known = [number for number in numbers if number < count]
        places = self._places.take(np.array(known, np.intp))
        keys = places["key"].tobytes()
        found: list[Fingerprint | None] = [
            keys[at : at + _KEY_BYTES] for at in range(0, len(keys), _KEY_BYTES)
        ]
        for at in np.flatnonzero(places["address"] == _NONE).tolist():
            found[at] = None
        if self._unusual:
            found = [
                key and self._unusual.get(number, key)
                for number, key in zip(known, found, strict=True)
            ]
        if len(known) == len(numbers):
            return found
        by_number = dict(zip(known, found, strict=True))
        return [by_number.get(number) for number in numbers]

    def _address(self, number: int) -> int:
        return int(self._places.get_one("address", number)) if number < len(self._places) else _NONE

    def _append(self, numbers: Rows, records: Records) -> None:
        """Add the records of numbers without a place, and places for those in between."""
        if len(numbers):
            first = len(self._places)
            appended = self._places.fresh(int(numbers.max()) + 1 - first)
            appended[numbers - first] = records
            self._places.append(appended)

    def _plain_keys(self, leads: Mapping[int, Lead]) -> list[bytes]:
        """Return the targets of links as keys of one length; remember those of another length."""
        for number, lead in leads.items():
            self._unusual.pop(number, None)
            if len(lead.fingerprint) != _KEY_BYTES:
                self._unusual[number] = lead.fingerprint
        return [lead.fingerprint[:_KEY_BYTES].ljust(_KEY_BYTES) for lead in leads.values()]

    def _make_room(self) -> None:
        """Move the links to disk that were used least lately, if there are too many in memory.

        A few more of them than necessary, so that they do not leave in each step.
        """
        over = len(self._near) - self._most
        if over <= 0:
            return
        pop = self._near.popitem
        leaving = [pop(last=False) for _ in range(over + self._most // _SHARE)]
        numbers = np.array([number for number, _ in leaving], np.intp)
        are_new = self._places.get("address", numbers) == _NEAR
        put = self._file.put
        addresses = [
            put(lead) for (_, lead), is_new in zip(leaving, are_new, strict=True) if is_new
        ]
        self._places.set("address", numbers[are_new], np.array(addresses, np.uint64))
