"""Links by number: some in memory, the others on disk."""

from __future__ import annotations

from collections import OrderedDict

from evocrawl.model import Fingerprint, Lead
from evocrawl.spill import Spill
from evocrawl.store.frontier import MOST_LINKS
from evocrawl.store.lead_file import NOWHERE, LeadFile
from evocrawl.tables import MappedTable

_KEY_BYTES = 12
_NONE = (1 << 64) - 1
"""Address of a number without a link."""
_NEAR = _NONE - 1
"""Address of a link that has not left memory since it was put."""


class NumberedLeads:
    """Links by numbers from 0, the `most` that were put or asked for last in memory.

    Of the others nothing is, but for those that cannot be packed. Every operation takes O(1).
    """

    def __init__(self, most: int = MOST_LINKS, spill: Spill | None = None) -> None:
        spill = Spill() if spill is None else spill
        self._most = most
        self._file = LeadFile(spill)
        self._near: OrderedDict[int, Lead] = OrderedDict()
        self._places = MappedTable(spill, address=("u8", 0, _NONE), key=("u1", _KEY_BYTES, 0))
        self._unusual: dict[int, Fingerprint] = {}

    def __contains__(self, number: int) -> bool:
        return self._address(number) != _NONE

    def get(self, number: int) -> Lead | None:
        """Return the link of a number, None where it has none."""
        lead = self._near.get(number)
        if lead is not None:
            self._near.move_to_end(number)
            return lead
        address = self._address(number)
        if address == _NONE:
            return None
        lead, kept_at = self._file.take(address)
        if kept_at == NOWHERE:
            self._places["address"][number] = _NEAR
        self._keep(number, lead)
        return lead

    def put(self, number: int, lead: Lead) -> None:
        """Set the link of a number."""
        self.forget(number)
        if number >= len(self._places):
            self._places.grow(number + 1 - len(self._places))
        self._places["address"][number] = _NEAR
        if len(lead.fingerprint) == _KEY_BYTES:
            self._places["key"][number] = [*lead.fingerprint]
        else:
            self._unusual[number] = lead.fingerprint
        self._keep(number, lead)

    def forget(self, number: int) -> None:
        """Remove the link of a number if it has one."""
        address = self._address(number)
        if address != _NONE:
            self._near.pop(number, None)
            self._file.forget(address)
            self._unusual.pop(number, None)
            self._places["address"][number] = _NONE

    def target(self, number: int) -> Fingerprint | None:
        """Return where the link of a number leads, None where it has none."""
        if number not in self:
            return None
        unusual = self._unusual.get(number)
        return self._places["key"][number].tobytes() if unusual is None else unusual

    def _address(self, number: int) -> int:
        return int(self._places["address"][number]) if number < len(self._places) else _NONE

    def _keep(self, number: int, lead: Lead) -> None:
        self._near[number] = lead
        self._near.move_to_end(number)
        if len(self._near) > self._most:
            far, gone = self._near.popitem(last=False)
            if self._address(far) == _NEAR:
                self._places["address"][far] = self._file.put(gone)
