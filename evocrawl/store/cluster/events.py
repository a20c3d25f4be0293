"""The events of a worker: signals between its parts and the crawl that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Generic, ParamSpec

from evocrawl.core.errors import StateError
from evocrawl.core.model import Fingerprint, Link
from evocrawl.store.cluster.redis.answers import Worker
from evocrawl.store.cluster.redis.connection import Unreachable

P = ParamSpec("P")


class Signal(Generic[P]):
    """Calls its handlers in the order in which they were connected."""

    def __init__(self) -> None:
        self._handlers: list[Callable[P, object]] = []

    def connect(self, handler: Callable[P, object]) -> None:
        """Call `handler` from now on."""
        self._handlers.append(handler)

    def send(self, *arguments: P.args, **options: P.kwargs) -> None:
        """Call all handlers."""
        for handler in self._handlers:
            handler(*arguments, **options)


class WorkerEvents:
    """The signals that all parts of a worker share.

    ================  ===========================================================================
    host_wanted       the population has a URL of a host that this worker does not lease (host)
    host_gained       this worker has leased a host (host)
    host_offered      Redis has links of a host that this worker found (host, its live owner or "")
    report_refused    Redis has refused a report since the lease had expired (host, lease)
    links_found       another worker or an earlier session has found these links (links)
    links_offered     Redis has links that this worker found (targets, those that it had before)
    redis_answered    Redis has responded (None) or not (why)
    heartbeat_sent    Redis has a heartbeat (own hosts with open links, live workers)
    work_found        there may be a visit to choose
    state_changed     a user lets the workers go on, pause or stop ("running", …)
    drained           a user lets this worker finish what is under way and leave
    page_marked       a user calls a page relevant, or not (URL, True or False)
    failed            a background task has failed for good (error)
    ================  ===========================================================================

    `busy_checks` return True while the crawl is doing something that may bring links.
    """

    def __init__(self) -> None:
        self.host_wanted: Signal[[str]] = Signal()
        self.host_gained: Signal[[str]] = Signal()
        self.host_offered: Signal[[str, str]] = Signal()
        self.report_refused: Signal[[str, str]] = Signal()
        self.links_found: Signal[[Sequence[Link]]] = Signal()
        self.links_offered: Signal[[Sequence[Fingerprint], Collection[Fingerprint]]] = Signal()
        self.redis_answered: Signal[[Unreachable | None]] = Signal()
        self.heartbeat_sent: Signal[[int, list[Worker]]] = Signal()
        self.work_found: Signal[[]] = Signal()
        self.state_changed: Signal[[str]] = Signal()
        self.drained: Signal[[]] = Signal()
        self.page_marked: Signal[[str, bool]] = Signal()
        self.failed: Signal[[StateError]] = Signal()
        self.busy_checks: list[Callable[[], bool]] = []

    @property
    def is_crawl_busy(self) -> bool:
        """True while the crawl is doing something that may bring links."""
        return any(check() for check in self.busy_checks)
