"""What the dashboard shows and controls: a running crawl, or a stored one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.model import AgentId, VisitId
from evocrawl.monitor.record import Record
from evocrawl.species.reasons import Trait

Row = dict[str, Any]


class ControlError(EvocrawlError, ValueError):
    """The crawl refuses what it was asked to do; the message says what is allowed."""


class Controls(Protocol):
    """What a running crawl can be asked to do. Each method raises ControlError if it cannot."""

    @property
    def state(self) -> str:
        """ "running", "paused", "stopping" or "finished"."""

    def parameters(self) -> Row:
        """Return the parameters that can be changed, by name."""

    def exclusions(self) -> list[str]:
        """Return the hosts, path patterns and lines of agents that are excluded."""

    def traits(self, agent: AgentId) -> Sequence[Trait]:
        """Return what a living agent has inherited or learnt; nothing of a dead one."""

    def stop(self) -> None:
        """End the crawl cleanly."""

    def pause(self) -> None:
        """Choose no link until `resume`."""

    def resume(self) -> None:
        """Go on after `pause`."""

    def change(self, values: Mapping[str, Any]) -> Row:
        """Change parameters; return all of them."""

    def exclude(self, pattern: str) -> None:
        """Follow no link to a host, or to addresses of a pattern, any more."""

    def exclude_line(self, agent: AgentId) -> None:
        """End an agent and all its living descendants."""

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:
        """Teach the crawl that a page is relevant, or is not; return what was before."""


class ReadOnly:
    """The controls of a crawl that another process runs, or that is over: none."""

    def __init__(self, state: str, reason: str) -> None:
        self.state = state
        self._reason = reason
        self.excluded: Callable[[], list[str]] = list
        self.mind: Callable[[AgentId], Sequence[Trait]] = lambda _: ()
        """What the population of a store knows: its exclusions, and the traits of an agent."""

    def parameters(self) -> Row:
        """Return no parameters."""
        return {}

    def exclusions(self) -> list[str]:
        """Return the exclusions of the store."""
        return self.excluded()

    def traits(self, agent: AgentId) -> Sequence[Trait]:
        """Return the traits of an agent that is alive where the store ends."""
        return self.mind(agent)

    def stop(self) -> None:
        """Raise ControlError."""
        raise ControlError(self._reason)

    pause = resume = stop

    def change(self, values: Mapping[str, Any]) -> Row:  # noqa: ARG002 - the protocol's form
        """Raise ControlError."""
        raise ControlError(self._reason)

    def exclude(self, pattern: str) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)

    def exclude_line(self, agent: AgentId) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)


@dataclass(slots=True)
class Source:
    """A crawl on the dashboard. `store` is "" for a crawl in memory, `note` a line for the viewer.

    `learnt` is the file of the link model that a stored crawl began with.
    """

    record: Record
    controls: Controls
    query: str
    species: str
    relevant_at: float
    store: str = ""
    learnt: str = ""
    note: str = ""

    @property
    def limit(self) -> int | None:
        """The budget of requests as it is now, None without a limit."""
        budget = getattr(self.record, "budget", None)
        return None if budget is None else budget.limit
