"""Numbers the hosts and folders of links in the table of groups."""

from __future__ import annotations

from hashlib import blake2b

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.species.evo.link_model.table import Table
from evocrawl.species.evo.link_model.upward import depth_of

_LATEST, _LONGEST_NAME = 2048, 200
"""Number of cached hosts and folders (the links of a page share few), and their longest name."""


class GroupNumbers:
    """Maps the name of a host or folder to its row, which it adds to `groups` for a new name."""

    def __init__(self, groups: Table) -> None:
        self._groups = groups
        self._numbers = KeyMap("<I")
        self._latest: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the row of a host or folder. O(1) amortised."""
        number = self._latest.get(name)
        if number is None:
            number = self._stored(name)
            if len(self._latest) >= _LATEST:
                self._latest.clear()
            if len(name) <= _LONGEST_NAME:
                self._latest[name] = number
        return number

    def _stored(self, name: str) -> int:
        key = blake2b(name.encode(errors="replace"), digest_size=12).digest()
        known = self._numbers.get(key)
        if known is not None:
            return int(known[0])
        number = self._groups.grow(1).start
        self._groups["depth"][number] = depth_of(name)
        self._numbers.put(key, number)
        return int(number)
