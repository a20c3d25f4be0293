"""Holds back the settlements of visits whose callbacks have not ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evocrawl.core.model import Fetched, Fingerprint, Lead, Outcome, VisitId
from evocrawl.core.urls.identity import host_of
from evocrawl.store.cluster.redis.outbox import OutboxBatch


@dataclass(frozen=True, slots=True)
class _Held:
    """The settlement of a visit, for Redis, and the links and hosts that it concerns."""

    batch: OutboxBatch
    targets: frozenset[Fingerprint]
    hosts: frozenset[str]


class OpenCallbacks:
    """The visits of a worker whose callbacks go on after the settlement.

    The link of such a visit stays open in Redis until the callback ends: if the worker is killed
    before, the next owner of the host fetches the page again.
    """

    def __init__(self) -> None:
        self._announced: set[VisitId] = set()
        self._held: dict[VisitId, _Held] = {}

    def __contains__(self, target: Fingerprint) -> bool:
        """Return whether `target` is a link whose callback has not ended. O(open callbacks)."""
        return any(target in each.targets for each in self._held.values())

    @property
    def hosts(self) -> set[str]:
        """The hosts of these links."""
        return {host for each in self._held.values() for host in each.hosts}

    def announce(self, visit: VisitId) -> None:
        """Note that the callback of `visit` goes on after its settlement, which comes next."""
        self._announced.add(visit)

    def hold(self, visit: VisitId, lead: Lead, outcome: Outcome, batch: OutboxBatch) -> OutboxBatch:
        """Return the part of a report on `visit` that can be sent now; hold the rest back."""
        if visit not in self._announced:
            return batch
        self._announced.remove(visit)
        targets, hosts = {lead.fingerprint}, {lead.host}
        if isinstance(outcome, Fetched):
            targets.add(outcome.page.fingerprint)
            hosts.add(host_of(outcome.page.url))
        rest = OutboxBatch(settles=batch.settles, then=batch.then)
        self._held[visit] = _Held(rest, frozenset(targets), frozenset(hosts))
        return replace(batch, settles=[], then=None)

    def end(self, visit: VisitId) -> OutboxBatch | None:
        """Return the report that was held back; None if there is none."""
        held = self._held.pop(visit, None)
        return None if held is None else held.batch
