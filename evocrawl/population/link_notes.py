"""Compact notes on links that led to no page, were put off or are held back."""

from __future__ import annotations

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint

_MAX_REASONS = 10_000
_OTHER = "other"


class LinkNotes:
    """Maps the fingerprint of a link to the name of its state and the reason.

    A note takes 16 bytes. After `most` different notes, the reason of a new one is "other".

    >>> notes = LinkNotes()
    >>> notes.put(b"a", "dead", "404")
    >>> notes.get(b"a"), notes.get(b"b")
    (('dead', '404'), None)
    """

    def __init__(self, most: int = _MAX_REASONS) -> None:
        self._most = most
        self._number_of = KeyMap("<I")
        self._numbers: dict[tuple[str, str], int] = {}
        self._notes: list[tuple[str, str]] = []

    def get(self, target: Fingerprint) -> tuple[str, str] | None:
        """Return the state and the reason of a link, None without a note. O(1)."""
        number = self._number_of.get(target)
        return None if number is None else self._notes[number[0]]

    def put(self, target: Fingerprint, state: str, reason: str) -> None:
        """Set the state and the reason of a link. O(1)."""
        note = (state, reason)
        number = self._numbers.get(note)
        if number is None:
            if len(self._notes) >= self._most:
                note = (state, _OTHER)
            number = self._numbers.setdefault(note, len(self._notes))
            if number == len(self._notes):
                self._notes.append(note)
        self._number_of.put(target, number)

    def discard(self, target: Fingerprint) -> None:
        """Remove the note on a link, if any. O(1)."""
        self._number_of.discard(target)
