"""Back-off and circuit breaker per host.

A host that responds with 429 or 5xx, or not at all, gets a pause that doubles with each failure in
a row (exponential back-off; half of it is random, so that crawls do not retry at the same moment).
After `breaker` failures in a row its circuit is open: it gets one request every `cap_s` seconds.
After three such requests have failed, the host is given up for an hour. One success resets the host
(Nygard 2007, *Release It!*, circuit breaker).

A longer Retry-After (RFC 9110 §10.2.3) extends the pause; the host is given up for the time of one
that is longer than `asked_cap_s`.

If a user's spider yields a request for a host that was given up because of its failures, the host
gets one more request, `cap_s` after the last; this happens three times at most.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from numpy.random import Generator

PROBES = 3
"""Requests at an open circuit before the host is given up."""

GIVEN_UP_S = 3600.0
MAX_GIVEN_UP_S = 24 * 3600.0
MAX_HOSTS = 10_000


@dataclass(slots=True)
class _Trouble:
    failures: int = 0
    since_s: float = 0.0
    until_s: float = 0.0
    given_up_until_s: float = 0.0
    reopened: int = 0


class HostBackoff:
    """Tracks the hosts that failed last; beyond 10 000 it forgets those that failed first.

    Times are seconds on a clock that only goes forward. Every method is O(1) but `waits`.
    """

    def __init__(
        self, rng: Generator, *, first_s: float, cap_s: float, asked_cap_s: float, breaker: int
    ) -> None:
        self._rng = rng
        self._first_s = first_s
        self._cap_s = cap_s
        self._asked_cap_s = asked_cap_s
        self._breaker = breaker
        self._hosts: OrderedDict[str, _Trouble] = OrderedDict()

    def failed(self, host: str, sent_at_s: float, now_s: float, asked_s: float = 0.0) -> float:
        """Record the failure of a request sent at `sent_at_s`; return the end of the host's pause.

        `asked_s` is the Retry-After of the response. Requests that were under way when another
        failed belong to the same failure: eight that fail together count as one.
        """
        trouble = self._hosts.setdefault(host, _Trouble())
        if not trouble.failures or sent_at_s >= trouble.until_s:
            trouble.failures += 1
            trouble.since_s = now_s
            trouble.until_s = now_s + self._back_off_s(trouble.failures)
        if asked_s > self._asked_cap_s:
            away_s = min(asked_s, MAX_GIVEN_UP_S)
            trouble.given_up_until_s = max(trouble.given_up_until_s, now_s + away_s)
        elif trouble.failures >= self._breaker + PROBES:
            trouble.given_up_until_s = max(trouble.given_up_until_s, now_s + GIVEN_UP_S)
        if self.is_given_up(host, now_s):
            # No request is sent to the host, so no request has to wait.
            trouble.until_s = now_s
        else:
            trouble.until_s = max(trouble.until_s, now_s + asked_s)
        if len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        return trouble.until_s

    def succeeded(self, host: str, sent_at_s: float) -> None:
        """Reset `host` after a success; ignore a request sent before the last failure."""
        trouble = self._hosts.get(host)
        if trouble is not None and sent_at_s >= trouble.since_s:
            del self._hosts[host]

    def reopen(self, host: str, now_s: float) -> float:
        """Allow one more request to a host that was given up; return its time, 0 if not allowed.

        It is not allowed if the host was given up because of its Retry-After, nor a fourth time.
        """
        trouble = self._hosts.get(host)
        if trouble is None or not self.is_given_up(host, now_s) or trouble.reopened >= PROBES:
            return 0.0
        if trouble.failures < self._breaker + PROBES:
            return 0.0
        trouble.reopened += 1
        trouble.failures = self._breaker + PROBES - 1
        trouble.given_up_until_s = 0.0
        trouble.until_s = trouble.since_s + self._cap_s
        return trouble.until_s

    def is_troubled(self, host: str) -> bool:
        """Return True if the last request failed: the host then gets one request at a time."""
        return host in self._hosts

    def until(self, host: str) -> float:
        """Return the end of the pause of `host`, 0 if it has none."""
        trouble = self._hosts.get(host)
        return 0.0 if trouble is None else trouble.until_s

    def waits(self, now_s: float) -> dict[str, float]:
        """Return the hosts with a pause, each with the seconds left. O(hosts that failed)."""
        each = self._hosts.items()
        return {host: it.until_s - now_s for host, it in each if it.until_s > now_s}

    def is_given_up(self, host: str, now_s: float) -> bool:
        """Return True if `host` is given up."""
        trouble = self._hosts.get(host)
        return trouble is not None and now_s < trouble.given_up_until_s

    def _back_off_s(self, failures: int) -> float:
        if failures >= self._breaker:
            return self._cap_s
        whole_s = min(self._first_s * 2.0 ** (failures - 1), self._cap_s)
        return whole_s * (0.5 + 0.5 * float(self._rng.random()))
