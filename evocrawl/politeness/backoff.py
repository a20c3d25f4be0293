"""What the failures of hosts ask of a crawl: to wait, to come one at a time, to stay away.

A host that answers 429 or 5xx, or not at all, is left alone for a while that doubles with each
failure in a row (exponential back-off; half of it is random, so that crawls do not come back in
step). After `breaker` failures in a row its circuit is open: only one request at a time tries
whether it is well again, `cap_s` apart. After three such tries in vain the host is given up for an
hour. One success ends it all (Nygard 2007, *Release It!*, circuit breaker).

Retry-After (RFC 9110 §10.2.3) is kept where it asks for longer; where it asks for more than
`asked_cap_s`, the host is given up for that long.

Where a spider of the user's still asks for a host that was given up for its failures, one more
request tries it, `cap_s` after the last; that is done three times.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from numpy.random import Generator

PROBES = 3
"""Tries at an open circuit before the host is given up."""

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
    """The hosts that failed last, 10 000 at most: the ones longest in trouble are forgotten.

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
        """A request sent at `sent_at_s` has failed; return until when to leave `host` alone.

        `asked_s` is what the answer's Retry-After asked for. Requests that were under way when
        another failed are of the same failure: eight that fail at once count as one.
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
            # Nothing is sent there any more: nothing has to wait either.
            trouble.until_s = now_s
        else:
            trouble.until_s = max(trouble.until_s, now_s + asked_s)
        if len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        return trouble.until_s

    def succeeded(self, host: str, sent_at_s: float) -> None:
        """A request sent at `sent_at_s` was answered; one older than the trouble tells nothing."""
        trouble = self._hosts.get(host)
        if trouble is not None and sent_at_s >= trouble.since_s:
            del self._hosts[host]

    def reopen(self, host: str, now_s: float) -> float:
        """Let one more request try a host that was given up; return when, 0 where none may.

        None may where the host asked for the time itself, nor after three times.
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
        """Return True where the last request has failed: one at a time is enough."""
        return host in self._hosts

    def until(self, host: str) -> float:
        """Return until when `host` is to be left alone, 0 where it need not."""
        trouble = self._hosts.get(host)
        return 0.0 if trouble is None else trouble.until_s

    def waits(self, now_s: float) -> dict[str, float]:
        """Return the hosts that are left alone now, with the seconds left. O(hosts in trouble)."""
        each = self._hosts.items()
        return {host: it.until_s - now_s for host, it in each if it.until_s > now_s}

    def is_given_up(self, host: str, now_s: float) -> bool:
        """Return True where nothing is to be asked of `host` now, nor soon."""
        trouble = self._hosts.get(host)
        return trouble is not None and now_s < trouble.given_up_until_s

    def _back_off_s(self, failures: int) -> float:
        if failures >= self._breaker:
            return self._cap_s
        whole_s = min(self._first_s * 2.0 ** (failures - 1), self._cap_s)
        return whole_s * (0.5 + 0.5 * float(self._rng.random()))
