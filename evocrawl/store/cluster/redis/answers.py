"""What `ClusterState` returns about the workers of a crawl, and to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from evocrawl.store.cluster.redis.cluster_event import ClusterEvent

HUNGRY, IDLE = 1, 2


@dataclass(frozen=True, slots=True)
class Worker:
    """A live worker: how many of its hosts have open links, and whether it needs more.

    `need` is 0 if it has enough to do, `HUNGRY` if it could do more, and `IDLE` if it has nothing
    to do. `chance` in [0, 1] is that of its best link, 0.0 if it has not named it lately.
    """

    session: str
    hosts: int
    need: int
    chance: float = 0.0


@dataclass(frozen=True, slots=True)
class News:
    """Events for a worker, the position in its inbox after them, and whether users have changed
    the crawl.

    `leases` are hosts that other workers have leased, `leases_to` is the position after them.
    """

    events: list[ClusterEvent]
    read_to: str
    has_changes: bool = False
    leases: list[str] = field(default_factory=list)
    leases_to: str = ""
