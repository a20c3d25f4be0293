"""Cache of robots.txt rules, limited in memory and age."""

from __future__ import annotations

from collections import OrderedDict

from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.robots.rules import RobotsRules


class RobotsCache:
    """Maps an authority to its rules; removes the least recently used entry first.

    The cache has at most `authorities` entries and `rules` rule lines in all (a parsed line takes
    about 800 bytes), but always the newest entry. `delay_cap_s` is the longest Crawl-delay. Times
    are seconds on any clock that only goes forward.
    """

    def __init__(
        self, *, authorities: int = 10_000, rules: int = 100_000, delay_cap_s: float = 30.0
    ) -> None:
        self._max_entries = authorities
        self._max_rules = rules
        self._delay_cap_s = delay_cap_s
        self._entries: OrderedDict[str, tuple[RobotsRules, float]] = OrderedDict()
        self._delays: dict[str, dict[str, float]] = {}
        self._rules = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, authority: str, now_s: float) -> RobotsRules | None:
        """Return the rules of `authority`, None if unknown or expired.

        Runtime complexity: O(1).
        """
        entry = self._entries.get(authority)
        if entry is None:
            return None
        rules, expires_s = entry
        if now_s >= expires_s:
            self._remove(authority)
            return None
        self._entries.move_to_end(authority)
        return rules

    def put(self, authority: str, rules: RobotsRules, now_s: float, lifetime_s: float) -> None:
        """Keep `rules` for `lifetime_s` seconds from `now_s`. Runtime complexity: O(1)."""
        if authority in self._entries:
            self._remove(authority)
        self._entries[authority] = rules, now_s + lifetime_s
        self._rules += rules.size
        delay_s = rules.crawl_delay(self._delay_cap_s)
        if delay_s > 0:
            self._delays.setdefault(host_of(authority), {})[authority] = delay_s
        while len(self._entries) > 1 and self._too_large():
            self._remove(next(iter(self._entries)))

    def delay_of(self, host: str) -> float:
        """Return the longest Crawl-delay among the authorities of `host`, in [0, cap] seconds.

        Delays apply to a host, rules to an authority: the strictest port of a host wins.
        """
        return max(self._delays.get(host, {}).values(), default=0.0)

    def _too_large(self) -> bool:
        return len(self._entries) > self._max_entries or self._rules > self._max_rules

    def _remove(self, authority: str) -> None:
        rules, _ = self._entries.pop(authority)
        self._rules -= rules.size
        host = host_of(authority)
        delays = self._delays.get(host)
        if delays is not None:
            delays.pop(authority, None)
            if not delays:
                del self._delays[host]
